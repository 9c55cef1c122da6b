"""Every process is replaced by the next release and back, one after the other, while players bet through the proxy."""

import asyncio
import contextlib
import ssl
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Final

import httpx
import pytest

from casino.devstack import services, system
from casino.devstack.bots import client, house
from casino.devstack.home import PROJECT, claim
from casino.devstack.processes import Child, run_to_end, stop_all
from casino.devstack.services import process_environment
from casino.devstack.system import HOST, Stack, commands, free_port, is_responding
from casino.observability.command_line import owner_environment
from tests.nightly.deploy.test_haproxy import HAPROXY, write_certificate
from tests.nightly.upgrade.releases import earlier, later
from tests.programs import needs
from tests.support.books import agree
from tests.support.players import Party, Setting, party
from tests.support.whole_system import System, until

pytestmark = needs("haproxy")

TABLES: Final = (Setting("mini"), Setting("classic"), Setting("atlantic_city", players=2, rules={"turn_seconds": 1}))
OTHERS: Final = ("worker", "worker-background", "worker-outbound", "sealer")
PAUSE: Final = 0.1
"""Seconds before each request, so that processes that start have the processor, too."""
ALIVE: Final = (
    "SELECT count(DISTINCT version) FROM alerts_heartbeat WHERE kind = %s AND beat_at > now() - interval '6 s'"
)
WAGERS: Final = """
SELECT event.schema, wager.channel, count(*) FROM events_event AS event
  JOIN baccarat_wager AS wager ON 'round-' || wager.round_id = event.stream AND (event.data->>'seat')::int = wager.seat
 WHERE event.type = 'WagerConfirmed' GROUP BY 1, 2 ORDER BY 1
"""


class ProxiedStack(Stack):
    """A stack whose clients go through a proxy once there is one."""

    proxy = ""

    @property
    def base_url(self) -> str:
        return self.proxy or super().base_url


class Upgrade:
    """The processes of a system, with the release that each runs."""

    def __init__(self, stack: ProxiedStack, *, before: Path, after: Path, other_port: int) -> None:
        self.stack, self.before, self.after = stack, before, after
        self.ports = {"web": stack.port, "other": other_port}
        self.children = {name: stack.child(name) for name in ("web", *OTHERS)}
        self.started: list[Child] = []
        self.proxy_log = stack.home.logs / "haproxy.log"

    def start(self, name: str, release: Path) -> Child:
        """Start a process of a release."""
        kind = "web" if name in self.ports else name
        command = commands(port=self.ports.get(name, 0))[kind]
        child = Child(
            name=name,
            command=[word.replace(str(self.before), str(release)) for word in command],
            environment=process_environment(kind, self.stack.environment),
            log=self.stack.home.logs / f"{name}-{release.name}.log",
            folder=release,
        )
        self.started.append(child)
        self.children[name] = child
        child.start()
        return child

    def manage(self, release: Path, *arguments: str, as_owner: bool = False) -> str:
        """Run a command of a release."""
        environment = owner_environment(self.stack.environment) if as_owner else self.stack.environment
        command = [sys.executable, str(release / "manage.py"), *arguments]
        return run_to_end(command, environment=environment, folder=release)

    async def replace(self, name: str, release: Path, running: System) -> None:
        """Replace a process: a web server on its port, while the other serves; others beside the old one."""
        old = self.children[name]
        if name in self.ports:
            await asyncio.to_thread(old.stop)
            self.start(name, release)
            before = self.served(name)
            await until(lambda: self.served(name) > before)
        else:
            self.start(name, release)
            await until(lambda: running.query(ALIVE, [name]) == [(2,)])
            await asyncio.to_thread(old.stop)

    def served(self, name: str) -> int:
        """Return how many requests the proxy has sent to a web server."""
        return self.proxy_log.read_text(encoding="utf-8").count(f" api/{name} ")


