"""Replay one round from its own and its table's stream, and report where events contradict the rules."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from baccarat.audit import witnesses
from baccarat.audit.log_replay import ROUND_STEPS
from baccarat.audit.report import FindingCollector
from baccarat.audit.shoes import OTHER_SHOE, check_seed, check_shoe, parse_seed
from baccarat.audit.traces import OUT_OF_PLACE, LongShoe, RoundSeatTrace, RoundTrace, SeatTrace, TableTrace
from baccarat.domain.fairness.links import LinksReleased
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.events import RoundOpened, RoundVoided, SeatVoided, ShoeCommitment, WagerConfirmed
from baccarat.domain.rules.recorded import RecordedRules
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables import events as te
from baccarat.domain.tables.events import RulesTookEffect, TableOpened
from baccarat.domain.tables.witness_events import WitnessChainOpened, WitnessChainsReplaced, links_of_shoe
from baccarat.queries.narrative import NarratedTable, NarrativeLine, narrate
from baccarat.storage.event_registry import CATALOGUE
from baccarat.storage.repository import read_cards_from_shoe
from casino.crypto import crypto_shredding
from casino.events.sql import fetch
from casino.events.store import RecordedEvent, read
from casino.kernel.findings import Finding

_CARDS_DEALT: Final = """
SELECT id, type, schema, data::text, recorded_at FROM events_event WHERE type = 'CardsDealt'
   AND stream = (SELECT 'round-' || id FROM baccarat_round WHERE table_id = %s AND number = %s)
"""


@dataclass(frozen=True, slots=True)
class ShoeAnnouncement:
    """A shoe as committed to one round ahead, and the time."""

    shoe: ShoeCommitment
    at: datetime


def find_announcement(round_: RoundOpened, table_events: Sequence[object]) -> ShoeAnnouncement | None:
    """Return the commitment to a round's own shoe, None if there is none.

    It is in the table's events, or in the cards of the round before the last.
    """
    if round_.commitment is None:
        return None
    for event in table_events:
        match event:
            case te.TermsFixed(next_shoe=shoe, fixed_at=at) | TableOpened(next_shoe=shoe, opened_at=at):
                if shoe is not None and shoe.shoe == round_.shoe:
                    return ShoeAnnouncement(shoe, at)
    rows = fetch(_CARDS_DEALT, [round_.table, round_.number - 2])
    for _, *dealt, recorded_at in rows:
        terms = CATALOGUE.decode(*dealt).next_terms
        if terms is not None and terms.next_shoe.shoe == round_.shoe:
            return ShoeAnnouncement(terms.next_shoe, recorded_at)
    return None


def check_announcement(round_: RoundOpened, announcement: ShoeAnnouncement | None, notes: FindingCollector) -> None:
    """Record a difference if the round's shoe is not the one that was committed to."""
    actual, where = f"{round_.shoe} {round_.commitment}", f"round {round_.round}"
    if announcement is None:
        if round_.commitment is not None:
            notes.add(OTHER_SHOE, where, "a shoe named before", actual)
        return
    shoe = announcement.shoe
    expected = f"{shoe.shoe} {shoe.commitment}"
    if expected != actual:
        notes.add(OTHER_SHOE, where, expected, actual)


def narrate_announcement(announcement: ShoeAnnouncement, events: Iterable[object]) -> NarrativeLine:
    """Describe when a round's shoe was committed to, and how long before the first of its wagers."""
    at = f"{announcement.at:%Y-%m-%d %H:%M:%S.%f}"[:-3] + " UTC"
    wagers = [event.confirmed_at for event in events if isinstance(event, WagerConfirmed)]
    ahead = (
        f", {(min(wagers) - announcement.at) / timedelta(seconds=1):.3f} seconds before the first wager"
        if wagers
        else ""
    )
    return NarrativeLine(1, RoundOpened.__name__, f"That commitment was published one round ahead, at {at}{ahead}.")


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
    round_id: UUID = rows[0][0]
    return round_id


