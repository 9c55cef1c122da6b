"""Requests: structs into which a body or a query is converted, and the types of what is written as text in them.

A body is `class PlayerRequest(Body)`, a query `class PlayersQuery(Query)`. `parse_body` and `parse_query` return one,
or raise all that is wrong. Checks of several fields stand in `__post_init__`, which raises Malformed, or a refusal; the
`codes` of a struct are those of its own faults.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache, partial
from typing import Annotated, Any, ClassVar, Final, NamedTuple, TypeVar, cast

import msgspec
from msgspec import Meta, Struct, field
from rest_framework.request import Request

from casino.api.shapes import LIMIT
from casino.kernel import money
from casino.kernel.conversion import Malformed, alternatives_of, convert
from casino.kernel.errors import Fault, Refusal
from casino.kernel.text import MAX_BYTES_PER_CHARACTER, NO_CONTROLS, TextTooLong, UnfitText, clean

AMOUNT_PATTERN: Final = f"^{money.AMOUNT_PATTERN}$"
_ACTOR: Final = r"^[A-Za-z0-9][A-Za-z0-9._:-]*\Z"
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_DATE_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})", re.ASCII
)
_INTEGER: Final = re.compile(r"-?[0-9]{1,40}", re.ASCII)
_FLAGS: Final = {"true": True, "false": False}
BodyT = TypeVar("BodyT", bound="Body")
QueryT = TypeVar("QueryT", bound="Query")


class Body(Struct, kw_only=True, forbid_unknown_fields=True):
    """Base of every body of a request, and of the objects inside."""

    _spectacular_annotation: ClassVar[dict[str, bool]] = {"suppress_collision_warning": True}
    codes: ClassVar[tuple[str, ...]] = ()


class Query(Body):
    """Base of every set of parameters of a query."""


class Offer(NamedTuple):
    """The currencies that the caller's operator offers, and the one in which amounts of the request are."""

    currencies: Sequence[str]
    currency: str


class Written(type):
    """The type of types that JSON writes as text, and `read` reads as plain values: of `made`, never of their own.

    `codes` are those of what `read` raises, `schema` is how the document shows it.
    """

    made: Any
    codes: tuple[str, ...]
    schema: dict[str, Any]
    struct: type[Struct]
    """In the place of a schema: a struct into which a use case converts what is read."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls.made)

    def __call__(cls, *arguments: Any) -> Any:
        return cls.made(*arguments)


class Amount(int, metaclass=Written):
    """A decimal string above zero, in the `currency` of the request, else the operator's first."""

    made: ClassVar[Any] = int
    codes = ("amount_not_text", "amount_malformed", "amount_not_positive", "amount_too_large", "unknown_currency")
    schema: ClassVar[dict[str, Any]] = {"type": "string", "pattern": AMOUNT_PATTERN, "examples": ["25.00"]}

    @classmethod
    def read(cls, value: object, offer: Offer) -> int | None:
        """Return minor units: 2500 for "25.00". Raises what `money.parse_positive` raises."""
        return money.parse_positive(value, offer.currency)


class AmountOrZero(Amount):
    """A decimal string that is not negative."""

    @classmethod
    def read(cls, value: object, offer: Offer) -> int | None:
        return money.parse(value, offer.currency) and super().read(value, offer)


class OfferedCurrency(str, metaclass=Written):
    """The code of a currency that the caller's operator offers."""

    made = str
    codes = ("not_a_string", "unknown_currency", "wrong_currency", "currency_not_offered")
    schema: ClassVar[dict[str, Any]] = {
        "type": "string",
        "pattern": f"^{money.CODE_PATTERN}$",
        "examples": ["EUR"],
    }

    @classmethod
    def read(cls, value: object, offer: Offer) -> str:
        """Return the code. Raises Malformed, UnknownCurrency."""
        code = require_text(value)
        money.exponent(code)
        if offer.currencies and code not in offer.currencies:
            raise malformed("currency_not_offered", f"must be one of {', '.join(offer.currencies)}, not {code}")
        return code


FIRST_OFFERED: Final = OfferedCurrency()
"""The first currency that the caller's operator offers, as the default of a field named `currency`."""


class Text(str, metaclass=Written):
    """A text by people, as `kernel.text.clean` takes it: at most `limit` characters, as people count them.

    It may be empty if it is `optional`, and have line breaks if it is `multiline`.
    """

    made = str
    codes = ("not_a_string", "field_invalid", "field_too_long", "field_blank")
    schema: ClassVar[dict[str, Any]] = {}
    limit: ClassVar[int]
    multiline: ClassVar[bool] = False
    optional: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        least = {} if cls.optional else {"minLength": 1}
        cls.schema = {"type": "string", **least, "maxLength": MAX_BYTES_PER_CHARACTER * cls.limit, LIMIT: cls.limit}

    @classmethod
    def read(cls, value: object, offer: Offer) -> str:
        """Return the text as it is stored. Raises Malformed."""
        del offer
        try:
            text = clean(require_text(value), limit=cls.limit, multiline=cls.multiline)
        except TextTooLong as refusal:
            raise malformed("field_too_long", refusal.detail) from None
        except UnfitText as refusal:
            raise malformed("field_invalid", refusal.detail) from None
        if not (text or cls.optional):
            raise malformed("field_blank", "may not be empty")
        return text


class NoteText(Text):
    limit = 500


