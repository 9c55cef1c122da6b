"""The whole schema is what migrations make; what is missing, another or there beside it is found and named."""

from unittest.mock import patch

import pytest
from django.core.management import call_command

from casino.events import schema, store
from casino.events.immutability import app_role
from casino.events.schema import CHANGED, DIFFERS, MISSING, UNEXPECTED, UNFINISHED
from tests.conftest import Database, as_owner
from tests.support import frozen

EVENTS = "table events_event"
DONE = {
    (MISSING, f"{EVENTS}, constraint events_event_stream_version"):
        "ALTER TABLE events_event DROP CONSTRAINT events_event_stream_version",
    (MISSING, "table wallet_balance, constraint wallet_balance_never_negative"):
        "ALTER TABLE wallet_balance DROP CONSTRAINT wallet_balance_never_negative",
    (MISSING, "table baccarat_wager, index wager_round"): "DROP INDEX wager_round",
    (MISSING, "table auth_user, trigger staff_note_change"): "DROP TRIGGER staff_note_change ON auth_user",
    (MISSING, "table auth_user, column first_name"): "ALTER TABLE auth_user DROP COLUMN first_name",
    (DIFFERS, f"{EVENTS}, column recorded_at"): "ALTER TABLE events_event ALTER recorded_at SET DEFAULT now()",
    (DIFFERS, f"{EVENTS}, trigger events_event_refuses"):
        "ALTER TABLE events_event DISABLE TRIGGER events_event_refuses",
    (DIFFERS, "table events_seal, trigger events_seal_keeps_rows"):
        "ALTER TABLE events_seal ENABLE TRIGGER events_seal_keeps_rows",
    (DIFFERS, "function events_record_digest(), kind"): "ALTER FUNCTION events_record_digest() SECURITY DEFINER",
    (DIFFERS, f"{EVENTS}, grant {{app}}"): "GRANT UPDATE ON events_event TO {role}",
    (DIFFERS, "table events_seal, grant {app}"): "GRANT UPDATE (digest) ON events_seal TO {role}",
    (DIFFERS, "schema public, grant {app}"): "GRANT CREATE ON SCHEMA public TO {role}",
    (DIFFERS, "default privileges of {owner} in public, grant {app}"):
        "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT TRUNCATE ON TABLES TO {role}",
    (UNEXPECTED, "role {app}"): None,  # it may create in public, as above
    (UNEXPECTED, "function events_refuse_change(circle)"):
        "CREATE FUNCTION events_refuse_change(circle) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
    (UNEXPECTED, f"{EVENTS}, trigger quiet"):
        "CREATE TRIGGER quiet BEFORE INSERT ON events_event FOR EACH ROW EXECUTE FUNCTION staff_note_change()",
    (UNEXPECTED, "table baccarat_round, row security"): "ALTER TABLE baccarat_round ENABLE ROW LEVEL SECURITY",
    (UNEXPECTED, "table baccarat_round, policy all_of_it"): "CREATE POLICY all_of_it ON baccarat_round",
    (UNEXPECTED, "table wallet_posting, rule hide"):
        "CREATE RULE hide AS ON INSERT TO wallet_posting DO INSTEAD NOTHING",
    (UNEXPECTED, "table wallet_entry, index extra"): "CREATE INDEX extra ON wallet_entry (kind)",
    (UNEXPECTED, "table mine"): "CREATE TABLE mine (id integer)",
    (UNEXPECTED, "view theirs"): "CREATE VIEW theirs AS SELECT id FROM auth_user",
    (UNEXPECTED, "type colour"): "CREATE TYPE colour AS ENUM ('red')",
    (UNEXPECTED, "sequence numbers"): "CREATE SEQUENCE numbers",
    (UNEXPECTED, "operator public.=(pg_catalog.text,pg_catalog.text)"):
        "CREATE OPERATOR public.= (FUNCTION = starts_with, LEFTARG = text, RIGHTARG = text)",
    (DIFFERS, "function events_refuse_change(), body"):
        "CREATE OR REPLACE FUNCTION events_refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END'",
    (CHANGED, "role casino_app, settings in the database"):
        "ALTER ROLE {role} IN DATABASE {database} SET search_path = mine, public",
    (CHANGED, "permissions, wallet.approve_adjustment"):
        "UPDATE auth_permission SET codename = 'another' WHERE codename = 'approve_adjustment'",
    (CHANGED, "permissions, wallet.another"): None,  # as above
    (CHANGED, "publication news"): "CREATE PUBLICATION news FOR TABLE auth_user",
    (CHANGED, "schema mine"): "CREATE SCHEMA mine",
    (CHANGED, "who may only read"): "GRANT SELECT ON auth_user TO PUBLIC",
}  # fmt: skip
"""What an owner did, by the finding and its place."""


