"""Moves a table from one round to the next. Pure: ids, seeds and the time are passed in."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.closing import NO_DIGEST
from baccarat.domain.fairness.commitment import Drawing, shoe_root
from baccarat.domain.fairness.cut import ContributionSignature
from baccarat.domain.fairness.links import LogHead, links_of
from baccarat.domain.fairness.shuffle import round_seed, shuffle
from baccarat.domain.rounds import betting, dealing
from baccarat.domain.rounds.cut import own_cut_in_hex
from baccarat.domain.rounds.events import CardsDealt, NextTerms, RoundOpened, SeatInRound, ShoeCommitment
from baccarat.domain.rounds.refusals import RoundIsNotDue
from baccarat.domain.rounds.state import Phase, SeatStatus
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.table_rules import ShoeShape
from baccarat.domain.tables import decisions, rules_lifecycle, shoes
from baccarat.domain.tables.shoes import contributions_and_cut, next_terms
from baccarat.domain.tables.state import FixedTerms, NextShoe, Shoe, TableState
from baccarat.domain.unit_of_work import ShoeSeed, UnitOfWork

MAX_CARDS_PER_ROUND: Final = 6


@dataclass(frozen=True, slots=True)
class Entropy:
    """New ids, a new 256-bit seed and the blind of a closing, drawn outside the domain.

    `sealed_head` is the digest of the log's last sealed event, where something may be closed, and `cosigned` what
    witnesses have cosigned of the log.
    `committed_seed` is the seed of the table's committed shoe when that shoe may come into play. If it is None, because
    the seed cannot be read, nothing starts, unless `deferred_seed_check` says that the seed is checked on write.
    `shoe_seed` is that of the long shoe in play, where the next round's terms commit to a seed that follows from it.
    """

    round: UUID
    shoe: UUID
    seed: bytes = field(repr=False)
    blind: bytes = field(repr=False)
    sealed_head: str = NO_DIGEST
    committed_seed: bytes | None = field(default=None, repr=False)
    shoe_seed: bytes | None = field(default=None, repr=False)
    deferred_seed_check: bool = False
    cosigned: LogHead | None = None


def fix_terms(uow: UnitOfWork, *, entropy: Entropy, now: datetime) -> None:
    """Fix the terms of the next round, which closes the cut of its own shoe, and commit to the shoe after it.

    Published rules take effect first, and a long shoe that is due starts. Does nothing if a round is running, the table
    closes, the terms are fixed under the rules in force, other rules are due but wait for the end of the show, a
    witness's chain is used up before it has a successor, a long shoe's seed cannot be read, or it cannot start because
    nobody is seated or its witnesses have not given out their links.
    """
    table = uow.table
    if table.round is not None or table.closed or table.pending_closure is not None:
        return
    if _awaits_links(table) or table.lacks_links():
        return
    if table.pending_rules_are_due():
        if table.show_runs(now) or not may_open_round(table):
            return
        uow.on_table(rules_lifecycle.put_rules_into_effect, at=now)
    if not table.has_long_shoe():
        _fix_terms_of_own_shoe(uow, entropy=entropy, now=now)
        return
    if table.seats or table.shoe is not None or table.coming_shoe is not None:
        _ensure_shoes(uow, entropy=entropy, now=now)
    if uow.table.shoe is not None:
        _fix_terms_of_round(uow, uow.table.shoe, entropy=entropy, now=now)


def _awaits_links(table: TableState) -> bool:
    """Return whether a long shoe's cut is closed and its order waits for links."""
    shoe = table.coming_shoe
    return shoe is not None and table.has_long_shoe() and not shoe.links


