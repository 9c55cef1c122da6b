"""Workers measure themselves when they are ready."""

from typing import Any

from celery import bootsteps
from celery.signals import worker_ready

from casino.compliance import attestation_thread


class AttestationStep(bootsteps.StartStopStep):  # type: ignore[misc]
    """The step of a worker's start that has it measured."""

    def start(self, parent: Any) -> None:
        """Wait for the worker to be ready."""
        del parent
        worker_ready.connect(lambda **_: attestation_thread.start_monitoring("worker"), weak=False)