def replay_round(round_id: UUID) -> RoundReplay:
    """Replay one round from events alone. Raises NoSuchRound, MalformedEvent and UnknownEvent."""
    rows = read(f"round-{round_id}")
    if not rows or rows[0].type != "RoundOpened":
        raise NoSuchRound(f"There is no round {round_id}.")
    events = [(row.version, _decode(row)) for row in rows]
    opening = events[0][1]
    table_events = [_decode(row) for row in read(f"table-{opening.table}")]
    if not table_events or not isinstance(table_events[0], te.TableOpened):
        raise NoSuchRound(f"Round {round_id} has no table {opening.table}.")
    table_events[0] = replace(table_events[0], rules=_rules_of(opening, table_events))
    notes = FindingCollector()
    trace = _new_trace(opening, table_events, notes)
    ended = [each for event in table_events if isinstance(event, WitnessChainsReplaced) for each in event.ended]
    for row, (version, event) in zip(rows[1:], events[1:], strict=True):
        if isinstance(event, RoundVoided):  # a round that was played before may name them, too
            trace.table.replaced.update(dict.fromkeys((each.chain for each in ended), ""))
        _replay_event(trace, row, version, event)
    announcement = find_announcement(opening, table_events)
    check_announcement(opening, announcement, notes)
    table = NarratedTable(trace.table.opened.name, trace.rules)
    lines, fairness = list(_decrypt_texts(narrate(table, events))), _fairness(trace, table_events, notes)
    if announcement is not None:
        line = narrate_announcement(announcement, (event for _, event in events))
        lines.insert(sum(each.version == 1 for each in lines), line)
        fairness = f"{fairness} {line.text}"
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


def _rules_of(opening: re.RoundOpened, table_events: list[Any]) -> RecordedRules:
    """Return the rules that the round names: those the table opened with, or a later version."""
    versions = (event.rules for event in table_events if isinstance(event, (te.TableOpened, RulesTookEffect)))
    named: RecordedRules = next((rules for rules in versions if rules.digest == opening.rules), table_events[0].rules)
    return named


def _decrypt_texts(lines: Iterable[NarrativeLine]) -> tuple[NarrativeLine, ...]:
    """Decrypt the staff texts that the lines quote."""
    encrypted = tuple(lines)
    texts = crypto_shredding.decrypt_many([line.text for line in encrypted])
    return tuple(replace(line, text=text or "") for line, text in zip(encrypted, texts, strict=True))


def _decode(row: RecordedEvent) -> Any:
    return CATALOGUE.decode(row.type, row.schema, row.data)


def _new_trace(opening: re.RoundOpened, table_events: list[Any], notes: FindingCollector) -> RoundTrace:
    """Return a trace of the round, at a table with its rules and players but none of the rounds before."""
    table = TableTrace(table_events[0], notes, version=1)
    for event in table_events:
        if isinstance(event, WitnessChainOpened):
            witnesses.replay_chain_opened(table, event)
    table.shoe = _long_shoe(opening, table_events, table.rules)
    table.seats = {seat.player: SeatTrace(seat.seat, seat.player, seat.money_type, 0) for seat in opening.seats}
    return RoundTrace(
        opening, table, notes, {s.seat: RoundSeatTrace(s.seat, s.player, s.money_type) for s in opening.seats}
    )


def _long_shoe(opening: re.RoundOpened, table_events: list[Any], rules: TableRules) -> LongShoe | None:
    """Return the long shoe of a round as it opened, None if it was never started or the round has its own."""
    started = next(
        (event for event in table_events if isinstance(event, te.ShoeStarted) and event.shoe == opening.shoe), None
    )
    fixed = [event for event in table_events if isinstance(event, te.TermsFixed) and event.number == opening.number]
    if started is None or not fixed or fixed[-1].place is None:
        return None
    place, links = fixed[-1].place, links_of_shoe(opening.shoe, table_events)
    shoe = LongShoe(
        opening.shoe,
        started.number,
        started.commitment,
        place.next_place,
        started.turned_card,
        started.cut,
        started.root,
        links=links,
        commitments={opening.number: place.commitment} if rules.draws_by_round else {},
    )
    if rules.draws_by_round:
        before = read_cards_from_shoe(opening.table, first_round=started.first_round, before=opening.number)
        shoe.deals.append((0, before, "before"))
    return shoe


