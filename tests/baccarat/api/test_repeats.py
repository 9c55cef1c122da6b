"""Every POST has one effect however often it is sent, and a refusal none."""

import json
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from baccarat.services.void_policy import request_policy
from baccarat.storage.models import ShoeSecret
from casino.events import sealer
from casino.events.sql import fetch
from tests.baccarat.api import contract
from tests.baccarat.api.people import (
    LONG_TURN,
    Caller,
    Gambler,
    Tenant,
    answered,
    bet,
    deal_all,
    sit,
    whole_database,
)
from tests.support.protection import age_wishes

CHIPS = {"spot": "banker", "amount": "5.00", "currency": "EUR"}
WAGER = {"stakes": [{"spot": "banker", "amount": "5.00"}], "currency": "EUR"}
MONEY = {"amount": "5.00", "currency": "EUR"}


def twice(caller: Caller, path: str, body: dict[str, Any], person: str = "") -> Any:
    """Send a POST twice with one key: the second changes nothing and answers the same, byte for byte."""
    key = uuid.uuid4().hex
    first = caller.post(path, body, key=key, person=person)
    assert first.status_code < 300, first.content.decode()
    assert "Idempotent-Replayed" not in first
    after = whole_database()
    again = caller.post(path, body, key=key, person=person)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again["Idempotent-Replayed"] == "true"
    other = caller.post(path, {**body, "other": 1}, key=key, person=person)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert whole_database() == after
    return first.json() if first.content else None


def request_change(house: Tenant) -> str:
    """Have a person request a policy."""
    return str(request_policy(operator=uuid.UUID(house.id), forgive=True, by="desk:ann").pk)


