from django.core.management.base import BaseCommand

from casino.events import schema


class Command(BaseCommand):
    """Print what migrations made here. For a new major version of PostgreSQL, of a database that has just migrated."""

    help = "Print the schema, as the description of it for this major version of PostgreSQL."
    requires_system_checks = ()

    def handle(self, **_: object) -> None:
        self.stdout.write(schema.serialize(schema.read().objects), ending="")
