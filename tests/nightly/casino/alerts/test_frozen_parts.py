"""Parts freeze: what is told, when, where its link leads, and when it is over.

A watch, Prometheus and Alertmanager run as they are shipped, each with a mailbox of its own.
"""

import os
import re
import signal
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from email.message import Message
from typing import Any
from uuid import uuid4

import httpx
import pytest

from casino.observability.process import ssl_context
from tests.casino.feed.receiving import Receiver, receiver
from tests.nightly.casino.alerts.servers import alerting, both_installed
from tests.processes import descendants, wait_until
from tests.support.instant import INSTANT
from tests.support.mail_server import MailServer, mail_server
from tests.support.whole_system import System, running_system

pytestmark = both_installed
PATIENCE = 180.0
"""Seconds on a machine that does much else; it takes less than sixty on one that does not."""
IN_TIME = 30.0
"""Seconds in which each process that stops must be told, by either way."""
LOGIN, PASSWORD = "oncall", "only-for-tests-0"
TOKEN = "scrape-" + "t" * 20
SIGNALS = {"/watch", "/alertmanager"}
CHIPS = {"spot": "tie", "amount": "10.00", "currency": "EUR"}
WAGER = {"stakes": [{"spot": "player", "amount": "10.00"}], "currency": "EUR"}


@dataclass(slots=True)
class Desk:
    """The person on call: mailboxes of both ways, a browser, and the pages of a running system."""

    system: System
    mails: MailServer
    by_prometheus: MailServer
    signals: Receiver
    began: float = 0.0
    seen: list[tuple[float, str]] = field(default_factory=list)

    def note(self, text: str) -> None:
        self.seen.append((time.monotonic() - self.began, text))

    def health(self) -> dict[str, Any]:
        answer = httpx.get(f"{self.system.stack.base_url}/healthz", timeout=30, verify=ssl_context())
        body = answer.json()
        assert (answer.status_code == 200) is (body["status"] == "healthy") is not body["problems"]
        return dict(body)

    def says(self, kind: str, condition: str) -> bool:
        """Return whether /healthz has this condition among its problems or warnings."""
        return any(each["condition"] == condition for each in self.health()[kind])

    def mail(self, effect: str) -> str | None:
        """Return the first message that tells of an effect, from there on."""
        for text in map(text_of, self.mails.mails):
            if found := re.search(f"^{effect}", text, re.MULTILINE):
                return text[found.start() :]
        return None

    def told(self, subject: str) -> str:
        """Wait for a message, and return it."""
        assert wait_until(lambda: self.mail(subject) is not None, seconds=PATIENCE), self.mails.subjects()
        self.note(f"told: {subject}")
        return self.mail(subject) or ""

    def wait(self, what: str, holds: Callable[[], bool]) -> None:
        assert wait_until(holds, seconds=PATIENCE), (what, self.health(), self.mails.subjects())
        self.note(what)

    def follow(self, text: str) -> str:
        """Open the link to the runbook as somebody who has to log in, and return the section that it leads to."""
        link = re.search(r"^Runbook +(\S+)$", text, re.MULTILINE)
        assert link is not None, text
        with httpx.Client(follow_redirects=True, timeout=30, verify=ssl_context()) as browser:
            login = browser.get(link[1])
            token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', login.text)
            assert token is not None, login.text
            form = {"username": LOGIN, "password": PASSWORD, "csrfmiddlewaretoken": token[1]}
            page = browser.post(str(login.url), data=form, headers={"Referer": str(login.url)})
        assert page.status_code == 200
        anchors = re.findall(r'<h3 id="([^"]+)"', page.text)
        (leads_to,) = {answer.headers["location"].partition("#")[2] for answer in page.history} - {""}
        assert leads_to in anchors
        return str(leads_to)

    def post(self, path: str, body: dict[str, Any], *, key: str = "") -> httpx.Response:
        headers = {"Authorization": f"Bearer {key or self.system.credential}", "Idempotency-Key": str(uuid4())}
        address = f"{self.system.stack.base_url}/api/v1{path}"
        return httpx.post(address, json=body, headers=headers, timeout=30, verify=ssl_context())

    def get(self, path: str, *, key: str) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {key}"}
        answer = httpx.get(f"{self.system.stack.base_url}/api/v1{path}", headers=headers, verify=ssl_context())
        return dict(answer.raise_for_status().json())

    def act(self, table: str, token: str, act: str, body: dict[str, Any]) -> None:
        """Sit down, place chips or wager as soon as the table takes it."""
        answers = []

        def taken() -> bool:
            answers.append(self.post(f"/tables/{table}/{act}", body, key=token))
            return answers[-1].is_success

        assert wait_until(taken), answers[-1].text

    def take_seat(self) -> tuple[str, str]:
        """Open a table whose cards follow from the witness's links, and seat a player; return both."""
        game = {"preset": "mini", "currency": "EUR", "money_types": ["play"], "rules": INSTANT}
        table = self.post("/tables", {"name": "Frozen", "accept_player_edge": True, **game}).json()["id"]
        player = self.post("/players", {"reference": "ann", "nickname": "Ann"}).json()["id"]
        credit = {"amount": "1000.00", "currency": "EUR", "money_type": "play"}
        self.post(f"/players/{player}/sandbox-credits", credit).raise_for_status()
        token = self.post(f"/players/{player}/sessions", {}).json()["token"]
        seat = {"seat": 1, "buy_in": "500.00", "currency": "EUR", "money_type": "play"}
        self.act(table, token, "seat", seat)  # as soon as the table has a chain of the witness

        def follows_from_links() -> bool:
            self.act(table, token, "deal", WAGER)
            terms = self.get(f"/tables/{table}", key=token)["terms"]
            return terms is not None and bool(terms["witnesses"])

        assert wait_until(follows_from_links, seconds=PATIENCE), self.get(f"/tables/{table}", key=token)
        self.act(table, token, "deal", WAGER)  # the round after has those terms
        self.act(table, token, "place", CHIPS)
        return table, token

    @contextmanager
    def frozen(self, name: str) -> Generator[None]:
        """Stop a process and those that it started, as a host does that hangs; thaw them at the end."""
        pid = self.system.stack.child(name).pid
        pids = [pid, *(each for each, _ in descendants(pid))]
        self.began, self.seen = time.monotonic(), []
        self.mails.mails.clear()
        self.by_prometheus.mails.clear()
        for each in pids:
            os.kill(each, signal.SIGSTOP)
        try:
            yield
        finally:
            for each in pids:
                os.kill(each, signal.SIGCONT)
            self.note("thawed")

    def over(self, subject: str, condition: str) -> None:
        """Check that the end is told once it is true, and not before."""
        assert self.mail(f"Resolved: {subject}") is None
        self.wait("healthy", lambda: not self.says("problems", condition) and not self.says("warnings", condition))
        self.told(f"Resolved: {subject}")
        print("", *(f"{at:6.1f} s  {text}" for at, text in self.seen), sep="\n")


