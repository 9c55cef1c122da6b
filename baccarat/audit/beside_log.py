"""What is compared beside the log: checkpoints, manifests, rows of working tables, and the acts that changed them."""

from typing import Any

from casino.checkpoints import audit as checkpoints
from casino.checkpoints.replicas import UnknownCopies
from casino.kernel.findings import Finding
from casino.staff import act_audit


def check(copies: UnknownCopies, **options: Any) -> list[Finding]:
    """Return the contradictions, on the caller's snapshot; the options are those of the check of checkpoints."""
    return [*checkpoints.check(copies, **options), *act_audit.check()]
