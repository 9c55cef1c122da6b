"""A slow or dead wallet is left alone, and never has the places of others. By a clock that is handed in."""

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

from wallet.remote.protection import (
    LEAST_JUDGED,
    MOST_LOST,
    PROBE_EVERY,
    WINDOW,
    Circuit,
    Protection,
)
from wallet.remote.refusals import WalletUnavailable

PATIENCE = 5.0
SLOW, FAST, DEAD = UUID(int=1), UUID(int=2), UUID(int=3)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_circuit_opens_after_five_lost_calls_in_ten_seconds_and_closes_when_a_probe_is_answered() -> None:
    clock = Clock()
    circuit = Circuit(clock)
    for _ in range(MOST_LOST - 1):
        circuit.record(answered=False)
    assert not circuit.is_open()
    clock.now += WINDOW + 1  # these are forgotten by now
    for _ in range(MOST_LOST):
        circuit.record(answered=False)
    assert (circuit.is_open(), circuit.may_probe()) == (True, False)
    clock.now += PROBE_EVERY
    assert [circuit.may_probe() for _ in range(3)] == [True, False, False]  # one caller probes
    circuit.record(answered=False)
    clock.now += PROBE_EVERY
    assert circuit.may_probe()
    circuit.record(answered=True)
    assert (circuit.is_open(), circuit.is_healthy()) == (False, True)


def test_a_wallet_that_answers_mostly_keeps_its_circuit_closed() -> None:
    circuit = Circuit(Clock())
    for number in range(2 * LEAST_JUDGED):
        circuit.record(answered=number % 20 != 0)
    assert not circuit.is_open()


def test_fewer_than_half_of_the_threads_wait_for_wallets_and_one_operator_never_has_all_of_these() -> None:
    protection = Protection(8)
    assert (protection.places, protection.places_each) == (3, 2)
    protection.circuit(SLOW).record(answered=False)  # so that nobody waits for a place
    held = [protection.place(SLOW) for _ in range(2)]
    for place in held:
        place.__enter__()
    with pytest.raises(WalletUnavailable), protection.place(SLOW):
        pass
    with protection.place(FAST):
        pass
    held[0].__exit__(None, None, None)
    with protection.place(SLOW):
        pass


def test_wallets_in_trouble_leave_a_place_to_those_that_answer() -> None:
    protection = Protection(8)
    for dead in (SLOW, DEAD):
        protection.circuit(dead).record(answered=False)
    with protection.place(SLOW), protection.place(DEAD):
        with pytest.raises(WalletUnavailable), protection.place(DEAD):
            pass
        with protection.place(FAST):
            pass


def test_few_threads_wait_for_a_place_and_all_others_are_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    protection, began = Protection(8), threading.Barrier(20)
    waits: list[float] = []
    wait_for = protection._free.wait_for

    def waiting(holds: Callable[[], bool], timeout: float) -> bool:
        waits.append(timeout)
        return wait_for(holds, timeout)

    monkeypatch.setattr(protection._free, "wait_for", waiting)

    def ask(_: int) -> None:
        began.wait()
        with pytest.raises(WalletUnavailable), protection.place(SLOW):
            pass

    with protection.place(SLOW), protection.place(SLOW), ThreadPoolExecutor(20) as threads:
        waits.clear()
        monkeypatch.setattr("wallet.remote.protection.MAX_WAIT", PATIENCE)
        list(threads.map(ask, range(20)))
    assert sorted(waits) == [0.0] * (20 - protection.places) + [PATIENCE] * protection.places


def test_who_prepares_a_call_takes_no_place_and_only_twice_as_many_prepare_as_may_wait() -> None:
    protection = Protection(8)
    with contextlib.ExitStack() as prepared:
        for _ in range(protection.places_each + 2 * protection.places):
            prepared.enter_context(protection.admission(SLOW))
        with pytest.raises(WalletUnavailable), protection.admission(SLOW):
            pass
        with protection.admission(FAST), protection.place(SLOW), protection.place(SLOW):
            pass
    protection.circuit(SLOW).record(answered=False)
    places = [protection.place(SLOW) for _ in range(protection.places_each)]
    for place in places:
        place.__enter__()
    with pytest.raises(WalletUnavailable), protection.admission(SLOW):
        pass
    places[0].__exit__(None, None, None)
    with protection.admission(SLOW):
        pass


@pytest.mark.parametrize("threads", range(2, 40))
def test_places_are_below_half_of_any_number_of_threads(threads: int) -> None:
    protection = Protection(threads)
    assert 1 <= protection.places_each <= protection.places
    assert protection.places == 1 or 2 * protection.places < threads
