"""The cases that an operator's wallet has to pass, and how they are run. A case's name says what holds."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from wallet.conformance.probe import STAKE, CaseFailed, Exchange, Probe
from wallet.funding.events import WalletProfile

ANY: Final = frozenset(WalletProfile)
STANDARD: Final = frozenset({WalletProfile.STANDARD})
"""For what only our own messages can say."""
NEEDED: Final = 20 * STAKE
"""The balance that a run needs, in minor units."""


class Group(StrEnum):
    """What a case is about."""

    HAPPY = "happy"
    IDEMPOTENT = "idempotent"
    ORDER = "order"
    SECURITY = "security"
    EDGE = "edge"
    CONCURRENCY = "concurrency"
    RECOVERY = "recovery"


@dataclass(frozen=True, slots=True)
class ConformanceCase:
    """One case: what it runs, and raises CaseFailed if its name does not hold, and for wallets of which profiles."""

    name: str
    group: Group
    run: Callable[[Probe], None]
    profiles: frozenset[WalletProfile]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What came of a case; `failure` is empty if it passed."""

    name: str
    group: Group
    failure: str
    seconds: float
    exchanges: tuple[Exchange, ...]


@dataclass(frozen=True, slots=True)
class ConformanceRun:
    """What came of all cases that were run against a wallet."""

    wallet_url: str
    profile: WalletProfile
    keyid: str
    player: str
    currency: str
    began_at: datetime
    ended_at: datetime
    results: tuple[CaseResult, ...]

    @property
    def failed(self) -> tuple[CaseResult, ...]:
        return tuple(result for result in self.results if result.failure)


CASES: Final[list[ConformanceCase]] = []


def case(
    group: Group, profiles: frozenset[WalletProfile] = ANY
) -> Callable[[Callable[[Probe], None]], Callable[[Probe], None]]:
    """Make a function a case, under its name."""

    def add(run: Callable[[Probe], None]) -> Callable[[Probe], None]:
        CASES.append(ConformanceCase(run.__name__, group, run, profiles))
        return run

    return add


def run_cases(
    probe: Probe, cases: Sequence[ConformanceCase], progress: Callable[[CaseResult], None] = lambda _: None
) -> ConformanceRun:
    """Run cases one after the other. Raises CaseFailed if the wallet cannot be tried at all."""
    began = datetime.now(UTC)
    if (balance := probe.balance()) < NEEDED:
        raise CaseFailed(f"The player has {balance} minor units, and the cases need {NEEDED}.")
    results = []
    for each in cases:
        result = _run(probe, each)
        progress(result)
        results.append(result)
    return ConformanceRun(
        probe.url,
        probe.profile,
        "" if probe.key is None else probe.key.keyid,
        str(probe.player),
        probe.currency,
        began,
        datetime.now(UTC),
        tuple(results),
    )


def _run(probe: Probe, each: ConformanceCase) -> CaseResult:
    probe.exchanges.clear()
    began, failure = time.monotonic(), ""
    try:
        each.run(probe)
    except CaseFailed as error:
        failure = str(error)
    seconds = time.monotonic() - began
    probe.clean_up()
    return CaseResult(each.name, each.group, failure, round(seconds, 3), tuple(probe.exchanges))
