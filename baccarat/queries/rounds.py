"""Reads of rounds and of their events. Every query names the operator or the player."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final, get_args
from uuid import UUID

import msgspec
from msgspec import Meta

from baccarat.domain.rounds import events
from baccarat.domain.rounds.refusals import UnknownRound
from baccarat.domain.rounds.state import Phase
from baccarat.domain.tables.refusals import UnknownTable
from baccarat.queries.receipt_keys import sign
from baccarat.queries.redaction import redact_for
from baccarat.queries.round_view import RoundResponse, present_round
from baccarat.storage import repository
from baccarat.storage.models import RoundFlag
from baccarat.storage.rules_versions import decode_rules
from casino.api.shapes import ItemList, Page, Shape, Timestamp, open_enum
from casino.crypto import crypto_shredding
from casino.events import store
from casino.events.ids import first_id, last_id
from casino.events.periods import PeriodReversed
from casino.events.sql import fetch

_TABLE: Final = "SELECT FROM baccarat_table WHERE id = %s AND operator_id = %s"
_RULES: Final = (
    "(SELECT version.rules::text FROM baccarat_rulesversion version WHERE version.digest = round.rules LIMIT 1)"
)
_ROUND: Final = f"SELECT id, {_RULES} FROM baccarat_round round WHERE id = %s AND operator_id = %s"  # noqa: S608
_OF_TABLE: Final = f"""
SELECT id, {_RULES} FROM baccarat_round round
WHERE operator_id = %s AND table_id = %s AND number < %s ORDER BY number DESC LIMIT %s
"""  # noqa: S608
_LIST: Final = "SELECT round.id, {rules} FROM {rows} WHERE {conditions} ORDER BY {key} DESC LIMIT %s"
_ROUNDS: Final = "baccarat_round round"
_WAGERS: Final = "baccarat_wager wager JOIN baccarat_round round ON round.id = wager.round_id"
# A table's rounds are read by their numbers, for which there is an index anyway.
_BEFORE_AT_TABLE: Final = "round.number < (SELECT number FROM baccarat_round WHERE id = %s)"
_RUNNING: Final = "round.id IN (SELECT round_id FROM baccarat_table WHERE operator_id = %s AND round_id IS NOT NULL)"
# A version's rounds are found by its tables, because rounds have no index by rules, which nothing else would use.
_PLAYED_BY: Final = "round.table_id IN (SELECT table_id FROM baccarat_rulesversion WHERE digest = %s)"
_TABLES_OF_ROUNDS: Final = "SELECT id, table_id FROM baccarat_round WHERE id = ANY (%s::uuid[])"
_LAST_NUMBER: Final = 2**31 - 1
EVENT_NAMES: Final = sorted(event.__name__ for event in get_args(events.RoundEvent))


class RoundStatus(StrEnum):
    """What rounds can be selected by; a suspended round runs."""

    RUNNING = "running"
    SETTLED = Phase.SETTLED.value
    LAPSED = RoundFlag.LAPSED.value
    SUSPENDED = RoundFlag.SUSPENDED.value
    VOIDED = RoundFlag.VOIDED.value


@dataclass(frozen=True, slots=True)
class RoundFilter:
    """Rounds of an operator; of a player, wager, table, digest of rules or status, or opened in a period, if given."""

    operator: UUID
    player: UUID | None = None
    wager: UUID | None = None
    table: UUID | None = None
    rules: str | None = None
    status: RoundStatus | None = None
    since: datetime | None = None
    until: datetime | None = None

    def query(self, *, before: UUID | None, limit: int) -> tuple[str, list[Any]]:
        """Return the query of a page of the newest such rounds, with its parameters. Raises PeriodReversed."""
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise PeriodReversed
        by_wager = self.player is not None or self.wager is not None
        rows, key = (_WAGERS, "wager.round_id") if by_wager else (_ROUNDS, "round.id")
        at_table = self.table is not None and not by_wager
        conditions = [
            ("round.operator_id = %s", self.operator),
            ("wager.player_id = %s", self.player),
            ("wager.id = %s", self.wager),
            ("round.table_id = %s", self.table),
            ("round.rules = %s", self.rules),
            (_PLAYED_BY, self.rules),
            _status_condition(self.status, self.operator),
            (f"{key} >= %s", None if self.since is None else first_id(self.since)),
            ("round.opened_at >= %s", self.since),
            (f"{key} <= %s", None if self.until is None else last_id(self.until)),
            ("round.opened_at < %s", self.until),
            (_BEFORE_AT_TABLE if at_table else f"{key} < %s", before),
        ]
        given = [(condition, value) for condition, value in conditions if value is not None]
        by = "round.number" if at_table else key
        query = _LIST.format(
            rules=_RULES, rows=rows, conditions=" AND ".join(condition for condition, _ in given), key=by
        )
        return query, [*(value for _, value in given), limit]


class RoundPage(Page[RoundResponse]):
    """Rounds, newest first."""


class RoundEvent(Shape):
    """An event as recorded."""

    version: int
    type: Annotated[
        str,
        open_enum(EVENT_NAMES, example="ChipsPlaced"),
    ]
    schema: int
    data: Annotated[dict[str, Any], Meta(examples=[{"seat": 1, "spot": "banker", "amount": 1000}])]
    recorded_at: Timestamp


class RoundEventList(ItemList[RoundEvent]):
    """A round's events in the order they were recorded."""


