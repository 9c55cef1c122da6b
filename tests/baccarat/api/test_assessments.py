"""An operator's desk records what it knows of players, and files their complaints as cases."""

from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from baccarat.risk import players
from baccarat.risk.models import KycStatus, PlayerNote, PlayerStatus
from casino.compliance.models import Case
from casino.crypto import crypto_shredding
from casino.operators.brands import create_brand
from tests.baccarat.api.people import NOWHERE, Caller, Gambler, Tenant
from tests.support.keys import issue_key
from tests.threads import in_threads


@pytest.fixture
def alice(lucky: Tenant) -> Gambler:
    return lucky.player("Alice")


def named(page: dict[str, Any]) -> list[str]:
    return [each["player"] for each in page["items"]]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_kyc_and_tags_are_set_apart_or_together_and_the_last_counts(lucky: Tenant, alice: Gambler) -> None:
    path = f"players/{alice.id}/status"
    unknown = lucky.read(path)
    assert (unknown["kyc"], unknown["tags"], unknown["set_by"], unknown["set_at"]) == ("unknown", [], None, None)

    assert lucky.do(path, {"tags": ["vip", "pep", "vip"]}, person="agent-9")["set_by"] == lucky.actor("agent-9")
    both = lucky.do(path, {"kyc": "verified"})
    assert (both["kyc"], both["tags"]) == ("verified", ["pep", "vip"])
    assert both["set_by"].startswith("operator:")
    assert lucky.do(path, {"kyc": "verified"}) == both == lucky.read(path)
    assert lucky.do(path, {"kyc": "expired", "tags": []})["tags"] == []
    assert PlayerStatus.objects.filter(player_id=alice.id).count() == 3


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "invalid_player_status"),
        ({"tags": ["Very Important"]}, "invalid_player_status"),
        ({"tags": ["vip"] * 21}, "field_too_long"),
        ({"kyc": "great"}, "unknown_choice"),
        ({"kyc": "verified", "vip": True}, "unknown_field"),
    ],
)
def test_a_status_that_makes_no_sense_changes_nothing(lucky: Tenant, alice: Gambler, body: Any, code: str) -> None:
    answer = lucky.post(f"players/{alice.id}/status", body)
    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert not PlayerStatus.objects.filter(player_id=alice.id).exists()


def test_a_screening_of_a_day_to_come_changes_nothing(lucky: Tenant, alice: Gambler) -> None:
    path = f"players/{alice.id}/screening"
    listing = {"status": "pep", "listed": True, "on": "2999-01-01", "list_name": "UN"}
    answer = lucky.post(path, listing)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_screening")
    assert lucky.read(path)["statuses"] == []


def test_players_are_listed_by_what_is_known_of_them_now(lucky: Tenant, golden: Tenant, alice: Gambler) -> None:
    bob, carol, dave = (lucky.player(name) for name in ("Bob", "Carol", "Dave"))
    charlie = golden.player("Charlie")
    for house, player, kyc, tags in (
        (lucky, alice, "verified", ["vip"]), (lucky, bob, "verified", ["pep"]), (lucky, carol, "failed", ["vip"]),
        (lucky, carol, "pending", ["pep", "late"]), (golden, charlie, "verified", ["vip"]),
    ):  # fmt: skip
        house.do(f"players/{player.id}/status", {"kyc": kyc, "tags": tags})

    everybody = lucky.pages("player-statuses", limit=2)
    assert [(each["player"], each["kyc"]) for each in everybody] == [
        (alice.id, "verified"), (bob.id, "verified"), (carol.id, "pending"), (dave.id, "unknown"),
    ]  # fmt: skip
    assert everybody[0]["reference"] == lucky.read(f"players/{alice.id}")["reference"]
    for query, expected in (
        ({"kyc": "verified"}, [alice, bob]), ({"kyc": "failed"}, []), ({"kyc": "unknown"}, [dave]),
        ({"tag": "vip"}, [alice]), ({"tag": "pep"}, [bob, carol]), ({"tag": "pep", "kyc": "pending"}, [carol]),
    ):  # fmt: skip
        assert named(lucky.read("player-statuses", **query)) == [player.id for player in expected], query
        assert [each["player"] for each in lucky.pages("player-statuses", limit=1, **query)] == [
            player.id for player in expected
        ]
    assert lucky.get("player-statuses", kyc="great").json()["code"] == "unknown_choice"
    with CaptureQueriesContext(connection) as few:
        lucky.read("player-statuses", limit=1)
    with CaptureQueriesContext(connection) as many:
        lucky.read("player-statuses", limit=4)
    assert len(many) == len(few)