def found() -> list[tuple[str, str]]:
    return [(finding.kind, finding.location) for finding in schema.check().findings]


def record(database: Database) -> None:
    """Record the schema as `migrate` does at its end."""
    with as_owner(database.owner_url):
        schema.record()


def test_migrations_make_what_is_described(db: None) -> None:
    file = schema.folder_of_descriptions() / f"{schema.major_version()}.txt"
    made = schema.serialize(schema.read().objects)
    if frozen.FREEZES:
        file.write_text(made, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == made, "tests/README.md says how it is written"
    assert schema.serialize(schema.parse(made)) == made
    checked = schema.check()
    assert checked.findings == []
    assert checked.not_compared == (f"the schema: {schema.NEVER_RECORDED}",)


def test_whatever_an_owner_changed_is_named(database: Database) -> None:
    record(database)
    assert schema.check() == ([], ())
    name = database.url.rpartition("/")[2].partition("?")[0]
    with database.owner() as owner:
        for statement in DONE.values():
            if statement is not None:
                owner.execute(statement.format(role=app_role(), database=name))
    assert sorted(found()) == sorted(DONE)


def test_what_a_newer_release_recorded_is_allowed_while_it_is_so(database: Database) -> None:
    with database.owner() as owner:
        owner.execute("CREATE TABLE later (id integer)")
        owner.execute("ALTER TABLE auth_group ADD COLUMN later integer")
    assert found() == [(UNEXPECTED, "table auth_group, column later"), (UNEXPECTED, "table later")]
    with patch.object(schema, "release", lambda: "newer"):
        record(database)
    assert found() == []
    with database.owner() as owner:
        owner.execute("ALTER TABLE later ADD COLUMN more integer")
        owner.execute("ALTER TABLE auth_group DROP COLUMN later")
    assert found() == [(CHANGED, "table auth_group"), (CHANGED, "table later")]


def test_under_an_unknown_version_of_postgresql_the_record_is_compared_and_the_report_says_so(
    database: Database,
) -> None:
    record(database)
    with patch.object(schema, "description", lambda _major: None):
        (note,) = schema.check().not_compared
        assert note.startswith("the schema: what this release makes under this version")
        with database.owner() as owner:
            owner.execute("DROP INDEX wager_round")
        assert found() == [(CHANGED, "table baccarat_wager")]


def test_a_migration_that_does_not_end_is_found(database: Database) -> None:
    with database.owner() as owner:
        owner.execute("DELETE FROM django_migrations WHERE app = 'mail'")
    with pytest.raises(Exception, match="already exists"), as_owner(database.owner_url):
        call_command("migrate", skip_checks=True, verbosity=0)
    assert found() == [(UNFINISHED, "schema")]
    assert schema.Readiness()() == "ok"
    record(database)
    record(database)
    assert found() == []
    kinds = [event.type for event in store.read(schema.STREAM)]
    assert kinds == ["SchemaChanging", "SchemaRecorded"]


def test_a_plan_records_nothing(database: Database) -> None:
    with as_owner(database.owner_url):
        call_command("migrate", plan=True, skip_checks=True, verbosity=0)
    assert store.read(schema.STREAM) == []


def test_a_process_is_ready_with_more_than_it_needs_but_not_with_less(database: Database) -> None:
    with database.owner() as owner:
        owner.execute("CREATE INDEX mine ON wallet_entry (kind)")
        assert schema.Readiness()() == "ok"
        readiness = schema.Readiness()
        assert readiness() == "ok"
        owner.execute("ALTER TABLE events_event DROP CONSTRAINT events_event_stream_version")
        assert readiness() == "ok"
        with patch.object(schema, "CHECK_AFTER", 0.0):
            readiness = schema.Readiness()
        assert readiness() == "differs from the migrations"
