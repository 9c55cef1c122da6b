"""Rules for moving a table from one round to the next. Pure: ids, seeds and the time are passed in."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.commitment import commit, opens
from baccarat.domain.fairness.cut import compute_cut
from baccarat.domain.fairness.openings import shoe_root
from baccarat.domain.fairness.shuffle import shuffle
from baccarat.domain.rounds import commands as rc
from baccarat.domain.rounds.commitment import ShoeCommitment
from baccarat.domain.rounds.cut import as_contributions
from baccarat.domain.rounds.events import SeatInRound
from baccarat.domain.rounds.state import Phase, SeatStatus
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.table_rules import ShoeShape
from baccarat.domain.tables import commands as tc
from baccarat.domain.tables.shoes import contributions_and_cut
from baccarat.domain.tables.state import TableState
from baccarat.domain.unit_of_work import ShoeSeed, UnitOfWork

MAX_CARDS_PER_ROUND: Final = 6


@dataclass(frozen=True, slots=True)
class Entropy:
    """New ids and a new 256-bit seed, drawn outside the domain and used when a round opens or a shoe is committed to.

    `committed_seed` is the seed of the table's committed shoe when that shoe may come into play. If it is None, because
    the seed cannot be read, nothing starts, unless `deferred_seed_check` says that the seed is checked on write.
    """

    round: UUID
    shoe: UUID
    seed: bytes = field(repr=False)
    committed_seed: bytes | None = field(default=None, repr=False)
    deferred_seed_check: bool = False


@dataclass(frozen=True, slots=True)
class _RoundsShoe:
    """The shoe to deal a round from, its commitment if it is the round's own, and the commitment for the next round."""

    shoe: UUID
    commitment: str | None = None
    following: ShoeCommitment | None = None


def open_round(journal: UnitOfWork, *, entropy: Entropy, now: datetime) -> None:
    """Open betting for the seated players, starting a shoe first if one is due.

    Does nothing if a round is running, nobody is seated, rounds are not allowed, or the committed shoe's seed cannot be
    read. Published rules take effect here.
    """
    table = journal.table
    if table.round is not None or not table.seats or not may_open_round(table):
        return
    if table.rules_lifecycle is not None:
        journal.decide_on_table(tc.PutRulesIntoEffect(now=now))
    dealt_from = _shoe_for_round(journal, fresh=entropy, now=now)
    if dealt_from is None:
        return
    table = journal.table
    facts, turn = table.require_opened(), table.rules.turn_seconds
    journal.open_round(
        rc.OpenRound(
            round=entropy.round,
            table=facts.table,
            operator=facts.operator,
            number=table.rounds + 1,
            rules=table.rules.label,
            shoe=dealt_from.shoe,
            commitment=dealt_from.commitment,
            seats=tuple(
                SeatInRound(seat=seat.seat, player=seat.player, money_type=seat.money_type) for seat in table.seats
            ),
            now=now,
            deadline_at=None if turn is None else now + timedelta(seconds=turn),
            next_shoe=dealt_from.following,
        )
    )


def may_open_round(table: TableState) -> bool:
    """Return whether rounds may open: the table stays open, no stop applies, and its rules are not retired."""
    return not (table.stops or table.closed or table.pending_closure is not None or table.rules_are_retired())


def _shoe_for_round(journal: UnitOfWork, *, fresh: Entropy, now: datetime) -> _RoundsShoe | None:
    """Return the shoe in play or the shoe committed to earlier, None if there is neither."""
    if journal.table.has_long_shoe():
        _go_on_with_shoes(journal, fresh=fresh, now=now)
        long = journal.table.shoe
        return None if long is None else _RoundsShoe(long.shoe)
    used = _committed_for_round(journal, fresh)
    if used is None:
        return None
    shoe, commitment = used
    following = ShoeSeed(shoe=fresh.shoe, seed=fresh.seed)
    journal.new_seeds.append(following)
    return _RoundsShoe(shoe, commitment, commitment_to(following, shape=journal.table.next_shape()))


