"""What a player may stake now: data that decisions receive, so that a refusal by a limit is a decision. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from wallet.ledger.refusals import DebtOutstanding
from wallet.responsible_gaming.events import LimitPeriod, LimitType
from wallet.responsible_gaming.limits import Usage, buy_in_usage, find_exceeded_limit, wager_usage
from wallet.responsible_gaming.refusals import (
    OverGroupMaximum,
    PlayerExcluded,
    PlayerIsBlocked,
    PlayLimitReached,
    UnderGroupMinimum,
)
from wallet.responsible_gaming.state import Exclusion, PlayerBlock, PlayLimit
from wallet.responsible_gaming.table_limit import PersonalTableLimit, require_within


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a player may stake now, in minor units: `available` in all, and per spot what the limits group says.

    `own` is the player's own limit per spot. A block or an exclusion bars the player, a debt (`owed`) bars wagers and
    buy-ins, and `bets_stopped` after the operator's wins of the day bars stakes. `limits` are the strictest on play, of
    which `usage` is taken; without `real_money`, only time counts.
    """

    available: int
    currency: str = ""
    real_money: bool = True
    block: PlayerBlock | None = None
    exclusion: Exclusion | None = None
    owed: int = 0
    bets_stopped: bool = False
    own: PersonalTableLimit | None = None
    minimum: int | None = None
    maximum: int | None = None
    limits: Mapping[tuple[LimitType, LimitPeriod], PlayLimit] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)

    def require_not_blocked(self) -> None:
        """Check that staff have not blocked the player, nor frozen the account. Raises PlayerIsBlocked."""
        if self.block is not None:
            raise PlayerIsBlocked(self.block)

    def require_stakes(self, stakes: Collection[int], *, confirmed: bool = False) -> None:
        """Check stakes on spots; the group's minimum applies once they are confirmed.

        Raises OverOwnTableLimit, OverGroupMaximum, UnderGroupMinimum, PlayerIsBlocked, PlayerExcluded.
        """
        require_within(self.own, stakes)
        if self.maximum is not None and max(stakes) > self.maximum:
            raise OverGroupMaximum(limit=self.maximum, currency=self.currency)
        if confirmed and self.minimum is not None and min(stakes) < self.minimum:
            raise UnderGroupMinimum(limit=self.minimum, currency=self.currency)
        self._require_may_play()

    def require_wager(self, staked: int) -> None:
        """Check a wager against debts, exclusions and limits.

        Raises DebtOutstanding, PlayerIsBlocked, PlayerExcluded, PlayLimitReached.
        """
        self._require(wager_usage(staked=staked, real_money=self.real_money, usage=self.usage))

    def require_buy_in(self, amount: int) -> None:
        """Check a buy-in or rebuy as a wager: the smallest one has to fit the limits."""
        self._require(buy_in_usage(amount=amount, real_money=self.real_money, usage=self.usage))

    def _require_may_play(self) -> None:
        self.require_not_blocked()
        if self.exclusion is not None:
            raise PlayerExcluded(self.exclusion)

    def _require(self, needs: Mapping[LimitType, int]) -> None:
        self._require_may_play()
        if self.owed:
            raise DebtOutstanding(owed=self.owed, currency=self.currency)
        excess = find_exceeded_limit(self.limits, self.usage.used, needs)
        if excess is not None:
            raise PlayLimitReached(excess, currency=self.currency)
