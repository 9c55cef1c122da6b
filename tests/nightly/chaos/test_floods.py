"""Floods of strangers against the whole system: none makes it fail, wait or fill the disk; a player is served on."""

import asyncio
import contextlib
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode
from uuid import uuid4

import httpx
import pytest

from casino.devstack.system import HOST
from casino.observability.process import ssl_context
from tests.processes import descendants, wait_until
from tests.support.whole_system import System, running_system

LOGINS = 150
HALF_OPEN = 500
BODIES = 20
BODY_BYTES = 150_000_000
BOUND = 4.0
"""Seconds within which everything is answered: twice what is promised, for a loaded machine."""
TIMEOUT = 60.0
PIECE = b"x" * 65536


class Player(threading.Thread):
    """Reads the own balances again and again, and remembers the statuses and the longest wait."""

    def __init__(self, system: System) -> None:
        super().__init__(daemon=True)
        api = f"{system.stack.base_url}/api/v1"
        operator = {"Authorization": f"Bearer {system.credential}"}
        with httpx.Client(base_url=api, headers=operator, timeout=TIMEOUT, verify=ssl_context()) as client:

            def create(path: str, body: dict[str, str]) -> dict[str, str]:
                answer = client.post(path, json=body, headers={"Idempotency-Key": str(uuid4())})
                assert answer.status_code == 201, answer.text
                created: dict[str, str] = answer.json()
                return created

            player = create("/players", {"reference": str(uuid4()), "nickname": "Ann"})
            token = create(f"/players/{player['id']}/sessions", {})["token"]
        self.url, self.headers = f"{api}/me/balances", {"Authorization": f"Bearer {token}"}
        self.statuses: Counter[int] = Counter()
        self.longest = 0.0
        self.done = threading.Event()

    def run(self) -> None:
        """Read until told to stop."""
        with httpx.Client(headers=self.headers, timeout=TIMEOUT, verify=ssl_context()) as client:
            while not self.done.wait(0.05):
                began = time.monotonic()
                self.statuses[client.get(self.url).status_code] += 1
                self.longest = max(self.longest, time.monotonic() - began)


