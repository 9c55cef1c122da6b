"""The machinery is whole: no event without its effect, none that is not stored."""

from typing import Any, get_args

import pytest

from baccarat.domain.rounds import events as re
from baccarat.domain.rounds import state as round_state
from baccarat.domain.tables import events as te
from baccarat.domain.tables import evolve
from baccarat.domain.tables.state import INITIAL as NO_TABLE
from baccarat.storage.event_registry import CATALOGUE
from tests.support.examples import ANN, opened
from tests.support.spec import Spec


def test_every_round_event_has_its_effect() -> None:
    assert set(round_state._APPLY) == set(get_args(re.RoundEvent))


def test_what_moves_a_table_is_known() -> None:
    silent = {te.Rebought, te.ShoeRevealed}
    said = {
        re.ChipsPlaced, re.PlacementUndone, re.ChipsCleared, re.StakesRebet, re.SeatPassed, re.SeatTimedOut,
    }  # fmt: skip
    of_a_round = said | {
        re.RoundOpened,
        re.WagerConfirmed,
        re.CardsForced,
        re.BettingClosed,
        re.LinksReleased,
        re.CardsDealt,
        re.RoundSettled,
        re.RoundLapsed,
        re.RoundVoided,
    }

    assert set(evolve._APPLY) == (set(get_args(te.TableEvent)) - silent) | of_a_round


@pytest.mark.parametrize("event", [*get_args(re.RoundEvent), *get_args(te.TableEvent)], ids=lambda kind: kind.__name__)
def test_every_event_can_be_stored(event: type[Any]) -> None:
    assert event.__name__ in CATALOGUE


def test_what_was_never_opened_has_no_facts() -> None:
    with pytest.raises(LookupError):
        round_state.INITIAL.require_opened()
    with pytest.raises(LookupError):
        _ = NO_TABLE.rules


def test_applying_changes_no_state_that_was_there_before() -> None:
    before = Spec(round_state.fold_round).given(opened(ANN)).state()
    seat = before.seats[0]

    after = round_state.evolve(before, re.SeatPassed(seat=1))

    assert before.seats[0] is seat
    assert after.seats[0] != seat
