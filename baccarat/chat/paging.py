"""Pages of what has version-7 ids, newest first."""

from typing import Any
from uuid import UUID

from rest_framework.request import Request

from casino.api import paging
from casino.api.error_catalogue import INVALID_CURSOR, RequestRejected


def page_after(request: Request) -> tuple[paging.PageRequest, UUID | None]:
    """Read which page is asked for, and the id that it comes after. Raises Rejected."""
    page = paging.parse_page_request(request, str)
    if page.after is None:
        return page, None
    try:
        return page, UUID(page.after[0])
    except ValueError:
        raise RequestRejected(INVALID_CURSOR) from None


def answer(page: paging.PageRequest, found: list[dict[str, Any]]) -> dict[str, Any]:
    """Shape lines with an id for an answer."""
    return paging.present_page(page, found, key=lambda line: (str(line["id"]),), item=lambda line: line)
