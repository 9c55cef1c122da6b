"""The verifier has a verdict, a report and an exit status for any file, damaged at random for a minute at most.

The files are the same each time by day, and others at night, by the night's `SEED`; `VERIFIER_FUZZ_SECONDS` says how
long.
"""

import itertools
import os
import time
from collections import Counter
from pathlib import Path

import pytest

from baccarat.proofs import verifier
from tests.baccarat.proofs.damaging import any_file
from tests.baccarat.proofs.forging import LOG
from tests.baccarat.proofs.fuzzing import KEY

SECONDS = float(os.environ.get("VERIFIER_FUZZ_SECONDS", "60"))
BY_DAY = range(3000)


def test_whatever_is_in_a_file_it_gets_a_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seed, until, file = os.environ.get("SEED", "2"), time.monotonic() + SECONDS, tmp_path / "file"
    found = Counter[int]()
    for number in itertools.count() if "SEED" in os.environ else BY_DAY:
        file.write_bytes(any_file(f"{seed}-{number}"))
        status = verifier.main([str(file), "--key", KEY, "--key", LOG])
        *_, last = capsys.readouterr().out.splitlines()
        assert (status, last.startswith("CANNOT BE READ")) == (status, status == 2), f"{seed}-{number}"
        found[status] += 1
        if time.monotonic() > until:
            break
    assert found.keys() >= {1, 2}
    assert found.keys() <= {1, 2, 3, 5}
