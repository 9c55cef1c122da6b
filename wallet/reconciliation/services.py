"""Compare a day's payments with the provider's records, and assign and resolve the discrepancies found.

Comparing again records only what is new.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.crypto import crypto_shredding
from casino.events.sql import database_now, fetch
from casino.events.store import Append, Metadata, append, read_many
from casino.kernel.persons import is_another_person
from casino.kernel.text import require
from casino.operators.models import Operator
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.reports.intervals import ReportPeriod, period_interval
from wallet.models import Deposit, DepositMethod, Discrepancy, DiscrepancyNote, RemoteTransaction, Withdrawal
from wallet.payments import stored_messages
from wallet.payments.methods import policy
from wallet.payments.provider_reports import PaymentKind
from wallet.payments.providers import RecordKeeper
from wallet.payments.providers import provider as adapter_of
from wallet.reconciliation import sources
from wallet.reconciliation import state as lifecycle
from wallet.reconciliation.comparison import PaymentDiscrepancy, ReconciliationOutcome, compare
from wallet.reconciliation.events import (
    DiscrepancyDetected,
    DiscrepancyEvent,
    DiscrepancyResolution,
    DiscrepancyType,
    ReconciliationCompleted,
    discrepancy_id,
    discrepancy_stream,
    reconciliation_stream,
    run_id,
)
from wallet.reconciliation.records import (
    DISCREPANCIES,
    RECONCILIATION_EVENTS,
    RECONCILIATIONS,
    discrepancy_row,
    reconciliation_row,
)
from wallet.reconciliation.refusals import DayNotOver, DiscrepancyNoteMissing, UnknownDiscrepancy
from wallet.reconciliation.sources import ReconciliationDay
from wallet.reconciliation.state import DiscrepancyState
from wallet.remote.statements import PROVIDER, statement_of

MAX_NOTE_LENGTH: Final = 500
MESSAGE: Final = DiscrepancyType.MESSAGE_UNAPPLIED
ACTOR: Final = "system:reconciliation"
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 5)), clock_timestamp()"


@dataclass(frozen=True, slots=True)
class ReconciliationResult:
    """The outcome of one currency of a day."""

    run: UUID
    currency: str
    outcome: ReconciliationOutcome


def reconcile(*, operator: UUID, provider: str, day: date) -> list[ReconciliationResult]:
    """Compare a day of an operator with a provider's records, and record the outcome for each currency.

    Raises IntervalInvalid, DayNotOver, UnknownProvider, ProviderUnavailable (with nothing recorded).
    """
    interval = period_interval(ReportPeriod.DAY, day=day, zone=Operator.objects.get(pk=operator).time_zone)
    if interval.until > database_now():
        raise DayNotOver(f"{day} ends at {interval.until.isoformat()}.")
    return compare_day(ReconciliationDay(operator, provider, day, interval.since, interval.until))


def compare_day(day: ReconciliationDay) -> list[ReconciliationResult]:
    """Compare a day with known bounds; the provider is called outside of any transaction.

    Raises UnknownProvider, ProviderUnavailable.
    """
    adapter: RecordKeeper = statement_of(day.operator) if day.provider == PROVIDER else adapter_of(day.provider)
    theirs = sources.fetch_provider_payments(day, adapter)
    ours = sources.load_our_payments(day, theirs)
    methods = DepositMethod.objects.filter(operator_id=day.operator, provider=day.provider)
    currencies = set(methods.values_list("currency", flat=True))
    by_currency = sources.by_currency(ours, theirs, currencies)
    return [_record(day, currency, compare(*sides)) for currency, sides in sorted(by_currency.items())]


def assign(
    discrepancy: UUID, *, operator: UUID | None, owner: str, by: str, metadata: Metadata, note: str = ""
) -> DiscrepancyState:
    """Assign a discrepancy to an owner. Raises UnknownDiscrepancy, DiscrepancyClosed, DiscrepancyNoteMissing."""
    note = _require_short(note)
    return change(
        discrepancy,
        operator,
        metadata,
        lambda state, at: lifecycle.assign(state, owner=owner, by=by, at=at),
        note=(by, note) if note else None,
    )


def resolve(
    discrepancy: UUID,
    *,
    operator: UUID | None,
    resolution: DiscrepancyResolution,
    note: str,
    by: str,
    metadata: Metadata,
) -> DiscrepancyState:
    """Resolve a discrepancy and save the note that explains it.

    Raises UnknownDiscrepancy, DiscrepancyClosed, DiscrepancyNoteMissing, OwnPayment, ChangeNeedsSecondPerson.
    """
    note = _require_short(note)
    if not note:
        raise DiscrepancyNoteMissing
    with transaction.atomic():
        messages = Discrepancy.objects.filter(pk=discrepancy, operator_id=operator, type=MESSAGE)
        for provider, payment in messages.values_list("provider", "payment"):
            # Before the run's lock, as who applies messages again has theirs first.
            stored_messages.close(provider=provider, payment=payment_of(payment))
        return change(
            discrepancy, operator, metadata, lambda state, at: _resolved(state, resolution, by, at), note=(by, note)
        )


def _resolved(
    state: DiscrepancyState, resolution: DiscrepancyResolution, by: str, at: datetime
) -> Sequence[DiscrepancyEvent]:
    events = lifecycle.resolve(state, resolution=resolution, by=by, decided_by=_decided_by(state.latest), at=at)
    if _takes_two(state.latest) and not is_another_person(by, state.assigned_by):
        raise ChangeNeedsSecondPerson("Above the policy's amount one person takes it over, and another resolves it.")
    return events


def _takes_two(detected: DiscrepancyDetected) -> bool:
    """Return whether two persons close it: a message above the policy's amount, about money that is real."""
    amount = max(detected.our_amount or 0, detected.their_amount or 0)
    if detected.type is not MESSAGE or detected.operator is None:
        return detected.type is MESSAGE and amount > 0
    if Operator.objects.get(pk=detected.operator).sandbox:
        return False
    return amount > policy(operator=detected.operator, currency=detected.currency).second_approval_above


