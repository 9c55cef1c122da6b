"""Triggers, functions and privileges are what migrations made; whatever else an owner leaves behind is found."""

from casino.events import guards
from tests.conftest import Database

LEFT = {
    "trigger events_event_refuses": "ALTER TABLE events_event DISABLE TRIGGER events_event_refuses",
    "trigger events_seal_keeps_rows": "ALTER TABLE events_seal ENABLE TRIGGER events_seal_keeps_rows",
    "trigger staff_note_change": "DROP TRIGGER staff_note_change ON auth_user",
    "trigger quiet": "CREATE TRIGGER quiet BEFORE INSERT ON events_event FOR EACH ROW "
    "EXECUTE FUNCTION staff_note_change()",
    "function events_refuse_change": "CREATE OR REPLACE FUNCTION events_refuse_change() RETURNS trigger "
    "LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    "privileges of casino_app in events_event": "GRANT UPDATE ON events_event TO {role}",
    "privileges of casino_app in events_seal": "GRANT UPDATE (digest) ON events_seal TO {role}",
    "privileges of PUBLIC in auth_user": "GRANT INSERT ON auth_user TO PUBLIC",
    "rule hide on wallet_posting": "CREATE RULE hide AS ON INSERT TO wallet_posting DO INSTEAD NOTHING",
    "row security on baccarat_round": "ALTER TABLE baccarat_round ENABLE ROW LEVEL SECURITY",
}


def test_what_migrations_made_is_found_as_they_made_it(db: None) -> None:
    assert guards.check() == []


def test_migrations_name_what_is_guarded() -> None:
    statements = guards.migration_sql()
    assert len(guards._TRIGGER.findall(statements)) > 70
    assert len(guards._FUNCTION.findall(statements)) > 10
    assert guards._privileges(statements)["events_unsealed"] == {"SELECT", "INSERT", "DELETE"}


def test_each_guard_that_an_owner_changed_is_named(database: Database) -> None:
    role = guards.app_role()
    with database.owner() as owner:
        for statement in LEFT.values():
            owner.execute(statement.format(role=role))
    found = [finding.location for finding in guards.check()]
    assert sorted(found) == sorted(name.replace("casino_app", role) for name in LEFT)
    assert {finding.kind for finding in guards.check()} == {guards.DIFFERS}
