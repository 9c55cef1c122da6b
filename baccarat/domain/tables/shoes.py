"""Decisions on shoes: commit to the next, add to its cut, fix a round's terms, start a long shoe, end it. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.closing import NO_DIGEST, Closing, close_shoe
from baccarat.domain.fairness.commitment import Drawing
from baccarat.domain.fairness.cut import Contribution, ContributionSignature
from baccarat.domain.fairness.links import SignedRelease, check_header, next_indexes
from baccarat.domain.fairness.terms import Terms, WitnessIndex, close_cut, digest_cards
from baccarat.domain.rounds import cut
from baccarat.domain.rounds.dealing import ClosingInputs
from baccarat.domain.rounds.events import NextTerms, ShoeCommitment
from baccarat.domain.rounds.refusals import NoShoeToCut, RoundIsOpen
from baccarat.domain.rules.cards import Card, points
from baccarat.domain.tables import events as e
from baccarat.domain.tables import refusals as r
from baccarat.domain.tables.state import FixedTerms, NextShoe, TableState
from baccarat.domain.tables.witness_events import (
    DiscardedShoe,
    ReplacementReason,
    ShoeCutClosed,
    ShoeLinksReleased,
    WitnessChainOpened,
    WitnessChainsReplaced,
)
from casino.witness.statements import ChainHeader, InvalidStatement

Events = Sequence[e.TableEvent]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def commit_shoe(state: TableState, *, shoe: UUID, commitment: str, at: datetime) -> Events:
    """Commit to the seed of the next long shoe before anybody contributes to its cut."""
    if state.next_shoe is not None:
        raise r.ShoeIsCommitted
    return (
        e.ShoeCommitted(
            shoe=shoe,
            number=state.shoes + 1,
            commitment=commitment,
            committed_at=at,
            shape=state.next_shape(),
        ),
    )


def contribute(
    state: TableState, *, player: UUID, contribution: str, at: datetime, signature: ContributionSignature | None = None
) -> Events:
    """Contribute to the cut of the next shoe: 1 to 32 bytes in lower-case hex. A `signature` was verified."""
    seat, next_shoe = state.seat_of(player), state.next_shoe
    if seat is None:
        raise r.NotSeated
    if next_shoe is None:
        raise NoShoeToCut
    if not cut.is_new_contribution(
        next_shoe.contributions,
        seat=seat.seat,
        player=seat.player,
        contribution=contribution,
        public_key="" if signature is None else signature.public_key,
    ):
        return ()
    return (
        e.ShoeCutContributed(
            shoe=next_shoe.shoe,
            seat=seat.seat,
            player=seat.player,
            contribution=contribution,
            contributed_at=at,
            signature=signature,
        ),
    )


def fix_terms(state: TableState, *, next_shoe: ShoeCommitment | None, at: datetime, commitment: str = "") -> Events:
    """Fix the terms of the next round; with a shoe of its own, this closes its cut.

    `next_shoe` is that of the round after it, None at a table with long shoes. There, `commitment` is to the round's
    own seed, or to the shoe's. Terms are fixed anew only if the rules have changed since, as nobody could bet on them
    yet, and keep their shoes and commitments.
    """
    if state.round is not None:
        raise RoundIsOpen
    shoe, committed, before = state.shoe, state.next_shoe, state.fixed_terms()
    if committed is None or (shoe is None and state.has_long_shoe()):
        raise r.NoShoeCommitted
    if before is not None and before.terms.rules == state.recorded_rules.digest:
        return ()
    place = None
    if shoe is not None:
        commitment = commitment if before is None else before.terms.commitment
        place = e.PlaceInShoe(shoe.cards_used, digest_cards(shoe.cards.split()), commitment, committed.commitment)
    following = next_shoe if before is None else None
    fixed = e.TermsFixed(state.rounds + 1, "", place, following, at)
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


def close_cut_of_shoe(state: TableState, *, closing: ClosingInputs, at: datetime) -> Events:
    """Close the committed shoe's cut with the next link of each witness. Its order is not known before these."""
    if state.shoe is not None:
        raise r.ShoeIsRunning
    if state.next_shoe is None:
        raise r.NoShoeCommitted
    closed = replace(state.next_shoe, witnesses=next_indexes(state.chains))
    cut_closing = _closing_of_shoe(state, closed, closing, at=at)
    return (ShoeCutClosed(closed.shoe, at, closed.witnesses, cut_closing),)


def _closing_of_shoe(state: TableState, shoe: NextShoe, inputs: ClosingInputs, *, at: datetime) -> Closing:
    return close_shoe(
        blind=inputs.blind,
        table=state.require_opened().table,
        first_round=state.rounds + 1,
        shoe=shoe.shoe,
        rules=state.recorded_rules.digest,
        commitment=shoe.commitment,
        cut=contributions_and_cut(shoe)[1],
        closed_at_us=(at - _EPOCH) // timedelta(microseconds=1),
        sealed_head=inputs.sealed_head,
        before=inputs.before,
        witnesses=shoe.witnesses,
        cosigned=inputs.cosigned,
    )