def _decided_by(detected: DiscrepancyDetected) -> frozenset[str]:
    """Return the persons who decided that a payment may go out."""
    if detected.kind != PaymentKind.PAYOUT or detected.our_status is None:
        return frozenset()
    rows = Withdrawal.objects.filter(pk=detected.payment).values_list("approved_by", flat=True)
    return frozenset(person for approved_by in rows for person in approved_by.split(","))


def _record(day: ReconciliationDay, currency: str, outcome: ReconciliationOutcome) -> ReconciliationResult:
    """Record what is new in an outcome under the lock of its run; nothing where it equals the last one."""
    run = run_id(operator=day.operator, provider=day.provider, currency=currency, day=day.day)
    with transaction.atomic():
        at = lock_run(run)
        events = [_detection(day, currency, run, each, at) for each in outcome.discrepancies]
        completed = ReconciliationCompleted(
            run, day.operator, day.provider, currency, day.day, day.since, day.until, outcome.ours, outcome.theirs,
            outcome.matched, outcome.amount, len(outcome.discrepancies), at,
        )  # fmt: skip
        _write_changes(completed, {event.discrepancy: event for event in events})
    return ReconciliationResult(run, currency, outcome)


def lock_run(run: UUID) -> datetime:
    """Lock a run and its discrepancies until the transaction ends; return the time."""
    at: datetime = fetch(_LOCK, [str(run)])[0][1]
    return at


def _write_changes(completed: ReconciliationCompleted, detected: dict[UUID, DiscrepancyDetected]) -> None:
    run_stream = reconciliation_stream(completed.run)
    compared = Discrepancy.objects.filter(run_id=completed.run).exclude(type=MESSAGE)
    known = compared.values_list("id", flat=True)
    keys = {discrepancy_stream(key): key for key in {*known, *detected}}
    histories = {stream: _decoded(events) for stream, events in read_many([run_stream, *keys]).items()}
    encode = RECONCILIATION_EVENTS.registry.encode
    metadata = Metadata(operator=str(completed.operator), actor=ACTOR, causation="", correlation=run_stream)
    appends, rows = [], []
    runs = histories.pop(run_stream)
    if not runs or replace(runs[-1], at=completed.at) != completed:
        appends.append(Append(run_stream, len(runs), (encode(completed),), metadata))
        RECONCILIATIONS.upsert([reconciliation_row(completed, len(runs) + 1)])
    for stream, history in histories.items():
        state = lifecycle.fold(history) if history else None
        for event in _changes(state, detected.get(keys[stream]), completed.at):
            appends.append(Append(stream, len(history), (encode(event),), metadata))
            rows.append(discrepancy_row(lifecycle.fold([event], state), len(history) + 1))
    if appends:
        append(appends)
        DISCREPANCIES.upsert(rows)


