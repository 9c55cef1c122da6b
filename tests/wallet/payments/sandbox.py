"""The sandbox provider as a separate process."""

import contextlib
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

from casino.devstack.home import PROJECT
from casino.devstack.system import free_port, is_responding
from tests.processes import begin, clean_environment, wait_until
from tests.wallet.payments.counter import SECRET


@contextlib.contextmanager
def running_provider(
    folder: Path, *, callbacks: str = "http://127.0.0.1:9/", port: int = 0
) -> Generator[tuple[str, subprocess.Popen[bytes]]]:
    """Run the provider and yield its address and process; it is ended with the block."""
    port = free_port(port)
    command = [sys.executable, "-m", "casino.devstack.provider", "--port", str(port), "--callbacks", callbacks]
    environment = clean_environment(PROVIDER_SECRET=SECRET)
    with (folder / "provider.log").open("ab") as log:
        process = begin(
            [*command, "--data", str(folder / "payments.jsonl")],
            env=environment,
            cwd=PROJECT,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        assert wait_until(lambda: is_responding(port=port, path="/livez")), (folder / "provider.log").read_text()
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.terminate()
        process.wait(20)
