"""Restrictions of players and limits of operators as rows, and the rebuild of everything derived from play."""

from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID

import msgspec

from casino.events.projections import encode, stream_histories
from casino.events.rebuild import Events, Projector
from casino.events.sql import execute, fetch
from wallet.ledger.store import event_group
from wallet.responsible_gaming.events import PlayerRequestEvent, ResponsibleGamingEvent, entry_for
from wallet.responsible_gaming.state import (
    ExclusionKind,
    OperatorLimitsState,
    PlayerRestrictionsState,
    fold,
    fold_operator_limits,
)

TURNOVER: Final = """
    SELECT posting.account_id, max(entry.recorded_at) OVER so_far AS at, posting.sequence,
           (-coalesce(sum(posting.amount) FILTER (WHERE entry.kind = 'wager') OVER so_far, 0))::bigint AS staked,
           (-sum(posting.amount) OVER so_far)::bigint AS lost
      FROM wallet_posting posting
      JOIN wallet_entry entry ON entry.cause = posting.entry_id AND entry.kind IN ('wager', 'settlement', 'void')
      JOIN wallet_account account ON account.id = posting.account_id
           AND account.kind IN ('game', 'account', 'debt') AND account.money_type = 'real'
    WINDOW so_far AS (PARTITION BY posting.account_id ORDER BY posting.sequence)
"""
"""Rows of wallet_turnover, computed from all entries as `wallet_post` counts them one by one.

A wager counts as lost until a settlement or void returns something; a voided wager still counts as staked.
"""

PLAYED: Final = """
    SELECT DISTINCT account.player_id, date_bin('5 minutes', entry.recorded_at, '2000-01-01 00:00+00') AS slot
      FROM wallet_posting posting
      JOIN wallet_entry entry ON entry.cause = posting.entry_id AND entry.kind = 'wager'
      JOIN wallet_account account ON account.id = posting.account_id AND account.kind = 'game'
"""
"""Rows of wallet_played: player_id, slot."""

# Postings of an account are committed in the order of their numbers, so everything after its last row is new. Causes
# are joined, because a plan that compares every entry with a long array of them may take minutes.
_PROJECT_TURNOVER: Final = """
    INSERT INTO wallet_turnover (account_id, at, sequence, staked, lost)
    SELECT account.id, greatest(before.at, max(entry.recorded_at) OVER so_far), posting.sequence,
           coalesce(before.staked, 0)
               - coalesce(sum(posting.amount) FILTER (WHERE entry.kind = 'wager') OVER so_far, 0),
           coalesce(before.lost, 0) - sum(posting.amount) OVER so_far
      FROM (SELECT DISTINCT moved.account_id
              FROM wallet_entry caused JOIN wallet_posting moved ON moved.entry_id = caused.cause
             WHERE caused.cause IN (SELECT unnest(%s::bigint[]))
               AND caused.kind IN ('wager', 'settlement', 'void')) touched
      JOIN wallet_account account ON account.id = touched.account_id
           AND account.kind IN ('game', 'account', 'debt') AND account.money_type = 'real'
      LEFT JOIN LATERAL (
          SELECT at, sequence, staked, lost FROM wallet_turnover total WHERE total.account_id = account.id
           ORDER BY at DESC, sequence DESC LIMIT 1) before ON true
      JOIN wallet_posting posting ON posting.account_id = account.id
           AND posting.sequence > coalesce(before.sequence, 0)
      JOIN wallet_entry entry ON entry.cause = posting.entry_id AND entry.kind IN ('wager', 'settlement', 'void')
    WINDOW so_far AS (PARTITION BY account.id ORDER BY posting.sequence)
"""
_PROJECT_PLAYED: Final = f"""
    INSERT INTO wallet_played (player_id, slot)
    {PLAYED} WHERE entry.cause IN (SELECT unnest(%s::bigint[])) ON CONFLICT DO NOTHING
"""

RESTRICTIONS_TABLE: Final = "wallet_playerrestrictions"
OPERATOR_LIMITS_TABLE: Final = "wallet_operatorlimits"
RESPONSIBLE_GAMING_EVENTS: Final = event_group(ResponsibleGamingEvent | PlayerRequestEvent, entry_for)
_decode_restrictions: Final = msgspec.json.Decoder(PlayerRestrictionsState).decode
_decode_operator_limits: Final = msgspec.json.Decoder(OperatorLimitsState).decode

_FIRST_OF_PLAYER: Final = (
    "PlayLimitSet", "CoolingOffStarted", "SelfExcluded", "RealityCheckSet", "PlayerBlocked", "PlayerFrozen"
)  # fmt: skip
_FIRST_OF_OPERATOR: Final = ("OperatorLimitSet", "PlayMoneyCapSet")
_SAVE: Final = """
    INSERT INTO wallet_playerrestrictions
           (player_id, operator_id, state, limit_types, excluded_until, self_excluded, blocked, frozen, version)
    VALUES (%s, %s, %s::jsonb, %s::text[], %s, %s, %s, %s, %s)
    ON CONFLICT (player_id) DO UPDATE
    SET state = excluded.state, limit_types = excluded.limit_types, excluded_until = excluded.excluded_until,
        self_excluded = excluded.self_excluded, blocked = excluded.blocked, frozen = excluded.frozen,
        version = excluded.version
"""
_SAVE_OPERATOR: Final = """
    INSERT INTO wallet_operatorlimits (operator_id, state, limit_types, version)
    VALUES (%s, %s::jsonb, %s::text[], %s)
    ON CONFLICT (operator_id) DO UPDATE
    SET state = excluded.state, limit_types = excluded.limit_types, version = excluded.version
"""
_LOAD: Final = "SELECT state::text, version FROM wallet_playerrestrictions WHERE player_id = %s AND operator_id = %s"
_ALL: Final = "SELECT player_id, operator_id, state::text, version FROM wallet_playerrestrictions"
_ALL_OPERATORS: Final = "SELECT operator_id, state::text, version FROM wallet_operatorlimits"
_LISTED: Final = """
    SELECT player_id, state::text, limit_types, excluded_until, self_excluded, blocked, frozen
      FROM wallet_playerrestrictions ORDER BY player_id
"""
_LISTED_OPERATORS: Final = "SELECT operator_id, state::text, limit_types FROM wallet_operatorlimits ORDER BY 1"
_LOAD_OPERATOR: Final = "SELECT state::text, version FROM wallet_operatorlimits WHERE operator_id = %s"


