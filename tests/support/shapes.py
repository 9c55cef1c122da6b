"""Response types as a client reads them."""

from typing import Any

import msgspec


def as_json(response: object) -> Any:
    """Return a response as it is after a trip through JSON."""
    return msgspec.json.decode(msgspec.json.encode(response))
