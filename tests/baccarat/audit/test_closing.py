"""Audit of a closing table: its seats are freed because it closes, and nothing new starts."""

from datetime import timedelta

import pytest

from baccarat.domain.tables import decisions
from baccarat.domain.tables.events import SeatReleaseReason, SeatTaken
from baccarat.storage.event_registry import CATALOGUE
from casino.kernel.money import MoneyType
from tests.baccarat.audit.simulated_table import PLAYERS, SimulatedTable, finding_kinds, replay


@pytest.fixture
def closed() -> SimulatedTable:
    simulation = SimulatedTable("mini")
    simulation.do("sit", PLAYERS[0], None, None)
    simulation.work.on_table(decisions.announce_closure, by="staff:1", reason="Worn out", at=simulation.now)
    second = timedelta(seconds=1)
    simulation.work.on_table(
        decisions.free_seat,
        player=PLAYERS[0],
        game_balance=simulation.balances[PLAYERS[0]],
        last_seen_at=simulation.now,
        away_after=second,
        gone_after=second,
        at=simulation.now,
    )
    simulation.work.on_table(decisions.close_table, by="staff:1", reason="Worn out", seeds={}, at=simulation.now)
    simulation.write()
    return simulation


def test_a_closed_table_has_no_findings_and_freed_its_seats_because_it_closed(closed: SimulatedTable) -> None:
    rows = {row.type: CATALOGUE.decode(row.type, row.schema, row.data) for row in closed.rows}
    assert rows["SeatReleased"].reason is SeatReleaseReason.TABLE_CLOSED
    assert finding_kinds(closed) == []
    assert replay(closed)[0].tables[closed.rows[0].stream].state() == closed.work.table


def test_a_seat_freed_for_an_unannounced_closure_is_reported(closed: SimulatedTable) -> None:
    closed.rows = [row for row in closed.rows if row.type != "TableClosureAnnounced"]
    assert finding_kinds(closed) == ["seat freed early"]


def test_a_seat_taken_at_a_closing_table_is_reported(closed: SimulatedTable) -> None:
    place = next(place for place, row in enumerate(closed.rows) if row.type == "TableClosureAnnounced")
    seat_taken = CATALOGUE.encode(SeatTaken(2, PLAYERS[1], MoneyType.PLAY, 0, closed.now))
    row = closed.rows[place]._replace(type=seat_taken.type, data=seat_taken.data)
    closed.rows.insert(place + 1, row)
    assert "play while stopped" in finding_kinds(closed)


def test_a_closure_announced_twice_is_reported(closed: SimulatedTable) -> None:
    place = next(place for place, row in enumerate(closed.rows) if row.type == "TableClosureAnnounced")
    closed.rows.insert(place, closed.rows[place])
    assert finding_kinds(closed) == ["event out of place"]
