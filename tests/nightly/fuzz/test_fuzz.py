"""No request that the API's document suggests, or nearly suggests, causes a server error or goes unanswered.

`FUZZ_SECONDS` is the length, doubled on a busy machine to call every operation once, and `SEED` repeats the choices.
No answer differs from the document.
"""

import contextlib
import os
from collections.abc import Generator
from random import Random
from typing import Final

import httpx
import pytest

from casino.devstack.home import claim
from casino.devstack.system import Stack
from casino.observability.process import ssl_context
from tests.nightly.fuzz.fuzzer import Fuzzer
from tests.nightly.fuzz.house import PREFIX, House

SECONDS: Final = float(os.environ.get("FUZZ_SECONDS", "300"))
SHARES: Final = {"player": 0.55, "operator": 0.4, "provider": 0.05}
SUCCEEDING: Final = 0.9
"""Part of the operations; some need another day or a provider's mistake."""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Generator[Stack]:
    """Serve the whole system as `make serve` does."""
    folder = tmp_path_factory.mktemp("fuzz")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASINO_HOME", str(folder))
        for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL"):
            patch.delenv(name, raising=False)
        with Stack(name="fuzz", print_line=lambda _: None) as stack:
            yield stack
        home = claim(folder / "fuzz")
        assert home is not None
        home.remove()


def test_no_request_causes_a_server_error_or_goes_unanswered(stack: Stack) -> None:
    schema = httpx.get(f"{stack.base_url}{PREFIX}/schema", verify=ssl_context(), timeout=60).json()
    fuzzer = Fuzzer(House(stack), schema, chance=Random(os.environ.get("SEED")))

    with contextlib.closing(fuzzer):
        for caller, share in SHARES.items():
            fuzzer.run(caller, seconds=SECONDS * share)

    print(fuzzer.tally.report())
    assert list(fuzzer.tally.faults) == []
    assert list(fuzzer.tally.violations) == []
    assert stack.dead() == []
    assert len(fuzzer.tally.succeeded()) >= SUCCEEDING * len(fuzzer.tally.answers)
