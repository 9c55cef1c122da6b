"""Each symptom of the runbook in operations.md is brought about, seen by the page's check, and ended by its command."""

import contextlib
import http
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import httpx
import psycopg
import pytest

from casino.devstack.home import PROJECT
from casino.devstack.postgres import SUPERUSER, Postgres
from casino.devstack.system import operator_key
from casino.observability.process import ssl_context
from tests.chaos.system import System
from tests.chaos.test_poison import give_back, take_secret
from tests.clocks import LIBRARY, skewed_by_file
from tests.processes import wait_until
from tests.support.instant import INSTANT

pytestmark = pytest.mark.slow

PAGE: Final = (PROJECT / "deploy" / "docs" / "operations.md").read_text(encoding="utf-8")
SECTION: Final = PAGE.partition("\n## Runbook\n")[2].partition("\n## ")[0]
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


Symptom = Callable[[Reader], Generator[None]]
WAGER: Final = {"stakes": [{"spot": "player", "amount": "10.00"}], "currency": "EUR"}


def ended(name: str) -> Symptom:
    """End a kind of process in order, on the last of its hosts."""

    def symptom(reader: Reader) -> Generator[None]:
        reader.system.stack.child(name).stop()
        yield

    return symptom


def server_set(name: str, value: str) -> Symptom:
    """Change a setting of PostgreSQL."""

    def symptom(reader: Reader) -> Generator[None]:
        with reader.administrator() as connection:
            connection.execute(f"ALTER SYSTEM SET {name} = {value}")
            connection.execute("SELECT pg_reload_conf()")
        yield

    return symptom


def mistyped(process: str, variable: str, value: str) -> Symptom:
    """Start a process with a wrong variable; with the right one it has to run again."""

    def symptom(reader: Reader) -> Generator[None]:
        reader.take_seat()  # a seed and a name are encrypted
        reader.mistype(process, variable, value)
        assert wait_until(lambda: not reader.system.stack.child(process).alive())
        yield
        assert wait_until(lambda: f"no {process} runs" not in reader.manage("status"))
        assert reader.system.stack.child(process).alive()

    return symptom


def never_set(process: str, variable: str, value: str, **values: str) -> Symptom:
    """Leave a variable as it is without being set."""

    def symptom(reader: Reader) -> Generator[None]:
        reader.settings[variable] = [process], value
        reader.values.update(values)
        yield

    return symptom


def no_worker(reader: Reader) -> Generator[None]:
    table, token = reader.take_seat()
    reader.system.stack.child("worker").stop()
    reader.post(f"/tables/{table}/deal", WAGER, key=token).raise_for_status()
    yield
    assert wait_until(lambda: settled(reader, table))


def settled(reader: Reader, table: str) -> bool:
    """Whether the table's first round has been settled."""
    rows = reader.query("SELECT 1 FROM baccarat_round WHERE table_id = %s AND phase = 'settled'", table)
    return bool(rows)


def suspended_round(reader: Reader) -> Generator[None]:
    table, token = reader.take_seat()
    chips = {"spot": "tie", "amount": "10.00", "currency": "EUR"}
    reader.post(f"/tables/{table}/place", chips, key=token).raise_for_status()
    secret = take_secret(reader.system, table)
    reader.post(f"/tables/{table}/deal", WAGER, key=token).raise_for_status()
    assert wait_until(lambda: "was suspended" in reader.compose("compose logs worker"))
    give_back(reader.system, secret)
    (reader.values["ROUND"],) = reader.query("SELECT round_id::text FROM baccarat_table WHERE id = %s", table)[0]
    yield
    assert wait_until(lambda: settled(reader, table))


def locked_table(reader: Reader) -> Generator[None]:
    table, token = reader.take_seat()
    with contextlib.closing(reader.administrator()) as session:
        session.autocommit = False
        session.execute("SELECT FROM baccarat_table WHERE id = %s FOR UPDATE", [table])
        reader.values["PID"] = str(session.info.backend_pid)
        assert reader.post(f"/tables/{table}/deal", WAGER, key=token).status_code == 503
        yield
    assert wait_until(lambda: reader.post(f"/tables/{table}/deal", WAGER, key=token).status_code == 200)


def stopped_gaming(reader: Reader) -> Generator[None]:
    reader.manage(f'stop gaming --by {LOGIN} --reason "A drill"')
    yield


def stopped_operator(reader: Reader) -> Generator[None]:
    ((reader.values["OPERATOR"],),) = reader.query("SELECT id::text FROM operators_operator WHERE slug = 'chaos'")
    reader.manage(f'stop operator chaos --by {LOGIN} --reason "A drill"')
    yield


def no_redis(reader: Reader) -> Generator[None]:
    reader.system.stack.child("redis").stop()
    yield
    assert wait_until(reader.system.redis_answers)


