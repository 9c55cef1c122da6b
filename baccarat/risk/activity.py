"""What players moved, in quarter hours, and which players bet against each other: projections of sealed events.

A window that ends with a quarter of an hour begins with the quarter its length before, so that it is never shorter.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec
from django.db import transaction

from baccarat.domain.rounds.events import RoundSettled, RoundVoided, SeatSettled
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.odds import hands_of_spots
from baccarat.storage.event_registry import CATALOGUE as PLAY
from baccarat.storage.models import Round
from baccarat.storage.rules_versions import recorded_rules
from casino.events.records import SealedEvent
from casino.events.sql import execute, fetch
from casino.kernel.money import MoneyType
from wallet.events import CATALOGUE as WALLET
from wallet.payments import events as payments

SUBSCRIBER: Final = "risk"
SLOT: Final = timedelta(minutes=15)
WINDOWS: Final[Mapping[str, timedelta]] = {
    "1 h": timedelta(hours=1),
    "24 h": timedelta(days=1),
    "7 d": timedelta(days=7),
    "30 d": timedelta(days=30),
}
_WITHDRAWN: Final = {
    "WithdrawalRequested": 1,
    "WithdrawalRejected": -1,
    "WithdrawalCancelled": -1,
    "WithdrawalReturned": -1,
}
_READ: Final = frozenset({"DepositCompleted", "DepositReversed", "RoundSettled", "RoundVoided", *_WITHDRAWN})
_METHODS: Final = """
    SELECT stream, data->>'method' FROM events_event WHERE stream = ANY (%s::text[]) AND version = 1
"""
_ADD: Final = """
    INSERT INTO risk_activity AS stored (
        player_id, currency, slot, operator_id, deposits, deposited, methods, withdrawals, withdrawn, rounds, staked,
        returned)
    SELECT player_id, currency, slot, operator_id, deposits, deposited, methods, withdrawals, withdrawn, rounds, staked,
           returned
      FROM jsonb_to_recordset(%s::jsonb) AS new (
           player_id uuid, currency text, slot timestamptz, operator_id uuid, deposits int, deposited bigint,
           methods uuid[], withdrawals int, withdrawn bigint, rounds int, staked bigint, returned bigint)
     ORDER BY player_id, currency, slot
    ON CONFLICT (player_id, currency, slot) DO UPDATE SET
        deposits = stored.deposits + excluded.deposits, deposited = stored.deposited + excluded.deposited,
        methods = ARRAY(SELECT DISTINCT unnest(stored.methods || excluded.methods) ORDER BY 1),
        withdrawals = stored.withdrawals + excluded.withdrawals, withdrawn = stored.withdrawn + excluded.withdrawn,
        rounds = stored.rounds + excluded.rounds, staked = stored.staked + excluded.staked,
        returned = stored.returned + excluded.returned
"""
_ADD_PAIRS: Final = """
    INSERT INTO risk_playerpair AS stored (
        player_id, other_id, table_id, currency, slot, operator_id, rounds, opposed, amount, staked)
    SELECT player_id, other_id, table_id, currency, slot, operator_id, rounds, opposed, amount, staked
      FROM jsonb_to_recordset(%s::jsonb) AS new (
           player_id uuid, other_id uuid, table_id uuid, currency text, slot timestamptz, operator_id uuid,
           rounds int, opposed int, amount bigint, staked bigint)
     ORDER BY player_id, other_id, table_id, currency, slot
    ON CONFLICT (player_id, other_id, table_id, currency, slot) DO UPDATE SET
        rounds = stored.rounds + excluded.rounds, opposed = stored.opposed + excluded.opposed,
        amount = stored.amount + excluded.amount, staked = stored.staked + excluded.staked
"""
_MEASURES: Final = """
    sum(deposits)::bigint, sum(deposited)::bigint, sum(withdrawals)::bigint, sum(withdrawn)::bigint,
    sum(rounds)::bigint, sum(staked)::bigint, sum(returned)::bigint,
    (SELECT count(DISTINCT method) FROM risk_activity AS used, unnest(used.methods) AS method
      WHERE used.player_id = moved.player_id AND used.currency = moved.currency AND {used})
