"""Reports and what moderators do about them: over HTTP, as events, within one operator."""

from typing import Any

import pytest

from casino.events.sql import fetch
from tests.baccarat.api.people import NOWHERE, Gambler, Tenant, bet, deal_all, sit, tenant
from tests.baccarat.chat.test_services import alice, bob, chat, code, lucky, say, table

pytestmark = pytest.mark.django_db
__all__ = ["alice", "bob", "lucky", "table"]
HOUR: dict[str, Any] = {"reason": "language", "minutes": 60, "note": "Second warning."}


def waiting(house: Tenant, **query: Any) -> list[dict[str, Any]]:
    return list(house.read("chat/reports", **query)["items"])


def enter(house: Tenant, player: Gambler) -> Any:
    return house.post(f"players/{player.id}/sessions", {})


def told(player: Gambler) -> list[str]:
    return [
        kind
        for (kind,) in fetch("SELECT type FROM events_event WHERE stream = %s ORDER BY version", [f"chat-{player.id}"])
    ]


def test_a_report_of_a_message_reaches_the_moderators_with_what_was_written(
    lucky: Tenant, alice: Gambler, bob: Gambler, table: str
) -> None:
    lucky.do("chat/filter-words", {"word": "darn"})
    message = say(alice, table, "darn you").json()["id"]
    path = f"tables/{table}/chat/{message}/report"
    report = bob.do(path, {"reason": "Rude"})["id"]
    (shown,) = waiting(lucky)
    assert (shown["id"], shown["message"], shown["message_text"]) == (report, message, "darn you")
    assert (shown["player"], shown["reporter"], shown["seat"], shown["reason"]) == (alice.id, bob.id, 2, "Rude")
    assert code(bob.post(path, {})) == (409, "already_reported")
    assert code(alice.post(path, {})) == (422, "cannot_report_yourself")
    assert waiting(tenant("golden")) == []


def test_a_player_in_a_seat_is_reported(lucky: Tenant, alice: Gambler, bob: Gambler, table: str) -> None:
    path = f"tables/{table}/chat/report-player"
    bob.do(path, {"seat": 2, "reason": "Slow"})
    (shown,) = waiting(lucky)
    assert (shown["player"], shown["message"], shown["message_text"]) == (alice.id, None, None)
    assert code(bob.post(path, {"seat": 9})) == (409, "seat_is_empty")
    assert code(bob.post(path, {"seat": 5})) == (422, "cannot_report_yourself")
    for seat in (0, 15, 10**30):
        assert code(bob.post(path, {"seat": seat})) == (404, "unknown_seat")
    assert code(bob.post(path, {"seat": "2"})) == (422, "not_an_integer")


def test_an_unknown_message_and_one_of_another_table_are_the_same(lucky: Tenant, alice: Gambler, table: str) -> None:
    message = say(alice, table, "Hello").json()["id"]
    elsewhere = lucky.table("mini")
    for place, key in ((table, NOWHERE), (elsewhere, message)):
        assert code(lucky.player("Carol").post(f"tables/{place}/chat/{key}/report")) == (404, "unknown_message")


def test_five_reports_in_ten_minutes(alice: Gambler, bob: Gambler, table: str) -> None:
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
    assert waiting(lucky) == []
    (shown,) = waiting(lucky, status="all")
    assert (shown["outcome"], shown["note"]) == ("dismissed", "A joke")
    assert shown["closed_by"].startswith("operator:op_")
    assert told(alice) == ["ChatReportClosed"]


def test_a_muted_player_reads_and_is_told_until_when(lucky: Tenant, alice: Gambler, bob: Gambler, table: str) -> None:
    ban = lucky.do(f"players/{alice.id}/mute", HOUR)["mute"]
    refused = say(alice, table, "Hello")
    assert code(refused) == (403, "player_is_muted")
    assert (refused.json()["until"], refused.json()["reason"]) == (ban["until"], "language")
    shown = chat(alice, table)
    assert (shown["mute"], shown["can_write"]) == (ban, False)
    assert say(bob, table, "Hello").status_code == 201
    assert lucky.do(f"players/{alice.id}/unmute")["mute"] is None
    assert say(alice, table, "Hello").status_code == 201
    assert code(lucky.post(f"players/{alice.id}/unmute")) == (409, "player_not_muted")
    assert told(alice) == ["PlayerMuted", "PlayerUnmuted", "ChatMessageSent"]


def test_a_mute_for_good_has_no_end(lucky: Tenant, alice: Gambler, table: str) -> None:
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
def test_odd_acts_are_refused(lucky: Tenant, alice: Gambler, act: str, change: dict[str, Any], refused: str) -> None:
    assert code(lucky.post(f"players/{alice.id}/{act}", {**HOUR, **change})) == (422, refused)
    assert told(alice) == []
    assert alice.get("me/balances").status_code == 200


def test_what_moderators_did_is_kept_with_who_and_why(lucky: Tenant, alice: Gambler) -> None:
    lucky.do(f"players/{alice.id}/mute", HOUR)
    lucky.do(f"players/{alice.id}/unmute", {"note": "Apologised"})
    shown = lucky.read(f"players/{alice.id}/moderation")
    assert [(line["kind"], line["reason"], line["note"]) for line in shown["items"]] == [
        ("PlayerUnmuted", None, "Apologised"),
        ("PlayerMuted", "language", "Second warning."),
    ]
    assert (shown["mute"], shown["ban"]) == (None, None)


def test_a_removed_player_is_out_at_once_and_let_in_again_later(lucky: Tenant, alice: Gambler) -> None:
    ban = lucky.do(f"players/{alice.id}/ban", {**HOUR, "reason": "cheating"})["ban"]
    assert code(alice.get("me/balances")) == (401, "session_ended_by_ban")
    refused = enter(lucky, alice)
    assert code(refused) == (403, "player_banned")
    assert refused.json()["until"] == ban["until"]
    assert lucky.do(f"players/{alice.id}/unban")["ban"] is None
    assert enter(lucky, alice).status_code == 201
    assert code(lucky.post(f"players/{alice.id}/unban")) == (409, "player_not_banned")
    assert told(alice) == ["PlayerBanned", "PlayerUnbanned"]


def test_who_is_removed_for_good_stays_out(lucky: Tenant, alice: Gambler) -> None:
    lucky.do(f"players/{alice.id}/ban", {**HOUR, "minutes": None})
    assert enter(lucky, alice).json()["until"] is None


def test_a_confirmed_wager_of_a_removed_player_is_settled(lucky: Tenant) -> None:
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
    assert told(alice) == []
