"""JSON values become typed ones strictly, and everything that is wrong is told, each with its path and a code."""

from enum import StrEnum
from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct

from casino.kernel.conversion import Malformed, codes_of, convert
from casino.kernel.errors import Fault
from casino.kernel.money import AmountText


class Colour(StrEnum):
    RED = "red"
    BLACK = "black"


class Inner(Struct, forbid_unknown_fields=True, rename={"low": "from"}):
    low: Annotated[int, Meta(ge=1, le=3)]
    names: Annotated[tuple[str, ...], Meta(min_length=1, max_length=2)] = ("x",)


class Outer(Struct, forbid_unknown_fields=True):
    flag: bool = False
    colour: Colour | None = None
    amount: AmountText | None = None
    text: Annotated[str, Meta(pattern="^[a-z]+$")] = "a"
    inner: Inner | None = None
    several: tuple[Inner, ...] = ()
    by_name: dict[str, int | list[int] | Inner] = {}


GOOD = {
    "flag": True, "colour": "red", "amount": "5", "text": "b", "inner": {"from": 1}, "several": [{"from": 3}],
    "by_name": {"a": 1, "b": [1], "c": {"from": 2}},
}  # fmt: skip


def test_what_is_right_is_converted() -> None:
    outer = convert(GOOD, Outer)
    assert outer == Outer(
        flag=True, colour=Colour.RED, amount="5", text="b", inner=Inner(1), several=(Inner(3),),
        by_name={"a": 1, "b": [1], "c": Inner(2)},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "field", "code"),
    [
        ([], "", "not_an_object"),
        ({"odd": 1}, "odd", "unknown_field"),
        ({"flag": 1}, "flag", "not_a_boolean"),
        ({"flag": None}, "flag", "field_null"),
        ({"colour": "blue"}, "colour", "unknown_choice"),
        ({"colour": 1}, "colour", "not_a_string"),
        ({"amount": 5}, "amount", "amount_not_text"),
        ({"text": "B"}, "text", "field_invalid"),
        ({"inner": {}}, "inner.from", "field_required"),
        ({"inner": {"from": True}}, "inner.from", "not_an_integer"),
        ({"inner": {"from": 2.0}}, "inner.from", "not_an_integer"),
        ({"inner": {"from": 0}}, "inner.from", "number_too_small"),
        ({"inner": {"from": 4}}, "inner.from", "number_too_large"),
        ({"inner": {"from": 1, "low": 1}}, "inner.low", "unknown_field"),
        ({"inner": {"from": 1, "names": []}}, "inner.names", "field_too_short"),
        ({"inner": {"from": 1, "names": ["a", "b", "c"]}}, "inner.names", "field_too_long"),
        ({"inner": {"from": 1, "names": ["a", 2]}}, "inner.names[1]", "not_a_string"),
        ({"several": [{"from": 1}, 2]}, "several[1]", "not_an_object"),
        ({"several": {}}, "several", "not_an_array"),
        ({"by_name": {"a b": "1"}}, "by_name.a b", "field_invalid"),
        ({"by_name": {"a": ["1"]}}, "by_name.a[0]", "not_an_integer"),
        ({"by_name": {"a": {"from": 9}}}, "by_name.a.from", "number_too_large"),
    ],
)
def test_what_is_wrong_is_told_with_its_path_and_a_code(value: Any, field: str, code: str) -> None:
    with pytest.raises(Malformed) as refused:
        convert(value, Outer)
    assert [(fault.field, fault.code) for fault in refused.value.faults] == [(field, code)]


def test_all_that_is_wrong_is_told_below_a_path() -> None:
    value = {"flag": 1, "odd": 1, "inner": {"from": 9, "names": [1, 2]}}
    with pytest.raises(Malformed) as refused:
        convert(value, Outer, "body")
    fields = {fault.field for fault in refused.value.faults}
    assert fields == {"body.flag", "body.odd", "body.inner.from", "body.inner.names[0]", "body.inner.names[1]"}
    assert "body.inner.from must be at most 3." in str(refused.value)
    assert "body.flag must be true or false." in str(refused.value)


class Even(int):
    """Written as text, read by a hook."""

    codes = ("odd",)


class Pair(Struct, forbid_unknown_fields=True):
    low: Even
    high: Even | None = None

    codes = ("descending",)

    def __post_init__(self) -> None:
        if self.high is not None and self.high < self.low:
            raise Malformed(Fault("high", "descending", "must not be below the other"))


class Pairs(Struct):
    pairs: list[Pair]


def even(kind: type, value: Any) -> Any:
    number = kind(value)
    if number % 2:
        raise Malformed(Fault("", "odd", f"must be even, not {number}"))
    return number


def test_a_hook_reads_further_types_and_its_faults_have_their_places() -> None:
    assert convert({"pairs": [{"low": "2", "high": "4"}]}, Pairs, hook=even) == Pairs([Pair(Even(2), Even(4))])
    with pytest.raises(Malformed) as refused:
        convert({"pairs": [{"low": "1", "high": "3"}, {"low": "4", "high": "2"}]}, Pairs, hook=even)
    assert refused.value.faults == (
        Fault("pairs[0].low", "odd", "must be even, not 1"),
        Fault("pairs[0].high", "odd", "must be even, not 3"),
        Fault("pairs[1].high", "descending", "must not be below the other"),
    )


def test_the_codes_of_a_type_are_those_of_all_that_can_be_wrong_with_it() -> None:
    assert codes_of(Pairs) == {"not_an_object", "unknown_field", "field_required", "not_an_array"} | {
        "descending", "field_null", "odd",
    }  # fmt: skip
    assert codes_of(Annotated[str, Meta(min_length=1, max_length=2, pattern="x")]) == {
        "not_a_string", "field_blank", "field_too_long", "field_invalid",
    }  # fmt: skip
    assert codes_of(dict[str, Annotated[int, Meta(ge=0)] | bool]) == {
        "not_an_object", "not_an_integer", "number_too_small", "not_a_boolean",
    }  # fmt: skip
    assert codes_of(Colour) == {"not_a_string", "unknown_choice"}
