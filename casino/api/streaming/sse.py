"""The bytes of `text/event-stream` (WHATWG HTML, section 9.2: server-sent events)."""

from typing import Any, Final

import msgspec

MEDIA_TYPE: Final = "text/event-stream"
HEADERS: Final = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
"""Nobody on the way may hold the stream back to pack or to keep it."""

RETRY: Final = b"retry: 1000\n\n"
"""Browsers come back after so many milliseconds."""

_encode: Final = msgspec.json.Encoder().encode


def message(event: str, data: Any, *, position: int | None = None) -> bytes:
    """Write one message; `data` is anything that msgspec writes as JSON, `position` becomes its id."""
    id_ = b"" if position is None else b"id: %d\n" % position
    return b"%sevent: %s\ndata: %s\n\n" % (id_, event.encode(), _encode(data))


def keep_alive(position: int) -> bytes:
    """Write a comment, with the id of all that was looked at: who comes back asks from there on.

    A block without data is dispatched to nobody, yet its id counts.
    """
    return b": still here\nid: %d\n\n" % position
