"""Append-only tables: privileges stop the application, triggers stop the owner."""

# ruff: noqa: S608  (SQL made of constants)

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from psycopg import errors

from casino.events import sealer
from casino.events.immutability import append_only, grant_all, lift_append_only
from tests.casino.events.writing import write

TABLES = {"events_event": "version", "events_seal": "position", "events_chainhead": "position"}
CHANGES = [
    "UPDATE {table} SET {column} = {column} + 1",
    "UPDATE {table} SET {column} = {column} WHERE false",
    "DELETE FROM {table}",
    "DELETE FROM {table} WHERE false",
    "TRUNCATE {table} CASCADE",
    "MERGE INTO {table} AS t USING {table} AS s ON t.{column} = s.{column} WHEN MATCHED THEN DELETE",
]
STRUCTURE = [
    "ALTER TABLE {table} DISABLE TRIGGER ALL",
    "ALTER TABLE {table} DISABLE TRIGGER {table}_refuses",
    "DROP TRIGGER {table}_refuses ON {table}",
    "ALTER TABLE {table} ADD COLUMN more int",
    "DROP TABLE {table}",
    "SET session_replication_role = replica",
    "CREATE OR REPLACE FUNCTION events_refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
    "CREATE TABLE mine (id int)",
]


@pytest.fixture
def filled(database):
    write("round-1", count=2)
    sealer.seal_all()
    return database


def run(url, statement):
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)


def refusals(url, statements):
    """Run statements and return the exception of each, by statement; None for success."""
    errors_by_statement = {}
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            try:
                connection.execute(statement)
            except psycopg.Error as error:
                errors_by_statement[statement] = type(error)
            else:
                errors_by_statement[statement] = None
    return errors_by_statement


@pytest.mark.parametrize("table", TABLES)
def test_the_application_cannot_change_or_remove_a_row(filled, table):
    changes = [change.format(table=table, column=TABLES[table]) for change in CHANGES]
    assert refusals(filled.url, changes) == dict.fromkeys(changes, errors.InsufficientPrivilege)


@pytest.mark.parametrize("table", TABLES)
def test_the_owner_is_refused_as_well(filled, table):
    changes = [change.format(table=table, column=TABLES[table]) for change in CHANGES]
    assert refusals(filled.owner_url, changes) == dict.fromkeys(changes, errors.RestrictViolation)


def test_the_owner_cannot_overwrite_by_inserting(filled):
    with pytest.raises(errors.RestrictViolation):
        run(
            filled.owner_url,
            "INSERT INTO events_seal SELECT * FROM events_seal ON CONFLICT (position) DO UPDATE SET event_id = 9",
        )


def test_the_application_cannot_change_the_tables_or_their_triggers(filled):
    changes = [statement.format(table="events_event") for statement in STRUCTURE]
    assert refusals(filled.url, changes) == dict.fromkeys(changes, errors.InsufficientPrivilege)


def test_the_application_cannot_grant_privileges(filled):
    run(filled.owner_url, "CREATE ROLE events_test_stranger")
    try:
        with psycopg.connect(filled.url, autocommit=True) as connection:
            notices = []
            connection.add_notice_handler(lambda notice: notices.append(notice.message_primary))
            connection.execute("GRANT ALL ON events_event TO events_test_stranger")
        assert notices == ['no privileges were granted for "events_event"']
    finally:
        run(filled.owner_url, "DROP ROLE events_test_stranger")


def test_the_application_chooses_neither_an_events_id_nor_its_time(filled):
    columns = "stream, version, type, schema, data, metadata"
    values = "'s', 1, 't', 1, '{}', '{}'"
    forged = [
        f"INSERT INTO events_event ({columns}, id) OVERRIDING SYSTEM VALUE VALUES ({values}, 99)",
        f"INSERT INTO events_event ({columns}, recorded_at) VALUES ({values}, '2020-01-01Z')",
    ]
    assert refusals(filled.url, forged) == dict.fromkeys(forged, errors.InsufficientPrivilege)


def test_the_queue_cannot_be_updated_or_truncated(filled):
    changes = ["UPDATE events_unsealed SET event_id = 1", "TRUNCATE events_unsealed"]
    assert refusals(filled.url, changes) == dict.fromkeys(changes, errors.InsufficientPrivilege)


def test_other_tables_can_be_made_append_only_and_back(filled):
    with filled.owner() as owner:
        owner.execute("CREATE TABLE wallet_sample (id int)")
        for statement in append_only("wallet_sample"):
            owner.execute(statement)
    run(filled.url, "INSERT INTO wallet_sample VALUES (1)")
    with pytest.raises(errors.InsufficientPrivilege):
        run(filled.url, "DELETE FROM wallet_sample")
    with pytest.raises(errors.RestrictViolation):
        run(filled.owner_url, "DELETE FROM wallet_sample")
    with filled.owner() as owner:
        for statement in [*lift_append_only("wallet_sample"), *grant_all("wallet_sample")]:
            owner.execute(statement)
    run(filled.url, "DELETE FROM wallet_sample")


def test_the_application_may_write_to_later_tables(filled):
    run(filled.owner_url, "CREATE TABLE projection_sample (id int)")
    run(filled.url, "INSERT INTO projection_sample VALUES (1)")
    run(filled.url, "UPDATE projection_sample SET id = 2")
    with pytest.raises(errors.InsufficientPrivilege):
        run(filled.url, "TRUNCATE projection_sample")


@pytest.mark.parametrize("name", ["x; DROP TABLE y", "Upper", "", "a.b", 'quo"ted'])
def test_an_unsafe_table_name_is_refused(name):
    with pytest.raises(ImproperlyConfigured):
        append_only(name)


def test_no_replication_role_skips_the_triggers(filled):
    with filled.owner() as owner:
        rows = owner.execute(
            "SELECT tgrelid::regclass::text, tgenabled::text FROM pg_trigger "
            "WHERE tgfoid = 'events_refuse_change'::regproc AND tgrelid::regclass::text = ANY(%s) ORDER BY 1",
            [list(TABLES)],
        ).fetchall()
    assert rows == [(table, "A") for table in sorted(TABLES) for _ in range(2)]
