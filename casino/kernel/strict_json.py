"""JSON objects as they are taken from anybody (RFC 8259, restricted to RFC 7493)."""

import json
import math
from typing import Any, Final, NoReturn


class NotStrictJson(ValueError):
    """What was read is no such object. Its sentence says why, and where."""


def decode(raw: bytes) -> dict[str, Any]:
    """Decode an object. Raises NotStrictJson.

    Refuses a key twice in one object, NaN and Infinity, and numbers beyond a double.
    """
    try:
        value = _DECODER.decode(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise NotStrictJson("The body is not UTF-8.") from None
    except json.JSONDecodeError as error:
        raise NotStrictJson(f"{error.msg} at line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise NotStrictJson("There are too many levels.") from None
    if not isinstance(value, dict):
        raise NotStrictJson("The body must be a JSON object.")
    return value


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise NotStrictJson("A key occurs twice in one object.")
    return members


def _finite_number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise NotStrictJson("A number is out of range.")
    return value


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:  # Python refuses to convert thousands of digits.
        raise NotStrictJson("A number has too many digits.") from None


def _refuse_constant(name: str) -> NoReturn:
    raise NotStrictJson(f"{name} is not JSON.")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_unique_members,
    parse_float=_finite_number,
    parse_int=_integer,
    parse_constant=_refuse_constant,
)
