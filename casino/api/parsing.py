"""Parses bodies strictly: JSON objects only (RFC 8259, restricted to the interoperable subset of RFC 7493)."""

import json
import math
from collections.abc import Mapping
from typing import IO, Any, Final, NoReturn

from django.conf import settings
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser

from casino.api.error_catalogue import BODY_TOO_LARGE, MALFORMED_JSON, RequestRejected

MAX_DEPTH: Final = 16
"""Maximum nesting of objects and lists."""


class StrictJSONParser(BaseParser):
    """Parses application/json in UTF-8 whose root is an object."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Read and parse the body. Raises RequestRejected (body_too_large, malformed_json)."""
        del parser_context
        _require_utf8(media_type or "")
        max_bytes = settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0
        raw = stream.read(max_bytes + 1)
        if len(raw) > max_bytes:
            raise RequestRejected(BODY_TOO_LARGE, f"A body may have {max_bytes} bytes.", max_bytes=max_bytes)
        return parse(raw)


def parse(raw: bytes) -> dict[str, Any]:
    """Parse one JSON object. Raises RequestRejected (malformed_json), which says what is wrong and where.

    Rejects duplicate keys, NaN and Infinity, numbers beyond a double, NUL and lone surrogates in text (no database
    column can store them), and more than DEEPEST levels.
    """
    try:
        value = _DECODER.decode(raw.decode("utf-8"))
    except UnicodeDecodeError:
        _refuse("The body is not UTF-8.")
    except json.JSONDecodeError as error:
        _refuse(f"{error.msg} at line {error.lineno}, column {error.colno}.")
    except RecursionError:
        _refuse(f"More than {MAX_DEPTH} levels.")
    except ValueError:
        # Python refuses to convert thousands of digits.
        _refuse("A number has too many digits.")
    if not isinstance(value, dict):
        _refuse("The body must be a JSON object.")
    if raw.count(b"{") + raw.count(b"[") > MAX_DEPTH or b"\\u" in raw:
        _inspect(value)
    return value


def _require_utf8(media_type: str) -> None:
    for parameter in media_type.split(";")[1:]:
        name, _, value = parameter.strip().partition("=")
        if name.lower() == "charset" and value.strip('"').lower() not in {"utf-8", "utf8"}:
            raise UnsupportedMediaType(media_type)


def _inspect(value: object) -> None:
    level: list[object] = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[object] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item)
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
            elif isinstance(item, str):
                _require_storable(item)
        if not inner:
            return
        level = inner
    _refuse(f"More than {MAX_DEPTH} levels.")


def _require_storable(text: str) -> None:
    if "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text):
        _refuse("Text may hold neither NUL nor half of a surrogate pair.")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        _refuse("A key is twice in one object.")
    return members


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        _refuse("A number is out of range.")
    return value


def _constant(name: str) -> NoReturn:
    _refuse(f"{name} is not JSON.")


def _refuse(detail: str) -> NoReturn:
    raise RequestRejected(MALFORMED_JSON, detail) from None


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_pairs, parse_float=_number, parse_constant=_constant)
