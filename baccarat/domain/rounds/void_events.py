"""Events of voiding a round: malfunction voids all pays and plays. Amounts are minor units.

Staff are identified by number, because a name would be personal data. A `note` is stored encrypted under the keys of
the round's players, so that it becomes unreadable when one of them is erased while the round stays provable.
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
    """Voiding was requested after the outcome was known; a second person must approve it."""

    by: str
    reason: VoidReason
    note: str
    requested_at: datetime


@dataclass(frozen=True, slots=True)
class RoundVoidDeclined:
    """The request was declined; the settlement remains valid."""

    by: str
    note: str
    declined_at: datetime


@dataclass(frozen=True, slots=True)
class SeatVoided:
    """How one wager is undone: `staked` is given back; `paid`, what the settlement paid the player, is taken back.

    A positive difference goes to the game balance or, if the player has left, to the account. A negative one is taken
    from the game balance, then from the account; the rest is `owed`, or `forgiven` by the house. `commission` is undone
    as well: `from_rack` of it had not been collected yet.
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
    """All stakes, payouts and commissions of the round were undone. `was_settled` is whether there was an outcome.

    `approved_by` is the second person, None if none is needed. `seed` opens the commitment of the round's own shoe if
    it was still secret. `number` is the round's number at its table. `burned_count` cards were burned from a shoe that
    continues, seen by nobody except one player who looked at two of them.
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