def _changes(
    state: DiscrepancyState | None, detected: DiscrepancyDetected | None, at: datetime
) -> Sequence[DiscrepancyEvent]:
    if detected is not None:
        return lifecycle.record_discrepancy(state, detected)
    return () if state is None else lifecycle.record_cleared(state, at=at)


def _detection(
    day: ReconciliationDay, currency: str, run: UUID, discrepancy: PaymentDiscrepancy, at: datetime
) -> DiscrepancyDetected:
    ours, theirs = discrepancy.ours, discrepancy.theirs
    side = ours or theirs
    if side is None:
        raise AssertionError("A discrepancy has a payment on at least one side.")
    return DiscrepancyDetected(
        discrepancy=discrepancy_id(
            run=run, kind=side.kind.value, payment=side.payment, discrepancy_type=discrepancy.type
        ),
        run=run,
        operator=day.operator,
        provider=day.provider,
        currency=currency,
        day=day.day,
        kind=side.kind.value,
        payment=side.payment,
        reference=(theirs or side).reference,
        type=discrepancy.type,
        our_amount=None if ours is None else ours.amount,
        our_status=None if ours is None else ours.status,
        their_amount=None if theirs is None else theirs.amount,
        their_currency=None if theirs is None else theirs.currency,
        their_status=None if theirs is None else theirs.status.value,
        at=at,
    )


def change(
    discrepancy: UUID,
    operator: UUID | None,
    metadata: Metadata,
    decide: Callable[[DiscrepancyState, datetime], Sequence[DiscrepancyEvent]],
    *,
    note: tuple[str, str] | None = None,
) -> DiscrepancyState:
    """Apply a decision to a discrepancy and save the note, given as author and text."""
    with transaction.atomic():
        row = Discrepancy.objects.filter(pk=discrepancy, operator_id=operator).first()
        if row is None:
            raise UnknownDiscrepancy
        # The same lock as for a comparison of the day, so that neither overtakes the other.
        at = lock_run(row.run_id)
        stream = discrepancy_stream(discrepancy)
        history = RECONCILIATION_EVENTS.history(stream)
        state = lifecycle.fold(history)
        events = decide(state, at)
        if events:
            RECONCILIATION_EVENTS.record(stream, version=len(history), events=events, metadata=metadata)
            state = lifecycle.fold(events, state)
            DISCREPANCIES.upsert([discrepancy_row(state, len(history) + len(events))])
        if note is not None:
            author, text = note
            DiscrepancyNote.objects.create(
                discrepancy_id=discrepancy, actor=author, note=_encrypted(row.payment, text), created_at=at
            )
    return state


def _encrypted(payment: str, note: str) -> str:
    """Encrypt a note under the key of the player whose payment it is about, or nobody's if only the provider knows."""
    keys = [key] if (key := payment_of(payment)) else []
    for model in (Deposit, Withdrawal, RemoteTransaction):
        player = model.objects.filter(pk__in=keys).values_list("player_id", flat=True).first()
        if player is not None:
            return crypto_shredding.encrypt_text(player, note)
    return crypto_shredding.encrypt_text(crypto_shredding.NOBODY, note)


def payment_of(payment: str) -> UUID | None:
    """Return our id of a payment; None for an id of the provider, and where a message names none."""
    try:
        return UUID(payment)
    except ValueError:
        return None


def _require_short(note: str) -> str:
    return require(note, limit=MAX_NOTE_LENGTH, refusal=DiscrepancyNoteMissing, empty=True)


def _decoded(events: Iterable[Any]) -> list[Any]:
    decode = RECONCILIATION_EVENTS.registry.decode
    return [decode(event.type, event.schema, event.data) for event in events]
