"""A database in use is brought up to date with its players in it."""

import sys

import pytest
from django.db import DatabaseError

from casino import personal
from casino.events.rows import execute
from casino.operators import operations, sessions
from casino.significant import log, remarks
from casino.significant.models import SignificantEvent
from casino.stack.home import PROJECT
from casino.stack.processes import run_to_end
from casino.stack.services import as_owner
from tests.conftest import Database
from wallet import notices
from wallet.notices import Notice


def migrate(database: Database, *words: str) -> None:
    command = [sys.executable, str(PROJECT / "manage.py"), "migrate", "--skip-checks", "--verbosity", "0", *words]
    run_to_end(command, environment=as_owner(database.environment), folder=PROJECT)


STORED = "SELECT message FROM wallet_notice UNION ALL SELECT note FROM significant_remark"


def test_one_session_stays_open_and_words_about_players_are_sealed(database: Database) -> None:
    lucky = operations.create_operator(slug="lucky", name="Lucky", currency="EUR", sandbox=True)
    alice = operations.register_player(operator=lucky.id, reference="alice-1", nickname="Alice")
    sessions.open_session(operator=lucky.id, player=alice.id, seconds=3600)
    notices.give(Notice(lucky.id, alice.id, "adjustment_credit", alice.id, {}, "Sorry about that"))
    log.record(kind=log.Kind.NEGATIVE_BALANCE, operator=lucky.id, subject=f"player:{alice.id}", actor="system")
    remarks.add_note(SignificantEvent.objects.get(kind="negative_balance").pk, by="staff:1", note="She called")
    migrate(database, "operators", "0001")
    with database.owner() as owner:
        assert owner.execute(STORED).fetchall() == [("Sorry about that",), ("She called",)]
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
        said = [text for (text,) in owner.execute(STORED).fetchall()]
    assert [reason for (reason,) in rows] == ["", "taken_over", "taken_over", "taken_over"]
    assert all(map(personal.is_sealed, said))
    assert personal.opened(said) == ["Sorry about that", "She called"]
    again = operations.register_player(operator=lucky.id, reference="alice-1", nickname="Other")
    assert (again.id, again.nickname) == (alice.id, "Alice")
    with pytest.raises(DatabaseError, match=r"denied"):
        execute("UPDATE significant_remark SET note = ''")
