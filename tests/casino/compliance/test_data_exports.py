"""A player's own data, requested over the API: all that is theirs, nothing of others, once a day."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from casino.compliance import data_exports, erasure, exports
from casino.compliance.models import DataExport, DataExportPiece
from casino.compliance.refusals import DataExportTooSoon
from casino.events.sql import execute, fetch
from casino.kernel.event_amounts import AMOUNTS
from casino.operators import changes
from casino.significant.models import SignificantEvent
from casino.staff import roles
from casino.staff.duties import Role
from tests.baccarat.api.people import Gambler, Tenant, bet, company, deal_all, tenant
from tests.conftest import Database
from tests.support import workbooks
from tests.support.office import staff
from tests.threads import in_threads


@pytest.fixture
def lucky(db: None) -> Tenant:
    return tenant("lucky")


def export_of(player: Gambler) -> dict[str, Any]:
    """Request, make and download an export; return its files."""
    export = player.do("me/data-exports", {})["id"]
    assert player.get(f"me/data-exports/{export}/file").json()["code"] == "data_export_not_ready"
    assert data_exports.generate_due() == 1
    (ready,) = player.read("me/data-exports")["items"]
    assert (ready["id"], ready["status"]) == (export, "ready")
    answer = player.get(f"me/data-exports/{export}/file")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/octet-stream")
    body = b"".join(answer.streaming_content)
    assert len(body) == ready["size"]
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        book = workbooks.open_workbook(archive.read("player.xlsx"))
        files = {name: json.loads(archive.read(name)) for name in archive.namelist() if name.endswith(".json")}
    for name in files.keys() - {"manifest.json"}:
        header, *lines = [[workbooks.as_text(cell) for cell in line] for line in book[name.removesuffix(".json")]]
        assert len(lines) == len(files[name])
        for line, row in zip(lines, files[name], strict=True):
            assert set(header) == set(row)
            assert workbooks.differences(line, [exports.as_cell(row[column]) for column in header]) == []
    assert set(book.sheetnames) == {name.removesuffix(".json") for name in files} - {"manifest"}
    told = {name: rows for name, rows in files.items() if name != "manifest.json"}
    assert [path for path in whole_numbers(told) if AMOUNTS.intersection(path)] == []
    return files


def whole_numbers(value: Any, *path: str) -> Iterator[tuple[str, ...]]:
    """Yield the names around each whole number within a value."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield path
    elif isinstance(value, dict | list):
        for name, each in value.items() if isinstance(value, dict) else (("", each) for each in value):
            yield from whole_numbers(each, *path, name)


def played(house: Tenant) -> tuple[Gambler, Gambler]:
    table, (alice, bob) = company(house, "big_table", "Alice", "Bob")
    for player in (alice, bob):
        bet(player, table, banker="25.00")
    deal_all()
    body = {"player": alice.id, "direction": "credit", "amount": "5.00", "currency": "EUR", "reason": "complaint"}
    adjustment = house.do("adjustments", {**body, "note": "He is difficult.", "message": "Sorry!"}, person="ann")["id"]
    house.do(f"changes/{adjustment}/confirm", person="ben")
    return alice, bob


def test_players_get_what_is_theirs_and_nothing_of_others(lucky: Tenant) -> None:
    alice, bob = played(lucky)
    files = export_of(alice)

    assert files["player.json"][0]["nickname"] == "Alice"
    assert [(wager["staked"], wager["stakes"]) for wager in files["wagers.json"]] == [("25.00", {"banker": "25.00"})]
    assert files["adjustments.json"][0]["amount"] == "5.00"
    assert files["manifest.json"]["rows"]["sessions"] == 1
    text = json.dumps(files)
    for others in (bob.id, "Bob", "desk:", "staff:", "operator:", "difficult", lucky.slug):
        assert others not in text
    assert not files.keys() & {"access_log.json", "significant_events.json", "notes.json", "events.json", "stops.json"}


def test_one_export_a_day_is_made_and_deleted(lucky: Tenant) -> None:
    alice = lucky.player("Alice")
    first = alice.post("me/data-exports", {}, key="once")
    assert alice.post("me/data-exports", {}, key="once").content == first.content
    refused = alice.post("me/data-exports", {})
    assert (refused.status_code, refused.json()["code"]) == (409, "data_export_too_soon")
    assert refused.json()["next_at"] == first.json()["expires_at"]

    data_exports.generate_due()
    execute("UPDATE compliance_dataexport SET requested_at = requested_at - interval '24 hours'")
    file = f"me/data-exports/{first.json()['id']}/file"
    assert alice.read("me/data-exports")["items"] == []
    assert alice.get(file).json()["code"] == "unknown_data_export"
    data_exports.generate_due()
    assert not DataExportPiece.objects.exists()
    assert alice.post("me/data-exports", {}).status_code == 201


def test_nobody_else_gets_it_and_the_pieces_are_encrypted(lucky: Tenant) -> None:
    alice, bob = lucky.player("Alice"), lucky.player("Bob")
    export = alice.do("me/data-exports", {})["id"]
    data_exports.generate_due()
    for other in (bob, tenant("rival").player("Carol")):
        assert other.get(f"me/data-exports/{export}/file").json()["code"] == "unknown_data_export"
        assert other.read("me/data-exports")["items"] == []
    assert lucky.get("me/data-exports").status_code == 403
    ((stored,),) = fetch("SELECT data FROM compliance_dataexportpiece")
    assert not bytes(stored).startswith(b"PK")