@pytest.fixture
def failures(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect every request of the players that got no answer, or one that says it failed."""
    found: list[str] = []
    send = httpx.AsyncHTTPTransport.handle_async_request

    async def collect(transport: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(PAUSE)
        try:
            response = await send(transport, request)
        except httpx.TransportError as error:
            found.append(f"{request.method} {request.url.path}: {error!r}")
            raise
        if response.status_code >= 500 or response.status_code == 429:
            found.append(f"{request.method} {request.url.path}: {response.status_code} {(await response.aread())!r}")
        return response

    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", collect)
    return found


@contextlib.contextmanager
def running_upgrade(folder: Path) -> Generator[Upgrade]:
    """Run a system of the earlier release, with two web servers behind the proxy that is shipped."""
    before = earlier(folder / "before")
    after = later(before, folder / "after")
    certificate, proxy_port, other_port = folder / "casino.pem", free_port(0), free_port(0)
    write_certificate(certificate)
    variables = {
        "CASINO_HOME": str(folder / "homes"),
        "BEHIND_TLS_PROXY": "true",
        "WEB_PROCESSES": "1",
        "QUOTA_PER_ADDRESS": "0",
    }
    with pytest.MonkeyPatch.context() as patch, contextlib.ExitStack() as exits:
        for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL"):
            patch.delenv(name, raising=False)
        for name, value in variables.items():
            patch.setenv(name, value)
        for module in (system, services):
            patch.setattr(module, "PROJECT", before)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        patch.setattr(client, "ssl_context", lambda: context)
        stack = exits.enter_context(ProxiedStack(name="upgrade", print_line=[].append))
        upgrade = Upgrade(stack, before=before, after=after, other_port=other_port)
        exits.callback(lambda: stop_all(upgrade.started))
        upgrade.start("other", before)
        proxy = Child(
            name="haproxy",
            command=[str(HAPROXY), "-f", str(PROJECT / "deploy" / "haproxy.cfg")],
            environment={
                "CERTIFICATE": str(certificate),
                "BIND": f"{HOST}:{proxy_port}",
                "WEB": f"{HOST}:{stack.port}",
                "OTHER_WEB": f"{HOST}:{other_port}",
                "HOST": "localhost",
            },
            log=upgrade.proxy_log,
        )
        upgrade.started.append(proxy)
        upgrade.children["other"].wait_until(lambda: is_responding(port=other_port, path="/readyz"))
        proxy.start()
        stack.proxy = f"https://{HOST}:{proxy_port}"
        yield upgrade
    home = claim(folder / "homes" / "upgrade")
    assert home is not None
    home.remove()


async def roll(upgrade: Upgrade, running: System, players: Party, release: Path) -> None:
    """Replace every process, each while wagers are confirmed and settled."""
    for name in ("web", "other", *OTHERS):
        await upgrade.replace(name, release, running)
        enough = players.wagers() + 2 * len(players.players)
        await until(lambda enough=enough: players.wagers() >= enough)  # type: ignore[misc]


async def play_through(upgrade: Upgrade, running: System) -> list[bool]:
    """Upgrade and roll back while players bet; return whether rounds then have the later release's field."""
    shown: list[bool] = []
    async with party(running, TABLES) as players:

        async def upgrade_and_roll_back() -> None:
            await asyncio.to_thread(upgrade.manage, upgrade.after, "migrate", "--skip-checks", as_owner=True)
            for release in (upgrade.after, upgrade.before):
                await roll(upgrade, running, players, release)
                (round_,) = (await players.players[0].client.get("/rounds", limit=1))["items"]
                shown.append("channel" in round_["seats"][0])

        await players.play_during(upgrade_and_roll_back())
        await agree(running, players)
    return shown


def test_an_upgrade_and_its_roll_back_fail_no_request_and_lose_nothing(tmp_path: Path, failures: list[str]) -> None:
    with running_upgrade(tmp_path) as upgrade:
        running = System(stack=upgrade.stack, credential=house.new_operator(upgrade.stack, "upgrade"))
        assert asyncio.run(play_through(upgrade, running)) == [True, False]
        assert [child.exit_report() for child in upgrade.children.values() if not child.alive()] == []
        assert failures == []
        assert {(schema, channel) for schema, channel, _ in running.query(WAGERS)} == {(1, ""), (2, "web")}
        for release in (upgrade.before, upgrade.after):
            assert "findings=0" in upgrade.manage(release, "audit")
            assert "differing=0" in upgrade.manage(release, "rebuild", "--check")