@pytest.fixture(scope="module")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, temporary: Path) -> Generator[System]:
    """Run a system whose processes have a folder of their own for temporary files, of which workers make one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(temporary))
        with running_system(tmp_path_factory.mktemp("floods"), name="chaos") as system:
            assert system.stack.environment["TMPDIR"] == str(temporary)
            yield system


@pytest.fixture
def player(system: System) -> Generator[Player]:
    """Play on during the flood; nothing may have failed or taken long in the end."""
    player = Player(system)
    player.start()
    assert wait_until(lambda: player.statuses[200], seconds=TIMEOUT)
    player.longest = 0.0  # the first request opens a connection to the database
    yield player
    served = player.statuses[200]
    assert wait_until(lambda: player.statuses[200] > served, seconds=TIMEOUT)
    player.done.set()
    player.join(TIMEOUT)
    print(f"the player's slowest answer came after {player.longest:.2f} s")
    assert set(player.statuses) == {200}
    assert player.longest < BOUND
    assert system.stack.dead() == []


def port_of(system: System) -> int:
    return int(system.stack.base_url.rpartition(":")[2])


def timed(call: Callable[[], int | None]) -> tuple[int | None, float]:
    began = time.monotonic()
    return call(), time.monotonic() - began


def login_request(name: str, *, token: str, cookie: str) -> bytes:
    form = urlencode({"username": name, "password": "wrong-password", "csrfmiddlewaretoken": token})
    head = (
        f"POST /admin/login/ HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\nConnection: close\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(form)}\r\n\r\n"
    )
    return f"{head}{form}".encode()


async def send_all(requests: list[bytes], *, port: int) -> list[tuple[int, float]]:
    """Send all requests at once, each on a connection of its own; return statuses and seconds until the answers ended.

    One thread sends them, so that the strangers take little time from the service.
    """

    async def send(request: bytes) -> tuple[int, float]:
        began = time.monotonic()
        reader, writer = await asyncio.open_connection(HOST, port)
        writer.write(request)
        answer = await reader.read()
        writer.close()
        return int(answer.split(maxsplit=2)[1]), time.monotonic() - began

    async with asyncio.timeout(TIMEOUT):
        return await asyncio.gather(*(send(request) for request in requests))


def test_a_flood_of_logins(system: System, player: Player) -> None:
    address = f"{system.stack.base_url}/admin/login/"
    page = httpx.get(address, timeout=TIMEOUT, verify=ssl_context())
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert token is not None
    cookie = "; ".join(f"{name}={value}" for name, value in page.cookies.items())
    requests = [login_request(f"nobody-{number}", token=token[1], cookie=cookie) for number in range(LOGINS)]
    answers = asyncio.run(send_all(requests, port=port_of(system)))

    statuses = Counter(status for status, _ in answers)
    slowest = {each: max(seconds for status, seconds in answers if status == each) for each in statuses}
    print(f"{dict(statuses)}, the slowest of each after {slowest} s")
    assert set(statuses) <= {200, 503}, statuses
    assert statuses[200] > 0
    assert statuses[503] > 0
    assert max(slowest.values()) < BOUND


def test_a_flood_of_half_open_connections(system: System, player: Player) -> None:
    with contextlib.ExitStack() as exits:
        for number in range(HALF_OPEN):
            stranger = exits.enter_context(socket.create_connection((HOST, port_of(system)), timeout=TIMEOUT))
            body = b"Content-Length: 1000\r\n\r\nabc" if number % 2 else b"X-Header: "
            stranger.sendall(b"POST /api/v1/players HTTP/1.1\r\nHost: localhost\r\n" + body)
        time.sleep(3)
    assert sum(player.statuses.values()) > 3


def chunks(*, chunked: bool) -> Iterator[bytes]:
    """Yield a body of 150 MB."""
    for _ in range(BODY_BYTES // len(PIECE)):
        yield b"%x\r\n%s\r\n" % (len(PIECE), PIECE) if chunked else PIECE


@contextlib.contextmanager
def spooling(system: System, temporary: Path) -> Generator[set[str]]:
    """Collect the temporary files that there are during the block, also those that have no name any more."""
    seen: set[str] = set()
    usual, over = {str(file) for file in temporary.iterdir()}, threading.Event()
    web = [pid for pid, _ in descendants(system.stack.child("web").pid)]

    def look() -> None:
        while not over.wait(0.02):
            seen.update(str(file) for file in temporary.iterdir())
            for pid in web:
                for link in (Path("/proc") / str(pid) / "fd").iterdir():
                    with contextlib.suppress(FileNotFoundError):
                        seen.add(str(link.readlink()))

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield seen
    finally:
        over.set()
        looking.join()
        seen.intersection_update(file for file in tuple(seen) if file.startswith(str(temporary)))
        seen.difference_update(usual)


@pytest.mark.parametrize("path", ["/api/v1/players", "/api/v1/providers/sandbox/callbacks", "/admin/login/"])
def test_a_flood_of_long_bodies(system: System, player: Player, temporary: Path, path: str) -> None:
    def post(number: int) -> int | None:
        """Return the status, or None if the connection was closed before it could be read."""
        chunked = bool(number % 2)
        length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {BODY_BYTES}"
        with socket.create_connection((HOST, port_of(system)), timeout=TIMEOUT) as stranger:
            stranger.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{length}\r\n\r\n".encode())
            try:
                for chunk in chunks(chunked=chunked):
                    stranger.sendall(chunk)
            except OSError:
                pass
            try:
                return int(stranger.recv(1000).split()[1])
            except (OSError, IndexError):
                return None

    with spooling(system, temporary) as seen, ThreadPoolExecutor(BODIES) as strangers:
        answers = list(strangers.map(lambda number: timed(lambda: post(number)), range(BODIES)))

    assert seen == set()
    assert 413 in {status for status, _ in answers} <= {413, None}
    print(f"the slowest of the long bodies ended after {max(seconds for _, seconds in answers):.2f} s")
    assert max(seconds for _, seconds in answers) < BOUND