def text_of(mail: Message) -> str:
    """Return the plain text of a message."""
    part = next(each for each in mail.walk() if each.get_content_type() == "text/plain")
    return str(part.get_payload(decode=True).decode()).replace("\r\n", "\n")  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Generator[Desk]:
    """Run a system that mails to the person on call, and wait until it is well and judges processes."""
    with mail_server() as mails, mail_server() as by_prometheus, receiver() as signals, ExitStack() as exits:
        settings = {
            "EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(mails.port), "EMAIL_SECURITY": "none", "METRICS_TOKEN": TOKEN,
            "ALERT_EMAILS": "ann@example.com", "DEAD_MAN_URL": f"{signals.url}/watch",
        }  # fmt: skip
        folder = tmp_path_factory.mktemp("frozen")
        with running_system(folder, name="frozen", table_witnesses=1, **settings) as system:
            system.stack.manage(
                "createsuperuser", "--noinput", "--username", LOGIN, "--email", f"{LOGIN}@example.com",
                extra={"DJANGO_SUPERUSER_PASSWORD": PASSWORD},
            )  # fmt: skip
            desk = Desk(system, mails, by_prometheus, signals)
            steady = "SELECT min(clock_timestamp() - steady_since) > interval '30 seconds' FROM alerts_heartbeat"
            assert wait_until(lambda: system.query(steady) == [(True,)], seconds=PATIENCE)
            assert wait_until(lambda: not desk.health()["problems"], seconds=PATIENCE), desk.health()
            servers = alerting(
                folder, system.stack.base_url, mail_port=by_prometheus.port, dead_man=f"{signals.url}/alertmanager",
                token=TOKEN, environment=system.stack.environment,
            )  # fmt: skip
            children = exits.enter_context(servers)
            system.stack.children.update(children)
            assert wait_until(lambda: {each.path for each in signals.messages} == SIGNALS, seconds=PATIENCE)
            yield desk


