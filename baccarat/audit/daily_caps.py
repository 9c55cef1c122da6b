"""Audit of daily caps: what each has counted on its day is summed again, from rows that agree with their events."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Final

from casino.events.ids import first_id
from casino.events.sql import fetch
from casino.kernel.findings import Finding
from casino.operators.change import LIFETIME
from casino.operators.daily_caps import CapKind

_CAPS: Final = """
    SELECT cap.operator_id, cap.kind, cap.currency, cap.day, cap.moved,
           greatest(cap.counted_from, cap.day::timestamp AT TIME ZONE own.time_zone),
           (cap.day + 1)::timestamp AT TIME ZONE own.time_zone
      FROM operators_dailycap AS cap JOIN operators_operator AS own ON own.id = cap.operator_id ORDER BY cap.id
"""
_MARGIN: Final = timedelta(hours=1)
"""By how much an entry may be recorded later than its event says."""
# `first` is an id from which rows are looked for: ids of these rows are in the order in which money was asked for.
_SUMS: Final[Mapping[CapKind, str]] = {
    CapKind.TRANSFERS_IN: """
        SELECT sum(amount) FROM wallet_transfer
         WHERE operator_id = %(operator)s AND id >= %(first)s AND currency = %(currency)s AND money_type = 'real'
           AND direction = 'in' AND at >= %(since)s AND at < %(until)s""",
    CapKind.CREDITS: """
        SELECT sum(amount) FROM wallet_adjustment
         WHERE operator_id = %(operator)s AND id >= %(first)s AND currency = %(currency)s AND money_type = 'real'
           AND direction = 'credit' AND posted_at >= %(since)s AND posted_at < %(until)s""",
    CapKind.PAYOUTS: """
        SELECT sum(amount) FROM wallet_withdrawal AS paid
          JOIN events_event AS sent ON sent.stream = 'withdrawal-' || paid.id AND sent.type = 'WithdrawalSent'
         WHERE operator_id = %(operator)s AND currency = %(currency)s AND (ended_at IS NULL OR ended_at >= %(since)s)
           AND (sent.data->>'at')::timestamptz >= %(since)s AND (sent.data->>'at')::timestamptz < %(until)s""",
    CapKind.WINS: """
        SELECT sum(wager.returned - wager.staked) FROM wallet_entry AS entry
          JOIN events_event AS settled ON settled.id = entry.cause
          JOIN baccarat_wager AS wager ON wager.round_id = substr(settled.stream, 7)::uuid
         WHERE entry.operator_id = %(operator)s AND entry.kind = 'settlement' AND entry.recorded_at >= %(since)s
           AND entry.recorded_at < %(until)s + %(margin)s AND wager.money_type = 'real'
           AND wager.currency = %(currency)s AND wager.returned > wager.staked
           AND wager.settled_at >= %(since)s AND wager.settled_at < %(until)s""",
}


def check() -> Iterator[Finding]:
    """Yield the caps that have counted something else than what moved on their day."""
    for operator, kind, currency, day, counted, since, until in fetch(_CAPS):
        values = {"operator": operator, "currency": currency, "since": since, "until": until, "margin": _MARGIN}
        where = f"cap on {kind} in {currency} of operator {operator}, {day}"
        if kind not in _SUMS:
            yield Finding("daily cap of an unknown kind", where, ", ".join(_SUMS), kind)
            continue
        ((moved,),) = fetch(_SUMS[kind], {**values, "first": first_id(since - 2 * LIFETIME)})
        if counted != (moved or 0):
            yield Finding("daily cap differs", where, str(moved or 0), str(counted))
