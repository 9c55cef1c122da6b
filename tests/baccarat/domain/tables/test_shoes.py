"""A long shoe: burning, the cut card, one more round, and the end with its collection (rules, section 2)."""

import hashlib
from dataclasses import replace
from functools import partial
from uuid import UUID

import pytest

from baccarat.domain.fairness.closing import NO_DIGEST
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.links import SignedRelease
from baccarat.domain.fairness.shuffle import Link
from baccarat.domain.fairness.terms import Terms, WitnessIndex
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.cut import MAX_CUT_CHANGES
from baccarat.domain.rounds.events import RoundVoided, SeatVoided, VoidReason
from baccarat.domain.rounds.refusals import CutChangedTooOften, NoShoeToCut
from baccarat.domain.rounds.signed_wager import wager_id
from baccarat.domain.rules.cards import FULL_DECK, Card
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.recorded import record
from baccarat.domain.tables import decisions, shoes
from baccarat.domain.tables import events as e
from baccarat.domain.tables import refusals as r
from baccarat.domain.tables.events import RevealedSeed, ShoeCommitted, ShoeCutContributed, TableClosed
from baccarat.domain.tables.evolve import fold_table
from baccarat.domain.tables.shoes import burn_count
from baccarat.domain.tables.witness_events import links_of_shoe
from casino.kernel.money import MoneyType
from casino.witness.statements import ClosingKind
from tests.support.drawings import cut_from
from tests.support.examples import (
    ANN,
    BEN,
    BIG,
    CAT,
    CLOSING_INPUTS,
    MINI,
    OPENED,
    ROUND,
    SHOE,
    B,
    TableDecision,
    closing,
    confirmed,
    opened,
    seat_taken,
    sit,
    table_opened,
)
from tests.support.examples import TABLE as TABLE_ID
from tests.support.spec import Spec

ROOT = "40" * 32
RELEASE = SignedRelease("cc", "", time_ms=0, number=0, previous="", signature="", path="")
BEFORE_THE_CUT = 8 * 52 - 14


def start(first_card: str | None = "5h") -> TableDecision:
    turned = None if first_card is None else Card(first_card)
    return partial(shoes.start_shoe, first_card=turned, root=ROOT, closing=CLOSING_INPUTS, at=OPENED)


def committed(number: int = 1) -> ShoeCommitted:
    return ShoeCommitted(SHOE, number, commitment="c0" * 32, committed_at=OPENED, shape=BIG.shape)


def given(player: UUID, contribution: str, *, seat: int = 1) -> ShoeCutContributed:
    return ShoeCutContributed(shoe=SHOE, seat=seat, player=player, contribution=contribution, contributed_at=OPENED)


def cut(player: UUID, contribution: str) -> TableDecision:
    return partial(shoes.contribute, player=player, contribution=contribution, at=OPENED)


def started(turned: str = "5h", burned: int = 5, number: int = 1) -> e.ShoeStarted:
    return e.ShoeStarted(
        shoe=SHOE,
        number=number,
        commitment="c0" * 32,
        turned_card=Card(turned),
        burned_count=burned,
        started_at=OPENED,
        first_round=1,
        contributions=(),
        cut=cut_from("c0" * 32).hex(),
        root=ROOT,
        closing=closing(ClosingKind.SHOE, terms=terms_of_shoe()),
    )


def terms_of_shoe() -> str:
    """Return the digest of the terms that a long shoe's closing pins: of its first round, before a card is out."""
    return Terms(
        table=TABLE_ID,
        number=1,
        shoe=SHOE,
        next_place=0,
        cards=hashlib.sha256().hexdigest(),
        rules=record(BIG).digest,
        commitment="c0" * 32,
        cut=cut_from("c0" * 32).hex(),
        witnesses=(),
        next_commitment=NO_DIGEST,
    ).digest()


def dealt(position: int, count: int) -> re.CardsDealt:
    return re.CardsDealt(shoe_position=position, cards=FULL_DECK[:count], next_terms=None)