class OptionalNoteText(NoteText):
    optional = True


class Moment(datetime, metaclass=Written):
    """An RFC 3339 time with its offset, or a date, which begins at midnight UTC."""

    made = datetime
    codes = ("field_invalid",)
    schema: ClassVar[dict[str, Any]] = {"type": "string", "examples": ["2026-11-01T09:00:00Z"]}
    may_be_a_date: ClassVar[bool] = True

    @classmethod
    def read(cls, value: object, offer: Offer) -> datetime:
        """Return the time in UTC. Raises Malformed."""
        del offer
        try:
            if cls.may_be_a_date and isinstance(value, str) and _DATE.fullmatch(value):
                return datetime.fromisoformat(value).replace(tzinfo=UTC)
            if isinstance(value, str) and _DATE_TIME.fullmatch(value):
                return datetime.fromisoformat(value).astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        raise malformed("field_invalid", "must be a time such as 2026-11-21T09:00:00Z")


class Instant(Moment):
    """An RFC 3339 time with its offset."""

    schema: ClassVar[dict[str, Any]] = {"type": "string", "format": "date-time"}
    may_be_a_date = False


class Day(date, metaclass=Written):
    """A day from 2000 until the year before the last one that Python has."""

    made = date
    codes = ("field_invalid",)
    schema: ClassVar[dict[str, Any]] = {"type": "string", "format": "date"}

    @classmethod
    def read(cls, value: object, offer: Offer) -> date:
        """Return the day. Raises Malformed."""
        del offer
        try:
            day = date.fromisoformat(value if isinstance(value, str) and len(value) == 10 else "")
            day.replace(year=day.year + 1, day=1)
        except ValueError:
            raise malformed("field_invalid", "must be a day such as 2026-11-20") from None
        if day.year < 2000:
            raise malformed("field_invalid", "must be in 2000 or later")
        return day


def verbatim(limit: int, description: str = "", *, pattern: str = NO_CONTROLS, blank: bool = False) -> Meta:
    """Document a text that stays as its owner wrote it: `Annotated[str, verbatim(40)]`. A pattern ends in `\\Z`."""
    return Meta(min_length=None if blank else 1, max_length=limit, pattern=pattern, description=description or None)


def integer(least: int, most: int, description: str = "") -> Meta:
    """Document a number whose bounds the use case checks, with a code of its own."""
    return Meta(description=description or None, extra_json_schema={"minimum": least, "maximum": most})


Actor = Annotated[str, verbatim(60, "Your own id of the person, such as `agent-17`, not a name.", pattern=_ACTOR)]
"""A member of the operator's staff."""


class CurrencyQuery(Query):
    """The currency of the amounts."""

    currency: Annotated[OfferedCurrency, Meta(description="By default the operator's first.")] = FIRST_OFFERED


class PeriodQuery(Query):
    """The period of a list."""

    since: Annotated[
        Moment | None, Meta(description="Only from this time on, such as 2026-11-01 or 2026-11-01T09:00:00Z.")
    ] = field(default=None, name="from")
    until: Annotated[Moment | None, Meta(description="Only before this time.")] = field(default=None, name="to")


def parse_body(kind: type[BodyT], request: Request) -> BodyT:
    """Convert the request's body; its amounts are in its `currency`, else in the first that the operator offers.

    Raises Malformed, which returns the code of the field, or `invalid_fields` if there are several.
    """
    return _parse(kind, cast("dict[str, Any]", request.data), request)


def parse_query(kind: type[QueryT], request: Request) -> QueryT:
    """Convert those of the query's parameters that the struct knows; the view has refused unknown ones.

    Raises Malformed.
    """
    types = _types(kind)
    found = {name: str(text) for name, text in request.query_params.items() if name in types}
    return _parse(kind, {name: _value(text, types[name]) for name, text in found.items()}, request)


def malformed(code: str, sentence: str, field: str = "") -> Malformed:
    """Return what is wrong with one field, or with a value that is read."""
    return Malformed(Fault(field, code, sentence.removesuffix(".")))


def require_text(value: object) -> str:
    """Return a value that is text. Raises Malformed."""
    if not isinstance(value, str):
        raise malformed("not_a_string", "must be text")
    return value


def _parse(kind: type[BodyT], value: Mapping[str, Any], request: Request) -> BodyT:
    offered: Sequence[str] = getattr(request.user, "currencies", ())
    first, named = next(iter(offered), ""), value.get("currency")
    offer = Offer(offered, str(named) if named in offered else first)
    taken = convert(value, kind, hook=partial(_read, offer))
    if getattr(taken, "currency", None) == FIRST_OFFERED:
        msgspec.structs.force_setattr(taken, "currency", first)
    return taken


def _read(offer: Offer, kind: Any, value: object) -> Any:
    if value is None:
        raise malformed("field_null", "may not be null")
    try:
        return kind.read(value, offer)
    except Refusal as refusal:
        raise malformed(refusal.code, refusal.detail) from None


@cache
def _types(kind: type[Query]) -> dict[str, Any]:
    return {each.encode_name: each.type for each in msgspec.structs.fields(kind)}


def _value(text: str, kind: Any) -> Any:
    """Return a parameter as JSON would have it."""
    kinds = set(alternatives_of(kind))
    if int in kinds and _INTEGER.fullmatch(text):
        return int(text)
    return _FLAGS.get(text, text) if bool in kinds else text
