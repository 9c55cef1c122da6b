"""Checks shoes: the commitment before the first bet, the cut from the contributions, and the cards from the seed."""

from dataclasses import astuple, replace
from typing import Final, Protocol
from uuid import UUID

from baccarat.audit import cuts, rules_versions
from baccarat.audit.traces import OUT_OF_PLACE, CommittedShoe, LongShoe, RoundTrace, TableTrace
from baccarat.audit.witnesses import NO_LINKS, take_indexes
from baccarat.domain.fairness.commitment import shoe_root
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.links import links_of
from baccarat.domain.fairness.shuffle import SEED_BYTES, round_seed, shuffle
from baccarat.domain.fairness.terms import Terms, WitnessIndex, digest_cards
from baccarat.domain.rounds.events import NextTerms, ShoeCommitment
from baccarat.domain.rules.cards import Card
from baccarat.domain.tables.events import ShoeCommitted, ShoeCutContributed, ShoeStarted, TermsFixed
from baccarat.domain.tables.state import FixedTerms

MISSING: Final = "commitment missing"
OTHER_SHOE: Final = "shoe differs from the committed one"
NO_NEXT: Final = "next shoe not committed"
OTHER_SHAPE: Final = "shoe composition differs from its commitment"
OTHER_TERMS: Final = "terms differ"
OTHER_CUT: Final = "cut differs from the contributions"
NOT_OPENED = "seed does not open the commitment"
OTHER_CARDS = "cards are not the shoe's"
OTHER_ROOT = "root is not the shoe's"
OTHER_TURNED_CARD: Final = "turned card is not the shoe's"


class DifferenceRecorder(Protocol):
    """Callback that records a contradiction: what, expected, actual."""

    def __call__(self, what: str, expected: object, actual: object) -> None:
        """Record it."""


def check_committed_shoe(round_: RoundTrace) -> None:
    """Check that a round opens with the shoe, commitment and shape that were committed to."""
    event, table = round_.opened, round_.table
    next_shoe, rules = table.coming_shoe, table.rules
    if event.commitment is None:
        round_.record_difference(MISSING, "a commitment before the first bet", "none")
    if next_shoe is None:
        round_.record_difference(OTHER_SHOE, "a shoe named before", f"{event.shoe} {event.commitment}")
        return
    if (next_shoe.shoe, next_shoe.commitment) != (event.shoe, event.commitment):
        actual = f"{event.shoe} {event.commitment}"
        round_.record_difference(OTHER_SHOE, f"{next_shoe.shoe} {next_shoe.commitment}", actual)
    if next_shoe.shape != rules.shape:
        round_.record_difference(OTHER_SHAPE, next_shoe.shape, rules.shape)


def replay_shoe_commitment(
    table: TableTrace, shoe: ShoeCommitment | None, *, number: int, record_difference: DifferenceRecorder
) -> None:
    """Check the commitment to the shoe of the round with this number, which binds the rules of that round.

    Tables with long shoes make no such commitment.
    """
    if table.has_long_shoe:
        if shoe is not None:
            record_difference(OUT_OF_PLACE, "no shoe of one round at a table with long shoes", shoe.shoe)
        return
    if shoe is None:
        record_difference(NO_NEXT, f"the shoe of round {number}", "none")
        table.next_shoe = None
        return
    rules = (
        table.rules
        if table.rules_lifecycle is None or table.rules_lifecycle.pending is None
        else table.rules_lifecycle.pending.rules.decoded
    )
    if shoe.shape != rules.shape:
        record_difference(OTHER_SHAPE, rules.shape, shoe.shape)
    table.next_shoe = CommittedShoe(shoe.shoe, number, shoe.commitment, shoe.shape, witnesses=take_indexes(table))


def check_terms(round_: RoundTrace) -> None:
    """Check that a round opens on the terms fixed for it, under the rules in force, and with their contributions."""
    event, table = round_.opened, round_.table
    fixed = table.fixed_terms()
    if fixed is None or fixed.digest != event.terms:
        round_.record_difference(OTHER_TERMS, None if fixed is None else fixed.digest, event.terms)
    elif fixed.terms.rules != table.recorded_rules.digest:
        round_.record_difference(OTHER_TERMS, table.recorded_rules.digest, fixed.terms.rules)
    elif fixed.terms.witnesses != event.witnesses:
        round_.record_difference(OTHER_TERMS, fixed.terms.witnesses, event.witnesses)
    if fixed is not None and fixed.contributions != event.contributions:
        expected, actual = (cuts.format_contributions(each) for each in (fixed.contributions, event.contributions))
        round_.record_difference(OTHER_CUT, expected, actual)


