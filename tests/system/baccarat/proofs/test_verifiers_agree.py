"""Every verifier says the same of golden files that were changed at random and signed again, for a minute at most.

The changes are the same each time by day, and others at night, by the night's `SEED`. `VERIFIER_FUZZ_SECONDS` lengthens
it. A file of which they do not say the same is kept.
"""

import itertools
import os
import time

from casino.devstack.home import PROJECT
from tests.baccarat.proofs.fuzzing import BATCH, disagreements, make_case
from tests.programs import needs

SECONDS = float(os.environ.get("VERIFIER_FUZZ_SECONDS", "60"))
BY_DAY = range(0, 1500, BATCH)
FOLDER = PROJECT / "build/verifiers"


@needs("node", "php")
def test_the_verifiers_agree_on_whatever_is_changed() -> None:
    seed, until = os.environ.get("SEED", "2"), time.monotonic() + SECONDS
    for first in itertools.count(0, BATCH) if "SEED" in os.environ else BY_DAY:
        cases = [make_case(f"{seed}-{number}") for number in range(first, first + BATCH)]
        found = disagreements(cases)
        if found:
            FOLDER.mkdir(parents=True, exist_ok=True)
        for case in cases:
            if case.name in found:
                (FOLDER / f"{case.name.split()[0]}.json").write_bytes(case.raw)
        assert found == {}, f"SEED={seed}: the files are in {FOLDER}"
        if time.monotonic() > until:
            break
    print(f"{first + BATCH} changed files by SEED={seed}")
