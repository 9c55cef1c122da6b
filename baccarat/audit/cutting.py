"""Checks cuts: each contribution is valid and in time, and the cut results from exactly these contributions."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from baccarat.audit import rules_versions
from baccarat.audit.betting import OUT_OF_PLACE
from baccarat.audit.traces import CommittedShoe, RoundTrace, TableTrace, sort_contributions
from baccarat.domain.fairness.cut import Contribution, MalformedContribution, compute_cut, parse_contribution
from baccarat.domain.rounds.cut import MAX_CUT_CHANGES, SeatContribution
from baccarat.domain.rounds.cut_events import CutContributed
from baccarat.domain.rounds.events import BettingClosed
from baccarat.domain.rounds.state import Phase, SeatStatus
from baccarat.domain.tables.events import ShoeStarted
from baccarat.domain.tables.shoe_events import ShoeCommitted, ShoeCutContributed

MALFORMED: Final = "contribution malformed"
CONTRIBUTED_LATE: Final = "contribution given late"
OTHER_CUT: Final = "cut differs from the contributions"
NOT_COMMITTED: Final = "shoe differs from the committed one"
OTHER_SHAPE: Final = "shoe composition differs from its commitment"
TOO_OFTEN: Final = "contribution changed too often"


def replay_cut_contribution(round_: RoundTrace, event: CutContributed) -> None:
    """Check a contribution to a round's own shoe: by a seat in the round, while betting is open."""
    part, opened = round_.seats.get(event.seat), round_.opened
    if part is None or part.player != event.player or part.status is SeatStatus.LEFT:
        round_.record_difference(
            "seat not in the round", None if part is None else part.player, event.player, seat=event.seat
        )
    if round_.phase is not Phase.BETTING or round_.suspension_reason is not None or opened.commitment is None:
        round_.record_difference(
            OUT_OF_PLACE, "open betting on a shoe of its own", round_.suspension_reason or round_.phase
        )
    if opened.deadline_at is not None and event.contributed_at >= opened.deadline_at:
        round_.record_difference(
            CONTRIBUTED_LATE, f"before {opened.deadline_at}", event.contributed_at, seat=event.seat
        )
    for what, expected in _faults(round_.contributions, event):
        round_.record_difference(what, expected, event.contribution, seat=event.seat)
    put_contribution(round_.contributions, event)


def check_cut(round_: RoundTrace, event: BettingClosed) -> None:
    """Check that the cut of the round's own shoe results from the contributions until betting closed."""
    differs = _differs(round_.contributions, event.contributions, event.cut, shoe=round_.opened.shoe)
    if differs is not None:
        round_.record_difference(OTHER_CUT, *differs)
    round_.cut = event.cut


def replay_shoe_committed(table: TableTrace, event: ShoeCommitted) -> None:
    """Check a commitment to the next long shoe: one at a time, numbered in order."""
    if not table.has_long_shoe or table.next_shoe is not None or table.closed:
        table.record_difference(OUT_OF_PLACE, "a shoe table without a committed shoe", event.shoe)
    if event.number != table.shoes + 1:
        table.record_difference("shoe number differs", table.shoes + 1, event.number)
    rules = (
        table.rules
        if table.rules_lifecycle is None or table.rules_lifecycle.pending is None
        else table.rules_lifecycle.pending.rules
    )
    if event.shape != rules.shape:
        table.record_difference(OTHER_SHAPE, rules.shape, event.shape)
    table.next_shoe = CommittedShoe(event.shoe, event.number, event.commitment, event.shape)


def replay_shoe_cut_contribution(table: TableTrace, event: ShoeCutContributed) -> None:
    """Check a contribution to the committed long shoe, by a seated player."""
    guest, coming = table.seats.get(event.player), table.next_shoe
    if guest is None or guest.seat != event.seat:
        table.record_difference("seat differs", None if guest is None else guest.seat, event.seat)
    if coming is None or coming.shoe != event.shoe or not table.has_long_shoe:
        table.record_difference(NOT_COMMITTED, None if coming is None else coming.shoe, event.shoe)
        return
    for what, expected in _faults(coming.contributions, event):
        table.record_difference(what, expected, event.contribution)
    put_contribution(coming.contributions, event)


def check_shoe_started(table: TableTrace, event: ShoeStarted) -> None:
    """Check that the shoe is the committed one, and that its cut results from the contributions until it started."""
    coming = table.next_shoe
    if coming is None:
        table.record_difference(NOT_COMMITTED, "a committed shoe", event.shoe)
    else:
        if (coming.shoe, coming.commitment) != (event.shoe, event.commitment):
            found = f"{event.shoe} {event.commitment}"
            table.record_difference(NOT_COMMITTED, f"{coming.shoe} {coming.commitment}", found)
        if coming.shape != table.rules.shape:
            table.record_difference(OTHER_SHAPE, coming.shape, table.rules.shape)
    differs = _differs({} if coming is None else coming.contributions, event.contributions, event.cut, shoe=event.shoe)
    if differs is not None:
        table.record_difference(OTHER_CUT, *differs)
    rules_versions.check_shoe_rules_in_force(table)
    table.next_shoe = None


def _faults(given: dict[int, SeatContribution], event: CutContributed | ShoeCutContributed) -> list[tuple[str, str]]:
    """Return what is wrong with a contribution by itself: (what, expected)."""
    found, last = [], given.get(event.seat)
    if last is not None and last.player == event.player and last.change_count >= MAX_CUT_CHANGES:
        found.append((TOO_OFTEN, f"at most {MAX_CUT_CHANGES} times"))
    try:
        parse_contribution(event.contribution)
    except MalformedContribution as malformed:
        found.append((MALFORMED, str(malformed)))
    return found


def put_contribution(given: dict[int, SeatContribution], event: CutContributed | ShoeCutContributed) -> None:
    """Replace a seat's last contribution."""
    last = given.get(event.seat)
    times = 1 if last is None or last.player != event.player else last.change_count + 1
    given[event.seat] = SeatContribution(event.seat, event.player, event.contribution, times)


def _differs(
    given: dict[int, SeatContribution], contributions: Sequence[Contribution], fixed_as: str, *, shoe: UUID
) -> tuple[str, str] | None:
    """Return both sides as text if a cut differs from its contributions, else None."""
    due = tuple(Contribution(each.seat, each.contribution) for each in sort_contributions(given))
    try:
        worked_out = compute_cut(shoe, due).hex()
    except MalformedContribution:  # named where it was given
        return None
    if due == tuple(contributions) and worked_out == fixed_as:
        return None
    return f"{_words(due)}: {worked_out}", f"{_words(contributions)}: {fixed_as}"


def _words(contributions: Sequence[Contribution]) -> str:
    return ", ".join(f"{each.seat} {each.contribution}" for each in contributions) or "nothing"
