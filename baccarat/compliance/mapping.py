"""Maps single events to significant events. Amounts are minor units. Reads no table."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import msgspec

from baccarat.chat import events as ce
from baccarat.chat.storage import CATALOGUE as CHAT
from baccarat.domain.rounds import events as re
from baccarat.domain.rules.spots import spot_in_words
from baccarat.domain.tables import events as te
from baccarat.storage.event_registry import CATALOGUE as GAME
from casino.events.codec import EventRegistry, MalformedEvent, UnknownEvent
from casino.events.records import SealedEvent
from casino.kernel.money import MoneyType, format_amount
from casino.significant.recorder import NewSignificantEvent, SignificantEventKind
from wallet.adjustments import events as ae
from wallet.events import CATALOGUE as WALLET
from wallet.funding.events import FundingChanged
from wallet.payments import events as pe
from wallet.responsible_gaming import events as le


@dataclass(frozen=True, slots=True)
class MappingContext:
    """Facts that an event does not contain: its log entry, its operator, and who caused it."""

    sealed: SealedEvent
    operator: UUID | None
    actor: str

    def significant_event(self, kind: SignificantEventKind, subject: str, **more: Any) -> NewSignificantEvent:
        """Create a significant event from this one; `after` gets the position in the log and its time."""
        location = {"log_position": self.sealed.position, "logged_at": self.sealed.recorded_at.isoformat()}
        fields: dict[str, Any] = {"actor": self.actor, "dedup_key": f"event:{self.sealed.id}:{kind}:{subject}", **more}
        after = {**(fields.pop("after", None) or {}), **location}
        return NewSignificantEvent(kind=kind, operator=self.operator, subject=subject, after=after, **fields)


EventMapper = Callable[[Any, MappingContext], Iterator[NewSignificantEvent]]


def map_event(sealed: SealedEvent) -> Iterator[NewSignificantEvent]:
    """Yield the significant events of one event of the log; none for most."""
    if sealed.type not in _BY_NAME:
        return
    registry, mapper = _BY_NAME[sealed.type]
    metadata = msgspec.json.decode(sealed.metadata)
    operator, actor = metadata.get("operator") or None, metadata.get("actor") or "system"
    context = MappingContext(sealed, None if operator is None else UUID(operator), actor)
    try:
        event = registry.decode(sealed.type, sealed.schema, sealed.data)
    except (MalformedEvent, UnknownEvent) as error:
        # Logged and skipped: one unreadable event must not hide those after it.
        yield context.significant_event(
            SignificantEventKind.AUDIT_FINDING, _stream(context), reason=f"An event can't be read: {error}"
        )
        return
    yield from mapper(event, context)


def _round_suspended(event: re.RoundSuspended, context: MappingContext) -> Iterator[NewSignificantEvent]:
    yield context.significant_event(SignificantEventKind.ROUND_SUSPENDED, _stream(context), reason=event.reason)


def _round_voided(event: re.RoundVoided, context: MappingContext) -> Iterator[NewSignificantEvent]:
    real = [seat for seat in event.seats if seat.money_type is MoneyType.REAL]
    yield context.significant_event(
        SignificantEventKind.ROUND_VOIDED,
        f"round:{event.round}",
        actor=event.requested_by,
        authorised_by=event.approved_by or "",
        reason=f"{event.reason}: {event.note}",
        before={
            "phase": "settled" if event.was_settled else "running",
            "returned": sum(seat.returned for seat in real),
        },
        after={"phase": "voided", "given_back": sum(seat.staked for seat in real), "seats": len(event.seats)},
    )
    for seat in real:
        if seat.owed:
            yield context.significant_event(
                SignificantEventKind.NEGATIVE_BALANCE,
                f"player:{seat.player}",
                reason=f"Winnings of round {event.number} were spent before it was voided",
                after={"owed": seat.owed, "round": str(event.round)},
            )


def _adjustment_posted(event: ae.AdjustmentPosted, context: MappingContext) -> Iterator[NewSignificantEvent]:
    signed = event.amount if event.direction is ae.AdjustmentDirection.CREDIT else -event.amount
    amount: dict[str, Any] = {"amount": signed, "currency": event.currency}
    yield context.significant_event(
        SignificantEventKind.MONEY_ADJUSTED,
        f"adjustment:{event.adjustment}",
        actor=event.requested_by,
        authorised_by=event.approved_by,
        reason=f"{event.direction} in {event.money_type} money, player {event.player}",
        after={"player": str(event.player), "taken": event.taken, "owed": event.owed},
        **amount,
    )
    if event.owed:
        yield _negative_balance(
            context, event.player, event.owed, event.currency, "The balance did not cover a manual adjustment"
        )


def _deposit_reversed(event: pe.DepositReversed, context: MappingContext) -> Iterator[NewSignificantEvent]:
    if event.owed:
        yield _negative_balance(
            context, event.player, event.owed, event.currency, f"A deposit was reversed: {event.reason}"
        )


def _negative_balance(
    context: MappingContext, player: UUID, owed: int, currency: str, reason: str
) -> NewSignificantEvent:
    return context.significant_event(
        SignificantEventKind.NEGATIVE_BALANCE,
        f"player:{player}",
        reason=reason,
        after={"owed": owed},
        amount=-owed,
        currency=currency,
    )


def _table_opened(event: te.TableOpened, context: MappingContext) -> Iterator[NewSignificantEvent]:
    rules = event.rules.decoded
    bounds = {name: format_amount(getattr(rules, name), rules.currency) for name in ("minimum", "maximum")}
    yield context.significant_event(
        SignificantEventKind.TABLE_OPENED,
        f"table:{event.table}",
        reason=f"A table was opened: {event.name}",
        after={
            "rules": event.rules.digest,
            "label": rules.label,
            "odds": {spot.name: spot_in_words(spot) for spot in rules.spots},
            "money_types": ", ".join(event.money_types),
            "edge_accepted": ", ".join(event.edge_accepted),
            **bounds,
        },
    )


def _player_restriction(event: Any, context: MappingContext) -> Iterator[NewSignificantEvent]:
    after = {
        name: _plain(getattr(event, name))
        for name in ("limit_type", "period", "limit", "amount", "until")
        if hasattr(event, name)
    }
    yield context.significant_event(
        SignificantEventKind.ACCOUNT_CHANGED, f"player:{event.player}", reason=_LIMITS[type(event)], after=after
    )


def _operator_limit(event: Any, context: MappingContext) -> Iterator[NewSignificantEvent]:
    after = {
        name: _plain(getattr(event, name))
        for name in ("limit_type", "period", "currency", "limit", "cap", "funding")
        if hasattr(event, name)
    }
    yield context.significant_event(
        SignificantEventKind.CONFIG_CHANGED, f"operator:{event.operator}", reason=_LIMITS[type(event)], after=after
    )


def _moderation(event: Any, context: MappingContext) -> Iterator[NewSignificantEvent]:
    after = {name: _plain(getattr(event, name)) for name in ("reason", "until") if hasattr(event, name)}
    kind, reason = _MODERATION_EVENTS[type(event)]
    yield context.significant_event(kind, f"player:{event.player}", reason=reason, after=after)


def _filter_word(event: Any, context: MappingContext) -> Iterator[NewSignificantEvent]:
    added = isinstance(event, ce.FilterWordAdded)
    reason = "A word was added to the chat filter" if added else "A word was removed from the chat filter"
    values = {"word": event.normalized}
    more = {"after": values} if added else {"before": values}
    subject = f"operator:{event.operator}" if event.operator else "words of all"
    yield context.significant_event(SignificantEventKind.CONFIG_CHANGED, subject, reason=reason, **more)


def _stream(context: MappingContext) -> str:
    kind, _, identity = context.sealed.stream.partition("-")
    return f"{kind}:{identity}"


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, int | str) else str(value)


_LIMITS: Final[Mapping[type, str]] = {
    le.TableLimitSet: "The player's own table limit was set",
    le.PlayLimitSet: "A limit on play was set",
    le.PlayLimitIncreased: "A limit on play was raised",
    le.CoolingOffStarted: "A cooling-off began",
    le.SelfExcluded: "The player was excluded",
    le.SelfExclusionEnded: "An exclusion ended",
    le.OperatorLimitSet: "A limit on all players was set",
    le.PlayMoneyCapSet: "The cap on play money was set",
    FundingChanged: "The funding of the operator's players was changed",
}
_MODERATION_EVENTS: Final[Mapping[type, tuple[SignificantEventKind, str]]] = {
    ce.PlayerMuted: (SignificantEventKind.ACCOUNT_CHANGED, "The player was muted in chats"),
    ce.PlayerUnmuted: (SignificantEventKind.ACCOUNT_CHANGED, "The player may write in chats again"),
    ce.PlayerBanned: (SignificantEventKind.PLAYER_BLOCKED, "The player was removed from the casino"),
    ce.PlayerUnbanned: (SignificantEventKind.PLAYER_BLOCKED, "The player was let in again"),
}
_MAPPERS: Final[Mapping[type, tuple[EventRegistry, EventMapper]]] = {
    re.RoundSuspended: (GAME, _round_suspended),
    re.RoundVoided: (GAME, _round_voided),
    te.TableOpened: (GAME, _table_opened),
    ae.AdjustmentPosted: (WALLET, _adjustment_posted),
    pe.DepositReversed: (WALLET, _deposit_reversed),
    le.TableLimitSet: (WALLET, _player_restriction),
    le.PlayLimitSet: (WALLET, _player_restriction),
    le.PlayLimitIncreased: (WALLET, _player_restriction),
    le.CoolingOffStarted: (WALLET, _player_restriction),
    le.SelfExcluded: (WALLET, _player_restriction),
    le.SelfExclusionEnded: (WALLET, _player_restriction),
    le.OperatorLimitSet: (WALLET, _operator_limit),
    le.PlayMoneyCapSet: (WALLET, _operator_limit),
    FundingChanged: (WALLET, _operator_limit),
    **dict.fromkeys(_MODERATION_EVENTS, (CHAT, _moderation)),
    ce.FilterWordAdded: (CHAT, _filter_word),
    ce.FilterWordRemoved: (CHAT, _filter_word),
}
_BY_NAME: Final = {event_type.__name__: entry for event_type, entry in _MAPPERS.items()}

REPLACED_SETTING_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "TableLimitSet": ("currency",),
    "PlayLimitSet": ("limit_type", "period", "currency"),
    "PlayLimitIncreased": ("limit_type", "period", "currency"),
    "OperatorLimitSet": ("limit_type", "period", "currency"),
    "PlayMoneyCapSet": ("currency",),
    "FundingChanged": (),
}
"""Events that replace an earlier event of the same type in their stream with the same values of these fields."""
