"""Decisions on shoes: commit to the next, add to its cut, fix a round's terms, start a long shoe, end it. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from baccarat.domain.fairness.closing import NO_DIGEST, Closing, close_shoe
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.links import check_header, next_indexes
from baccarat.domain.fairness.terms import Terms, WitnessIndex, close_cut, digest_cards
from baccarat.domain.rounds import cut
from baccarat.domain.rounds.commands import ClosingInputs
from baccarat.domain.rounds.events import NextTerms, ShoeCommitment
from baccarat.domain.rounds.refusals import NoShoeToCut, RoundIsOpen
from baccarat.domain.rules.cards import Card, points
from baccarat.domain.tables import commands as c
from baccarat.domain.tables import events as e
from baccarat.domain.tables import refusals as r
from baccarat.domain.tables.state import FixedTerms, NextShoe, TableState
from baccarat.domain.tables.witness_events import (
    DiscardedShoe,
    ShoeCutClosed,
    ShoeLinksReleased,
    WitnessChainOpened,
    WitnessChainsReplaced,
)
from casino.witness.statements import ChainHeader, InvalidStatement

Events = Sequence[e.TableEvent]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


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
        ),
    )


def _contribute(command: c.ContributeToShoeCut, state: TableState) -> Events:
    seat, next_shoe = state.seat_of(command.player), state.next_shoe
    if seat is None:
        raise r.NotSeated
    if next_shoe is None:
        raise NoShoeToCut
    if not cut.is_new_contribution(
        next_shoe.contributions,
        seat=seat.seat,
        player=seat.player,
        contribution=command.contribution,
        public_key="" if command.signature is None else command.signature.public_key,
    ):
        return ()
    return (
        e.ShoeCutContributed(
            shoe=next_shoe.shoe,
            seat=seat.seat,
            player=seat.player,
            contribution=command.contribution,
            contributed_at=command.now,
            signature=command.signature,
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
    if before is not None and before.terms.rules == state.recorded_rules.digest:
        return ()
    place = None
    if shoe is not None:
        commitment = command.commitment if before is None else before.terms.commitment
        place = e.PlaceInShoe(shoe.cards_used, digest_cards(shoe.cards.split()), commitment, next_shoe.commitment)
    following = command.next_shoe if before is None else None
    fixed = e.TermsFixed(state.rounds + 1, "", place, following, command.now)
    return (replace(fixed, digest=terms_fixed_by(fixed, state).digest),)


def next_terms(state: TableState, following: ShoeCommitment) -> NextTerms | None:
    """Return the terms of the round after the one in play, which has a shoe of its own, or None if none is committed
    to. `following` is the shoe of the round after it.
    """
    if state.next_shoe is None:
        return None
    return NextTerms(
        number=state.rounds + 1,
        shoe=following.shoe,
        commitment=following.commitment,
        decks=following.shape.decks,
    )


def terms_fixed_by(event: e.TermsFixed | NextTerms, state: TableState) -> FixedTerms:
    """Return the terms that an event fixes at a table in this state. Raises LookupError if no shoe is committed to."""
    before, shoe, next_shoe, place = state.fixed_terms(), state.shoe, state.next_shoe, event.place
    if before is not None:
        terms = replace(before.terms, rules=state.recorded_rules.digest)
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
        rules=state.recorded_rules.digest,
        commitment=drawing.commitment if place is None else place.commitment,
        cut=own_cut if shoe is None else shoe.cut,
        witnesses=next_indexes(state.chains) if shoe is not None or next_shoe is None else next_shoe.witnesses,
        next_commitment=NO_DIGEST if following is None else following.commitment,
    )
    if place is not None:
        terms = replace(terms, next_commitment=place.next_commitment)
    return FixedTerms(terms, terms.digest(), contributions)


def _close_cut(command: c.CloseShoeCut, state: TableState) -> Events:
    """Close the committed shoe's cut with the next link of each witness. Its order is not known before these."""
    if state.shoe is not None:
        raise r.ShoeIsRunning
    if state.next_shoe is None:
        raise r.NoShoeCommitted
    closed = replace(state.next_shoe, witnesses=next_indexes(state.chains))
    closing = _closing_of_shoe(closed, command.closing, state, now=command.now)
    return (ShoeCutClosed(closed.shoe, command.now, closed.witnesses, closing),)


