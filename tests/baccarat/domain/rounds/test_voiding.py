"""Voiding a round: who may, when a second person has to agree, and what is undone."""

from dataclasses import replace
from functools import partial
from uuid import UUID

import pytest

from baccarat.domain.rounds import betting, voiding
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds import refusals as r
from baccarat.domain.rounds.events import RoundVoided, SeatVoided, VoidReason
from baccarat.domain.rounds.signed_wager import wager_id
from baccarat.domain.rounds.state import Phase, fold_round
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.table_rules import TableRules
from casino.kernel.money import MoneyType
from casino.witness.statements import ClosingKind
from tests.support.examples import (
    ANN,
    BANKER_WINS,
    BEN,
    BIG,
    CAT,
    CLOSING_INPUTS,
    DEADLINE,
    MINI,
    OPENED,
    PLAYER_WINS,
    B,
    P,
    RoundDecision,
    RoundSpec,
    closing,
    confirmed,
    deal,
    opened,
    placed,
)
from tests.support.examples import (
    ROUND as ROUND_ID,
)
from tests.support.spec import Spec

MALFUNCTION = VoidReason.MALFUNCTION


def void(*, by: str = "staff:1", seed: str | None = "5e" * 32) -> RoundDecision:
    return partial(
        voiding.void_round,
        by=by,
        reason=MALFUNCTION,
        note="The shoe jammed.",
        seed=seed,
        at=DEADLINE,
        burn=0,
        closing=CLOSING_INPUTS,
        rules=rules_for("mini", currency="EUR"),
    )


def approve(*purses: voiding.PlayerFunds, by: str = "staff:2", forgive: bool = False) -> RoundDecision:
    return partial(void(seed=None), approved_by=by, funds=purses, forgive=forgive)


def purse(
    *, game: int = 0, account: int = 0, rack: int = 0, seated: bool = True, money_type: MoneyType = MoneyType.REAL
) -> voiding.PlayerFunds:
    return voiding.PlayerFunds(player=ANN, money_type=money_type, seated=seated, game=game, account=account, rack=rack)


def settled(stakes: dict[object, int], *, banker: bool, rules: TableRules = MINI) -> RoundSpec:
    """Return Ann's wager, dealt and settled."""
    cards = BANKER_WINS if banker else PLAYER_WINS
    spec: RoundSpec = Spec(fold_round).given(opened(ANN, rules=rules), confirmed(1, ANN, stakes))  # type: ignore[arg-type]
    return spec.given(*spec.when(deal(cards, rules=rules)).events())


def undone(spec: RoundSpec) -> SeatVoided:
    (event,) = spec.events()
    assert isinstance(event, RoundVoided)
    (seat,) = event.seats
    return seat


def test_a_round_in_play_is_voided_by_one_person_and_every_stake_goes_back() -> None:
    wager = confirmed(1, ANN, {P: 1000, B: 500})
    spec = Spec(fold_round).given(opened(ANN, BEN, CAT), wager, placed(B, 500, seat=2), e.SeatPassed(seat=3))

    after = spec.when(void()).then(
        RoundVoided(
            round=ROUND_ID,
            was_settled=False,
            requested_by="staff:1",
            approved_by=None,
            reason=MALFUNCTION,
            note="The shoe jammed.",
            seats=(SeatVoided(wager_id(ROUND_ID, 1), 1, ANN, MoneyType.REAL, 1500, 0, 0, 0, 1500, 0, 0, 0, 0, 0),),
            voided_at=DEADLINE,
            seed="5e" * 32,
            number=1,
            burned_count=0,
            closing=closing(ClosingKind.VOID, wager, passed=(3,), cause=1, at=DEADLINE),
        )
    )

    assert (after.state().phase, after.state().ended_at, after.state().seed) == (Phase.VOIDED, DEADLINE, "5e" * 32)


def test_a_round_set_aside_is_voided_and_no_longer_waits() -> None:
    aside = e.RoundSuspended(reason="SeedUnavailable", suspended_at=OPENED)
    spec = Spec(fold_round).given(opened(ANN), confirmed(1, ANN, {P: 1000}), aside)

    after = spec.given(*spec.when(void(seed=None)).events())

    assert (after.state().phase, after.state().suspension_reason) == (Phase.VOIDED, None)
    after.when(voiding.resume_round, by="staff:1", at=DEADLINE).refused(r.RoundNotSuspended)
    after.when(deal(at=DEADLINE)).refused(r.RoundIsNotDue)


