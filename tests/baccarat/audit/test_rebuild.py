"""Projections are thrown away and come back the same, whatever had become of them."""

import pytest

from baccarat.audit import engine
from baccarat.audit.rebuild import KEYS, CannotRebuild, rebuild_projections
from casino.events.sql import execute, fetch
from tests.baccarat.audit.playing import play, seal, sit, stop_and_resume, tamper

DAMAGE = (
    "DELETE FROM baccarat_wager",
    "DELETE FROM baccarat_round WHERE number = 1",
    "UPDATE baccarat_round SET cards = 'Ah', state = '{}'",
    "UPDATE baccarat_table SET rounds = 99, due_at = now()",
    "UPDATE baccarat_sitting SET seat = 9, money_type = 'real'",
    "UPDATE baccarat_switch SET stopped = true",
    "UPDATE baccarat_rulesversion SET returns = '[]'",
    "UPDATE wallet_balance SET balance = balance + 7, sequence = 0",
)


def rows():
    """Every row of every projection, as PostgreSQL prints it."""
    return {
        table: fetch(f"SELECT kept::text FROM {table} AS kept ORDER BY {key}")  # noqa: S608  (names are constants)
        for table, key in KEYS.items()
    }


def test_damaged_projections_come_back_byte_for_byte(played):
    stop_and_resume()
    seal()
    before = rows()
    for statement in DAMAGE:
        assert execute(statement)
    assert rows() != before
    rebuilt = rebuild_projections(compare=True)
    assert rows() == before
    assert rebuilt.rows == {table: len(kept) for table, kept in before.items()}
    assert {row.split()[0] for row in rebuilt.changed} == set(KEYS)
    assert engine.run_audit(max_wait=3600).ok


def test_deleted_projections_come_back_byte_for_byte(played):
    before = rows()
    for table in KEYS:
        execute(f"DELETE FROM {table}")  # noqa: S608  (names are constants)
    rebuild_projections()
    assert rows() == before


def test_sound_projections_do_not_change_and_rounds_in_hand_stay_in_hand(database):
    idle, busy = sit("mini"), sit("atlantic_city")
    play(idle, 1, banker=2500)
    busy.bet(player=100)
    before = rows()
    assert rebuild_projections(compare=True).changed == ()
    assert rows() == before
    play(idle, 1, tie=500)
    seal()
    assert engine.run_audit(max_wait=3600).ok


def test_events_that_lead_nowhere_change_nothing(played):
    before = rows()
    event = fetch("SELECT id FROM events_event WHERE type = 'RoundOpened' ORDER BY id LIMIT 1")[0][0]
    tamper(played, f"DELETE FROM events_event WHERE id = {event}")  # noqa: S608  (a number)
    with pytest.raises(CannotRebuild, match="version 2"):
        rebuild_projections()
    assert rows() == before
