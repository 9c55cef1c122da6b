"""Replays one round from its stream and its table's, and reports where the record contradicts the events."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from baccarat.audit.findings import FindingCollector
from baccarat.audit.shoe_commitments import OTHER_SHOE
from baccarat.audit.shoes import check_seed, check_shoe, parse_seed
from baccarat.audit.steps import ROUND_STEPS
from baccarat.audit.traces import LongShoe, RoundSeatTrace, RoundTrace, SeatTrace, TableTrace
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.commitment import ShoeCommitment
from baccarat.domain.rounds.events import RoundOpened, WagerConfirmed
from baccarat.domain.rounds.void_events import RoundVoided, SeatVoided
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables import events as te
from baccarat.domain.tables.events import TableOpened
from baccarat.domain.tables.rules_events import RulesTookEffect
from baccarat.queries.narrative import NarrativeLine, narrate
from baccarat.storage.event_registry import CATALOGUE
from casino.crypto import crypto_shredding
from casino.events.sql import fetch
from casino.events.store import RecordedEvent, read
from casino.kernel.findings import Finding

_BEFORE: Final = """
SELECT type, schema, data::text FROM events_event WHERE version = 1
   AND stream = (SELECT 'round-' || id FROM baccarat_round WHERE table_id = %s AND number = %s)
"""


@dataclass(frozen=True, slots=True)
class ShoeAnnouncement:
    """A shoe as committed to by the opening before its round, and the time."""

    shoe: ShoeCommitment
    at: datetime


def find_announcement(round_: RoundOpened, table: TableOpened) -> ShoeAnnouncement | None:
    """Return the commitment to a round's own shoe; None if there is none."""
    if round_.commitment is None:
        return None
    opening: RoundOpened | TableOpened | None = table
    if round_.number > 1:
        rows = fetch(_BEFORE, [round_.table, round_.number - 1])
        opening = CATALOGUE.decode(*rows[0]) if rows else None
    if opening is None or opening.next_shoe is None:
        return None
    return ShoeAnnouncement(opening.next_shoe, opening.opened_at)


def check_announcement(round_: RoundOpened, named: ShoeAnnouncement | None, notes: FindingCollector) -> None:
    """Record a difference if the round's shoe is not the one that was committed to."""
    found = f"{round_.shoe} {round_.commitment}"
    if named is None:
        if round_.commitment is not None:
            notes.add(OTHER_SHOE, f"round {round_.round}", "a shoe named before", found)
    elif (named.shoe.shoe, named.shoe.commitment) != (round_.shoe, round_.commitment):
        notes.add(OTHER_SHOE, f"round {round_.round}", f"{named.shoe.shoe} {named.shoe.commitment}", found)


def narrate_announcement(named: ShoeAnnouncement, events: Iterable[object]) -> NarrativeLine:
    """Describe when a round's shoe was committed to, and how long before the first of its wagers."""
    at = f"{named.at:%Y-%m-%d %H:%M:%S.%f}"[:-3] + " UTC"
    wagers = [event.confirmed_at for event in events if isinstance(event, WagerConfirmed)]
    ahead = f", {(min(wagers) - named.at) / timedelta(seconds=1):.3f} seconds before the first wager" if wagers else ""
    return NarrativeLine(1, RoundOpened.__name__, f"That commitment was named with the opening before, at {at}{ahead}.")


class NoSuchRound(LookupError):
    """No round has this id or number."""


@dataclass(frozen=True, slots=True)
class RoundReplay:
    """A round in sentences, with its contradictions."""

    round: UUID
    table: UUID
    number: int
    phase: str
    cards: tuple[str, ...]
    outcome: str | None
    lines: tuple[NarrativeLine, ...]
    fairness: str
    findings: tuple[Finding, ...]

    def verdict(self) -> str:
        """Return a line that says whether the recorded result matches the recomputed one."""
        if self.findings:
            return f"replay: FAILED findings={len(self.findings)}"
        if self.outcome is None:
            return f"replay: ok, the round is {self.phase}"
        return f"replay: ok, the recorded result is the recomputed one: {self.outcome}"

    def document(self) -> dict[str, Any]:
        """Return everything as JSON-ready values."""
        return {
            "round": str(self.round),
            "table": str(self.table),
            "number": self.number,
            "phase": self.phase,
            "cards": list(self.cards),
            "outcome": self.outcome,
            "steps": [{"version": line.version, "event": line.event, "text": line.text} for line in self.lines],
            "fairness": self.fairness,
            "verdict": "FAILED" if self.findings else "ok",
            "findings": [
                {"what": each.kind, "where": each.location, "expected": each.expected, "found": each.actual}
                for each in self.findings
            ],
        }


def find_round(name: str) -> UUID:
    """Parse a round's id, or look up `TABLE#NUMBER`. Raises NoSuchRound."""
    table, mark, number = name.partition("#")
    try:
        identity = UUID(table)
        place = int(number) if mark else 0
    except ValueError:
        raise NoSuchRound(f"{name!r} is neither a round's id nor TABLE#NUMBER.") from None
    if not mark:
        return identity
    rows = fetch("SELECT id FROM baccarat_round WHERE table_id = %s AND number = %s", [identity, place])
    if not rows:
        raise NoSuchRound(f"Table {identity} has no round {place}.")
    found: UUID = rows[0][0]
    return found


