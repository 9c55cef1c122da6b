"""Identifiers that sort by creation time (RFC 9562, version 7). The pure core receives them as arguments."""

import os
from datetime import datetime
from uuid import UUID


def uuid7(*, milliseconds: int, entropy: bytes) -> UUID:
    """Build a version-7 UUID from a Unix time in milliseconds and ten random bytes."""
    value = (milliseconds & 0xFFFFFFFFFFFF) << 80 | int.from_bytes(entropy[:10], "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return UUID(int=value)


def new_id(now: datetime) -> UUID:
    """Make a fresh version-7 UUID of a moment by the database's clock: lists and cursors are ordered by ids."""
    return uuid7(milliseconds=_milliseconds(now), entropy=os.urandom(10))


def first_id(moment: datetime) -> UUID:
    """Return the lowest id of a moment's millisecond: a period of a list is a range of ids."""
    return uuid7(milliseconds=_milliseconds(moment), entropy=bytes(10))


def last_id(moment: datetime) -> UUID:
    """Return the highest id of a moment's millisecond."""
    return uuid7(milliseconds=_milliseconds(moment), entropy=b"\xff" * 10)


def _milliseconds(moment: datetime) -> int:
    return max(0, int(moment.timestamp() * 1000))
