"""Reports and moderation over HTTP, within one operator."""

from typing import Any

import pytest

from casino.events.sql import fetch
from tests.baccarat.api.people import NOWHERE, Gambler, Tenant, bet, deal_all, sit, tenant
from tests.baccarat.chat.test_services import alice, bob, chat, code, lucky, say, table

pytestmark = pytest.mark.django_db
__all__ = ["alice", "bob", "lucky", "table"]
HOUR: dict[str, Any] = {"reason": "language", "minutes": 60, "note": "Second warning."}


def list_reports(operator: Tenant, **query: Any) -> list[dict[str, Any]]:
    return list(operator.read("chat/reports", **query)["items"])


def log_in(operator: Tenant, player: Gambler) -> Any:
    return operator.post(f"players/{player.id}/sessions", {})


def event_types(player: Gambler) -> list[str]:
    return [
        kind
        for (kind,) in fetch("SELECT type FROM events_event WHERE stream = %s ORDER BY version", [f"chat-{player.id}"])
    ]


def test_a_reported_message_reaches_moderators_with_its_original_text(
    lucky: Tenant, alice: Gambler, bob: Gambler, table: str
) -> None:
    lucky.do("chat/filter-words", {"word": "darn"})
    message = say(alice, table, "darn you").json()["id"]
    path = f"tables/{table}/chat/{message}/report"
    report = bob.do(path, {"reason": "Rude"})["id"]
    (shown,) = list_reports(lucky)
    assert (shown["id"], shown["message"], shown["message_text"]) == (report, message, "darn you")
    assert (shown["player"], shown["reporter"], shown["seat"], shown["reason"]) == (alice.id, bob.id, 2, "Rude")
    assert code(bob.post(path, {})) == (409, "already_reported")
    assert code(alice.post(path, {})) == (422, "cannot_report_yourself")
    assert list_reports(tenant("golden")) == []


def test_a_player_in_a_seat_is_reported(lucky: Tenant, alice: Gambler, bob: Gambler, table: str) -> None:
    path = f"tables/{table}/chat/report-player"
    bob.do(path, {"seat": 2, "reason": "Slow"})
    (shown,) = list_reports(lucky)
    assert (shown["player"], shown["message"], shown["message_text"]) == (alice.id, None, None)
    assert code(bob.post(path, {"seat": 9})) == (409, "seat_is_empty")
    assert code(bob.post(path, {"seat": 5})) == (422, "cannot_report_yourself")
    for seat in (0, 15, 10**30):
        assert code(bob.post(path, {"seat": seat})) == (404, "unknown_seat")
    assert code(bob.post(path, {"seat": "2"})) == (422, "not_an_integer")


def test_a_message_of_another_table_is_unknown(lucky: Tenant, alice: Gambler, table: str) -> None:
    message = say(alice, table, "Hello").json()["id"]
    elsewhere = lucky.table("mini")
    for place, key in ((table, NOWHERE), (elsewhere, message)):
        assert code(lucky.player("Carol").post(f"tables/{place}/chat/{key}/report")) == (404, "unknown_message")


def test_a_sixth_report_within_ten_minutes_is_refused(alice: Gambler, bob: Gambler, table: str) -> None:
    path = f"tables/{table}/chat/report-player"
    for _ in range(5):
        bob.do(path, {"seat": 2})
    refused = bob.post(path, {"seat": 2})
    assert code(refused) == (409, "too_many_reports")
    assert refused.json()["retry_at"]


def test_a_report_is_closed_once(lucky: Tenant, alice: Gambler, bob: Gambler, table: str) -> None:
    report = bob.do(f"tables/{table}/chat/report-player", {"seat": 2})["id"]
    path = f"chat/reports/{report}/close"
    assert code(tenant("golden").post(path, {"outcome": "dismissed"})) == (404, "unknown_chat_report")
    assert code(lucky.post(path, {"outcome": "forgotten"})) == (422, "unknown_choice")
    assert lucky.post(path, {"outcome": "dismissed", "note": "A joke"}).status_code == 204
    assert code(lucky.post(path, {"outcome": "action_taken"})) == (409, "chat_report_closed")
    assert list_reports(lucky) == []
    (shown,) = list_reports(lucky, status="all")
    assert (shown["outcome"], shown["note"]) == ("dismissed", "A joke")
    assert shown["closed_by"].startswith("operator:op_")
    assert event_types(alice) == ["ChatReportClosed"]