def settled(*owed: tuple[int, UUID, int]) -> re.RoundSettled:
    wagers = tuple(
        re.SeatSettled(
            wager=wager_id(ROUND, seat),
            seat=seat,
            player=player,
            money_type=MoneyType.REAL,
            results=(),
            staked=1,
            won=commission * 20,
            commission=commission,
            deferred=True,
            returned=commission * 20 + 1,
        )
        for seat, player, commission in owed
    )
    return re.RoundSettled(
        outcome=Outcome.BANKER,
        player_total=1,
        banker_total=2,
        natural=False,
        wagers=wagers,
        settled_at=OPENED,
        betting_opens_at=OPENED,
        seed=None,
    )


@pytest.mark.parametrize(
    ("turned", "burned"),
    [("Ac", 1), ("2d", 2), ("5h", 5), ("9s", 9), ("Tc", 10), ("Jd", 10), ("Qh", 10), ("Ks", 10)],
)
def test_as_many_cards_are_burned_as_the_first_one_has_points_and_ten_for_a_ten_or_court_card(
    turned: str, burned: int
) -> None:
    assert burn_count(Card(turned)) == burned
    spec = Spec(fold_table).given(table_opened(BIG), committed()).when(start(turned)).then(started(turned, burned))
    shoe = spec.state().shoe
    assert shoe is not None
    assert shoe.cards_used == 1 + burned


def test_a_table_that_burns_none_starts_with_the_first_card() -> None:
    spec = Spec(fold_table).given(table_opened(replace(BIG, burn=False)), committed())
    (event,) = spec.when(start(None)).events()

    shoe = spec.given(event).state().shoe

    assert shoe is not None
    assert shoe.cards_used == 0


def test_one_shoe_at_a_time() -> None:
    spec = Spec(fold_table).given(table_opened(BIG))

    spec.when(shoes.end_shoe, seed="5e" * 32, at=OPENED).refused(r.NoShoe)
    spec.when(start()).refused(r.NoShoeCommitted)
    spec.given(started()).when(start()).refused(r.ShoeIsRunning)


def test_the_next_shoe_has_the_next_number() -> None:
    ended = e.ShoeEnded(shoe=SHOE, seed="5e" * 32, cards_dealt=410, collected=(), ended_at=OPENED)

    spec = Spec(fold_table).given(table_opened(BIG), committed(), started(), committed(2), ended)
    spec.when(start("Kd")).then(started("Kd", 10, number=2))


def test_the_next_shoe_is_committed_to_once_and_ahead_of_its_start() -> None:
    spec = Spec(fold_table).given(table_opened(BIG))
    commit = partial(shoes.commit_shoe, shoe=SHOE, commitment="c0" * 32, at=OPENED)

    spec.when(commit).then(committed()).when(commit).refused(r.ShoeIsCommitted)
    assert spec.given(committed(), started()).when(commit).then(committed(2)).state().next_shoe is not None


def test_who_sits_may_add_to_the_cut_of_the_next_shoe_and_the_last_word_of_a_seat_counts() -> None:
    spec = Spec(fold_table).given(table_opened(BIG), committed(), seat_taken(1, ANN), seat_taken(2, BEN))

    spec.when(cut(CAT, "aa")).refused(r.NotSeated)
    spec = spec.when(cut(BEN, "bb")).then(given(BEN, "bb", seat=2)).when(cut(ANN, "aa")).then(given(ANN, "aa"))
    assert list(spec.when(cut(ANN, "aa")).events()) == []
    (event,) = spec.when(cut(ANN, "ac")).then(given(ANN, "ac")).when(start()).events()

    contributions = (Contribution(1, "ac"), Contribution(2, "bb"))
    assert (event.contributions, event.cut) == (contributions, cut_from("c0" * 32, (1, "ac"), (2, "bb")).hex())
    assert spec.given(event).state().next_shoe is None
    spec.given(event).when(cut(ANN, "ad")).refused(NoShoeToCut)


def test_a_seat_can_flood_a_shoe_no_more_than_a_few_times_and_the_next_player_there_starts_anew() -> None:
    spec = Spec(fold_table).given(table_opened(BIG), committed(), seat_taken(1, ANN))
    for number in range(MAX_CUT_CHANGES):
        spec = spec.when(cut(ANN, f"{number:02x}")).then(given(ANN, f"{number:02x}"))

    spec.when(cut(ANN, "ff")).refused(CutChangedTooOften, max_changes=MAX_CUT_CHANGES)
    left = e.SeatLeft(seat=1, player=ANN, money_type=MoneyType.REAL, returned=0, commission_collected=0, left_at=OPENED)
    spec = spec.given(left, seat_taken(1, BEN)).when(cut(BEN, "ff")).then(given(BEN, "ff"))
    coming = spec.state().next_shoe
    assert coming is not None
    assert [(each.seat, each.player, each.contribution) for each in coming.contributions] == [(1, BEN, "ff")]


