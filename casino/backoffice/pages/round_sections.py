"""Sections of a round's page: cards with a replay, seats, proofs, and the access log."""

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec
from django.utils.html import format_html

from baccarat.audit.verdict import RoundCheck, RoundVerdict
from baccarat.domain.rounds.state import Phase, RoundSeat, RoundState, SeatStatus
from baccarat.domain.rules import deal
from baccarat.domain.rules.cards import Card, UnknownCard
from baccarat.domain.rules.deal import DealStep, IllegalDeal, describe_steps
from baccarat.domain.rules.payouts import SpotResult, StakeResult
from baccarat.domain.rules.spots import spot_title
from baccarat.proofs import house, verifier
from baccarat.proofs.export import export_round
from baccarat.proofs.pack_contents import PUBLIC_EVENTS
from baccarat.queries.narrative import NarrativeLine
from baccarat.storage.models import Round
from casino.backoffice import html
from casino.backoffice.game import cards_in_line, draw_hand, money_type_badge, write_stakes
from casino.backoffice.pages.events import positions, sealed_position
from casino.backoffice.sections import Banner, Grid, Section, TemplateSection
from casino.backoffice.subjects import player_link
from casino.events.store import RecordedEvent
from casino.kernel.errors import Refusal
from casino.kernel.money import format_amount
from casino.operators.models import PlayerSession
from casino.operators.principals import session_id
from casino.operators.sessions import touch_interval
from casino.staff.models import AccessLogEntry

MAX_ACCESSES: Final = 50
_TURNED: Final = 2
"""Cards of a hand that the Caller turns over at once."""
_PLACES: Final = {"first": 1, "second": 2, "third": 3}
_RESULTS: Final = {StakeResult.WIN: "won", StakeResult.LOSE: "lost", StakeResult.PUSH: "pushed"}
_SEAT_TONES: Final = {SeatStatus.CONFIRMED: "good", SeatStatus.DECIDING: "warn"}
_MARKS: Final = {True: ("good", "holds"), False: ("bad", "broken"), None: ("warn", "not yet")}
_EXPORT_CHECK: Final = "Exported round, checked by itself"


# -- cards and replay ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One step: its sentence, how many cards of each hand are on the table, and its event where another one begins."""

    text: str
    player: int
    banker: int
    event: object
    at: object
    sealed: object


def replay(state: RoundState, steps: Sequence[ReplayStep]) -> Sequence[Section]:
    """Show the dealt hands, and the round to step through: its events in sentences, with the rules that drew cards."""
    banners, dealt = [], None
    try:
        dealt = deal.replay([Card(card) for card in state.cards]) if state.cards else None
    except IllegalDeal as error:
        banners = [Banner("These cards are not what the rules would have dealt", str(error))]
    if dealt is None and not steps:
        return banners
    values: dict[str, object] = {"steps": steps}
    if dealt is not None:
        sides = [
            ("Player", "player", draw_hand(dealt.player), dealt.player_total),
            ("Banker", "banker", draw_hand(dealt.banker), dealt.banker_total),
        ]
        values |= {"sides": sides, "outcome": dealt.outcome.value, "natural": dealt.natural}
    return [*banners, TemplateSection("Replay", "admin/baccarat/replay.html", values)]


def replay_steps(check: RoundVerdict, state: RoundState, events: Sequence[RecordedEvent]) -> list[ReplayStep]:
    """Return a round step by step; nothing if its events can't be replayed."""
    return [] if check.replay is None else list(_steps(check.replay.lines, _drawn(state), events))


def _drawn(state: RoundState) -> tuple[DealStep, ...]:
    try:
        return describe_steps(deal.replay([Card(card) for card in state.cards])) if state.cards else ()
    except IllegalDeal:
        return ()