def _closing_of_shoe(shoe: NextShoe, inputs: ClosingInputs, state: TableState, *, now: datetime) -> Closing:
    return close_shoe(
        blind=inputs.blind,
        table=state.require_opened().table,
        first_round=state.rounds + 1,
        shoe=shoe.shoe,
        rules=state.recorded_rules.digest,
        commitment=shoe.commitment,
        cut=contributions_and_cut(shoe)[1],
        closed_at_us=(now - _EPOCH) // timedelta(microseconds=1),
        sealed_head=inputs.sealed_head,
        before=inputs.before,
        witnesses=shoe.witnesses,
        cosigned=inputs.cosigned,
    )


def _receive_links(command: c.ReceiveShoeLinks, state: TableState) -> Events:
    """Take links once: witnesses give the same ones to whoever repeats the request."""
    if all(each.drawing != command.shoe for each in state.open_closings):
        return ()
    return (ShoeLinksReleased(command.shoe, command.releases),)


def _start(command: c.StartShoe, state: TableState) -> Events:
    """Start the committed shoe, which closes its cut unless its witnesses' links followed on that."""
    next_shoe = next(iter(state.committed_shoes()), None)
    if state.shoe is not None:
        raise r.ShoeIsRunning
    if next_shoe is None:
        raise r.NoShoeCommitted
    contributions, cut_hex = contributions_and_cut(next_shoe)
    closing = None if next_shoe.witnesses else _closing_of_shoe(next_shoe, command.closing, state, now=command.now)
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
            closing=closing,
        ),
    )


def contributions_and_cut(next_shoe: NextShoe) -> tuple[tuple[Contribution, ...], str]:
    """Return the committed shoe's contributions and the cut, in hex, that they would give now."""
    contributions = cut.as_contributions(next_shoe.contributions)
    closed = close_cut(commitment=next_shoe.commitment, witnesses=next_shoe.witnesses, contributions=contributions)
    return contributions, closed.hex()


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


def _open_chain(command: c.OpenWitnessChain, state: TableState) -> Events:
    """Add a chain of this table, once. Raises InvalidStatement for a header that is not signed, or another table's."""
    header = check_header(command.header, command.signature, command.house_signature)
    if header.table != state.require_opened().table:
        raise InvalidStatement("The chain is another table's.")
    if state.closed or header.chain.hex() in {chain.chain for chain in state.chains}:
        return ()
    return (WitnessChainOpened(command.header, command.signature, command.house_signature, command.now),)


def _replace_witness(command: c.ReplaceWitness, state: TableState) -> Events:
    """End a witness's chains, and open the successor's. Raises InvalidStatement as `_open_chain`, or for one in use."""
    ended = tuple(
        WitnessIndex(each.chain, each.next_index) for each in state.chains if each.release_key == command.release_key
    )
    if not ended or state.closed:
        raise r.WitnessNotInUse
    opened = _open_chain(command.successor, state)
    header = ChainHeader.parse(bytes.fromhex(command.successor.header))
    others = {each.release_key for each in state.chains} - {command.release_key}
    if not opened or header.release_key.hex() in others:
        raise InvalidStatement("The table uses this witness already.")
    coming, replaced = state.coming_shoe, {each.chain for each in ended}
    waits = coming is not None and state.has_long_shoe() and not coming.links
    discarded = coming if waits and coming and replaced & {each.chain for each in coming.witnesses} else None
    return (
        WitnessChainsReplaced(
            ended=ended,
            successor=header.chain.hex(),
            reason=command.reason,
            discarded=None if discarded is None else DiscardedShoe(discarded.shoe, command.seed),
            replaced_at=command.now,
        ),
        *opened,
    )


def burn_count(turned: Card) -> int:
    """Return how many cards are burned after the turned card: its points, ten for a ten or court card."""
    return points(turned) or 10


DECIDE: Final[dict[type, Callable[[Any, TableState], Events]]] = {
    c.CommitShoe: _commit,
    c.ContributeToShoeCut: _contribute,
    c.CloseShoeCut: _close_cut,
    c.ReceiveShoeLinks: _receive_links,
    c.FixTerms: _fix_terms,
    c.StartShoe: _start,
    c.EndShoe: _end,
    c.RevealShoe: _reveal,
    c.OpenWitnessChain: _open_chain,
    c.ReplaceWitness: _replace_witness,
}
