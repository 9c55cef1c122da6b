"""Triggers, functions and privileges are what migrations made; whatever else an owner leaves behind is found."""

from casino.events import guards
from casino.events.immutability import append_only
from tests.conftest import Database

LEFT = {
    "trigger events_event_refuses": "ALTER TABLE events_event DISABLE TRIGGER events_event_refuses",
    "trigger events_seal_keeps_rows": "ALTER TABLE events_seal ENABLE TRIGGER events_seal_keeps_rows",
    "trigger staff_note_change": "DROP TRIGGER staff_note_change ON auth_user",
    "trigger quiet": "CREATE TRIGGER quiet BEFORE INSERT ON events_event FOR EACH ROW "
    "EXECUTE FUNCTION staff_note_change()",
    "function events_refuse_change": "CREATE OR REPLACE FUNCTION events_refuse_change() RETURNS trigger "
    "LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    "function events_record_digest": "ALTER FUNCTION events_record_digest() SECURITY DEFINER",
    "function mine": "CREATE FUNCTION mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "role casino_app": "GRANT CREATE ON SCHEMA public TO {role}",
    "privileges of casino_app in events_event": "GRANT UPDATE ON events_event TO {role}",
    "privileges of casino_app in events_seal": "GRANT UPDATE (digest) ON events_seal TO {role}",
    "privileges of PUBLIC in auth_user": "GRANT INSERT ON auth_user TO PUBLIC",
    "rule hide on wallet_posting": "CREATE RULE hide AS ON INSERT TO wallet_posting DO INSTEAD NOTHING",
    "row security on baccarat_round": "ALTER TABLE baccarat_round ENABLE ROW LEVEL SECURITY",
}


def test_what_migrations_made_is_found_as_they_made_it(db: None) -> None:
    assert guards.check() == []


def test_a_table_of_a_later_release_is_not_judged(database: Database) -> None:
    with database.owner() as owner:
        owner.execute("CREATE TABLE later_chip (id integer)")
        for statement in append_only("later_chip"):
            owner.execute(statement)
    assert guards.check() == []


def test_migrations_name_what_is_guarded() -> None:
    statements = guards.migration_sql()
    assert len(guards._TRIGGER.findall(statements)) > 70
    assert len(guards._FUNCTION.findall(statements)) > 10
    assert guards._privileges(statements)["events_unsealed"] == {"SELECT", "INSERT", "DELETE"}


def test_a_table_that_the_application_owns_is_named(database: Database) -> None:
    role = guards.app_role()
    with database.owner() as owner:
        owner.execute(f"GRANT CREATE ON SCHEMA public TO {role}")
        owner.execute(f"ALTER TABLE axes_accesslog OWNER TO {role}")
    assert "owner of axes_accesslog" in {finding.actual for finding in guards.check()}


def test_each_guard_that_an_owner_changed_is_named(database: Database) -> None:
    role = guards.app_role()
    with database.owner() as owner:
        for statement in LEFT.values():
            owner.execute(statement.format(role=role))
    found = [finding.location for finding in guards.check()]
    assert sorted(found) == sorted(name.replace("casino_app", role) for name in LEFT)
    assert {finding.kind for finding in guards.check()} == {guards.DIFFERS}
