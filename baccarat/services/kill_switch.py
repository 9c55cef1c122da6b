"""Use cases of kill switches: stop and resume all gaming, an operator, rules, a table or a player.

Each is one transaction that updates every affected table. Wagers lock their table (a player's stop, the player), so
every wager that commits after the stop has been checked against it. Confirmed wagers are dealt and settled.

A stop has the rank of those for whom it was set: floor managers act with that of tables, keys, desks and duty managers
of an operator with the operator's, duty managers of all operators and the system with the platform's, and these persons
with the regulator's by the reference of an order. Where there is one operator, its duty managers are the platform's:
somebody has to lift what stopped by itself. A further operator, such as a sandbox, sets the platform's own apart. The
same or a higher rank lifts a stop; a higher one may also stop again what is stopped. At a live operator two persons of
such a rank agree to lift a stop that reaches beyond one table, or was ordered by a regulator.
"""

import logging
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from baccarat import acts
from baccarat.domain.rounds.voiding import BY_LIMIT
from baccarat.domain.tables import decisions
from baccarat.domain.tables.kill_switch import (
    OPERATOR_DOORS,
    AlreadyStopped,
    DepositsNotInScope,
    NotStopped,
    OrderIsForThePlatform,
    PlayResumed,
    PlayStopped,
    StopEvent,
    StopImposed,
    StopLifted,
    StopMessageTooLong,
    StopOfHigherRank,
    StopOrderTooLong,
    StopRank,
    StopReasonMissing,
    StopScope,
    UnknownStopSubject,
    stop_id,
    stop_stream,
)
from baccarat.storage import projections, repository, rules_versions
from baccarat.storage.event_registry import CATALOGUE
from baccarat.storage.models import KillSwitch, RulesVersion, Table
from casino.crypto import crypto_shredding
from casino.events.projections import Row
from casino.events.sql import database_now, execute
from casino.events.store import Append, Metadata, append
from casino.kernel.persons import STAFF, is_shell
from casino.kernel.text import isolate, require
from casino.operators import changes, memberships
from casino.operators.changes import ChangeKind
from casino.operators.models import Change, ChangeName, Operator, Player
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.significant import recorder
from casino.staff.models import SignedIn
from wallet.payments import deposits as wallet_deposits
from wallet.payments.refusals import DepositsAreStopped
from wallet.responsible_gaming import services as responsible_gaming
from wallet.responsible_gaming.services import PlayerContext
from wallet.responsible_gaming.state import BLOCKED_MESSAGE

logger = logging.getLogger(__name__)

MAX_REASON_LENGTH: Final = 500
MAX_MESSAGE_LENGTH: Final = 200
MAX_ORDER_LENGTH: Final = 100
WITH_DEPOSITS: Final = frozenset({StopScope.GAMING, StopScope.OPERATOR})
"""Scopes in which deposits can be stopped, too."""
OPERATOR_SCOPES: Final = frozenset({StopScope.OPERATOR, StopScope.TABLE, StopScope.PLAYER})
DEFAULT_MESSAGES: Final = {
    StopScope.GAMING: "Play is stopped for now, at every table.",
    StopScope.OPERATOR: "Play in this casino is stopped for now.",
    StopScope.RULES: "Play by the rules of this table is stopped for now.",
    StopScope.TABLE: "Play at this table is stopped for now.",
    StopScope.PLAYER: BLOCKED_MESSAGE,
}
_EVENT_KINDS: Final = {
    StopScope.TABLE: (recorder.SignificantEventKind.TABLE_STOPPED, recorder.SignificantEventKind.GAMING_RESUMED),
    StopScope.PLAYER: (recorder.SignificantEventKind.PLAYER_BLOCKED, recorder.SignificantEventKind.PLAYER_BLOCKED),
}
_LOCK_KEY: Final = 0x6361_7369_6E6F_0005
"""The advisory lock of kill switches: "casino" in ASCII, and a number that no other lock has."""


