"""Where a player sat before what was missed, from where the player sits now."""

from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from baccarat.streaming.follower import seated_before
from baccarat.streaming.notifications import LiveEvent
from casino.events.records import SealedEvent

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
ALICE, BOB = UUID(int=1), UUID(int=2)
TABLES = [UUID(int=number) for number in range(10, 13)]


def happening(position: int, type_: str, player: UUID, table: UUID) -> LiveEvent:
    data = b'{"player":"%s"}' % str(player).encode()
    sealed = SealedEvent(position, b"", position, position, f"table-{table}", 1, type_, 1, data, b"{}", NOW)
    return LiveEvent(sealed, table=table, round_=None, currency=None)


@given(st.lists(st.tuples(st.sampled_from(TABLES), st.sampled_from([ALICE, BOB])), max_size=20), st.data())
def test_undoing_what_was_missed_leads_back_to_where_it_began(
    moves: list[tuple[UUID, UUID]], data: st.DataObject
) -> None:
    seated: set[tuple[UUID, UUID]] = set()
    history, happenings = [frozenset[UUID]()], []
    for position, move in enumerate(moves, 1):
        happenings.append(happening(position, "SeatLeft" if move in seated else "SeatTaken", move[1], move[0]))
        seated ^= {move}
        history.append(frozenset(table for table, player in seated if player == ALICE))
    until = data.draw(st.integers(0, len(moves)))
    begun = data.draw(st.integers(0, until))
    found = seated_before(happenings[begun:], player=ALICE, seated=history[until], until=until)
    assert found == history[begun]
