"""Many at once: whatever the order, one of them wins and the books agree."""

import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from baccarat.domain.rounds.refusals import AlreadyConfirmed, BettingIsClosed
from baccarat.domain.rounds.state import Phase, SeatStatus
from baccarat.domain.tables.refusals import AlreadySeated, SeatIsTaken
from baccarat.services import dealing
from casino.events.sql import database_now, fetch
from casino.kernel.errors import Refusal
from tests.support.examples import B, P
from tests.support.house import BUY_IN, FUNDS, At, House, deal_all
from wallet.ledger.accounts import AccountKind
from wallet.ledger.refusals import InsufficientFunds

InThreads = Callable[..., list[Any]]


def kinds(results: list[Any]) -> Counter[str]:
    """How often each refusal came; anything that is no refusal counts as done, and a fault is raised."""
    for result in results:
        if isinstance(result, Exception) and not isinstance(result, Refusal):
            raise result
    return Counter(type(result).__name__ if isinstance(result, Refusal) else "done" for result in results)


def sleep_until(moment: datetime) -> None:
    """By the database's clock."""
    fetch("SELECT pg_sleep(greatest(0, extract(epoch FROM %s - clock_timestamp())))", [moment])


def deal_until(moment: datetime) -> int:
    """Deal in small batches up to a moment of the database's clock, and return how many rounds."""
    dealt = 0
    while database_now() < moment:
        dealt += dealing.deal_due(limit=2)
    return dealt


def test_fifty_at_once_confirm_one_wager_once(house: House, in_threads: InThreads) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.place(B, 2500)

    results = in_threads(50, lambda _: ann.deal())

    assert kinds(results) == {"done": 1, AlreadyConfirmed.__name__: 49}
    assert house.game(ann) == BUY_IN - 2500
    assert house.holds(table, AccountKind.STAKES) == 2500
    deal_all()
    house.agree(table)


def test_of_two_players_one_gets_the_seat_and_the_other_keeps_the_money(house: House, in_threads: InThreads) -> None:
    table = house.table("atlantic_city")
    rivals = [house.guest(table) for _ in range(8)]

    results = in_threads(8, lambda number: rivals[number].sit(3))

    assert kinds(results) == {"done": 1, SeatIsTaken.__name__: 7}
    assert sorted(house.account(rival) for rival in rivals) == [FUNDS - BUY_IN, *[FUNDS] * 7]
    house.agree(table)


def test_one_player_asking_for_every_seat_gets_one(house: House, in_threads: InThreads) -> None:
    table = house.table("atlantic_city")
    ann = house.guest(table)

    results = in_threads(5, lambda number: ann.sit(number + 1))

    assert kinds(results) == {"done": 1, AlreadySeated.__name__: 4}
    assert house.account(ann) == FUNDS - BUY_IN
    house.agree(table)


def test_one_account_sitting_down_at_ten_tables_pays_as_often_as_it_can(house: House, in_threads: InThreads) -> None:
    player = house.player(real=3 * BUY_IN)
    places = [house.guest(house.table("mini"), player) for _ in range(10)]

    results = in_threads(10, lambda number: places[number].sit(1))

    assert kinds(results) == {"done": 3, InsufficientFunds.__name__: 7}
    assert house.account(places[0]) == 0
    assert sum(house.game(place) for place in places) == 3 * BUY_IN
    house.agree(*(place.guest.table for place in places))


def test_all_seats_of_a_table_confirm_at_once(house: House, in_threads: InThreads) -> None:
    table = house.table("big_table")
    company = house.company(table, 14)

    assert kinds(in_threads(14, lambda number: company[number].deal({B: 2500}))) == {"done": 14}

    assert house.holds(table, AccountKind.STAKES) == 14 * 2500
    assert deal_all() == 1
    house.agree(table)


def test_leaving_and_confirming_at_once_never_do_both(house: House, in_threads: InThreads) -> None:
    for _ in range(5):
        table = house.table("mini")
        ann = house.seated(table)
        ann.place(P, 2500)

        moves = (ann.leave, ann.deal)
        left, confirmed = in_threads(2, lambda number, moves=moves: moves[number]())

        assert isinstance(left, Refusal) != isinstance(confirmed, Refusal)
        deal_all()
        assert house.holds(table, AccountKind.STAKES) == 0
        house.agree(table)


def test_a_command_and_the_dealers_at_the_deadline_never_both_have_their_way(
    house: House, in_threads: InThreads
) -> None:
    places = [house.seated(house.table("atlantic_city", turn_seconds=3)) for _ in range(6)]
    for ann in places:
        ann.place(P, 2500)
    facts = [house.in_hand(ann.guest.table).require_opened() for ann in places]
    deadlines = [each.deadline_at for each in facts if each.deadline_at is not None]
    assert len(deadlines) == len(places)

    def race(number: int) -> Any:
        if number >= len(places):
            return deal_until(max(deadlines) + timedelta(milliseconds=100))
        sleep_until(deadlines[number] - timedelta(milliseconds=4 * number))
        try:
            return places[number].deal()
        except BettingIsClosed as late:
            return late

    results = in_threads(len(places) + 2, race)
    deal_all()

    for ann, opened, result in zip(places, facts, results, strict=False):
        round_ = house.round(opened.round)
        (seat,) = round_.seats
        won = not isinstance(result, Exception)
        assert (seat.status is SeatStatus.CONFIRMED) is won
        assert round_.phase is (Phase.SETTLED if won else Phase.LAPSED)
        returned = seat.settlement.returned if seat.settlement else 0
        assert house.game(ann) == BUY_IN - (2500 if won else 0) + returned
    house.agree(*(ann.guest.table for ann in places))


def test_eight_dealers_settle_forty_tables_once_each(house: House, in_threads: InThreads) -> None:
    tables: list[UUID] = []
    players: list[At] = []
    for _ in range(40):
        tables.append(house.table("mini"))
        players.append(house.seated(tables[-1]))
        players[-1].place(B, 2500)
        players[-1].deal()

    dealt = in_threads(8, lambda _: sum(iter(lambda: dealing.deal_due(limit=3), 0)))
    deal_all()

    assert [result for result in dealt if isinstance(result, Exception)] == []
    for table, ann in zip(tables, players, strict=True):
        round_ = house.last(table)
        assert house.names(round_).count("RoundSettled") == 1
        assert round_.seats[0].settlement is not None
        assert house.game(ann) == BUY_IN - 2500 + round_.seats[0].settlement.returned
    house.agree(*tables)


def test_dealers_and_players_of_many_tables_go_on_together(house: House, in_threads: InThreads) -> None:
    dealers = 4
    places = [house.seated(house.table("overview")) for _ in range(6)]
    for ann in places:
        ann.place(B, 500)
        ann.deal()

    def work(number: int) -> int:
        if number < dealers:
            return deal_until(database_now() + timedelta(milliseconds=600))
        ann, done = places[number - dealers], 0
        for _ in range(30):
            time.sleep(0.005)
            try:
                ann.rebet_and_deal()
            except (AlreadyConfirmed, BettingIsClosed):
                continue
            done += 1
        return done

    results = in_threads(dealers + len(places), work)
    deal_all()

    assert [result for result in results if isinstance(result, Exception)] == []
    for ann, repeated in zip(places, results[dealers:], strict=True):
        table = ann.guest.table
        settled = [event for _, _, event in house.events(table) if type(event).__name__ == "RoundSettled"]
        assert len(settled) == house.state(table).rounds == 1 + repeated
    house.agree(*(ann.guest.table for ann in places))
