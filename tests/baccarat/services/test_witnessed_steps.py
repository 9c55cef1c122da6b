"""Each step of a round with a witness: workers that die as they save it, the Caller's ceremony, one call for all."""

from collections.abc import Generator
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from baccarat.domain.rounds.state import Phase
from baccarat.services import ceremony, dealing, releasing
from tests.baccarat.services.witnessing import (
    assert_sound,
    cards_by_links,
    play,
    witnessed_table,
)
from tests.casino.witness.running import RunningWitness
from tests.services import Services
from tests.support.examples import B, P
from tests.support.house import House, deal_all, fresh_database, until


@pytest.fixture
def house(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[House]:
    with fresh_database(services, django_db_blocker):
        yield House()


class Died(BaseException):
    """The worker was killed here."""


@pytest.mark.parametrize("step", ["closing", "dealing"])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_worker_that_dies_as_it_saves_changes_nothing_or_all_of_that_step(
    house: House, witness: RunningWitness, monkeypatch: pytest.MonkeyPatch, step: str, moment: str
) -> None:
    table = witnessed_table(house)
    ann = house.seated(table)
    play(house, ann, rounds=3)
    ann.deal({B: 2500})
    in_play = house.in_hand(table).require_opened().round
    name = "_deal_claimed" if step == "closing" else "_deal_with_links"
    at = (dealing.repository, "save") if moment == "before" else (dealing, name)
    whole, calls = getattr(*at), []

    def dying(*arguments: Any, **options: Any) -> Any:
        calls.append(1)
        if moment == "before" and len(calls) == (1 if step == "closing" else 2):
            raise Died
        result = whole(*arguments, **options)
        if moment == "after":
            raise Died
        return result

    with monkeypatch.context() as killing:
        killing.setattr(*at, dying)
        with pytest.raises(Died):
            deal_all()
    found = house.round(in_play)
    expected = {
        ("closing", "before"): (Phase.BETTING, 0),
        ("closing", "after"): (Phase.CLOSED, 0),
        ("dealing", "before"): (Phase.CLOSED, 0),
        ("dealing", "after"): (Phase.SETTLED, 1),
    }
    assert (found.phase, len(found.releases)) == expected[step, moment]
    until(lambda: house.round(in_play).phase is Phase.SETTLED or dealing.release_due() > 0)
    dealt = house.round(in_play)
    assert cards_by_links(dealt) == dealt.cards
    assert [name for name in house.names(dealt) if name in {"BettingClosed", "LinksReleased", "CardsDealt"}] == [
        "BettingClosed", "LinksReleased", "CardsDealt",
    ]  # fmt: skip
    assert_sound(house, table)


@pytest.mark.parametrize("preset", ["big_table", "atlantic_city"])
def test_the_callers_cards_leave_only_after_the_links(house: House, witness: RunningWitness, preset: str) -> None:
    table = witnessed_table(house, preset, caller=True, look_seconds=60, hand_back_seconds=60)
    ann = house.seated(table)
    until(lambda: dealing.release_due() == 0)
    for number in range(3):
        before = house.state(table).last_round
        ann.deal({P: 5000})
        with pytest.MonkeyPatch.context() as silent:
            silent.setattr(releasing.PendingClosings, "ask", lambda *_: None)  # the process dies before it asks
            deal_all()
            held = house.in_hand(table)
            if held.require_opened().witnesses:
                assert (held.awaits_links(), held.ceremony) == (True, None)
        until(lambda: house.in_hand(table).ceremony is not None or dealing.release_due() > 0)
        ceremony.look(actor=ann.guest)
        ceremony.hand_back(actor=ann.guest)
        until(lambda before=before: house.state(table).last_round != before)
        names = house.names(house.last(table))
        if number == 2:
            order = ["BettingClosed", "LinksReleased", "CardsHandedOut", "CardsLookedAt", "CardsDealt", "RoundSettled"]
            assert [name for name in names if name in order] == order
    assert_sound(house, table)


def test_one_call_repeats_the_wager_and_deals_by_the_link(house: House, witness: RunningWitness) -> None:
    table = witnessed_table(house)
    ann = house.seated(table)
    play(house, ann, rounds=3)
    before = house.state(table).last_round
    ann.rebet_and_deal()
    until(lambda: house.state(table).last_round != before)
    repeated = house.last(table)
    assert (len(repeated.releases), repeated.seats[0].stakes) == (1, {B: 2500})
    assert cards_by_links(repeated) == repeated.cards
    assert_sound(house, table)
