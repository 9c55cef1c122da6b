"""A database in use is brought up to date with its players in it."""

import sys

from casino.operators import operations, sessions
from casino.stack.home import PROJECT
from casino.stack.processes import run_to_end
from casino.stack.services import as_owner
from tests.conftest import Database


def migrate(database: Database, *words: str) -> None:
    command = [sys.executable, str(PROJECT / "manage.py"), "migrate", "--verbosity", "0", *words]
    run_to_end(command, environment=as_owner(database.environment), folder=PROJECT)


def test_of_sessions_that_were_open_together_the_newest_stays(database: Database) -> None:
    lucky = operations.create_operator(slug="lucky", name="Lucky", currency="EUR", sandbox=True)
    alice = operations.register_player(operator=lucky.id, reference="alice-1", nickname="Alice")
    sessions.open_session(operator=lucky.id, player=alice.id, seconds=3600)
    migrate(database, "operators", "0001")
    with database.owner() as owner:
        for older in range(1, 4):
            owner.execute(
                "INSERT INTO operators_playersession (token_hash, player_id, operator_id, created_at, expires_at) "
                "SELECT sha256(%s), player_id, operator_id, created_at - make_interval(mins => %s), expires_at "
                "FROM operators_playersession ORDER BY created_at DESC LIMIT 1",
                [str(older).encode(), older],
            )

    migrate(database)

    with database.owner() as owner:
        rows = owner.execute("SELECT ended_reason FROM operators_playersession ORDER BY created_at DESC").fetchall()
    assert [reason for (reason,) in rows] == ["", "taken_over", "taken_over", "taken_over"]
