"""Strict fields and serializers: unknown fields are rejected, and no type is converted into another."""

import re
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, ClassVar, Final
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request

from casino.kernel import money as kernel_money
from casino.kernel.errors import Refusal
from casino.kernel.money import MoneyType
from casino.kernel.text import MAX_BYTES_PER_CHARACTER, TextTooLong, UnfitText, clean, is_reference

_ACTOR: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,59}", re.ASCII)
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_DATE_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})", re.ASCII
)
AMOUNT_PATTERN: Final = f"^{kernel_money.AMOUNT_PATTERN}$"


class StrictSerializer(serializers.Serializer[Any]):
    """A serializer that rejects unknown fields (code `unknown_field`)."""

    def to_internal_value(self, data: Any) -> Any:
        """Validate a body and report every unknown field beside the other errors."""
        unknown = _unknown_fields(self, data)
        try:
            valid = super().to_internal_value(data)
        except ValidationError as error:
            if isinstance(error.detail, dict):
                raise ValidationError({**error.detail, **unknown}) from None
            raise
        if unknown:
            raise ValidationError(unknown)
        return valid


class EmptyRequest(StrictSerializer):
    """An empty object."""


def parse_body(serializer_class: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """Parse the request's body by a serializer; amounts are in its `currency`, else in the operator's default.

    Raises ValidationError, which returns the code of the field, or `invalid_fields` if there are several.
    """
    return _validate(serializer_class, request.data, request)


def parse_query(serializer_class: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """Parse those of the query's parameters that the serializer knows; the view has refused unknown ones.

    Raises ValidationError.
    """
    names = _serializer(serializer_class).fields
    parameters = {name: value for name, value in request.query_params.items() if name in names}
    return _validate(serializer_class, parameters, request)


class _Serializers(threading.local):
    """This thread's serializers and their context. A new one copies all its fields, which takes longer than a body."""

    def __init__(self) -> None:
        self.context: dict[str, Any] = {}
        self.by_class: dict[type[serializers.Serializer[Any]], serializers.Serializer[Any]] = {}


_serializers: Final = _Serializers()


def _serializer(serializer_class: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    serializer = _serializers.by_class.get(serializer_class)
    if serializer is None:
        serializer = _serializers.by_class[serializer_class] = serializer_class(context=_serializers.context)
    return serializer


def _validate(serializer_class: type[serializers.Serializer[Any]], data: Any, request: Request) -> dict[str, Any]:
    offered = _serializers.context["currencies"] = getattr(request.user, "currencies", ())
    named = data.get("currency") if isinstance(data, Mapping) else None
    _serializers.context["currency"] = named if named in offered else next(iter(offered), None)
    valid: dict[str, Any] = _serializer(serializer_class).run_validation(data)
    return valid


@extend_schema_field({"type": "string", "pattern": AMOUNT_PATTERN, "examples": ["25.00"]})
class AmountField(serializers.Field[int, Any, str, int]):
    """A decimal string, converted to minor units in the `currency` of the field or of the context."""

    codes: ClassVar[tuple[str, ...]] = (
        "amount_not_text",
        "amount_malformed",
        "amount_not_positive",
        "amount_too_large",
        "unknown_currency",
    )

    def __init__(self, *, currency: str | None = None, allow_zero: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.currency = currency
        self.allow_zero = allow_zero

    def to_internal_value(self, data: Any) -> int:
        """Convert "25.00" to 2500. Rejects a JSON number with `amount_not_text`."""
        currency = self.currency or self.context["currency"]
        try:
            if self.allow_zero and kernel_money.parse(data, currency) == 0:
                return 0
            return kernel_money.parse_positive(data, currency)
        except Refusal as refusal:
            raise ValidationError(refusal.detail, code=refusal.code) from None

    def to_representation(self, value: int) -> str:
        """Format minor units as a decimal string."""
        return kernel_money.format_amount(value, self.currency or self.context["currency"])


@extend_schema_field({"type": "string", "pattern": f"^{kernel_money.CODE_PATTERN}$", "examples": ["EUR"]})
class CurrencyField(serializers.Field[str, Any, str, str]):
    """The code of a currency that the caller's operator offers (`currency_not_offered`)."""

    codes: ClassVar[tuple[str, ...]] = ("not_a_string", "unknown_currency", "wrong_currency", "currency_not_offered")

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise ValidationError("A currency is text.", code="not_a_string")
        try:
            kernel_money.exponent(data)
        except Refusal as refusal:
            raise ValidationError(refusal.detail, code=refusal.code) from None
        offered = self.context.get("currencies")
        if offered and data not in offered:
            raise ValidationError(f"Offered are {', '.join(offered)}, not {data}.", code="currency_not_offered")
        return data

    def to_representation(self, value: str) -> str:
        return value


class _FirstOffered:
    """The default of a currency that a request leaves out."""

    requires_context = True

    def __call__(self, field: serializers.Field[Any, Any, Any, Any]) -> str | None:
        return next(iter(field.context.get("currencies", ())), None)


FIRST_OFFERED: Final[Any] = _FirstOffered()
"""The first currency that the caller's operator offers: `CurrencyField(required=False, default=FIRST_OFFERED)`."""


class CurrencyQuery(serializers.Serializer[Any]):
    """The currency of the amounts."""

    currency = CurrencyField(required=False, default=FIRST_OFFERED, help_text="By default the operator's first.")


class EnumField(serializers.Field[StrEnum, Any, str, StrEnum]):
    """One member of a StrEnum, by its value (`unknown_choice` otherwise)."""

    codes: ClassVar[tuple[str, ...]] = ("not_a_string", "unknown_choice")

    def __init__(self, choices: type[StrEnum], **options: Any) -> None:
        super().__init__(**options)
        self.enum = choices

    def to_internal_value(self, data: Any) -> StrEnum:
        if not isinstance(data, str):
            raise ValidationError("This must be text.", code="not_a_string")
        try:
            return self.enum(data)
        except ValueError:
            known = ", ".join(member.value for member in self.enum)
            raise ValidationError(f"{data[:40]!r} is not one of: {known}.", code="unknown_choice") from None

    def to_representation(self, value: StrEnum) -> str:
        return value.value


class StructField(serializers.Field[Any, Any, Any, Any]):
    """A JSON value that the use case converts into a struct, by which it is documented."""

    def __init__(self, struct: Any, **options: Any) -> None:
        super().__init__(**options)
        self.struct = struct

    def to_internal_value(self, data: Any) -> Any:
        return data


class YesNo(StrEnum):
    """A flag in a query."""

    YES = "true"
    NO = "false"


class MoneyTypeField(EnumField):
    """`real` or `play`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(MoneyType, **options)


class ReferenceField(serializers.CharField):
    """An id, reference or address, as its owner wrote it: nothing is converted or trimmed, controls are refused."""

    codes: ClassVar[tuple[str, ...]] = ("not_a_string", "field_invalid")

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise ValidationError("This must be text.", code="not_a_string")
        if data and not is_reference(data, limit=len(data)):
            raise ValidationError("Control characters are not allowed.", code="field_invalid")
        return str(super().to_internal_value(data))


class TextField(serializers.CharField):
    """A text by people, taken as `clean` says; numbers and flags are not converted.

    At most `max_length` characters, as people count them. Texts that are `multiline` may have line breaks.
    """

    codes: ClassVar[tuple[str, ...]] = ("not_a_string", "field_invalid")

    def __init__(self, *, max_length: int, multiline: bool = False, help_text: str = "", **options: Any) -> None:
        limit = f"At most {max_length} characters, as people count them."
        super().__init__(
            max_length=MAX_BYTES_PER_CHARACTER * max_length, help_text=f"{help_text} {limit}".lstrip(), **options
        )
        self.limit, self.multiline = max_length, multiline

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise ValidationError("This must be text.", code="not_a_string")
        try:
            text = clean(data, limit=self.limit, multiline=self.multiline)
        except TextTooLong as refusal:
            raise ValidationError(refusal.detail, code="max_length") from None
        except UnfitText as refusal:
            raise ValidationError(refusal.detail, code="field_invalid") from None
        if not text and not self.allow_blank:
            self.fail("blank")
        return text


class ActorField(ReferenceField):
    """A member of the operator's staff: the operator's id of the person, such as `agent-17`, not a name."""

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not _ACTOR.fullmatch(text):
            raise ValidationError("An id is 1 to 60 letters, digits and ._:-", code="field_invalid")
        return text


class WholeNumberField(serializers.IntegerField):
    """A JSON number without a fraction: neither "5" nor 5.0.

    `documented` are its bounds where the use case refuses what is beyond them, with a code of its own.
    """

    codes: ClassVar[tuple[str, ...]] = ("not_an_integer",)

    def __init__(self, *, documented: tuple[int, int] | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.documented = documented

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int:
            raise ValidationError("This must be a whole number.", code="not_an_integer")
        return data


class FlagField(serializers.BooleanField):
    """A JSON true or false: no text and no number."""

    codes: ClassVar[tuple[str, ...]] = ("not_a_boolean",)

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise ValidationError("This must be true or false.", code="not_a_boolean")
        return data


@extend_schema_field(OpenApiTypes.UUID)
class IdField(serializers.Field[UUID, Any, str, UUID]):
    """A UUID in its usual text form."""

    codes: ClassVar[tuple[str, ...]] = ("not_a_string", "field_invalid")

    def to_internal_value(self, data: Any) -> UUID:
        if not isinstance(data, str):
            raise ValidationError("An id is text.", code="not_a_string")
        try:
            return UUID(data)
        except ValueError:
            raise ValidationError("This is not an id.", code="field_invalid") from None

    def to_representation(self, value: UUID) -> str:
        return str(value)


@extend_schema_field({"type": "string", "examples": ["2026-11-01T09:00:00Z"]})
class DateTimeOrDateField(serializers.Field[datetime, Any, str, datetime]):
    """An RFC 3339 time with its offset, or a date, which begins at midnight UTC."""

    codes = ("field_invalid",)

    def to_internal_value(self, data: Any) -> datetime:
        try:
            if isinstance(data, str) and _DATE.fullmatch(data):
                return datetime.fromisoformat(data).replace(tzinfo=UTC)
            if isinstance(data, str) and _DATE_TIME.fullmatch(data):
                return datetime.fromisoformat(data).astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        raise ValidationError("This is not a time such as 2026-11-21T09:00:00Z.", code="field_invalid")

    def to_representation(self, value: datetime) -> str:
        return value.isoformat()


class PeriodQuery(serializers.Serializer[Any]):
    """The period of a list."""

    def get_fields(self) -> dict[str, Any]:
        """Add the fields whose names are reserved by Python."""
        since = "Only from this time on, such as 2026-11-01 or 2026-11-01T09:00:00Z."
        return {
            **super().get_fields(),
            "from": DateTimeOrDateField(required=False, default=None, help_text=since),
            "to": DateTimeOrDateField(required=False, default=None, help_text="Only before this time."),
        }


def _unknown_fields(serializer: serializers.Serializer[Any], data: Any) -> dict[str, list[ErrorDetail]]:
    if not isinstance(data, Mapping):
        return {}
    known = {name for name, field in serializer.fields.items() if not field.read_only}
    return {name: [ErrorDetail("There is no such field.", "unknown_field")] for name in data if name not in known}
