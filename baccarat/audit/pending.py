"""Check what is pending: rounds to be dealt, suspended rounds, and the secrets of shoes in play."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from baccarat.audit.log_replay import LogReplay
from baccarat.audit.report import FindingCollector
from baccarat.audit.shoes import NOT_OPENED, check_shoe
from baccarat.audit.traces import LongShoe, RoundTrace, TableTrace
from baccarat.domain.fairness.commitment import Drawing
from baccarat.domain.fairness.shuffle import SEED_BYTES
from baccarat.storage import shoe_seeds
from casino.events.netting import in_parts
from casino.events.sql import fetch
from casino.kernel.findings import Findings

OVERDUE: Final = "round overdue"
SUSPENDED: Final = "round suspended"

_Use = tuple[TableTrace, str | None, Drawing, LongShoe | None]
"""A shoe's table, its commitment, how its cards are drawn, and the long shoe if it is one."""
_KEPT: Final = "SELECT shoe_id FROM baccarat_shoesecret ORDER BY shoe_id"


def check_rounds(rounds: Iterable[RoundTrace], notes: FindingCollector, *, now: datetime, max_wait: float) -> None:
    """Record rounds due to be dealt, or waiting for a person, for more than `max_wait` seconds."""
    limit = timedelta(seconds=max_wait)
    for round_ in rounds:
        where = f"round {round_.opened.round} of table {round_.opened.table}"
        if round_.suspension_reason is not None and round_.suspended_at is not None:
            if now - round_.suspended_at > limit:
                notes.add(SUSPENDED, where, f"resolved within {max_wait:g} s", round_.suspension_reason)
            continue
        due = due_at(round_)
        if due is not None and now - due > limit:
            notes.add(OVERDUE, where, f"dealt within {max_wait:g} s of {due}", f"not dealt by {now}")


def due_at(round_: RoundTrace) -> datetime | None:
    """Return when the round was ready to be dealt: at the last wager if all have acted, else at the deadline.

    If a seat has or had the cards, the end of that seat's time counts.
    """
    if round_.ceremony is not None:
        return round_.ceremony.until
    deadline = round_.opened.deadline_at
    if round_.undecided_seats():
        return deadline
    confirmed = [part.confirmed_at for part in round_.seats.values() if part.confirmed_at is not None]
    return max(confirmed, default=round_.opened.opened_at) if deadline is None else deadline


def check_unused_secrets(playing: Collection[UUID], notes: FindingCollector) -> None:
    """Record secrets of shoes that are not in play."""
    for (shoe,) in fetch(_KEPT):
        if shoe not in playing:
            notes.add("secret of a shoe not in play", f"shoe {shoe}", "no secret", "one is kept")


def check_secrets(replay: LogReplay, notes: FindingCollector) -> Collection[UUID]:
    """Check that each shoe in play has a secret that opens the commitment and gives the cards.

    Returns the shoes in play, and those whose seeds could not be read when their rounds were voided.
    """
    kept = {row[0] for row in fetch(_KEPT)}
    playing = _in_play(replay)
    seeds = _seeds(sorted(kept & playing.keys()))
    for shoe in playing.keys() - kept:
        notes.add("secret missing", _place(shoe, playing[shoe][0]), "the seed of a shoe in play", "none")

    def check(some: Sequence[UUID]) -> Findings:
        found = FindingCollector()
        for shoe in some:
            _check_secret(shoe, playing[shoe], seeds.get(shoe), found)
        return found.findings

    notes.findings.extend(in_parts(sorted(kept & playing.keys()), check, lambda shoe: _place(shoe, playing[shoe][0])))
    owed = {shoe: table for table in replay.tables.values() for shoe in table.unrevealed}
    for shoe in _seeds(sorted(kept & owed.keys())):
        where = _place(shoe, owed[shoe])
        notes.add("seed of a void round not revealed", where, "its seed, which can be read", "none")
    return playing.keys() | owed.keys()


def _place(shoe: UUID, table: TableTrace) -> str:
    return f"shoe {shoe} of table {table.opened.table}"


def _check_secret(shoe: UUID, use: _Use, seed: bytes | None, notes: FindingCollector) -> None:
    table, commitment, drawing, long = use
    where = _place(shoe, table)
    if seed is None or len(seed) != SEED_BYTES:
        notes.add("secret can't be read", where, "a seed under one of our keys", "none that opens")
    elif long is not None:
        check_shoe(table, long, seed)
    elif not drawing.opens(commitment, seed):
        notes.add(NOT_OPENED, where, commitment, drawing.commit(seed))


def _in_play(replay: LogReplay) -> dict[UUID, _Use]:
    """Return the shoes of tables and running rounds."""
    shoes: dict[UUID, _Use] = {}
    for table in replay.tables.values():
        long, opened = table.shoe, None if table.round is None else table.round.opened
        if long is not None:
            shoes[long.shoe] = table, long.commitment, table.drawing(long.shoe, long.number), long
        elif opened is not None:
            drawing = table.drawing(opened.shoe, opened.number)
            shoes[opened.shoe] = table, opened.commitment, drawing, None
        for next_ in (table.coming_shoe, table.next_shoe):
            if next_ is not None:
                drawing = table.drawing(next_.shoe, next_.number)
                shoes[next_.shoe] = table, next_.commitment, drawing, None
    return shoes


def _seeds(shoes: list[UUID]) -> dict[UUID, bytes]:
    """Return the seeds that can be decrypted; skip the others."""
    try:
        return dict(shoe_seeds.decrypt(shoes))
    except Exception:  # noqa: BLE001  (its caller reports each seed that is not among these)
        if len(shoes) <= 1:
            return {}
    half = len(shoes) // 2
    return _seeds(shoes[:half]) | _seeds(shoes[half:])