def _replay_event(trace: RoundTrace, row: RecordedEvent, version: int, event: object) -> None:
    """Replay one event; only a full audit checks what comes from earlier rounds: balances, wagers, closings."""
    trace.version = version
    if isinstance(event, LinksReleased):  # those before are of other rounds
        trace.table.links_given.update({each.chain: each.index for each in trace.opened.witnesses})
    step = ROUND_STEPS.get(row.type)
    if step is None:
        trace.record_difference(OUT_OF_PLACE, "an event of a round in hand", row.type)
        return
    ends = (re.BettingClosed, re.RoundLapsed, RoundVoided)
    if isinstance(event, ends) and event.closing is not None:
        trace.table.last_closing = event.closing.before
    if isinstance(event, re.StakesRebet):
        trace.table.seats[trace.seats[event.seat].player].last_wager = event.stakes
    if isinstance(event, re.WagerConfirmed) and event.player in trace.table.seats:
        trace.table.seats[event.player].balance = sum(event.stakes.values())
    if isinstance(event, RoundVoided):
        trace.table.seats = {
            undone.player: _seat_before_void(undone) for undone in event.seats if not undone.to_account
        }
    step(trace, event)


def _seat_before_void(undone: SeatVoided) -> SeatTrace:
    """Return a player with the game balance that a void reports."""
    return SeatTrace(undone.seat, undone.player, undone.money_type, undone.from_game, owed=undone.from_rack)


def _fairness(trace: RoundTrace, table_events: list[Any], notes: FindingCollector) -> str:
    """Check the round's seed if it is revealed, and return a sentence about it."""
    long = trace.table.shoe
    if trace.table.has_long_shoe and long is None:
        notes.add("shoe never started", f"round {trace.opened.round}", f"shoe {trace.opened.shoe}", "none")
        return "The shoe was never started."
    own = _fairness_of_own_seed(trace)
    return own if long is None else " ".join(filter(None, [own, _fairness_of_shoe(trace, long, table_events, notes)]))


def _fairness_of_own_seed(trace: RoundTrace) -> str:
    """Check the seed of the round's drawing, and return a sentence about it, "" in a shoe of fixed order."""
    if trace.table.has_long_shoe and not trace.table.rules.draws_by_round:
        return ""
    if trace.seed is None and (trace.is_running() or trace.voided is not None):
        return "The seed is revealed when the round ends."
    if trace.voided is None or trace.outcome is not None:  # a void before the outcome has checked it
        check_seed(trace)
    return f"The revealed seed was checked against its commitment{_cards(trace)}."


def _fairness_of_shoe(trace: RoundTrace, long: LongShoe, table_events: list[Any], notes: FindingCollector) -> str:
    """Check the seed of a long shoe, if it is revealed, and what of this round follows from it."""
    shoe = trace.opened.shoe
    ended = next((event for event in table_events if isinstance(event, te.ShoeEnded) and event.shoe == shoe), None)
    if ended is None:
        return "The seed of this long shoe is revealed at the shoe's end."
    seed = parse_seed(ended.seed)
    if seed is None:
        notes.add("seed missing", f"shoe {shoe}", "the shoe's seed", ended.seed)
        return "The shoe ended without a seed."
    check_shoe(trace.table, long, seed)
    return f"The shoe has ended: its seed was checked against its commitment{_cards(trace)}."


def _cards(trace: RoundTrace) -> str:
    return "; these cards were chosen, as a test" if trace.forced else " and these cards"
