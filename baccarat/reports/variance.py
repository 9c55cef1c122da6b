"""Wagers against the ledger: the game's events compared with the ledger entries that must follow, table by table.

Each side is summed separately. Stakes in play roll forward: opening stakes, plus wagers, less settlements and voids,
equal closing stakes. Any difference opens a case, whose cause a person must explain.
"""

from collections.abc import Sequence
from typing import Any, Final

from baccarat.storage import own_rounds
from casino.api.sheets import ColumnType
from casino.compliance import cases
from casino.compliance.models import CaseKind
from casino.events.sql import fetch
from casino.kernel.money import format_amount
from casino.reports.definition import (
    CURRENCY,
    MONEY_TYPE,
    Column,
    ReportData,
    ReportDefinition,
    ReportScope,
    amount,
    integer,
)
from casino.significant import recorder
from wallet.reports import BALANCES_AT_END_CTE, LATER_POSTINGS_CTE, SEALED_ENTRIES_CTE

_READ: Final = f"""
    WITH {SEALED_ENTRIES_CTE}, {LATER_POSTINGS_CTE}, {BALANCES_AT_END_CTE}, recorded AS (
        SELECT event.id, event.type, event.data, round.table_id, round.currency, entry.cause AS entry
          FROM ({own_rounds.PLAYED} UNION SELECT id FROM baccarat_round WHERE {own_rounds.VOIDED}) own
          JOIN baccarat_round round ON round.id = own.id
          JOIN events_event event ON event.stream = 'round-' || own.id
          JOIN events_seal seal ON seal.event_id = event.id AND seal.position <= %(position)s
          LEFT JOIN wallet_entry entry ON entry.cause = event.id
         WHERE event.type IN ('WagerConfirmed', 'RoundSettled', 'RoundVoided')
           AND event.recorded_at >= %(since)s::timestamptz - interval '10 minutes' AND event.recorded_at < %(until)s
           AND coalesce(entry.recorded_at, event.recorded_at) >= %(since)s
           AND coalesce(entry.recorded_at, event.recorded_at) < %(until)s
    ), game AS (
        SELECT table_id, currency, data->>'money_type' AS money_type, 1 AS wagers, spot.stake AS staked,
               0 AS settled, 0 AS returned, 0 AS commission, 0 AS voided
          FROM recorded CROSS JOIN LATERAL (
               SELECT sum(value::bigint) AS stake FROM json_each_text(recorded.data->'stakes')) spot
         WHERE type = 'WagerConfirmed'
         UNION ALL
        SELECT table_id, currency, wager.money_type, 0, 0, wager.staked,
               wager.returned, wager.commission, 0
          FROM recorded CROSS JOIN LATERAL json_to_recordset(recorded.data->'wagers')
               AS wager (money_type text, staked bigint, returned bigint, commission bigint)
         WHERE type = 'RoundSettled'
         UNION ALL
        SELECT table_id, currency, seat.money_type, 0, 0, 0, 0, 0, seat.staked
          FROM recorded
         CROSS JOIN LATERAL json_to_recordset(recorded.data->'seats') AS seat (money_type text, staked bigint)
         WHERE type = 'RoundVoided' AND NOT (recorded.data->>'was_settled')::boolean
    ), played AS (
        SELECT table_id, money_type, currency, sum(wagers) AS wagers, sum(staked) AS staked, sum(settled) AS settled,
               sum(returned) AS returned, sum(commission) AS commission, sum(voided) AS voided
          FROM game GROUP BY table_id, money_type, currency
    ), posted AS (
        SELECT account.table_id, account.money_type, account.currency,
               sum(amount) FILTER (WHERE account.kind = 'stakes') AS change,
               sum(amount) FILTER (WHERE account.kind = 'stakes' AND facts.kind = 'wager') AS staked,
               -sum(amount) FILTER (WHERE account.kind = 'stakes' AND facts.kind = 'settlement') AS settled,
               sum(amount) FILTER (WHERE account.kind = 'game' AND facts.kind = 'settlement') AS returned,
               sum(amount) FILTER (WHERE account.kind IN ('commission', 'rack') AND facts.kind = 'settlement')
                   AS commission,
               -sum(amount) FILTER (WHERE account.kind = 'stakes' AND facts.kind = 'void') AS voided
          FROM facts
          JOIN wallet_posting posting ON posting.entry_id = facts.cause
          JOIN wallet_account account ON account.id = posting.account_id
         WHERE account.operator_id = %(operator)s AND account.table_id IS NOT NULL
         GROUP BY account.table_id, account.money_type, account.currency
    ), in_play AS (
        SELECT table_id, money_type, currency, balance FROM ended WHERE kind = 'stakes')
    SELECT money_type, currency, table_id, coalesce(tables.name, ''), coalesce(played.wagers, 0)::bigint,
           (coalesce(in_play.balance, 0) - coalesce(posted.change, 0))::bigint,
           coalesce(played.staked, 0)::bigint, coalesce(posted.staked, 0)::bigint,
           coalesce(played.settled, 0)::bigint, coalesce(posted.settled, 0)::bigint,
           coalesce(played.returned, 0)::bigint, coalesce(posted.returned, 0)::bigint,
           coalesce(played.commission, 0)::bigint, coalesce(posted.commission, 0)::bigint,
           coalesce(played.voided, 0)::bigint, coalesce(posted.voided, 0)::bigint,
           coalesce(in_play.balance, 0)::bigint
      FROM played
      FULL JOIN posted USING (table_id, money_type, currency)
      FULL JOIN in_play USING (table_id, money_type, currency)
      LEFT JOIN (SELECT id, name FROM baccarat_table) tables ON tables.id = table_id
     WHERE played.wagers IS NOT NULL OR posted.change IS NOT NULL OR in_play.balance <> 0
     ORDER BY money_type, currency, coalesce(tables.name, ''), table_id
"""  # noqa: S608  (the pieces are constants)


