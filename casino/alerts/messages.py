"""What targets are sent about an alert: an e-mail, or the body of a request in the receiver's own format."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from casino.alerts.models import Channel, Stage

_ACTIONS: Final = {Stage.OPENED: "trigger", Stage.ACKNOWLEDGED: "acknowledge", Stage.RESOLVED: "resolve"}
_PAGER_SEVERITIES: Final = {"critical": "critical", "warning": "warning", "notice": "info", "info": "info"}
_MARKS: Final = {"critical": "\N{LARGE RED CIRCLE}", "warning": "\N{LARGE YELLOW CIRCLE}"}
_GOOD: Final = "\N{LARGE GREEN CIRCLE}"
_PLAIN: Final = "\N{MEDIUM WHITE CIRCLE}"


@dataclass(frozen=True, slots=True)
class AlertNews:
    """A message to write. `page` and `runbook` are addresses in the admin: of the alert, and of what to do."""

    alert: int
    stage: Stage
    page: str
    runbook: str
    source: str
    kind: str
    severity: str
    summary: str
    cause: str
    command: str
    number: int
    opened_at: datetime
    acknowledged_by: str

    @property
    def headline(self) -> str:
        """Return one line: the effect, and what became of it."""
        if self.stage is Stage.RESOLVED:
            return f"Resolved: {self.summary}"
        if self.stage is Stage.ACKNOWLEDGED:
            return f"Acknowledged by {self.acknowledged_by}: {self.summary}"
        return self.summary

    @property
    def key(self) -> str:
        """Return what receivers fold messages by: the same for all of one alert."""
        return f"casino-{self.source}-{self.alert}"


def email(news: AlertNews) -> tuple[str, str]:
    """Return the subject and the text of an e-mail."""
    lines = [f"{news.headline}.", f"{news.cause}.", ""]
    if news.stage is Stage.OPENED:
        lines += [f"Do        {news.command}", f"Runbook   {news.runbook}"]
    lines += [f"Alert     {news.page}", f"Opened    {_time(news.opened_at)}", f"Severity  {news.severity}"]
    if news.stage is Stage.OPENED:
        lines += ["", "Acknowledge the alert on its page, or the next in line is told."]
    return f"[{news.source}] {news.headline}", "\n".join(lines) + "\n"


def body(channel: Channel, news: AlertNews, *, secret: str, now: datetime) -> Mapping[str, Any]:
    """Return the body of a request: of a chat's incoming webhook, a pager's event, or our own webhook."""
    if channel is Channel.CHAT:
        return {"text": _chat_text(news)}
    if channel is Channel.PAGER:
        return _pager_event(news, routing_key=secret)
    return {
        "type": f"alert.{news.stage.value}",
        "timestamp": now.astimezone(UTC).isoformat(),
        "data": {
            "alert": news.key,
            "kind": news.kind,
            "severity": news.severity,
            "summary": news.summary,
            "cause": news.cause,
            "command": news.command,
            "number": news.number,
            "opened_at": news.opened_at.astimezone(UTC).isoformat(),
            "acknowledged_by": news.acknowledged_by,
            "page": news.page,
            "runbook": news.runbook,
            "source": news.source,
        },
    }


def _chat_text(news: AlertNews) -> str:
    mark = _GOOD if news.stage is Stage.RESOLVED else _MARKS.get(news.severity, _PLAIN)
    if news.stage is not Stage.OPENED:
        return "\n".join((f"{mark} {_plain(news.headline)}", news.page))
    lines = (f"{mark} {_plain(news.headline)}", _plain(f"{news.cause}."), f"`{_plain(news.command)}`")
    return "\n".join((*lines, f"Runbook: {news.runbook}", f"Alert: {news.page}"))


def _plain(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _pager_event(news: AlertNews, *, routing_key: str) -> dict[str, Any]:
    """Return an event as version 2 of PagerDuty's API has it, which other pagers read, too."""
    return {
        "routing_key": routing_key,
        "event_action": _ACTIONS[news.stage],
        "dedup_key": news.key,
        "payload": {
            "summary": news.summary[:1024],
            "source": news.source,
            "severity": _PAGER_SEVERITIES[news.severity],
            "timestamp": news.opened_at.astimezone(UTC).isoformat(),
            "class": news.kind,
            "custom_details": {"cause": news.cause, "command": news.command, "number": news.number},
        },
        "links": [{"href": news.runbook, "text": "Runbook"}, {"href": news.page, "text": "Alert"}],
    }


def _time(when: datetime) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