def test_every_post_has_one_effect_and_one_answer(lucky: Tenant, settings: Settings) -> None:
    settings.FORCED_CARDS = True
    done: set[str] = set()

    def sent(caller: Caller, path: str, body: dict[str, Any] | None = None, person: str = "") -> Any:
        done.add(contract.operation_of("post", f"/api/v1/{path}").name)
        return twice(caller, path, body or {}, person)

    player = sent(lucky, "players", {"reference": "alice-1", "nickname": "Alice"})["id"]
    sent(lucky, f"players/{player}/sandbox-credits", {"amount": "500.00", "currency": "EUR", "money_type": "real"})
    opening = {
        "name": "T",
        "preset": "big_table",
        "currency": "EUR",
        "money_types": ["real"],
        "rules": {"chips": ["5.00"]},
    }
    rules = {**opening["rules"], "minimum": "5.00", "maximum": "50.00", "seats": 3}  # type: ignore[dict-item]
    table = sent(lucky, "tables", {**opening, "rules": rules | LONG_TURN})["id"]
    alice = Gambler(lucky.do(f"players/{player}/sessions", {"ttl_seconds": 600})["token"], player)
    sent(lucky, f"players/{player}/pin", {"pin": "482913"})
    sent(alice, "me/pin", {"old_pin": "482913", "new_pin": "730164"})
    at = f"tables/{table}"
    sent(alice, f"{at}/seat", {"seat": 1, "buy_in": "100.00", "currency": "EUR", "money_type": "real"})
    sent(alice, f"{at}/place", CHIPS)
    sent(alice, f"{at}/undo")
    sent(alice, f"{at}/place", CHIPS)
    sent(alice, f"{at}/clear")
    sent(alice, f"{at}/deal", WAGER)
    deal_all()
    sent(alice, f"{at}/rebet")
    alice.do(f"{at}/deal")
    deal_all()
    sent(alice, f"{at}/rebet-and-deal")
    deal_all()
    bet(alice, table, player="5.00")
    deal_all()
    sent(alice, f"{at}/cut", {"contribution": "9f2c5e7a"})
    sent(alice, f"{at}/hand-back")
    deal_all()
    sent(alice, f"{at}/skip-show")
    sent(lucky, f"{at}/forced-cards", {"scenario": "tie"})
    sent(alice, f"{at}/pass")
    deal_all()
    sent(alice, f"{at}/rebuy", MONEY)
    sent(alice, f"{at}/change-seat", {"seat": 2})
    said = sent(alice, f"{at}/chat", {"text": "Good evening"})["id"]
    bob = lucky.player("Bob")
    sent(bob, f"{at}/chat/{said}/report", {"reason": "Rude"})
    report = sent(bob, f"{at}/chat/report-player", {"seat": 2})["id"]
    sent(lucky, f"chat/reports/{report}/close", {"outcome": "dismissed"})
    for act, ban in (("mute", {"reason": "spam", "minutes": 5}), ("unmute", {})):
        sent(lucky, f"players/{bob.id}/{act}", ban)
    for act, ban in (("ban", {"reason": "spam", "minutes": 5}), ("unban", {})):
        sent(lucky, f"players/{bob.id}/{act}", ban)
    sent(lucky, "chat/filter-words", {"word": "darn"})
    sent(lucky, "chat/filter-words/remove", {"word": "darn"})
    sent(alice, f"{at}/leave")
    for address in ("stops", "stops/resume"):
        sent(lucky, address, {"scope": "table", "subject": table, "reason": "Looked at"})
    sealer.seal_all()
    sent(lucky, f"rounds/{alice.read(at)['last_round']['id']}/dispute-pack")
    for decided, most in (("publish", "40.00"), ("reject", "30.00"), ("discard", "30.00")):
        version = sent(lucky, f"{at}/versions", {"rules": {"maximum": most}}, person="ann")["version"]
        who, why = "ann" if decided == "discard" else "ben", {"reason": "No."} if decided == "reject" else {}
        sent(lucky, f"{at}/versions/{version}/{decided}", {**why}, person=who)
    sent(lucky, f"{at}/versions/2/retire", {"reason": "Printed wrong."}, person="ann")
    sent(lucky, f"{at}/close", {"reason": "Worn out"})
    alone = f"tables/{lucky.table('mini')}"
    alice.do(f"{alone}/seat", {"seat": 1, "buy_in": "100.00", "currency": "EUR", "money_type": "real"})
    sent(alice, f"{alone}/new-game")
    bet(alice, alone.rpartition("/")[2], banker="5.00")
    running = lucky.read(alone)["round"]
    seed = ShoeSecret.objects.get(shoe_id=running["shoe"])
    ShoeSecret.objects.filter(pk=seed.pk).delete()
    deal_all()
    seed.save(force_insert=True)
    sent(lucky, f"rounds/{running['id']}/resume", person="ann")
    deal_all()
    why = {"reason": "malfunction", "note": "The camera failed."}
    settled = alice.read("rounds", status="settled")["items"]
    for round_, decided, body in ((settled[0], "approve", {}), (settled[1], "decline", {"note": "It did not."})):
        sent(lucky, f"rounds/{round_['id']}/void", why, person="ann")
        sent(lucky, f"rounds/{round_['id']}/void/{decided}", body, person="ben")
    sent(alice, "me/exclusions", {"kind": "cooling_off", "hours": 24, "pin": "730164"})
    sent(lucky, f"players/{player}/exclusions", {"kind": "self_exclusion", "months": 6})
    age_wishes(uuid.UUID(player), timedelta(days=200))
    sent(lucky, f"players/{player}/exclusions/end")

    sent(lucky, f"players/{player}/status", {"kyc": "pending"}, person="ann")
    sent(lucky, f"players/{player}/notes", {"text": "Asked for a payslip."})
    complaint = sent(lucky, f"players/{player}/complaints", {"text": "Late."}, person="ann")["id"]
    for step, body in (
        ("entries", {"kind": "note", "text": "Looked at."}), ("assign", {"owner": "ben"}),
        ("resolve", {"resolution": "Explained."}),
    ):  # fmt: skip
        sent(lucky, f"cases/{complaint}/{step}", body, person="ann")
    sent(lucky, "void-policy", {"spent": "forgive"})
    for decided in ("confirm", "decline", "cancel"):
        sent(lucky, f"changes/{request_change(lucky)}/{decided}", person="ben")

    sent(lucky, "operator/key/signing-keys", {"algorithm": "hmac-sha256"})
    renewed = sent(lucky, "operator/key/rotate", {"overlap_seconds": 3600})["credential"]
    sent(replace(lucky, credential=renewed), "operator/key/end-rotation")

    posts = {operation.name for operation in contract.operations() if operation.method == "post"}
    ours = {operation.name for operation in contract.operations() if operation.tag in {"baccarat", "chat", "operators"}}
    # An answer that holds a secret is stored nowhere: each request opens a session, or issues a ticket, of its own, and
    # cards are shown anew.
    secrets = {"openPlayerSession", "issueStreamTicket", "lookAtCards", "launchPlayer", "redeemLaunch", "renewSession"}
    assert ours & posts == (done & ours) | secrets | {"renewPlayerSession"}
    assert done - ours == {
        "registerPlayer", "creditSandboxPlayer", "addCaseEntry", "assignCase", "resolveCase"
    }  # fmt: skip


