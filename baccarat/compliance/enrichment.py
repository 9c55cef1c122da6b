"""Adds details that an event lacks: the setting it replaced, the money, and who requested a correction."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from baccarat.compliance.mapping import REPLACED_SETTING_KEYS
from casino.events.records import SealedEvent
from casino.events.sql import fetch
from casino.kernel.money import format_amount
from casino.significant.recorder import NewSignificantEvent, SignificantEventKind
from wallet.responsible_gaming.events import LimitType

_PREVIOUS: Final = """
    SELECT data FROM events_event
     WHERE stream = %s AND version < %s AND type = ANY (%s::text[]) AND data @> %s::jsonb
     ORDER BY version DESC LIMIT 1
"""
_ASKED: Final = "SELECT data->>'requested_by', data->>'reason' FROM events_event WHERE stream = %s AND version = 1"
_MOVED: Final = """
    SELECT posting.balance - posting.amount, posting.balance
      FROM wallet_entry AS entry
      JOIN wallet_posting AS posting ON posting.entry_id = entry.id
      JOIN wallet_account AS account ON account.id = posting.account_id AND account.kind = 'account'
     WHERE entry.cause = %s LIMIT 1
"""
_CURRENCY: Final = "SELECT currency FROM baccarat_round WHERE id = %s::uuid"
_MONEY: Final = frozenset({"amount", "balance", "cap", "limit", "owed", "taken"})
_SHOWN: Final = ("limit_type", "period", "currency", "limit", "cap", "amount")
_LIMITS: Final = ("PlayLimitSet", "PlayLimitIncreased")


def enrich(sealed: SealedEvent, events: Sequence[NewSignificantEvent]) -> Iterator[NewSignificantEvent]:
    """Add to significant events what only the log and the ledger contain. These events are rare.

    Amounts are formatted as decimals, time limits as minutes.
    """
    for one in _completed(sealed, events):
        currency = one.currency or msgspec.json.decode(sealed.data).get("currency")
        yield replace(one, before=_spelled(one.before, currency), after=_spelled(one.after, currency))


def _spelled(values: Mapping[str, Any] | None, currency: str | None) -> dict[str, Any] | None:
    if not values or not currency:
        return None if values is None else dict(values)
    timed = values.get("limit_type") == LimitType.TIME
    return {
        name: (f"{value} min" if timed else format_amount(value, currency))
        if name in _MONEY and isinstance(value, int)
        else value
        for name, value in values.items()
    }


def _completed(sealed: SealedEvent, events: Sequence[NewSignificantEvent]) -> Iterator[NewSignificantEvent]:
    for one in events:
        if one.kind is SignificantEventKind.AUDIT_FINDING:
            yield one
        elif sealed.type in REPLACED_SETTING_KEYS:
            yield replace(one, before=_replaced(sealed))
        elif one.kind is SignificantEventKind.MONEY_ADJUSTED:
            yield _with_balances(sealed, one)
        elif one.kind is SignificantEventKind.ROUND_VOIDED:
            yield _in_money(one)
        else:
            yield one


def _replaced(sealed: SealedEvent) -> dict[str, Any] | None:
    now = msgspec.json.decode(sealed.data)
    alike = {name: now[name] for name in REPLACED_SETTING_KEYS[sealed.type]}
    types = list(_LIMITS) if sealed.type in _LIMITS else [sealed.type]
    rows = fetch(_PREVIOUS, [sealed.stream, sealed.version, types, msgspec.json.encode(alike).decode()])
    return {name: value for name, value in rows[0][0].items() if name in _SHOWN} if rows else None


def _in_money(one: NewSignificantEvent) -> NewSignificantEvent:
    """Return a void with its amounts as decimals of the round's currency."""
    rows = fetch(_CURRENCY, [one.subject.removeprefix("round:")])
    if not rows:
        return one
    currency = rows[0][0]
    before, after = dict(one.before or {}), dict(one.after or {})
    back = after["given_back"]
    before["paid"], after["given_back"] = format_amount(before["paid"], currency), format_amount(back, currency)
    return replace(one, before=before, after=after, amount=back, currency=currency)


def _with_balances(sealed: SealedEvent, one: NewSignificantEvent) -> NewSignificantEvent:
    rows = fetch(_ASKED, [sealed.stream])
    moved = fetch(_MOVED, [sealed.id])
    by, reason = rows[0] if rows else (one.actor, "")
    before, after = moved[0] if moved else (None, None)
    return replace(
        one,
        actor=by,
        reason=f"{reason}: {one.reason}",
        before={"balance": before},
        after={**(one.after or {}), "balance": after},
    )
