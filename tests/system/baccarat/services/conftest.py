"""The fixtures of `tests/baccarat/services`."""

from tests.baccarat.services.conftest import house, module_database

__all__ = ["house", "module_database"]
