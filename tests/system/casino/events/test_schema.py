"""What an administrator of PostgreSQL can do to a database, its roles and its settings is found and named."""

import psycopg
from pytest_django import DjangoDbBlocker

from casino.devstack.home import temporary_home
from casino.devstack.postgres import Postgres
from casino.devstack.services import Addresses, migrate
from casino.events import schema
from casino.events.schema import CHANGED, UNEXPECTED
from tests.conftest import pointed_at
from tests.services import environment

KEYS_OFF = """
    DO $$ BEGIN EXECUTE (
        SELECT string_agg(format('ALTER TABLE public.wallet_posting DISABLE TRIGGER %I', tgname), '; ')
          FROM pg_trigger WHERE tgrelid = 'public.wallet_posting'::regclass AND tgisinternal
    ); END $$
"""
DONE = {
    (CHANGED, "event trigger noisy"): (
        "CREATE FUNCTION mine.noise() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'",
        "CREATE EVENT TRIGGER noisy ON ddl_command_end EXECUTE FUNCTION mine.noise()",
    ),
    (CHANGED, "schema mine"): (),  # made before
    (CHANGED, "role casino_app, settings"): ("ALTER ROLE casino_app SET session_replication_role = replica",),
    (CHANGED, "role casino_owner, superuser"): ("ALTER ROLE casino_owner SUPERUSER",),
    (CHANGED, "role another"): ("CREATE ROLE another SUPERUSER",),
    (CHANGED, "role reader"): ("CREATE ROLE reader IN ROLE casino_app",),
    (CHANGED, "database, settings"): ("ALTER DATABASE casino SET search_path = mine",),
    (CHANGED, "database, grant reader"): ("GRANT CREATE ON DATABASE casino TO reader",),
    (CHANGED, "extension plpgsql, function public.helper()"): (
        "CREATE FUNCTION public.helper() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
        "ALTER EXTENSION plpgsql ADD FUNCTION public.helper()",
    ),
    (UNEXPECTED, "role {app}"): ("ALTER ROLE casino_app BYPASSRLS",),
    (CHANGED, "role casino_app, bypassrls"): (),
    (UNEXPECTED, "table wallet_posting, constraint wallet_posting_entry_id_fkey by trigger"): (KEYS_OFF,),
}
"""Statements, by the finding and its place."""


def test_what_an_administrator_changed_is_named(django_db_blocker: DjangoDbBlocker) -> None:
    with temporary_home() as home:
        postgres = Postgres(home)
        postgres.start()
        try:
            migrate(environment(Addresses(url=postgres.url, owner_url=postgres.owner_url, redis_url="redis://")))
            address = postgres.superuser_url.replace("/postgres?", "/casino?")
            with django_db_blocker.unblock(), pointed_at(postgres.url):
                assert schema.check() == ([], ())
                with psycopg.connect(address, autocommit=True) as superuser:
                    superuser.execute("CREATE SCHEMA mine")
                    for statement in (each for statements in DONE.values() for each in statements):
                        superuser.execute(statement)
                found = [(finding.kind, finding.location) for finding in schema.check().findings]
                assert sorted(found) == sorted(DONE)
        finally:
            postgres.stop()
