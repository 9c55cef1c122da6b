"""The API's JSON: bodies are parsed strictly (RFC 8259, restricted to RFC 7493), responses are msgspec structs."""

from collections.abc import Mapping
from typing import IO, Any, Final, NoReturn

import msgspec
from django.conf import settings
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer

from casino.api.error_catalogue import BODY_TOO_LARGE, MALFORMED_JSON, RequestRejected
from casino.kernel import strict_json

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


class ShapeRenderer(JSONRenderer):
    """Renders structs, and plain values around them, with msgspec."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        """Return JSON in UTF-8, or an empty body for None."""
        del accepted_media_type, renderer_context
        return b"" if data is None else msgspec.json.encode(data, enc_hook=str)


def parse(raw: bytes) -> dict[str, Any]:
    """Parse one JSON object. Raises RequestRejected (malformed_json) with the reason and its place.

    Rejects what is not strict JSON, NUL and lone surrogates in text (no database column can store them), and more than
    MAX_DEPTH levels.
    """
    try:
        value = strict_json.decode(raw)
    except strict_json.NotStrictJson as error:
        _reject(str(error))
    if raw.count(b"{") + raw.count(b"[") > MAX_DEPTH or b"\\u" in raw:
        _check_values(value)
    return value


def _require_utf8(media_type: str) -> None:
    for parameter in media_type.split(";")[1:]:
        name, _, value = parameter.strip().partition("=")
        if name.lower() == "charset" and value.strip('"').lower() not in {"utf-8", "utf8"}:
            raise UnsupportedMediaType(media_type)


def _check_values(value: object) -> None:
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
    _reject(f"More than {MAX_DEPTH} levels.")


def _require_storable(text: str) -> None:
    if "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text):
        _reject("Text may hold neither NUL nor half of a surrogate pair.")


def _reject(detail: str) -> NoReturn:
    raise RequestRejected(MALFORMED_JSON, detail) from None
