"""How the players of an operator come by money. Stream: `funding-{operator}`. `at` is the database's time."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class Funding(StrEnum):
    """Where the money of an operator's players comes from and goes to."""

    HOUSE = "house"
    """Deposits and withdrawals through payment providers."""
    TRANSFER = "transfer"
    """The operator's own wallet: its server moves money in and out."""
    SEAMLESS = "seamless"
    """The operator's own wallet, asked for each wager."""


class WalletProfile(StrEnum):
    """The vocabulary in which the operator's own wallet is asked. Values may be added."""

    STANDARD = "standard"
    """Our own messages, signed both ways."""
    HUB88 = "hub88"


@dataclass(frozen=True, slots=True)
class FundingChanged:
    """From now on the operator's players come by money in this way; before the first change by `house`.

    `wallet_url` is where the operator's own wallet is asked, empty unless the funding is `seamless`. `conformance` is
    the signed proof that this wallet passed the conformance kit, empty for a sandbox operator.
    `profile` is the vocabulary in which it is asked.
    """

    operator: UUID
    funding: Funding
    at: datetime
    wallet_url: str = ""
    conformance: str = ""
    profile: WalletProfile = WalletProfile.STANDARD


def funding_stream(operator: UUID) -> str:
    return f"funding-{operator}"
