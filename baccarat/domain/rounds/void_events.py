"""What happens when a round is voided: malfunction voids all pays and plays. Amounts are minor units.

Staff are named by number, as a name would be personal. A `note` is stored sealed under the keys of who was in the
round, so that it goes when one of them is forgotten, while the round stays provable.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from casino.kernel.money import MoneyType


class VoidReason(StrEnum):
    """Why a round is voided."""

    MALFUNCTION = "malfunction"
    MISDEAL = "misdeal"
    WRONG_RULES = "wrong_rules"
    FRAUD = "fraud"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class RoundVoidRequested:
    """The outcome is known, so a second person has to agree before anything is undone."""

    by: str
    reason: VoidReason
    note: str
    requested_at: datetime


@dataclass(frozen=True, slots=True)
class RoundVoidDeclined:
    """The request is off the table; the round stands as it was settled."""

    by: str
    note: str
    declined_at: datetime


@dataclass(frozen=True, slots=True)
class SeatVoided:
    """How one wager is undone: `staked` goes back; `paid`, what the settlement brought to the player, is taken.

    The difference goes to the game balance or, for one who has left, to the account; or it is taken from the game
    balance, then from the account, and the rest is `owed`, or `forgiven` by the house. `commission` is undone as
    well: `from_rack` of it had not been collected yet.
    """

    seat: int
    player: UUID
    money_type: MoneyType
    staked: int
    paid: int
    commission: int
    from_rack: int
    to_game: int
    to_account: int
    from_game: int
    from_account: int
    owed: int
    forgiven: int


@dataclass(frozen=True, slots=True)
class RoundVoided:
    """All stakes, payouts and commissions of the round are undone. `was_settled` tells whether there was an outcome.

    `approved_by` is the second person, None where none is needed. `seed` opens the commitment of the round's own shoe
    where it was still secret. `number` is the round's at its table. `burned_count` cards went out of a shoe that
    continues, unseen but by the one player who had looked at two of them.
    """

    round: UUID
    was_settled: bool
    requested_by: str
    approved_by: str | None
    reason: VoidReason
    note: str
    seats: tuple[SeatVoided, ...]
    voided_at: datetime
    seed: str | None
    number: int
    burned_count: int
