"""The file of a case, for a suspicious-transaction report: what staff wrote, alerts, sums, payments and wagers."""

import io
import json
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from baccarat.risk import activity, detection, players
from casino.api.sheets import ColumnType, Sheet, pieces_of, sheet_as_csv, write_xlsx
from casino.compliance import case_entries, cases
from casino.compliance.models import Case, CaseEntryKind
from casino.crypto import crypto_shredding
from casino.events.sql import database_now, fetch
from casino.kernel.money import format_amount
from casino.operators.models import Player
from wallet.models import Hold

LOOK_BACK: Final = timedelta(days=30)
"""How long before its opening the money and the play of a case begin."""
_PAYMENTS: Final = """
    SELECT requested_at, kind, id, method_id, status, currency, amount, fee, reference
      FROM (SELECT requested_at, 'deposit' AS kind, id, method_id, status, currency, amount, fee, reference
              FROM wallet_deposit WHERE player_id = %(player)s AND requested_at >= %(since)s
            UNION ALL
            SELECT requested_at, 'withdrawal', id, method_id, status, currency, amount, fee, reference
              FROM wallet_withdrawal WHERE player_id = %(player)s AND requested_at >= %(since)s) AS payment
     ORDER BY requested_at, id
"""
_WAGERS: Final = """
    SELECT confirmed_at, round_id, table_id, seat, money_type, currency, stakes::text, staked, returned, commission,
           voided_at
      FROM baccarat_wager WHERE player_id = %(player)s AND confirmed_at >= %(since)s ORDER BY confirmed_at, id
"""
_PAYMENT_COLUMNS: Final = (
    "requested_at", "kind", "id", "method", "status", "currency", "amount", "fee", "reference"
)  # fmt: skip
_WAGER_COLUMNS: Final = (
    "confirmed_at", "round", "table", "seat", "money_type", "currency", "stakes", "staked", "returned", "commission",
    "voided_at",
)  # fmt: skip
_TYPES: Final = {
    **dict.fromkeys(("requested_at", "confirmed_at", "voided_at"), ColumnType.TIMESTAMP),
    **dict.fromkeys(("amount", "fee", "staked", "returned", "commission"), ColumnType.MONEY),
    "seat": ColumnType.INTEGER,
}


def export_case(case: Case, *, by: str) -> bytes:
    """Return a ZIP of everything about a case, and write down in the case that it was made, with its SHA-256."""
    player = cases.player_of(case.subject)
    now = database_now()
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("case.json", json.dumps(_describe(case, player, now), indent=1, sort_keys=True, default=str))
        if player is not None:
            values = {"player": player, "since": case.opened_at - LOOK_BACK}
            sheets = [
                _sheet("payments", _PAYMENT_COLUMNS, fetch(_PAYMENTS, values)),
                _sheet("wagers", _WAGER_COLUMNS, fetch(_WAGERS, values)),
            ]
            for sheet in sheets:
                archive.writestr(f"{sheet.name}.csv", b"".join(sheet_as_csv(sheet)))
            archive.writestr("case.xlsx", b"".join(pieces_of(write_xlsx(sheets, made_at=now))))
    data = content.getvalue()
    case_entries.add_entry(
        case.pk,
        operator=case.operator_id,
        kind=CaseEntryKind.EXPORT,
        text=f"Exported; SHA-256 {sha256(data).hexdigest()}.",
        by=by,
        is_personal=False,
    )
    return data


def _describe(case: Case, player: UUID | None, now: datetime) -> dict[str, Any]:
    described = {
        "format": "casino.case.v1",
        "made_at": now.isoformat(),
        "amounts": "minor units; in the tables decimals, but for stakes",
        "case": {
            "id": str(case.pk), "kind": case.kind, "subject": case.subject, "details": case.details,
            "operator": str(case.operator_id), "opened_at": case.opened_at.isoformat(),
        },
        "actions": list(case.actions.order_by("number").values("action", "owner", "resolution", "by", "at")),
        "entries": case_entries.texts_of(case_entries.list_entries(case.pk)),
    }  # fmt: skip
    return described if player is None else described | _describe_player(player, now)


def _describe_player(player: UUID, now: datetime) -> dict[str, Any]:
    row = Player.objects.get(pk=player)
    crypto_shredding.decrypt_rows([row])
    status = players.current_status(player)
    return {
        "player": {
            "id": str(player), "reference": row.reference, "nickname": row.nickname, "registered_at": row.created_at,
            "kyc": None if status is None else status.kyc, "tags": [] if status is None else status.tags,
        },
        "screening": {} if status is None else status.screening,
        "holds": [
            {
                "id": row.pk, "withdrawal": row.withdrawal_id, "currency": row.currency, "amount": row.amount,
                "causes": row.causes.split(","), "status": row.status, "decided_by": row.decided_by,
                "placed_at": row.placed_at, "ended_at": row.ended_at,
            }
            for row in Hold.objects.filter(player_id=player).order_by("pk")
        ],
        "sums": {
            currency: {name: asdict(sums) for name, sums in windows.items()}
            for currency, windows in activity.sums_of(player, now).items()
        },
        "alerts": [
            {
                "number": alert.pk, "rule": alert.kind, "other": alert.other_id, "currency": alert.currency,
                "amount": alert.amount, "count": alert.count, "hours": alert.hours, "slot": alert.slot,
                "details": alert.details,
            }
            for alert in detection.alerts_about(player)
        ],
    }  # fmt: skip


def _sheet(name: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Sheet:
    """Return rows as a table, with their amounts in decimals of the currency beside them."""
    columns = {each: _TYPES.get(each, ColumnType.TEXT) for each in names}
    currency = names.index("currency")
    kinds = list(columns.values())
    return Sheet(
        name,
        columns,
        [
            [
                format_amount(cell, row[currency]) if kind is ColumnType.MONEY and cell is not None else cell
                for cell, kind in zip(row, kinds, strict=True)
            ]
            for row in rows
        ],
        keys=3,
    )
