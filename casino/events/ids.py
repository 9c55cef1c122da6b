"""New identifiers, from the system's clock and its source of randomness: for the shell, never for the core."""

import os
import time
from uuid import UUID

from casino.kernel.ids import uuid7


def new_id() -> UUID:
    """Make a fresh version-7 UUID."""
    return uuid7(milliseconds=time.time_ns() // 1_000_000, entropy=os.urandom(10))