def stop(
    *,
    scope: StopScope,
    subject: str = "",
    operator: UUID | None = None,
    reason: str,
    message: str = "",
    order: str = "",
    deposits: bool = False,
    metadata: Metadata,
) -> Row:
    """Stop play within `scope` for everything that commits later, and return the kill switch.

    `operator` is that of a request over HTTP, which may stop only its own subjects. Players see `message`; `order` is
    the reference of a regulator's order. With `deposits`, no deposit is requested either: what is stopped already may
    be stopped again with it. Raises StopReasonMissing, StopMessageTooLong, StopOrderTooLong, OrderIsForThePlatform,
    UnknownStopSubject, DepositsNotInScope, AlreadyStopped, UnknownAccount.
    """
    if deposits and scope not in WITH_DEPOSITS:
        raise DepositsNotInScope
    reason, order = _parse_reason(reason), order.strip()
    message = require(message, limit=MAX_MESSAGE_LENGTH, refusal=StopMessageTooLong, empty=True)
    rank = StopRank.OPERATOR if operator is not None else rank_of(metadata.actor, order=order)
    subject, owner, currency = _find_subject(scope, subject, operator)
    with transaction.atomic():
        _lock_exclusive()
        reason = _encrypt(scope, subject, reason)
        message = _encrypt(scope, subject, message) or DEFAULT_MESSAGES[scope]
        before = _find(scope, subject)
        is_stopped = before is not None and before.active
        if before is not None and is_stopped:
            adds_deposits = deposits and not before.deposits and rank == before.rank
            if StopRank(before.rank).covers(rank) and not adds_deposits:
                raise AlreadyStopped(since=before.at)
            deposits = deposits or before.deposits  # a stop by a higher rank loosens nothing
        now, by = database_now(), metadata.actor
        stopped = StopImposed(scope, subject, owner, reason, message, rank, order, by, now, deposits)
        row = _record(stopped, before, metadata)
        if scope is StopScope.PLAYER and owner is not None and not is_stopped:
            player = PlayerContext(owner, UUID(subject), currency, metadata)
            responsible_gaming.block_player(context=player, player_message=message)
        _apply_to_tables(
            PlayStopped(scope, _rules(scope, subject), message, reason, by, now),
            subject,
            metadata,
        )
        _record_significant_event(row, before)
    return row


def resume(
    *,
    scope: StopScope,
    subject: str = "",
    operator: UUID | None = None,
    reason: str,
    order: str = "",
    metadata: Metadata,
) -> Row:
    """Resume play within `scope`, unless another kill switch stops it, and return the kill switch.

    Raises StopReasonMissing, StopOrderTooLong, OrderIsForThePlatform, UnknownStopSubject, NotStopped, StopOfHigherRank,
    and ChangeNeedsSecondPerson where `request_resume` asks for a change.
    """
    reason, order = _parse_reason(reason), order.strip()
    rank = StopRank.OPERATOR if operator is not None else rank_of(metadata.actor, order=order)
    subject, owner, _ = _find_subject(scope, subject, operator)
    with transaction.atomic():
        _lock_exclusive()
        if needs_change(scope, subject, by=metadata.actor):
            raise ChangeNeedsSecondPerson
        reason, by = _encrypt(scope, subject, reason), metadata.actor
        return _lift(StopLifted(scope, subject, owner, reason, rank, order, by, (), None, database_now()), metadata)


def needs_change(scope: StopScope, subject: str, *, operator: UUID | None = None, by: str) -> bool:
    """Return whether several persons have to agree that play resumes. Raises UnknownStopSubject."""
    subject, owner, _ = _find_subject(scope, subject, operator)
    live = Operator.objects.filter(sandbox=False)
    if not (live if owner is None else live.filter(pk=owner)).exists():
        return False
    switch = _find(scope, subject)
    return scope.is_wide() or is_shell(by) or (switch is not None and switch.rank == StopRank.REGULATOR)


