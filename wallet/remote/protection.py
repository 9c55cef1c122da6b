"""What keeps an operator's slow or dead wallet from others: a circuit breaker, and a bulkhead. For one process.

Debits are called in the threads that serve the web, so fewer than half of these may ever wait for wallets. Neither one
operator nor all wallets in trouble together ever have all of those places. Whoever finds no place waits a moment, but
only for a wallet that answers, and only while few others wait.
"""

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Generator
from typing import Final
from uuid import UUID

from django.conf import settings

from wallet.remote.refusals import WalletUnavailable

WINDOW: Final = 10.0
"""Seconds of calls that are judged."""
MOST_LOST: Final = 5
"""Calls without an answer in the window, at which the circuit opens."""
LEAST_JUDGED: Final = 20
"""Calls in the window, at which half of them without an answer open it, too."""
PROBE_EVERY: Final = 2.0
MAX_WAIT: Final = 0.5
"""Seconds to wait for a place."""
Clock = Callable[[], float]


class Circuit:
    """Opens after too many calls without an answer, and closes when a probe is answered."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._calls: deque[tuple[float, bool]] = deque()
        self._probe_at: float | None = None
        self._lock = threading.Lock()

    def record(self, *, answered: bool) -> None:
        """Count a call. One that was answered while the circuit was open closes it."""
        with self._lock:
            if answered and self._probe_at is not None:
                self._probe_at = None
                self._calls.clear()
            self._calls.append((self._clock(), answered))
            recent = self._recent()
            lost = sum(not each for each in recent)
            if lost >= MOST_LOST or (len(recent) >= LEAST_JUDGED and 2 * lost > len(recent)):
                self._probe_at = self._clock() + PROBE_EVERY

    def is_open(self) -> bool:
        return self._probe_at is not None

    def may_probe(self) -> bool:
        """Return whether the caller should probe the wallet now; one caller at a time is told so."""
        with self._lock:
            if self._probe_at is None or self._clock() < self._probe_at:
                return False
            self._probe_at = self._clock() + PROBE_EVERY
            return True

    def is_healthy(self) -> bool:
        """Return whether no call was lost lately."""
        with self._lock:
            return all(self._recent())

    def _recent(self) -> list[bool]:
        start = self._clock() - WINDOW
        while self._calls and self._calls[0][0] < start:
            self._calls.popleft()
        return [answered for _, answered in self._calls]


class Protection:
    """The circuits of all operators, and the places of a process."""

    def __init__(self, threads: int, clock: Clock = time.monotonic) -> None:
        self.places = max(1, (threads - 1) // 2)
        self.places_each = max(1, self.places - 1)
        self._clock = clock
        self._free = threading.Condition()
        self._taken: dict[UUID, int] = {}
        self._admitted: dict[UUID, int] = {}
        self._waiting = 0
        self._circuits: dict[UUID, Circuit] = {}

    def circuit(self, operator: UUID) -> Circuit:
        with self._free:
            return self._circuits.setdefault(operator, Circuit(self._clock))

    @contextlib.contextmanager
    def admission(self, operator: UUID) -> Generator[None]:
        """Let a caller prepare a call, if there is a place for it or will soon be. Raises WalletUnavailable.

        No place is taken yet: preparing needs the database, and would keep places from calls.
        """
        with self._free:
            # Twice as many as may wait: half of them are before their call, or after it.
            soon = 2 * self.places if self.circuit(operator).is_healthy() else 0
            admitted = self._admitted.get(operator, 0)
            if admitted >= self.places_each + soon or not (soon or self._has_room(operator)):
                raise WalletUnavailable
            self._admitted[operator] = admitted + 1
        try:
            yield
        finally:
            with self._free:
                self._admitted[operator] -= 1

    @contextlib.contextmanager
    def place(self, operator: UUID) -> Generator[None]:
        """Hold a place for a call. Raises WalletUnavailable without one."""
        with self._free:
            may_wait = self.circuit(operator).is_healthy() and self._waiting < self.places
            self._waiting += may_wait
            try:
                if not self._free.wait_for(lambda: self._has_room(operator), timeout=MAX_WAIT if may_wait else 0.0):
                    raise WalletUnavailable
            finally:
                self._waiting -= may_wait
            self._taken[operator] = self._taken.get(operator, 0) + 1
        try:
            yield
        finally:
            with self._free:
                self._taken[operator] -= 1
                self._free.notify_all()

    def _has_room(self, operator: UUID) -> bool:
        if self._taken.get(operator, 0) >= self.places_each or sum(self._taken.values()) >= self.places:
            return False
        troubled = {each for each, circuit in self._circuits.items() if not circuit.is_healthy()}
        return operator not in troubled or sum(self._taken.get(each, 0) for each in troubled) < self.places_each


PROTECTION: Final = Protection(settings.WEB_THREADS)