def _fix_terms_of_own_shoe(uow: UnitOfWork, *, entropy: Entropy, now: datetime) -> None:
    following = None
    if uow.table.fixed_terms() is None:
        seed = ShoeSeed(shoe=entropy.shoe, seed=entropy.seed)
        uow.new_seeds.append(seed)
        table = uow.table
        following = commitment_to(
            seed, table=table.require_opened().table, number=table.rounds + 2, shape=table.next_shape()
        )
    uow.on_table(shoes.fix_terms, next_shoe=following, at=now)


def _fix_terms_of_round(uow: UnitOfWork, shoe: Shoe, *, entropy: Entropy, now: datetime) -> None:
    """Fix the terms of a long shoe's next round, which draws its cards by a seed of its own or has those of the shoe.

    Does nothing if that seed does not follow from any here, and is not committed to yet.
    """
    table, commitment = uow.table, shoe.commitment
    if table.rules.draws_by_round and table.fixed_terms() is None:
        drawing, number = shoe.drawing_at(table.require_opened().table), table.rounds + 1
        seeds = (seed for seed in (entropy.shoe_seed, entropy.committed_seed) if seed is not None)
        seed = next((seed for seed in seeds if drawing.opens(shoe.commitment, seed)), None)
        if seed is None:
            return
        commitment = replace(drawing, number=number).commit(round_seed(seed, number))
    uow.on_table(shoes.fix_terms, next_shoe=None, at=now, commitment=commitment)


def fix_terms_again(uow: UnitOfWork, *, entropy: Entropy, now: datetime) -> None:
    """Fix the terms of the next round at a table whose shoe is there, whether or not rounds may open."""
    if uow.table.pending_rules_are_due():
        uow.on_table(rules_lifecycle.put_rules_into_effect, at=now)
    if uow.table.shoe is not None:
        _fix_terms_of_round(uow, uow.table.shoe, entropy=entropy, now=now)
    else:
        _fix_terms_of_own_shoe(uow, entropy=entropy, now=now)


def open_round(uow: UnitOfWork, *, entropy: Entropy, now: datetime) -> None:
    """Open betting for the seated players on the terms of the next round, which are fixed first if they are not.

    Does nothing if a round is running, the last deal is still shown, nobody is seated, rounds are not allowed, or the
    shoe's seed cannot be read.
    """
    table = uow.table
    if table.round is not None or table.show_runs(now) or not table.seats or not may_open_round(table):
        return
    fix_terms(uow, entropy=entropy, now=now)
    table = uow.table
    fixed, own = table.fixed_terms(), table.coming_shoe
    if fixed is None or (own is not None and not _is_readable(uow, own, entropy)):
        return
    open_fixed(uow, fixed, entropy=entropy, now=now)


def open_fixed(uow: UnitOfWork, fixed: FixedTerms, *, entropy: Entropy, now: datetime) -> None:
    """Open the next round on its terms for those who are seated."""
    table, own = uow.table, uow.table.coming_shoe
    opened, turn_seconds = table.require_opened(), table.rules.turn_seconds
    uow.open_round(
        RoundOpened(
            round=entropy.round,
            table=opened.table,
            operator=opened.operator,
            number=table.rounds + 1,
            rules=table.recorded_rules.digest,
            rules_label=table.rules.label,
            shoe=fixed.terms.shoe,
            commitment=None if own is None else own.commitment,
            seats=tuple(
                SeatInRound(seat=seat.seat, player=seat.player, money_type=seat.money_type) for seat in table.seats
            ),
            opened_at=now,
            deadline_at=None if turn_seconds is None else now + timedelta(seconds=turn_seconds),
            terms=fixed.digest,
            contributions=fixed.contributions,
            witnesses=fixed.terms.witnesses,
        )
    )


def _is_readable(uow: UnitOfWork, own: NextShoe, entropy: Entropy) -> bool:
    """Return whether the seed of the round's own shoe opens its commitment, or note that the write has to check it."""
    if entropy.deferred_seed_check:
        uow.deferred_seed_checks.append(own)
        return True
    return entropy.committed_seed is not None and _opens(uow, own, entropy.committed_seed)


