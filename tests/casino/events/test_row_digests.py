"""Rows of working tables: what the application writes is recorded, and any other change is found."""

# ruff: noqa: S608  (SQL made of constants)

import json

import pytest
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.utils import DatabaseError

from casino.events import row_digests
from casino.events.row_digests import DIFFERS, FOREIGN
from casino.events.sql import execute, fetch
from tests.conftest import Database

KEYS = "SELECT row_key, digest IS NULL FROM events_rowdigest WHERE table_name = %s ORDER BY number"


def findings() -> list[tuple[str, str]]:
    return [(finding.kind, finding.location) for finding in row_digests.check()]


def test_what_the_application_writes_agrees(db: None) -> None:
    user = User.objects.create_user("anna", password="x")
    user.groups.add(Group.objects.get(name="support"))
    user.is_staff = True
    user.save()
    Group.objects.create(name="temporary").delete()
    assert findings() == []
    assert fetch(KEYS, ["auth_user"]) == [(str(user.pk), False)] * 2
    assert [removed for _, removed in fetch(KEYS, ["auth_group"])][-2:] == [False, True]


def test_a_change_that_does_not_count_is_not_recorded(db: None) -> None:
    user = User.objects.create_user("anna", password="x")
    execute("UPDATE auth_user SET last_login = clock_timestamp()")
    execute("UPDATE auth_user SET first_name = first_name")
    assert fetch(KEYS, ["auth_user"]) == [(str(user.pk), False)]
    assert findings() == []


def test_a_digest_does_not_depend_on_the_settings_of_the_session(db: None) -> None:
    execute("SET LOCAL timezone = 'Asia/Tokyo'")
    execute("SET LOCAL bytea_output = 'escape'")
    User.objects.create_user("anna", password="x")
    execute("SET LOCAL timezone = 'UTC'")
    execute("SET LOCAL bytea_output = 'hex'")
    assert findings() == []


def test_a_row_with_another_key_is_another_row(db: None) -> None:
    Group.objects.create(pk=700, name="temporary")
    execute("UPDATE auth_group SET id = 701 WHERE id = 700")
    assert fetch(KEYS, ["auth_group"])[-3:] == [("700", False), ("700", True), ("701", False)]
    assert findings() == []


def test_a_row_is_named_by_all_columns_of_its_key(db: None) -> None:
    execute(
        "INSERT INTO wallet_exclusion_note SELECT gen_random_uuid(), clock_timestamp(), gen_random_uuid(), 'a', note "
        "FROM (VALUES ('one'), ('two')) AS notes (note)"
    )
    execute("UPDATE wallet_exclusion_note SET note = 'three' WHERE note = 'one'")
    assert len({key for key, _ in fetch(KEYS, ["wallet_exclusion_note"])}) == 2
    assert findings() == []


def test_changes_past_the_trigger_are_found(database: Database) -> None:
    for name in ("raised", "removed", "kept"):
        User.objects.create_user(name)
    raised, removed = (User.objects.get(username=name).pk for name in ("raised", "removed"))
    with database.owner() as owner:
        owner.execute("ALTER TABLE auth_user DISABLE TRIGGER USER")
        owner.execute("UPDATE auth_user SET is_superuser = true WHERE username = 'raised'")
        owner.execute("DELETE FROM staff_staffaccount WHERE user_id = %s", [removed])
        owner.execute("DELETE FROM auth_user WHERE username = 'removed'")
        owner.execute(
            "INSERT INTO auth_user (id, username, password, is_superuser, is_staff, is_active, first_name, last_name, "
            "email, date_joined) VALUES (900, 'eve', 'x', true, true, true, '', '', '', now())"
        )
    by_trigger = (FOREIGN, f"staff_staffaccount {removed}, digest")
    found = [(kind, where.rstrip("0123456789 ")) if kind == FOREIGN else (kind, where) for kind, where in findings()]
    assert sorted(found) == sorted([*((DIFFERS, f"auth_user {key}") for key in (raised, removed, 900)), by_trigger])


def test_a_change_by_another_role_is_found_though_its_digest_agrees(database: Database) -> None:
    with database.owner() as owner:
        owner.execute("INSERT INTO auth_group (id, name) VALUES (700, 'hidden')")
    assert [(kind, where.partition(",")[0]) for kind, where in findings()] == [(FOREIGN, "auth_group 700")]


def test_rows_that_are_there_when_a_table_is_held_first_are_recorded(database: Database) -> None:
    with database.owner() as owner:
        owner.execute("CREATE TABLE sample (id int, at timestamptz)")
        owner.execute("INSERT INTO sample VALUES (1, now()), (2, now())")
        for statement in row_digests.hold_rows("sample", row_digests.HeldTable(("id",), ignored=("at",))):
            owner.execute(statement)
        before = fetch(KEYS, ["sample"])
        owner.execute("UPDATE sample SET at = NULL")
        owner.execute(row_digests.release_rows("sample"))
        owner.execute("UPDATE sample SET id = 3")
    assert sorted(fetch(KEYS, ["sample"])) == before == [("1", False), ("2", False)]


def test_the_application_chooses_neither_role_nor_number_nor_time_of_a_digest(db: None) -> None:
    for column, value in (("written_by", "'me'"), ("number", "1"), ("recorded_at", "now()")):
        with pytest.raises(DatabaseError, match=r"permission denied|non-DEFAULT"), transaction.atomic():
            execute(f"INSERT INTO events_rowdigest (table_name, row_key, {column}) VALUES ('auth_user', '9', {value})")


def test_every_held_table_names_columns_that_it_has_and_its_trigger_always_fires(db: None) -> None:
    columns = dict(
        fetch("SELECT table_name::text, json_agg(column_name)::text FROM information_schema.columns GROUP BY 1")
    )
    held = row_digests.held_tables()
    for table, each in held.items():
        assert {*each.key, *each.ignored, *(each.own or ())} <= set(json.loads(columns[table])), table
    always = fetch(
        "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE %s AND tgenabled = 'A'", ["%_digests"]
    )
    assert {table for (table,) in always} == held.keys()
    assert len(held) >= 38
