"""Encodes `text/event-stream` (WHATWG HTML, section 9.2: server-sent events)."""

from typing import Any, Final

import msgspec

MEDIA_TYPE: Final = "text/event-stream"
HEADERS: Final = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
"""Keeps proxies from compressing, buffering or caching the stream."""

RETRY: Final = b"retry: 1000\n\n"
"""Milliseconds before a browser reconnects."""

_encode: Final = msgspec.json.Encoder().encode


def message(event: str, data: Any, *, position: int | None = None) -> bytes:
    """Encode one message; `data` is anything that msgspec encodes as JSON, `position` becomes its id."""
    id_ = b"" if position is None else b"id: %d\n" % position
    return b"%sevent: %s\ndata: %s\n\n" % (id_, event.encode(), _encode(data))


def keep_alive(position: int) -> bytes:
    """Encode a comment with the id of the last position read, where a client resumes.

    Browsers dispatch no event for a block without data, but keep its id.
    """
    return b": still here\nid: %d\n\n" % position