def replay_terms_fixed(table: TableTrace, event: TermsFixed | NextTerms) -> None:
    """Check terms against the table: with the cards or between rounds, once for each unless other rules take effect."""
    with_cards = isinstance(event, NextTerms)
    if (table.round is None) is with_cards or table.closed or table.pending_closure is not None:
        table.record_difference(OUT_OF_PLACE, "a table between rounds", event.number)
    anew = table.fixed_terms()
    if anew is not None and event.next_shoe is None and not table.has_long_shoe:
        fixed = replace(anew, terms=replace(anew.terms, rules=table.recorded_rules.digest))
    else:
        fixed = _terms_of_next_round(table, event)
    expected = fixed.terms
    stated = (expected.next_place, expected.cards, expected.commitment, expected.next_commitment)
    if event.place is not None and astuple(event.place) != stated:
        table.record_difference(OTHER_TERMS, stated, event.place)
    elif event.number != expected.number or (event.place is None and table.has_long_shoe):
        table.record_difference(OTHER_TERMS, expected, event)
    digest = expected.digest() if expected.commitment and expected.next_commitment else ""
    if isinstance(event, TermsFixed) and digest and event.digest != digest:
        table.record_difference(OTHER_TERMS, digest, event.digest)
    table.terms = replace(fixed, digest=event.digest if isinstance(event, TermsFixed) else digest)
    if table.shoe is not None and table.rules.draws_by_round:
        table.shoe.commitments[expected.number] = expected.commitment
    if not table.has_long_shoe and event.next_shoe is not None:
        if anew is not None:
            table.record_difference(OUT_OF_PLACE, "terms fixed once", event.next_shoe.shoe)
        table.coming_shoe = table.next_shoe
        replay_shoe_commitment(
            table, event.next_shoe, number=event.number + 1, record_difference=table.record_difference
        )


def _terms_of_next_round(table: TableTrace, event: TermsFixed | NextTerms) -> FixedTerms:
    """Return the terms that follow from the table's shoe, or from the committed one and its contributions.

    Where the shoe after it is not committed to, which is recorded, they have no next commitment.
    """
    shoe, next_shoe = table.shoe, table.next_shoe
    contributions: tuple[Contribution, ...] = ()
    drawing: LongShoe | CommittedShoe | None = shoe
    cut, following = "", None if next_shoe is None else next_shoe.commitment
    if shoe is not None:
        cut = shoe.cut or ""
    elif next_shoe is not None and not table.has_long_shoe:
        drawing, contributions = next_shoe, cuts.listed(next_shoe.contributions)
        cut = cuts.computed_cut(next_shoe.commitment, contributions, next_shoe.witnesses) or ""
        following = None if event.next_shoe is None else event.next_shoe.commitment
    if drawing is None:
        table.record_difference(OTHER_SHOE, "a shoe for the next round", "none")
    elif following is None:
        table.record_difference(NO_NEXT, f"the shoe after round {event.number}", "none")
    terms = Terms(
        table=table.opened.table,
        number=table.rounds + 1,
        shoe=UUID(int=0) if drawing is None else drawing.shoe,
        next_place=0 if shoe is None else shoe.cards_used,
        cards=digest_cards([] if shoe is None else shoe.cards_out()),
        rules=table.recorded_rules.digest,
        commitment="" if drawing is None else _commitment_of_round(table, drawing, event),
        cut=cut,
        witnesses=drawing.witnesses if isinstance(drawing, CommittedShoe) else _indexes_of_round(table),
        next_commitment="" if drawing is None or following is None else following,
    )
    return FixedTerms(terms, "", contributions)


def _commitment_of_round(table: TableTrace, drawing: LongShoe | CommittedShoe, event: TermsFixed | NextTerms) -> str:
    """Return the commitment to the round's drawing. That to a seed of the round's own is made once, with its terms."""
    if not isinstance(drawing, LongShoe) or not table.rules.draws_by_round or event.place is None:
        return drawing.commitment
    fixed = table.fixed_terms()
    return event.place.commitment if fixed is None else fixed.terms.commitment