def request_resume(
    *, scope: StopScope, subject: str = "", operator: UUID | None = None, reason: str, order: str = "", by: str
) -> Change:
    """Request that play resumes, on which another person has to agree, or two after a command.

    Raises what `resume` raises, and ChangeNeedsSecondPerson for keys.
    """
    subject, owner, _ = _find_subject(scope, subject, operator)
    return changes.request(
        operator=owner,
        kind=ChangeName.RESUME_PLAY,
        subject=f"stop:{stop_id(scope, subject)}",
        summary=f"Resume play {_reach(scope, subject)}{f', by the order {order.strip()}' if order.strip() else ''}",
        details={
            "scope": scope.value,
            "subject": subject,
            "reason": _encrypt(scope, subject, _parse_reason(reason)),
            "order": order.strip(),
            "rank": StopRank.OPERATOR if operator is not None else rank_of(by, order=order.strip()),
        },
        by=by,
    )


def register() -> None:
    """Register the change that lifts a stop, and that deposits ask whether they are stopped."""
    wallet_deposits.register_guard(require_deposits)
    changes.register(ChangeKind(ChangeName.RESUME_PLAY, acts.RESUME_PLAY, _apply_resume, alone=True))


def _apply_resume(change: Change) -> None:
    """Lift a stop as the persons who agreed, each of whom has the rank for it."""
    scope, subject, order = StopScope(change.details["scope"]), change.details["subject"], change.details["order"]
    ranks = [StopRank(change.details["rank"]), *(rank_of(each, order=order) for each in change.confirmed_by)]
    _lock_exclusive()
    for rank in ranks:
        _require_rank(rank, _find(scope, subject))
    lifted = StopLifted(
        scope=scope,
        subject=subject,
        operator=change.operator_id,
        reason=change.details["reason"],
        rank=ranks[0],
        regulator_order=order,
        by=change.requested_by,
        agreed_by=tuple(change.confirmed_by),
        change=change.pk,
        at=database_now(),
    )
    _lift(lifted, changes.metadata(change))


def _require_rank(rank: StopRank, switch: KillSwitch | None) -> KillSwitch:
    """Return a stop that this rank may lift. Raises NotStopped, StopOfHigherRank."""
    if switch is None or not switch.active:
        raise NotStopped
    if not rank.covers(StopRank(switch.rank)):
        raise StopOfHigherRank(rank=switch.rank)
    return switch


def _lift(event: StopLifted, metadata: Metadata) -> Row:
    """Lift a stop, in the caller's transaction. Raises NotStopped, StopOfHigherRank."""
    scope, subject = event.scope, event.subject
    before = _require_rank(event.rank, _find(scope, subject))
    row = _record(event, before, metadata)
    if scope is StopScope.PLAYER and event.operator is not None:
        currency = _find_subject(scope, subject, None)[2]
        responsible_gaming.unblock_player(context=PlayerContext(event.operator, UUID(subject), currency, metadata))
    _apply_to_tables(
        PlayResumed(scope, _rules(scope, subject), event.reason, event.by, event.at),
        subject,
        metadata,
    )
    _record_significant_event(row, before)
    return row


def stop_for_integrity(*, reason: str) -> Row:
    """Stop all gaming because the running code is not the approved code. Raises AlreadyStopped."""
    by = Metadata(operator="", actor="system", causation="integrity", correlation="switch")
    return stop(scope=StopScope.GAMING, reason=reason, metadata=by)


def stop_table_behind(table: UUID, *, reason: str) -> bool:
    """Stop a table that is behind its witness's chain; return whether it was not stopped yet."""
    by = Metadata(operator="", actor=BY_LIMIT, causation="witness", correlation="switch")
    try:
        stop(scope=StopScope.TABLE, subject=str(table), reason=reason, metadata=by)
    except AlreadyStopped:
        return False
    logger.critical("ALERT table %s was stopped: %s", table, reason)
    return True


