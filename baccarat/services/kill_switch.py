"""Use cases of kill switches: stop and resume all gaming, an operator, rules, a table or a player.

Each is one transaction that updates every affected table. Wagers lock their table (a player's stop, the player), so
every wager that commits after the stop has been checked against it. Confirmed wagers are dealt and settled.
"""

import logging
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.domain.tables import commands as tc
from baccarat.domain.tables.kill_switch_events import (
    StopImposed,
    StopLifted,
    StopScope,
    SwitchEvent,
    switch_stream,
)
from baccarat.domain.tables.kill_switch_refusals import (
    AlreadyStopped,
    NotStopped,
    StoppedByHouse,
    SwitchMessageTooLong,
    SwitchReasonMissing,
    UnknownSwitch,
)
from baccarat.storage import kill_switches, projections, repository, rows
from baccarat.storage.event_registry import CATALOGUE
from baccarat.storage.rows import SwitchRow
from casino.crypto import crypto_shredding
from casino.events.sql import fetch
from casino.events.store import Append, Metadata, append
from casino.significant import recorder
from wallet.responsible_gaming import services as protection
from wallet.responsible_gaming.services import PlayerContext

logger = logging.getLogger(__name__)

MAX_REASON_LENGTH: Final = 500
MAX_MESSAGE_LENGTH: Final = 200
OPERATOR_SCOPES: Final = frozenset({StopScope.OPERATOR, StopScope.TABLE, StopScope.PLAYER})
OPERATOR_ACTOR_PREFIX: Final = "operator:"
"""Prefix of actors who act for an operator; all others act for the house."""
DEFAULT_MESSAGES: Final = {
    StopScope.GAMING: "Play is stopped for now, at every table.",
    StopScope.OPERATOR: "Play in this casino is stopped for now.",
    StopScope.RULES: "Play by the rules of this table is stopped for now.",
    StopScope.TABLE: "Play at this table is stopped for now.",
    StopScope.PLAYER: "You can't play for now.",
}
_KINDS: Final = {
    StopScope.TABLE: (recorder.SignificantEventKind.TABLE_STOPPED, recorder.SignificantEventKind.GAMING_RESUMED),
    StopScope.PLAYER: (recorder.SignificantEventKind.PLAYER_BLOCKED, recorder.SignificantEventKind.PLAYER_BLOCKED),
}
_WHOSE: Final = {
    StopScope.OPERATOR: "SELECT id, currency FROM operators_operator WHERE id = %s::uuid",
    StopScope.TABLE: "SELECT operator_id, currency FROM baccarat_table WHERE id = %s::uuid",
    StopScope.RULES: "SELECT NULL::uuid, '' FROM baccarat_rulesversion WHERE label = %s LIMIT 1",
    StopScope.PLAYER: """
        SELECT p.operator_id, o.currency FROM operators_player p JOIN operators_operator o ON o.id = p.operator_id
         WHERE p.id = %s::uuid
    """,
}


def stop(
    *,
    scope: StopScope,
    subject: str = "",
    operator: UUID | None = None,
    reason: str,
    message: str = "",
    metadata: Metadata,
) -> SwitchRow:
    """Stop play within `scope` for everything that commits later, and return the switch.

    `operator` is the requesting operator, which may stop only its own subjects; None is the house. Players see
    `message`. Raises SwitchReasonMissing, SwitchMessageTooLong, UnknownSwitch, AlreadyStopped, UnknownAccount.
    """
    why, player_message = _reason(reason), message.strip()
    if len(player_message) > MAX_MESSAGE_LENGTH:
        raise SwitchMessageTooLong
    name, whose, currency = _whose(scope, subject, operator)
    with transaction.atomic():
        kill_switches.lock_exclusive()
        why, player_message = _kept(scope, name, why), _kept(scope, name, player_message) or DEFAULT_MESSAGES[scope]
        before = kill_switches.find_switch(scope, name)
        if before is not None and before.stopped:
            raise AlreadyStopped(since=before.at)
        now = repository.database_now()
        row = _record(StopImposed(scope, name, whose, why, player_message, metadata.actor, now), before, metadata)
        if scope is StopScope.PLAYER and whose is not None:
            protection.block_player(
                context=PlayerContext(whose, UUID(name), currency, metadata), player_message=player_message
            )
        _tell(scope, name, tc.StopPlay(scope, _label(scope, name), player_message, why, metadata.actor, now), metadata)
        _note(row, before)
    return row