def _indexes_of_round(table: TableTrace) -> tuple[WitnessIndex, ...]:
    """Return the links of the next round of a long shoe, which are taken once."""
    fixed = table.fixed_terms()
    return take_indexes(table) if fixed is None else fixed.terms.witnesses


def close_cut(round_: RoundTrace) -> None:
    """Close the cut of a round's own shoe, which follows from the contributions; "" for a round of a long shoe."""
    opened = round_.opened
    if opened.commitment is None:
        round_.cut = ""
    else:
        round_.cut = cuts.computed_cut(opened.commitment, opened.contributions, opened.witnesses) or ""


def replay_shoe_committed(table: TableTrace, event: ShoeCommitted) -> None:
    """Check a commitment to the next long shoe: one at a time, numbered in order."""
    if not table.has_long_shoe or table.next_shoe is not None or table.coming_shoe is not None or table.closed:
        table.record_difference(OUT_OF_PLACE, "a shoe table without a committed shoe", event.shoe)
    if event.number != table.shoes + 1:
        table.record_difference("shoe number differs", table.shoes + 1, event.number)
    rules = (
        table.rules
        if table.rules_lifecycle is None or table.rules_lifecycle.pending is None
        else table.rules_lifecycle.pending.rules.decoded
    )
    if event.shape != rules.shape:
        table.record_difference(OTHER_SHAPE, rules.shape, event.shape)
    table.next_shoe = CommittedShoe(event.shoe, event.number, event.commitment, event.shape)


def replay_shoe_cut_contribution(table: TableTrace, event: ShoeCutContributed) -> None:
    """Check a contribution to the next committed shoe, by a seated player."""
    table_seat, next_shoe = table.seats.get(event.player), table.next_shoe
    if table_seat is None or table_seat.seat != event.seat:
        table.record_difference("seat differs", None if table_seat is None else table_seat.seat, event.seat)
    if next_shoe is None or next_shoe.shoe != event.shoe:
        table.record_difference(OTHER_SHOE, None if next_shoe is None else next_shoe.shoe, event.shoe)
        return
    for what, expected in cuts.faults_of(next_shoe.contributions, event):
        table.record_difference(what, expected, event.contribution)
    if event.signature is not None and not cuts.is_signed(event, event.signature, table, next_shoe):
        table.record_difference(cuts.OTHER_SIGNATURE, "the player's signature", event.signature.signature)
    cuts.put_contribution(next_shoe.contributions, event)


def check_shoe_started(table: TableTrace, event: ShoeStarted) -> None:
    """Check that the shoe is the committed one, and that its cut results from the contributions until it was closed."""
    next_shoe = table.coming_shoe or table.next_shoe
    if next_shoe is None:
        table.record_difference(OTHER_SHOE, "a committed shoe", event.shoe)
    else:
        if (next_shoe.shoe, next_shoe.commitment) != (event.shoe, event.commitment):
            actual = f"{event.shoe} {event.commitment}"
            table.record_difference(OTHER_SHOE, f"{next_shoe.shoe} {next_shoe.commitment}", actual)
        if next_shoe.shape != table.rules.shape:
            table.record_difference(OTHER_SHAPE, next_shoe.shape, table.rules.shape)
        if next_shoe.witnesses and not next_shoe.links:
            table.record_difference(NO_LINKS, next_shoe.witnesses, "none")
    by_seat = {} if next_shoe is None else next_shoe.contributions
    indexes = () if next_shoe is None else next_shoe.witnesses
    computed = cuts.computed_cut(event.commitment, cuts.listed(by_seat), indexes)
    difference = cuts.cut_difference(by_seat, event.contributions, event.cut, computed=computed)
    if difference is not None:
        table.record_difference(OTHER_CUT, *difference)
    rules_versions.check_shoe_rules_in_force(table)
    table.coming_shoe = table.next_shoe = None