def _opens(uow: UnitOfWork, committed: NextShoe, seed: bytes) -> bool:
    return committed.drawing_at(uow.table.require_opened().table).opens(committed.commitment, seed)


def may_open_round(table: TableState) -> bool:
    """Return whether rounds may open: the table stays open, no stop applies, and its rules are not retired."""
    return not (table.stops or table.closed or table.pending_closure is not None or table.rules_are_retired())


def commitment_to(secret: ShoeSeed, *, table: UUID, number: int, shape: ShoeShape) -> ShoeCommitment:
    """Commit to a seed and a shoe shape for the table's round with this number."""
    commitment = Drawing(table, secret.shoe, number).commit(secret.seed)
    return ShoeCommitment(shoe=secret.shoe, commitment=commitment, shape=shape)


def commit_shoe(uow: UnitOfWork, *, entropy: Entropy, now: datetime) -> None:
    """Commit to the seed of the table's next long shoe, so that players can cut it during play."""
    uow.new_seeds.append(ShoeSeed(shoe=entropy.shoe, seed=entropy.seed))
    drawing = Drawing(uow.table.require_opened().table, entropy.shoe, uow.table.shoes + 1)
    commitment = drawing.commit(entropy.seed)
    uow.on_table(shoes.commit_shoe, shoe=entropy.shoe, commitment=commitment, at=now)


def _ensure_shoes(uow: UnitOfWork, *, entropy: Entropy, now: datetime) -> None:
    """Start the committed shoe if none is in play, or close its cut first, and commit to the one after it."""
    if uow.table.shoe is None:
        _start_shoe(uow, entropy=entropy, now=now)
    if not uow.table.committed_shoes():
        commit_shoe(uow, entropy=entropy, now=now)


def closing_inputs(uow: UnitOfWork, entropy: Entropy) -> dealing.ClosingInputs:
    """Return what a closing at this table holds beside what it closes."""
    cosigned = entropy.cosigned if uow.round.is_running() and uow.round.require_opened().witnesses else None
    return dealing.ClosingInputs(entropy.blind, entropy.sealed_head, uow.table.last_closing, cosigned)


def _start_shoe(uow: UnitOfWork, *, entropy: Entropy, now: datetime) -> None:
    """Fix the cut of the committed shoe, close it and start it. Does nothing without the committed seed.

    At a table with witnesses, the cut is closed only; the shoe starts once their links are given out.
    """
    committed, rules, seed = next(iter(uow.table.committed_shoes()), None), uow.table.rules, entropy.committed_seed
    if committed is None or seed is None or not _opens(uow, committed, seed):
        return
    closing = dealing.ClosingInputs(entropy.blind, entropy.sealed_head, uow.table.last_closing, entropy.cosigned)
    if uow.table.coming_shoe is None and uow.table.chains:
        uow.on_table(shoes.close_cut_of_shoe, closing=closing, at=now)
        return
    cut, links = bytes.fromhex(contributions_and_cut(committed)[1]), committed.links
    first_card = shuffle(seed, cut=cut, decks=rules.decks, first=1, links=links)[0] if rules.burn else None
    root = None if rules.draws_by_round else shoe_root(seed, cut=cut, decks=rules.decks, links=links)
    closing = replace(closing, cosigned=None)
    uow.on_table(shoes.start_shoe, first_card=first_card, root=root, closing=closing, at=now)


def next_shoe_starts_after_round(uow: UnitOfWork) -> bool:
    """Return whether the first committed shoe may come into play as soon as the current round ends.

    True if each round has its own shoe and the next round opens by itself, and after the last round of a long shoe.
    """
    shoe = uow.table.shoe
    return uow.table.rules.turn_seconds is not None if shoe is None else shoe.cut_card_out