def _committed_for_round(journal: UnitOfWork, fresh: Entropy) -> tuple[UUID, str] | None:
    """Return the id and commitment announced earlier, None if the seed is unavailable."""
    coming = journal.table.next_shoe
    if coming is None:
        return None
    if fresh.deferred_seed_check:
        journal.deferred_seed_checks.append(coming)
    elif fresh.committed_seed is None or not opens(coming.commitment, fresh.committed_seed):
        return None
    return coming.shoe, coming.commitment


def commitment_to(secret: ShoeSeed, *, shape: ShoeShape) -> ShoeCommitment:
    """Commit to a seed and a shoe shape for a future round."""
    return ShoeCommitment(shoe=secret.shoe, commitment=commit(secret.seed), shape=shape)


def commit_shoe(journal: UnitOfWork, *, entropy: Entropy, now: datetime) -> None:
    """Commit to the seed of the table's next long shoe, so that players can cut it during play."""
    journal.new_seeds.append(ShoeSeed(shoe=entropy.shoe, seed=entropy.seed))
    journal.decide_on_table(tc.CommitShoe(shoe=entropy.shoe, commitment=commit(entropy.seed), now=now))


def _go_on_with_shoes(journal: UnitOfWork, *, fresh: Entropy, now: datetime) -> None:
    """Start the committed shoe if none is in play, and commit to the one after it."""
    if journal.table.shoe is None:
        _start_shoe(journal, seed=fresh.committed_seed, now=now)
    if journal.table.next_shoe is None:
        commit_shoe(journal, entropy=fresh, now=now)


def _start_shoe(journal: UnitOfWork, *, seed: bytes | None, now: datetime) -> None:
    """Fix the cut of the committed shoe and shuffle it. Does nothing without the committed seed."""
    coming, rules = journal.table.next_shoe, journal.table.rules
    if coming is None or seed is None or not opens(coming.commitment, seed):
        return
    fixed = bytes.fromhex(contributions_and_cut(coming)[1])
    turned = shuffle(seed, cut=fixed, decks=rules.decks, first=1)[0] if rules.burn else None
    journal.decide_on_table(
        tc.StartShoe(first_card=turned, root=shoe_root(seed, cut=fixed, decks=rules.decks), now=now)
    )


def next_shoe_starts_after_round(journal: UnitOfWork) -> bool:
    """Return whether the committed shoe may come into play as soon as the current round ends.

    True if each round has its own shoe and the next round opens by itself, and after the last round of a long shoe.
    """
    shoe = journal.table.shoe
    return journal.table.rules.turn_seconds is not None if shoe is None else shoe.cut_card_out


def deal_round(journal: UnitOfWork, *, seed: bytes, entropy: Entropy, now: datetime) -> None:
    """Close betting, deal, settle, end a finished shoe, and open the next round at a table with turns.

    At a table with a Caller, it may only hand out the Player's cards; the round is due again when they are handed back.
    Raises RoundIsNotDue while a seat may still act.
    """
    cards, position = next_cards(journal, seed)
    shown = _shown_with_round(journal, seed)
    journal.decide_on_round(
        rc.DealRound(cards=cards, position=position, seed=shown, rules=journal.table.rules, now=now)
    )
    _forget_if_shown(journal, shown)
    end_finished_shoe(journal, seed=seed, now=now)
    open_next_round(journal, entropy=entropy, now=now)


def lapse_if_empty(journal: UnitOfWork, *, seed: bytes, now: datetime) -> None:
    """End a running round that has no players left. Does nothing while a seat may act or has a wager."""
    if not is_empty(journal):
        return
    shown = _shown_with_round(journal, seed)
    journal.decide_on_round(rc.DealRound(cards=(), position=0, seed=shown, rules=journal.table.rules, now=now))
    _forget_if_shown(journal, shown)


def is_empty(journal: UnitOfWork) -> bool:
    """Return whether the round is running, not suspended, and every seat has left it."""
    round_ = journal.round
    return (
        round_.is_running()
        and round_.suspension_reason is None
        and round_.all_have_acted()
        and not round_.confirmed_seats()
    )


