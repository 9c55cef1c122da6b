"""A database in use is brought up to date with its tables and players in it."""

import sys
from typing import Any

from casino.events.rows import execute, fetch
from casino.stack.home import PROJECT
from casino.stack.processes import run_to_end
from casino.stack.services import as_owner
from tests.conftest import Database
from tests.support.examples import P
from tests.support.house import House, deal_all


def migrate(database: Database, *words: str) -> None:
    command = [sys.executable, str(PROJECT / "manage.py"), "migrate", "--skip-checks", "--verbosity", "0", *words]
    run_to_end(command, environment=as_owner(database.environment), folder=PROJECT)


def rows(table: str) -> list[tuple[Any, ...]]:
    return fetch(f"SELECT kept::text FROM {table} AS kept ORDER BY id")  # noqa: S608  (names are constants)


def test_who_sits_where_and_that_nobody_missed_a_turn_is_known_of_tables_from_before(database: Database) -> None:
    house = House()
    table, empty = house.table("atlantic_city", turn_seconds=3600), house.table("atlantic_city")
    ann, ben = house.company(table, 2)
    cat = house.seated(table, 3)
    ann.deal({P: 500})
    ben.pass_turn()
    deal_all()
    ben.move(5)
    cat.leave()
    before = rows("baccarat_table"), rows("baccarat_sitting")
    migrate(database, "baccarat", "0002")
    old = fetch("SELECT state FROM baccarat_table WHERE id = %s", [table])[0][0]
    assert "missed" not in str(old)
    assert "seat_kept_rounds" not in str(old)

    migrate(database)

    assert (rows("baccarat_table"), rows("baccarat_sitting")) == before
    house.agree(table, empty)
    assert execute("UPDATE baccarat_sitting SET seat = seat") == 3
