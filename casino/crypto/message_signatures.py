"""Signatures of HTTP messages by RFC 9421: one to a message, by Ed25519, of components without parameters.

Nearly everybody writes this form. No other is taken, so that nobody has to wonder what a signature covers.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

ALGORITHM: Final = "ed25519"
CONTENT_DIGEST: Final = "content-digest"
_LABEL: Final = r"([a-z*][a-z0-9_.*-]*)"
_NUMBER: Final = r"0|[1-9][0-9]{0,14}"
_TEXT: Final = r'"[ !#-\[\]-~]*"'
_INPUT: Final = re.compile(
    rf'{_LABEL}=(\(("[@a-z0-9-]+"(?: "[@a-z0-9-]+")*)\)'
    rf"((?:;(?:created|expires)=(?:{_NUMBER})|;(?:keyid|alg|nonce|tag)={_TEXT})+))"
)
_PARAMETER: Final = re.compile(rf";([a-z]+)=(?:({_NUMBER})|({_TEXT}))")
_SIGNATURE: Final = re.compile(rf"{_LABEL}=:([A-Za-z0-9+/]+={{0,2}}):")


def content_digest(body: bytes) -> str:
    """Return the header by RFC 9530 of a body."""
    return f"sha-256=:{b64encode(sha256(body).digest()).decode()}:"


@dataclass(frozen=True, slots=True)
class MessageSignature:
    """The only signature of a message: what it covers, its parameters, as they are and as text, and its bytes."""

    components: tuple[str, ...]
    parameters: Mapping[str, int | str]
    text: str
    signature: bytes

    @classmethod
    def read(cls, signature_input: str, signature: str) -> Self | None:
        """Read the two headers; None for any other form, and for what is no signature at all."""
        given, signed = _INPUT.fullmatch(signature_input), _SIGNATURE.fullmatch(signature)
        if given is None or signed is None or given[1] != signed[1]:
            return None
        components = tuple(given[3].replace('"', "").split(" "))
        found = _PARAMETER.findall(given[4])
        parameters = {name: int(number) if number else text[1:-1] for name, number, text in found}
        if len(set(components)) != len(components) or len(parameters) != len(found):
            return None
        try:
            return cls(components, parameters, given[2], b64decode(signed[2], validate=True))
        except ValueError:
            return None

    def is_of(self, values: Mapping[str, str], body: bytes, *, key: Ed25519PublicKey) -> bool:
        """Return whether it was made with a key, of these components' values and the whole body."""
        if not all(name in values for name in self.components) or CONTENT_DIGEST not in self.components:
            return False
        if values[CONTENT_DIGEST] != content_digest(body) or self.parameters.get("alg", ALGORITHM) != ALGORITHM:
            return False
        lines = [f'"{name}": {values[name]}' for name in self.components]
        try:
            key.verify(self.signature, "\n".join([*lines, f'"@signature-params": {self.text}']).encode())
        except InvalidSignature:
            return False
        return True
