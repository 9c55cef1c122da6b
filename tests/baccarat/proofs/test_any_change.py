"""A change of any field of an exported round, except the time of its export, is noticed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from baccarat.proofs import checks, verifier
from tests.baccarat.proofs.changes import Path, at, change_value, leaves
from tests.baccarat.proofs.forging import encode, golden, witness_keys
from tests.baccarat.proofs.fuzzing import KEY
from tests.support.depth import examples

BASES = (
    "overview", "long-shoe-running", "voided-after-settlement", "mini", "witnesses/settled", "cosigned/settled",
    "forced/settled",
)  # fmt: skip
PATHS = [(base, path) for base in BASES for path in leaves(golden(base)) if path != ("exported_at",)]


@settings(max_examples=examples(25))
@given(st.sampled_from(PATHS))
def test_both_verifiers_refuse_a_change_of_any_field(chosen: tuple[str, Path]) -> None:
    base, path = chosen
    document = golden(base)
    at(document, path[:-1])[path[-1]] = change_value(at(document, path))

    raw = encode(document)
    keys = [KEY, *witness_keys(golden(base))]
    assert verifier.verify(raw, keys)["verdict"] == "failed"
    assert checks.verify(raw, keys=keys).verdict == "failed"


@settings(max_examples=examples(25))
@given(st.binary(max_size=40), st.integers(min_value=0))
def test_both_verifiers_agree_on_any_bytes_and_never_raise(noise: bytes, at: int) -> None:
    raw = encode(golden("mini"))
    place = at % len(raw)
    for data in (noise, raw[:place] + noise, raw[:place] + noise + raw[place + len(noise) :]):
        ours, standalone = checks.verify(data).document(), verifier.verify(data)
        assert ours["verdict"] == standalone["verdict"]
