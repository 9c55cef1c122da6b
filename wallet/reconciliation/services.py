"""Compare a day, and say who looks into what differs and what became of it. Comparing again changes nothing known."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.crypto import crypto_shredding
from casino.events.sql import execute, fetch
from casino.events.store import Append, Metadata, append, read_many
from wallet.ledger.event_registry import CATALOGUE
from wallet.ledger.relations import upsert_rows
from wallet.payments.providers import provider as adapter_of
from wallet.reconciliation import sources
from wallet.reconciliation import state as differing
from wallet.reconciliation.comparison import PaymentDiscrepancy, ReconciliationOutcome, compare
from wallet.reconciliation.days import bounds
from wallet.reconciliation.events import (
    DiscrepancyFound,
    DiscrepancyEvent,
    ReconciliationCompleted,
    Resolution,
    discrepancy_id,
    discrepancy_stream,
    reconciliation_stream,
    run_id,
)
from wallet.reconciliation.projection import DISCREPANCIES, RUNS, discrepancy_row, run_row
from wallet.reconciliation.refusals import DayNotOver, DiscrepancyNoteMissing, UnknownDiscrepancy
from wallet.reconciliation.sources import ReconciliationDay
from wallet.reconciliation.state import DiscrepancyState

MAX_NOTE_LENGTH: Final = 500
ACTOR: Final = "system:reconciliation"
_CURRENCIES: Final = "SELECT DISTINCT currency FROM wallet_deposit_method WHERE operator_id = %s AND provider = %s"
_ZONE: Final = "SELECT time_zone, clock_timestamp() FROM operators_operator WHERE id = %s"
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 5)), clock_timestamp()"
_KNOWN: Final = "SELECT id FROM wallet_discrepancy WHERE run_id = %s"
_WHOSE: Final = "SELECT run_id FROM wallet_discrepancy WHERE id = %s AND operator_id = %s"
_PAYMENT: Final = "SELECT payment FROM wallet_discrepancy WHERE id = %s"
_PLAYER: Final = """
    SELECT player_id FROM wallet_deposit WHERE id = %(payment)s
     UNION ALL SELECT player_id FROM wallet_withdrawal WHERE id = %(payment)s
