"""A program that reads a PNG and writes its pixels as a new one, with little memory and time.

It runs alone, without the service's settings: whatever a damaged picture does to the decoder ends with this process.
"""

import resource
import sys
from typing import Final

from PIL import Image

MEMORY: Final = 256 << 20
"""Bytes of addresses."""
SECONDS: Final = 3
"""Of processor time."""


def main() -> None:
    """Redraw standard input to standard output. Raises whatever the decoder does."""
    for limit, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(limit, (most, most))
    with Image.open(sys.stdin.buffer, formats=["PNG"]) as picture:
        pixels = picture.convert("RGBA")
    Image.frombytes("RGBA", pixels.size, pixels.tobytes()).save(sys.stdout.buffer, "PNG", optimize=True)


if __name__ == "__main__":
    main()
