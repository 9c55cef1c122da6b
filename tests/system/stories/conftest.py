"""The database of the quick stories."""

from tests.stories.conftest import module_database

__all__ = ["module_database"]
