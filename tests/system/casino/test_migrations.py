"""Each app has one initial migration: it can be undone and made again."""

from django.core.management import call_command

from tests.conftest import Database, as_owner

MADE = """
    SELECT 'column', table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'
    UNION SELECT 'index', indexname FROM pg_indexes WHERE schemaname = 'public'
    UNION SELECT 'constraint', conrelid::regclass || '.' || conname FROM pg_constraint WHERE conrelid <> 0
    UNION SELECT 'trigger', tgrelid::regclass || '.' || tgname FROM pg_trigger WHERE NOT tgisinternal
    UNION SELECT 'function', oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
"""


def migrate(database: Database, *words: str) -> None:
    with as_owner(database.owner_url):
        call_command("migrate", *words, skip_checks=True, verbosity=0)


def test_all_migrations_can_be_reversed_and_applied_again(database: Database) -> None:
    with database.owner() as owner:
        before = set(owner.execute(MADE))
        migrate(database, "events", "zero")
        left = {name.partition(".")[0] for kind, name in owner.execute(MADE) if kind == "column"}
        assert {table for table in left if not table.startswith("axes_")} == {"django_migrations"}
        migrate(database)
        assert set(owner.execute(MADE)) == before
