"""States to rows, and back."""

from uuid import UUID

from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.events import RoundEvent
from baccarat.domain.rounds.state import RoundState, fold_round
from baccarat.domain.rounds.state import evolve as evolve_round
from baccarat.domain.tables.evolve import evolve as evolve_table
from baccarat.domain.tables.evolve import fold_table
from baccarat.storage import projections
from tests.support.examples import (
    ANN,
    BEN,
    DEADLINE,
    MINI,
    OPENED,
    OPERATOR,
    ROUND,
    TABLE,
    B,
    P,
    confirmed,
    deal,
    opened,
    placed,
    seat_taken,
    table_opened,
)

TABLE_STATE = fold_table((table_opened(), seat_taken(1, ANN), seat_taken(2, BEN), opened(ANN, BEN)))


def after(*events: RoundEvent) -> RoundState:
    return fold_round((opened(ANN, BEN), *events))


def test_a_round_is_due_at_its_deadline_until_all_have_acted_and_then_at_once() -> None:
    assert projections.due_at(after()) == DEADLINE
    assert projections.due_at(after(re.SeatPassed(seat=1))) == DEADLINE
    assert projections.due_at(after(re.SeatPassed(seat=1), re.SeatPassed(seat=2))) == OPENED
    assert projections.is_ready(after(re.SeatPassed(seat=1), confirmed(2, BEN, {P: 500})))
    assert not projections.is_ready(after(confirmed(2, BEN, {P: 500})))


def test_a_round_that_waits_for_its_player_alone_is_never_due_by_itself() -> None:
    assert projections.due_at(fold_round((opened(ANN, rules=MINI),))) is None


def test_what_is_set_aside_or_over_is_not_due() -> None:
    both = (re.SeatPassed(seat=1), re.SeatPassed(seat=2))

    assert projections.due_at(after(*both, re.RoundSuspended(reason="x", suspended_at=OPENED))) is None
    assert (
        projections.due_at(after(*both, re.RoundLapsed(reason="", lapsed_at=OPENED, seed=None, closing=None))) is None
    )
    assert projections.due_at(RoundState()) is None


def test_a_tables_row_says_who_is_there_and_what_is_due() -> None:
    row = projections.table_row(TABLE_STATE, 3, after(), 1)

    assert (row.id, row.operator_id, row.preset, row.currency) == (TABLE, OPERATOR, "atlantic_city", "EUR")
    assert (row.money_types, row.seats, row.seats_taken, row.rounds) == ("real,play", 5, 2, 1)
    assert (row.round_id, row.suspension_reason, row.version, row.round_version) == (ROUND, None, 3, 1)
    assert projections.decode_table(row.state) == TABLE_STATE
    assert projections.decode_round(row.round_state) == after()
    assert tuple(projections.due_row(TABLE_STATE, after())) == (TABLE, ROUND, False, DEADLINE, None)


def test_a_round_that_is_over_makes_no_table_due() -> None:
    idle = evolve_table(TABLE_STATE, re.RoundLapsed(reason="", lapsed_at=OPENED, seed=None, closing=None))

    assert projections.due_row(idle, after()).due_at is None
    assert projections.table_row(idle, 3, after(), 1).round_state is None


def test_a_rounds_row_tells_its_result() -> None:
    wager = confirmed(1, ANN, {B: 1000})
    state = after(wager, re.SeatPassed(seat=2))
    settled = after(wager, re.SeatPassed(seat=2), *deal()(state))

    row = projections.round_row(settled, TABLE_STATE)

    assert (row.phase, row.cards, row.outcome) == ("settled", "4c 2d 5h 5s", "player")
    assert (row.player_total, row.banker_total, row.wagers) == (9, 7, 1)


def test_only_wagers_that_changed_are_written_again() -> None:
    first = after(confirmed(1, ANN, {B: 1000}))
    second = evolve_round(first, confirmed(2, BEN, {P: 500}))

    assert [row.seat for row in projections.wager_rows(first, TABLE_STATE, since=after())] == [1]
    assert [row.seat for row in projections.wager_rows(second, TABLE_STATE, since=first)] == [2]
    settled = second
    for event in deal()(second):
        settled = evolve_round(settled, event)
    rows = projections.wager_rows(settled, TABLE_STATE, since=second)
    assert [(row.id, row.staked, row.won, row.commission, row.returned) for row in rows] == [
        (UUID(int=ROUND.int + 1), 1000, 0, 0, 0),
        (UUID(int=ROUND.int + 2), 500, 500, 0, 1000),
    ]


def test_chips_that_are_not_confirmed_are_no_wager() -> None:
    assert projections.wager_rows(after(placed(P, 500)), TABLE_STATE, since=RoundState()) == []


def test_the_same_state_is_the_same_bytes() -> None:
    one = projections.table_row(TABLE_STATE, 3, after(), 1).state
    again = projections.table_row(projections.decode_table(one), 3, after(), 1).state

    assert one == again
