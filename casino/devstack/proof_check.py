"""The end of `play`: a random round is exported over HTTP and checked by the stand-alone verifier, as served."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from typing import Any, Final

import httpx

from casino.devstack.errors import DevstackError
from casino.devstack.system import Stack

ENDED: Final = frozenset({"settled", "voided"})
FOLDER: Final = "proof"


@dataclass(frozen=True, slots=True)
class ProofResult:
    """What the verifier printed of a round, and its exit status; 0 when nothing is wrong with it."""

    round: str
    output: str
    exit_status: int

    def summary(self) -> str:
        """Say it in a line, or all that the verifier said when it refused the round."""
        if self.exit_status:
            return f"proof: round {self.round} FAILED\n{self.output}"
        return f"proof: round {self.round} {self.output.splitlines()[-1]}"


def prove(stack: Stack, *, credential: str) -> ProofResult:
    """Sign a checkpoint, export any ended round, and run the verifier on it in a process of its own.

    What it gets is left in the stack's folder. Raises Trouble when the service does not hand it out.
    """
    stack.manage("checkpoint")
    folder = stack.home.folder / FOLDER
    folder.mkdir(exist_ok=True)
    headers = {"Authorization": f"Bearer {credential}"}
    with httpx.Client(base_url=stack.base_url, headers=headers, timeout=20) as service:
        chosen = SystemRandom().choice(_ended(service))
        files = {
            "round.json": f"/api/v1/rounds/{chosen}/proof",
            "keys.json": "/api/v1/log/keys",
            "verifier.py": "/play/verify/verifier.py",
        }
        for name, path in files.items():
            (folder / name).write_bytes(_got(service, path))
    return _run(folder, chosen)


def _ended(service: httpx.Client) -> list[str]:
    """The ids of all rounds that have ended with cards or a void."""
    found: list[str] = []
    query: dict[str, Any] | None = {"limit": 200}
    while query is not None:
        page = json.loads(_got(service, "/api/v1/rounds", query))
        found += [line["id"] for line in page["items"] if line["phase"] in ENDED]
        query = None if page["next"] is None else {"limit": 200, "cursor": page["next"]}
    if not found:
        raise DevstackError("No round has ended that could be proven.")
    return found


def _got(service: httpx.Client, path: str, query: dict[str, Any] | None = None) -> bytes:
    answer = service.get(path, params=query)
    if answer.is_error:
        raise DevstackError(f"{path} answered {answer.status_code}: {answer.text}")
    return answer.content


def _run(folder: Path, chosen: str) -> ProofResult:
    """Isolated from this environment: the verifier has Python's standard library and nothing else."""
    command = [sys.executable, "-I", "-S", "verifier.py", "round.json", "--key", "keys.json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return ProofResult(chosen, (done.stdout + done.stderr).strip(), done.returncode)