def save_restrictions(*, operator: UUID, player: UUID, state: PlayerRestrictionsState, version: int) -> None:
    """Insert or update a player's row."""
    execute(_SAVE, [player, operator, encode(state).decode(), *_listed(state).values(), version])


def save_operator_limits(*, operator: UUID, state: OperatorLimitsState, version: int) -> None:
    """Insert or update an operator's row."""
    execute(_SAVE_OPERATOR, [operator, encode(state).decode(), _limit_types(state), version])


def load_restrictions(*, operator: UUID, player: UUID) -> tuple[PlayerRestrictionsState, int]:
    """Read a player's restrictions with the version of their stream, 0 where there is none."""
    rows = fetch(_LOAD, [player, operator])
    return (decode_restrictions(rows[0][0]), rows[0][1]) if rows else (PlayerRestrictionsState(), 0)


def load_operator_limits(*, operator: UUID) -> tuple[OperatorLimitsState, int]:
    """Read the limits for all players of an operator, with the version of their stream."""
    rows = fetch(_LOAD_OPERATOR, [operator])
    return (decode_operator_limits(rows[0][0]), rows[0][1]) if rows else (OperatorLimitsState(), 0)


def decode_restrictions(text: str | None) -> PlayerRestrictionsState:
    """Decode a stored state; None is the initial one."""
    return PlayerRestrictionsState() if text is None else _decode_restrictions(text)


def decode_operator_limits(text: str | None) -> OperatorLimitsState:
    """Decode a stored state; None is the initial one."""
    return OperatorLimitsState() if text is None else _decode_operator_limits(text)


def load_all_restrictions() -> dict[UUID, tuple[UUID, PlayerRestrictionsState, int]]:
    """Read every player's row: operator, state, version."""
    return {player: (operator, decode_restrictions(state), version) for player, operator, state, version in fetch(_ALL)}


def load_all_operator_limits() -> dict[UUID, tuple[OperatorLimitsState, int]]:
    """Read every operator's row: state, version."""
    return {operator: (decode_operator_limits(state), version) for operator, state, version in fetch(_ALL_OPERATORS)}


def find_wrong_columns() -> Iterator[tuple[str, str, str]]:
    """Yield the columns for lists that do not follow from the state of their row: where, what is due, what is there."""
    for player, text, *actual in fetch(_LISTED):
        columns = zip(_listed(decode_restrictions(text)).items(), actual, strict=True)
        for (name, due), value in columns:
            if due != value:
                yield f"{RESTRICTIONS_TABLE} {player} {name}", str(due), str(value)
    for operator, text, types in fetch(_LISTED_OPERATORS):
        due = _limit_types(decode_operator_limits(text))
        if due != types:
            yield f"{OPERATOR_LIMITS_TABLE} {operator} limit_types", str(due), str(types)


def _listed(state: PlayerRestrictionsState) -> dict[str, Any]:
    """Return the columns by which lists of staff are filtered, in their order."""
    exclusions = [each for each in (state.own_exclusion, state.house_exclusion) if each is not None]
    return {
        "limit_types": _limit_types(state),
        "excluded_until": None if state.exclusion is None else state.exclusion.until,
        "self_excluded": any(each.kind is ExclusionKind.SELF_EXCLUSION for each in exclusions),
        "blocked": state.block is not None,
        "frozen": state.frozen_at is not None,
    }


def _limit_types(state: PlayerRestrictionsState | OperatorLimitsState) -> list[Any]:
    return sorted({limit.limit_type.value for limit in state.limits})


def _project(events: Events) -> None:
    registry = RESPONSIBLE_GAMING_EVENTS.registry
    for history in stream_histories(registry, events, *_FIRST_OF_PLAYER):
        first = history[0]
        save_restrictions(operator=first.operator, player=first.player, state=fold(history), version=len(history))
    for history in stream_histories(registry, events, *_FIRST_OF_OPERATOR):
        last, state = history[-1], fold_operator_limits(history)
        save_operator_limits(operator=last.operator, state=state, version=len(history))
    causes = [event.id for event in events]
    execute(_PROJECT_TURNOVER, [causes])
    execute(_PROJECT_PLAYED, [causes])


PROJECTOR: Final = Projector(
    {
        RESTRICTIONS_TABLE: "player_id",
        OPERATOR_LIMITS_TABLE: "operator_id",
        "wallet_turnover": "account_id || ' ' || sequence",
        "wallet_played": "player_id || ' ' || slot",
    },
    _project,
)
"""Derives restrictions and operators' limits from events, turnover and time played from the entries of events."""