def read(scope: ReportScope) -> ReportData:
    """Return a row for each table, money type and currency with wagers or stakes in play."""
    rows = [(scope.money_type_label(row[0]), *row[1:], difference(row[5:])) for row in fetch(_READ, scope.values())]
    subjects = [_case_subject(scope, row) for row in rows if row[-1]]
    reasons = cases.latest_resolutions(operator=scope.operator, subjects=subjects) if subjects else {}
    return ReportData([(*row, reasons.get(_case_subject(scope, row), "") if row[-1] else "") for row in rows])


def difference(sums: Sequence[int]) -> int:
    """Return the total difference of both sides, including stakes that do not roll forward; 0 is correct.

    Takes the opening stakes in play, five pairs of game and ledger, and the closing stakes in play.
    """
    opening, *pairs, closing = sums
    differences = sum(abs(game - ledger) for game, ledger in zip(pairs[::2], pairs[1::2], strict=True))
    staked, settled, _, _, voided = pairs[::2]
    return differences + abs(opening + staked - settled - voided - closing)


def open_variance_cases(scope: ReportScope, data: ReportData) -> None:
    """Open a case for each table whose two sides differ, unless one is already open."""
    for row in data.rows:
        if row[-2]:
            _open(scope, row)


def _open(scope: ReportScope, row: Sequence[Any]) -> None:
    details = {column.name: _shown(column, value, row[1]) for column, value in zip(VARIANCE.columns, row, strict=True)}
    if (
        cases.open_case(
            operator=scope.operator,
            kind=CaseKind.WAGER_RECONCILIATION,
            subject=_case_subject(scope, row),
            details=details,
        )
        is None
    ):
        return
    recorder.record(
        kind=recorder.SignificantEventKind.AUDIT_FINDING,
        operator=scope.operator,
        subject=f"table:{row[2]}",
        actor="system",
        reason="wagers and ledger differ",
        after=details,
        amount=row[-2],
        currency=row[1],
    )


def _shown(column: Column, value: Any, currency: str) -> int | str:
    if column.kind is ColumnType.MONEY:
        return format_amount(value, currency)
    return value if isinstance(value, int) else str(value)


def _case_subject(scope: ReportScope, row: Sequence[Any]) -> str:
    """Return the key of a row's case: one for each table, money type and interval."""
    money, currency, table = row[:3]
    return f"table:{table} {money} {currency} {scope.since.isoformat()} {scope.until.isoformat()}"


VARIANCE: Final = ReportDefinition(
    name="wager_reconciliation",
    title="Wagers against the ledger",
    description="The game's events beside the ledger's entries. Opening stakes in play, plus wagers, less settlements "
    "and voids in play, equal closing stakes in play. A person must explain any difference.",
    columns=(
        MONEY_TYPE,
        CURRENCY,
        Column("table", "Table"),
        Column("table_name", "Name"),
        integer("wagers", "Wagers"),
        amount("opening", "In play, opening"),
        amount("staked", "Staked"),
        amount("staked_ledger", "Staked, ledger"),
        amount("settled", "Settled"),
        amount("settled_ledger", "Settled, ledger"),
        amount("returned", "Returned"),
        amount("returned_ledger", "Returned, ledger"),
        amount("commission", "Commission"),
        amount("commission_ledger", "Commission, ledger"),
        amount("voided", "Voided in play"),
        amount("voided_ledger", "Voided, ledger"),
        amount("closing", "In play, closing"),
        amount("difference", "Difference"),
        Column("reason", "Reason"),
    ),
    read=read,
    repeatable=False,
    watch=open_variance_cases,
    key_columns=("table", "difference", "reason"),
)
