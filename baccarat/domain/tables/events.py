"""Events of a table, in the past tense. A stored contract: a changed shape is a new schema, upcast when read.

Amounts are minor units of the table's currency. `by` identifies staff by number, because a name would be personal data.
A version of the rules never changes, and its number is used once. `return_floor` is the operator's minimum return in
hundredths of a percent at that time.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from baccarat.domain.fairness.closing import Closing
from baccarat.domain.fairness.cut import Contribution, ContributionSignature
from baccarat.domain.rounds.events import ShoeCommitment
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.recorded import RecordedRules
from baccarat.domain.rules.table_rules import ShoeShape
from baccarat.domain.rules.versions import SpotReturn
from baccarat.domain.tables.kill_switch import PlayResumed, PlayStopped
from baccarat.domain.tables.witness_events import (
    ShoeCutClosed,
    ShoeLinksReleased,
    WitnessChainOpened,
    WitnessChainsReplaced,
)
from casino.kernel.money import MoneyType


@dataclass(frozen=True, slots=True)
class TableOpened:
    """A table opened with its first rules. `edge_accepted` lists spots whose player edge the operator accepted.

    `returns` are the spots' theoretical returns, `return_floor` is the operator's minimum return in hundredths of a
    percent, and `acknowledgement` the sentence typed if one was required. `next_shoe` is the shoe of the first round,
    None if the table plays long shoes. `listed`: whether the lobby shows it; any table is played by its id. `brands`
    lists the brands under which it is played, none for all and for play under no brand.
    """

    table: UUID
    operator: UUID
    name: str
    rules: RecordedRules
    money_types: tuple[MoneyType, ...]
    edge_accepted: tuple[str, ...]
    opened_at: datetime
    returns: tuple[SpotReturn, ...]
    return_floor: int
    acknowledgement: str
    next_shoe: ShoeCommitment | None
    listed: bool
    brands: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A player sat down; `buy_in` moved from account to game balance."""

    seat: int
    player: UUID
    money_type: MoneyType
    buy_in: int
    taken_at: datetime


@dataclass(frozen=True, slots=True)
class SeatChanged:
    player: UUID
    from_seat: int
    to_seat: int
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class Rebought:
    """A player moved more money from account to game balance."""

    seat: int
    player: UUID
    money_type: MoneyType
    amount: int
    rebought_at: datetime


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A player left: `returned` went back to the account, `commission_collected` from the rack to the house."""

    seat: int
    player: UUID
    money_type: MoneyType
    returned: int
    commission_collected: int
    left_at: datetime


class SeatReleaseReason(StrEnum):
    """Why a player's seat is freed."""

    MISSED_ROUNDS = "missed_rounds"
    """The player missed as many turns as the table keeps a seat for."""
    DISCONNECTED = "disconnected"
    """The player was gone for longer than any table keeps a seat."""
    TABLE_CLOSED = "table_closed"
    """The table closes permanently, whether the player is present or not."""


@dataclass(frozen=True, slots=True)
class SeatReleased:
    """The seat of an absent player, or of a player at a closing table, was freed; money moves as on leaving.

    The player missed `missed` turns in a row and was last seen at `last_seen_at`.
    """

    seat: int
    player: UUID
    money_type: MoneyType
    returned: int
    commission_collected: int
    reason: SeatReleaseReason
    missed: int
    last_seen_at: datetime
    released_at: datetime


@dataclass(frozen=True, slots=True)
class ShowSkipRequested:
    """A player asked to skip the rest of the show. Once all seated players have, the next round may open."""

    seat: int
    player: UUID
    requested_at: datetime


@dataclass(frozen=True, slots=True)
class ShowEnded:
    """The show was over and no round could open, because play is stopped or nobody is seated. The table is idle."""

    ended_at: datetime


@dataclass(frozen=True, slots=True)
class ShoeCommitted:
    """The seed of the table's next long shoe is committed to, before anybody contributes to its cut.

    Includes its `shape`, because somebody who knows the seed could later choose cards by it.
    """

    shoe: UUID
    number: int
    commitment: str
    committed_at: datetime
    shape: ShoeShape


@dataclass(frozen=True, slots=True)
class ShoeCutContributed:
    """A seat set its contribution to the next shoe, 1 to 32 bytes in hex, replacing its earlier one.

    Everyone at the table may see it at once. It can change until a long shoe starts, or the terms of the round with
    that shoe are fixed. A `signature` was verified, and its public key is part of the cut.
    """

    shoe: UUID
    seat: int
    player: UUID
    contribution: str
    contributed_at: datetime
    signature: ContributionSignature | None = None