def next_cards(journal: UnitOfWork, seed: bytes) -> tuple[tuple[Card, ...], int]:
    """Return the shoe's next six cards (fewer at its end) and the position of the first."""
    position = 0 if journal.table.shoe is None else journal.table.shoe.cards_used
    shoe = shuffle(seed, cut=_cut(journal), decks=journal.table.rules.decks, first=position + MAX_CARDS_PER_ROUND)
    return shoe[position:], position


def _cut(journal: UnitOfWork) -> bytes:
    """Return the players' cut of the shoe in play: fixed at the start of a long shoe, at close of betting for a round's
    own.
    """
    shoe, round_ = journal.table.shoe, journal.round
    return (
        compute_cut(round_.require_opened().shoe, as_contributions(round_.contributions))
        if shoe is None
        else bytes.fromhex(shoe.cut)
    )


def players_cards(journal: UnitOfWork, seed: bytes) -> tuple[Card, Card]:
    """Return the Player's first two cards of the current round: the first and third of the next cards."""
    cards, _ = next_cards(journal, seed)
    return cards[0], cards[2]


def max_burned_cards(journal: UnitOfWork) -> int:
    """Return the maximum number of cards a round takes from a long shoe, limited by the cards left; otherwise 0."""
    shoe = journal.table.shoe
    return 0 if shoe is None else min(MAX_CARDS_PER_ROUND, journal.table.rules.decks * 52 - shoe.cards_used)


def _shown_with_round(journal: UnitOfWork, seed: bytes) -> str | None:
    """Return the seed in hex if the shoe ends with this round; a long shoe's seed stays secret."""
    return seed.hex() if journal.table.shoe is None else None


def _forget_if_shown(journal: UnitOfWork, shown: str | None) -> None:
    """Mark the seed for deletion once the ended round has revealed it; keep it while the cards are only handed out."""
    if shown is not None and not journal.round.is_running():
        journal.revealed_shoes.append(journal.round.require_opened().shoe)


def end_finished_shoe(journal: UnitOfWork, *, seed: bytes, now: datetime) -> None:
    """End a long shoe after its last round: reveal its seed and collect commissions."""
    shoe = journal.table.shoe
    if shoe is None or not shoe.finished:
        return
    journal.revealed_shoes.append(shoe.shoe)
    journal.decide_on_table(tc.EndShoe(seed=seed.hex(), now=now))


def open_next_round(journal: UnitOfWork, *, entropy: Entropy, now: datetime) -> None:
    """Open the next round at a table with turns if a seat acted in the last round or a player is waiting."""
    if journal.table.rules.turn_seconds is None or journal.table.round is not None:
        return
    if journal.round.phase is Phase.UNOPENED or _somebody_plays(journal):
        open_round(journal, entropy=entropy, now=now)


def _somebody_plays(journal: UnitOfWork) -> bool:
    spoke = {SeatStatus.CONFIRMED, SeatStatus.PASSED, SeatStatus.LEFT}
    if any(seat.status in spoke for seat in journal.round.seats):
        return True
    return any(journal.round.seat_of(seat.player) is None for seat in journal.table.seats)


def contribute_to_cut(journal: UnitOfWork, *, player: UUID, contribution: str, now: datetime) -> None:
    """Add to the cut of the shoe that accepts contributions now: the next long shoe, or the round's own.

    `contribution` is 1 to 32 bytes in lower-case hex. Raises NotSeated, NoShoeToCut, CutChangedTooOften, NoOpenRound,
    NotYourTurn, BettingIsClosed.
    """
    if journal.table.has_long_shoe():
        journal.decide_on_table(tc.ContributeToShoeCut(player=player, contribution=contribution, now=now))
    else:
        journal.decide_on_round(rc.ContributeToCut(player=player, contribution=contribution, now=now))


def leave_round(journal: UnitOfWork, *, player: UUID) -> None:
    """Take the player out of the running round before leaving or changing seats. Raises WagerInPlay."""
    journal.decide_on_round(rc.LeaveRound(player=player))
