"""Decisions on shoes: commit to the next, add to its cut, fix a round's terms, start a long shoe, end it. Pure."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from typing import Any, Final

from baccarat.domain.fairness.closing import NO_DIGEST
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.terms import Terms, digest_cards
from baccarat.domain.rounds import cut
from baccarat.domain.rounds.events import NextTerms, ShoeCommitment
from baccarat.domain.rounds.refusals import NoShoeToCut, RoundIsOpen
from baccarat.domain.rules.cards import Card, points
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables import commands as c
from baccarat.domain.tables import events as e
from baccarat.domain.tables import refusals as r
from baccarat.domain.tables.state import FixedTerms, NextShoe, TableState
from casino.kernel.canonical_json import canonical

Events = Sequence[e.TableEvent]


def _commit(command: c.CommitShoe, state: TableState) -> Events:
    if state.next_shoe is not None:
        raise r.ShoeIsCommitted
    return (
        e.ShoeCommitted(
            shoe=command.shoe,
            number=state.shoes + 1,
            commitment=command.commitment,
            committed_at=command.now,
            shape=state.next_shape(),
            scheme=command.scheme,
        ),
    )


def _contribute(command: c.ContributeToShoeCut, state: TableState) -> Events:
    seat, next_shoe = state.seat_of(command.player), state.next_shoe
    if seat is None:
        raise r.NotSeated
    if next_shoe is None:
        raise NoShoeToCut
    if not cut.is_new_contribution(
        next_shoe.contributions, seat=seat.seat, player=seat.player, contribution=command.contribution
    ):
        return ()
    return (
        e.ShoeCutContributed(
            shoe=next_shoe.shoe,
            seat=seat.seat,
            player=seat.player,
            contribution=command.contribution,
            contributed_at=command.now,
        ),
    )


def _fix_terms(command: c.FixTerms, state: TableState) -> Events:
    """Fix the terms of the next round; with a shoe of its own, this closes its cut.

    Terms are fixed anew if the rules have changed since: nobody could bet on them yet.
    """
    if state.round is not None:
        raise RoundIsOpen
    shoe, next_shoe, before = state.shoe, state.next_shoe, state.fixed_terms()
    if next_shoe is None or (shoe is None and state.has_long_shoe()):
        raise r.NoShoeCommitted
    if before is not None and before.terms.rules == digest_rules(state.rules):
        return ()
    place = None
    if shoe is not None:
        place = e.PlaceInShoe(shoe.cards_used, digest_cards(shoe.cards.split()), next_shoe.commitment)
    following = command.next_shoe if before is None else None
    fixed = e.TermsFixed(state.rounds + 1, "", place, following, command.now)
    return (replace(fixed, digest=terms_fixed_by(fixed, state).digest),)


def next_terms(state: TableState, following: ShoeCommitment) -> NextTerms | None:
    """Return the terms of the round after the one in play, which has a shoe of its own, or None if none is committed
    to. `following` is the shoe of the round after it.
    """
    if state.next_shoe is None:
        return None
    fixed = NextTerms(state.rounds + 1, "", following)
    return replace(fixed, digest=terms_fixed_by(fixed, state).digest)


def terms_fixed_by(event: e.TermsFixed | NextTerms, state: TableState) -> FixedTerms:
    """Return the terms that an event fixes at a table in this state. Raises LookupError if no shoe is committed to."""
    before, shoe, next_shoe, place = state.fixed_terms(), state.shoe, state.next_shoe, event.place
    if before is not None:
        terms = replace(before.terms, rules=digest_rules(state.rules))
        return replace(before, terms=terms, digest=terms.digest())
    contributions, own_cut = ((), "") if shoe is not None or next_shoe is None else contributions_and_cut(next_shoe)
    drawing = next_shoe if shoe is None else shoe
    following = event.next_shoe if place is None else None
    if drawing is None:
        raise LookupError("the table has committed to no shoe")
    terms = Terms(
        table=state.require_opened().table,
        number=event.number,
        shoe=drawing.shoe,
        next_place=0 if place is None else place.next_place,
        cards=digest_cards(()) if place is None else place.cards,
        rules=digest_rules(state.rules),
        commitment=drawing.commitment,
        cut=own_cut if shoe is None else shoe.cut,
        witnesses=(),
        next_commitment=NO_DIGEST if following is None else following.commitment,
    )
    if place is not None:
        terms = replace(terms, next_commitment=place.next_commitment)
    return FixedTerms(terms, terms.digest(), drawing.scheme, contributions)


@lru_cache(maxsize=256)
def digest_rules(rules: TableRules) -> str:
    """Return the digest of rules as canonical JSON, in hex."""
    return hashlib.sha256(canonical(asdict(rules))).hexdigest()


def _start(command: c.StartShoe, state: TableState) -> Events:
    next_shoe = state.next_shoe
    if state.shoe is not None:
        raise r.ShoeIsRunning
    if next_shoe is None:
        raise r.NoShoeCommitted
    contributions, cut_hex = contributions_and_cut(next_shoe)
    return (
        e.ShoeStarted(
            shoe=next_shoe.shoe,
            number=next_shoe.number,
            commitment=next_shoe.commitment,
            turned_card=command.first_card,
            burned_count=0 if command.first_card is None else burn_count(command.first_card),
            started_at=command.now,
            first_round=state.rounds + 1,
            contributions=contributions,
            cut=cut_hex,
            root=command.root,
            scheme=next_shoe.scheme,
        ),
    )


def contributions_and_cut(next_shoe: NextShoe) -> tuple[tuple[Contribution, ...], str]:
    """Return the committed shoe's contributions and the cut, in hex, that they would give now."""
    contributions = cut.as_contributions(next_shoe.contributions)
    return contributions, cut.cut_in_hex(
        next_shoe.scheme, shoe=next_shoe.shoe, commitment=next_shoe.commitment, contributions=contributions
    )


def _end(command: c.EndShoe, state: TableState) -> Events:
    if state.shoe is None:
        raise r.NoShoe
    return (
        e.ShoeEnded(
            shoe=state.shoe.shoe,
            seed=command.seed,
            cards_dealt=state.shoe.cards_used,
            collected=tuple(
                e.CommissionCollected(seat=seat.seat, player=seat.player, money_type=seat.money_type, amount=seat.owed)
                for seat in state.seats
                if seat.owed
            ),
            ended_at=command.now,
        ),
    )


def _reveal(command: c.RevealShoe, state: TableState) -> Events:
    del state
    if not command.drawing.opens(command.commitment, bytes.fromhex(command.seed)):
        raise r.SeedUnreadable
    return (e.ShoeRevealed(shoe=command.drawing.shoe, round=command.round, seed=command.seed, revealed_at=command.now),)


def burn_count(turned: Card) -> int:
    """Return how many cards are burned after the turned card: its points, ten for a ten or court card."""
    return points(turned) or 10


DECIDE: Final[dict[type, Callable[[Any, TableState], Events]]] = {
    c.CommitShoe: _commit,
    c.ContributeToShoeCut: _contribute,
    c.FixTerms: _fix_terms,
    c.StartShoe: _start,
    c.EndShoe: _end,
    c.RevealShoe: _reveal,
}
