"""Signed notes and checkpoints as C2SP defines them (signed-note, tlog-checkpoint, tlog-cosignature). Pure.

A note is a text and signature lines. A checkpoint is a note whose text is a log's origin, its size and its root; a
cosignature on it is another line, with a time.
"""

import re
import struct
from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256
from typing import Final

from casino.crypto import ed25519

MAX_SIGNATURES: Final = 64
_DASH: Final = "\u2014 "
_KEY_ID_BYTES: Final = 4
_TIME_BYTES: Final = 8
_SIZE: Final = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f]")


class MalformedNote(ValueError):
    """A text that is not a signed note or not a checkpoint; the message says why."""


class UntrustedNote(Exception):
    """A note that no trusted key signed, or with a signature that names a trusted key and is not that key's."""


class SignatureType(IntEnum):
    """The byte that says what a key's signatures are over."""

    NOTE = 1
    COSIGNATURE = 4


@dataclass(frozen=True, slots=True)
class NoteKey:
    """A public key with the name and the type under which it signs notes."""

    name: str
    type: SignatureType
    public: bytes

    @property
    def id(self) -> bytes:
        """The four bytes that begin each of its signatures."""
        return sha256(self.name.encode() + b"\n" + self._typed).digest()[:_KEY_ID_BYTES]

    @property
    def vkey(self) -> str:
        """The key as text, for configurations."""
        return f"{self.name}+{self.id.hex()}+{b64encode(self._typed).decode()}"

    @property
    def _typed(self) -> bytes:
        return bytes([self.type]) + self.public

    @classmethod
    def parse(cls, vkey: str) -> "NoteKey":
        """Parse a key's text. Raises MalformedNote."""
        name, _, rest = vkey.partition("+")
        key_id, _, encoded = rest.partition("+")
        typed = decode_base64(encoded)
        if not is_key_name(name) or len(typed) != 1 + ed25519.KEY_BYTES or typed[0] not in set(SignatureType):
            raise MalformedNote(f"{vkey[:100]!r} is not the key of an Ed25519 signer or cosigner.")
        key = cls(name, SignatureType(typed[0]), typed[1:])
        if key.id.hex() != key_id:
            raise MalformedNote(f"{vkey[:100]!r} has the id of another key.")
        return key


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """A signature line; a cosignature begins with its time."""

    name: str
    key_id: bytes
    signature: bytes

    @property
    def time(self) -> int:
        """The time of a cosignature, in seconds since the epoch."""
        return int.from_bytes(self.signature[:_TIME_BYTES], "big")

    def __str__(self) -> str:
        return f"{_DASH}{self.name} {b64encode(self.key_id + self.signature).decode()}\n"

    @classmethod
    def parse(cls, line: str) -> "NoteSignature":
        """Parse a line without its end. Raises MalformedNote."""
        name, _, encoded = line.removeprefix(_DASH).partition(" ")
        raw = decode_base64(encoded)
        if not line.startswith(_DASH) or not is_key_name(name) or len(raw) <= _KEY_ID_BYTES:
            raise MalformedNote("A signature line is malformed.")
        return cls(name, raw[:_KEY_ID_BYTES], raw[_KEY_ID_BYTES:])


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A text, which ends in a newline, with its signatures."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def __str__(self) -> str:
        return self.text + "\n" + "".join(map(str, self.signatures))

    @classmethod
    def parse(cls, note: str) -> "SignedNote":
        """Parse a note. Raises MalformedNote."""
        text, separator, lines = note.rpartition("\n\n")
        if not separator or not text or _CONTROL.search(note) or not lines.endswith("\n"):
            raise MalformedNote("A note is a text, an empty line and lines of signatures.")
        signatures = tuple(map(NoteSignature.parse, lines[:-1].split("\n")))
        if len(signatures) > MAX_SIGNATURES:
            raise MalformedNote(f"A note has {MAX_SIGNATURES} signatures at most.")
        return cls(text + "\n", signatures)

    def verified_by(self, keys: Iterable[NoteKey]) -> list[tuple[NoteKey, NoteSignature]]:
        """Return the signatures of these keys; others are ignored. Raises UntrustedNote.

        It is untrusted without any, and when a line names one of the keys but is not signed by it.
        """
        trusted = {(key.name, key.id): key for key in keys}
        verified: list[tuple[NoteKey, NoteSignature]] = []
        for signature in self.signatures:
            key = trusted.get((signature.name, signature.key_id))
            if key is None:
                continue
            if not _is_signature(key, signature, self.text):
                raise UntrustedNote(f"A signature of {key.name} is wrong.")
            verified.append((key, signature))
        if not verified:
            raise UntrustedNote("No trusted key signed the note.")
        return verified


@dataclass(frozen=True, slots=True)
class TreeHead:
    """What a checkpoint says: the root of the log of that origin at that size."""

    origin: str
    size: int
    root: bytes

    def __str__(self) -> str:
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"

    @classmethod
    def parse(cls, text: str) -> "TreeHead":
        """Parse a checkpoint's text; extension lines are ignored. Raises MalformedNote."""
        lines = text.removesuffix("\n").split("\n")
        if len(lines) < 3 or not all(lines) or not _SIZE.fullmatch(lines[1]) or int(lines[1]) >= 2**63:
            raise MalformedNote("A checkpoint has lines for origin, size and root.")
        raw = decode_base64(lines[2])
        if len(raw) != 32:
            raise MalformedNote("A root has 32 bytes.")
        return cls(lines[0], int(lines[1]), raw)


def sign(text: str, *, name: str, private: bytes) -> NoteSignature:
    """Sign a note's text."""
    key = NoteKey(name, SignatureType.NOTE, ed25519.public_key(private))
    return NoteSignature(name, key.id, ed25519.sign(private, text.encode()))


def cosign(text: str, *, name: str, private: bytes, time: int) -> NoteSignature:
    """Cosign a checkpoint's text at a time in seconds since the epoch."""
    key = NoteKey(name, SignatureType.COSIGNATURE, ed25519.public_key(private))
    signature = ed25519.sign(private, _cosigned_bytes(text, time))
    return NoteSignature(name, key.id, struct.pack(">Q", time) + signature)


def is_key_name(name: str) -> bool:
    """Return whether a key may have that name."""
    return bool(name) and "+" not in name and not any(each.isspace() for each in name) and not _CONTROL.search(name)


def decode_base64(text: str) -> bytes:
    """Decode standard base64 in its one canonical form. Raises MalformedNote."""
    try:
        raw = b64decode(text, validate=True)
    except ValueError:
        raw = b""
    if b64encode(raw).decode() != text:
        raise MalformedNote("A text is not base64.")
    return raw


def _is_signature(key: NoteKey, signature: NoteSignature, text: str) -> bool:
    if key.type is SignatureType.NOTE:
        return ed25519.is_signed(text.encode(), signature.signature, public=key.public)
    message, raw = _cosigned_bytes(text, signature.time), signature.signature[_TIME_BYTES:]
    return signature.time > 0 and ed25519.is_signed(message, raw, public=key.public)


def _cosigned_bytes(text: str, time: int) -> bytes:
    return f"cosignature/v1\ntime {time}\n{text}".encode()