def asked_for(client: Client, player: Gambler) -> tuple[str, set[str]]:
    """Let staff request an export on a player's page, make it, and return its address and the names of its files."""
    page = reverse("admin:operators_player_change", args=[player.id])
    client.post(reverse("admin:operators_player_request_export", args=[player.id]))
    data_exports.generate_due()
    link = re.search(r'href="([^"]+export\.zip\?export=[^"]+)"', client.get(page).content.decode())
    assert link is not None
    answer: Any = client.get(link[1])
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        return link[1], {name.removesuffix(".json") for name in archive.namelist() if name != "player.xlsx"}


def test_an_export_for_support_has_nothing_of_what_only_compliance_may_know(lucky: Tenant) -> None:
    alice = lucky.player("Alice")
    support, compliance = (staff(*roles.functions_of(role), name=role) for role in (Role.SUPPORT, Role.COMPLIANCE))
    whole, everything = asked_for(compliance, alice)
    own, known = asked_for(support, alice)
    assert everything == {*exports.player_files(), "manifest"}
    assert everything - known == {
        *("activity", "risk_alerts", "networks", "cases", "case_entries", "holds", "discrepancies", "messages"),
        *("significant_events", "notes", "access_log", "events"),
    }
    assert support.get(whole).status_code == 302, "the file of one who may see more"
    assert own in compliance.get(reverse("admin:operators_player_change", args=[alice.id])).content.decode()


def test_an_erasure_deletes_it(lucky: Tenant) -> None:
    player = UUID(lucky.do("players", {"reference": "r1", "nickname": "Alice"})["id"])
    operator, now = UUID(lucky.id), timezone.now()
    data_exports.request_own(operator=operator, player=player)
    data_exports.request_player(operator=operator, player=player, files=["player"], by="staff:1")
    data_exports.request_operator(operator=operator, since=now - timedelta(1), until=now, by="staff:1")
    assert data_exports.generate_due() == 3
    other = data_exports.request_operator(operator=UUID(tenant("rival").id), since=now, until=now, by="staff:1")
    wanted = erasure.request(
        operator=UUID(lucky.id), player=player, by="staff:1", reason="player_request", overrides_retention=True
    )
    changes.confirm(wanted.pk, by="staff:2")
    assert DataExport.objects.get() == other


def test_of_exports_of_staff_the_newest_are_kept(lucky: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_exports, "KEPT", 3)
    alice, now, operator = lucky.player("Alice"), timezone.now(), UUID(lucky.id)
    alice.do("me/data-exports", {})
    rows = [
        data_exports.request_operator(operator=operator, since=now - timedelta(day), until=now, by="staff:1")
        for day in range(1, 6)
    ]
    assert data_exports.list_of_operators([operator]) == rows[:1:-1]
    assert len(alice.read("me/data-exports")["items"]) == 1


def test_the_job_makes_an_operators_export_outside_any_transaction(database: Database) -> None:
    assert database
    house = tenant("lucky")
    now = timezone.now()
    row = data_exports.request_operator(
        operator=UUID(house.id), since=now - timedelta(1), until=now + timedelta(1), by="staff:1"
    )
    assert data_exports.generate_due() == 1
    row.refresh_from_db()
    with zipfile.ZipFile(io.BytesIO(b"".join(data_exports.pieces(row)))) as archive:
        assert archive.testzip() is None
        assert "manifest.json" in archive.namelist()


def test_a_big_export_is_kept_in_pieces(lucky: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_exports, "PIECE_BYTES", 100)
    assert export_of(lucky.player("Alice"))["player.json"][0]["nickname"] == "Alice"
    assert DataExportPiece.objects.count() > 5


def test_an_export_that_fails_holds_up_no_other_and_is_tried_later(
    lucky: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = lucky.player("Alice"), lucky.player("Bob")
    ids = {each.id: each.do("me/data-exports", {})["id"] for each in (alice, bob)}
    make = exports.export_own_data

    def fail(*, player: UUID, **of: Any) -> Iterator[bytes]:
        if str(player) == alice.id:
            raise RuntimeError("unreadable")
        return make(player=player, **of)

    monkeypatch.setattr(exports, "export_own_data", fail)
    assert data_exports.generate_due() == 1
    assert [each["status"] for player in (alice, bob) for each in player.read("me/data-exports")["items"]] == [
        "requested",
        "ready",
    ]
    failing = DataExport.objects.get(pk=ids[alice.id])
    assert failing.due_at > failing.requested_at + timedelta(hours=1)
    assert data_exports.generate_due() == 0
    assert DataExport.objects.get(pk=ids[alice.id]).attempts == 1  # it was not due

    alarms = SignificantEvent.objects.filter(operator_id=lucky.id, kind="data_export_delayed")
    for attempt in (2, 3, 4):
        execute("UPDATE compliance_dataexport SET due_at = requested_at WHERE ready_at IS NULL")
        assert data_exports.generate_due() == 0
        assert DataExport.objects.get(pk=ids[alice.id]).attempts == attempt
        assert alarms.count() == (attempt > 2)
    monkeypatch.undo()
    execute("UPDATE compliance_dataexport SET due_at = requested_at WHERE ready_at IS NULL")
    assert data_exports.generate_due() == 1
    assert alice.get(f"me/data-exports/{ids[alice.id]}/file").status_code == 200


def test_of_ten_requests_at_once_one_counts(database: Database) -> None:
    assert database
    house = tenant("lucky")
    operator, player = UUID(house.id), UUID(house.player("Alice").id)
    outcomes = in_threads(10, lambda _: data_exports.request_own(operator=operator, player=player))
    assert sum(isinstance(outcome, DataExportTooSoon) for outcome in outcomes) == 9
    assert sum(in_threads(4, lambda _: data_exports.generate_due())) == 1