@dataclass(frozen=True, slots=True)
class ShoeStarted:
    """A long shoe was shuffled and cut: its first card was turned over and `burned_count` more were burned.

    The `cut` follows from the `contributions`. `root` is the Merkle root of all its cards if their order is fixed now,
    None if each round draws its own. Both are in hex. Nobody knows a burned card if each round draws its own.
    `first_round` is the number of the first round dealt from it. `closing` pins its cut, None where
    `ShoeCutClosed` has it.
    """

    shoe: UUID
    number: int
    commitment: str
    turned_card: Card | None
    burned_count: int
    started_at: datetime
    first_round: int
    contributions: tuple[Contribution, ...]
    cut: str
    root: str | None
    closing: Closing | None


@dataclass(frozen=True, slots=True)
class PlaceInShoe:
    """Where a round begins in a long shoe: its first card's place, and the digest of the cards dealt before it, in hex.

    `commitment` is to the round's own seed, to the shoe's if the order is fixed. `next_commitment` is that of the shoe
    after it.
    """

    next_place: int
    cards: str
    commitment: str
    next_commitment: str


@dataclass(frozen=True, slots=True)
class TermsFixed:
    """The terms of the table's round with this number were fixed, before anybody could bet on it. `digest` is theirs.

    They follow from the table's events before this one. If the round has a shoe of its own, its cut is closed now,
    `next_shoe` is committed to for the round after it, and `place` is None. Terms that are fixed anew, because other
    rules take effect, keep both shoes: `next_shoe` is None then, as at a table with long shoes.
    """

    number: int
    digest: str
    place: PlaceInShoe | None
    next_shoe: ShoeCommitment | None
    fixed_at: datetime


@dataclass(frozen=True, slots=True)
class CommissionCollected:
    """The commission in one player's rack, collected at the end of the shoe."""

    seat: int
    player: UUID
    money_type: MoneyType
    amount: int


@dataclass(frozen=True, slots=True)
class ShoeEnded:
    """The shoe ended: its seed is revealed and the racks are emptied."""

    shoe: UUID
    seed: str
    cards_dealt: int
    collected: tuple[CommissionCollected, ...]
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class ShoeRevealed:
    """The seed, in hex, of a voided round's own shoe, revealed late because it could not be read when the round was
    voided.
    """

    shoe: UUID
    round: UUID
    seed: str
    revealed_at: datetime


class EffectiveFrom(StrEnum):
    """When a published version takes effect: never within a round, nor within a shoe that it would change.

    Rules that change a shoe apply only to shoes committed to after publication (`NEW_SHOE`). The shoe in play and the
    committed one are played as committed, so that nobody who knows a seed can choose its cards.
    """

    NEXT_ROUND = "next_round"
    NEXT_SHOE = "next_shoe"
    NEW_SHOE = "new_shoe"


@dataclass(frozen=True, slots=True)
class RulesDrafted:
    """A person proposed rules. `acknowledgement` is the sentence typed if a return requires one."""

    version: int
    rules: RecordedRules
    returns: tuple[SpotReturn, ...]
    return_floor: int
    acknowledgement: str
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RulesRejected:
    """A draft will not be published: its change was declined, cancelled or has expired."""

    version: int
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RulesPublished:
    """Two persons agreed on the change that caused it: the version takes effect from the next round or shoe."""

    version: int
    rules: RecordedRules
    effective_from: EffectiveFrom
    drafted_by: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RulesTookEffect:
    """The version applies from round number `first_round`; the previous one is retired."""

    version: int
    rules: RecordedRules
    first_round: int
    at: datetime


@dataclass(frozen=True, slots=True)
class RulesRetired:
    """The version in force was retired: no round opens at the table until another is published."""

    version: int
    reason: str
    by: str
    at: datetime


VersionEvent = RulesDrafted | RulesRejected | RulesPublished | RulesTookEffect | RulesRetired


@dataclass(frozen=True, slots=True)
class TableClosureAnnounced:
    """The table will close permanently: nothing new starts, and it closes once running play has concluded."""

    by: str
    reason: str
    announced_at: datetime


@dataclass(frozen=True, slots=True)
class RevealedSeed:
    """The seed, in hex, of a shoe not played to its end, or not at all; None if it is lost."""

    shoe: UUID
    seed: str | None


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The table is closed and opens no more rounds. Seeds of its shoes that were still secret are revealed."""

    by: str
    reason: str
    closed_at: datetime
    seeds: tuple[RevealedSeed, ...]


TableEvent = (
    TableOpened
    | SeatTaken
    | SeatChanged
    | Rebought
    | SeatLeft
    | SeatReleased
    | ShowSkipRequested
    | ShowEnded
    | ShoeCommitted
    | ShoeCutContributed
    | ShoeCutClosed
    | ShoeLinksReleased
    | TermsFixed
    | ShoeStarted
    | ShoeEnded
    | ShoeRevealed
    | WitnessChainOpened
    | WitnessChainsReplaced
    | TableClosureAnnounced
    | TableClosed
    | PlayStopped
    | PlayResumed
    | RulesDrafted
    | RulesRejected
    | RulesPublished
    | RulesTookEffect
    | RulesRetired
)
