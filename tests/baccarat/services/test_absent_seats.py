"""Players who are away: their seats are kept for a while, then freed, and nothing of theirs is lost."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from baccarat import tasks
from baccarat.domain.rounds.state import Phase, SeatStatus
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.tables.events import SeatReleased, SeatReleaseReason
from baccarat.domain.tables.refusals import NotSeated
from baccarat.services import absent_seats
from casino.events.sql import execute, fetch
from tests.support.chance import fix
from tests.support.examples import B, P
from tests.support.house import BUY_IN, FUNDS, At, House, deal_all, until
from wallet.ledger.accounts import AccountKind

AWAY, GONE = 100, 1300
"""Seconds of silence: long enough to be away, and to be gone, by the settings as they are."""


@pytest.fixture(autouse=True)
def nobody_else_is_away(house: House) -> None:
    """Players of earlier tests have just been heard of."""
    execute("UPDATE baccarat_sitting SET at = clock_timestamp()")


def silent(at: At, seconds: float) -> None:
    """Nothing was heard of the player for so long."""
    execute(
        "UPDATE baccarat_sitting SET at = clock_timestamp() - make_interval(secs => %s) WHERE player_id = %s",
        [seconds, at.player],
    )


def sittings(table: UUID) -> list[tuple[Any, ...]]:
    return fetch("SELECT player_id, seat FROM baccarat_sitting WHERE table_id = %s ORDER BY seat", [table])


def freed(house: House, table: UUID) -> list[SeatReleased]:
    return [event for _, _, event in house.events(table) if isinstance(event, SeatReleased)]


def miss_turns(house: House, table: UUID, *, count: int, but: At) -> None:
    """One player bets on, the others let turn after turn run out."""
    for _ in range(count):
        number = house.in_hand(table).require_opened().number
        but.deal({P: 500})
        until(lambda number=number: house.in_hand(table).require_opened().number > number)  # type: ignore[misc]


def test_where_a_player_sits_is_known_without_looking_through_the_tables(house: House) -> None:
    table = house.table("atlantic_city")
    ann, ben = house.seated(table, 1), house.seated(table, 2)

    ann.move(5)
    ben.leave()

    assert sittings(table) == [(ann.player, 5), (ben.player, None)]


def test_a_seat_is_freed_after_three_missed_turns_of_a_player_who_is_away(house: House) -> None:
    table = house.table("atlantic_city", turn_seconds=1)
    ann, ben = house.company(table, 2)
    miss_turns(house, table, count=2, but=ann)
    silent(ben, AWAY)
    assert absent_seats.release_absent_seats() == 0
    miss_turns(house, table, count=1, but=ann)
    ann.place(P, 500)

    assert absent_seats.release_absent_seats() == 1

    (event,) = freed(house, table)
    assert (event.player, event.seat, event.reason, event.missed) == (ben.player, 2, SeatReleaseReason.MISSED_ROUNDS, 3)
    assert (house.account(ben), house.game(ben)) == (FUNDS, 0)
    assert [seat.player for seat in house.state(table).seats] == [ann.player]
    round_ = house.in_hand(table)
    assert {seat.seat: seat.status for seat in round_.seats} == {1: SeatStatus.DECIDING, 2: SeatStatus.LEFT}
    with pytest.raises(NotSeated):
        ben.deal({P: 500})
    assert absent_seats.release_absent_seats() == 0
    house.agree(table)


def test_one_who_is_there_keeps_the_seat_however_many_turns_run_out(house: House) -> None:
    table = house.table("atlantic_city", turn_seconds=1, seat_kept_rounds=1)
    ann, ben = house.company(table, 2)
    miss_turns(house, table, count=2, but=ann)

    assert absent_seats.release_absent_seats() == 0

    assert [seat.missed_turns for seat in house.state(table).seats] == [0, 2]
    silent(ben, AWAY)
    ben.pass_turn()
    assert absent_seats.release_absent_seats() == 0


@pytest.mark.parametrize("preset", ["mini", "atlantic_city"])
def test_where_no_rounds_pass_a_seat_is_freed_by_time_and_placed_chips_go_back(house: House, preset: str) -> None:
    table = house.table(preset, **({} if preset == "mini" else {"turn_seconds": 3600}))
    ann = house.seated(table)
    ann.place(P, 500)
    silent(ann, AWAY)
    assert absent_seats.release_absent_seats() == 0
    silent(ann, GONE)

    assert absent_seats.release_absent_seats() == 1

    (event,) = freed(house, table)
    assert (event.reason, event.returned, event.commission_collected) == (SeatReleaseReason.DISCONNECTED, BUY_IN, 0)
    assert (house.account(ann), house.game(ann)) == (FUNDS, 0)
    assert house.state(table).round is None
    last = fetch("SELECT phase FROM baccarat_round WHERE table_id = %s", [table])
    assert last == [(Phase.LAPSED,)]
    house.agree(table)


def test_a_confirmed_wager_is_settled_before_its_players_seat_is_freed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    fix(monkeypatch, Outcome.BANKER)
    table = house.table("big_table", turn_seconds=3600)
    ann, ben = house.company(table, 2)
    ann.deal({B: 10_000})
    silent(ann, GONE)
    assert absent_seats.release_absent_seats() == 0

    ben.pass_turn()
    deal_all()
    owed = house.rack(ann)
    assert absent_seats.release_absent_seats() == 1

    (event,) = freed(house, table)
    assert (event.commission_collected, house.rack(ann)) == (owed, 0)
    assert house.holds(table, AccountKind.COMMISSION) == owed
    assert house.account(ann) == FUNDS - BUY_IN + event.returned
    house.agree(table)


def test_a_session_that_is_used_keeps_the_seat(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    silent(ann, GONE)
    operator = (
        "INSERT INTO operators_operator (id, slug, name, currencies, sandbox, origins, staff_networks)"
        " VALUES (%s, %s, 'x', '{EUR}', true, '{}', '{}')"
    )
    execute(operator, [house.operator, f"h{house.operator.hex[:12]}"])
    player = "INSERT INTO operators_player (id, operator_id, reference, nickname) VALUES (%s, %s, 'ann', 'Ann')"
    execute(player, [ann.player, house.operator])
    session = (
        "INSERT INTO operators_playersession (token_hash, player_id, operator_id, created_at, last_used_at, expires_at)"
        " VALUES (%s, %s, %s, now(), clock_timestamp(), now())"
    )
    execute(session, [ann.player.bytes * 2, ann.player, house.operator])

    assert absent_seats.release_absent_seats() == 0

    execute("UPDATE operators_playersession SET last_used_at = now() - interval '1 hour'")
    tasks.release_absent_seats()
    assert len(freed(house, table)) == 1


def test_ten_workers_at_once_free_a_seat_once(house: House, in_threads: Callable[..., list[Any]]) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    silent(ann, GONE)

    assert sum(in_threads(10, lambda _: absent_seats.release_absent_seats())) == 1

    assert house.account(ann) == FUNDS
    house.agree(table)


def test_a_seat_that_is_still_kept_costs_no_transaction(house: House, django_assert_num_queries: Any) -> None:
    for seat in (1, 2, 3):
        silent(house.seated(house.table("atlantic_city"), seat), AWAY)
    with django_assert_num_queries(2):  # of absent players, and of frozen ones
        assert absent_seats.release_absent_seats() == 0
