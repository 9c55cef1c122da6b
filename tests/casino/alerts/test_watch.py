"""An e-mail for each change of health, once it is sure, and the dead man's signal while e-mails are taken."""

import json
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings

from casino.alerts import watch
from casino.alerts.watch import SETTLE_SECONDS, SIGNAL_SECONDS, HealthChange, Watch
from casino.observability.conditions import Observation
from tests.casino.feed.receiving import Receiver, receiver
from tests.support.mail_server import MailServer, mail_server
from tests.threads import serving

JOBS = Observation(name="jobs", number=180).described()
SEALER = Observation(name="no_sealer").described()
DATABASE = Observation(name="database").described()


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> Generator[MailServer]:
    """Serve mail where the settings send it."""
    with mail_server() as server:
        monkeypatch.setattr(settings, "EMAIL_BACKEND", "django.core.mail.backends.smtp.EmailBackend")
        monkeypatch.setattr(settings, "ALERT_EMAILS", ["ann@example.com", "bert@example.com"])
        monkeypatch.setattr(settings, "CSRF_TRUSTED_ORIGINS", ["https://casino.example"])
        for name, value in {"HOST": "127.0.0.1", "PORT": server.port, "USE_TLS": False, "HOST_USER": ""}.items():
            monkeypatch.setattr(settings, f"EMAIL_{name}", value)
        yield server


class Looks:
    """A watch that is told of each change."""

    def __init__(self) -> None:
        self.watch, self.now = Watch(), 0.0

    def look(self, *found: dict[str, Any], after: float = 2.0) -> HealthChange:
        self.now += after
        change = self.watch.look({each["id"]: each for each in found}, self.now)
        self.watch.know(change, self.now)
        return change


def test_what_is_wrong_in_two_looks_is_told_once() -> None:
    looks = Looks()
    assert [bool(looks.look(JOBS)) for _ in range(4)] == [False, True, False, False]


def test_what_is_wrong_for_a_moment_is_not_told() -> None:
    looks = Looks()
    assert not any(looks.look(*found) for found in ([JOBS], [], [JOBS], []))


def test_it_is_over_after_it_was_right_for_a_while_and_what_comes_back_sooner_was_never_gone() -> None:
    looks = Looks()
    looks.look(JOBS)
    looks.look(JOBS)
    assert not looks.look(after=SETTLE_SECONDS - 1)
    assert not looks.look(JOBS)
    assert not looks.look(after=SETTLE_SECONDS - 1)
    assert looks.look(after=1).over == {"jobs": JOBS}
    assert not looks.look(after=100)


@pytest.mark.parametrize("blind", [DATABASE, Observation(name="no_web").described()])
def test_while_nothing_can_be_asked_nothing_is_over(blind: dict[str, Any]) -> None:
    looks = Looks()
    looks.look(SEALER)
    looks.look(SEALER)
    assert not looks.look(blind, after=100)
    assert looks.look(blind, after=100) == HealthChange({blind["id"]: blind}, {})
    assert looks.look(after=SETTLE_SECONDS).over.keys() == {blind["id"], "no_sealer"}


def test_a_number_is_told_anew_when_it_has_doubled() -> None:
    def waiting(number: int) -> dict[str, Any]:
        return Observation(name="significant_events", values={"title": "Clock"}, number=number).described()

    looks = Looks()
    told = [bool(looks.look(waiting(number))) for number in (1, 1, 2, 3, 4, 7, 8)]
    assert told == [False, True, True, False, True, False, True]
    assert not looks.look(JOBS | {"effect": "Later"}, waiting(8))


