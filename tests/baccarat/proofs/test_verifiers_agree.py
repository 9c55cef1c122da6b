"""Every verifier, in Python, Node and PHP, says the same of golden files that were changed and perhaps signed again."""

import pytest

from baccarat.proofs import verifier
from tests.baccarat.proofs.changes import LIST_CHANGES, at, change_value
from tests.baccarat.proofs.damaging import AMBIGUOUS
from tests.baccarat.proofs.forging import encode, golden, witness_keys
from tests.baccarat.proofs.fuzzing import KEY, LOG, Case, changed_lists, disagreements, make_case, sign
from tests.baccarat.proofs.test_any_change import BASES, PATHS

EVERY = 61
"""Of the fields of the golden files, each this many-th is changed."""


def test_every_verifier_refuses_a_change_of_any_field() -> None:
    cases = []
    for base, path in PATHS[::EVERY]:
        document = golden(base)
        at(document, path[:-1])[path[-1]] = change_value(at(document, path))
        cases.append(Case(f"{path} of {base}", encode(document), [KEY, *witness_keys(golden(base))]))
    assert disagreements(cases, wanted="failed") == {}


def test_every_verifier_refuses_json_that_two_programs_may_read_differently() -> None:
    assert disagreements([Case(text[:9], text.encode(), []) for text in AMBIGUOUS], wanted="failed") == {}


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
        parts = [(each["data"], verifier.EVENTS[each["type"]]) for each in known]
        if in_rules:
            rules = (each["data"]["rules"]["values"] for each in known if each["type"] in verifier.RULES_EVENTS)
            parts = [(each, {"third_cards", *verifier.RULES}) for each in (document["rules"], *rules)]
        for members, specified in parts:
            others = members.keys() - {name.removesuffix("?") for name in specified}
            members.update(dict.fromkeys(others, "not specified"))
        sign(document)
        cases.append(Case(base, encode(document), [LOG, KEY, *witness_keys(golden(base))]))
    assert disagreements(cases) == {}


@pytest.mark.parametrize("run", [2, 7])
def test_the_verifiers_agree_on_changed_files(run: int) -> None:
    cases = [make_case(f"{run}-{number}") for number in range(12)]

    assert disagreements(cases) == {}
    assert len({verifier.verify(case.raw, case.keys)["verdict"] for case in cases}) > 1
