"""Whichever process stops, somebody is told: real processes, a mail server, and a receiver of signals."""

import os
import signal
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from casino.alerts import alerting, checks, heartbeats
from casino.alerts.models import Channel
from casino.alerts.rules import EXPECTED
from casino.alerts.sending import SIGNAL_SECONDS
from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.services import process_environment
from casino.devstack.system import commands, free_port
from casino.events.sql import fetch
from casino.observability.conditions import CONDITIONS
from tests.casino.alerts.on_call_service import mail_server, on_call_list, target
from tests.casino.feed.receiving import receiver
from tests.conftest import Database
from tests.processes import wait_until

PATIENCE = 120.0
"""Seconds on a machine that does much else; it takes less than thirty on one that does not."""
_STEADY = "SELECT clock_timestamp() - steady_since >= %s FROM alerts_alertpass"


@contextmanager
def running(environment: dict[str, str], logs: Path) -> Generator[dict[str, Child]]:
    """Run a process of each kind, and a second one that alerts people."""
    lines = commands(port=free_port(0))
    lines["second"] = lines["worker-outbound"]
    children = {
        name: Child(
            name=name,
            command=line,
            environment=process_environment("worker-outbound" if name == "second" else name, environment),
            log=logs / f"{name}.log",
            folder=PROJECT,
        )
        for name, line in lines.items()
    }
    with ExitStack() as exits:
        for child in children.values():
            exits.callback(child.kill)
            child.start()
        yield children


def test_every_process_that_stops_is_told_and_the_one_that_tells_is_missed(database: Database, tmp_path: Path) -> None:
    with mail_server() as mails, receiver() as web:
        row = on_call_list()
        target(row, Channel.EMAIL, "ann@example.com")
        target(row, Channel.DEAD_MAN, f"{web.url}/signal")
        mail = {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(mails.port), "EMAIL_SECURITY": "none"}

        def told(text: str) -> bool:
            return any(subject.endswith(text) for subject in mails.subjects() if "Resolved" not in subject)

        def kinds() -> set[str]:
            return {process.kind for process in heartbeats.list_processes()}

        with running({**database.environment, **mail}, tmp_path) as children:
            assert wait_until(lambda: not checks.processes(), seconds=PATIENCE), kinds()
            assert wait_until(lambda: fetch(_STEADY, [alerting.STEADY])[0][0], seconds=PATIENCE)
            assert not any(told(CONDITIONS[name].effect) for name in EXPECTED.values())

            os.killpg(children["sealer"].pid, signal.SIGSTOP)
            os.killpg(children["worker-background"].pid, signal.SIGKILL)
            for name in ("web", "worker"):
                os.kill(children[name].pid, signal.SIGTERM)
            for name in ("sealer", "worker-background", "web", "worker"):
                effect = CONDITIONS[EXPECTED[name]].effect
                assert wait_until(lambda effect=effect: told(effect), seconds=PATIENCE), mails.subjects()
            assert not kinds() & {"web", "worker"}, "those that end in order leave no row"

            os.killpg(children["second"].pid, signal.SIGSTOP)
            wanted = "One worker-outbound fewer does the work"
            assert wait_until(lambda: told(wanted), seconds=PATIENCE), mails.subjects()

            number = len(web.messages)
            assert wait_until(lambda: len(web.messages) > number, seconds=PATIENCE)
            os.killpg(children["worker-outbound"].pid, signal.SIGSTOP)
            last, number = time.monotonic(), len(web.messages)
            while time.monotonic() - last < 2 * SIGNAL_SECONDS:
                if len(web.messages) > number:  # one that was on its way
                    last, number = time.monotonic(), len(web.messages)
                assert time.monotonic() < last + PATIENCE
                time.sleep(0.5)
            assert [each.name for each in checks.alerting()] == ["alerting"]