def _steps(
    lines: Sequence[NarrativeLine], deal_steps: Sequence[DealStep], events: Sequence[RecordedEvent]
) -> Iterator[ReplayStep]:
    drawn = iter(deal_steps)
    recorded = {event.version: event for event in events}
    sealed = positions([event.id for event in events])
    player = banker = 0
    for line in lines:
        text = line.text
        if line.event == "CardsDealt" and text.startswith("Cards from place"):
            text = f"{text.partition(':')[0]}."
        elif line.event == "CardsDealt":
            step = next(drawn, None)
            if step is not None and step.card is not None:
                player, banker = _on_table(text, player, banker)
        elif line.event == "HandTurned":
            player, banker = (_TURNED, banker) if "Player's" in text else (player, _TURNED)
        event = recorded.pop(line.version, None)  # its first sentence has it
        of_event: tuple[object, ...] = ("", "", "")
        if event is not None:
            of_event = (
                html.page("event", event.id, event.type),
                html.moment(event.recorded_at, fine=True),
                sealed_position(sealed.get(event.id)),
            )
        yield ReplayStep(text, player, banker, *of_event)


def _on_table(text: str, player: int, banker: int) -> tuple[int, int]:
    """Count one more card of the hand that the sentence begins with; the Caller may have turned it over before.

    Sentences of a deal that was tampered with name no card, and change nothing.
    """
    place = _PLACES.get(text.partition(" ")[2].partition(" ")[0])
    if place is None:
        return player, banker
    return (max(player, place), banker) if text.startswith("Player") else (player, max(banker, place))


# -- seats --------------------------------------------------------------------------------------------------------


def seats(state: RoundState, names: Mapping[UUID, str], currency: str) -> Grid:
    """Show each seat with its wager, result, commission and return."""
    headers = ("Seat", "Player", "Money", "Status", "Stakes", "Won", "Commission", "Returned", "Net")
    void = state.phase is Phase.VOIDED
    rows = [_seat(seat, names, currency, void=void) for seat in state.seats]
    note = "Void: stakes went back, and the results of these wagers were reversed, as the ledger shows." if void else ""
    return Grid("Seats", headers, rows, numeric=frozenset(headers[5:]), empty="Nobody is in this round.", note=note)


def _seat(seat: RoundSeat, names: Mapping[UUID, str], currency: str, *, void: bool) -> tuple[object, ...]:
    settled = seat.settlement
    first = (
        str(seat.seat) if seat.wager is None else html.page("wager", seat.wager, str(seat.seat)),
        player_link(seat.player, names),
        money_type_badge(seat.money_type),
        html.badge(seat.status.replace("_", " "), _SEAT_TONES.get(seat.status, "plain")),
    )
    if settled is None:
        stakes = write_stakes(seat.stakes or seat.placed_stakes(), currency)
        return (*first, stakes or html.NOTHING, *(html.NOTHING,) * 4)
    commission = html.money(settled.commission, currency)
    net = html.money(settled.returned - settled.staked, currency, signed=True)
    return (
        *first,
        ", ".join(_result(result, currency) for result in settled.results),
        html.money(settled.won, currency),
        html.with_note(commission, "set aside") if settled.deferred and settled.commission else commission,
        html.money(settled.returned, currency),
        html.badge("voided", "bad") if void else net,
    )


def _result(result: SpotResult, currency: str) -> str:
    stake = format_amount(result.stake, currency)
    return f"{stake} {currency} on {spot_title(result.spot)} {_RESULTS[result.result]}"


# -- proofs -------------------------------------------------------------------------------------------------------


def proofs(check: RoundVerdict) -> TemplateSection:
    """Show each check with its result, under a green or a red verdict."""
    pending = sum(each.holds is None for each in check.checks)
    lines = [(each.name, *_MARKS[each.holds], each.explanation) for each in check.checks]
    values = {"holds": check.holds, "open": pending, "lines": lines, "count": len(lines)}
    return TemplateSection("Proofs", "admin/baccarat/proofs.html", values)


def with_export(check: RoundVerdict, round_: Round) -> RoundVerdict:
    """Add the check of the exported round, which players and regulators can repeat independently."""
    return replace(check, checks=(*check.checks, _check_export(round_)))


