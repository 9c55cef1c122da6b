"""Large wagers, wins, payments and transfers, single and per day (UTC), found set-wise in each batch."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, Final
from uuid import UUID

from casino.events.ids import uuid7
from casino.events.records import SealedEvent
from casino.events.sql import fetch
from casino.significant import thresholds
from casino.significant.recorder import NewSignificantEvent, SignificantEventKind
from casino.significant.thresholds import Thresholds

_WAGERS: Final = """
    SELECT id, round_id, operator_id, player_id, currency, staked, coalesce(returned - staked, 0)
      FROM baccarat_wager WHERE round_id = ANY (%s::uuid[]) AND money_type = 'real' ORDER BY id
"""
# Ids of rounds ascend with time, so a day is a range of the index by player and round.
_DAY: Final = """
    SELECT player_id, sum(staked)::bigint, coalesce(sum(returned - staked), 0)::bigint
      FROM baccarat_wager
     WHERE player_id = ANY (%s::uuid[]) AND round_id >= %s AND round_id < %s AND currency = %s AND money_type = 'real'
       AND voided_at IS NULL
     GROUP BY player_id ORDER BY player_id
"""
_PAYMENTS: Final = """
    SELECT 'deposit', id, operator_id, player_id, currency, amount FROM wallet_deposit WHERE id = ANY (%s::uuid[])
    UNION ALL
    SELECT 'withdrawal', id, operator_id, player_id, currency, amount FROM wallet_withdrawal WHERE id = ANY (%s::uuid[])
    UNION ALL
    SELECT 'transfer', id, operator_id, player_id, currency, amount FROM wallet_transfer
     WHERE id = ANY (%s::uuid[]) AND money_type = 'real'
"""
TransactionSubject = tuple[str, UUID, UUID]
"""Subject, operator and player of a transaction."""
_ROUND_EVENTS: Final = frozenset({"WagerConfirmed", "RoundSettled"})
_PAYMENT_STREAMS: Final = {
    "DepositRequested": "deposit-",
    "WithdrawalRequested": "withdrawal-",
    "MoneyTransferred": "transfer-",
}


@dataclass(frozen=True, slots=True)
class _Wager:
    id: str
    round: UUID
    operator: UUID
    player: UUID
    currency: str
    staked: int
    won: int


def find_large_transactions(batch: Sequence[SealedEvent]) -> Iterator[NewSignificantEvent]:
    """Yield what in a batch of the log exceeds its operator's thresholds, each item once."""
    rounds = sorted({UUID(event.stream.removeprefix("round-")) for event in batch if event.type in _ROUND_EVENTS})
    wagers = [_Wager(*row) for row in fetch(_WAGERS, [rounds])] if rounds else []
    payments = _payments(batch)
    pairs = {(wager.operator, wager.currency) for wager in wagers} | {(row[2], row[4]) for row in payments}
    limits = thresholds.thresholds_for(pairs)
    for wager in wagers:
        yield from _single(wager, limits[wager.operator, wager.currency])
    days = {event.recorded_at.astimezone(UTC).date() for event in batch if event.type in _ROUND_EVENTS}
    for day in sorted(days):
        yield from _daily(day, wagers, limits)
    for kind, key, operator, player, currency, amount in payments:
        if amount >= limits[operator, currency].payment:
            about = (f"{kind}:{key}", operator, player)
            yield _large_event(SignificantEventKind.LARGE_PAYMENT, about, amount, currency, f"A large {kind}")


def _payments(batch: Iterable[SealedEvent]) -> list[tuple[Any, ...]]:
    ids: dict[str, list[UUID]] = {kind: [] for kind in _PAYMENT_STREAMS}
    for event in batch:
        if event.type in _PAYMENT_STREAMS:
            ids[event.type].append(UUID(event.stream.removeprefix(_PAYMENT_STREAMS[event.type])))
    return fetch(_PAYMENTS, list(ids.values())) if any(ids.values()) else []


def _single(wager: _Wager, limits: Thresholds) -> Iterator[NewSignificantEvent]:
    about, which = (f"round:{wager.round}", wager.operator, wager.player), f"In one round, wager {wager.id}"
    if wager.staked >= limits.wager:
        yield _large_event(SignificantEventKind.LARGE_WAGER, about, wager.staked, wager.currency, which)
    if wager.won >= limits.win:
        yield _large_event(SignificantEventKind.LARGE_WIN, about, wager.won, wager.currency, which)


def _daily(
    day: date, wagers: Sequence[_Wager], limits: dict[tuple[UUID, str], Thresholds]
) -> Iterator[NewSignificantEvent]:
    begin, end = _first_id(day), _first_id(date.fromordinal(day.toordinal() + 1))
    for operator, currency in sorted({(wager.operator, wager.currency) for wager in wagers}):
        players = sorted({each.player for each in wagers if (each.operator, each.currency) == (operator, currency)})
        threshold = limits[operator, currency]
        for player, staked, won in fetch(_DAY, [players, begin, end, currency]):
            about, on = (f"player:{player}", operator, player), f"In all, on {day} (UTC)"
            if staked >= threshold.wager_day:
                yield _large_event(SignificantEventKind.LARGE_WAGER, about, staked, currency, on)
            if won >= threshold.win_day:
                yield _large_event(SignificantEventKind.LARGE_WIN, about, won, currency, on)


def _large_event(
    kind: SignificantEventKind, about: TransactionSubject, amount: int, currency: str, reason: str
) -> NewSignificantEvent:
    subject, operator, player = about
    return NewSignificantEvent(
        kind=kind,
        operator=operator,
        subject=subject,
        actor=f"player:{player}",
        reason=reason,
        amount=amount,
        currency=currency,
        dedup_key=f"{kind}:{subject}:{player}:{currency}:{reason}",
    )


def _first_id(day: date) -> UUID:
    midnight = datetime.combine(day, time(), UTC)
    return uuid7(milliseconds=int(midnight.timestamp()) * 1000, entropy=bytes(10))
