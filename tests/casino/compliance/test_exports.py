"""The operator export: everything about one operator, as CSV, and nothing of another operator."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID, uuid4

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from casino.api.sheets import ColumnType, escape_cell
from casino.compliance import case_entries, cases, data_exports, exports
from casino.compliance.models import CaseEntryKind, DataExportPiece
from casino.events import sealer
from casino.events.records import METADATA
from casino.events.sql import fetch
from casino.operators import brands
from casino.operators.models import StaffMembership
from casino.staff.models import AccessLogEntry, SignIn
from tests.baccarat.api.people import Tenant, bet, company, tenant
from tests.support import workbooks
from tests.support.house import deal_all
from tests.support.office import staff

Files = dict[str, list[dict[str, str]]]
NOT_EXPORTED: Final = {
    "compliance_dataexport": "requests for what is exported, kept for a day",
    "events_announcement": "a queue to the feed",
    "feed_feedhead": "counts the feed's items",
    "feed_feeditem": "derived from the events",
    "feed_webhookendpoint": "the operator's own addresses; changes are events",
    "operators_assertionkey": "public keys of the operator's staff; two persons' changes are exported",
    "operators_launch": "good for a minute",
    "operators_dailycap": "its changes are significant events, and what it counts is in the ledger",
    "operators_limitsgroup": "its changes are significant events",
    "operators_staffsubject": "who of the staff acts by assertions; a change of two persons",
    "baccarat_playerpreferences": "sound and style",
    "baccarat_skin": "looks",
    "chat_playermoderation": "derived from moderation actions",
    "risk_activity": "derived from the events, kept for three months",
    "risk_playerpair": "derived from the events, kept for three months",
    "significant_threshold": "its changes are significant events",
    "significant_unacknowledged": "a queue",
    "staff_identityprovider": "has a secret; its changes are those of two persons",
    "wallet_reconciliation_try": "when it is tried again",
    "wallet_remote_due": "a queue",
    "wallet_told_balance": "what the operator's own wallet said last",
}
"""Tables with an operator's rows that the export leaves out, and why."""
NO_AMOUNTS: Final = frozenset(
    {
        "action_flag", "approvals_required", "banker_total", "count", "deposits", "discrepancies", "entry", "event",
        "fee_ppm", "first_round", "hold_hours", "hours", "matched", "max_pending", "method_version", "number", "ours",
        "player_total", "played_ppm", "position", "postings_now", "processing_seconds", "return_floor", "rounds",
        "rows", "schema", "seat", "seats", "sequence", "share", "theirs", "told", "transaction", "version",
        "withdrawals",
    }
)  # fmt: skip
"""Whole numbers in exports that are no money."""


