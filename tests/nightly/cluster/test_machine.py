"""Clocks and disks of processes are wrong as the tests say, also for programs that ask the kernel and not libc."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from pathlib import Path

import httpx
import pytest

from casino.devstack.system import HOST, free_port
from tests.nightly.cluster.machine import COMPILER, Machine, answers_for_kernel, compiled
from tests.processes import wait_until
from tests.programs import needs, without

ASKED = "import os, time; print(time.time()); began = time.monotonic(); os.fsync(1); print(time.monotonic() - began)"

pytestmark = pytest.mark.skipif(COMPILER is None, reason=without("cc"))


@pytest.fixture
def library(tmp_path: Path) -> Path:
    found = compiled(tmp_path)
    assert found is not None
    return found


def test_a_process_has_the_clock_and_the_disk_of_its_machine(tmp_path: Path, library: Path) -> None:
    machine = Machine(tmp_path / "state", library)

    def ask() -> tuple[float, float]:
        with (tmp_path / "answer").open("w+") as file:
            words = [sys.executable, "-c", ASKED]
            subprocess.run(words, env={**os.environ, **machine.environment}, stdout=file, check=True)  # noqa: S603
            file.seek(0)
            at, waited = map(float, file)
            return at - time.time(), waited

    assert abs(ask()[0]) < 300
    machine.set_clock(-3600)
    machine.slow_down(2)
    off, waited = ask()
    assert abs(off + 3600) < 300
    assert waited >= 2


@needs("etcd")
def test_etcd_has_the_clock_and_the_disk_of_its_machine(tmp_path: Path, library: Path) -> None:
    if not answers_for_kernel(tmp_path, library, "etcd"):
        pytest.skip("the kernel lets nobody answer for it here, or etcd takes no libraries")
    machine = Machine(tmp_path / "state", library, asks_kernel=True)
    client, peer = f"http://{HOST}:{free_port(0)}", f"http://{HOST}:{free_port(0)}"
    words = ["etcd", f"--data-dir={tmp_path}/etcd", f"--initial-cluster=default={peer}"]
    words += [f"--{name}-client-urls={client}" for name in ("listen", "advertise")]
    words += [f"--{name}-peer-urls={peer}" for name in ("listen", "initial-advertise")]
    environment = {**os.environ, **machine.environment}
    with subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL) as etcd:  # noqa: S603
        try:
            with httpx.Client(base_url=client, timeout=60) as http:
                assert wait_until(lambda: _is_healthy(http))
                assert abs(_clock(http)) < 300
                machine.set_clock(-3600)
                assert abs(_clock(http) + 3600) < 300
                machine.slow_down(2)
                assert _seconds(lambda: http.post("/v3/kv/put", json={"key": "YQ==", "value": "YQ=="})) >= 2
        finally:
            etcd.kill()


def _is_healthy(http: httpx.Client) -> bool:
    try:
        return http.get("/health").json()["health"] == "true"
    except httpx.HTTPError:
        return False


def _clock(http: httpx.Client) -> float:
    """Return the seconds by which the server's clock is ahead of ours."""
    return parsedate_to_datetime(http.get("/version").headers["date"]).timestamp() - time.time()


def _seconds(act: Callable[[], httpx.Response]) -> float:
    began = time.monotonic()
    assert act().status_code < 500
    return time.monotonic() - began