def frozen_sealer(reader: Reader) -> Generator[None]:
    sealer = reader.system.stack.child("sealer")
    sealer.grace, grace = 0.5, sealer.grace  # it does not end in order
    os.killpg(sealer.pid, signal.SIGSTOP)
    yield
    sealer.grace = grace


def wrong_clock(reader: Reader) -> Generator[None]:
    if LIBRARY is None:
        pytest.skip("libfaketime is not installed")
    file = reader.folder / "clock"
    file.write_text("+3600\n", encoding="ascii")
    reader.wrong = skewed_by_file({}, file)
    yield


def dead_database(reader: Reader) -> Generator[None]:
    reader.system.crash_postgres()
    yield


def missing_migration(reader: Reader) -> Generator[None]:
    reader.compose("compose run --rm migrate python manage.py migrate sessions zero")
    yield
    assert reader.system.query("SELECT count(*) FROM django_session") == [(0,)]


def unused_slot(reader: Reader) -> Generator[None]:
    reader.values["SLOT"] = "old_backup"
    reader.query("SELECT pg_create_physical_replication_slot('old_backup', true)")
    yield


def kept_connections(reader: Reader) -> Generator[None]:
    reader.values["TOOL"] = "dashboard"
    with contextlib.ExitStack() as exits:
        for _ in range(21):
            exits.enter_context(contextlib.closing(reader.administrator(name="dashboard")))
        yield


def long_statement(reader: Reader) -> Generator[None]:
    with contextlib.closing(reader.administrator()) as session:
        reader.values["PID"] = str(session.info.backend_pid)
        cancelled = threading.Event()

        def ask() -> None:
            with contextlib.suppress(psycopg.errors.QueryCanceled):
                session.execute("SELECT pg_sleep(600)")
            cancelled.set()

        threading.Thread(target=ask).start()
        yield
        assert cancelled.wait(60)


def revoked_key(reader: Reader) -> Generator[None]:
    reader.values["SLUG"] = "chaos"
    reader.manage("operator key chaos")
    assert reader.request("GET", "/api/v1/tables").startswith("OK")
    reader.manage(f"operator revoke {reader.values['KEY'].partition('.')[0]}")
    yield
    assert reader.request("GET", "/api/v1/tables").startswith("OK")


def paused_webhook(reader: Reader) -> Generator[None]:
    webhook = reader.post("/webhooks", {"url": "http://127.0.0.1:9/hook"})
    assert webhook.status_code == 201, webhook.text
    reader.values["{webhook}"] = webhook.json()["id"]
    reader.post(f"/webhooks/{reader.values['{webhook}']}/pause", {}).raise_for_status()
    yield


def waiting_email(reader: Reader) -> Generator[None]:
    background = reader.system.stack.child("worker-background")
    background.environment.update(EMAIL_PORT="9", EMAIL_SECURITY="none")
    reader.mistype("worker-background", "EMAIL_HOST", "127.0.0.1")
    reader.query(
        "INSERT INTO mail_email (address, subject, body, created_at, due_at, attempts, error) "
        "VALUES ('ann@example.com', 'Report', 'It is ready.', now() - interval '1 hour', now(), 0, '')"
    )
    failed = "SELECT count(*) FROM mail_email WHERE error <> ''"
    assert wait_until(lambda: reader.query(failed) == [(1,)])
    background.stop()
    reader.query("UPDATE mail_email SET due_at = now() - interval '30 minutes' WHERE sent_at IS NULL")
    yield
    assert reader.query("SELECT count(*) FROM mail_email WHERE sent_at IS NULL") == [(0,)]


def witness_away(reader: Reader) -> Generator[None]:
    reader.system.stack.child("witness").stop()
    reader.take_seat()
    yield
    sealed = "SELECT max(position) FROM events_seal"
    cosigned = "SELECT max(size) FROM checkpoints_cosignature"
    ((last,),) = reader.query(sealed)
    assert wait_until(lambda: (reader.query(cosigned)[0][0] or 0) >= last)


def no_storage(reader: Reader) -> Generator[None]:
    wrong = "file:///dev/null/checkpoints"
    reader.mistype("worker-background", "CHECKPOINT_STORAGE", wrong)
    reader.wrong["CHECKPOINT_STORAGE"] = wrong
    yield


def changed_read_model(reader: Reader) -> Generator[None]:
    table, _ = reader.take_seat()
    assert wait_until(lambda: reader.query("SELECT count(*) FROM events_unsealed") == [(0,)])
    reader.query("UPDATE baccarat_table SET name = 'Another' WHERE id = %s", table)
    yield
    assert reader.query("SELECT name FROM baccarat_table WHERE id = %s", table) == [("Runbook",)]


def nothing(_reader: Reader) -> Generator[None]:
    """Do nothing: a new system has it from the start."""
    yield