"""
_SUMS_OF: Final = f"""
    SELECT span.name, moved.currency, {_MEASURES.format(used="used.slot >= span.first")}
      FROM unnest(%(names)s::text[], %(firsts)s::timestamptz[]) AS span (name, first)
      JOIN risk_activity AS moved ON moved.player_id = %(player)s AND moved.slot >= span.first
     GROUP BY span.name, span.first, moved.player_id, moved.currency ORDER BY moved.currency
"""  # noqa: S608  (constants)
_SUMS_AT: Final = f"""
    SELECT touched.player, touched.slot,
           {_MEASURES.format(used="used.slot BETWEEN touched.slot - %(window)s AND touched.slot")}
      FROM unnest(%(players)s::uuid[], %(slots)s::timestamptz[]) AS touched (player, slot)
      JOIN risk_activity AS moved ON moved.player_id = touched.player AND moved.currency = %(currency)s
       AND moved.slot BETWEEN touched.slot - %(window)s AND touched.slot
     GROUP BY touched.player, touched.slot, moved.player_id, moved.currency ORDER BY touched.slot, touched.player
"""  # noqa: S608  (constants)
_TOP: Final = """
    SELECT player_id, sum(deposits)::bigint, sum(deposited)::bigint, sum(withdrawals)::bigint, sum(withdrawn)::bigint,
           sum(rounds)::bigint, sum(staked)::bigint, sum(returned)::bigint,
           (SELECT count(DISTINCT method) FROM risk_activity AS used, unnest(used.methods) AS method
             WHERE used.player_id = moved.player_id AND used.currency = %(currency)s AND used.slot >= %(first)s)
      FROM risk_activity AS moved
     WHERE slot >= %(first)s AND currency = %(currency)s
       AND (%(operators)s::uuid[] IS NULL OR operator_id = ANY (%(operators)s::uuid[]))
     GROUP BY player_id HAVING {measure} >= %(least)s ORDER BY {measure} DESC, player_id LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class Sums:
    """What a player moved in a window of time, in minor units."""

    deposits: int
    deposited: int
    withdrawals: int
    withdrawn: int
    rounds: int
    staked: int
    returned: int
    methods: int

    @property
    def net(self) -> int:
        """Return what the player won, negative for a loss."""
        return self.returned - self.staked


MEASURES: Final[Mapping[str, str]] = {
    "deposited": "sum(deposited)",
    "withdrawn": "sum(withdrawn)",
    "staked": "sum(staked)",
    "won": "sum(returned - staked)",
    "lost": "sum(staked - returned)",
    "deposits": "sum(deposits)",
}
"""What players can be listed by, with its SQL."""


@dataclass(slots=True)
class Moved:
    """What changes in one row of activity."""

    operator: UUID
    deposits: int = 0
    deposited: int = 0
    methods: set[str] = field(default_factory=set)
    withdrawals: int = 0
    withdrawn: int = 0
    rounds: int = 0
    staked: int = 0
    returned: int = 0


@dataclass(slots=True)
class Opposed:
    """What changes in one row of a pair."""

    operator: UUID
    rounds: int = 0
    opposed: int = 0
    amount: int = 0
    staked: int = 0


ActivityKey = tuple[UUID, str, datetime]
"""Player, currency and the quarter of an hour."""
PairKey = tuple[UUID, UUID, UUID, str, datetime]
"""Two players, the lower id first; table, currency and hour."""


@dataclass(frozen=True, slots=True)
class Touched:
    """The rows that a batch of events changed."""

    activity: Mapping[ActivityKey, Moved]
    pairs: Mapping[PairKey, Opposed]