def check_seed(round_: RoundTrace) -> None:
    """Check the seed that a round's last event revealed against commitment and cards.

    A long shoe's own seed stays secret until the shoe ends. Raises InvalidCardCount for impossible numbers.
    """
    seed, cards, opened, shoe = round_.seed, round_.cards, round_.opened, round_.table.shoe
    if round_.table.has_long_shoe and not round_.rules.draws_by_round:
        if seed is not None:
            round_.record_difference("seed revealed early", "nothing before the shoe ends", "a seed")
        return
    seed_bytes = parse_seed(seed)
    if seed_bytes is None:
        round_.record_difference("seed missing", "the shoe's seed", seed)
        return
    promised, cut, out = opened.commitment, round_.cut, list[Card]()
    if shoe is not None:
        promised, cut = shoe.commitments.get(opened.number), shoe.cut
        out = shoe.cards_out(round_.shoe_position)
    commitment = round_.table.drawing(opened.shoe, opened.number).commit(seed_bytes)
    if commitment != promised:
        round_.record_difference(NOT_OPENED, promised, commitment)
    if cards and not round_.forced:
        links, decks = links_of(opened.witnesses, round_.releases), round_.rules.decks
        expected = shuffle(
            seed_bytes, cut=bytes.fromhex(cut or ""), decks=decks, first=len(cards), links=links, out=out
        )
        if expected != cards:
            round_.record_difference(OTHER_CARDS, " ".join(expected), " ".join(cards))


def check_revealed_seed(table: TableTrace, shoe: LongShoe | CommittedShoe, seed: bytes) -> None:
    """Check the seed of a long shoe, and, if it started, all cards dealt from it."""
    if isinstance(shoe, LongShoe):
        check_shoe(table, shoe, seed)
    else:
        _check_opened(table, shoe, seed)


def _check_opened(table: TableTrace, shoe: LongShoe | CommittedShoe, seed: bytes) -> None:
    commitment = table.drawing(shoe.shoe, shoe.number).commit(seed)
    if commitment != shoe.commitment:
        table.record_difference(NOT_OPENED, shoe.commitment, commitment)


def check_shoe(table: TableTrace, shoe: LongShoe, seed: bytes) -> None:
    """Check a long shoe's turned card against its seed and cut, and what its rounds' cards follow from: their own
    seeds, or the order with its root.
    """
    _check_opened(table, shoe, seed)
    cut, decks = bytes.fromhex(shoe.cut), table.rules.decks
    if table.rules.draws_by_round:
        if shoe.root is not None:
            table.record_difference(OTHER_ROOT, None, shoe.root)
        first_card = shuffle(seed, cut=cut, decks=decks, first=1, links=shoe.links)[0]
        if shoe.first_card not in (None, first_card):
            table.record_difference(OTHER_TURNED_CARD, first_card, shoe.first_card)
        for number, commitment in shoe.commitments.items():
            due = table.drawing(shoe.shoe, number).commit(round_seed(seed, number))
            if due != commitment:
                table.record_difference(NOT_OPENED, f"{due} for round {number}", commitment)
        return
    due_root = shoe_root(seed, cut=cut, decks=decks, links=shoe.links)
    if due_root != shoe.root:
        table.record_difference(OTHER_ROOT, due_root, shoe.root)
    first = _cards_needed(table, shoe)
    cards = shuffle(seed, cut=cut, decks=decks, first=first, links=shoe.links)
    if shoe.first_card is not None and shoe.first_card != cards[0]:
        table.record_difference(OTHER_TURNED_CARD, cards[0], shoe.first_card)
    for position, dealt, round_ in shoe.deals:
        expected = cards[position : position + len(dealt)]
        if expected != dealt and position not in shoe.forced:
            table.collector.add(
                OTHER_CARDS, f"round {round_}, {_places(position, dealt)}", " ".join(expected), " ".join(dealt)
            )


def parse_seed(digits: str | None) -> bytes | None:
    """Parse a seed in hex; None if it is malformed."""
    try:
        seed = bytes.fromhex(digits or "")
    except ValueError:
        return None
    return seed if len(seed) == SEED_BYTES else None


def _cards_needed(table: TableTrace, shoe: LongShoe) -> int:
    """Return how many cards of the order are needed, at most those of the shoe."""
    return min(max(shoe.cards_used, 1), 52 * table.rules.decks)


def _places(position: int, cards: tuple[Card, ...]) -> str:
    return f"places {position} to {position + len(cards) - 1}"
