"""What the page shows follows from a table's state and the server's time: every phase, without a contradiction."""

import base64
from collections.abc import Callable, Generator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from baccarat.domain import dealer
from baccarat.domain.rounds import betting, dealing, voiding
from baccarat.domain.rounds.events import RoundEvent
from baccarat.domain.rounds.state import INITIAL, RoundState, fold_round
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables import decisions
from baccarat.domain.tables.kill_switch import PlayStopped, StopScope
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.queries.round_view import present_round
from baccarat.queries.table_view import present_table, present_table_state
from tests.baccarat.domain.test_dealer import bet, finish, fresh, in_round
from tests.support.examples import (
    ANN,
    BANKER_WINS,
    BEN,
    DEADLINE,
    OPENED,
    P,
    confirm,
    deal,
    opened,
    place,
)
from tests.support.shapes import as_json
from wallet.funding.events import Funding
from wallet.payments.funding_options import DisplayedBalance, PlayerWallet

MODULE = Path(__file__).parents[3] / "baccarat/web/static/play/js/core/phase.js"
SHOWN = rules_for("atlantic_city", currency="EUR")
CALLED = rules_for("big_table", currency="EUR")
SECOND = timedelta(seconds=1)
Phases = Callable[[dict[str, Any], datetime], tuple[str, datetime | None, int | None]]


@pytest.fixture(scope="module")
def call(browser: Browser) -> Generator[Callable[..., Any]]:
    """Return `call(name, *arguments)`, which calls a function of the module in the browser."""
    page = browser.new_page()
    source = base64.b64encode(MODULE.read_bytes()).decode()
    run = f"async ([name, given]) => (await import('data:text/javascript;base64,{source}'))[name](...given)"
    yield lambda name, *given: page.evaluate(run, [name, list(given)])
    page.close()


@pytest.fixture
def phase(call: Callable[..., Any]) -> Phases:
    """Return `phase(state, now)`: the phase, when it ends, and the seconds left."""

    def phase_of(state: dict[str, Any], now: datetime) -> tuple[str, datetime | None, int | None]:
        answer = call("phaseOf", state, milliseconds(now))
        until = answer["until"]
        ends = None if until is None else OPENED + timedelta(milliseconds=round(until - milliseconds(OPENED)))
        return answer["phase"], ends, answer["seconds"]

    return phase_of


def milliseconds(moment: datetime) -> float:
    return moment.timestamp() * 1000


def state_of(work: UnitOfWork, last: RoundState = INITIAL) -> dict[str, Any]:
    """Return the table as the API presents it to Ann."""
    current = INITIAL if work.table.round is None else work.round
    rules = work.table.rules
    state = present_table_state(work.table, current, viewer=ANN, now=OPENED, game_balance=DisplayedBalance(1_000_000))
    shown = None if last.opened is None else present_round(last, viewer=ANN, rules=rules)
    document: dict[str, Any] = as_json(present_table(state, work.table, shown, {}, PlayerWallet(Funding.HOUSE, {})))
    return document


def settled(rules: TableRules = SHOWN) -> tuple[UnitOfWork, dict[str, Any]]:
    """Play a round of Ann and Ben, and return the table while its deal is shown."""
    work = in_round(ANN, BEN, rules=rules)
    for player in (ANN, BEN):
        bet(work, player)
    finish(work)
    return work, state_of(work, work.round)


def test_place_your_bets_until_the_deadline_then_no_more_bets(phase: Phases) -> None:
    state = state_of(in_round(ANN, BEN, rules=SHOWN))
    assert phase(state, OPENED) == ("betting", DEADLINE, 15)
    assert phase(state, DEADLINE - SECOND) == ("betting", DEADLINE, 1)
    assert phase(state, DEADLINE) == ("closed", None, None)


def test_no_more_bets_as_soon_as_all_have_acted(phase: Phases) -> None:
    work = in_round(ANN, BEN, rules=SHOWN)
    bet(work, ANN)
    assert phase(state_of(work), OPENED)[0] == "betting"
    work.on_round(betting.pass_turn, player=BEN, at=OPENED)
    assert phase(state_of(work), OPENED) == ("closed", None, None)


def test_after_the_settlement_the_deal_the_result_and_a_pause_until_betting_opens(phase: Phases) -> None:
    work, state = settled()
    opens = work.table.betting_opens_at
    assert opens is not None
    result, pause = opens - timedelta(milliseconds=3550), opens - timedelta(milliseconds=800)
    moment = timedelta(milliseconds=1)
    assert phase(state, OPENED)[:2] == ("deal", result)
    assert phase(state, result - moment)[0] == "deal"
    assert phase(state, result) == ("result", pause, 3)
    assert phase(state, pause) == ("pause", opens, 1)
    assert phase(state, opens + SECOND) == ("pause", opens, 0)

    dealer.end_show(work, entropy=fresh(2), now=opens)
    assert phase(state_of(work), opens) == ("betting", opens + timedelta(seconds=15), 15)


