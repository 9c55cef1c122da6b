"""The houses that a witness serves, from a file of its operator, and the refusal of everybody else."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from casino.crypto import ed25519
from casino.crypto.signed_note import MalformedNote, NoteKey, SignatureType
from casino.witness.statements import MAX_ORIGIN_BYTES
from casino.witness.store import CannotStart


@dataclass(frozen=True, slots=True)
class House:
    """An origin with the keys that sign its checkpoints and those that sign its closings."""

    log_keys: tuple[NoteKey, ...] = ()
    closing_keys: tuple[bytes, ...] = ()


class Refused(Exception):
    """A request that changes nothing: an HTTP status, a stable code, a sentence, and members of the answer."""

    def __init__(self, status: int, code: str, detail: str, **members: object) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.members = members

    def as_json(self) -> dict[str, Any]:
        """Return the answer's body, which is also the result of an item that is refused."""
        return {"status": "refused", "code": self.code, "detail": str(self), **self.members}


def read_houses(file: Path) -> Mapping[str, House]:
    """Read lines of a log's verifier key (its name is the origin) and a closing key in hex. Raises CannotStart.

    An origin may have several lines, so that keys can be replaced. Empty lines and those after # say nothing.
    """
    houses: dict[str, House] = {}
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return houses
    except (OSError, UnicodeDecodeError) as error:
        raise CannotStart(f"{file}: {error}") from error
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if words:
            try:
                log_key, closing_key = _parse(words)
            except ValueError as error:
                raise CannotStart(f"{file}, line {number}: {error}") from error
            house = houses.get(log_key.name, House())
            houses[log_key.name] = replace(
                house,
                log_keys=(*house.log_keys, log_key),
                closing_keys=(*house.closing_keys, closing_key),
            )
    return houses


def _parse(words: list[str]) -> tuple[NoteKey, bytes]:
    if len(words) != 2:
        raise ValueError("a line has the verifier key of a log and a closing key in hex")
    log_key, closing_key = NoteKey.parse(words[0]), bytes.fromhex(words[1])
    if log_key.type is not SignatureType.NOTE or len(closing_key) != ed25519.KEY_BYTES:
        raise MalformedNote("the keys are Ed25519, the log's of type 01")
    if len(log_key.name.encode()) > MAX_ORIGIN_BYTES:
        raise ValueError(f"an origin has {MAX_ORIGIN_BYTES} bytes at most")
    return log_key, closing_key