def test_a_closed_table_reveals_what_it_committed_to_and_takes_nobody_any_more() -> None:
    other = UUID(int=98)
    spec = Spec(fold_table).given(
        table_opened(BIG), committed(), started(), replace(committed(2), shoe=other), seat_taken(1, ANN)
    )
    close = partial(decisions.close_table, by="staff:1", reason="worn", seeds={SHOE: "5e" * 32}, at=OPENED)
    left = e.SeatLeft(seat=1, player=ANN, money_type=MoneyType.REAL, returned=0, commission_collected=0, left_at=OPENED)

    spec.when(close).refused(r.TableIsOccupied)
    seeds = (RevealedSeed(SHOE, "5e" * 32), RevealedSeed(other, None))
    spec = spec.given(left).when(close).then(TableClosed("staff:1", "worn", OPENED, seeds))

    assert list(spec.when(close).events()) == []
    spec.when(sit(1)).refused(r.TableIsClosed)


def test_the_round_in_hand_is_finished_and_one_more_is_played() -> None:
    spec = Spec(fold_table).given(table_opened(BIG), started())

    def shoe(*events: re.CardsDealt) -> tuple[bool, bool]:
        found = spec.given(*events).state().shoe
        assert found is not None
        return found.cut_card_out, found.finished

    to_the_cut = dealt(BEFORE_THE_CUT - 6, 6)
    assert shoe(to_the_cut) == (False, False)
    assert shoe(dealt(BEFORE_THE_CUT - 5, 6)) == (True, False)
    assert shoe(to_the_cut, dealt(BEFORE_THE_CUT, 4)) == (True, False)
    assert shoe(to_the_cut, dealt(BEFORE_THE_CUT, 4), dealt(BEFORE_THE_CUT + 4, 4)) == (True, True)


def test_cards_burned_with_a_void_round_count_as_dealt() -> None:
    spec = Spec(fold_table).given(table_opened(BIG), started(), opened(ANN, rules=BIG))

    def shoe(*events: re.CardsDealt | RoundVoided) -> tuple[int, bool, bool]:
        found = spec.given(*events).state().shoe
        assert found is not None
        return found.cards_used, found.cut_card_out, found.finished

    assert shoe(voided(burned=0)) == (6, False, False)
    assert shoe(voided(burned=6)) == (12, False, False)
    assert shoe(dealt(BEFORE_THE_CUT - 6, 4), voided(burned=6)) == (BEFORE_THE_CUT + 4, True, False)
    assert shoe(dealt(BEFORE_THE_CUT - 3, 4), voided(burned=6)) == (BEFORE_THE_CUT + 7, True, True)


def voided(*, burned: int) -> RoundVoided:
    return RoundVoided(
        round=ROUND,
        was_settled=False,
        requested_by="staff:1",
        approved_by=None,
        reason=VoidReason.OTHER,
        note="x",
        seats=(),
        voided_at=OPENED,
        seed=None,
        number=1,
        burned_count=burned,
        closing=None,
    )


def test_a_table_that_shuffles_each_round_has_no_shoe_to_run_down() -> None:
    assert Spec(fold_table).given(table_opened(MINI), dealt(0, 6)).state().shoe is None


def test_commission_owed_grows_round_by_round_for_the_seat_that_owes_it() -> None:
    spec = Spec(fold_table).given(
        table_opened(BIG), seat_taken(1, ANN), seat_taken(2, BEN), settled((1, ANN, 500), (2, BEN, 125)),
        settled((1, ANN, 40)),
    )  # fmt: skip

    assert [(seat.player, seat.owed) for seat in spec.state().seats] == [(ANN, 540), (BEN, 125)]


def test_commission_that_was_taken_at_once_is_not_owed() -> None:
    event = settled((1, ANN, 500))
    at_once = replace(event, wagers=tuple(replace(wager, deferred=False) for wager in event.wagers))

    assert Spec(fold_table).given(table_opened(BIG), seat_taken(1, ANN), at_once).state().seats[0].owed == 0


