"""A change of any field of an exported round, except the time of its export, is noticed."""

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from baccarat.proofs import checks, verifier
from tests.baccarat.proofs.forging import encode, golden, witness_keys

BASES = (
    "overview", "long-shoe-running", "voided-after-settlement", "terms/overview", "terms/long-shoe-running",
    "cards/mini", "witnesses/settled", "cosigned/settled", "forced/settled",
)  # fmt: skip
KEY = str(golden("mini")["keys"][0]["public_key"])
Path = tuple[str | int, ...]


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path to every scalar value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    paths = [leaf for name, each in inside for leaf in leaves(each, (*path, name))]
    yield from paths or [path]


PATHS = [(base, path) for base in BASES for path in leaves(golden(base)) if path != ("exported_at",)]


def change_value(value: Any) -> Any:
    """Return another value of the same type."""
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
@given(st.sampled_from(PATHS))
def test_both_verifiers_refuse_a_change_of_any_field(chosen: tuple[str, Path]) -> None:
    base, path = chosen
    document = copy.deepcopy(golden(base))
    holder: Any = document
    for name in path[:-1]:
        holder = holder[name]
    holder[path[-1]] = change_value(holder[path[-1]])

    raw = encode(document)
    keys = [KEY, *witness_keys(golden(base))]
    assert verifier.verify(raw, keys)["verdict"] == "failed"
    assert checks.verify(raw, keys=keys).verdict == "failed"


@settings(max_examples=25)
@given(st.binary(max_size=40), st.integers(min_value=0))
def test_both_verifiers_agree_on_any_bytes_and_never_raise(noise: bytes, at: int) -> None:
    raw = encode(golden("mini"))
    place = at % len(raw)
    for data in (noise, raw[:place] + noise, raw[:place] + noise + raw[place + len(noise) :]):
        ours, standalone = checks.verify(data).document(), verifier.verify(data)
        assert ours["verdict"] == standalone["verdict"]