def rank_of(actor: str, *, order: str = "") -> StopRank:
    """Return the rank with which somebody stops and resumes play. Raises OrderIsForThePlatform, StopOrderTooLong."""
    door, _, number = actor.partition(":")
    rank = StopRank.OPERATOR if door in OPERATOR_DOORS else StopRank.PLATFORM
    if door == STAFF:
        rank = rank_of_member(SignedIn.objects.filter(pk=int(number)).first())
    if len(order) > MAX_ORDER_LENGTH:
        raise StopOrderTooLong
    if order and rank is not StopRank.PLATFORM:
        raise OrderIsForThePlatform
    return StopRank.REGULATOR if order else rank


def rank_of_member(user: Any) -> StopRank:
    """Return the rank with which a member of staff, if it is one, stops and resumes play without an order."""
    if user is None or not user.has_perm(acts.RESUME_PLAY.name):
        return StopRank.TABLE
    of_all = user.is_superuser or memberships.works_for_all(user.pk)
    return StopRank.PLATFORM if of_all else StopRank.OPERATOR


def operator_of(scope: StopScope, subject: str) -> UUID | None:
    """Return the operator that owns a subject, None if there is no single one. Raises UnknownStopSubject."""
    return _find_subject(scope, subject, None)[1]


def require_deposits(operator: UUID) -> None:
    """Refuse a deposit while a stop of deposits reaches the operator's players. Raises DepositsAreStopped."""
    lock_shared()
    stops = [stop_id(StopScope.GAMING, ""), stop_id(StopScope.OPERATOR, str(operator))]
    switch = KillSwitch.objects.filter(pk__in=stops, active=True, deposits=True).order_by("pk").first()
    if switch is not None:
        raise DepositsAreStopped(since=switch.at)


def list_kill_switches(*, operator: UUID) -> list[KillSwitch]:
    """List an operator's kill switches, and those of the house that stop one of its tables."""
    current = (rules_versions.IN_FORCE, rules_versions.PUBLISHED)
    rules = RulesVersion.objects.filter(operator_id=operator, status__in=current).values("digest")
    of_house = Q(operator_id=None, active=True) & (Q(scope=StopScope.GAMING) | Q(subject__in=rules))
    return list(KillSwitch.objects.filter(Q(operator_id=operator) | of_house).order_by("id"))


def active_stops(*, operator: UUID, rules: str) -> list[KillSwitch]:
    """Return the stops that apply to a table of this operator with the rules of this digest."""
    stops = [(StopScope.GAMING, ""), (StopScope.OPERATOR, str(operator)), (StopScope.RULES, rules)]
    return list(KillSwitch.objects.filter(pk__in=[stop_id(*each) for each in stops], active=True))


def lock_shared() -> None:
    """Make changes of kill switches wait for this transaction; does not block other holders."""
    execute("SELECT pg_advisory_xact_lock_shared(%s)", [_LOCK_KEY])


def _lock_exclusive() -> None:
    """Make other changes of kill switches, and openings of tables, wait for this transaction to end."""
    execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK_KEY])


def _parse_reason(text: str) -> str:
    return require(text, limit=MAX_REASON_LENGTH, refusal=StopReasonMissing)


def _find(scope: StopScope, subject: str) -> KillSwitch | None:
    """Return a kill switch, None if it was never used."""
    return KillSwitch.objects.filter(pk=stop_id(scope, subject)).first()


def _encrypt(scope: StopScope, subject: str, text: str) -> str:
    """Encrypt texts about a player with the player's key, so that erasure covers them; return others unchanged."""
    return crypto_shredding.encrypt_text(UUID(subject), text) if scope is StopScope.PLAYER else text