def deal_round(uow: UnitOfWork, *, seed: bytes, entropy: Entropy, now: datetime) -> None:
    """Close betting, deal, settle, end a finished shoe, and open the next round at a table with turns and no show.

    At a table with a Caller, it may only hand out the Player's cards; the round is due again when they are handed back.
    At a table with witnesses, it first closes betting only; the round is due again once their links are given out.
    Raises RoundIsNotDue while a seat may still act.
    """
    witnessed = uow.round.require_opened().witnesses
    cards, position = next_cards(uow, seed) if uow.round.releases or not witnessed else ((), 0)
    revealed = seed_revealed_by_round(uow, seed)
    closing = closing_inputs(uow, entropy)
    following = ShoeSeed(shoe=entropy.shoe, seed=entropy.seed)
    events = uow.on_round(
        dealing.deal_round,
        cards=cards,
        shoe_position=position,
        seed=revealed,
        rules=uow.table.rules,
        at=now,
        closing=closing,
        next_terms=_next_terms(uow.table, following),
    )
    if any(isinstance(event, CardsDealt) and event.next_terms is not None for event in events):
        uow.new_seeds.append(following)
    if uow.round.awaits_links():
        return
    _mark_revealed(uow, revealed)
    end_finished_shoe(uow, seed=seed, now=now)
    open_next_round(uow, entropy=entropy, now=now)


def _next_terms(table: TableState, following: ShoeSeed) -> NextTerms | None:
    """Return the terms of the next round if they can be fixed with the cards of this one; otherwise None."""
    if table.has_long_shoe() or table.pending_closure is not None or table.pending_rules_are_due():
        return None
    if table.lacks_links():
        return None
    opened, number = table.require_opened(), table.rounds + 2
    return next_terms(table, commitment_to(following, table=opened.table, number=number, shape=table.next_shape()))


def end_show(uow: UnitOfWork, *, entropy: Entropy, now: datetime) -> None:
    """Open the next round once the show is over, or leave the table idle if none can open. Raises RoundIsNotDue."""
    if uow.table.show_runs(now):
        raise RoundIsNotDue
    open_round(uow, entropy=entropy, now=now)
    if uow.table.round is None and uow.table.betting_opens_at is not None:
        uow.on_table(decisions.end_show, at=now)


def lapse_if_empty(uow: UnitOfWork, *, seed: bytes, entropy: Entropy, now: datetime) -> None:
    """End a running round that has no players left. Does nothing while a seat may act or has a wager."""
    if not is_empty(uow):
        return
    revealed = seed_revealed_by_round(uow, seed)
    closing = closing_inputs(uow, entropy)
    uow.on_round(
        dealing.deal_round, cards=(), shoe_position=0, seed=revealed, rules=uow.table.rules, at=now, closing=closing
    )
    _mark_revealed(uow, revealed)


def is_empty(uow: UnitOfWork) -> bool:
    """Return whether the round is running and not suspended, and every seat has acted but none has a wager."""
    round_ = uow.round
    return round_.is_running() and round_.suspension_reason is None and round_.is_empty()


def next_cards(uow: UnitOfWork, seed: bytes) -> tuple[tuple[Card, ...], int]:
    """Return the next six cards and the position of the first in the shoe, whose seed this is.

    A long shoe's are those of its order where it is fixed, else they are drawn from what is left of it. There always
    are six: MIN_CARDS_BEHIND_CUT lie behind the cut card at least, and one hand more follows it. Cards that were chosen
    for the round come in their place.
    """
    shoe, round_, rules = uow.table.shoe, uow.round, uow.table.rules
    opened, position = round_.require_opened(), 0 if shoe is None else shoe.cards_used
    if round_.forced:
        return round_.forced, position
    cut, decks = bytes.fromhex(own_cut_in_hex(opened) if shoe is None else shoe.cut), rules.decks
    if shoe is not None and not rules.draws_by_round:
        first = position + MAX_CARDS_PER_ROUND
        return shuffle(seed, cut=cut, decks=decks, first=first, links=shoe.links)[position:], position
    own, out = (seed, ()) if shoe is None else (round_seed(seed, opened.number), _as_cards(shoe.cards))
    links = links_of(opened.witnesses, round_.releases)
    return shuffle(own, cut=cut, decks=decks, first=MAX_CARDS_PER_ROUND, links=links, out=out), position