"""
_NOTE: Final = "INSERT INTO wallet_discrepancy_note (discrepancy_id, actor, note) VALUES (%s, %s, %s)"


@dataclass(frozen=True, slots=True)
class _Said:
    """Who says what about a difference; no words for nothing."""

    by: str
    words: str


@dataclass(frozen=True, slots=True)
class ReconciliationResult:
    """How one currency of a day came out."""

    run: UUID
    currency: str
    outcome: ReconciliationOutcome


def reconcile(*, operator: UUID, provider: str, day: date) -> list[ReconciliationResult]:
    """Compare a day of an operator with a provider's records, and keep what came out, for each currency.

    Raises DayNotOver, UnknownProvider, NoAnswer (with nothing kept).
    """
    zone, now = fetch(_ZONE, [operator])[0]
    since, until = bounds(day, zone)
    if until > now:
        raise DayNotOver(f"{day} ends at {until.isoformat()}.")
    return compare_day(ReconciliationDay(operator, provider, day, since, until))


def compare_day(which: ReconciliationDay) -> list[ReconciliationResult]:
    """Do it for a day with its bounds; the provider is asked outside of any transaction.

    Raises UnknownProvider, NoAnswer.
    """
    theirs = sources.fetch_provider_payments(which, adapter_of(which.provider))
    ours = sources.load_our_payments(which, theirs)
    currencies = {row[0] for row in fetch(_CURRENCIES, [which.operator, which.provider])}
    parts = sources.by_currency(ours, theirs, currencies)
    return [_keep(which, currency, compare(*both)) for currency, both in sorted(parts.items())]


def assign(
    difference: UUID, *, operator: UUID, owner: str, by: str, metadata: Metadata, note: str = ""
) -> DiscrepancyState:
    """Give a difference to an owner. Raises UnknownDifference, DifferenceClosed, DifferenceNoteMissing."""
    said = _Said(by, _words(note))
    return _change(
        difference, operator, said, metadata, lambda known, at: differing.assign(known, owner=owner, by=by, at=at)
    )


def resolve(
    difference: UUID, *, operator: UUID, resolution: Resolution, note: str, by: str, metadata: Metadata
) -> DiscrepancyState:
    """Say what became of a difference, in a word for reports and in words for people.

    Raises UnknownDifference, DifferenceClosed, DifferenceNoteMissing.
    """
    said = _Said(by, _words(note))
    if not said.words:
        raise DiscrepancyNoteMissing
    return _change(
        difference,
        operator,
        said,
        metadata,
        lambda known, at: differing.resolve(known, resolution=resolution, by=by, at=at),
    )


def _keep(day: ReconciliationDay, currency: str, outcome: ReconciliationOutcome) -> ReconciliationResult:
    """Records what is new in an outcome, alone for this run; nothing where it came out as it did before."""
    run = run_id(operator=day.operator, provider=day.provider, currency=currency, day=day.day)
    with transaction.atomic():
        at = fetch(_LOCK, [str(run)])[0][1]
        found = {
            each.discrepancy: each for each in (_found(day, currency, run, one, at) for one in outcome.discrepancies)
        }
        known = [row[0] for row in fetch(_KNOWN, [run])]
        streams = [reconciliation_stream(run), *(discrepancy_stream(key) for key in {*known, *found})]
        told = {stream: _decoded(events) for stream, events in read_many(streams).items()}
        happened = ReconciliationCompleted(
            run, day.operator, day.provider, currency, day.day, day.since, day.until, outcome.ours, outcome.theirs,
            outcome.matched, outcome.amount, len(outcome.discrepancies), at,
        )  # fmt: skip
        _write_changes(run, told, found, happened, at)
    return ReconciliationResult(run, currency, outcome)


def _write_changes(
    run: UUID,
    told: dict[str, list[Any]],
    found: dict[UUID, DiscrepancyFound],
    happened: ReconciliationCompleted,
    at: datetime,
) -> None:
    own = reconciliation_stream(run)
    runs = told.pop(own)
    remembered = Metadata(operator=str(happened.operator), actor=ACTOR, causation="", correlation=own)
    appends, rows = [], []
    if not runs or replace(runs[-1], at=at) != happened:
        appends.append(Append(own, len(runs), (CATALOGUE.encode(happened),), remembered))
        upsert_rows(RUNS, [run_row(happened, len(runs) + 1)])
    for stream, events in told.items():
        state = differing.fold(events) if events else None
        key = UUID(stream.removeprefix("discrepancy-"))
        new = differing.record_discrepancy(state, found[key]) if key in found else _unseen(state, at)
        for event in new:
            after = differing.fold([event]) if state is None else differing.evolve(state, event)
            appends.append(Append(stream, len(events), (CATALOGUE.encode(event),), remembered))
            rows.append(discrepancy_row(after, len(events) + 1))
    if appends:
        append(appends)
        upsert_rows(DISCREPANCIES, rows)


def _unseen(state: DiscrepancyState | None, at: datetime) -> tuple[DiscrepancyEvent, ...]:
    return () if state is None else differing.record_cleared(state, at=at)


def _found(day: ReconciliationDay, currency: str, run: UUID, one: PaymentDiscrepancy, at: datetime) -> DiscrepancyFound:
    side = one.ours or one.theirs
    if side is None:
        raise AssertionError("a difference is about a payment that one side has")
    mine, other = one.ours, one.theirs
    return DiscrepancyFound(
        discrepancy=discrepancy_id(run=run, kind=side.kind.value, payment=side.payment, type=one.type),
        run=run,
        operator=day.operator,
        provider=day.provider,
        currency=currency,
        day=day.day,
        kind=side.kind.value,
        payment=side.payment,
        reference=(other or side).reference,
        type=one.type,
        our_amount=None if mine is None else mine.amount,
        our_status=None if mine is None else mine.status,
        their_amount=None if other is None else other.amount,
        their_currency=None if other is None else other.currency,
        their_status=None if other is None else other.status.value,
        at=at,
    )


def _change(
    difference: UUID,
    operator: UUID,
    said: _Said,
    metadata: Metadata,
    decide: Callable[[DiscrepancyState, datetime], Sequence[DiscrepancyEvent]],
) -> DiscrepancyState:
    with transaction.atomic():
        rows = fetch(_WHOSE, [difference, operator])
        if not rows:
            raise UnknownDiscrepancy
        # The same lock as for a comparison of the day, so that neither overtakes the other.
        at = fetch(_LOCK, [str(rows[0][0])])[0][1]
        stream = discrepancy_stream(difference)
        events = _decoded(read_many([stream])[stream])
        state = differing.fold(events)
        for event in decide(state, at):
            append([Append(stream, len(events), (CATALOGUE.encode(event),), metadata)])
            state = differing.evolve(state, event)
            upsert_rows(DISCREPANCIES, [discrepancy_row(state, len(events) + 1)])
        if said.words:
            execute(_NOTE, [difference, said.by, _kept(difference, said.words)])
    return state


def _kept(difference: UUID, words: str) -> str:
    """Words as they are stored: sealed under the key of the player whose payment of ours the difference is about.

    About a payment that only the provider knows they are the house's own, and stay as they are.
    """
    ((payment,),) = fetch(_PAYMENT, [difference])
    try:
        rows = fetch(_PLAYER, {"payment": UUID(payment)})
    except ValueError:  # an id of the provider's
        return words
    return crypto_shredding.encrypt_text(rows[0][0], words) if rows else words


def _words(note: str) -> str:
    words = note.strip()
    if len(words) > MAX_NOTE_LENGTH:
        raise DiscrepancyNoteMissing
    return words


def _decoded(events: Iterable[Any]) -> list[Any]:
    return [CATALOGUE.decode(event.type, event.schema, event.data) for event in events]
