"""A game balance under the minimum is a notice that names the ways out, and says what of them is possible now."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from baccarat.domain.rounds.state import INITIAL as NO_ROUND
from baccarat.domain.rounds.state import RoundState, fold_round
from baccarat.domain.tables.state import Seat
from baccarat.queries.low_balance import present_low_balance
from casino.kernel.money import MoneyType
from tests.support.examples import AC, ANN, BEN, DEADLINE, MINI, P, confirmed, opened, placed
from tests.support.shapes import as_json
from wallet.payments.funding_options import FundingOptions, LastDeposit
from wallet.responsible_gaming.events import Initiator
from wallet.responsible_gaming.state import Exclusion, ExclusionKind

SEAT = Seat(seat=1, player=ANN, money_type=MoneyType.REAL)
RICH = FundingOptions(balance=12_345)
METHOD = UUID(int=77)
UNTIL = as_json(DEADLINE)


def notice(
    balance: int = 499, means: FundingOptions = RICH, *, seat: Seat = SEAT, round_: RoundState = NO_ROUND
) -> dict[str, Any]:
    found: dict[str, Any] | None = as_json(
        present_low_balance(seat=seat, rules=MINI, round_=round_, balance=balance, funding_options=means)
    )
    assert found is not None
    return found


def ways(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {option["type"]: option for option in found["funding_options"]}


def test_a_balance_of_the_minimum_is_enough() -> None:
    assert present_low_balance(seat=SEAT, rules=MINI, round_=NO_ROUND, balance=500, funding_options=RICH) is None


def test_it_says_how_much_is_missing_and_how_much_a_rebuy_can_bring() -> None:
    found = notice(123)

    assert (found["code"], found["minimum"]["amount"], found["shortfall"]["amount"]) == (
        "under_minimum",
        "5.00",
        "3.77",
    )
    rebuy = ways(found)["rebuy"]
    assert (rebuy["available"], rebuy["when"], rebuy["amount"]) == (
        True,
        "now",
        {"amount": "123.45", "currency": "EUR"},
    )
    assert set(ways(found)) == {"rebuy", "deposit"}


@pytest.mark.parametrize(
    "means", [FundingOptions(balance=0), FundingOptions(balance=500, owed=1)], ids=["empty account", "debt"]
)
def test_a_rebuy_needs_money_and_no_debt(means: FundingOptions) -> None:
    assert ways(notice(means=means))["rebuy"]["available"] is False


@pytest.mark.parametrize("money_type", MoneyType)
def test_who_stays_away_is_told_until_when_by_every_way(money_type: MoneyType) -> None:
    away = Exclusion(ExclusionKind.COOLING_OFF, Initiator.PLAYER, DEADLINE, DEADLINE)
    means = FundingOptions(
        balance=500, owed=1, last_deposit=LastDeposit(METHOD, "Card", 5000, method_available=False), exclusion=away
    )

    found = ways(notice(means=means, seat=replace(SEAT, money_type=money_type)))

    assert all(not way["available"] for way in found.values())
    assert all(way["unavailable"] == {"code": "player_excluded", "until": UNTIL} for way in found.values())


def test_a_way_that_is_closed_says_why() -> None:
    owing = ways(
        notice(
            means=FundingOptions(
                balance=0, owed=1, last_deposit=LastDeposit(METHOD, "Card", 5000, method_available=False)
            )
        )
    )

    assert owing["rebuy"]["unavailable"] == {"code": "debt_outstanding", "until": None}
    assert owing["quick_deposit"]["unavailable"] == {"code": "method_unavailable", "until": None}
    assert owing["deposit"]["unavailable"] is None
    assert ways(notice(means=FundingOptions(balance=0)))["rebuy"]["unavailable"] == {
        "code": "account_empty",
        "until": None,
    }


def test_with_a_wager_in_play_a_rebuy_waits_for_its_round() -> None:
    round_ = fold_round((opened(ANN, BEN, rules=AC), confirmed(1, ANN, {P: 500})))

    rebuy = ways(notice(round_=round_))["rebuy"]

    assert (rebuy["when"], rebuy["deadline_at"]) == ("after_round", UNTIL)
    only_placed = fold_round((opened(ANN, BEN, rules=AC), placed(P, 500)))
    assert ways(notice(round_=only_placed))["rebuy"]["when"] == "now"


@pytest.mark.parametrize("is_open", [True, False])
def test_a_quick_deposit_repeats_the_last_one_if_its_method_is_still_offered(*, is_open: bool) -> None:
    means = replace(RICH, last_deposit=LastDeposit(METHOD, "Card", 5000, is_open))

    quick = ways(notice(means=means))["quick_deposit"]

    assert (quick["available"], quick["method"], quick["name"]) == (is_open, str(METHOD), "Card")
    assert quick["amount"] == {"amount": "50.00", "currency": "EUR"}


def test_play_money_is_topped_up_and_never_deposited() -> None:
    found = notice(seat=replace(SEAT, money_type=MoneyType.PLAY))

    assert set(ways(found)) == {"rebuy", "top_up"}
