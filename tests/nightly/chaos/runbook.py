"""The symptoms of runbook.md, and somebody who follows it on a running system."""

import http
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import httpx
import psycopg

from casino.devstack.home import PROJECT
from casino.devstack.postgres import SUPERUSER, Postgres
from casino.devstack.system import operator_key
from casino.observability.process import ssl_context
from tests.processes import wait_until
from tests.support.instant import INSTANT
from tests.support.whole_system import System

PAGE: Final = (PROJECT / "deploy" / "docs" / "runbook.md").read_text(encoding="utf-8")
SECTION: Final = PAGE.partition("\n## Symptoms\n")[2].partition("\n## ")[0]
LOGIN: Final = "oncall"
TOKEN: Final = "only-for-the-metrics-of-tests"
FORKS: Final = """
import json, os, sys
import django
from django.core.management import execute_from_command_line
django.setup()
print(flush=True)
for line in sys.stdin:
    words, output = json.loads(line)
    child = os.fork()
    if not child:
        file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, 1)
        os.dup2(file, 2)
        execute_from_command_line(words)
        sys.exit()
    os.waitpid(child, 0)
    print(flush=True)
"""
"""A process that has loaded the code, and runs each command in a copy of itself."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the runbook."""

    symptom: str
    check: str
    says: str
    commands: tuple[str, ...]

    @classmethod
    def parse(cls, line: str) -> "Row":
        symptom, check, _cause, command = line.strip("|").split(" | ")
        question, says = re.findall(r"`([^`]+)`", check)
        return cls(symptom.strip(), question, says, tuple(re.findall(r"`([^`]+)`", command)))


ROWS: Final = [Row.parse(line.strip()) for line in re.findall(r"^\| (?!symptom).*\|$", SECTION, re.MULTILINE)]


