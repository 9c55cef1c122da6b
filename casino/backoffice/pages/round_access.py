"""Who saw what of a round, and when: players by the stream, a seat that looked at its cards, and staff."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec
from django.contrib.auth.models import User
from django.utils.html import format_html

from baccarat.domain.rounds.state import RoundState
from baccarat.proofs.pack_access import PUBLIC_EVENTS
from baccarat.storage.models import Round
from casino.backoffice import html
from casino.backoffice.pages.cards import in_line
from casino.backoffice.pages.events import positions
from casino.backoffice.sections import Grid
from casino.events.store import RecordedEvent
from casino.operators.models import PlayerSession
from casino.operators.principals import session_id
from casino.operators.sessions import touch_interval
from casino.staff.models import AccessLogEntry

MOST_VIEWS: Final = 50
Row = tuple[datetime, object, object, object]


def who_saw(round_: Round, state: RoundState, events: Sequence[RecordedEvent], names: Mapping[UUID, str]) -> Grid:
    """List who saw what, in order of time; four queries."""
    rows: list[Row] = [*_published(events), *_looked(events, state, names)]
    rows += _sessions(round_, state, names)
    rows += _staff(round_)
    shown = [(html.moment(at, fine=True), who, what, where) for at, who, what, where in sorted(rows, key=_at)]
    headers = ("Time (UTC)", "Who", "Saw", "By")
    note = "A session's time is when it was opened; its last use is noted every half a minute at most."
    return Grid("Who saw what, and when", headers, shown, empty="Nobody yet.", note=note)


def _at(row: Row) -> datetime:
    return row[0]


def _published(events: Sequence[RecordedEvent]) -> Iterator[Row]:
    told = [event for event in events if event.type in PUBLIC_EVENTS]
    sealed = positions([event.id for event in told])
    for event in told:
        place = f"the stream, as #{sealed[event.id]}" if event.id in sealed else "nobody yet: it waits for its seal"
        yield event.recorded_at, "Everyone at the table", PUBLIC_EVENTS[event.type], place


def _looked(events: Sequence[RecordedEvent], state: RoundState, names: Mapping[UUID, str]) -> Iterator[Row]:
    players = {seat.seat: seat.player for seat in state.seats}
    cards = in_line([state.cards[0], state.cards[2]]) if len(state.cards) >= 4 else "two cards face down"
    for event in events:
        if event.type != "CardsLookedAt":
            continue
        seat = _field(event, "seat")
        yield event.recorded_at, _player(players.get(seat), names), cards, f"looking at them in seat {seat}"


def _sessions(round_: Round, state: RoundState, names: Mapping[UUID, str]) -> Iterator[Row]:
    players = [seat.player for seat in state.seats]
    during = PlayerSession.objects.filter(player_id__in=players, last_used_at__gte=round_.opened_at - touch_interval())
    if round_.ended_at is not None:
        during = during.filter(created_at__lte=round_.ended_at)
    for session in during.order_by("created_at"):
        name = session_id(bytes(session.token_hash)).removeprefix("session:")
        used = format_html("session {}, last used {}", html.code(name), html.moment(session.last_used_at))
        yield session.created_at, _player(session.player_id, names), "the table", used


def _staff(round_: Round) -> Iterator[Row]:
    views = list(AccessLogEntry.objects.filter(subject=f"round:{round_.pk}").order_by("-id")[:MOST_VIEWS])
    people = dict(User.objects.filter(pk__in={view.user_id for view in views}).values_list("pk", "username"))
    for view in views:
        yield view.at, f"Staff: {people.get(view.user_id, view.user_id)}", "this page", view.address or html.NOTHING


def _player(player: UUID | None, names: Mapping[UUID, str]) -> Any:
    return html.NOTHING if player is None else html.page("player", player, names.get(player, html.short(player)))


def _field(event: RecordedEvent, name: str) -> Any:
    return msgspec.json.decode(event.data)[name]