def receive_links(state: TableState, *, shoe: UUID, releases: tuple[SignedRelease, ...]) -> Events:
    """Take over what the witnesses gave out for a long shoe's closing. The `releases` were verified.

    Once: witnesses give the same ones to whoever repeats the request.
    """
    if all(each.drawing != shoe for each in state.open_closings):
        return ()
    return (ShoeLinksReleased(shoe, releases),)


def start_shoe(
    state: TableState, *, first_card: Card | None, root: str | None, closing: ClosingInputs, at: datetime
) -> Events:
    """Start the committed long shoe, which closes its cut unless its witnesses' links followed on that.

    `first_card` is the card turned over, None if the table burns none; `root` is the Merkle root of all its cards, None
    if each round draws its own.
    """
    next_shoe = next(iter(state.committed_shoes()), None)
    if state.shoe is not None:
        raise r.ShoeIsRunning
    if next_shoe is None:
        raise r.NoShoeCommitted
    contributions, cut_hex = contributions_and_cut(next_shoe)
    cut_closing = None if next_shoe.witnesses else _closing_of_shoe(state, next_shoe, closing, at=at)
    return (
        e.ShoeStarted(
            shoe=next_shoe.shoe,
            number=next_shoe.number,
            commitment=next_shoe.commitment,
            turned_card=first_card,
            burned_count=0 if first_card is None else burn_count(first_card),
            started_at=at,
            first_round=state.rounds + 1,
            contributions=contributions,
            cut=cut_hex,
            root=root,
            closing=cut_closing,
        ),
    )


def contributions_and_cut(next_shoe: NextShoe) -> tuple[tuple[Contribution, ...], str]:
    """Return the committed shoe's contributions and the cut, in hex, that they would give now."""
    contributions = cut.as_contributions(next_shoe.contributions)
    closed = close_cut(commitment=next_shoe.commitment, witnesses=next_shoe.witnesses, contributions=contributions)
    return contributions, closed.hex()


def end_shoe(state: TableState, *, seed: str, at: datetime) -> Events:
    """End the shoe: reveal its `seed` (hex) and collect what the racks hold."""
    if state.shoe is None:
        raise r.NoShoe
    return (
        e.ShoeEnded(
            shoe=state.shoe.shoe,
            seed=seed,
            cards_dealt=state.shoe.cards_used,
            collected=tuple(
                e.CommissionCollected(seat=seat.seat, player=seat.player, money_type=seat.money_type, amount=seat.owed)
                for seat in state.seats
                if seat.owed
            ),
            ended_at=at,
        ),
    )


def reveal_shoe(
    state: TableState, *, drawing: Drawing, round_: UUID, commitment: str | None, seed: str, at: datetime
) -> Events:
    """Reveal the seed, in hex, of a voided round's own shoe, a drawing to which there is this commitment."""
    del state
    if not drawing.opens(commitment, bytes.fromhex(seed)):
        raise r.SeedUnreadable
    return (e.ShoeRevealed(shoe=drawing.shoe, round=round_, seed=seed, revealed_at=at),)


def open_witness_chain(state: TableState, opened: WitnessChainOpened) -> Events:
    """Have the table use a witness's chain of links, once.

    Raises InvalidStatement for a header that is not signed, or another table's.
    """
    header = check_header(opened.header, opened.signature, opened.house_signature)
    if header.table != state.require_opened().table:
        raise InvalidStatement("The chain is another table's.")
    if state.closed or header.chain.hex() in {chain.chain for chain in state.chains}:
        return ()
    return (opened,)


def replace_witness(
    state: TableState,
    *,
    release_key: str,
    successor: WitnessChainOpened,
    reason: ReplacementReason,
    seed: str | None,
    at: datetime,
) -> Events:
    """End the chains of the witness with `release_key`, in hex, and open the successor's.

    `seed` is that of a long shoe whose links are waited for, if it can be read. Raises InvalidStatement as
    `open_witness_chain`, or for one in use.
    """
    ended = tuple(WitnessIndex(each.chain, each.next_index) for each in state.chains if each.release_key == release_key)
    if not ended or state.closed:
        raise r.WitnessNotInUse
    opened = open_witness_chain(state, successor)
    header = ChainHeader.parse(bytes.fromhex(successor.header))
    others = {each.release_key for each in state.chains} - {release_key}
    if not opened or header.release_key.hex() in others:
        raise InvalidStatement("The table uses this witness already.")
    coming, replaced = state.coming_shoe, {each.chain for each in ended}
    waits = coming is not None and state.has_long_shoe() and not coming.links
    discarded = coming if waits and coming and replaced & {each.chain for each in coming.witnesses} else None
    return (
        WitnessChainsReplaced(
            ended=ended,
            successor=header.chain.hex(),
            reason=reason,
            discarded=None if discarded is None else DiscardedShoe(discarded.shoe, seed),
            replaced_at=at,
        ),
        *opened,
    )


def burn_count(turned: Card) -> int:
    """Return how many cards are burned after the turned card: its points, ten for a ten or court card."""
    return points(turned) or 10