def _find_subject(scope: StopScope, subject: str, requester: UUID | None) -> tuple[str, UUID | None, str]:
    """Return the subject's canonical form, its operator and its currency. Raises UnknownStopSubject."""
    if scope is StopScope.GAMING:
        if subject or requester is not None:
            raise UnknownStopSubject
        return "", None, ""
    if scope is StopScope.RULES:
        if requester is not None or not RulesVersion.objects.filter(digest=subject).exists():
            raise UnknownStopSubject
        return subject, None, ""
    key = _parse_id(subject)
    rows = {
        StopScope.OPERATOR: Operator.objects.values_list("id", "currencies__0"),
        StopScope.TABLE: Table.objects.values_list("operator_id", "currency"),
        StopScope.PLAYER: Player.objects.values_list("operator_id", "operator__currencies__0"),
    }[scope]
    row = rows.filter(pk=key).first()
    if row is None or requester not in {None, row[0]}:
        raise UnknownStopSubject
    return str(key), row[0], row[1]


def _reach(scope: StopScope, subject: str) -> str:
    """Say in words what a stop holds; a player is named by the change's subject alone."""
    match scope:
        case StopScope.OPERATOR:
            return f"of operator {isolate(Operator.objects.get(pk=subject).name)}"
        case StopScope.TABLE:
            return f"at table {isolate(Table.objects.get(pk=subject).name)}"
        case StopScope.RULES:
            return f"by rules {', '.join(map(str, rules_versions.reaches(subject)))}"
        case StopScope.PLAYER:
            return "of a player"
    return "everywhere"


def _rules(scope: StopScope, subject: str) -> str:
    return subject if scope is StopScope.RULES else ""


def _parse_id(subject: str) -> UUID:
    try:
        return UUID(subject)
    except ValueError:
        raise UnknownStopSubject from None


def _record(event: StopEvent, before: KillSwitch | None, metadata: Metadata) -> Row:
    version = 0 if before is None else before.version
    append([Append(stop_stream(event.scope, event.subject), version, (CATALOGUE.encode(event),), metadata)])
    row = projections.kill_switch_row(event, version + 1)
    projections.KILL_SWITCHES.upsert([row])
    return row


def _apply_to_tables(event: PlayStopped | PlayResumed, subject: str, metadata: Metadata) -> None:
    """Turn the switch at every affected table. Skips unreadable tables, which cannot play rounds anyway."""
    loaded = repository.lock_tables(_affected_tables(event.scope, subject))
    for table in loaded.unreadable:
        logger.critical("ALERT table %s was not informed of a stop: rebuild it from its events", table)
    for uow in loaded.units_of_work:
        uow.on_table(decisions.switch_play, event)
    repository.save([(uow, metadata) for uow in loaded.units_of_work])


def _affected_tables(scope: StopScope, subject: str) -> list[UUID]:
    """Return the tables in scope; none for a player, whose stop does not apply to tables."""
    tables = Table.objects.values_list("id", flat=True)
    match scope:
        case StopScope.GAMING:
            return list(tables)
        case StopScope.OPERATOR:
            return list(tables.filter(operator_id=subject))
        case StopScope.TABLE:
            return list(tables.filter(pk=subject))
        case StopScope.RULES:
            # Tables that once had these rules may have them in force, pending, or still be stopped because of them.
            return list(RulesVersion.objects.filter(digest=subject).values_list("table_id", flat=True))
        case StopScope.PLAYER:
            return []


def _record_significant_event(row: Row, before: KillSwitch | None) -> None:
    scope = StopScope(row.scope)
    stopped, resumed = _EVENT_KINDS.get(
        scope, (recorder.SignificantEventKind.GAMING_STOPPED, recorder.SignificantEventKind.GAMING_RESUMED)
    )
    recorder.record(
        kind=stopped if row.active else resumed,
        operator=row.operator_id,
        subject=row.id if scope in OPERATOR_SCOPES else f"rules:{row.subject}" if row.subject else "gaming",
        actor=row.by,
        authorised_by=row.agreed_by,
        reason=row.reason,
        before={"active": False} if before is None else {"active": before.active, "rank": before.rank},
        after={
            "active": row.active,
            "rank": row.rank,
            "regulator_order": row.regulator_order,
            "deposits": row.deposits,
            **({} if scope is StopScope.PLAYER else {"player_message": row.message}),
        },
    )
