"""Sentences about rounds whose cards are chosen here and whose events the decider returns."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from baccarat.domain.fairness.links import LinksReleased, SignedRelease
from baccarat.domain.rounds import betting
from baccarat.domain.rounds.events import (
    CardsHandedBack,
    CardsHandedOut,
    CardsLookedAt,
    HandedBackBy,
    HandTurned,
    RoundOpened,
    SeatInRound,
    Side,
)
from baccarat.domain.rounds.forcing import CardsForced
from baccarat.domain.rounds.state import INITIAL
from baccarat.domain.rounds.state import evolve as evolve_round
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.table_rules import Commission, CommissionTiming, Ratio
from baccarat.domain.tables.witness_events import ReplacementReason, WitnessChainOpened, WitnessChainsReplaced
from baccarat.queries.narrative import NarratedTable, narrate
from casino.kernel.money import MoneyType
from tests.casino.witness.test_statements import HEADER
from tests.support.examples import deal
from tests.support.spots import lucky_nine, spots_of
from wallet.responsible_gaming.allowance import Allowance

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LATER = NOW + timedelta(seconds=15)
PLENTY = 10**9


TABLE = NarratedTable("Table one", rules_for("big_table", currency="EUR"))


def narrate_round(preset, cards, *bets, **rules):
    """Return the sentences of a round in which seat i confirms bets[i]; an empty bet passes, None does nothing."""
    rules = rules_for(preset, currency="EUR", **rules)
    players = [UUID(int=number) for number in range(1, len(bets) + 1)]
    table, state, events = NarratedTable(TABLE.name, rules), INITIAL, []

    def do(decide, *args, **kwargs):
        nonlocal state
        for event in decide(state, *args, **kwargs):
            state = evolve_round(state, event)
            events.append(event)

    turn = rules.turn_seconds
    do(
        betting.open_round,
        RoundOpened(
            round=UUID(int=92),
            table=UUID(int=90),
            operator=UUID(int=91),
            number=7,
            rules="1c" * 32,
            rules_label=rules.label,
            shoe=UUID(int=93),
            commitment="c0ffee",
            contributions=(),
            seats=tuple(SeatInRound(seat, player, MoneyType.PLAY) for seat, player in enumerate(players, 1)),
            opened_at=NOW,
            deadline_at=None if turn is None else NOW + timedelta(seconds=turn),
            terms="7e" * 32,
        ),
    )
    for player, bet in zip(players, bets, strict=True):
        if bet is None:
            continue
        bettor = {"player": player, "allowance": Allowance(PLENTY), "rules": rules, "at": NOW}
        for spot, amount in bet.items():
            do(betting.place_chips, spot=spot, amount=amount, **bettor)
        if bet:
            do(betting.confirm_wager, **bettor)
        else:
            do(betting.pass_turn, player=player, at=NOW)
    do(deal(tuple(cards.split()), rules=rules, at=LATER, seed=None))
    return [line.text for line in narrate(table, enumerate(events, 1))]


def test_a_natural_ends_the_deal_and_names_rule_one():
    sentences = narrate_round("mini", "4c 2d 5h 3s 9c 9d", {"player": 1000})
    assert sentences[0] == 'Round 7 of "Table one" (mini@1, EUR).'
    assert "Seat 1 placed 10.00 on Player." in sentences
    assert "Player has a natural 9: both hands stand by rule 1." in sentences
    assert "Settled as player: Player 9, Banker 5, a natural." in sentences
    assert "Seat 1: 10.00 on Player won 10.00 at 1:1 as winner is player." in sentences
    assert sentences[-1] == "Seat 1 gets 20.00 for 10.00."


def test_a_third_card_is_told_with_the_rule_that_drew_it():
    sentences = narrate_round("mini", "2c 3d Th 2s 6c 4d", {"banker": 1000})
    assert "Player has 2 and draws: rule 2, the Player draws on 0-5." in sentences
    assert (
        "Banker has 5 against a third card of 6 and draws: rule 4, on 5 the Banker draws if that card is 4, 5, 6, 7."
        in sentences
    )


def test_a_tie_pushes_player_and_banker():
    sentences = narrate_round("mini", "9c 9d Th Ts", {"player": 1000, "banker": 500, "tie": 500})
    assert "Seat 1: 10.00 on Player pushed as winner is tie: the stake is returned." in sentences
    assert "Seat 1: 5.00 on Banker pushed as winner is tie: the stake is returned." in sentences
    assert "Seat 1: 5.00 on Tie won 40.00 at 8:1 as winner is tie." in sentences


def test_a_stake_raised_to_the_minimum_is_shown():
    sentences = narrate_round("atlantic_city", "9c 2d Th Ts", {"tie": 100}, {}, None)
    assert "Seat 1 was raised to the minimum of 5.00: 4.00 on Tie added." in sentences
    assert "Seat 2 passed." in sentences
    assert "Seat 3 did not act within its turn and sits this round out; nothing is taken." in sentences
    assert "Seat 1: 5.00 on Tie lost." in sentences
    assert (
        "Betting opened at 2026-01-02 03:04:05.000 UTC, until 2026-01-02 03:04:20.000 UTC, for seats: 1, 2, 3."
        in sentences
    )


def test_commission_is_told_with_rate_exact_amount_rounding_and_result():
    sentences = narrate_round("overview", "2c 9d Th Ts", {"banker": 600})
    assert (
        "Seat 1: 6.00 on Banker won 6.00 at 1:1 as winner is banker; commission 5/100 is exactly 0.30, "
        "rounded up to 1/4 of the lowest chip (1.00): 0.50, taken at once." in sentences
    )
    assert sentences[-1] == "Seat 1 gets 11.50 for 6.00."


def test_commission_finer_than_the_minor_unit_is_told_as_a_fraction():
    spots = spots_of("mini", commission=Commission(Ratio(1, 1000), None, CommissionTiming.SETTLEMENT))
    sentences = narrate_round("mini", "2c 9d Th Ts", {"banker": 700}, spots=spots)
    assert any("is exactly 7/10 minor units, rounded half up to the minor unit: 0.01" in text for text in sentences)


def test_a_side_bet_is_told_with_the_line_that_decided():
    stakes = {"player": 500, "lucky_nine": 100}
    sentences = narrate_round("mini", "2c 3d Th 3s 7c Td", stakes, spots=lucky_nine())
    assert (
        "Seat 1: 1.00 on Lucky nine won 20.00 at 20:1 as player cards are 3 and player points are 9 and winner is "
        "player." in sentences
    )
    lost = narrate_round("mini", "9c 3d Th 3s", stakes, spots=lucky_nine())
    assert "Seat 1: 1.00 on Lucky nine lost." in lost


def test_deferred_commission_is_set_aside_in_the_rack():
    sentences = narrate_round("big_table", "2c 9d Th Ts", {"banker": 2500})
    assert any(text.endswith("1.25, set aside until the shoe ends.") for text in sentences)
    assert sentences[-2:] == ["Seat 1 gets 48.75 for 25.00.", "1.25 is set aside for commission in the rack of seat 1."]


def test_what_a_witness_made_and_gave_out_is_named_by_its_chain():
    chain = HEADER.chain.hex()
    release = SignedRelease(chain, link="11" * 32, time_ms=0, number=1, previous="00" * 32, signature="", path="")
    opened = WitnessChainOpened(HEADER.serialize().hex(), "", "", NOW)
    replaced = WitnessChainsReplaced((), "22" * 32, ReplacementReason.AWAY, None, NOW)
    events = ((1, opened), (2, LinksReleased(UUID(int=92), (release,))), (3, replaced))
    assert [line.text for line in narrate(TABLE, events)] == [
        f"A witness made a chain: {chain}.",
        f"The witness of chain {chain} gave out its link against the closing: {'11' * 32}.",
        f"A witness was replaced (away): chain {'22' * 32} follows on its links.",
    ]


def test_the_callers_ceremony_is_told_step_by_step():
    events = (
        CardsHandedOut(2, NOW, LATER),
        CardsLookedAt(2, NOW, LATER),
        CardsHandedBack(2, HandedBackBy.PLAYER, NOW),
        CardsHandedBack(2, HandedBackBy.TIME, LATER),
        HandTurned(Side.PLAYER, ("2c", "Th")),
        CardsForced(("2c", "9h", "Th", "Kd"), NOW),
    )
    sentences = [line.text for line in narrate(TABLE, enumerate(events, 1))]
    assert sentences[0] == "The Player's two cards went face down to seat 2, the highest Player wager."
    assert sentences[2].startswith("Seat 2 looked at the cards at ")
    assert sentences[4].startswith("Seat 2 handed the cards back at ")
    assert sentences[5].startswith("The time of seat 2 was over, and the Caller took the cards back at ")
    assert sentences[6:] == [
        "The Caller turned the Player's hand over: 2c Th.",
        "The cards were chosen, as a test: 2c 9h Th Kd.",
    ]


def test_a_round_in_which_nobody_bets_lapses():
    sentences = narrate_round("atlantic_city", "", {}, None)
    assert sentences[-1] == "The round lapsed at 2026-01-02 03:04:20.000 UTC: no wagers. No card was dealt."
