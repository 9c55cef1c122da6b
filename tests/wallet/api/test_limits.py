"""Limits, exclusions, reality checks and play money over HTTP, for players and operators."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from casino.events.sql import execute, fetch
from tests.support.protection import age_wishes
from tests.wallet.api.test_payments import Caller, deposit, house
from tests.wallet.payments.counter import use_provider

pytestmark = pytest.mark.django_db
DAY: dict[str, Any] = {"limit_type": "deposit", "period": "day"}
FIFTY = {**DAY, "amount": "50.00", "currency": "EUR"}


@pytest.fixture(autouse=True)
def provider(monkeypatch: pytest.MonkeyPatch) -> None:
    use_provider(monkeypatch)


@pytest.fixture
def lucky() -> Caller:
    return house("lucky")


@pytest.fixture
def alice(lucky: Caller) -> Caller:
    return lucky.player("alice")


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def line(response: dict[str, Any], measure: str = "deposit", period: str = "day") -> dict[str, Any]:
    (limits,) = (each for each in response["items"] if (each["limit_type"], each["period"]) == (measure, period))
    return dict(limits)


def id_of(lucky: Caller) -> str:
    return str(lucky.get("players").json()["items"][0]["id"])


def test_all_limit_types_and_periods_are_listed(alice: Caller) -> None:
    response = alice.get("me/limits").json()
    assert len(response["items"]) == 12
    assert {each["unit"] for each in response["items"] if each["limit_type"] == "time"} == {"minutes"}
    assert line(response) == {
        **DAY,
        "unit": "EUR",
        "limit": None,
        "used": "0.00",
        "remaining": None,
        "player_limit": None,
        "operator_limit": None,
        "operator_wide_limit": None,
        "pending": None,
    }
    assert response["exclusion"] is None


def test_a_limit_applies_to_deposits_at_once_and_pending_ones_count(lucky: Caller, alice: Caller) -> None:
    card = lucky.method(minimum="10.00")
    assert line(alice.post("me/limits", **FIFTY).json())["limit"] == "50.00"
    assert deposit(alice, card, "30.00").status_code == 201
    refused = deposit(alice, card, "20.01")
    assert code(refused) == (409, "play_limit_reached")
    problem = refused.json()
    assert (problem["limit"], problem["used"], problem["remaining"], problem["unit"]) == (
        "50.00",
        "30.00",
        "20.00",
        "EUR",
    )
    ((asked_at,),) = fetch("SELECT requested_at FROM wallet_deposit")
    assert problem["available_at"] == (asked_at + timedelta(days=1)).isoformat().replace("+00:00", "Z")
    assert code(alice.post("me/deposits/quick")) == (409, "play_limit_reached")
    assert deposit(alice, card, "20.00").status_code == 201
    assert line(alice.get("me/limits").json())["remaining"] == "0.00"


def test_failed_deposits_and_old_ones_do_not_count(lucky: Caller, alice: Caller) -> None:
    card = lucky.method(minimum="10.00")
    alice.post("me/limits", **FIFTY)
    alice.post("me/limits", **{**FIFTY, "period": "week", "amount": "60.00"})
    first = deposit(alice, card, "50.00").json()["id"]
    execute("UPDATE wallet_deposit SET status = 'failed' WHERE id = %s", [first])
    second = deposit(alice, card, "50.00").json()["id"]
    execute("UPDATE wallet_deposit SET requested_at = requested_at - interval '24 hours' WHERE id = %s", [second])
    assert deposit(alice, card, "10.00").status_code == 201
    refused = deposit(alice, card, "10.00")
    assert (refused.json()["period"], refused.json()["used"]) == ("week", "60.00")


def test_a_higher_limit_is_pending_for_a_day_and_can_be_cancelled(lucky: Caller, alice: Caller) -> None:
    alice.post("me/limits", **FIFTY)
    pending = line(alice.post("me/limits", **{**FIFTY, "amount": "80.00"}).json())
    assert (pending["limit"], pending["pending"]["limit"]) == ("50.00", "80.00")
    assert code(alice.post("me/limits/confirm", **DAY)) == (409, "limit_increase_too_early")
    assert line(alice.post("me/limits/cancel", **DAY).json())["pending"] is None
    assert code(alice.post("me/limits/confirm", **DAY)) == (409, "no_limit_increase_pending")
    alice.post("me/limits", **{**DAY, "amount": None})
    age_wishes(UUID(id_of(lucky)), timedelta(days=1))
    response = line(alice.post("me/limits/confirm", **DAY).json())
    assert (response["limit"], response["pending"]) == (None, None)


def test_the_strictest_of_player_operator_and_operator_wide_limit_applies(lucky: Caller, alice: Caller) -> None:
    path = f"players/{id_of(lucky)}/limits"
    assert lucky.post("operator/limits", **{**FIFTY, "amount": "90.00"}).json()["items"][0]["limit"] == "90.00"
    lucky.post(path, **{**FIFTY, "amount": "70.00"})
    alice.post("me/limits", **{**FIFTY, "amount": "80.00"})
    for answer in (lucky.get(path), alice.get("me/limits")):
        response = line(answer.json())
        limits = tuple(response[name] for name in ("limit", "player_limit", "operator_limit", "operator_wide_limit"))
        assert limits == ("70.00", "80.00", "70.00", "90.00")
    assert line(lucky.post(path, **{**DAY, "amount": None}).json())["limit"] == "80.00"
    assert lucky.post("operator/limits", **{**DAY, "amount": None}).json() == {"items": []}
    assert lucky.get("operator/limits").json() == {"items": []}


def test_time_is_limited_in_minutes(alice: Caller) -> None:
    response = alice.post("me/limits", limit_type="time", period="week", minutes=600).json()
    assert line(response, "time", "week")["remaining"] == "600"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({**DAY}, "invalid_play_limit"),
        ({**DAY, "minutes": 5}, "invalid_play_limit"),
        ({"limit_type": "time", "period": "day", "amount": "5.00", "currency": "EUR"}, "invalid_play_limit"),
        ({"limit_type": "time", "period": "day", "minutes": 0}, "invalid_play_limit"),
        ({"limit_type": "time", "period": "day", "minutes": 50_000}, "invalid_play_limit"),
        ({"limit_type": "time", "period": "day", "minutes": "5"}, "not_an_integer"),
        ({**FIFTY, "amount": 50}, "amount_not_text"),
        ({**FIFTY, "amount": "0.00"}, "amount_not_positive"),
        ({**FIFTY, "currency": "USD"}, "currency_not_offered"),
        ({**FIFTY, "limit_type": "wins"}, "unknown_choice"),
        ({**FIFTY, "period": "year"}, "unknown_choice"),
        ({**FIFTY, "more": 1}, "unknown_field"),
    ],
)
def test_bad_limits_have_their_codes_and_change_nothing(
    lucky: Caller, alice: Caller, body: dict[str, Any], expected: str
) -> None:
    for caller, path in ((alice, "me/limits"), (lucky, f"players/{id_of(lucky)}/limits"), (lucky, "operator/limits")):
        assert code(caller.post(path, **body)) == (422, expected)
    assert fetch("SELECT FROM events_event WHERE type LIKE '%%Limit%%'") == []


def test_setting_the_same_limit_is_refused_but_a_replayed_request_is_not(alice: Caller) -> None:
    first = alice.post("me/limits", key="once", **FIFTY)
    assert alice.post("me/limits", key="once", **FIFTY).content == first.content
    assert code(alice.post("me/limits", **FIFTY)) == (409, "play_limit_unchanged")
    assert len(fetch("SELECT FROM events_event WHERE type = 'PlayLimitSet'")) == 1


def test_nobody_reaches_another_operators_player(lucky: Caller, alice: Caller) -> None:
    del alice
    other, player = house("other"), id_of(lucky)
    for path, body in (
        (f"players/{player}/limits", FIFTY),
        (f"players/{player}/exclusions", {"kind": "cooling_off", "hours": 24, "set_by": "player"}),
        (f"players/{player}/exclusions/end", {}),
    ):
        assert code(other.post(path, **body)) == (404, "unknown_player")
    for path in (f"players/{player}/limits", f"players/{player}/reality-check"):
        assert code(other.get(path)) == (404, "unknown_player")


def test_an_exclusion_stops_deposits_beyond_the_session(lucky: Caller, alice: Caller) -> None:
    card, player = lucky.method(), id_of(lucky)
    response = alice.post("me/exclusions", kind="self_exclusion", months=6).json()["exclusion"]
    assert (response["kind"], response["set_by"]) == ("self_exclusion", "player")
    assert alice.get("me/limits").json()["exclusion"] == response
    again = Caller(lucky.post(f"players/{player}/sessions").json()["token"], lucky.operator)
    refused = deposit(again, card)
    assert code(refused) == (403, "player_excluded")
    assert refused.json()["until"] == response["until"]
    assert code(lucky.post(f"players/{player}/exclusions/end")) == (409, "exclusion_still_running")
    age_wishes(UUID(player), timedelta(days=200))
    assert lucky.post(f"players/{player}/exclusions/end").json() == {"exclusion": None}
    assert deposit(again, card).status_code == 201


def test_a_permanent_exclusion_has_no_end_and_a_request_to_end_it_is_refused(lucky: Caller, alice: Caller) -> None:
    player = id_of(lucky)
    response = alice.post("me/exclusions", kind="self_exclusion", permanent=True).json()["exclusion"]
    assert (response["kind"], response["until"]) == ("self_exclusion", None)
    assert lucky.get(f"players/{player}/limits").json()["exclusion"] == response
    refused = deposit(alice, lucky.method())
    assert (code(refused), refused.json()["until"]) == ((403, "player_excluded"), None)
    longer = lucky.post(f"players/{player}/exclusions", kind="self_exclusion", months=120, set_by="player")
    assert (code(longer), longer.json()["until"]) == ((409, "longer_exclusion_active"), None)
    assert code(lucky.post(f"players/{player}/exclusions/end")) == (409, "exclusion_permanent")
    age_wishes(UUID(player), timedelta(days=9000))
    assert code(lucky.post(f"players/{player}/exclusions/end")) == (409, "exclusion_permanent")
    (listed,) = lucky.get(f"players/{player}/exclusions").json()["items"]
    assert (listed["until"], listed["ended_at"]) == (None, None)
    assert [each["id"] for each in lucky.get("players?restriction=excluded").json()["items"]] == [player]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"kind": "cooling_off", "hours": 23}, "exclusion_length_invalid"),
        ({"kind": "cooling_off", "hours": 1009}, "exclusion_length_invalid"),
        ({"kind": "cooling_off", "months": 6}, "exclusion_length_invalid"),
        ({"kind": "self_exclusion", "months": 5}, "exclusion_length_invalid"),
        ({"kind": "self_exclusion", "months": 6, "hours": 24}, "exclusion_length_invalid"),
        ({"kind": "self_exclusion"}, "exclusion_length_invalid"),
        ({"kind": "self_exclusion", "permanent": False}, "exclusion_length_invalid"),
        ({"kind": "self_exclusion", "permanent": True, "months": 6}, "exclusion_length_invalid"),
        ({"kind": "cooling_off", "permanent": True}, "exclusion_length_invalid"),
        ({"kind": "holiday", "hours": 24}, "unknown_choice"),
    ],
)
def test_bad_exclusions_have_their_codes(lucky: Caller, alice: Caller, body: dict[str, Any], expected: str) -> None:
    assert code(alice.post("me/exclusions", **body)) == (422, expected)
    assert code(lucky.post(f"players/{id_of(lucky)}/exclusions", **body, set_by="player")) == (422, expected)


def test_a_reality_check_contains_the_session_and_the_next_reminder(lucky: Caller, alice: Caller) -> None:
    response = alice.get("me/reality-check").json()
    nothing = {"amount": "0.00", "currency": "EUR"}
    assert (response["session"]["net"], response["session"]["played_minutes"]) == (nothing, 0)
    assert [each["period"] for each in response["windows"]] == ["day", "week", "month"]
    deposit(alice, lucky.method())
    (deposited,) = {each["deposited"]["amount"] for each in alice.get("me/reality-check").json()["windows"]}
    assert deposited == "50.00"
    execute("UPDATE operators_playersession SET created_at = created_at - interval '50 minutes'")
    ((started_at,),) = fetch("SELECT created_at FROM operators_playersession")
    response = alice.post("me/reality-check", minutes=20).json()
    assert response["session"]["minutes"] == 50
    due_at = (started_at + timedelta(minutes=60)).isoformat().replace("+00:00", "Z")
    assert response["reminder"] == {"minutes": 20, "due_at": due_at}
    assert code(alice.post("me/reality-check", minutes=10)) == (422, "reality_check_invalid")
    assert lucky.get(f"players/{id_of(lucky)}/reality-check").json()["reminder"] == response["reminder"]
    assert alice.get("me/balances").json()["reality_check"] == response["reminder"]
    assert lucky.get(f"players/{id_of(lucky)}/balances").json()["reality_check"] == response["reminder"]


def test_play_money_is_topped_up_to_the_cap_once_an_hour(lucky: Caller, alice: Caller) -> None:
    assert lucky.get("play-money-policy").json()["cap"] == {"amount": "1000.00", "currency": "EUR"}
    answer = alice.post("me/play-money", key="once")
    assert (answer.status_code, answer.json()["amount"]["amount"]) == (201, "1000.00")
    assert alice.post("me/play-money", key="once").content == answer.content
    assert code(alice.post("me/play-money")) == (409, "play_money_cap_reached")
    lucky.post("play-money-policy", cap="1500.00", currency="EUR")
    early = alice.post("me/play-money")
    assert code(early) == (409, "play_money_too_soon")
    assert early.json()["next_at"]
    held = {each["money_type"]: each["balance"]["amount"] for each in alice.get("me/balances").json()["items"]}
    assert held == {"real": "0.00", "play": "1000.00"}
    statement = alice.get("me/statement?money_type=play").json()["items"]
    assert [each["kind"] for each in statement] == ["play_money"]
    assert line(alice.get("me/limits").json())["used"] == "0.00"


def test_an_operator_can_disable_play_money_with_a_cap_of_zero(lucky: Caller, alice: Caller) -> None:
    assert lucky.post("play-money-policy", cap="0.00", currency="EUR").json()["cap"]["amount"] == "0.00"
    assert code(alice.post("me/play-money")) == (409, "play_money_cap_reached")


def test_an_excluded_player_gets_no_play_money(alice: Caller) -> None:
    alice.post("me/exclusions", kind="cooling_off", hours=24)
    assert code(alice.post("me/play-money")) == (403, "player_excluded")


def test_active_and_past_exclusions_are_listed_with_notes_for_staff(lucky: Caller, alice: Caller) -> None:
    player = id_of(lucky)
    assert alice.get("me/exclusions").json() == {"items": []}
    alice.post("me/exclusions", kind="cooling_off", hours=24)
    body: dict[str, Any] = {"kind": "self_exclusion", "months": 6, "note": "asked for by telephone"}
    body["set_by"] = "operator"
    longer = lucky.post(f"players/{player}/exclusions", key="once", **body)
    assert lucky.post(f"players/{player}/exclusions", key="once", **body).content == longer.content

    house, own = alice.get("me/exclusions").json()["items"]

    assert [(each["kind"], each["set_by"], each["ended_at"]) for each in (house, own)] == [
        ("self_exclusion", "operator", None),
        ("cooling_off", "player", None),
    ]
    assert alice.get("me/limits").json()["exclusion"]["until"] == house["until"]
    alice.post("me/exclusions", kind="self_exclusion", permanent=True)
    longer_own, _, ended = alice.get("me/exclusions").json()["items"]
    assert (ended["kind"], ended["ended_at"]) == ("cooling_off", longer_own["since"])
    assert alice.get("me/limits").json()["exclusion"]["until"] is None
    listed = lucky.get(f"players/{player}/exclusions").json()["items"]
    noted = [(each["set_by"], each["note"]) for each in listed]
    assert noted == [("player", ""), ("operator", "asked for by telephone"), ("player", "")]
    assert fetch("SELECT FROM events_event WHERE data::text || metadata::text LIKE '%%telephone%%'") == []


def test_players_cannot_send_a_note_and_staff_none_that_is_too_long(lucky: Caller, alice: Caller) -> None:
    body: dict[str, Any] = {"kind": "cooling_off", "hours": 24}
    assert alice.post("me/exclusions", **body, note="x").status_code == 422
    assert lucky.post(f"players/{id_of(lucky)}/exclusions", **body, set_by="player", note="x" * 501).status_code == 422
    assert alice.get("me/limits").json()["exclusion"] is None