def test_a_frozen_witness_is_told_with_the_tables_that_stand_and_when_their_bets_are_voided(desk: Desk) -> None:
    table, token = desk.take_seat()
    subject = r"Tables that wait for witness witness.localhost since \d\d:\d\d UTC: 1; "
    with desk.frozen("witness"):
        desk.act(table, token, "deal", WAGER)
        where = [f"table:{table}"]  # each web finds it out by itself
        desk.wait("/healthz 503", lambda: [each.get("where") for each in desk.health()["problems"]] == [where])
        message = desk.told(subject + r"bets there are voided at \d\d:\d\d:\d\d UTC")
        assert "\nIt does not answer.\n" in message
        assert desk.follow(message) == "tables-without-a-witness"
        assert desk.mail("Round voided") is None, "the cause comes before what follows from it"
        desk.told("Round voided: 1 not acknowledged")
        assert desk.says("problems", "tables_without_witness"), "no bets are taken there still"
    desk.over(subject, "tables_without_witness")


def test_a_frozen_worker_is_told_by_what_waits(desk: Desk) -> None:
    subject = "No cards are dealt and no bets are settled"
    with desk.frozen("worker"):
        desk.wait("/healthz 503", lambda: desk.says("problems", "no_worker"))
        message = desk.told(subject)
        assert "\nNo worker runs.\n" in message
        assert desk.follow(message) == "processes"
    desk.over(subject, "no_worker")


def test_a_frozen_sealer_is_told_by_what_waits(desk: Desk) -> None:
    subject = "Live streams and feeds show nothing new"
    with desk.frozen("sealer"):
        desk.wait("/healthz 503", lambda: desk.says("problems", "no_sealer"))
        assert desk.follow(desk.told(subject)) == "processes"
    desk.over(subject, "no_sealer")


def test_frozen_redis_is_a_warning_and_play_goes_on(desk: Desk) -> None:
    subject = "Cards and balances come up to half a second late"
    with desk.frozen("redis"):
        desk.wait("/healthz warns", lambda: desk.says("warnings", "redis"))
        assert desk.health()["problems"] == []
        assert desk.follow(desk.told(subject)) == "redis"
    desk.over(subject, "redis")


STOPPED = {
    "web": "Nobody reaches the service|No web answers Prometheus",
    "worker": "No cards are dealt and no bets are settled",
    "worker-background": "Deposits, withdrawals and e-mails wait",
    "worker-outbound": "Operators get no feeds, webhooks and credits of their wallets",
    "sealer": "Live streams and feeds show nothing new",
    "redis": "Cards and balances come up to half a second late",
    "postgres": "No bet is taken and no card is dealt|Nobody reaches the service|No web answers Prometheus",
}
"""What is told of each process that stops, by either way."""


@pytest.mark.parametrize("name", STOPPED)
def test_each_process_that_stops_is_told_in_time_by_either_way(desk: Desk, name: str) -> None:
    boxes = {"watch": desk.mails, "Alertmanager": desk.by_prometheus}
    told: dict[str, float] = {}

    def look() -> bool:
        for way, box in boxes.items():
            if way not in told and any(
                re.search(f"^({STOPPED[name]})", text_of(mail), re.MULTILINE) for mail in box.mails
            ):
                told[way] = time.monotonic() - desk.began
                desk.note(f"told by {way}")
        return told.keys() == boxes.keys()

    with desk.frozen(name):
        assert wait_until(look, seconds=PATIENCE), (told, {way: box.subjects() for way, box in boxes.items()})
    print("", *(f"{at:6.1f} s  {text}" for at, text in desk.seen), sep="\n")
    assert max(told.values()) <= IN_TIME, told

    def over() -> bool:
        return all(
            any(re.search("^Resolved: ", text_of(mail), re.MULTILINE) for mail in box.mails) for box in boxes.values()
        )

    assert wait_until(over, seconds=PATIENCE), {way: box.subjects() for way, box in boxes.items()}


@pytest.mark.parametrize(
    ("name", "signal_"), [("watch", "/watch"), ("prometheus", "/alertmanager"), ("alertmanager", "/alertmanager")]
)
def test_whoever_tells_is_missed_by_the_dead_mans_receiver(desk: Desk, name: str, signal_: str) -> None:
    def signals() -> int:
        return sum(message.path == signal_ for message in desk.signals.messages)

    number = signals()
    assert wait_until(lambda: signals() > number, seconds=PATIENCE)
    with desk.frozen(name):
        last, number = time.monotonic(), signals()
        while time.monotonic() - last < 45:  # when the receiver raises its alarm
            if signals() > number:  # one that was on its way, or of an alert that has not ended yet
                last, number = time.monotonic(), signals()
            assert time.monotonic() < last + PATIENCE
            assert time.monotonic() - desk.began < 6 * 60, "it goes on"
            time.sleep(0.5)
