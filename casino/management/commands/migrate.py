"""`manage.py migrate`: Django's, between two events that say which schema there was to be."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from casino.events import schema


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, and record the schema. Raises CommandError as Django's command does."""
        only_shows = options["plan"] or options["check_unapplied"]
        if not only_shows and _is_behind():
            schema.begin()
        super().handle(*args, **options)
        if not only_shows:
            schema.record()


def _is_behind() -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