def project(batch: Sequence[SealedEvent]) -> Touched:
    """Add a batch of sealed events to the sums, and return the rows that changed."""
    activity: dict[ActivityKey, Moved] = {}
    pairs: dict[PairKey, Opposed] = {}
    read = [event for event in batch if event.type in _READ]
    rounds = {event.stream for event in read if event.stream.startswith("round-")}
    places = _places(rounds) if rounds else {}
    deposits = [event.stream for event in read if event.type == "DepositCompleted"]
    methods: dict[str, str] = dict(fetch(_METHODS, [deposits])) if deposits else {}
    for sealed in read:
        if sealed.stream in places:
            _play(sealed, places[sealed.stream], activity, pairs)
        elif not sealed.stream.startswith("round-"):
            _payment(sealed, methods, activity)
    _save(activity, pairs)
    return Touched(activity, pairs)


class Place(NamedTuple):
    """Where a round is played, and the digest of its rules."""

    operator: UUID
    table: UUID
    currency: str
    rules: str


def _places(streams: Iterable[str]) -> dict[str, Place]:
    """Return the place of each round, but of those with chosen cards."""
    ids = [UUID(stream.removeprefix("round-")) for stream in streams]
    rounds = Round.objects.filter(pk__in=ids, forced=False)
    rows = rounds.values_list("pk", "operator_id", "table_id", "currency", "rules")
    return {f"round-{row[0]}": Place(*row[1:]) for row in rows}


def _payment(sealed: SealedEvent, methods: Mapping[str, str], activity: dict[ActivityKey, Moved]) -> None:
    event: Any = WALLET.decode(sealed.type, sealed.schema, sealed.data)
    row = _row(activity, event.player, event.currency, event.at, event.operator)
    if isinstance(event, payments.DepositCompleted):
        row.deposits += 1
        row.deposited += event.amount
        row.methods.add(methods[sealed.stream])
    elif isinstance(event, payments.DepositReversed):
        row.deposits -= event.credited
        row.deposited -= event.amount if event.credited else 0
    else:
        sign = _WITHDRAWN[sealed.type]
        row.withdrawals += sign
        row.withdrawn += sign * event.amount


def _play(
    sealed: SealedEvent,
    place: Place,
    activity: dict[ActivityKey, Moved],
    pairs: dict[PairKey, Opposed],
) -> None:
    operator, currency = place.operator, place.currency
    event = PLAY.decode(sealed.type, sealed.schema, sealed.data)
    if isinstance(event, RoundSettled):
        real = [wager for wager in event.wagers if wager.money_type is MoneyType.REAL]
        for wager in real:
            _add_play(
                _row(activity, wager.player, currency, event.settled_at, operator), 1, wager.staked, wager.returned
            )
        _add_pairs(real, place, event.settled_at, pairs)
    elif isinstance(event, RoundVoided) and event.was_settled:
        for seat in event.seats:
            if seat.money_type is MoneyType.REAL:
                row = _row(activity, seat.player, currency, event.voided_at, operator)
                _add_play(row, -1, -seat.staked, -seat.returned)


def _add_play(row: Moved, rounds: int, staked: int, returned: int) -> None:
    row.rounds += rounds
    row.staked += staked
    row.returned += returned


def _add_pairs(wagers: Sequence[SeatSettled], place: Place, at: datetime, pairs: dict[PairKey, Opposed]) -> None:
    if len(wagers) < 2:
        return
    operator, table, currency, digest = place
    hour = at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    hands = hands_of_spots(recorded_rules(digest))
    sides = sorted((wager.player, *_side(wager, hands)) for wager in wagers)
    for (one, side, stake), (other, other_side, other_stake) in combinations(sides, 2):
        if one == other:
            continue
        pair = pairs.setdefault((one, other, table, currency, hour), Opposed(operator))
        pair.rounds += 1
        if side and other_side and side != other_side:
            pair.opposed += 1
            pair.amount += min(stake, other_stake)
            pair.staked += stake + other_stake


