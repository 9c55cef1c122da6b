"""Records significant events of the sealed log, in batches of one transaction each.

It runs asynchronously from a checkpoint, never during a wager.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from baccarat.compliance import large_transactions, mapping
from baccarat.storage.models import Round
from casino.events import subscriptions
from casino.events.records import SealedEvent
from casino.events.sql import fetch
from casino.kernel.event_amounts import format_amounts
from casino.kernel.money import format_amount
from casino.significant import recorder
from casino.significant.recorder import NewSignificantEvent, SignificantEventKind
from wallet.responsible_gaming.events import LimitType

SUBSCRIBER: Final = "significant"
BATCH: Final = 1000
MAX_BATCHES: Final = 20
"""Maximum batches per call; the next call continues."""

_PREVIOUS: Final = """
    SELECT data FROM events_event
     WHERE stream = %s AND version < %s AND type = ANY (%s::text[]) AND data::jsonb @> %s::jsonb
     ORDER BY version DESC LIMIT 1
"""
_REQUEST: Final = "SELECT data->>'requested_by', data->>'reason' FROM events_event WHERE stream = %s AND version = 1"
_BALANCES: Final = """
    SELECT posting.balance - posting.amount, posting.balance
      FROM wallet_entry AS entry
      JOIN wallet_posting AS posting ON posting.entry_id = entry.cause
      JOIN wallet_account AS account ON account.id = posting.account_id AND account.kind = 'account'
     WHERE entry.cause = %s LIMIT 1
"""
_SETTING_FIELDS: Final = ("limit_type", "period", "currency", "limit", "cap", "amount", "funding")
_PLAY_LIMITS: Final = ("PlayLimitSet", "PlayLimitIncreased")


def record_new_events() -> int:
    """Record the significant events sealed since the last call. Returns the number of events read.

    The checkpoint moves in the same transaction, so each event is processed exactly once.
    """
    total = 0
    for _ in range(MAX_BATCHES):
        count = subscriptions.run_once(SUBSCRIBER, record_batch, limit=BATCH)
        total += count
        if count < BATCH:
            break
    return total


def record_batch(batch: Sequence[SealedEvent]) -> None:
    """Record the significant events of a batch."""
    events = [event for sealed in batch for event in enrich(sealed, list(mapping.map_event(sealed)))]
    recorder.record_many([*events, *large_transactions.find_large_transactions(batch)])


def enrich(sealed: SealedEvent, events: Sequence[NewSignificantEvent]) -> Iterator[NewSignificantEvent]:
    """Add what only the log and the ledger contain: the replaced setting, balances, who requested a correction.

    Amounts become decimals, time limits minutes. These events are rare.
    """
    for event in events:
        full = _add_details(sealed, event)
        currency = full.currency or msgspec.json.decode(sealed.data).get("currency")
        yield replace(full, before=_format(full.before, currency), after=_format(full.after, currency))


def _format(values: Mapping[str, Any] | None, currency: str | None) -> dict[str, Any] | None:
    if values is None:
        return None
    if values.get("limit_type") == LimitType.TIME and isinstance(values.get("limit"), int):
        return {**values, "limit": f"{values['limit']} min"}
    return format_amounts(values, currency or "")


def _add_details(sealed: SealedEvent, event: NewSignificantEvent) -> NewSignificantEvent:
    if event.kind is SignificantEventKind.AUDIT_FINDING:
        return event
    if sealed.type in mapping.REPLACED_SETTING_KEYS:
        return replace(event, before=_replaced_setting(sealed))
    if event.kind is SignificantEventKind.MONEY_ADJUSTED:
        return _with_balances(sealed, event)
    if event.kind is SignificantEventKind.ROUND_VOIDED:
        return _with_amounts(event)
    return event


def _replaced_setting(sealed: SealedEvent) -> dict[str, Any] | None:
    data = msgspec.json.decode(sealed.data)
    same = {name: data[name] for name in mapping.REPLACED_SETTING_KEYS[sealed.type]}
    types = list(_PLAY_LIMITS) if sealed.type in _PLAY_LIMITS else [sealed.type]
    rows = fetch(_PREVIOUS, [sealed.stream, sealed.version, types, msgspec.json.encode(same).decode()])
    return {name: value for name, value in rows[0][0].items() if name in _SETTING_FIELDS} if rows else None


def _with_amounts(event: NewSignificantEvent) -> NewSignificantEvent:
    """Return a void with its amounts as decimals of the round's currency."""
    round_ = event.subject.removeprefix("round:")
    currency = Round.objects.filter(pk=round_).values_list("currency", flat=True).first()
    if currency is None:
        return event
    before, after = dict(event.before or {}), dict(event.after or {})
    given_back = after["given_back"]
    before["returned"] = format_amount(before["returned"], currency)
    after["given_back"] = format_amount(given_back, currency)
    return replace(event, before=before, after=after, amount=given_back, currency=currency)


def _with_balances(sealed: SealedEvent, event: NewSignificantEvent) -> NewSignificantEvent:
    requests, balances = fetch(_REQUEST, [sealed.stream]), fetch(_BALANCES, [sealed.id])
    requested_by, reason = requests[0] if requests else (event.actor, "")
    before, after = balances[0] if balances else (None, None)
    return replace(
        event,
        actor=requested_by,
        reason=f"{reason}: {event.reason}",
        before={"balance": before},
        after={**(event.after or {}), "balance": after},
    )