def test_a_brands_key_sees_the_status_of_its_own_players(lucky: Tenant, alice: Gambler) -> None:
    brand = create_brand(operator=UUID(lucky.id), slug="red", name="Red", shares_players=False, by="test")
    red = Caller(".".join(issue_key(operator=UUID(lucky.id), brand=brand.id)))
    ruby = red.do("players", {"reference": "ruby", "nickname": "Ruby"})["id"]
    red.do(f"players/{ruby}/status", {"kyc": "pending"})
    red.do(f"players/{ruby}/notes", {"text": "New."})
    assert named(red.read("player-statuses")) == [ruby]
    assert named(lucky.read("player-statuses")) == [alice.id, ruby]
    assert red.post(f"players/{alice.id}/status", {"kyc": "verified"}).json()["code"] == "unknown_player"


def test_fifty_changes_at_once_undo_nothing_of_one_another(lucky: Tenant, alice: Gambler) -> None:
    change = partial(players.set_status, operator=UUID(lucky.id), player=UUID(alice.id), by="staff:1")
    kyc = list(KycStatus)

    def work(number: int) -> None:
        if number % 2:
            change(tags=[f"tag-{number}"])
        else:
            change(kyc=kyc[number // 2 % len(kyc)])

    assert in_threads(50, work) == [None] * 50
    rows = list(PlayerStatus.objects.filter(player_id=alice.id).order_by("pk"))
    assert len(rows) > 25
    assert all(row.kyc == next_.kyc or row.tags == next_.tags for row, next_ in pairwise(rows))


def test_notes_are_numbered_listed_newest_first_and_encrypted(lucky: Tenant, alice: Gambler) -> None:
    path = f"players/{alice.id}/notes"
    for text in ("Called her.\nNo answer.", "Asked for a payslip.", "Got it."):
        note = lucky.do(path, {"text": text}, person="agent-9")
    assert (note["number"], note["text"], note["by"]) == (3, "Got it.", lucky.actor("agent-9"))
    listed = lucky.pages(path, limit=2)
    assert [(each["number"], each["text"]) for each in listed] == [
        (3, "Got it."), (2, "Asked for a payslip."), (1, "Called her.\nNo answer."),
    ]  # fmt: skip
    assert listed[0] == note
    assert not any("payslip" in text for text in PlayerNote.objects.values_list("text", flat=True))
    for wrong in ("", " ", "x" * 4001, "a\tb"):
        assert lucky.post(path, {"text": wrong}).status_code == 422
    assert len(lucky.pages(path)) == 3


def test_a_complaint_is_a_case_with_the_deadline_that_the_law_leaves(lucky: Tenant, alice: Gambler) -> None:
    received = datetime.now(UTC).replace(microsecond=0) - timedelta(days=2)
    body = {"text": "The third card was late.\nTwice.", "received_at": received.isoformat()}
    case = lucky.do(f"players/{alice.id}/complaints", body, person="agent-9")
    assert (case["kind"], case["status"], case["player"]) == ("complaint", "open", alice.id)
    assert moment(case["due_at"]) == received + timedelta(days=10)
    assert lucky.read(f"cases/{case['id']}") == case

    note, deadline, received_ = lucky.read(f"cases/{case['id']}/entries")["items"]
    assert (received_["kind"], received_["by"], case["answer"]) == ("received", lucky.actor("agent-9"), "received")
    assert case["opened_by"] == lucky.actor("agent-9")
    assert (note["kind"], note["text"], note["by"]) == ("note", body["text"], lucky.actor("agent-9"))
    assert (deadline["kind"], deadline["due_at"], deadline["by"]) == ("deadline", case["due_at"], "system")
    second = lucky.do(f"players/{alice.id}/complaints", {"text": "Nobody answered."})
    assert second["id"] != case["id"]


def test_a_complaint_that_is_found_late_is_overdue_and_one_of_tomorrow_is_refused(
    lucky: Tenant, alice: Gambler
) -> None:
    path, now = f"players/{alice.id}/complaints", datetime.now(UTC)
    late = lucky.do(path, {"text": "By post.", "received_at": (now - timedelta(days=20)).isoformat()})
    assert moment(late["due_at"]) < now
    for body, code in (
        ({"text": "Soon.", "received_at": (now + timedelta(days=1)).isoformat()}, "received_in_future"),
        ({"text": "\n"}, "field_blank"),
        ({"text": "Soon.", "received_at": "tomorrow"}, "field_invalid"),
    ):
        answer = lucky.post(path, body)
        assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert [each["id"] for each in lucky.read("cases", player=alice.id)["items"]] == [late["id"]]


def test_cases_are_listed_by_kind_player_time_and_deadline(lucky: Tenant, golden: Tenant, alice: Gambler) -> None:
    bob, now = lucky.player("Bob"), datetime.now(UTC)
    first = lucky.do(f"players/{alice.id}/complaints", {"text": "One."})
    second = lucky.do(f"players/{bob.id}/complaints", {"text": "Two.", "received_at": (now - timedelta(9)).isoformat()})

    def listed(**query: str) -> list[str]:
        return [each["id"] for each in lucky.pages("cases", limit=1, **query)]

    both = [second["id"], first["id"]]
    assert listed() == listed(kind="complaint") == both
    assert listed(kind="suspicious_activity") == []
    assert listed(player=alice.id) == [first["id"]]
    assert listed(player=bob.id, kind="complaint", status="open") == [second["id"]]
    assert listed(**{"from": second["opened_at"]}) == [second["id"]]
    assert listed(to=second["opened_at"]) == [first["id"]]
    in_three_days = (now + timedelta(days=3)).isoformat()
    assert listed(due_before=in_three_days) == [second["id"]]
    lucky.do(f"cases/{second['id']}/resolve", {"resolution": "Answered.", "outcome": "closed"}, person="agent-9")
    assert listed(due_before=in_three_days) == []
    reversed_ = lucky.get("cases", **{"from": "2026-03-02", "to": "2026-03-01"})
    assert (reversed_.status_code, reversed_.json()["code"]) == (422, "period_reversed")
    assert golden.read("cases", player=alice.id)["items"] == []


def test_a_case_is_written_in_by_persons_and_keys_until_it_is_resolved(lucky: Tenant, alice: Gambler) -> None:
    case = lucky.do(f"players/{alice.id}/complaints", {"text": "One."})["id"]
    path, due = f"cases/{case}/entries", (datetime.now(UTC) + timedelta(days=1)).replace(microsecond=0)
    evidence = {"kind": "evidence", "text": "The round is in order.", "evidence": f"player:{alice.id}"}
    written = lucky.do(path, evidence, person="agent-9")
    assert (written["text"], written["by"]) == ("The round is in order.", lucky.actor("agent-9"))
    lucky.do(path, {"kind": "deadline", "text": "The bank is slow.", "due_at": due.isoformat()})
    assert moment(lucky.read(f"cases/{case}")["due_at"]) == due
    kinds = ["note", "deadline", "received", "evidence", "deadline"]
    assert [each["kind"] for each in lucky.read(path)["items"]] == kinds
    for body in (
        {"kind": "deadline", "text": "Without a time."},
        {"kind": "deadline", "text": "Over.", "due_at": "2020-01-01"},
        {"kind": "note", "text": "With a time.", "due_at": due.isoformat()},
        {"kind": "export", "text": "By hand."},
        {"kind": "upheld", "text": "By hand."},
        {"kind": "document", "text": "A passport.", "evidence": "D-17"},
        {"kind": "document", "text": "A passport.", "sha256": "0" * 64},
        {"kind": "document", "text": "A passport.", "evidence": "D-17", "sha256": "x" * 64},
        {"kind": "note", "text": "A passport.", "sha256": "0" * 64},
        {"kind": "more_needed", "text": "A passport.", "evidence": "D-17"},
        {"kind": "more_needed", "text": "x" * 1001},
    ):
        answer = lucky.post(path, body)
        assert (answer.status_code, answer.json()["code"]) == (422, "case_entry_invalid")

    document = {"kind": "document", "text": "A passport.", "evidence": "D-17", "sha256": "AB" * 32}
    kept = lucky.do(path, document)
    assert (kept["kind"], kept["evidence"], kept["sha256"]) == ("document", "D-17", "ab" * 32)

    lucky.do(f"cases/{case}/resolve", {"resolution": "Answered.", "outcome": "closed"}, person="agent-9")
    for body in ({"kind": "deadline", "text": "Pay.", "due_at": due.isoformat()}, {"kind": "more_needed", "text": "?"}):
        answer = lucky.post(path, body)
        assert (answer.status_code, answer.json()["code"]) == (409, "case_resolved")
    assert lucky.do(path, {"kind": "note", "text": "She thanked us."})["kind"] == "note"
    assert [each["kind"] for each in lucky.read(path)["items"]] == [*kinds, "document", "closed", "note"]


def test_nothing_is_written_about_an_erased_player(lucky: Tenant, alice: Gambler) -> None:
    lucky.do(f"players/{alice.id}/notes", {"text": "Called her."})
    crypto_shredding.destroy_key(UUID(alice.id))
    for path in ("notes", "complaints"):
        answer = lucky.post(f"players/{alice.id}/{path}", {"text": "More."})
        assert (answer.status_code, answer.json()["code"]) == (409, "person_erased")
    assert [each["text"] for each in lucky.read(f"players/{alice.id}/notes")["items"]] == [crypto_shredding.ERASED]
    assert not Case.objects.filter(operator_id=lucky.id).exists()


def test_what_another_operator_recorded_is_as_unknown_as_the_player(lucky: Tenant, golden: Tenant) -> None:
    alice = lucky.player("Alice")
    lucky.do(f"players/{alice.id}/status", {"kyc": "verified", "tags": ["vip"]})
    lucky.do(f"players/{alice.id}/notes", {"text": "Called her."})
    case = lucky.do(f"players/{alice.id}/complaints", {"text": "One."})["id"]
    note = {"kind": "note", "text": "Mine."}
    for player, case_ in ((alice.id, case), (NOWHERE, NOWHERE)):
        for answer, code in (
            (golden.get(f"players/{player}/status"), "unknown_player"),
            (golden.post(f"players/{player}/status", {"kyc": "failed"}), "unknown_player"),
            (golden.get(f"players/{player}/notes"), "unknown_player"),
            (golden.post(f"players/{player}/notes", {"text": "Mine."}), "unknown_player"),
            (golden.post(f"players/{player}/complaints", {"text": "Mine."}), "unknown_player"),
            (golden.get(f"cases/{case_}/entries"), "unknown_case"),
            (golden.post(f"cases/{case_}/entries", note), "unknown_case"),
        ):
            assert (answer.status_code, answer.json()["code"]) == (404, code)
    assert golden.read("player-statuses")["items"] == []
    assert lucky.read(f"players/{alice.id}/status")["kyc"] == KycStatus.VERIFIED
    assert len(lucky.read(f"cases/{case}/entries")["items"]) == 3