def test_a_muted_player_can_read_and_sees_when_the_mute_ends(
    lucky: Tenant, alice: Gambler, bob: Gambler, table: str
) -> None:
    mute = lucky.do(f"players/{alice.id}/mute", HOUR)["mute"]
    refused = say(alice, table, "Hello")
    assert code(refused) == (403, "player_is_muted")
    assert (refused.json()["until"], refused.json()["reason"]) == (mute["until"], "language")
    shown = chat(alice, table)
    assert (shown["mute"], shown["can_write"]) == (mute, False)
    assert say(bob, table, "Hello").status_code == 201
    assert lucky.do(f"players/{alice.id}/unmute")["mute"] is None
    assert say(alice, table, "Hello").status_code == 201
    assert code(lucky.post(f"players/{alice.id}/unmute")) == (409, "player_not_muted")
    assert event_types(alice) == ["PlayerMuted", "PlayerUnmuted", "ChatMessageSent"]


def test_a_permanent_mute_has_no_end(lucky: Tenant, alice: Gambler, table: str) -> None:
    lucky.do(f"players/{alice.id}/mute", {**HOUR, "minutes": None})
    assert say(alice, table, "Hello").json()["until"] is None


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        ({"minutes": 0}, "invalid_moderation"),
        ({"minutes": 525601}, "invalid_moderation"),
        ({"minutes": "60"}, "not_an_integer"),
        ({"reason": "boredom"}, "unknown_choice"),
        ({"note": 5}, "not_a_string"),
    ],
)
@pytest.mark.parametrize("act", ["mute", "ban"])
def test_an_invalid_mute_or_ban_is_refused(
    lucky: Tenant, alice: Gambler, act: str, change: dict[str, Any], refused: str
) -> None:
    assert code(lucky.post(f"players/{alice.id}/{act}", {**HOUR, **change})) == (422, refused)
    assert event_types(alice) == []
    assert alice.get("me/balances").status_code == 200


def test_moderation_is_listed_with_reasons_and_notes(lucky: Tenant, alice: Gambler) -> None:
    lucky.do(f"players/{alice.id}/mute", HOUR)
    lucky.do(f"players/{alice.id}/unmute", {"note": "Apologised"})
    shown = lucky.read(f"players/{alice.id}/moderation")
    assert [(line["kind"], line["reason"], line["note"]) for line in shown["items"]] == [
        ("PlayerUnmuted", None, "Apologised"),
        ("PlayerMuted", "language", "Second warning."),
    ]
    assert (shown["mute"], shown["ban"]) == (None, None)


def test_a_ban_ends_the_session_and_blocks_login_until_it_is_lifted(lucky: Tenant, alice: Gambler) -> None:
    ban = lucky.do(f"players/{alice.id}/ban", {**HOUR, "reason": "cheating"})["ban"]
    assert code(alice.get("me/balances")) == (401, "session_ended_by_ban")
    refused = log_in(lucky, alice)
    assert code(refused) == (403, "player_banned")
    assert refused.json()["until"] == ban["until"]
    assert lucky.do(f"players/{alice.id}/unban")["ban"] is None
    assert log_in(lucky, alice).status_code == 201
    assert code(lucky.post(f"players/{alice.id}/unban")) == (409, "player_not_banned")
    assert event_types(alice) == ["PlayerBanned", "PlayerUnbanned"]


def test_a_permanent_ban_has_no_end(lucky: Tenant, alice: Gambler) -> None:
    lucky.do(f"players/{alice.id}/ban", {**HOUR, "minutes": None})
    assert log_in(lucky, alice).json()["until"] is None


def test_a_confirmed_wager_of_a_banned_player_is_settled(lucky: Tenant) -> None:
    table, player = lucky.table("mini", rules={"turn_seconds": 3600}), lucky.player("Dora")
    sit(player, table)
    bet(player, table, banker="10.00")
    lucky.do(f"players/{player.id}/ban", HOUR)
    deal_all()
    assert lucky.read(f"tables/{table}")["last_round"]["phase"] == "settled"
    assert lucky.read(f"players/{player.id}/balances")["items"]


def test_another_operators_player_is_unknown(alice: Gambler) -> None:
    golden = tenant("golden")
    for act in ("mute", "unmute", "ban", "unban"):
        body = HOUR if act in {"mute", "ban"} else {}
        assert code(golden.post(f"players/{alice.id}/{act}", body)) == (404, "unknown_player")
    for page in ("moderation", "messages"):
        assert code(golden.get(f"players/{alice.id}/{page}")) == (404, "unknown_player")
    assert event_types(alice) == []