def replay_round(round_id: UUID) -> RoundReplay:
    """Replay one round from events alone. Raises NoSuchRound, MalformedEvent and UnknownEvent."""
    rows = read(f"round-{round_id}")
    if not rows or rows[0].type != "RoundOpened":
        raise NoSuchRound(f"There is no round {round_id}.")
    events = [(row.version, _decoded(row)) for row in rows]
    opening = events[0][1]
    table_events = [_decoded(row) for row in read(f"table-{opening.table}")]
    if not table_events or not isinstance(table_events[0], te.TableOpened):
        raise NoSuchRound(f"Round {round_id} has no table {opening.table}.")
    table_events[0] = replace(table_events[0], rules=_rules_of(opening, table_events))
    notes = FindingCollector()
    trace = _traced(opening, table_events, notes)
    for row, (version, event) in zip(rows[1:], events[1:], strict=True):
        _follow(trace, row, version, event)
    named = find_announcement(opening, table_events[0])
    check_announcement(opening, named, notes)
    lines, fairness = list(_legible(narrate(table_events[0], events))), _fairness(trace, table_events, notes)
    if named is not None:
        told = narrate_announcement(named, (event for _, event in events))
        lines.insert(sum(line.version == 1 for line in lines), told)
        fairness = f"{fairness} {told.text}"
    return RoundReplay(
        round=round_id,
        table=opening.table,
        number=opening.number,
        phase=trace.phase,
        cards=trace.cards,
        outcome=trace.outcome,
        lines=tuple(lines),
        fairness=fairness,
        findings=tuple(notes.findings),
    )


def _rules_of(opening: re.RoundOpened, table_events: list[Any]) -> TableRules:
    """Return the rules that the round names: those the table opened with, or a later version."""
    held = (one.rules for one in table_events if isinstance(one, (te.TableOpened, RulesTookEffect)))
    found: TableRules = next((rules for rules in held if rules.label == opening.rules), table_events[0].rules)
    return found


def _legible(lines: Iterable[NarrativeLine]) -> tuple[NarrativeLine, ...]:
    """Decrypt the staff texts that the lines quote."""
    told = tuple(lines)
    texts = crypto_shredding.decrypt_many([line.text for line in told])
    return tuple(replace(line, text=text or "") for line, text in zip(told, texts, strict=True))


def _decoded(row: RecordedEvent) -> Any:
    return CATALOGUE.decode(row.type, row.schema, row.data)


def _traced(opening: re.RoundOpened, table_events: list[Any], notes: FindingCollector) -> RoundTrace:
    """Return a trace of the round, at a table with its rules and players but none of the rounds before."""
    table = TableTrace(table_events[0], notes, version=1)
    table.seats = {seat.player: SeatTrace(seat.seat, seat.player, seat.money_type, 0) for seat in opening.seats}
    return RoundTrace(
        opening, table, notes, {s.seat: RoundSeatTrace(s.seat, s.player, s.money_type) for s in opening.seats}
    )


def _follow(trace: RoundTrace, row: RecordedEvent, version: int, event: object) -> None:
    """Replay the round. Balances and last wagers come from earlier rounds, so only a full audit checks them."""
    trace.version = version
    step = ROUND_STEPS.get(row.type)
    if step is None:
        trace.record_difference("event out of place", "an event of a round in hand", row.type)
        return
    if isinstance(event, re.StakesRebet):
        trace.table.seats[trace.seats[event.seat].player].last_wager = event.stakes
    if isinstance(event, re.WagerConfirmed) and event.player in trace.table.seats:
        trace.table.seats[event.player].balance = sum(event.stakes.values())
    if isinstance(event, re.CardsDealt) and trace.table.has_long_shoe:
        trace.table.shoe = LongShoe(trace.opened.shoe, 0, "", event.position, None, cut="", root="")
    if isinstance(event, RoundVoided):
        trace.table.seats = {undone.player: _purse(undone) for undone in event.seats if not undone.to_account}
    step(trace, event)


def _purse(undone: SeatVoided) -> SeatTrace:
    """Return a player with the game balance that a void reports."""
    return SeatTrace(undone.seat, undone.player, undone.money_type, undone.from_game, owed=undone.from_rack)


def _fairness(trace: RoundTrace, table_events: list[Any], notes: FindingCollector) -> str:
    """Return whether the seed opens the commitment and gives these cards; None while a long shoe's seed is secret."""
    if not trace.table.has_long_shoe:
        if trace.seed is None and (trace.is_running() or trace.voided is not None):
            return "The seed is revealed when the round ends."
        if trace.voided is None or trace.outcome is not None:  # a void before the outcome has checked it
            check_seed(trace)
        return "The revealed seed was checked against its commitment and these cards."
    shoe = trace.opened.shoe
    begun = next((one for one in table_events if isinstance(one, te.ShoeStarted) and one.shoe == shoe), None)
    ended = next((one for one in table_events if isinstance(one, te.ShoeEnded) and one.shoe == shoe), None)
    if begun is None:
        notes.add("shoe never started", f"round {trace.opened.round}", f"shoe {shoe}", "none")
        return "The shoe was never started."
    if ended is None:
        return "The seed of this long shoe is revealed at the shoe's end."
    seed = parse_seed(ended.seed)
    if seed is None:
        notes.add("seed missing", f"shoe {shoe}", "the shoe's seed", ended.seed)
        return "The shoe ended without a seed."
    deals = [] if trace.position is None else [(trace.position, trace.cards, trace.opened.round)]
    long = LongShoe(shoe, begun.number, begun.commitment, ended.cards_dealt, begun.turned_card, begun.cut, begun.root)
    long.deals.extend(deals)
    check_shoe(trace.table, long, seed)
    return "The shoe has ended: its seed was checked against its commitment and these cards."