@dataclass(slots=True)
class Reader:
    """Somebody who follows the page on a running system. `values` are those of the names in capitals."""

    system: System
    folder: Path
    forks: "subprocess.Popen[str]"
    values: dict[str, str] = field(default_factory=dict)
    settings: dict[str, tuple[list[str], str]] = field(default_factory=dict)
    """Which processes have a variable otherwise than it has to be, and what it has to be."""
    wrong: dict[str, str] = field(default_factory=dict)
    """Variables of the host on which commands run."""
    seen: dict[str, int] = field(default_factory=dict)
    is_followed: bool = False
    """Whether the page was followed to its end."""

    def do(self, step: str) -> str:
        """Follow a step of the page, and return what it says."""
        for name, value in self.values.items():
            step = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _, value=value: value, step)
        if step in self.settings:
            return self.correct(step)
        word, _, rest = step.partition(" ")
        steps: dict[str, Callable[[str], str]] = {
            "manage.py": self.manage,
            "GET": lambda path: self.request("GET", path),
            "POST": lambda path: self.request("POST", path),
            "psql": lambda rest: self.shell(f"psql {rest}"),
            "docker": self.compose,
            "chronyc": self.step_clock,
        }
        return steps[word](rest)

    def manage(self, rest: str, **more: str) -> str:
        """Run a command of manage.py on the host."""
        words = ["manage.py", *(word.strip('"') for word in re.findall(r'"[^"]*"|\S+', rest))]
        if words[1] == "witness":
            self.system.stack.child("witness").start()
            return ""
        if self.wrong or more:
            environment = {**self.system.stack.environment, **self.wrong, **more}
            done = subprocess.run(  # noqa: S603
                [sys.executable, *words], cwd=PROJECT, env=environment, capture_output=True, text=True, check=False
            )
            return done.stdout + done.stderr
        assert self.forks.stdin is not None
        assert self.forks.stdout is not None
        output = self.folder / "output"
        self.forks.stdin.write(json.dumps([words, str(output)]) + "\n")
        self.forks.stdin.flush()
        assert self.forks.stdout.readline()
        text = output.read_text(encoding="utf-8")
        if words[1:3] == ["operator", "key"]:
            self.values["KEY"] = operator_key(text)
        return text

    def request(self, method: str, path: str) -> str:
        """Send a request with the operator's key, and return status and body."""
        key = self.values.get("KEY", self.system.credential)
        headers = {
            "Authorization": f"Bearer {TOKEN if path == '/metrics' else key}",
            "Host": self.values.get("HOST", "127.0.0.1"),
            "Idempotency-Key": str(uuid4()),
        }
        try:
            response = httpx.request(
                method, f"{self.system.stack.base_url}{path}", headers=headers, timeout=20, verify=ssl_context()
            )
        except httpx.TransportError:
            return "no answer"
        return f"{http.HTTPStatus(response.status_code).phrase}\n{response.text}"

    def shell(self, line: str) -> str:
        """Run a line of the page in a shell."""
        server = self.server
        environment = {"PATH": f"{server.programs}:{os.environ['PATH']}", "SUPERUSER_URL": server.superuser_url}
        done = subprocess.run(  # noqa: S603
            ["bash", "-c", line],  # noqa: S607
            env=environment, cwd=self.folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.stdout + done.stderr

    @property
    def server(self) -> Postgres:
        """The system's PostgreSQL."""
        return Postgres(self.system.stack.home)

    def compose(self, rest: str) -> str:
        """Do to the system's processes what docker compose does to its services."""
        words, stack = rest.split(), self.system.stack
        if words[1] == "logs":
            return self.system.log(words[2])[self.seen.get(words[2], 0) :]
        if words[1] == "run":
            owner = {"DATABASE_ROLE": "owner", "DATABASE_URL": stack.environment["DATABASE_OWNER_URL"]}
            return self.manage(rest.partition("manage.py ")[2] or "migrate", **owner)
        names = words[2:] if words[1] == "restart" else list(stack.children)
        for name in names:
            child = stack.child(name)
            if words[1] == "restart":
                child.stop()
            child.start()
        self.await_web()
        return ""

    def correct(self, variable: str) -> str:
        """Set a variable as it has to be; `up` starts the processes that had it otherwise."""
        names, right = self.settings[variable]
        for name in names:
            self.set(name, variable, right)
        self.wrong.pop(variable, None)
        return ""

    def set(self, name: str, variable: str, value: str) -> None:
        """Stop a process, which has this value of a variable when it starts next; none for an empty one."""
        child = self.system.stack.child(name)
        child.stop()
        child.environment.pop(variable, None)
        if value:
            child.environment[variable] = value

    def mistype(self, name: str, variable: str, value: str) -> None:
        """Start a process anew with a wrong value of a variable."""
        child = self.system.stack.child(name)
        self.settings[variable] = [name], child.environment.get(variable, "")
        self.set(name, variable, value)
        child.start()

    def step_clock(self, _rest: str) -> str:
        Path(self.wrong["FAKETIME_TIMESTAMP_FILE"]).write_text("+0\n", encoding="ascii")
        return ""

    def await_web(self) -> None:
        """Wait until web answers, if it runs."""
        if self.system.stack.child("web").alive():
            assert wait_until(lambda: self.request("GET", "/livez") != "no answer")

    def forget_logs(self) -> None:
        """Read of the logs only what comes from now on."""
        self.seen = {name: len(self.system.log(name)) for name in self.system.stack.children if name != "witness"}

    def query(self, statement: Any, *parameters: object) -> list[tuple[Any, ...]]:
        """Run a statement as PostgreSQL's administrator."""
        with self.administrator() as connection:
            cursor = connection.execute(statement, parameters)
            return cursor.fetchall() if cursor.description else []

    def administrator(self, *, name: str = "psql") -> psycopg.Connection[Any]:
        """Connect to the system's database as PostgreSQL's administrator, in autocommit."""
        server = self.server
        url = server.address(user=SUPERUSER, password=server.home.secrets.superuser_password)
        return psycopg.connect(url, autocommit=True, application_name=name)

    def post(self, path: str, body: dict[str, Any], *, key: str = "") -> httpx.Response:
        """Send a request of the operator, or of a player."""
        headers = {"Authorization": f"Bearer {key or self.system.credential}", "Idempotency-Key": str(uuid4())}
        address = f"{self.system.stack.base_url}/api/v1{path}"
        return httpx.post(address, json=body, headers=headers, timeout=20, verify=ssl_context())

    def take_seat(self) -> tuple[str, str]:
        """Open a table and seat a player with play money; return the table's id and the player's token."""
        game = {"preset": "mini", "currency": "EUR", "money_types": ["play"], "rules": INSTANT}
        table = self.post("/tables", {"name": "Runbook", "accept_player_edge": True, **game}).json()["id"]
        player = self.post("/players", {"reference": f"runbook-{table[-12:]}", "nickname": "Ann"}).json()["id"]
        credit = {"amount": "1000.00", "currency": "EUR", "money_type": "play"}
        self.post(f"/players/{player}/sandbox-credits", credit)
        self.system.credited["play"] = self.system.credited.get("play", 0) + 100_000
        token = self.post(f"/players/{player}/sessions", {}).json()["token"]
        seat = {"seat": 1, "buy_in": "500.00", "currency": "EUR", "money_type": "play"}
        self.post(f"/tables/{table}/seat", seat, key=token).raise_for_status()
        return table, token