def test_a_repeat_after_the_deal_still_gets_the_first_answer(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    first = alice.post(f"tables/{table}/deal", WAGER, key="deal-1")
    deal_all()
    assert alice.post(f"tables/{table}/deal", WAGER, key="deal-1").content == first.content
    assert len(alice.read("rounds")["items"]) == 1


def test_of_a_stored_answer_to_a_wager_only_what_is_its_own_takes_room(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    answer = alice.post(f"tables/{table}/deal", WAGER)
    ((length,),) = fetch("SELECT length(response) FROM api_idempotentrequest ORDER BY created_at DESC LIMIT 1")
    assert length < len(answer.content) / 5, "register a dictionary of the newest shape: casino.api.compression"


def test_a_refusal_is_not_stored_and_is_judged_anew(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    early = alice.post(f"tables/{table}/deal", WAGER, key="deal-1")
    assert (early.status_code, early.json()["code"]) == (409, "not_seated")
    sit(alice, table)
    answer = alice.post(f"tables/{table}/deal", WAGER, key="deal-1")
    assert answer.status_code == 200
    assert "Idempotent-Replayed" not in answer


def test_one_key_at_two_addresses_or_of_two_players_is_two_requests(lucky: Tenant) -> None:
    alice, bob = lucky.player("Alice"), lucky.player("Bob")
    for player in (alice, bob):
        table = lucky.table("mini")
        sit(player, table)
        assert player.post(f"tables/{table}/new-game", {}, key="k").status_code == 200
        assert player.post(f"tables/{table}/clear", {}, key="k").status_code == 200


def wagers(table: str) -> tuple[int, int]:
    """Count confirmed wagers at a table, as events and as rows."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT count(*) FROM events_event e JOIN baccarat_round r ON e.stream = 'round-' || r.id "
            "WHERE r.table_id = %s AND e.type = 'WagerConfirmed'), "
            "(SELECT count(*) FROM baccarat_wager WHERE table_id = %s)",
            [table, table],
        )
        events, rows = cursor.fetchone()
    return events, rows


@pytest.mark.parametrize("preset", ["mini", "atlantic_city"])
def test_fifty_identical_deals_at_once_are_one_wager(
    lucky: Tenant, in_threads: Callable[..., list[Any]], preset: str
) -> None:
    alice = lucky.player("Alice")
    table = lucky.table(preset, rules=LONG_TURN)
    sit(alice, table)
    answers = in_threads(50, lambda _: answered(lambda: alice.post(f"tables/{table}/deal", WAGER, key="deal-1")))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert sum("Idempotent-Replayed" not in answer for answer in answers) == 1
    assert wagers(table) == (1, 1)
    assert alice.balances()["game", "real"] == "995.00"
    deal_all()
    assert len(alice.read("rounds")["items"]) == 1


def test_fifty_deals_with_keys_of_their_own_are_one_wager(lucky: Tenant, in_threads: Callable[..., list[Any]]) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    answers = in_threads(50, lambda _: alice.post(f"tables/{table}/deal", WAGER))
    codes = sorted(json.loads(answer.content).get("code", "dealt") for answer in answers)
    assert codes == ["already_confirmed"] * 49 + ["dealt"]
    assert wagers(table) == (1, 1)
    assert alice.balances()["game", "real"] == "995.00"


def test_a_session_is_opened_anew_by_every_request(lucky: Tenant) -> None:
    alice = lucky.player("Alice")
    first, second = (lucky.post(f"players/{alice.id}/sessions", {}, key="k").json()["token"] for _ in range(2))
    assert Gambler(second, alice.id).get("rounds").status_code == 200
    assert Gambler(first, alice.id).get("rounds").json()["code"] == "session_taken_over"


def test_the_same_wager_with_a_new_key_is_another_wager(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    for _ in range(3):
        bet(alice, table, tie="5.00")
        deal_all()
    assert wagers(table) == (3, 3)
