"""A witness of a stack's own log, on the same machine: it shows the protocol, and proves nothing to others."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from casino.crypto.signed_note import NoteKey, SignatureType
from casino.devstack.errors import DevstackError
from casino.devstack.home import PROJECT, checkpoints_folder, log_origin
from casino.devstack.services import checkpoint_environment, public_keys
from casino.witness.store import CannotStart, Store

HOST: Final = "127.0.0.1"
NAME: Final = "witness.localhost"


@dataclass(frozen=True, slots=True)
class LocalWitness:
    """A witness that is ready to start: its command, its port, and the value of WITNESSES that names it."""

    command: list[str]
    port: int
    setting: str

    @property
    def notice(self) -> str:
        """The line that says where it is and what it is worth."""
        return f"Witness    on port {self.port} of this machine: it proves the protocol, not independence"


def witness_of_home(home: Path, environment: Mapping[str, str], *, port: int) -> LocalWitness:
    """Prepare the witness of a home's own log. Raises DevstackError."""
    database = environment.get("DATABASE_URL", "")
    return prepare_witness(
        checkpoints_folder(home, database=database).with_suffix(".witness"),
        port=port,
        origin=log_origin(home, database=database),
        environment={**checkpoint_environment(home), **environment},
    )


def prepare_witness(
    folder: Path, *, port: int, origin: str, environment: Mapping[str, str], host: str = HOST
) -> LocalWitness:
    """Make the witness's keys on the first start, and tell it this house's keys. Raises DevstackError."""
    lines = [
        f"{NoteKey(origin, SignatureType.NOTE, log_key).vkey} {closing_key.hex()}"
        for _, log_key in public_keys("CHECKPOINT_KEYS", environment)
        for _, closing_key in public_keys("CLOSING_KEYS", environment)
    ]
    try:
        store = Store(folder, name=NAME)
    except CannotStart as error:
        raise DevstackError(f"The witness does not start. {error}") from error
    identity = store.identity
    store.close()
    (folder / "houses").write_text("\n".join([*lines, ""]), encoding="utf-8")
    command = [sys.executable, str(PROJECT / "manage.py"), "witness", "--data", str(folder), "--name", NAME]
    return LocalWitness(
        command=[*command, "--host", host, "--port", str(port)],
        port=port,
        setting=f"http://{host}:{port} {identity.cosign_key.vkey} {identity.release_key.hex()}",
    )