def resume(
    *, scope: StopScope, subject: str = "", operator: UUID | None = None, reason: str, metadata: Metadata
) -> SwitchRow:
    """Resume play within `scope`, unless another switch stops it, and return the switch.

    Raises SwitchReasonMissing, UnknownSwitch, NotStopped, and StoppedByHouse if an operator tries to lift a stop of the
    house.
    """
    why = _reason(reason)
    name, whose, currency = _whose(scope, subject, operator)
    with transaction.atomic():
        kill_switches.lock_exclusive()
        before = kill_switches.find_switch(scope, name)
        if before is None or not before.stopped:
            raise NotStopped
        if operator is not None and not before.by.startswith(OPERATOR_ACTOR_PREFIX):
            raise StoppedByHouse
        why = _kept(scope, name, why)
        now = repository.database_now()
        row = _record(StopLifted(scope, name, whose, why, metadata.actor, now), before, metadata)
        if scope is StopScope.PLAYER and whose is not None:
            protection.unblock_player(context=PlayerContext(whose, UUID(name), currency, metadata))
        _tell(scope, name, tc.ResumePlay(scope, _label(scope, name), why, metadata.actor, now), metadata)
        _note(row, before)
    return row


def stop_for_integrity(*, reason: str) -> SwitchRow:
    """Stop all gaming because the running code is not the approved code. Raises AlreadyStopped."""
    by = Metadata(operator="", actor="system", causation="integrity", correlation="switch")
    return stop(scope=StopScope.GAMING, reason=reason, metadata=by)


def operator_of(scope: StopScope, subject: str) -> UUID | None:
    """Return the operator that owns a switch's subject, None if there is no single one. Raises UnknownSwitch."""
    return _whose(scope, subject, None)[1]


def _reason(text: str) -> str:
    words = text.strip()
    if not words or len(words) > MAX_REASON_LENGTH:
        raise SwitchReasonMissing
    return words


def _kept(scope: StopScope, subject: str, words: str) -> str:
    """Encrypt texts about a player with the player's key, so that erasure covers them; keep others as they are."""
    return crypto_shredding.encrypt_text(UUID(subject), words) if scope is StopScope.PLAYER else words


def _whose(scope: StopScope, subject: str, asks: UUID | None) -> tuple[str, UUID | None, str]:
    """Return the subject's canonical form, its operator and its currency. Raises UnknownSwitch."""
    if scope is StopScope.GAMING:
        if subject or asks is not None:
            raise UnknownSwitch
        return "", None, ""
    name = subject if scope is StopScope.RULES else _id(subject)
    rows = fetch(_WHOSE[scope], [name])
    if not rows or (asks is not None and (scope not in OPERATOR_SCOPES or rows[0][0] != asks)):
        raise UnknownSwitch
    return name, rows[0][0], rows[0][1]


def _label(scope: StopScope, name: str) -> str:
    return name if scope is StopScope.RULES else ""


def _id(subject: str) -> str:
    try:
        return str(UUID(subject))
    except ValueError:
        raise UnknownSwitch from None


def _record(event: SwitchEvent, before: SwitchRow | None, metadata: Metadata) -> SwitchRow:
    version = 0 if before is None else before.version
    append([Append(switch_stream(event.scope, event.subject), version, (CATALOGUE.encode(event),), metadata)])
    row = projections.switch_row(event, version + 1)
    rows.save_switches([row])
    return row


def _tell(scope: StopScope, subject: str, command: tc.SwitchCommand, metadata: Metadata) -> None:
    """Apply the command to every table that the switch reaches. Skips unreadable tables, which cannot play rounds
    anyway.
    """
    loaded = repository.lock_tables(kill_switches.affected_tables(scope, subject))
    for table in loaded.unreadable:
        logger.critical("ALERT table %s was not informed of a stop: rebuild it from its events", table)
    for journal in loaded.units_of_work:
        journal.decide_on_table(command)
    repository.save([(journal, metadata) for journal in loaded.units_of_work])


def _note(row: SwitchRow, before: SwitchRow | None) -> None:
    scope = StopScope(row.scope)
    stopped, resumed = _KINDS.get(
        scope, (recorder.SignificantEventKind.GAMING_STOPPED, recorder.SignificantEventKind.GAMING_RESUMED)
    )
    recorder.record(
        kind=stopped if row.stopped else resumed,
        operator=row.operator_id,
        subject=row.id if scope in OPERATOR_SCOPES else f"rules:{row.subject}" if row.subject else "gaming",
        actor=row.by,
        reason=row.reason,
        before={"stopped": before is not None and before.stopped},
        after={"stopped": row.stopped, **({} if scope is StopScope.PLAYER else {"player_message": row.message})},
    )
