"""Bots bet on the spots that their table's rules serve, and only as these allow."""

from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from baccarat.domain.rules.presets import PRESETS, rules_for
from baccarat.domain.rules.validation import validate
from baccarat.domain.rules.written import read_rules, write_rules
from casino.devstack.bots.bot import Bot
from casino.devstack.bots.house import rules_for_funding
from casino.kernel.money import parse_positive
from tests.support.spots import lucky_nine
from wallet.funding.events import Funding


def wagers(**rules: Any) -> list[dict[str, int]]:
    """Return what a bot bets at a table of the mini preset with these rules, some hundred times."""
    served = write_rules(rules_for("mini", currency="EUR", **rules))
    watch: Any = SimpleNamespace(state={"rules": served}, table="t")
    nobody: Any = None
    bot = Bot(nobody, watch, seat=1, money_type="play", rng=Random(7))
    return [dict(bot._stakes()) for _ in range(400)]


def test_a_bot_bets_on_every_spot_and_on_those_that_need_another_only_beside_it() -> None:
    found = wagers(spots=lucky_nine())
    assert set().union(*found) == {"player", "banker", "tie", "lucky_nine"}
    beside = [each for each in found if "lucky_nine" in each]
    assert beside
    assert all({"player", "banker"} & each.keys() and 100 <= each["lucky_nine"] <= 2500 for each in beside)


def test_a_bot_stakes_no_more_than_the_spots_own_maximum() -> None:
    pair = {"name": "pair", "maximum": "10.00", "lines": [{"when": {"player_pair": True}, "pays": "11:1"}]}
    spots = read_rules({"spots": [pair]}, partial(parse_positive, currency="EUR"))
    assert {stake for each in wagers(**spots) for stake in each.values()} == {500, 1000}


@pytest.mark.parametrize("preset", PRESETS)
def test_money_of_an_own_wallet_is_settled_at_once(preset: str) -> None:
    differs = read_rules(rules_for_funding(preset, Funding.SEAMLESS, "JPY"), partial(parse_positive, currency="JPY"))
    assert not validate(rules_for(preset, currency="JPY", **differs)).defers_commission
    assert rules_for_funding(preset, Funding.HOUSE, "JPY") == {}