def _as_cards(cards: str) -> tuple[Card, ...]:
    return tuple(Card(card) for card in cards.split())


def players_cards(uow: UnitOfWork, seed: bytes) -> tuple[Card, Card]:
    """Return the Player's first two cards of the current round: the first and third of the next cards."""
    cards, _ = next_cards(uow, seed)
    return cards[0], cards[2]


def max_burned_cards(uow: UnitOfWork) -> int:
    """Return the maximum number of cards a round takes from a shoe of fixed order, limited by the cards left; else 0.

    Elsewhere the next round draws its cards anew, so that who has seen some of a void one's knows nothing of them.
    """
    shoe = uow.table.shoe
    return (
        0
        if shoe is None or uow.table.rules.draws_by_round
        else min(MAX_CARDS_PER_ROUND, uow.table.rules.decks * 52 - shoe.cards_used)
    )


def seed_revealed_by_round(uow: UnitOfWork, seed: bytes) -> str | None:
    """Return the seed of the round's drawing in hex, None in a shoe of fixed order. A long shoe's own stays secret."""
    if uow.table.shoe is None:
        return seed.hex()
    return round_seed(seed, uow.round.require_opened().number).hex() if uow.table.rules.draws_by_round else None


def _mark_revealed(uow: UnitOfWork, revealed: str | None) -> None:
    """Mark the seed for deletion once the ended round has revealed it; keep it while the cards are only handed out."""
    if revealed is not None and uow.table.shoe is None and not uow.round.is_running():
        uow.revealed_shoes.append(uow.round.require_opened().shoe)


def end_finished_shoe(uow: UnitOfWork, *, seed: bytes, now: datetime) -> None:
    """End a long shoe after its last round: reveal its seed and collect commissions."""
    shoe = uow.table.shoe
    if shoe is None or not shoe.finished:
        return
    uow.revealed_shoes.append(shoe.shoe)
    uow.on_table(shoes.end_shoe, seed=seed.hex(), at=now)


def open_next_round(uow: UnitOfWork, *, entropy: Entropy, now: datetime) -> None:
    """Fix the terms of the next round; at a table with turns, open it if a seat acted in the last or a player waits."""
    fix_terms(uow, entropy=entropy, now=now)
    if uow.table.rules.turn_seconds is None or uow.table.round is not None:
        return
    if uow.round.phase is Phase.UNOPENED or _somebody_acted_or_waits(uow):
        open_round(uow, entropy=entropy, now=now)


def _somebody_acted_or_waits(uow: UnitOfWork) -> bool:
    acted = {SeatStatus.CONFIRMED, SeatStatus.PASSED, SeatStatus.LEFT}
    if any(seat.status in acted for seat in uow.round.seats):
        return True
    return any(uow.round.seat_of(seat.player) is None for seat in uow.table.seats)


def contribute_to_cut(
    uow: UnitOfWork, *, player: UUID, contribution: str, now: datetime, signature: ContributionSignature | None = None
) -> None:
    """Add to the cut of the next shoe that is not cut yet: nobody can bet on it before its cut is closed.

    `contribution` is 1 to 32 bytes in lower-case hex. Raises NotSeated, NoShoeToCut, CutChangedTooOften.
    """
    uow.on_table(shoes.contribute, player=player, contribution=contribution, at=now, signature=signature)


def leave_round(uow: UnitOfWork, *, player: UUID) -> None:
    """Take the player out of the running round before leaving or changing seats. Raises WagerInPlay."""
    uow.on_round(betting.leave_round, player=player)