def test_the_end_of_the_shoe_empties_the_racks_of_those_who_owe() -> None:
    spec = Spec(fold_table).given(
        table_opened(BIG), started(), seat_taken(1, ANN), seat_taken(2, BEN),
        seat_taken(3, CAT, money_type=MoneyType.PLAY),
        dealt(6, 5), settled((1, ANN, 500), (3, CAT, 125)),
    )  # fmt: skip
    real = e.CommissionCollected(seat=1, player=ANN, money_type=MoneyType.REAL, amount=500)
    play = e.CommissionCollected(seat=3, player=CAT, money_type=MoneyType.PLAY, amount=125)

    after = spec.when(shoes.end_shoe, seed="5e" * 32, at=OPENED).then(
        e.ShoeEnded(shoe=SHOE, seed="5e" * 32, cards_dealt=11, collected=(real, play), ended_at=OPENED)
    )

    assert after.state().shoe is None
    assert [seat.owed for seat in after.state().seats] == [0, 0, 0]


def test_a_void_takes_commission_out_of_the_racks_that_held_it_and_leaves_the_others() -> None:
    wager = wager_id(ROUND, 1)
    seat = SeatVoided(wager, 1, ANN, MoneyType.REAL, 1000, 0, 500, 300, 1000, 0, 0, 0, 0, 0)
    undone = replace(voided(burned=0), seats=(seat,))
    history = (table_opened(BIG), seat_taken(1, ANN), seat_taken(2, BEN), settled((1, ANN, 500), (2, BEN, 125)), undone)

    assert [(seat.player, seat.owed) for seat in fold_table(history).seats] == [(ANN, 200), (BEN, 125)]


def test_what_a_seat_owes_moves_with_its_player() -> None:
    moved = e.SeatChanged(player=ANN, from_seat=1, to_seat=7, changed_at=OPENED)
    history = (table_opened(BIG), seat_taken(1, ANN), settled((1, ANN, 500)), moved, seat_taken(1, BEN))

    assert [(seat.seat, seat.owed) for seat in fold_table(history).seats] == [(1, 0), (7, 500)]


def test_a_confirmed_wager_is_what_rebet_will_repeat_until_the_next_one() -> None:
    history = (table_opened(BIG), seat_taken(1, ANN), opened(ANN, rules=BIG), confirmed(1, ANN, {B: 2500}), settled())

    assert fold_table(history).seats[0].last_wager == {B: 2500}


def test_the_last_round_is_the_last_one_that_was_settled() -> None:
    first, second = opened(ANN), opened(ANN, round=UUID(int=99), number=2)
    lapsed = re.RoundLapsed(reason="no_wagers", lapsed_at=OPENED, seed=None, closing=None)

    state = fold_table((table_opened(), seat_taken(1, ANN), first, settled(), second, lapsed))

    assert (state.round, state.last_round, state.rounds) == (None, first.round, 2)


def test_the_links_of_a_shoe_are_taken_once() -> None:
    cut = (
        Spec(fold_table)
        .given(table_opened(BIG), committed())
        .when(shoes.close_cut_of_shoe, closing=CLOSING_INPUTS, at=OPENED)
    )
    links = partial(shoes.receive_links, shoe=SHOE, releases=())
    cut.then(*cut.events()).when(links).then(e.ShoeLinksReleased(SHOE, ())).when(links).then()


def test_a_shoes_links_are_those_that_its_own_closing_names() -> None:
    first, second = UUID(int=1), UUID(int=2)
    release = replace(RELEASE, link="11" * 32), replace(RELEASE, link="22" * 32)
    events = [
        e.ShoeCutClosed(first, OPENED, (WitnessIndex("cc", 4),), closing(ClosingKind.SHOE)),
        e.ShoeLinksReleased(first, release[:1]),
        e.ShoeCutClosed(second, OPENED, (WitnessIndex("cc", 5),), closing(ClosingKind.SHOE)),
        e.ShoeLinksReleased(second, release[1:]),
    ]

    assert links_of_shoe(first, events) == (Link("cc", 4, "11" * 32),)
    assert links_of_shoe(second, events) == (Link("cc", 5, "22" * 32),)
    assert links_of_shoe(SHOE, events) == ()