def read_zip(content: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = [name for name in archive.namelist() if name.endswith(".csv")]
        files = {
            name.removesuffix(".csv"): list(csv.DictReader(io.StringIO(archive.read(name).decode("utf-8-sig"))))
            for name in names
        }
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["rows"] == {name: len(rows) for name, rows in files.items()}
    return files


def played(name: str) -> Tenant:
    """Open an operator with players who chat, bet and are paid, and staff who work."""
    house = tenant(name)
    table, (alice, bob) = company(house, "big_table", f"Alice of {name}", f"Bob of {name}")
    alice.do(f"tables/{table}/chat", {"text": f'=Hello, "{name}" and goodbye'})
    for player in (alice, bob):
        bet(player, table, banker="25.00")
    deal_all()
    case = cases.open_case(
        operator=UUID(house.id), kind="return_out_of_band", subject=f"table:{table}", details={"a": 1}
    )
    assert case is not None
    case_entries.add_entry(
        case, operator=UUID(house.id), kind=CaseEntryKind.NOTE, text=f"A note of {name}.", by="staff:1"
    )
    user = User.objects.create_user(f"clerk-{name}", is_staff=True)
    StaffMembership.objects.create(user=user, operator_id=house.id)
    SignIn.objects.create(user_id=user.pk, second_factor=True)
    AccessLogEntry.objects.create(user_id=user.pk, subject=f"player:{alice.id}", path="/x", operator_id=house.id)
    LogEntry.objects.create(user=user, action_flag=2, object_repr=f"row of {name}", change_message=f"Act of {name}.")
    return house


def test_every_table_with_an_operators_rows_is_exported_or_named_here(db: None) -> None:
    tables = fetch(
        "SELECT table_name::text FROM information_schema.columns JOIN pg_class ON relname = table_name "
        "WHERE table_schema = 'public' AND column_name = 'operator_id' AND NOT relispartition "
        "AND relkind IN ('r', 'p')"
    )
    statements = " ".join(exports.operator_statements().values())
    missing = {table for (table,) in tables if f"{table} " not in statements.replace("\n", " ")}
    assert missing == set(NOT_EXPORTED)


def test_whole_numbers_of_exports_are_no_money(db: None) -> None:
    now = timezone.now()
    about = {"operator": uuid4(), "player": uuid4(), "since": now, "until": now}
    statements = {**exports.player_files(), **exports.operator_statements()}
    columns = [exports.ExportTable(name, sql, about).sheet().columns for name, sql in statements.items()]
    numbers = {name for each in columns for name, kind in each.items() if kind is ColumnType.INTEGER}
    assert numbers == NO_AMOUNTS


def test_an_operator_export_has_everything_of_one_operator_and_nothing_of_another(db: None) -> None:
    one, other = played("one"), played("two")
    both = User.objects.create_user("both", is_staff=True)
    for house in (one, other):
        StaffMembership.objects.create(user=both, operator_id=house.id)
    LogEntry.objects.create(user=both, action_flag=2, object_repr="row", change_message="Of either operator.")
    sealer.seal_all()
    now, export = timezone.now(), exports.export_operator
    about = {"operator": UUID(one.id), "since": now - timedelta(1), "until": now + timedelta(1)}
    files = read_zip(b"".join(export(**about, now=now)))
    text = json.dumps(files)
    for theirs in (str(other.id), "of two", '"two"', "Of either operator."):
        assert theirs not in text

    assert {row["nickname"] for row in files["players"]} == {"Alice of one", "Bob of one"}
    assert [row["text"] for row in files["chat_messages"]] == ['\'=Hello, "one" and goodbye']
    assert [row["change_message"] for row in files["staff_actions"]] == ["Act of one."]
    assert {row["username"] for row in files["staff"]} == {"clerk-one", "both"}
    assert len(files["staff_logins"]) == len(files["access_log"]) == 1
    assert [row["text"] for row in files["case_entries"]] == ["A note of one."]
    assert [(row["staked"], row["stakes"]) for row in files["wagers"]] == 2 * [("25.00", '{"banker": "25.00"}')]
    counted = {
        "rounds": "baccarat_round", "player_sessions": "operators_playersession", "cases": "compliance_case",
        "deposits": "wallet_deposit", "accounts": "wallet_account", "tables": "baccarat_table",
        "significant_events": "significant_significantevent", "seats": "baccarat_sitting",
    }  # fmt: skip
    for name, table in counted.items():
        assert [(len(files[name]),)] == fetch(f"SELECT count(*) FROM {table} WHERE operator_id = %s", [one.id]), name  # noqa: S608
    log = f"SELECT count(*) FROM events_event AS event WHERE {METADATA}->>'operator' = %s"  # noqa: S608  (a constant)
    assert [(len(files["events"]),)] == fetch(log, [str(one.id)])
    assert all(json.loads(row["metadata"])["operator"] == str(one.id) for row in files["events"])
    assert "Alice of one" not in json.dumps(files["events"])
    postings = (
        "SELECT count(*) FROM wallet_posting p JOIN wallet_account a ON a.id = p.account_id WHERE a.operator_id = %s"
    )
    assert [(len(files["postings"]),)] == fetch(postings, [one.id])
    assert all(
        Decimal(row["balance_before"]) + Decimal(row["amount"]) == Decimal(row["balance_after"])
        for row in files["postings"]
    )


def test_days_outside_leave_only_what_is_so_now(db: None) -> None:
    one, now = played("one"), timezone.now()
    sealer.seal_all()
    export: Callable[..., Any] = exports.export_operator
    files = read_zip(
        b"".join(export(operator=UUID(one.id), since=now + timedelta(1), until=now + timedelta(2), now=now))
    )
    assert all(files[name] for name in ("accounts", "operator", "players", "staff", "tables"))
    assert not any(files[name] for name in ("rounds", "wagers", "postings", "events", "chat_messages", "staff_actions"))


def test_the_admin_has_the_exports_of_the_users_operators_once_they_are_made(db: None) -> None:
    one, other = played("one"), played("two")
    sealer.seal_all()
    client, url = staff("compliance.export_operator", works_for=one.slug), reverse("admin:desk_export")
    assert "Export for a regulator" in client.get(url).content.decode()
    day = timezone.now().date()
    fields = {"operator": str(one.id), "since": str(day - timedelta(1)), "until": str(day + timedelta(1))}
    for _ in range(2):
        assert client.post(url, fields)["Location"] == url
    assert "being made" in client.get(url).content.decode()
    assert data_exports.generate_due() == 1  # the second was the same
    assert not bytes(DataExportPiece.objects.get().data).startswith(b"PK")
    link = re.search(r'href="([^"]+file[.]zip[^"]+)"', client.get(url).content.decode())
    assert link is not None
    answer: Any = client.get(link[1])
    body = b"".join(answer.streaming_content)
    assert answer["Content-Disposition"].startswith(f'attachment; filename="{one.slug}-export-')
    assert (int(answer["Content-Length"]), len(read_zip(body)["wagers"])) == (len(body), 2)
    assert AccessLogEntry.objects.filter(operator_id=one.id, path=reverse("admin:desk_export_file")).count() == 1
    rival = staff("compliance.export_operator", name="rival", works_for=other.slug)
    assert (rival.get(link[1])["Location"], link[1] in rival.get(url).content.decode()) == (url, False)
    for wrong in ({"operator": str(other.id)}, {"until": "2020-01-01"}, {"since": ""}, {"until": "9999-12-31"}):
        assert refused(client, url, {**fields, **wrong}), wrong
    assert staff("compliance.export_player", name="clerk", works_for=one.slug).post(url, fields).status_code == 403


def test_no_cell_of_an_operators_export_is_a_formula(db: None) -> None:
    house = played("one")
    brand = brands.create_brand(operator=UUID(house.id), slug="gold", name='=HYPERLINK("https://evil.example")',
                                shares_players=True, by="test")  # fmt: skip
    now = timezone.now()
    content = b"".join(
        exports.export_operator(operator=UUID(house.id), since=now - timedelta(1), until=now + timedelta(1), now=now)
    )
    files = read_zip(content)
    assert [row["name"] for row in files["brands"] if row["slug"] == brand.slug] == [
        '\'=HYPERLINK("https://evil.example")'
    ]
    formulas = {
        (name, column, cell)
        for name, rows in files.items()
        for row in rows
        for column, cell in row.items()
        if cell[:1] in "=+-@\t\r" and cell and not re.fullmatch(r"-?[0-9.]+", cell)
    }
    assert formulas == set()
    assert {row["balance_after"] for row in files["postings"] if row["balance_after"].startswith("-")}


def test_each_file_of_an_operators_export_is_the_same_as_workbook_but_for_microseconds(db: None) -> None:
    operator, now = UUID(played("one").id), timezone.now()
    brands.create_brand(operator=operator, slug="gold", name="=1+1", shares_players=True, by="test")
    period = {"since": now - timedelta(1), "until": now + timedelta(1), "now": now}
    content = b"".join(exports.export_operator(operator=operator, **period, workbooks=True))
    files = read_zip(content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name, rows in files.items():
            header, *lines = workbooks.rows_of(archive.read(f"{name}.xlsx"), name)
            for line, row in zip(lines, rows, strict=True):
                assert workbooks.differences([escape_cell(cell) for cell in line], [row[each] for each in header]) == []


def refused(client: Client, url: str, fields: dict[str, str]) -> bool:
    answer = client.post(url, fields)
    return answer.status_code == 200 and not answer.streaming and "c-wrong" in answer.content.decode()
