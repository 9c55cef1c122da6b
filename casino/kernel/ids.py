"""Identifiers that sort by the time they were made (RFC 9562, version 7)."""

from uuid import UUID


def uuid7(*, milliseconds: int, entropy: bytes) -> UUID:
    """Build a version-7 UUID from a Unix time in milliseconds and ten random bytes."""
    value = (milliseconds & 0xFFFFFFFFFFFF) << 80 | int.from_bytes(entropy[:10], "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return UUID(int=value)
