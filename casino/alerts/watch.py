"""Watches the service from outside: an e-mail for each change of health, and a dead man's signal while it can tell.

It asks /healthz every two seconds and uses neither PostgreSQL nor Redis, so it tells of their end, too. What it has
told is kept in memory: after a restart it tells what is wrong then. A change is told once an e-mail is taken.
"""

import http.client
import json
import logging
import smtplib
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
from django.conf import settings
from django.core.mail import EmailMessage, get_connection

from casino.alerts import heartbeats
from casino.observability import loop
from casino.observability.conditions import Observation
from casino.observability.process import ssl_context

logger = logging.getLogger(__name__)

LOOK_SECONDS: Final = 2.0
TIMEOUT: Final = 4.0
"""Seconds that /healthz may take."""
LOOKS: Final = 2
"""How often in a row something must have been wrong to be told."""
SETTLE_SECONDS: Final = 20.0
"""How long it must have been right to be over: what comes back sooner was never gone."""
SIGNAL_SECONDS: Final = 15.0
"""Seconds between two dead man's signals."""
BLIND: Final = frozenset({"no_web", "database", "slow"})
"""Where one of these holds, nobody knows whether the others are over."""
SEVERITIES: Final = ("warning", "critical")
"""Severities of what people are told of; notices wait in the admin."""
Conditions = Mapping[str, Mapping[str, Any]]
"""What /healthz says is wrong, by its id."""


@dataclass(slots=True)
class Notified:
    """Something that people know of: as it was told, and when it was last seen."""

    what: Mapping[str, Any]
    seen_at: float


@dataclass(frozen=True, slots=True)
class HealthChange:
    """What is new and what is over since people were told last."""

    new: Conditions
    over: Conditions

    def __bool__(self) -> bool:
        return bool(self.new or self.over)


@dataclass(slots=True)
class Watch:
    """What is wrong, and what of it people know. Pure: `now` is in seconds."""

    told: dict[str, Notified] = field(default_factory=dict)
    looks: dict[str, int] = field(default_factory=dict)
    found: Conditions = field(default_factory=dict)

    def look(self, found: Conditions, now: float) -> HealthChange:
        """Return what has changed: what was wrong in two looks, twice as much as was told, or right for a while."""
        self.found, self.looks = found, {key: self.looks.get(key, 0) + 1 for key in found}
        blind = any(what["condition"] in BLIND for what in found.values())
        for key, known in self.told.items():
            if key in found or blind:
                known.seen_at = now
        over = {key: known.what for key, known in self.told.items() if now - known.seen_at >= SETTLE_SECONDS}
        return HealthChange({key: what for key, what in found.items() if self._is_new(key, what)}, over)

    def _is_new(self, key: str, what: Mapping[str, Any]) -> bool:
        known = self.told.get(key)
        if known is None:
            return self.looks[key] >= LOOKS
        return "number" in what and what["number"] >= 2 * known.what["number"]

    def know(self, change: HealthChange, now: float) -> None:
        """Remember that a change was told."""
        self.told.update({key: Notified(what, now) for key, what in change.new.items()})
        for key in change.over:
            del self.told[key]


def run(url: str, stop: threading.Event) -> None:
    """Watch until stopped."""
    watch, signalled_at = Watch(), float("-inf")

    def step() -> float:
        nonlocal signalled_at
        heartbeats.touch()
        now = time.monotonic()
        change = watch.look(ask(url), now)
        if change and not tell(change, watch.found):
            return LOOK_SECONDS  # the dead man's signal stops with the e-mails
        watch.know(change, now)
        if now - signalled_at >= SIGNAL_SECONDS:
            send_signal()
            signalled_at = now
        return LOOK_SECONDS

    stop.wait(LOOK_SECONDS)
    loop.run(step, stop, work="the watch")


def ask(url: str) -> Conditions:
    """Return what /healthz says is wrong; that it does not answer is wrong, too."""
    parts = urlsplit(url)
    host = settings.ALLOWED_HOSTS[0].lstrip(".") if settings.ALLOWED_HOSTS else "localhost"
    headers = {"Host": host, "Authorization": f"Bearer {settings.METRICS_TOKEN}"}
    connection = http.client.HTTPConnection(parts.hostname or "127.0.0.1", parts.port or 80, timeout=TIMEOUT)
    try:
        connection.request("GET", parts.path or "/", headers=headers)
        answer = connection.getresponse()
        said = json.loads(answer.read())
        wrong = (each for kind in ("problems", "warnings") for each in said[kind])
        return {each["id"]: each for each in wrong if each["severity"] in SEVERITIES}
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
        logger.warning("%s does not answer: %s", url, error)
        return {"no_web": Observation(name="no_web").described()}
    finally:
        connection.close()


def tell(change: HealthChange, found: Conditions) -> bool:
    """Send an e-mail about a change; False if the mail server does not take it."""
    subject, text = message(change, found)
    logger.error("ALERT %s", subject)
    if not settings.ALERT_EMAILS:
        return True
    headers = {"Auto-Submitted": "auto-generated", "X-Priority": "1"}
    try:
        EmailMessage(subject, text, to=settings.ALERT_EMAILS, headers=headers, connection=get_connection()).send()
    except (OSError, smtplib.SMTPException) as error:
        logger.critical("ALERT the e-mail about it could not be sent: %s", error)
        return False
    return True


def message(change: HealthChange, found: Conditions) -> tuple[str, str]:
    """Return the subject and the text of an e-mail."""
    told = change.new or change.over
    first, more = next(iter(told.values()))["effect"], len(told) - 1
    words = f"{first}{f', and {more} more' if more else ''}"
    subject = words if change.new else f"Resolved: {words}"
    lines = [part for what in change.new.values() for part in _described(what)]
    lines += [f"Resolved: {what['effect']}." for what in change.over.values()]
    rest = [what for key, what in found.items() if key not in change.new]
    lines += ["", *(f"Still: {what['effect']}." for what in rest)] if rest else []
    lines += [] if found else ["", "All is well."]
    return f"[{_source()}] {subject}", "\n".join(lines).strip() + "\n"


def send_signal() -> None:
    """Tell the dead man's receiver that somebody watches."""
    if not settings.DEAD_MAN_URL:
        return
    try:
        httpx.post(settings.DEAD_MAN_URL, timeout=TIMEOUT, verify=ssl_context()).raise_for_status()
    except httpx.HTTPError as error:
        logger.warning("The dead man's signal did not arrive: %s", error)


def _described(what: Mapping[str, Any]) -> list[str]:
    facts = [f"Do        {what['command']}", f"Runbook   {_origin()}{what['runbook']}"]
    where = [f"Where     {', '.join(what['where'])}"] if "where" in what else []
    return [f"{what['effect']}.", f"{what['cause']}.", "", *facts, *where, ""]


def _source() -> str:
    return str(settings.LOG_ORIGIN).partition("/")[0] or "casino"


def _origin() -> str:
    """Return where people open this service: the first trusted origin, or the first name that it answers to."""
    trusted = next(iter(settings.CSRF_TRUSTED_ORIGINS), "")
    return trusted or f"https://{settings.ALLOWED_HOSTS[0].lstrip('.')}"
