"""The commands of compose.yaml with production settings, run on local servers."""

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Generator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin
from uuid import uuid4

import httpx
import pytest

from casino.devstack.home import PROJECT, temporary_home
from casino.devstack.postgres import SUPERUSER, Postgres
from casino.devstack.processes import Child
from casino.devstack.redis import Redis
from casino.devstack.system import free_port
from casino.observability.healthcheck import probe
from tests.processes import clean_environment, wait_until
from tests.system.deploy.compose import OURS, VALUES, services

HOST = VALUES["ALLOWED_HOSTS"]


@dataclass(frozen=True, slots=True)
class Deployment:
    """A running deployment: send `Host: HOST` and `X-Forwarded-Proto: https` to `base_url`, as its proxy would."""

    base_url: str
    environment: dict[str, str]
    children: dict[str, Child]

    def worker_answers(self) -> bool:
        """Return whether a worker answers a ping through Redis."""
        command = [sys.executable, "-m", "celery", "-A", "casino", "inspect", "ping", "--timeout", "3"]
        ping = subprocess.run(command, cwd=PROJECT, env=self.environment, check=False, capture_output=True)  # noqa: S603
        return b"pong" in ping.stdout

    def manage(self, *arguments: str) -> str:
        """Run a manage.py command as the application and return its output."""
        done = subprocess.run(  # noqa: S603
            [sys.executable, "manage.py", *arguments],
            cwd=PROJECT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextlib.contextmanager
    def client(self, credential: str) -> Generator[httpx.Client]:
        """Open an API client whose requests look as if passed on by the proxy."""
        headers = {"Host": HOST, "X-Forwarded-Proto": "https", "Authorization": f"Bearer {credential}"}
        with httpx.Client(base_url=f"{self.base_url}/api/v1", headers=headers, timeout=20) as client:
            yield client


def post(client: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """POST a command and return the answer."""
    response = client.post(path, json=body, headers={"Idempotency-Key": uuid4().hex})
    assert response.is_success, response.text
    document: dict[str, Any] = response.json()
    return document


def get(client: httpx.Client, path: str) -> dict[str, Any]:
    """GET a resource."""
    response = client.get(path)
    assert response.is_success, response.text
    document: dict[str, Any] = response.json()
    return document


def make_roles(postgres: Postgres) -> None:
    """Run roles.sh as PostgreSQL's image does."""
    environment = {
        "PATH": f"{postgres.programs}:/usr/bin:/bin",
        "POSTGRES_USER": SUPERUSER,
        "PGHOST": str(postgres.sockets),
        "PGPASSWORD": postgres.home.secrets.superuser_password,
        "CASINO_OWNER_PASSWORD": VALUES["CASINO_OWNER_PASSWORD"],
        "CASINO_APP_PASSWORD": VALUES["CASINO_APP_PASSWORD"],
        "CASINO_WEB_PASSWORD": VALUES["CASINO_WEB_PASSWORD"],
        "CASINO_BACKUP_PASSWORD": VALUES["CASINO_BACKUP_PASSWORD"],
        "PGDATA": str(postgres.data),
    }
    subprocess.run(["/bin/sh", str(PROJECT / "deploy" / "roles.sh")], env=environment, check=True, capture_output=True)  # noqa: S603


def environment_of(name: str, *, sockets: Path, redis_url: str, static: Path) -> dict[str, str]:
    """Return the environment of one service, with the addresses of the local servers."""
    variables = dict(services()[name]["environment"])
    login = variables["DATABASE_URL"].removeprefix("postgresql://").partition("@")[0]
    variables["DATABASE_URL"] = f"postgresql://{login}@/casino?host={quote(str(sockets), safe='')}"
    variables["REDIS_URL"] = redis_url
    variables["HEARTBEAT_FILE"] = str(static.parent / "heartbeat")
    variables["CHECKPOINT_STORAGE"] = (static.parent / "checkpoints").as_uri()
    programs = f"{Path(sys.executable).parent}:{os.environ.get('PATH', '/usr/bin:/bin')}"
    return clean_environment(
        **variables, PATH=programs, STATIC_ROOT=str(static), DJANGO_SETTINGS_MODULE="casino.settings"
    )


def command_of(name: str, *, port: int, folder: Path) -> list[str]:
    """Return the command of one service; only its addresses and scratch folder differ from the container's."""
    local = {"0.0.0.0": "127.0.0.1", "8000": str(port)}  # noqa: S104
    words = (local.get(word, word) for word in services()[name]["command"])
    return [word.replace("http://web:8000", f"http://127.0.0.1:{port}") for word in words]


def ready(port: int) -> bool:
    """Return whether the readiness probe succeeds, as the container's health check asks it."""
    try:
        return probe(f"http://127.0.0.1:{port}/readyz", host=HOST) == 200
    except OSError:
        return False


@contextlib.contextmanager
def running(folder: Path) -> Generator[Deployment]:
    """Start servers, roles, static files and migrations, then all our processes, in the order of compose.yaml."""
    port, children = free_port(0), {}
    with contextlib.ExitStack() as exits:
        home = exits.enter_context(temporary_home())
        postgres, redis = Postgres(home), Redis(home)
        exits.callback(postgres.stop)
        postgres.start_bare()
        exits.callback(redis.stop)
        redis.start()
        make_roles(postgres)
        for name in OURS:
            environment = environment_of(
                name, sockets=postgres.sockets, redis_url=redis.url, static=folder / "static-root"
            )
            children[name] = Child(
                name=name,
                command=command_of(name, port=port, folder=folder),
                environment=environment,
                log=folder / f"{name}.log",
                folder=PROJECT,
            )
        web = children["web"].environment
        collect = [sys.executable, "manage.py", "collectstatic", "--no-input"]
        subprocess.run(collect, cwd=PROJECT, env=web, check=True, capture_output=True)  # noqa: S603
        migrate = children.pop("migrate")
        migrate.start()
        assert migrate.process.wait(60) == 0, migrate.tail()
        for child in children.values():
            exits.callback(child.stop)
            child.start()
        children["web"].wait_until(lambda: ready(port))
        # The audit command must know which keys to trust.
        variables = {**web, "CHECKPOINT_KEYS": VALUES["CHECKPOINT_KEYS"]}
        yield Deployment(base_url=f"http://127.0.0.1:{port}", environment=variables, children=children)


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Generator[Deployment]:
    """Start one deployment for all tests of this file."""
    with running(tmp_path_factory.mktemp("deployment")) as deployment:
        yield deployment


def test_every_process_of_the_deployment_runs(deployment):
    assert wait_until(deployment.worker_answers), deployment.children["worker"].tail()
    assert [name for name, child in deployment.children.items() if not child.alive()] == []


def test_http_is_redirected_to_https_except_for_health_checks(deployment):
    port = int(deployment.base_url.rpartition(":")[2])
    assert probe(f"http://127.0.0.1:{port}/admin/", host=HOST) == 301
    statuses = [probe(f"http://127.0.0.1:{port}/{name}", host=HOST) for name in ("livez", "readyz")]
    assert statuses == [200, 200]
    assert wait_until(lambda: probe(f"http://127.0.0.1:{port}/healthz", host=HOST) == 200), "not all processes beat"
    assert Path(deployment.environment["HEARTBEAT_FILE"]).exists()


def test_another_host_name_is_refused(deployment):
    port = int(deployment.base_url.rpartition(":")[2])
    assert probe(f"http://127.0.0.1:{port}/livez", host="evil.example.com") == 400


def test_the_table_page_and_its_files_are_served_and_the_demo_is_not(deployment):
    headers = {"Host": HOST, "X-Forwarded-Proto": "https"}
    with httpx.Client(base_url=deployment.base_url, headers=headers, timeout=20) as browser:
        page = browser.get("/play/")
        assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
        addresses = re.findall(r'(?:href|src)="\.\.(/static/[^"]+)"', page.text)
        assert len(addresses) >= 6
        modules = [path for path in addresses if path.endswith(".js")]
        for path in modules:
            text = browser.get(path).text
            modules += {urljoin(path, each) for each in re.findall(r'from "(\.[^"]+)"', text)} - set(modules)
        assert len(modules) > 30
        assert {browser.get(path).status_code for path in [*addresses, *modules]} == {200}
        assert browser.get("/play/demo").status_code == 404


def test_a_round_is_played_from_bet_to_audit(deployment, tmp_path):
    printed = deployment.manage("operator", "create", "riviera", "--currency", "EUR", "--sandbox")
    credential = re.search(r"Bearer (\S+)", printed)[1]
    with deployment.client(credential) as operator:
        opening = {"name": "Table 1", "preset": "mini", "currency": "EUR", "money_types": ["real"]}
        table = f"/tables/{post(operator, '/tables', opening)['id']}"
        player = post(operator, "/players", {"reference": "ann", "nickname": "Ann"})["id"]
        credit = {"amount": "500.00", "currency": "EUR", "money_type": "real"}
        post(operator, f"/players/{player}/sandbox-credits", credit)
        token = post(operator, f"/players/{player}/sessions", {})["token"]
    with deployment.client(token) as ann:
        post(ann, f"{table}/seat", {"seat": 1, "buy_in": "100.00", "currency": "EUR", "money_type": "real"})
        bet = {"stakes": [{"spot": "banker", "amount": "10.00"}], "currency": "EUR"}
        round_ = post(ann, f"{table}/deal", bet)["round"]["id"]
        settled = wait_until(lambda: get(ann, f"/rounds/{round_}")["phase"] == "settled")
        assert settled, deployment.children["worker"].tail()
        dealt = get(ann, f"/rounds/{round_}")
        assert dealt["outcome"] in {"player", "banker", "tie"}
        returned = {"player": "0.00", "banker": "19.50", "tie": "10.00"}[dealt["outcome"]]
        assert dealt["seats"][0]["result"]["returned"] == returned
        post(ann, f"{table}/leave", {})
        lines = get(ann, "/me/balances")["items"]
        (account,) = [line["balance"] for line in lines if (line["account"], line["money_type"]) == ("account", "real")]
        assert Decimal(account["amount"]) == 490 + Decimal(returned)
    assert "audit: ok rounds=1" in deployment.manage("audit", "--head-file", str(tmp_path / "head.json"))
    assert round_ in deployment.manage("replay", round_)
