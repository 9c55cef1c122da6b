"""Which money follows from which event, to the last minor unit."""

from uuid import UUID

import pytest

from baccarat.domain.postings import TableAccounts, entry_for
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.state import fold_round
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables import events as te
from casino.kernel.money import MoneyType
from tests.support.examples import (
    A_TIE,
    AC,
    ANN,
    BANKER_WINS,
    BEN,
    BIG,
    MINI,
    OPENED,
    OPERATOR,
    PLAYER_WINS,
    SHOE,
    TABLE,
    B,
    P,
    T,
    confirmed,
    deal,
    opened,
    seat_taken,
    table_opened,
)

PLACE = TableAccounts(operator=OPERATOR, table=TABLE, currency="EUR")
NAMES = {ANN: "ann", BEN: "ben", None: "table"}


def moved(event: object) -> dict[str, int]:
    """Return what an event moves: {"ann game": -500, "table stakes": 500}; amounts of play money have a P."""
    entry = entry_for(event, 7, PLACE)
    if entry is None:
        return {}
    assert entry.cause == 7
    return {
        f"{NAMES[posting.account.player]} {posting.account.kind}"
        + (" P" if posting.account.money_type is MoneyType.PLAY else ""): posting.amount
        for posting in entry.postings
    }


def settlement(rules: TableRules, cards: tuple[Card, ...], *stakes: dict[str, int]) -> dict[str, int]:
    players = (ANN, BEN)[: len(stakes)]
    history = [opened(*players, rules=rules)]
    wagers = [
        confirmed(seat, player, stake) for seat, (player, stake) in enumerate(zip(players, stakes, strict=True), 1)
    ]
    state = fold_round((*history, *wagers))
    return moved(deal(cards, rules=rules)(state)[-1])


def test_sitting_down_and_rebuying_move_account_to_game() -> None:
    assert moved(seat_taken(1, ANN, buy_in=1000)) == {"ann account": -1000, "ann game": 1000}
    assert moved(seat_taken(1, ANN)) == {}
    rebought = te.Rebought(seat=1, player=ANN, money_type=MoneyType.PLAY, amount=300, rebought_at=OPENED)
    assert moved(rebought) == {"ann account P": -300, "ann game P": 300}


@pytest.mark.parametrize(
    ("returned", "collected", "moves"),
    [
        (700, 0, {"ann game": -700, "ann account": 700}),
        (0, 50, {"ann rack": -50, "table commission": 50}),
        (700, 50, {"ann game": -700, "ann account": 700, "ann rack": -50, "table commission": 50}),
        (0, 0, {}),
    ],
)
def test_leaving_takes_the_game_balance_home_and_pays_what_is_owed(
    returned: int, collected: int, moves: dict[str, int]
) -> None:
    left = te.SeatLeft(
        seat=1, player=ANN, money_type=MoneyType.REAL, returned=returned, commission_collected=collected, left_at=OPENED
    )

    assert moved(left) == moves
    freed = te.SeatReleased(
        1, ANN, MoneyType.REAL, returned, collected, te.SeatReleaseReason.DISCONNECTED, 0, OPENED, OPENED
    )
    assert moved(freed) == moves


def test_a_confirmed_wager_goes_into_play_with_all_its_spots() -> None:
    assert moved(confirmed(1, ANN, {P: 500, T: 200})) == {"ann game": -700, "table stakes": 700}


@pytest.mark.parametrize(
    ("rules", "cards", "stakes", "moves"),
    [
        (MINI, PLAYER_WINS, {P: 1000}, {"ann game": 2000, "table stakes": -1000, "table bank": -1000}),
        (MINI, PLAYER_WINS, {B: 1000}, {"table stakes": -1000, "table bank": 1000}),
        (MINI, A_TIE, {B: 1000}, {"ann game": 1000, "table stakes": -1000}),
        (MINI, A_TIE, {T: 1000}, {"ann game": 9000, "table stakes": -1000, "table bank": -8000}),
        (
            MINI,
            BANKER_WINS,
            {B: 1000},
            {"ann game": 1950, "table stakes": -1000, "table commission": 50, "table bank": -1000},
        ),
        (AC, BANKER_WINS, {B: 1000}, {"ann game": 2000, "table stakes": -1000, "table bank": -1000}),
        (
            BIG,
            BANKER_WINS,
            {B: 10_000},
            {"ann game": 19_500, "table stakes": -10_000, "ann rack": 500, "table bank": -10_000},
        ),
        (BIG, PLAYER_WINS, {B: 10_000}, {"table stakes": -10_000, "table bank": 10_000}),
        (MINI, PLAYER_WINS, {P: 1000, B: 1000}, {"ann game": 2000, "table stakes": -2000}),
    ],
)
def test_a_settlement_empties_the_stakes_and_pays_who_won(
    rules: TableRules, cards: tuple[Card, ...], stakes: dict[str, int], moves: dict[str, int]
) -> None:
    assert settlement(rules, cards, stakes) == moves


def test_a_round_is_one_entry_for_all_its_wagers() -> None:
    assert settlement(BIG, BANKER_WINS, {B: 10_000}, {P: 2500}) == {
        "ann game": 19_500, "ann rack": 500, "table stakes": -12_500, "table bank": -7_500,
    }  # fmt: skip


def test_the_end_of_a_shoe_moves_every_rack_to_commission() -> None:
    ended = te.ShoeEnded(
        shoe=SHOE,
        seed="5e" * 32,
        cards_dealt=410,
        collected=(
            te.CommissionCollected(seat=1, player=ANN, money_type=MoneyType.REAL, amount=500),
            te.CommissionCollected(seat=2, player=BEN, money_type=MoneyType.PLAY, amount=125),
        ),
        ended_at=OPENED,
    )

    assert moved(ended) == {
        "ann rack": -500, "table commission": 500, "ben rack P": -125, "table commission P": 125,
    }  # fmt: skip


@pytest.mark.parametrize(
    "event",
    [
        table_opened(),
        te.SeatChanged(player=ANN, from_seat=1, to_seat=2, changed_at=OPENED),
        te.ShoeEnded(shoe=UUID(int=1), seed="", cards_dealt=0, collected=(), ended_at=OPENED),
        opened(ANN),
        re.ChipsPlaced(seat=1, spot=P, amount=500),
        re.SeatTimedOut(seat=1),
        re.RoundLapsed(reason="no_wagers", lapsed_at=OPENED, seed=None, closing=None),
        re.RoundSuspended(reason="SeedUnavailable", suspended_at=OPENED),
    ],
    ids=lambda event: type(event).__name__,
)
def test_where_no_money_moves_there_is_no_entry(event: object) -> None:
    assert entry_for(event, 7, PLACE) is None