def rounds_of_table(
    *, operator: UUID, table: UUID, viewer: UUID | None, before: int | None, limit: int
) -> list[RoundResponse]:
    """List a table's rounds, the newest first, those before number `before`. Raises UnknownTable."""
    last = _LAST_NUMBER if before is None else before
    rounds = _rounds(_OF_TABLE, [operator, table, last, limit], viewer)
    if not rounds and not fetch(_TABLE, [table, operator]):
        raise UnknownTable
    return rounds


def round_of_table(*, operator: UUID, table: UUID, viewer: UUID | None, number: int) -> RoundResponse | None:
    """Return a table's round with this number, None if there is none. Raises UnknownTable."""
    before = rounds_of_table(operator=operator, table=table, viewer=viewer, before=number + 1, limit=1)
    return next((round_ for round_ in before if round_.number == number), None)


def list_rounds(where: RoundFilter, *, viewer: UUID | None, before: UUID | None, limit: int) -> list[RoundResponse]:
    """List the selected rounds, the newest first; a player's are those with a wager. Raises PeriodReversed."""
    return _rounds(*where.query(before=before, limit=limit), viewer)


def load_round(*, round_: UUID, operator: UUID, viewer: UUID | None) -> RoundResponse:
    """Return one round in full. Raises UnknownRound."""
    rounds = _rounds(_ROUND, [round_, operator], viewer)
    if not rounds:
        raise UnknownRound
    return rounds[0]


def round_events(*, round_: UUID, operator: UUID, viewer: UUID | None) -> RoundEventList:
    """List a round's events as recorded; a player sees the ids of no other player. Raises UnknownRound."""
    if not fetch(_ROUND, [round_, operator]):
        raise UnknownRound
    return RoundEventList(
        items=tuple(
            RoundEvent(
                version=event.version,
                type=event.type,
                schema=event.schema,
                data=_decrypt_note(redact_for(type=event.type, data=msgspec.json.decode(event.data), viewer=viewer)),
                recorded_at=event.recorded_at,
            )
            for event in store.read(f"round-{round_}")
        )
    )


def tables_of_rounds(*, rounds: Sequence[UUID]) -> dict[UUID, UUID]:
    """Map rounds of any operator to their tables; unknown ones are left out."""
    return dict(fetch(_TABLES_OF_ROUNDS, [list(rounds)]))


def _status_condition(status: RoundStatus | None, operator: UUID) -> tuple[str, UUID | str | None]:
    match status:
        case RoundStatus.RUNNING:
            return _RUNNING, operator
        case RoundStatus.SETTLED:
            return "round.phase = %s", status
        case _:
            return "round.flag = %s", status


def _decrypt_note(data: dict[str, Any]) -> dict[str, Any]:
    """Decrypt the texts of staff about a round."""
    return {**data, "note": crypto_shredding.decrypt_text(data["note"])} if "note" in data else data


def _rounds(query: str, parameters: Sequence[Any], viewer: UUID | None) -> list[RoundResponse]:
    rows = fetch(query, parameters)
    states = repository.read_rounds([round_ for round_, _ in rows])
    return [
        present_round(states[round_], viewer=viewer, rules=decode_rules(rules), sign=sign) for round_, rules in rows
    ]
