"""The bodies of players' actions at a table."""

from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import asdict

from baccarat.api import refusals
from baccarat.domain.fairness.cut import (
    MAX_CONTRIBUTION_BYTES,
    ContributionSignature,
    MalformedContribution,
    parse_contribution,
)
from baccarat.domain.rounds.events import WagerSignature
from baccarat.domain.rounds.signed_wager import ED25519, NONCE_BYTES, PUBLIC_KEY_BYTES
from baccarat.domain.rules.spots import NAME
from baccarat.domain.rules.table_rules import SEATS
from casino.api.requests import Amount, Body, Offer, OfferedCurrency, Written, integer, malformed, require_text
from casino.crypto.ed25519 import SIGNATURE_BYTES
from casino.kernel.conversion import Malformed
from casino.kernel.errors import Fault
from casino.kernel.money import MoneyType


class ContributionText(str, metaclass=Written):
    """1 to 32 bytes in hex."""

    made = str
    codes = ("not_a_string", refusals.ContributionMalformed.code)
    schema: ClassVar[dict[str, Any]] = {
        "type": "string",
        "pattern": f"^([0-9a-fA-F]{{2}}){{1,{MAX_CONTRIBUTION_BYTES}}}$",
        "examples": ["9f2c5e7a41b0d863"],
    }

    @classmethod
    def read(cls, value: object, offer: Offer) -> str:
        """Return the bytes in lower-case hex. Raises Malformed."""
        del offer
        try:
            return parse_contribution(require_text(value)).hex()
        except MalformedContribution as error:
            raise malformed(refusals.ContributionMalformed.code, str(error)) from None


def _hex(bytes_: int, prefix: str = "") -> Meta:
    """Document so many bytes in lower-case hex, the first digits of which may be given."""
    return Meta(pattern=rf"^{prefix}[0-9a-f]{{{2 * bytes_ - len(prefix)}}}\Z")


SpotName = Annotated[str, Meta(min_length=1, pattern=rf"^{NAME}\Z")]
"""The name of a spot that the table's rules list."""


class WagerSignatureRequest(Body):
    """A player's signature of the wager with the key of its session: the specification of fairness has the bytes."""

    public_key: Annotated[str, _hex(PUBLIC_KEY_BYTES, ED25519)]
    nonce: Annotated[str, _hex(NONCE_BYTES)]
    signature: Annotated[str, _hex(SIGNATURE_BYTES)]

    def signed(self) -> WagerSignature:
        """Return the signature."""
        return WagerSignature(**asdict(self))


class ContributionSignatureRequest(Body):
    """A player's signature of the contribution: over the commitment of the shoe that is cut, and the seat."""

    public_key: Annotated[str, _hex(PUBLIC_KEY_BYTES, ED25519)]
    signature: Annotated[str, _hex(SIGNATURE_BYTES)]

    def signed(self) -> ContributionSignature:
        """Return the signature."""
        return ContributionSignature(**asdict(self))


def signed(signature: ContributionSignatureRequest | None) -> ContributionSignature | None:
    """Return the signature of a contribution, if there is one."""
    return None if signature is None else signature.signed()


class TakeSeatRequest(Body, kw_only=True):
    """A seat, and the amount to bring from the account."""

    seat: Annotated[int, integer(*SEATS)]
    buy_in: Annotated[Amount, Meta(description="Without it you bring nothing.")] = Amount(0)
    currency: OfferedCurrency
    money_type: MoneyType
    contribution: ContributionText | None = None
    contribution_signature: ContributionSignatureRequest | None = None


class ChangeSeatRequest(Body):
    """The seat to move to."""

    seat: Annotated[int, integer(*SEATS)]


class RebuyRequest(Body):
    """An amount to move from the account to the game balance."""

    amount: Amount
    currency: OfferedCurrency


class PlaceChipsRequest(Body):
    """Chips for one spot."""

    spot: SpotName
    amount: Amount
    currency: OfferedCurrency


class StakeRequest(Body):
    """A stake on one spot."""

    spot: SpotName
    amount: Amount


class RebetAndDealRequest(Body):
    """Empty, or with the player's signature of the wager."""

    signature: WagerSignatureRequest | None = None

    def wager_signature(self) -> WagerSignature | None:
        """Return the signature, if there is one."""
        return None if self.signature is None else self.signature.signed()


class DealRequest(RebetAndDealRequest):
    """Empty to confirm the chips on the table, or the whole wager, which replaces them, with its currency.

    A contribution goes to the cut of the next shoe: that of the round that is bet on is closed.
    """

    codes = (refusals.NoStakes.code, refusals.DuplicateSpot.code)
    stakes: tuple[StakeRequest, ...] | UnsetType = UNSET
    currency: OfferedCurrency | None = None
    contribution: ContributionText | None = None
    contribution_signature: ContributionSignatureRequest | None = None

    def __post_init__(self) -> None:
        """Refuse an empty list, a repeated spot, and stakes without a currency. Raises Malformed."""
        if self.stakes is UNSET:
            return
        faults = []
        if not self.stakes:
            faults.append(Fault("stakes", refusals.NoStakes.code, "is empty"))
        if len(self.by_spot()) != len(self.stakes):
            faults.append(Fault("stakes", refusals.DuplicateSpot.code, "repeats a spot"))
        if self.currency is None:
            faults.append(Fault("currency", "field_required", "is missing: amounts need their currency"))
        if faults:
            raise Malformed(*faults)

    def by_spot(self) -> dict[str, int]:
        """Return the stakes in minor units."""
        return {stake.spot: stake.amount for stake in self.stakes or ()}


class CutRequest(Body):
    """A contribution to the cut."""

    contribution: ContributionText
    contribution_signature: ContributionSignatureRequest | None = None
