"""The database of a module, as in `make test`."""

from tests.baccarat.api.conftest import module_database

__all__ = ["module_database"]
