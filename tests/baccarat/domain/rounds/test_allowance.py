"""What limits and restrictions allow is part of the decision: each of them refuses by itself, in this order."""

from dataclasses import replace
from datetime import timedelta

import pytest

from baccarat.domain.rounds import betting
from baccarat.domain.rounds import refusals as r
from baccarat.domain.rounds.state import fold_round
from baccarat.domain.tables import decisions
from baccarat.domain.tables.evolve import fold_table
from casino.kernel.errors import Refusal
from casino.kernel.money import MoneyType
from tests.support.examples import AC, ANN, OPENED, P, T, confirmed, opened, placed, seat_taken, table_opened
from tests.support.spec import Spec
from wallet.ledger.refusals import DebtOutstanding, InsufficientFunds
from wallet.responsible_gaming.allowance import Allowance
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.limits import Usage
from wallet.responsible_gaming.refusals import (
    OverGroupMaximum,
    PlayerExcluded,
    PlayerIsBlocked,
    PlayLimitReached,
    UnderGroupMinimum,
)
from wallet.responsible_gaming.state import Exclusion, ExclusionKind, PlayerBlock, PlayLimit
from wallet.responsible_gaming.table_limit import OverOwnTableLimit, PersonalTableLimit

DAY = (LimitType.STAKE, LimitPeriod.DAY)
LIMIT = PlayLimit(Initiator.PLAYER, *DAY, 1000, OPENED, "EUR")
CHIPS = {
    InsufficientFunds: {"available": 999},
    OverOwnTableLimit: {"own": PersonalTableLimit(999, "EUR", OPENED, OPENED + timedelta(days=7))},
    OverGroupMaximum: {"maximum": 999},
    PlayerIsBlocked: {"block": PlayerBlock("Call us.", OPENED)},
    PlayerExcluded: {"exclusion": Exclusion(ExclusionKind.SELF_EXCLUSION, Initiator.PLAYER, OPENED, None)},
    r.DailyWinsReached: {"bets_stopped": True},
}
WAGER = {
    UnderGroupMinimum: {"minimum": 1001},
    DebtOutstanding: {"owed": 1},
    PlayLimitReached: {"limits": {DAY: LIMIT}, "usage": Usage({DAY: 1}, slot_counted=True)},
}
ENOUGH = Allowance(1000, "EUR")


@pytest.mark.parametrize("refusal", [*CHIPS, *WAGER])
def test_each_refuses_a_wager(refusal: type[Refusal]) -> None:
    spec = Spec(fold_round).given(opened(ANN), placed(P, 1000))
    allowance = replace(ENOUGH, **(CHIPS | WAGER)[refusal])
    spec.when(betting.confirm_wager, player=ANN, allowance=allowance, rules=AC, at=OPENED).refused(refusal)


@pytest.mark.parametrize("refusal", CHIPS)
def test_each_that_is_about_chips_refuses_them_before_they_are_a_wager(refusal: type[Refusal]) -> None:
    allowance = replace(ENOUGH, **CHIPS[refusal])
    ann, asked = Spec(fold_round).given(opened(ANN)), {"player": ANN, "allowance": allowance, "rules": AC, "at": OPENED}

    ann.when(betting.place_chips, spot=P, amount=1000, **asked).refused(refusal)
    ann.when(betting.repeat_wager, stakes={P: 1000}, **asked).refused(refusal)
    ann.given(placed(P, 500)).when(betting.double_stakes, **asked).refused(refusal)


@pytest.mark.parametrize("refusal", WAGER)
def test_what_is_about_wagers_lets_chips_be_placed(refusal: type[Refusal]) -> None:
    allowance = replace(ENOUGH, **WAGER[refusal])
    asked = {"player": ANN, "spot": P, "amount": 1000, "allowance": allowance, "rules": AC, "at": OPENED}
    Spec(fold_round).given(opened(ANN)).when(betting.place_chips, **asked).then(placed(P, 1000))


def test_of_several_reasons_the_first_one_refuses() -> None:
    spec, left = Spec(fold_round).given(opened(ANN), placed(P, 1000)), CHIPS | WAGER
    order = [InsufficientFunds, OverOwnTableLimit, OverGroupMaximum, UnderGroupMinimum, PlayerIsBlocked, PlayerExcluded]
    for refusal in (*order, r.DailyWinsReached, DebtOutstanding, PlayLimitReached):
        changes = {name: value for facts in left.values() for name, value in facts.items()}
        wager = {"player": ANN, "allowance": replace(ENOUGH, **changes), "rules": AC, "at": OPENED}
        spec.when(betting.confirm_wager, **wager).refused(refusal)
        del left[refusal]


def test_limits_are_of_a_spot_and_headroom_is_of_the_whole_wager() -> None:
    spec = Spec(fold_round).given(opened(ANN), placed(P, 600), placed(T, 500))
    wager = {"player": ANN, "rules": AC, "at": OPENED}
    limited = replace(ENOUGH, available=1100, maximum=600, limits={DAY: LIMIT}, usage=Usage(slot_counted=True))

    refusal = spec.when(betting.confirm_wager, allowance=limited, **wager).refused(
        PlayLimitReached, limit="10.00", remaining="10.00", available_at=None
    )
    assert refusal.excess.shortfall == 100
    for allowed in (replace(limited, limits={}), replace(limited, real_money=False)):
        spec.when(betting.confirm_wager, allowance=allowed, **wager).then(confirmed(1, ANN, {P: 600, T: 500}))


@pytest.mark.parametrize("refusal", [PlayerIsBlocked, PlayerExcluded, DebtOutstanding, PlayLimitReached])
def test_whoever_may_not_wager_buys_no_chips(refusal: type[Refusal]) -> None:
    full = {"limits": {DAY: LIMIT}, "usage": Usage({DAY: 1000}, slot_counted=True)}
    allowance = replace(ENOUGH, **(full if refusal is PlayLimitReached else (CHIPS | WAGER)[refusal]))
    table = Spec(fold_table).given(table_opened())
    seat = {"player": ANN, "allowance": allowance, "at": OPENED}

    table.when(decisions.take_seat, seat=1, money_type=MoneyType.REAL, buy_in=1000, **seat).refused(refusal)
    table.given(seat_taken(1, ANN)).when(decisions.rebuy, amount=1, **seat).refused(refusal)
