"""The file of a case, for a suspicious-transaction report: what staff wrote, alerts, sums, payments and wagers."""

import io
import json
import zipfile
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from baccarat.risk import activity, detection, players
from casino.api.sheets import pieces_of, sheet_as_csv, write_xlsx
from casino.compliance import case_entries, cases
from casino.compliance.exports import AMOUNTS_ARE, ExportTable
from casino.compliance.models import Case, CaseEntryKind
from casino.crypto import crypto_shredding
from casino.events.sql import database_now
from casino.kernel.event_amounts import format_amounts
from casino.operators.models import Player
from wallet.models import Hold

LOOK_BACK: Final = timedelta(days=30)
"""How long before its opening the money and the play of a case begin."""
_TABLES: Final = {
    "payments": """
        SELECT requested_at, 'deposit' AS kind, id, method_id AS method, status, currency, amount, fee, reference
          FROM wallet_deposit WHERE player_id = %(player)s AND requested_at >= %(since)s
        UNION ALL
        SELECT requested_at, 'withdrawal', id, method_id, status, currency, amount, fee, reference
          FROM wallet_withdrawal WHERE player_id = %(player)s AND requested_at >= %(since)s
         ORDER BY requested_at, id
    """,
    "wagers": """
        SELECT confirmed_at, id AS wager, round_id AS round, table_id AS "table", seat, money_type, currency, stakes,
               staked, returned, commission, voided_at
          FROM baccarat_wager WHERE player_id = %(player)s AND confirmed_at >= %(since)s ORDER BY confirmed_at, id
    """,
}
_KEYS: Final = 3
"""Columns of a table that stay in sight."""


def export_case(case: Case, *, by: str) -> bytes:
    """Return a ZIP of everything about a case, and write down in the case that it was made, with its SHA-256."""
    player = cases.player_of(case.subject)
    now = database_now()
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("case.json", json.dumps(_describe(case, player, now), indent=1, sort_keys=True, default=str))
        if player is not None:
            values = {"player": player, "since": case.opened_at - LOOK_BACK}
            read = (ExportTable(name, statement, values).sheet(_KEYS) for name, statement in _TABLES.items())
            sheets = [replace(sheet, rows=list(sheet.rows)) for sheet in read]
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
        "amounts": AMOUNTS_ARE,
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
    return format_amounts({
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
            currency: {name: format_amounts(asdict(sums), currency) for name, sums in windows.items()}
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
    })  # fmt: skip