def test_a_mail_has_the_effect_the_cause_the_command_and_where_to_read_on(mails: MailServer) -> None:
    change = HealthChange({"no_sealer": SEALER}, {"jobs": JOBS})
    assert watch.tell(change, {"no_sealer": SEALER, "database": DATABASE})
    (mail,) = mails.mails
    assert (mail["To"], mail["Subject"]) == (
        "ann@example.com, bert@example.com", "[casino.localhost] Live streams and feeds show nothing new"
    )  # fmt: skip
    assert str(mail.get_payload(decode=True).decode()).replace("\r\n", "\n").strip().splitlines() == [  # type: ignore[union-attr]
        "Live streams and feeds show nothing new.",
        "No sealer runs.",
        "",
        "Do        docker compose restart sealer",
        "Runbook   https://casino.example/admin/runbook/no_sealer/",
        "",
        "Resolved: Payments, e-mails and reports have waited for 3 min.",
        "",
        "Still: No bet is taken and no card is dealt.",
    ]
    assert watch.message(HealthChange({}, {"jobs": JOBS}), {}) == (
        "[casino.localhost] Resolved: Payments, e-mails and reports have waited for 3 min",
        "Resolved: Payments, e-mails and reports have waited for 3 min.\n\nAll is well.\n",
    )


def test_one_mail_tells_of_all_that_changed() -> None:
    found = {each["id"]: each for each in (SEALER, JOBS, DATABASE)}
    subject, _ = watch.message(HealthChange(found, {}), found)
    assert subject == "[casino.localhost] Live streams and feeds show nothing new, and 2 more"


class Clock:
    """The end of a watch after so many looks."""

    def __init__(self, looks: int) -> None:
        self.left = looks

    def wait(self, _seconds: float) -> None:
        self.left -= 1

    def is_set(self) -> bool:
        return self.left < 0


def run(monkeypatch: pytest.MonkeyPatch, looks: int, *found: dict[str, Any]) -> None:
    """Look so many times, with a second between two."""
    times = iter(range(10_000))
    monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: float(next(times))))
    monkeypatch.setattr(watch, "ask", lambda _url: {each["id"]: each for each in found})
    stop: Any = Clock(looks)
    watch.run("http://127.0.0.1:9/healthz", stop)


@pytest.fixture
def dead_man(monkeypatch: pytest.MonkeyPatch) -> Generator[Receiver]:
    with receiver() as web:
        monkeypatch.setattr(settings, "DEAD_MAN_URL", f"{web.url}/signal")
        yield web


def test_the_signal_comes_while_somebody_watches(monkeypatch: pytest.MonkeyPatch, dead_man: Receiver) -> None:
    run(monkeypatch, int(3 * SIGNAL_SECONDS))
    assert [message.path for message in dead_man.messages] == ["/signal"] * 3


def test_what_the_mail_server_does_not_take_is_told_later_and_the_signal_stops_until_then(
    monkeypatch: pytest.MonkeyPatch, mails: MailServer, dead_man: Receiver
) -> None:
    mails.refuses = 40
    run(monkeypatch, 42, SEALER)
    assert (len(mails.mails), mails.refuses, len(dead_man.messages)) == (1, 0, 2)
    assert mails.subjects() == ["[casino.localhost] Live streams and feeds show nothing new"]


def test_a_service_that_does_not_answer_is_wrong() -> None:
    assert {each["condition"] for each in watch.ask("http://127.0.0.1:9/healthz").values()} == {"no_web"}


def test_it_asks_with_the_token_by_the_name_of_the_service_and_leaves_notices_to_the_admin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(settings, "METRICS_TOKEN", "figures")
    monkeypatch.setattr(settings, "ALLOWED_HOSTS", [".casino.example", "web"])
    notice = Observation(name="significant_events", own_severity="notice", values={"title": "x"}).described()
    asked: list[tuple[str | None, ...]] = []

    class Service(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, self.headers["Host"], self.headers["Authorization"]))
            self.send_response(503)
            self.end_headers()
            self.wfile.write(json.dumps({"problems": [SEALER], "warnings": [JOBS, notice]}).encode())

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Service)) as server:
        assert watch.ask(f"http://127.0.0.1:{server.server_port}/healthz").keys() == {"no_sealer", "jobs"}
    assert asked == [("/healthz", "casino.example", "Bearer figures")]
