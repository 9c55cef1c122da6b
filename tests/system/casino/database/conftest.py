"""The fixture of `tests/casino/database/test_unavailable.py`."""

from tests.casino.database.test_unavailable import short_timeouts

__all__ = ["short_timeouts"]
