"""Operators' logos: checked by their headers, and drawn again from their pixels in a process of its own."""

import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from casino.kernel.errors import Invalid

MAX_BYTES: Final = 45_000  # a request has at most 64 KiB, and base64 adds a third
MAX_SIZE: Final = (1024, 512)
PATIENCE: Final = 10.0
"""Seconds that the process may take on a busy machine; its processor time is limited by itself."""
PROGRAM: Final = Path(__file__).with_name("logo_program.py")
"""It is not imported: no other process than its own loads the decoder."""
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_ONE_AT_A_TIME: Final = threading.Lock()
"""However many logos come, the memory of one is enough."""


class LogoNotAccepted(Invalid):
    title = "The logo is not accepted"
    remedy = "Send a PNG of at most 45,000 bytes, 1024 pixels wide and 512 high, as base64."


def redraw(data: bytes) -> bytes:
    """Read a PNG and write it again, so that only its pixels remain. Raises LogoNotAccepted."""
    size = _size(data)
    command = [sys.executable, "-I", str(PROGRAM)]
    try:
        with _ONE_AT_A_TIME:
            done = subprocess.run(command, input=data, capture_output=True, env={}, timeout=PATIENCE, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise LogoNotAccepted("The picture takes too long to read.") from None
    if done.returncode != 0:
        raise LogoNotAccepted("The picture is damaged.")
    if _size(done.stdout) != size:
        raise LogoNotAccepted("The picture has another size than it says.")
    return done.stdout


def _size(data: bytes) -> tuple[int, int]:
    """Return the width and height that a PNG's only header promises. Raises LogoNotAccepted."""
    if len(data) > MAX_BYTES or not data.startswith(_PNG):
        raise LogoNotAccepted
    headers = [start for kind, start in _chunks(data) if kind == b"IHDR"]
    if headers != [len(_PNG)] or len(data) < len(_PNG) + 16:
        raise LogoNotAccepted("The picture does not begin with its only header.")
    width, height = struct.unpack_from(">II", data, len(_PNG) + 8)
    if not (0 < width <= MAX_SIZE[0] and 0 < height <= MAX_SIZE[1]):
        raise LogoNotAccepted(f"The picture has {width} by {height} pixels.")
    return width, height


def _chunks(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield the type and the place of each chunk: a length, the type, the content and four bytes of a checksum."""
    start = len(_PNG)
    while start + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, start)
        yield kind, start
        start += length + 12