SYMPTOMS: Final[dict[str, Symptom]] = {
    "Wagers are taken, and no cards come": no_worker,
    "One round does not end, others do": suspended_round,
    "Requests to one table get 503, others do not": locked_table,
    "Nobody can bet anywhere": stopped_gaming,
    "No player of one operator can bet": stopped_operator,
    "Cards and balances come a little late": no_redis,
    "Nobody reaches the service": ended("web"),
    "Every request gets 400": never_set("web", "ALLOWED_HOSTS", "127.0.0.1,casino.example", HOST="casino.example"),
    "Live streams and feeds show nothing new": ended("sealer"),
    "A process is there and does nothing": frozen_sealer,
    "Payments stay pending, and no e-mail is sent": ended("worker-background"),
    "Webhooks stop, and the dead-man's receiver raises its alarm": ended("worker-outbound"),
    "A `worker` ends as soon as it starts": mistyped("worker", "SHOE_KEYS", f"other:{'11' * 32}"),
    "Any other process ends as soon as it starts": mistyped("worker-outbound", "PERSONAL_KEYS", f"other:{'11' * 32}"),
    "No process of one host starts": wrong_clock,
    "Prometheus shows nothing": never_set("web", "METRICS_TOKEN", TOKEN),
    "Every answer is 503 `unavailable`": dead_database,
    "What reads works, what writes gets 503": server_set("default_transaction_read_only", "on"),
    "A write gets 503 after five seconds": server_set("synchronous_standby_names", "'gone'"),
    "The service is unready after an upgrade": missing_migration,
    "An alert says that the disk is full": server_set("temp_file_limit", "'1MB'"),
    "PostgreSQL's disk fills though play is as usual": unused_slot,
    "A `web` does not start: too few connections": kept_connections,
    "Everything is slow since a report or a query": long_statement,
    "A crash would lose confirmed wagers": server_set("synchronous_commit", "off"),
    "An operator is refused with 401": revoked_key,
    "An operator gets no webhooks": paused_webhook,
    "An e-mail has not arrived": waiting_email,
    "Checkpoints are not cosigned": witness_away,
    "No checkpoint is signed": no_storage,
    "The release that runs is not approved": nothing,
    "A page shows other than the log says": changed_read_model,
}


@pytest.fixture(scope="module")
def forks(shared_system: System) -> Iterator["subprocess.Popen[str]"]:
    """Load the code of manage.py's commands once."""
    environment = {**shared_system.stack.environment, "DJANGO_SUPERUSER_PASSWORD": "only-for-tests-0"}
    command = [sys.executable, "-c", FORKS]
    with subprocess.Popen(  # noqa: S603
        command, cwd=PROJECT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        yield process
        process.stdin.close()


@pytest.fixture
def reader(system: System, forks: "subprocess.Popen[str]", tmp_path: Path) -> Iterator[Reader]:
    """Read the page with a system that is sound before, and again afterwards if the test fails."""
    reader = Reader(system, tmp_path, forks, {"LOGIN": LOGIN, "FOLDER": "folder"})
    if not system.query("SELECT 1 FROM auth_user WHERE username = %s", [LOGIN]):
        reader.manage(f"createsuperuser --noinput --username {LOGIN} --email {LOGIN}@example.com")
    reader.forget_logs()
    usual = {name: dict(child.environment) for name, child in system.stack.children.items()}
    yield reader
    if reader.is_followed:
        return
    for name, child in system.stack.children.items():
        if child.environment != usual[name]:
            child.environment = usual[name]
            child.stop()
    system.stack.child("postgres").start()
    assert wait_until(
        lambda: "command not found" not in reader.shell('psql "$SUPERUSER_URL" -c "ALTER SYSTEM RESET ALL"')
    )
    reader.compose("compose up --detach")


def test_the_runbook_has_25_symptoms_or_more_and_each_is_brought_about() -> None:
    assert [row.symptom for row in ROWS] == list(SYMPTOMS)
    assert len(ROWS) >= 25


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.symptom)
def test_a_symptom_is_seen_by_the_check_of_the_page_and_ended_by_its_command(row: Row, reader: Reader) -> None:
    symptom: Callable[[Reader], AbstractContextManager[None]] = contextlib.contextmanager(SYMPTOMS[row.symptom])

    def says() -> str:
        return re.sub("|".join(map(re.escape, reader.values)), lambda name: reader.values[name[0]], row.says)

    def is_over() -> bool:
        answer = reader.do(row.check)
        reader.forget_logs()
        return says() not in answer

    with symptom(reader):
        assert wait_until(lambda: says() in reader.do(row.check)), reader.do(row.check)
        said = [reader.do(command) for command in row.commands]
        reader.forget_logs()
        assert wait_until(is_over), (said, reader.do(row.check))
    reader.is_followed = True