def test_where_play_is_instant_the_next_turn_follows_the_last(phase: Phases) -> None:
    work = in_round(ANN)
    bet(work, ANN)
    finish(work)
    assert phase(state_of(work), OPENED) == ("betting", DEADLINE, 15)


def test_a_table_without_turns_is_idle_after_the_show(phase: Phases) -> None:
    work = in_round(ANN, rules=rules_for("mini", currency="EUR"))
    bet(work, ANN)
    finish(work)
    state = state_of(work, work.round)
    assert phase(state, OPENED)[0] == "deal"
    assert phase(state, OPENED + timedelta(minutes=1)) == ("idle", None, None)


def test_a_table_where_nothing_is_planned_is_idle_and_a_stopped_one_is_stopped(phase: Phases) -> None:
    work = in_round(ANN, BEN, rules=SHOWN)
    finish(work, at=DEADLINE)
    assert phase(state_of(work), DEADLINE) == ("idle", None, None)
    work.on_table(decisions.switch_play, PlayStopped(StopScope.TABLE, "", "Stopped", "reason", "staff:1", OPENED))
    assert phase(state_of(work), DEADLINE) == ("stopped", None, None)


def test_a_stop_shows_the_deal_to_its_end_and_takes_no_bets_in_a_turn(phase: Phases) -> None:
    stop = PlayStopped(StopScope.TABLE, "", "Stopped", "reason", "staff:1", OPENED)
    work, _ = settled()
    opens = work.table.betting_opens_at
    assert opens is not None
    work.on_table(decisions.switch_play, stop)
    state = state_of(work, work.round)
    assert [phase(state, moment)[0] for moment in (OPENED, opens)] == ["deal", "stopped"]

    betting = in_round(ANN, BEN, rules=SHOWN)
    betting.on_table(decisions.switch_play, stop)
    assert phase(state_of(betting), OPENED) == ("stopped", None, None)


def test_a_suspended_round_waits_for_a_person(phase: Phases) -> None:
    work = in_round(ANN, BEN, rules=SHOWN)
    bet(work, ANN)
    work.on_round(voiding.suspend_round, reason="failure", at=OPENED)
    assert phase(state_of(work), OPENED) == ("suspended", None, None)


def test_the_ceremony_lasts_as_long_as_the_seat_may_keep_the_cards(phase: Phases) -> None:
    state = state_of(in_round(ANN, BEN, rules=SHOWN))
    events: list[RoundEvent] = [opened(ANN, rules=CALLED)]
    for command in (
        place(P, CALLED.minimum, by=ANN, rules=CALLED),
        confirm(by=ANN, rules=CALLED),
        deal(BANKER_WINS, rules=CALLED),
    ):
        events += command(fold_round(events))
    round_ = fold_round(events)
    state["round"] = as_json(present_round(round_, viewer=ANN, rules=CALLED))
    assert phase(state, OPENED) == ("ceremony", OPENED + timedelta(seconds=10), 10)

    round_ = fold_round([*events, *dealing.hand_back_cards(round_, player=ANN, at=OPENED)])
    state["round"] = as_json(present_round(round_, viewer=ANN, rules=CALLED))
    assert phase(state, OPENED) == ("closed", None, None)


@pytest.mark.parametrize(
    ("cards", "natural", "ceremony", "length"),
    [
        (4, False, False, SHOWN.show_milliseconds.two_cards),
        (4, True, False, SHOWN.show_milliseconds.natural),
        (5, False, False, SHOWN.show_milliseconds.one_third_card),
        (6, False, False, SHOWN.show_milliseconds.two_third_cards),
        (6, False, True, SHOWN.show_milliseconds.two_third_cards + SHOWN.show_milliseconds.ceremony),
    ],
)
def test_the_shows_of_the_presets_are_shown_at_normal_speed(
    call: Callable[..., Any], cards: int, natural: bool, ceremony: bool, length: int
) -> None:
    shown = {"ended_at": OPENED.isoformat(), "cards": ["2c"] * cards, "natural": natural,
             "ceremony": {"seat": 1} if ceremony else None}  # fmt: skip
    opens = OPENED + timedelta(milliseconds=length)
    times = call("showTimes", shown, opens.isoformat())
    end = milliseconds(opens)
    assert times == pytest.approx(
        {"start": milliseconds(OPENED), "result": end - 3550, "pause": end - 800, "end": end}, abs=0.01
    )
    half = call("showTimes", shown, (OPENED + timedelta(milliseconds=length / 2)).isoformat())
    assert half["end"] - half["pause"] == pytest.approx(400, abs=0.01)
