"""Canonical JSON by RFC 8785 (JSON Canonicalization Scheme), for the subset that events use.

The subset: objects with ASCII names, arrays, strings, booleans, null, and integers within plus or minus 2**53. There
are no floats, so RFC 8785's number formatting does not matter, and ASCII names sort the same as bytes and as UTF-16.
"""

import functools
from typing import Final

import msgspec

MAX_INTEGER: Final = 2**53

_encode: Final = msgspec.json.Encoder(order="sorted").encode
_decode: Final = msgspec.json.Decoder().decode


class NotCanonical(ValueError):
    """A value without a canonical form; the message says why."""


def canonical(value: object) -> bytes:
    """Return a plain JSON value as canonical UTF-8 bytes.

    Takes dicts, lists, tuples, str, int, bool and None. Raises NotCanonical for floats, integers beyond 2**53,
    names that are not ASCII strings, NUL and lone surrogates (PostgreSQL stores neither), and any other type.
    """
    _validate(value)
    return _encode(value)


def recanonical(text: str | bytes) -> bytes:
    """Return any JSON text, such as a stored one that may have been tampered with, as canonical bytes.

    Values are not validated: an integer that was changed into a float stays one, so its digest differs.
    Raises msgspec.DecodeError when `text` is not JSON.
    """
    return _encode(_decode(text))


recanonicalize_cached: Final = functools.lru_cache(maxsize=256)(recanonical)
"""`recanonical` with a cache, for repeated texts such as the metadata that events of one command share."""


def _validate(value: object) -> None:
    match value:
        case None | bool():
            return
        case str():
            _validate_text(value)
        case int():
            if not -MAX_INTEGER <= value <= MAX_INTEGER:
                raise NotCanonical(f"{value} is beyond 2**53.")
        case dict():
            for name, inner in value.items():
                _validate_name(name)
                _validate(inner)
        case list() | tuple():
            for inner in value:
                _validate(inner)
        case _:
            raise NotCanonical(f"{type(value).__name__} has no canonical form.")


def _validate_name(name: object) -> None:
    if not (isinstance(name, str) and name.isascii()):
        raise NotCanonical(f"The name {name!r} is not an ASCII string.")
    _validate_text(name)


def _validate_text(text: str) -> None:
    if "\x00" in text:
        raise NotCanonical("A string holds NUL.")
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise NotCanonical("A string holds a lone surrogate.")
