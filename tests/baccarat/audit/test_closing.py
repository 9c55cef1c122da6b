"""A table that closes for good: everybody goes home because it closes, and nothing new starts meanwhile."""

from datetime import timedelta

import pytest

from baccarat.domain.tables import commands as tc
from baccarat.domain.tables.events import SeatReleaseReason, SeatTaken
from baccarat.storage.event_registry import CATALOGUE
from casino.kernel.money import MoneyType
from tests.baccarat.audit.test_fold import PLAYERS, House, folded, whats


@pytest.fixture
def closed() -> House:
    house = House("mini")
    house.do("sit", PLAYERS[0], None, None)
    house.journal.decide_on_table(tc.AnnounceTableClosure("staff:1", "Worn out", house.now))
    second = timedelta(seconds=1)
    house.journal.decide_on_table(
        tc.FreeSeat(PLAYERS[0], house.balances[PLAYERS[0]], house.now, second, second, house.now)
    )
    house.journal.decide_on_table(tc.CloseTable("staff:1", "Worn out", {}, house.now))
    house.write()
    return house


def test_a_closed_table_is_sound_and_freed_its_seats_for_that_reason(closed: House) -> None:
    rows = {row.type: CATALOGUE.decode(row.type, row.schema, row.data) for row in closed.rows}
    assert rows["SeatReleased"].reason is SeatReleaseReason.TABLE_CLOSED
    assert whats(closed) == []
    assert folded(closed)[0].tables[closed.rows[0].stream].state() == closed.journal.table


def test_a_seat_freed_for_a_closing_that_nobody_announced_is_named(closed: House) -> None:
    closed.rows = [row for row in closed.rows if row.type != "TableClosureAnnounced"]
    assert whats(closed) == ["seat freed early"]


def test_one_who_sits_down_at_a_table_that_closes_is_named(closed: House) -> None:
    place = next(place for place, row in enumerate(closed.rows) if row.type == "TableClosureAnnounced")
    sat = CATALOGUE.encode(SeatTaken(2, PLAYERS[1], MoneyType.PLAY, 0, closed.now))
    row = closed.rows[place]._replace(type=sat.type, data=sat.data)
    closed.rows.insert(place + 1, row)
    assert "play while stopped" in whats(closed)


def test_a_closing_announced_twice_is_named(closed: House) -> None:
    place = next(place for place, row in enumerate(closed.rows) if row.type == "TableClosureAnnounced")
    closed.rows.insert(place, closed.rows[place])
    assert whats(closed) == ["event out of place"]
