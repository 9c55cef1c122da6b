"""One text for one value: JSON as RFC 8785 (JSON Canonicalization Scheme) writes it, for the subset that events use.

The subset: objects with ASCII names, arrays, strings, booleans, null, and integers within plus or minus 2**53. There
are no floats, so RFC 8785's number formatting never matters, and ASCII names sort alike as bytes and as UTF-16.
"""

import functools
from typing import Final

import msgspec

MAX_INTEGER: Final = 2**53

_encode: Final = msgspec.json.Encoder(order="sorted").encode
_decode: Final = msgspec.json.Decoder().decode


class NotCanonical(ValueError):
    """A value that has no canonical form here; the message says which and why."""


def canonical(value: object) -> bytes:
    """Write a plain JSON value as canonical UTF-8 bytes.

    Takes dicts, lists, tuples, str, int, bool and None. Raises NotCanonical for floats, integers beyond 2**53,
    names that are not ASCII strings, NUL and lone surrogates (PostgreSQL stores neither), and any other type.
    """
    _judge(value)
    return _encode(value)


def recanonical(text: str | bytes) -> bytes:
    """Rewrite any JSON text, such as PostgreSQL prints for a jsonb, as canonical bytes.

    It judges nothing: a number that was changed into a float stays one and so differs from what was sealed.
    Raises msgspec.DecodeError when `text` is not JSON.
    """
    return _encode(_decode(text))


recanonicalize_cached: Final = functools.lru_cache(maxsize=256)(recanonical)
"""`recanonical` for texts that come again and again, such as the metadata that events of one command share."""


def _judge(value: object) -> None:
    match value:
        case None | bool():
            return
        case str():
            _judge_text(value)
        case int():
            if not -MAX_INTEGER <= value <= MAX_INTEGER:
                raise NotCanonical(f"{value} is beyond 2**53.")
        case dict():
            for name, inner in value.items():
                _judge_name(name)
                _judge(inner)
        case list() | tuple():
            for inner in value:
                _judge(inner)
        case _:
            raise NotCanonical(f"{type(value).__name__} has no canonical form.")


def _judge_name(name: object) -> None:
    if not (isinstance(name, str) and name.isascii()):
        raise NotCanonical(f"The name {name!r} is not an ASCII string.")
    _judge_text(name)


def _judge_text(text: str) -> None:
    if "\x00" in text:
        raise NotCanonical("A string holds NUL.")
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise NotCanonical("A string holds a lone surrogate.")
