"""Keyset paging: a page continues after the key of the last row, whatever rows were inserted since.

A cursor knows its list and filters, and continues no other.
"""

import base64
import binascii
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from casino.api.error_catalogue import INVALID_CURSOR, INVALID_LIMIT, RequestRejected

DEFAULT: Final = 50
MAX_LIMIT: Final = 500
PARAMETERS: Final = [
    OpenApiParameter(
        "cursor", {"type": "string", "pattern": "^[A-Za-z0-9_-]+$"}, description="The `next` of the previous page."
    ),
    OpenApiParameter(
        "limit",
        {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
        description=f"Maximum items; {DEFAULT} by default.",
    ),
]
Row = TypeVar("Row")
PageT = TypeVar("PageT")


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The requested page: at most `limit` rows of a list, those after the key `after` (None: from the start)."""

    limit: int
    after: tuple[Any, ...] | None
    listing: str

    @property
    def fetch_limit(self) -> int:
        """One more row than the page, to detect whether there is a next page."""
        return self.limit + 1


def parse_page_request(request: Request, *keys: type) -> PageRequest:
    """Read `cursor` and `limit` from the query; `keys` are the types (int or str) of the key's columns.

    Raises RequestRejected (invalid_cursor, invalid_limit).
    """
    limit = request.query_params.get("limit", str(DEFAULT))
    if not (limit.isascii() and limit.isdigit() and len(limit) <= 3 and 1 <= int(limit) <= MAX_LIMIT):
        raise RequestRejected(INVALID_LIMIT)
    cursor, listing = request.query_params.get("cursor"), _digest(request)
    return PageRequest(int(limit), None if cursor is None else _decode(cursor, listing, keys), listing)


def page(
    page_type: Callable[..., PageT],
    page_request: PageRequest,
    rows: Sequence[Row],
    *,
    key: Callable[[Row], tuple[Any, ...]],
    item: Callable[[Row], Any],
    **fields: Any,
) -> PageT:
    """Return up to `limit` of the fetched rows as a page of this type, with its further `fields`."""
    rows_of_page = rows[: page_request.limit]
    next_cursor = _encode(page_request.listing, key(rows_of_page[-1])) if len(rows) > page_request.limit else None
    return page_type(items=tuple(item(row) for row in rows_of_page), next=next_cursor, **fields)


def parse_uuid(text: str) -> UUID:
    """Parse an id in a cursor. Raises RequestRejected (invalid_cursor)."""
    try:
        return UUID(text)
    except ValueError:
        raise RequestRejected(INVALID_CURSOR) from None


def _digest(request: Request) -> str:
    """Return a short digest of the list and its filters."""
    filters = sorted((name, text) for name, text in request.query_params.items() if name not in {"cursor", "limit"})
    return hashlib.sha256(msgspec.json.encode([request.path, filters])).hexdigest()[:8]


def _encode(listing: str, key: tuple[Any, ...]) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode([listing, *key])).rstrip(b"=").decode("ascii")


def _decode(cursor: str, listing: str, keys: tuple[type, ...]) -> tuple[Any, ...]:
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        given, *key = msgspec.json.decode(raw, type=list[int | str])
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        raise RequestRejected(INVALID_CURSOR) from None
    if given != listing or tuple(type(part) for part in key) != keys or not all(map(_fits, key)):
        raise RequestRejected(INVALID_CURSOR)
    return tuple(key)


def _fits(part: int | str) -> bool:
    return -(2**63) <= part < 2**63 if isinstance(part, int) else "\x00" not in part
