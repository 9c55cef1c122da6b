"""Every verifier says the same of golden files that were changed at random and signed again; here of the same few."""

import pytest

from baccarat.proofs import verifier
from tests.baccarat.proofs.fuzzing import disagreements, make_case


@pytest.mark.parametrize("run", range(2))
def test_the_verifiers_agree_on_changed_files(run: int) -> None:
    cases = [make_case(f"{run}-{number}") for number in range(12)]

    assert disagreements(cases) == {}
    assert len({verifier.verify(case.raw, case.keys)["verdict"] for case in cases}) > 1
