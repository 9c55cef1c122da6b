"""One database and one web server for each module; its tests make operators, tables and players of their own."""

from tests.support.served import golden, lucky, module_database, web

__all__ = ["golden", "lucky", "module_database", "web"]