def test_once_the_outcome_is_known_a_void_needs_another_person() -> None:
    settled({P: 1000}, banker=False).when(void()).refused(r.VoidNeedsSecondPerson)


def test_a_round_is_voided_once() -> None:
    spec = settled({P: 1000}, banker=False)
    done = spec.given(*spec.when(approve(purse(game=1000))).events())

    done.when(void()).refused(r.RoundAlreadyVoided)
    done.when(approve(purse(), by="staff:3")).refused(r.RoundAlreadyVoided)


def test_a_round_that_lapsed_or_never_opened_has_nothing_to_void() -> None:
    lapsed = e.RoundLapsed(reason="no_wagers", lapsed_at=DEADLINE, seed=None, closing=None)

    Spec(fold_round).given(opened(ANN), lapsed).when(void()).refused(r.RoundNotVoidable)
    Spec(fold_round).when(void()).refused(r.RoundNotVoidable)


def test_a_lost_stake_goes_back_to_the_seat_or_to_the_account_of_one_who_left() -> None:
    spec = settled({P: 1000}, banker=True)

    at_the_table = undone(spec.when(approve(purse())))
    gone = undone(spec.when(approve(purse(seated=False))))

    assert (at_the_table.to_game, at_the_table.to_account) == (1000, 0)
    assert (gone.to_game, gone.to_account) == (0, 1000)


@pytest.mark.parametrize(
    ("game", "account", "forgive", "taken"),
    [
        (5000, 5000, False, (1000, 0, 0, 0)),
        (1000, 5000, False, (1000, 0, 0, 0)),
        (400, 5000, False, (400, 600, 0, 0)),
        (400, 100, False, (400, 100, 500, 0)),
        (0, 0, False, (0, 0, 1000, 0)),
        (400, 100, True, (400, 100, 0, 500)),
    ],
)
def test_winnings_are_taken_from_what_there_is_and_the_rest_is_owed_or_forgiven(
    game: int, account: int, forgive: bool, taken: tuple[int, int, int, int]
) -> None:
    spec = settled({P: 1000}, banker=False)

    seat = undone(spec.when(approve(purse(game=game, account=account), forgive=forgive)))

    assert (seat.from_game, seat.from_account, seat.owed, seat.forgiven) == taken


def test_play_money_is_never_owed() -> None:
    in_play = replace(confirmed(1, ANN, {P: 1000}), money_type=MoneyType.PLAY)
    spec: RoundSpec = Spec(fold_round).given(opened(ANN, rules=MINI, money_type=MoneyType.PLAY), in_play)
    spec = spec.given(*spec.when(deal(PLAYER_WINS, rules=MINI)).events())

    seat = undone(spec.when(approve(purse(money_type=MoneyType.PLAY))))

    assert (seat.owed, seat.forgiven) == (0, 1000)


@pytest.mark.parametrize(("rack", "from_rack"), [(0, 0), (100, 100), (125, 125), (900, 125)])
def test_commission_comes_out_of_the_rack_as_far_as_it_is_still_there(rack: int, from_rack: int) -> None:
    spec = settled({B: 2500}, banker=True, rules=BIG)

    seat = undone(spec.when(approve(purse(game=9000, rack=rack))))

    assert (seat.commission, seat.from_rack) == (125, from_rack)
    assert (seat.staked, seat.returned, seat.from_game) == (2500, 4875, 2375)


def test_nobody_deals_or_bets_in_a_void_round() -> None:
    spec = Spec(fold_round).given(opened(ANN, BEN), confirmed(1, ANN, {P: 1000}))
    after = spec.given(*spec.when(void()).events())

    after.when(deal(at=DEADLINE)).refused(r.RoundIsNotDue)
    after.when(betting.pass_turn, player=BEN, at=OPENED).refused(r.BettingIsClosed)
    assert after.state().void_of(1) is not None
    assert after.state().void_of(2) is None
    assert UUID(int=3) == after.state().require_opened().round