_HOLDS: Final = {"verified": True, "uncosigned": True, "forced": True, "failed": False}
_DAMAGED: Final = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    OverflowError,
    struct.error,
    msgspec.MsgspecError,
)
"""Errors of an export from events that were tampered with."""


def _check_export(round_: Round) -> RoundCheck:
    try:
        document = export_round(round_=round_.pk, operator=round_.operator_id, viewer=None)
    except Refusal as refusal:
        return RoundCheck(_EXPORT_CHECK, holds=None, explanation=f"{refusal.detail}.")
    except _DAMAGED as error:
        return RoundCheck(_EXPORT_CHECK, holds=False, explanation=f"It can't be exported: {error}")
    result = house.verify(json.dumps(document).encode())
    holding = sum(check["verdict"] == verifier.OK for check in result["checks"])
    text = f"{holding} checks hold. {house.conclude(result)}".strip()
    return RoundCheck(_EXPORT_CHECK, holds=_HOLDS.get(result["verdict"]), explanation=text)


# -- access -------------------------------------------------------------------------------------------------------

_AccessRow = tuple[datetime, object, object, object]


def access(round_: Round, state: RoundState, events: Sequence[RecordedEvent], names: Mapping[UUID, str]) -> Grid:
    """List who viewed the round, in order of time: players by the stream, a seat that looked at its cards, staff."""
    entries: list[_AccessRow] = [*_published(events), *_looked(events, state, names)]
    entries += _sessions(round_, state, names)
    entries += _staff(round_)
    rows = [(html.moment(at, fine=True), *rest) for at, *rest in sorted(entries, key=lambda entry: entry[0])]
    headers = ("Time", "Who", "Saw", "By")
    note = "A session's time is when it was opened; its last use is recorded every half a minute at most."
    return Grid(
        "Disclosure: what each party saw, and when", headers, rows, empty="Nothing was disclosed yet.", note=note
    )


def _published(events: Sequence[RecordedEvent]) -> Iterator[_AccessRow]:
    public = [event for event in events if event.type in PUBLIC_EVENTS]
    sealed = positions([event.id for event in public])
    for event in public:
        place = f"the stream, as #{sealed[event.id]}" if event.id in sealed else "nobody yet: waiting for sealing"
        yield event.recorded_at, "Everyone at the table", PUBLIC_EVENTS[event.type], place


def _looked(events: Sequence[RecordedEvent], state: RoundState, names: Mapping[UUID, str]) -> Iterator[_AccessRow]:
    players = {seat.seat: seat.player for seat in state.seats}
    try:
        cards = cards_in_line([state.cards[0], state.cards[2]]) if len(state.cards) >= 4 else "two cards face down"
    except UnknownCard as error:
        cards = str(error)
    for event in events:
        if event.type == "CardsLookedAt":
            seat = msgspec.json.decode(event.data)["seat"]
            player = player_link(players[seat], names) if seat in players else html.NOTHING
            yield event.recorded_at, player, cards, f"looking at them in seat {seat}"


def _sessions(round_: Round, state: RoundState, names: Mapping[UUID, str]) -> Iterator[_AccessRow]:
    players = [seat.player for seat in state.seats]
    during = PlayerSession.objects.filter(player_id__in=players, last_used_at__gte=round_.opened_at - touch_interval())
    if round_.ended_at is not None:
        during = during.filter(created_at__lte=round_.ended_at)
    for session in during.order_by("created_at"):
        name = session_id(bytes(session.token_hash)).removeprefix("session:")
        used = format_html("session {}, last used {}", html.code(name), html.moment(session.last_used_at))
        yield session.created_at, player_link(session.player_id, names), "the table", used


def _staff(round_: Round) -> Iterator[_AccessRow]:
    for entry in AccessLogEntry.objects.filter(subject=f"round:{round_.pk}").order_by("-id")[:MAX_ACCESSES]:
        yield entry.at, f"Staff: staff:{entry.user_id}", "this page", entry.address
