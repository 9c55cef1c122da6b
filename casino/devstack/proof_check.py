"""Check a random round after `play`: export it over HTTP, and run the stand-alone verifier that the service serves."""

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from typing import Any, Final

import httpx

from casino.devstack.errors import DevstackError
from casino.devstack.system import Stack
from casino.witness.addresses import parse_addresses

ENDED: Final = frozenset({"settled", "voided"})
FOLDER: Final = "proof"
NOT_COSIGNED: Final = 5
COSIGNED_WITHIN: Final = 15.0


@dataclass(frozen=True, slots=True)
class ProofResult:
    """The verifier's output for a round, and its exit status; 0 if it is verified, 5 if it is but not cosigned yet."""

    round: str
    output: str
    exit_status: int

    @property
    def agrees(self) -> bool:
        """Whether nothing is wrong and the house has signed everything."""
        return self.exit_status in {0, NOT_COSIGNED}

    def summary(self) -> str:
        """Return one line, or the verifier's whole output if it rejected the round."""
        if not self.agrees:
            return f"proof: round {self.round} FAILED\n{self.output}"
        return f"proof: round {self.round} {self.output.splitlines()[-1]}"


def prove(stack: Stack, *, credential: str) -> ProofResult:
    """Sign a checkpoint, export any ended round, and run the verifier on it as a process.

    Its input stays in the stack's folder. Raises DevstackError if the service refuses a request.
    """
    stack.manage("checkpoint")
    folder = stack.home.folder / FOLDER
    folder.mkdir(exist_ok=True)
    headers = {"Authorization": f"Bearer {credential}"}
    with httpx.Client(base_url=stack.base_url, headers=headers, timeout=20) as service:
        round_id = SystemRandom().choice(_list_ended_rounds(service))
        if stack.environment.get("WITNESSES"):
            _wait_for_cosignature(service, f"/api/v1/rounds/{round_id}/proof")
        files = {
            "round.json": f"/api/v1/rounds/{round_id}/proof",
            "keys.json": "/api/v1/log/keys",
            "verifier.py": "/play/verify/verifier.py",
        }
        for name, path in files.items():
            (folder / name).write_bytes(_get(service, path))
    return _run(folder, round_id, witnesses=stack.environment.get("WITNESSES", ""))


def _wait_for_cosignature(service: httpx.Client, path: str) -> None:
    """Wait until a witness has cosigned a log with the round, or for a while."""
    until = time.monotonic() + COSIGNED_WITHIN
    while not _is_cosigned(json.loads(_get(service, path))["checkpoint"]) and time.monotonic() < until:
        time.sleep(0.5)


def _is_cosigned(note: str | None) -> bool:
    """Return whether others than the house have signed a note, whose signatures are lines that begin with a dash."""
    return note is not None and note.count("\n\u2014 ") > 1


def _list_ended_rounds(service: httpx.Client) -> list[str]:
    """List the ids of all settled and voided rounds."""
    rounds: list[str] = []
    query: dict[str, Any] | None = {"limit": 200}
    while query is not None:
        page = json.loads(_get(service, "/api/v1/rounds", query))
        rounds += [round_["id"] for round_ in page["items"] if round_["phase"] in ENDED]
        query = None if page["next"] is None else {"limit": 200, "cursor": page["next"]}
    if not rounds:
        raise DevstackError("No round has ended.")
    return rounds


def _get(service: httpx.Client, path: str, query: dict[str, Any] | None = None) -> bytes:
    response = service.get(path, params=query)
    if response.is_error:
        raise DevstackError(f"{path} returned {response.status_code}: {response.text}")
    return response.content


def _run(folder: Path, round_id: str, *, witnesses: str = "") -> ProofResult:
    """Run the verifier isolated from this environment, with Python's standard library only."""
    addresses = parse_addresses(witnesses)
    trusted = [each.release_key.hex() for each in addresses if each.release_key]
    keys = [part for key in (*trusted, *(each.cosigner.vkey for each in addresses)) for part in ("--key", key)]
    command = [sys.executable, "-I", "-S", "verifier.py", "round.json", "--key", "keys.json", *keys]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return ProofResult(round_id, (result.stdout + result.stderr).strip(), result.returncode)
