"""`manage.py status`: what the house owes and whether it is late, on one screen, with the command that helps."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import Error, connection

from casino.checkpoints import audit_states, notes
from casino.events.sql import fetch
from casino.observability import health
from casino.observability.conditions import CONDITIONS
from casino.observability.health import Observations

REMEDIES: Final = {
    "database": CONDITIONS["database"].command,
    "migrations": "docker compose run --rm migrate",
    "schema": "manage.py audit",
    "clock": "chronyc tracking; manage.py integrity",
    "currencies": "compare CURRENCIES of all processes",
    "personal_keys": "compare PERSONAL_KEYS of all processes",
    "shoe_keys": "compare SHOE_KEYS of all processes",
    "last audit": CONDITIONS["audit"].command,
    "cosigned": CONDITIONS["witnesses"].command,
    "paused webhooks": "Webhooks in the admin; POST /api/v1/webhooks/<id>/resume",
    "stops": "manage.py resume, when what they were for is over",
    "significant events": CONDITIONS["significant_events"].command,
}
"""What helps, by the name of a line that is no condition."""
_WIDTH: Final = 24
_PAUSED: Final = "SELECT count(*) FROM feed_webhookendpoint WHERE status = 'paused'"
_STOPS: Final = "SELECT id, at FROM baccarat_killswitch WHERE active ORDER BY scope <> 'gaming', at"
_UNACKNOWLEDGED: Final = """
SELECT count(*) FILTER (WHERE event.severity = 'critical'), count(*) FROM significant_unacknowledged AS waiting
  JOIN significant_significantevent AS event ON event.id = waiting.event_id
"""


class StatusColour(StrEnum):
    """GREEN: nothing to do. AMBER: somebody should look. RED: the house does not do what it has to."""

    GREEN = "green"
    AMBER = "amber"
    RED = "red"


@dataclass(frozen=True, slots=True)
class StatusLine:
    """One thing that the house owes, and how it stands; of a condition why, too. `helps` is a command."""

    name: str
    colour: StatusColour
    text: str
    helps: str
    cause: str = ""


def collect() -> list[StatusLine]:
    """Return all lines, in the order in which a person should look at them."""
    ready = [_of_process(name, text) for name, text in health.readiness.results().items()]
    if any(line.colour is StatusColour.RED and line.name in {"database", "migrations"} for line in ready):
        return ready  # nothing else can be asked
    checks = [line for name, findings in health.house.results().items() for line in _of_check(name, findings)]
    questions = (_last_audit, _cosigned, _paused_webhooks, _stops, _significant_events)
    return [*ready, *checks, *(_ask(question) for question in questions)]


def _ask(question: Callable[[], tuple[StatusColour, str]]) -> StatusLine:
    name = question.__name__.strip("_").replace("_", " ")
    try:
        colour, text = question()
    except Error as error:
        connection.close()
        return StatusLine(name, StatusColour.RED, f"no answer: {error}", REMEDIES["database"])
    return StatusLine(name, colour, text, REMEDIES[name])


def _of_process(name: str, text: str) -> StatusLine:
    return StatusLine(name, StatusColour.GREEN if text == health.OK else StatusColour.RED, text, REMEDIES[name])


def _of_check(name: str, findings: Observations) -> list[StatusLine]:
    if not findings:
        return [StatusLine(name, StatusColour.GREEN, health.OK, "")]
    colours = {"critical": StatusColour.RED, "warning": StatusColour.AMBER}
    return [StatusLine(name, colours[each.severity], each.effect, each.command, each.cause) for each in findings]


def _last_audit() -> tuple[StatusColour, str]:
    last = audit_states.worst()
    if last is None:
        return StatusColour.GREEN, "none yet"
    colour = StatusColour.RED if last.findings else StatusColour.GREEN
    return colour, f"{last.ended_at:%Y-%m-%d %H:%M}, {last.verdict}"


def _cosigned() -> tuple[StatusColour, str]:
    if not settings.WITNESSES:
        return StatusColour.AMBER, "no witness is configured: nobody outside cosigns the log"
    return StatusColour.GREEN, str(notes.protection_window())


def _paused_webhooks() -> tuple[StatusColour, str]:
    ((paused,),) = fetch(_PAUSED)
    return _amber_if(paused), f"{paused} paused"


def _stops() -> tuple[StatusColour, str]:
    rows = fetch(_STOPS)
    if not rows:
        return StatusColour.GREEN, "nothing is stopped"
    (what, since), more = rows[0], len(rows) - 1
    text = f"{what.rstrip(':').replace(':', ' ')} is stopped since {since:%Y-%m-%d %H:%M} UTC"
    return StatusColour.AMBER, f"{text}, and {more} more" if more else text


def _significant_events() -> tuple[StatusColour, str]:
    ((critical, waiting),) = fetch(_UNACKNOWLEDGED)
    return _amber_if(critical), f"{waiting} wait for acknowledgement, {critical} of them critical"


def _amber_if(number: int) -> StatusColour:
    return StatusColour.AMBER if number else StatusColour.GREEN


class Command(BaseCommand):
    """Print the lines, and exit with 1 if one is red."""

    help = "Show what the house owes and whether it is late, with the command that helps. Exit 1 if anything is red."
    requires_system_checks = ()

    def handle(self, **_: Any) -> None:
        lines = collect()
        styles = dict(zip(StatusColour, (self.style.SUCCESS, self.style.WARNING, self.style.ERROR), strict=True))
        for line in lines:
            self.stdout.write(f"{styles[line.colour](f'{line.colour:<7}')}{line.name:<{_WIDTH}}{line.text}")
            if line.colour is not StatusColour.GREEN:
                for more in filter(None, (line.cause, f"> {line.helps}")):
                    self.stdout.write(f"{'':<{7 + _WIDTH}}{more}")
        if any(line.colour is StatusColour.RED for line in lines):
            sys.exit(1)
