"""What can be wrong, as one table: what it means for play and money, why it is so, and the command that helps.

Each row has a section of that name in deploy/docs/runbook.md. Its texts take the values of what was found: `{late}` and
`{number}` are what is measured, the others tell one of a kind from another. /healthz, /metrics, the rules of Prometheus
and the e-mails of `manage.py watch` are made of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from string import Formatter
from typing import Final, NamedTuple
from uuid import UUID

from django.conf import settings


class Level(StrEnum):
    """How bad a condition is."""

    STOPS = "stops"
    """Bets, cards or money wait: /healthz answers 503."""
    URGENT = "urgent"
    """They do not, yet somebody should be woken."""
    WARNING = "warning"


class Condition(NamedTuple):
    """A row of the table: `effect` and `cause` are sentences, `command` is what to run or to open first."""

    level: Level
    section: str
    effect: str
    cause: str
    command: str

    @property
    def labels(self) -> frozenset[str]:
        """Return the values in its texts that tell one from another: labels of Prometheus."""
        texts = (self.effect, self.cause, self.command)
        return frozenset(name for text in texts for _, name, _, _ in Formatter().parse(text) if name) - MEASURED


MEASURED: Final = frozenset({"late", "number", "bets"})
"""Values that change while a condition lasts."""
STOPS, URGENT, WARNING = Level
CONDITIONS: Final[Mapping[str, Condition]] = {
    "database": Condition(
        STOPS, "Database",
        "No bet is taken and no card is dealt",
        "PostgreSQL does not answer",
        "docker compose logs postgres; docker compose up --detach",
    ),
    "disk": Condition(
        STOPS, "Disk",
        "Bets, cards and payments can't be stored",
        "PostgreSQL's disk has no room for another 16 MB",
        "df -h; manage.py purge",
    ),
    "dealing": Condition(
        STOPS, "Dealing",
        "Cards and payouts have waited for {late}",
        "A round is overdue, and no worker deals it",
        "docker compose restart worker",
    ),
    "tables_without_witness": Condition(
        STOPS, "Tables without a witness",
        "Tables that wait for witness {witness} since {since}: {number}; {bets}",
        "{why}",
        "docker compose logs --since 10m worker; then call who runs {witness}",
    ),
    "sealing": Condition(
        STOPS, "Sealing",
        "Live streams and feeds have shown nothing new for {late}",
        "Events wait for their seal",
        "docker compose restart sealer",
    ),
    "payments": Condition(
        STOPS, "Payments",
        "Deposits and withdrawals have waited for {late}",
        "A payment is due, and nobody takes its next step",
        "docker compose restart worker-background",
    ),
    "no_web": Condition(
        STOPS, "Processes",
        "Nobody reaches the service",
        "No web runs, or none answers",
        "docker compose restart web",
    ),
    "no_worker": Condition(
        STOPS, "Processes",
        "No cards are dealt and no bets are settled",
        "No worker runs",
        "docker compose restart worker",
    ),
    "no_worker_background": Condition(
        STOPS, "Processes",
        "Deposits, withdrawals and e-mails wait",
        "No worker-background runs",
        "docker compose restart worker-background",
    ),
    "no_worker_outbound": Condition(
        STOPS, "Processes",
        "Operators get no feeds, webhooks and credits of their wallets",
        "No worker-outbound runs",
        "docker compose restart worker-outbound",
    ),
    "no_sealer": Condition(
        STOPS, "Processes",
        "Live streams and feeds show nothing new",
        "No sealer runs",
        "docker compose restart sealer",
    ),
    "slow": Condition(
        URGENT, "Slow database",
        "{section} can't be checked",
        "PostgreSQL did not answer within a second: it is overloaded, or somebody holds a lock",
        'psql "$SUPERUSER_URL" -c "SELECT pid, usename, state, left(query, 80) FROM pg_stat_activity'
        " WHERE state <> 'idle' ORDER BY query_start\"",
    ),
    "jobs": Condition(
        URGENT, "Jobs",
        "Payments, e-mails and reports have waited for {late}",
        "A periodic job is due, and nobody runs any",
        "docker compose restart worker-background",
    ),
    "checkpoints": Condition(
        URGENT, "Checkpoints",
        "What happened in the last {late} is in no signed checkpoint",
        "None has been signed for too long",
        "manage.py checkpoint",
    ),
    "witnesses": Condition(
        URGENT, "Witnesses",
        "What happened in the last {late} could be changed unnoticed",
        "{quorum} of {all} witnesses have to cosign the log, and have not",
        "manage.py checkpoint; docker compose logs worker-background",
    ),
    "audit": Condition(
        URGENT, "Audit",
        "The books have not been checked for {late}",
        "No nightly audit has come to its end",
        "docker compose exec worker-background python manage.py audit --nightly",
    ),
    "overdue_cases": Condition(
        URGENT, "Overdue cases",
        "Cases past the deadline ({kind}): {number}",
        "Nobody resolved them, or set another deadline",
        "Cases in the admin, filter Overdue",
    ),
    "witness_away": Condition(
        WARNING, "A witness is away",
        "No table waits for it, but witness {witness} has been away since {since}",
        "It does not answer",
        "docker compose logs --since 10m worker-background; then call who runs {witness}",
    ),
    "redis": Condition(
        WARNING, "Redis",
        "Cards and balances come up to half a second late",
        "Redis does not answer",
        "docker compose restart redis",
    ),
    "process_died": Condition(
        WARNING, "Processes",
        "One {process} fewer does the work",
        "Process {pid} on {host} has died or hangs",
        "on {host}: docker compose restart {process}",
    ),
    "feed": Condition(
        WARNING, "Feeds",
        "Operators' feeds and webhooks are {late} behind",
        "No worker-outbound writes them in time",
        "docker compose restart worker-outbound",
    ),
    "mail": Condition(
        WARNING, "E-mails",
        "An e-mail has waited for {late}",
        "The mail server does not answer, or refuses it",
        "docker compose logs worker-background; compare EMAIL_HOST with the mail server",
    ),
    "report_deliveries": Condition(
        WARNING, "Report deliveries",
        "A saved report has not reached its receiver for {late}",
        "The receiver does not answer, or refuses it",
        "Saved reports in the admin",
    ),
    "webhooks_failing": Condition(
        WARNING, "Webhooks",
        "An operator's webhooks have got nothing for ten minutes: {number}",
        "Their receivers do not answer, or refuse what is sent",
        "Webhooks in the admin",
    ),
    "open_discrepancies": Condition(
        WARNING, "Differences",
        "Differences from a provider's records: {number}; money is missing on one side, or a report was lost",
        "Nobody has explained them for {hours} h",
        "Discrepancies in the admin, filter Open or assigned",
    ),
    "significant_events": Condition(
        WARNING, "Significant events",
        "{title}: {number} not acknowledged",
        "It was recorded, and waits for a person",
        "Significant events in the admin",
    ),
    "open_cases": Condition(
        WARNING, "Cases",
        "Cases without an owner ({kind}): {number}",
        "Nobody has taken them over",
        "Cases in the admin",
    ),
}  # fmt: skip
"""Conditions by name, the worst first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A condition that holds now. `part` tells it from others of its name for as long as it lasts.

    `number` counts what it consists of, or the seconds of what is `late`. `where` names tables and the like as
    significant events name their subjects.
    """

    name: str
    values: Mapping[str, object] = field(default_factory=dict)
    part: str = ""
    number: int = 1
    operator: UUID | None = None
    where: Sequence[str] = ()
    level: Level | None = None
    own_severity: str = ""

    @property
    def condition(self) -> Condition:
        return CONDITIONS[self.name]

    @property
    def key(self) -> str:
        return f"{self.name}:{self.part}" if self.part else self.name

    @property
    def stops(self) -> bool:
        """Return whether bets, cards or money wait."""
        return (self.level or self.condition.level) is Level.STOPS

    @property
    def severity(self) -> str:
        return self.own_severity or ("warning" if self.condition.level is Level.WARNING else "critical")

    @property
    def effect(self) -> str:
        return self._say(self.condition.effect)

    @property
    def cause(self) -> str:
        return self._say(self.condition.cause)

    @property
    def command(self) -> str:
        return self._say(self.condition.command)

    def _say(self, text: str) -> str:
        return text.format_map({"late": duration(self.number), "number": self.number, **self.values})

    def described(self) -> dict[str, object]:
        """Return what /healthz says of it."""
        texts = {"condition": self.name, "effect": self.effect, "cause": self.cause, "command": self.command}
        about: dict[str, object] = {"id": self.key, "severity": str(self.severity), "runbook": runbook_path(self.name)}
        if "{number}" in self.condition.effect:
            about["number"] = self.number
        return texts | about | ({"where": list(self.where)} if self.where else {})


def runbook_path(name: str) -> str:
    """Return the path in the admin that leads to a condition's section: a fragment would be lost at a login."""
    return f"{settings.FORCE_SCRIPT_NAME or ''}/admin/runbook/{name}/"


def anchor(name: str) -> str:
    """Return the anchor of a condition's section of the runbook, or of the section that is called so."""
    return CONDITIONS[name].section.lower().replace(" ", "-") if name in CONDITIONS else name


def duration(seconds: float) -> str:
    """Write a time as people say it."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.0f} h"
