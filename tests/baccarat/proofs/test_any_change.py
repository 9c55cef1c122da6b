"""A change of any field of an exported round, except the time of its export, and of any list in it, is noticed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baccarat.proofs import checks, verifier
from tests.baccarat.proofs.changes import LIST_CHANGES, Path, at, change_value, leaves
from tests.baccarat.proofs.forging import encode, golden, witness_keys
from tests.baccarat.proofs.fuzzing import KEY, LOG, Case, changed_lists, disagreements, sign
from tests.support.depth import examples

BASES = (
    "overview", "long-shoe-running", "voided-after-settlement", "terms/overview", "terms/long-shoe-running",
    "cards/mini", "witnesses/settled", "cosigned/settled", "forced/settled",
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


@pytest.mark.parametrize("how", LIST_CHANGES)
def test_every_verifier_refuses_a_list_with_an_element(how: str) -> None:
    assert disagreements(changed_lists(how), wanted="failed") == {}


def test_every_verifier_refuses_an_element_that_is_doubled_though_all_of_it_is_signed_again() -> None:
    assert disagreements(changed_lists("doubled", signed=True), wanted="failed") == {}


@pytest.mark.parametrize("in_rules", [False, True])
def test_the_verifiers_agree_whatever_is_in_members_that_the_specification_does_not_list(in_rules: bool) -> None:
    cases = []
    for base in BASES:
        document = golden(base)
        known = [each for each in document["events"] if each["data"] and each["type"] in verifier.EVENTS]
        parts = [(each["data"], verifier.EVENTS[each["type"]][each["schema"] - 1]) for each in known]
        if in_rules:
            rules = (each["data"]["rules"] for each in known if each["type"] in verifier.RULES_EVENTS)
            parts = [(each, {"third_cards", *verifier.RULES}) for each in (document["rules"], *rules)]
        for members, specified in parts:
            others = members.keys() - {name.removesuffix("?") for name in specified}
            members.update(dict.fromkeys(others, "not specified"))
        sign(document)
        cases.append(Case(base, encode(document), [LOG, KEY, *witness_keys(golden(base))]))
    assert disagreements(cases) == {}


@settings(max_examples=examples(25))
@given(st.binary(max_size=40), st.integers(min_value=0))
def test_both_verifiers_agree_on_any_bytes_and_never_raise(noise: bytes, at: int) -> None:
    raw = encode(golden("mini"))
    place = at % len(raw)
    for data in (noise, raw[:place] + noise, raw[:place] + noise + raw[place + len(noise) :]):
        ours, standalone = checks.verify(data).document(), verifier.verify(data)
        assert ours["verdict"] == standalone["verdict"]
