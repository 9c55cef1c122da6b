"""A change of any field of an exported round, except the time of its export, is noticed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from baccarat.proofs import verifier
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
def test_a_change_of_any_field_is_refused(chosen: tuple[str, Path]) -> None:
    base, path = chosen
    document = golden(base)
    at(document, path[:-1])[path[-1]] = change_value(at(document, path))

    assert verifier.verify(encode(document), [KEY, *witness_keys(golden(base))])["verdict"] == "failed"
