"""The bodies of players' actions at a table."""

import re
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

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
from casino.api.fields import (
    AmountField,
    CurrencyField,
    MoneyTypeField,
    StrictSerializer,
    WholeNumberField,
)
from casino.crypto.ed25519 import SIGNATURE_BYTES


class SpotField(serializers.RegexField):
    """The name of a spot that the table's rules list."""

    codes = ("not_a_string", "field_invalid")

    def __init__(self, **options: Any) -> None:
        super().__init__(f"^{NAME}$", **options)

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            raise ValidationError("This must be text.", code="not_a_string")
        if not re.fullmatch(NAME, data, re.ASCII):
            raise ValidationError(f"{data[:40]!r} is no name of a spot.", code="field_invalid")
        return data


@extend_schema_field(
    {
        "type": "string",
        "pattern": f"^([0-9a-fA-F]{{2}}){{1,{MAX_CONTRIBUTION_BYTES}}}$",
        "examples": ["9f2c5e7a41b0d863"],
    }
)
class ContributionField(serializers.Field[str, Any, str, str]):
    """1 to 32 bytes in hex (`contribution_malformed` otherwise)."""

    codes = ("not_a_string", refusals.ContributionMalformed.code)

    def to_internal_value(self, data: Any) -> str:
        """Read the bytes and write them in lower case."""
        if not isinstance(data, str):
            raise ValidationError("A contribution is text.", code="not_a_string")
        try:
            return parse_contribution(data).hex()
        except MalformedContribution as error:
            raise ValidationError(str(error), code=refusals.ContributionMalformed.code) from None

    def to_representation(self, value: str) -> str:
        return value


class HexField(serializers.RegexField):
    """So many bytes in lower-case hex, the first digits of which may be given."""

    codes = ("not_a_string", "field_invalid")

    def __init__(self, *, bytes_: int, prefix: str = "", **options: Any) -> None:
        digits = 2 * bytes_ - len(prefix)
        super().__init__(rf"^{prefix}[0-9a-f]{{{digits}}}$", **options)
        self._pattern = re.compile(rf"{prefix}[0-9a-f]{{{digits}}}", re.ASCII)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise ValidationError("Bytes in hex are text.", code="not_a_string")
        if not self._pattern.fullmatch(data):
            raise ValidationError("These are not the bytes in lower-case hex.", code="field_invalid")
        return data


class WagerSignatureRequest(StrictSerializer):
    """A player's signature of the wager with the key of its session: the specification of fairness has the bytes."""

    public_key = HexField(bytes_=PUBLIC_KEY_BYTES, prefix=ED25519)
    nonce = HexField(bytes_=NONCE_BYTES)
    signature = HexField(bytes_=SIGNATURE_BYTES)

    def to_internal_value(self, data: Any) -> WagerSignature:
        """Return the signature."""
        return WagerSignature(**super().to_internal_value(data))


class ContributionSignatureRequest(StrictSerializer):
    """A player's signature of the contribution: over the commitment of the shoe that is cut, and the seat."""

    public_key = HexField(bytes_=PUBLIC_KEY_BYTES, prefix=ED25519)
    signature = HexField(bytes_=SIGNATURE_BYTES)

    def to_internal_value(self, data: Any) -> ContributionSignature:
        """Return the signature."""
        return ContributionSignature(**super().to_internal_value(data))


class TakeSeatRequest(StrictSerializer):
    """A seat, and the amount to bring from the account."""

    seat = WholeNumberField(documented=SEATS)
    buy_in = AmountField(required=False, help_text="Without it you bring nothing.")
    currency = CurrencyField()
    money_type = MoneyTypeField()
    contribution = ContributionField(required=False)
    contribution_signature = ContributionSignatureRequest(required=False)


class ChangeSeatRequest(StrictSerializer):
    """The seat to move to."""

    seat = WholeNumberField(documented=SEATS)


class RebuyRequest(StrictSerializer):
    """An amount to move from the account to the game balance."""

    amount = AmountField()
    currency = CurrencyField()


class PlaceChipsRequest(StrictSerializer):
    """Chips for one spot."""

    spot = SpotField()
    amount = AmountField()
    currency = CurrencyField()


class StakeRequest(StrictSerializer):
    """A stake on one spot."""

    spot = SpotField()
    amount = AmountField()


class DealRequest(StrictSerializer):
    """Empty to confirm the chips on the table, or the whole wager, which replaces them, with its currency.

    A contribution goes to the cut of the next shoe: that of the round that is bet on is closed.
    """

    codes = (refusals.NoStakes.code, refusals.DuplicateSpot.code)
    stakes = StakeRequest(many=True, required=False)
    currency = CurrencyField(required=False)
    contribution = ContributionField(required=False)
    contribution_signature = ContributionSignatureRequest(required=False)
    signature = WagerSignatureRequest(required=False)

    def validate_stakes(self, stakes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Refuse an empty list and a repeated spot."""
        if not stakes:
            raise ValidationError("The list is empty.", code=refusals.NoStakes.code)
        if len({stake["spot"] for stake in stakes}) != len(stakes):
            raise ValidationError("A spot is repeated.", code=refusals.DuplicateSpot.code)
        return stakes

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse stakes without a currency."""
        if "stakes" in attrs and "currency" not in attrs:
            raise ValidationError({"currency": [ErrorDetail("Amounts need their currency.", code="required")]})
        return attrs


class RebetAndDealRequest(StrictSerializer):
    """Empty, or with the player's signature of the wager."""

    signature = WagerSignatureRequest(required=False)


class CutRequest(StrictSerializer):
    """A contribution to the cut."""

    contribution = ContributionField()
    contribution_signature = ContributionSignatureRequest(required=False)
