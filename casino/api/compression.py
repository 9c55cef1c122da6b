"""Compression of stored responses by dictionaries: texts that resemble them, which are not stored with each.

A response alone shrinks by half. By a dictionary, only what is its own is left: ids, times, amounts.
"""

import zlib
from typing import Final

_LEVEL: Final = 6
_RAW_8_KB: Final = -13
"""Deflate without header and checksum, as the encryption has its own, and with a small window, which costs less.

Filtered, it makes nothing of short repetitions, which digits of digests and ids have by chance.
"""
_dictionaries: Final = [b""]


def register_dictionary(text: bytes) -> None:
    """Compress by `text` from now on.

    A response names its dictionary by its place: keep each, unchanged and in this order, as long as responses are kept.
    """
    _dictionaries.append(text)


def compress(response: bytes) -> bytes:
    """Compress by the newest dictionary; the first byte is its place."""
    place = len(_dictionaries) - 1
    compressor = zlib.compressobj(_LEVEL, wbits=_RAW_8_KB, strategy=zlib.Z_FILTERED, zdict=_dictionaries[place])
    return bytes([place]) + compressor.compress(response) + compressor.flush()


def decompress(compressed: bytes) -> bytes:
    """Undo `compress`."""
    return zlib.decompressobj(wbits=_RAW_8_KB, zdict=_dictionaries[compressed[0]]).decompress(compressed[1:])
