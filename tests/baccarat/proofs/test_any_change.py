"""There is no field of an exported round that could be changed unnoticed, but the time of its export."""

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from baccarat.proofs import checks, verifier
from tests.baccarat.proofs.forging import golden, written

BASES = ("overview", "long-shoe-running", "voided-after-settlement")
KEY = str(golden("mini")["keys"][0]["public"])
Path = tuple[str | int, ...]


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """The way to every value that holds no other."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ways = [way for name, each in inside for way in leaves(each, (*path, name))]
    yield from ways or [path]


WAYS = [(base, way) for base in BASES for way in leaves(golden(base)) if way != ("exported_at",)]


def other(value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return value[:-1] + ("0" if value[-1:] != "0" else "1")
        case None:
            return 1
        case _:
            return [1] if value == [] else {"more": 1}


@settings(max_examples=25)
@given(st.sampled_from(WAYS))
def test_a_change_of_any_field_is_refused_by_both(chosen: tuple[str, Path]) -> None:
    base, way = chosen
    document = copy.deepcopy(golden(base))
    holder: Any = document
    for name in way[:-1]:
        holder = holder[name]
    holder[way[-1]] = other(holder[way[-1]])

    raw = written(document)
    assert verifier.verify(raw, [KEY])["verdict"] == "failed"
    assert checks.verify(raw, keys=[KEY]).verdict == "failed"


@settings(max_examples=25)
@given(st.binary(max_size=40), st.integers(min_value=0))
def test_bytes_of_any_kind_are_judged_and_never_raise(noise: bytes, at: int) -> None:
    raw = written(golden("mini"))
    place = at % len(raw)
    for given_ in (noise, raw[:place] + noise, raw[:place] + noise + raw[place + len(noise) :]):
        ours, alone = checks.verify(given_).document(), verifier.verify(given_)
        assert ours["verdict"] == alone["verdict"]
