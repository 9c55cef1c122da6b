"""Fields used only in requests about players and operators."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from casino.operators.pins import require_well_formed
from casino.operators.refusals import MalformedPin


@extend_schema_field({"type": "string", "pattern": "^[0-9]{4,12}$", "format": "password"})
class PinField(serializers.Field[str, Any, str, str]):
    """A PIN: 4 to 12 digits as text (`not_a_string`, `pin_malformed`). It is never repeated in an answer."""

    def __init__(self, **options: Any) -> None:
        super().__init__(write_only=True, **options)

    def to_internal_value(self, data: Any) -> str:
        """Check the form."""
        if not isinstance(data, str):
            raise ValidationError("A PIN is text.", code="not_a_string")
        try:
            require_well_formed(data)
        except MalformedPin as refusal:
            raise ValidationError(refusal.detail, code=refusal.code) from None
        return data