def _side(wager: SeatSettled, hands: Mapping[str, Outcome]) -> tuple[str, int]:
    """Return the side that a wager is on, with its stake; no side if it is on both or on neither."""
    stakes: Counter[str] = Counter()
    for result in wager.results:
        if result.spot in hands:
            stakes[hands[result.spot]] += result.stake
    ((side, stake),) = stakes.items() if len(stakes) == 1 else (("", 0),)
    return side, stake


def _row(activity: dict[ActivityKey, Moved], player: UUID, currency: str, at: datetime, operator: UUID) -> Moved:
    return activity.setdefault((player, currency, slot_of(at)), Moved(operator))


def slot_of(at: datetime) -> datetime:
    """Return the beginning of the quarter of an hour that a time is in."""
    moment = at.astimezone(UTC)
    return moment.replace(minute=moment.minute // 15 * 15, second=0, microsecond=0)


def _save(activity: Mapping[ActivityKey, Moved], pairs: Mapping[PairKey, Opposed]) -> None:
    if activity:
        rows: list[dict[str, Any]] = [
            {
                "player_id": player, "currency": currency, "slot": slot, "operator_id": row.operator,
                "deposits": row.deposits, "deposited": row.deposited, "methods": sorted(row.methods),
                "withdrawals": row.withdrawals, "withdrawn": row.withdrawn, "rounds": row.rounds,
                "staked": row.staked, "returned": row.returned,
            }
            for (player, currency, slot), row in activity.items()
        ]  # fmt: skip
        execute(_ADD, [_json(rows)])
    if pairs:
        rows = [
            {
                "player_id": one, "other_id": other, "table_id": table, "currency": currency, "slot": slot,
                "operator_id": pair.operator, "rounds": pair.rounds, "opposed": pair.opposed, "amount": pair.amount,
                "staked": pair.staked,
            }
            for (one, other, table, currency, slot), pair in pairs.items()
        ]  # fmt: skip
        execute(_ADD_PAIRS, [_json(rows)])


def sums_of(player: UUID, now: datetime) -> dict[str, dict[str, Sums]]:
    """Return what a player moved, by currency and by the name of the window."""
    values = {"player": player, "names": list(WINDOWS), "firsts": [slot_of(now - span) for span in WINDOWS.values()]}
    sums: defaultdict[str, dict[str, Sums]] = defaultdict(dict)
    for name, currency, *measures in fetch(_SUMS_OF, values):
        sums[currency][name] = Sums(*measures)
    return dict(sums)


def sums_at(
    keys: Collection[tuple[UUID, datetime]], *, currency: str, window: timedelta
) -> Iterator[tuple[UUID, datetime, Sums]]:
    """Yield what players moved in the window that ends with each quarter of an hour, earlier ones first."""
    values = {
        "players": [player for player, _ in keys],
        "slots": [slot for _, slot in keys],
        "currency": currency,
        "window": window,
    }
    for player, slot, *measures in fetch(_SUMS_AT, values):
        yield player, slot, Sums(*measures)


def top_players(
    *, operators: Collection[UUID] | None, currency: str, since: datetime, measure: str, least: int, limit: int
) -> list[tuple[UUID, Sums]]:
    """List the players who moved at least so much since a time, those with most first; None is all operators."""
    values = {
        "operators": None if operators is None else list(operators),
        "currency": currency,
        "first": slot_of(since),
        "least": least,
        "limit": limit,
    }
    rows = fetch(_TOP.format(measure=MEASURES[measure]), values)
    return [(player, Sums(*measures)) for player, *measures in rows]


def forget() -> None:
    """Delete the sums, so that the subscriber derives them again from the first sealed event."""
    with transaction.atomic():
        execute("DELETE FROM risk_activity")
        execute("DELETE FROM risk_playerpair")
        execute("DELETE FROM events_subscription WHERE name = %s", [SUBSCRIBER])


def _json(rows: Sequence[dict[str, Any]]) -> str:
    return msgspec.json.encode(rows).decode()
