"""Authentication of operators and players; failed access is a significant event that never contains secrets."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from casino.observability.logging import request_id
from casino.operators import pins, services, sessions
from casino.operators.base_views import OperatorView, metadata
from casino.operators.memberships import shell_actor
from casino.operators.models import ApiKey, Player, PlayerSession
from casino.operators.principals import OperatorPrincipal, Scope
from casino.operators.refusals import InvalidKeyTerms
from casino.significant.models import SignificantEvent
from tests.support.keys import issue_key
from tests.support.office import open_office

pytestmark = pytest.mark.django_db
NOBODY = "0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11"


@dataclass(frozen=True, slots=True)
class Scene:
    operator: Any
    key_id: str
    secret: str
    player: Player
    token: str

    @property
    def key(self) -> str:
        return f"{self.key_id}.{self.secret}"


def open_scene(slug: str) -> Scene:
    operator = services.create_operator(slug=slug, name=slug.title(), currencies=["EUR"], sandbox=True)
    key_id, secret = issue_key(operator=operator.id)
    player = services.register_player(operator=operator.id, reference="alice-1", nickname="Alice")
    token = sessions.open_session(operator=operator.id, player=player.id, seconds=60).token
    return Scene(operator, key_id, secret, player, token)


@pytest.fixture
def lucky() -> Scene:
    return open_scene("lucky")


@pytest.fixture
def golden() -> Scene:
    return open_scene("golden")


def call(method: str, address: str, credential: str, body: Any = None) -> Any:
    send = getattr(Client(), method)
    headers = {"Authorization": f"Bearer {credential}"}
    return send(f"/api/v1/{address}", body or {}, content_type="application/json", headers=headers)


def get_operator(credential: str) -> Any:
    return call("get", "operator", credential)


def test_a_key_authenticates_its_operator(lucky: Scene) -> None:
    answer = get_operator(lucky.key)

    assert answer.json() == {
        "id": str(lucky.operator.id),
        "slug": "lucky",
        "currency": "EUR",
        "currencies": ["EUR"],
        "sandbox": True,
        "key_id": lucky.key_id,
    }


def test_a_request_without_credentials_gets_a_challenge() -> None:
    answer = Client().get("/api/v1/operator")

    assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
    assert answer["WWW-Authenticate"] == 'Bearer realm="casino"'


@pytest.mark.parametrize(
    "header",
    [
        "Basic YTpi",
        "Bearer",
        "Bearer x",
        "Bearer op_",
        "Bearer op_unknown.secret",
        "Bearer pt_unknown",
        "Bearer pt_" + "a" * 300,
        "Bearer op_\x00.a",
        "Bearer opérateur",
    ],
)
def test_an_unknown_or_malformed_credential_is_invalid(header: str) -> None:
    answer = Client().get("/api/v1/operator", headers={"Authorization": header})

    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_credentials")
    assert "invalid_token" in answer["WWW-Authenticate"]


def test_a_wrong_secret_or_another_keys_secret_is_invalid(lucky: Scene, golden: Scene) -> None:
    answers = [get_operator(f"{lucky.key_id}.{secret}") for secret in ("", "wrong", golden.secret, lucky.secret[:-1])]

    assert {answer.json()["code"] for answer in answers} == {"invalid_credentials"}


def test_a_revoked_key_is_invalid_at_once_and_other_keys_stay_valid(lucky: Scene) -> None:
    other_id, other_secret = issue_key(operator=lucky.operator.id, label="new")

    services.revoke_key(key_id=lucky.key_id)
    services.revoke_key(key_id=lucky.key_id)

    assert get_operator(lucky.key).json()["code"] == "invalid_credentials"
    assert get_operator(f"{other_id}.{other_secret}").status_code == 200


def expire(seconds: int = 0) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE operators_apikey SET expires_at = now() - make_interval(secs => %s)", [seconds])


def test_a_key_expires_at_its_time(lucky: Scene) -> None:
    expire(-60)
    assert get_operator(lucky.key).status_code == 200

    expire(0)
    answer = get_operator(lucky.key)

    assert (answer.status_code, answer.json()["code"]) == (401, "key_expired")


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_key_needs_the_scope_of_the_operation(lucky: Scene, method: str) -> None:
    scopes = {"get": ("read", "configure"), "post": ("configure", "read")}[method]
    having, lacking = (".".join(issue_key(operator=lucky.operator.id, scopes=[scope])) for scope in scopes)

    answer = call(method, "withdrawal-policy", lacking)

    assert (answer.status_code, answer.json()["code"], answer.json()["scope"]) == (403, "scope_missing", scopes[0])
    assert call(method, "withdrawal-policy", having).status_code in {200, 400}


def test_a_method_that_an_address_does_not_have_is_no_matter_of_scopes(lucky: Scene) -> None:
    answer = call("post", "changes", lucky.key)
    assert (answer.status_code, answer.json()["code"], "GET" in answer["Allow"]) == (405, "method_not_allowed", True)


def test_what_declares_no_scope_is_refused_to_every_key(lucky: Scene) -> None:
    class Undeclared(OperatorView):
        def post(self, request: Request) -> Any:
            raise AssertionError(request)

    request = APIRequestFactory().post("/", headers={"Authorization": f"Bearer {lucky.key}"})
    answer = Undeclared.as_view()(request)

    assert (answer.status_code, json.loads(answer.content)["scope"]) == (403, "")


def test_a_key_is_refused_outside_its_networks_and_that_is_recorded(lucky: Scene, settings: Settings) -> None:
    settings.PROXY_HOPS = 1
    key = ".".join(issue_key(operator=lucky.operator.id, networks=["198.51.100.0/24", "2001:db8::/32"]))

    def ask(forwarded: str) -> Any:
        headers = {"Authorization": f"Bearer {key}", "X-Forwarded-For": forwarded}
        return Client().get("/api/v1/operator", headers=headers)

    assert [ask(address).status_code for address in ("198.51.100.7", "2001:db8::9", "203.0.113.1, 198.51.100.8")] == [
        200,
        200,
        200,
    ]
    refused = ask("198.51.100.7, 203.0.113.1")

    assert (refused.status_code, refused.json()["code"]) == (403, "network_refused")
    (event,) = SignificantEvent.objects.filter(kind="access_failed")
    assert (event.subject, event.address) == (f"key:{key.partition('.')[0]}", "203.0.113.1")
    assert ApiKey.objects.get(pk=key.partition(".")[0]).last_used_at is not None


def test_the_last_use_of_a_key_is_saved_twice_a_minute(lucky: Scene) -> None:
    def last_use() -> Any:
        get_operator(lucky.key)
        return ApiKey.objects.get(pk=lucky.key_id).last_used_at

    first = last_use()
    assert first is not None
    assert last_use() == first

    with connection.cursor() as cursor:
        cursor.execute("UPDATE operators_apikey SET last_used_at = last_used_at - interval '31 seconds'")
    assert last_use() >= first


@pytest.mark.parametrize(
    "terms",
    [
        {"scopes": []},
        {"scopes": ["everything"]},
        {"networks": ["203.0.113.1/24"]},
        {"networks": ["home"]},
        {"expires_at": datetime(2020, 1, 1, tzinfo=UTC)},
    ],
)
def test_a_key_is_not_issued_on_terms_that_make_no_sense(lucky: Scene, terms: dict[str, Any]) -> None:
    with pytest.raises(InvalidKeyTerms):
        issue_key(operator=lucky.operator.id, **terms)


def test_an_expired_token_has_its_own_error_code(lucky: Scene) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE operators_playersession SET expires_at = now() - interval '1 second'")

    answer = call("delete", "sessions/current", lucky.token)

    assert (answer.status_code, answer.json()["code"]) == (401, "token_expired")


def test_a_token_is_invalid_once_its_player_has_logged_out(lucky: Scene) -> None:
    first = call("delete", "sessions/current", lucky.token)
    again = call("delete", "sessions/current", lucky.token)

    assert (first.status_code, first.content) == (204, b"")
    assert (again.status_code, again.json()["code"]) == (401, "invalid_credentials")


def test_players_may_not_call_operators_endpoints_nor_the_reverse(lucky: Scene) -> None:
    by_player = get_operator(lucky.token)
    by_operator = call("delete", "sessions/current", lucky.key)

    assert [(a.status_code, a.json()["code"]) for a in (by_player, by_operator)] == [(403, "forbidden")] * 2
    assert "operator's server" in by_player.json()["remedy"]
    assert "player's token" in by_operator.json()["remedy"]


def test_an_operator_opens_a_session_for_its_player(lucky: Scene, settings: Settings) -> None:
    settings.PLAYER_SESSION_SECONDS = 120
    opened = call("post", f"players/{lucky.player.id}/sessions", lucky.key)

    assert opened.status_code == 201
    assert opened.json()["player"] == str(lucky.player.id)
    assert opened.json()["expires_at"].endswith("Z")
    assert call("delete", "sessions/current", opened.json()["token"]).status_code == 204


def test_another_operators_player_is_unknown_like_one_that_does_not_exist(lucky: Scene, golden: Scene) -> None:
    other = call("post", f"players/{golden.player.id}/sessions", lucky.key)
    unknown = call("post", f"players/{NOBODY}/sessions", lucky.key)

    problems = [{name: answer.json()[name] for name in ("status", "code", "detail")} for answer in (other, unknown)]
    assert problems[0] == problems[1] == {"status": 404, "code": "unknown_player", "detail": "There is no such player"}


@pytest.mark.parametrize("seconds", [0, 59, 86401, -1, 10**30])
def test_the_length_of_a_session_is_limited(lucky: Scene, seconds: int) -> None:
    answer = call("post", f"players/{lucky.player.id}/sessions", lucky.key, {"ttl_seconds": seconds})

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_session_length")


def test_neither_secrets_nor_tokens_are_stored(lucky: Scene) -> None:
    stored = [bytes(ApiKey.objects.get(key_id=lucky.key_id).secret_hash)]
    stored += [bytes(session.token_hash) for session in PlayerSession.objects.all()]

    assert [len(value) for value in stored] == [32, 32]
    assert not any(value in (lucky.secret.encode(), lucky.token.encode()) for value in stored)


def test_authentication_takes_one_query(lucky: Scene, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    get_operator(lucky.key)  # saves the key's last use
    with django_assert_num_queries(1):
        get_operator(lucky.key)
    with django_assert_num_queries(2):
        call("delete", "sessions/current", lucky.token)


def test_event_metadata_has_the_operator_the_actor_and_the_request(lucky: Scene) -> None:
    request = Request(APIRequestFactory().get("/", headers={"X-Request-Id": "trace-1234"}))
    caller: Any = OperatorPrincipal(lucky.operator.id, "lucky", ("EUR",), True, lucky.key_id, frozenset(Scope))
    request.user = caller

    event_metadata = metadata(request)

    assert (event_metadata.operator, event_metadata.actor) == (str(lucky.operator.id), f"operator:{lucky.key_id}")
    assert event_metadata.request == request_id(request._request) == "trace-1234"


def failures() -> list[SignificantEvent]:
    return list(SignificantEvent.objects.filter(kind__in=["access_failed", "access_locked"]).order_by("number"))


def status_of(credential: str) -> int:
    response = Client().get(
        "/api/v1/operator", headers={"authorization": f"Bearer {credential}"}, REMOTE_ADDR="192.0.2.7"
    )
    return response.status_code


def test_a_wrong_key_is_recorded_with_operator_and_address_and_without_its_secret() -> None:
    operator = services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=True)
    key, secret = issue_key(operator=operator.id)
    assert status_of(f"{key}.not-the-secret") == status_of(f"{key}.nor-this") == 401
    (event,) = failures()
    assert (event.operator_id, event.subject, event.address) == (operator.id, f"key:{key}", "192.0.2.7")
    assert "secret" not in f"{event.reason}{event.before}{event.after}{event.dedup_key}"

    services.revoke_key(key_id=key, by="staff:7")
    assert status_of(f"{key}.{secret}") == 401
    changes = SignificantEvent.objects.filter(kind="access_changed").order_by("number")
    assert [(change.reason, change.actor) for change in changes] == [
        ("An API key was issued", shell_actor()),
        ("An API key was revoked", "staff:7"),
    ]


def test_behind_a_proxy_the_address_of_the_client_is_recorded(settings: Any) -> None:
    settings.PROXY_HOPS = 1
    Client().get(
        "/api/v1/operator",
        headers={"authorization": "Bearer op_nobody.secret", "x-forwarded-for": "1.1.1.1, 203.0.113.9"},
        REMOTE_ADDR="172.18.0.1",
    )
    (event,) = failures()
    assert event.address == "203.0.113.9"


@pytest.mark.parametrize("credential", ["op_nobody.secret", "pt_unknown", "x-unknown", "pt_Ä"])
def test_unknown_credentials_are_recorded_without_their_text(credential: str) -> None:
    assert status_of(credential) == 401
    (event,) = failures()
    assert event.operator_id is None
    assert credential not in f"{event.subject}{event.actor}{event.reason}{event.dedup_key}"


@pytest.mark.parametrize("guess", ["pt_{}", "op_nobody.{}", "{}.secret"])
def test_guesses_from_any_number_of_addresses_leave_one_event_an_hour(guess: str, settings: Any) -> None:
    settings.PROXY_HOPS = 1
    for number in range(12):
        headers = {"authorization": f"Bearer {guess.format(number)}", "x-forwarded-for": f"2001:db8:{number}::1"}
        assert Client().get("/api/v1/operator", headers=headers).status_code == 401
    assert len(failures()) <= 2  # the hour may have ended in between


def test_a_known_key_with_wrong_secrets_from_any_number_of_addresses_leaves_one_event_an_hour(settings: Any) -> None:
    settings.PROXY_HOPS = 1
    key, _ = issue_key(operator=open_office().operator.id)
    for number in range(5):
        headers = {"authorization": f"Bearer {key}.no", "x-forwarded-for": f"203.0.113.{number}"}
        assert Client().get("/api/v1/operator", headers=headers).status_code == 401
    events = failures()
    assert len(events) <= 2
    assert {event.subject for event in events} == {f"key:{key}"}


def test_missing_credentials_and_ended_sessions_are_not_recorded_as_failed_access() -> None:
    office = open_office()
    sessions.open_session(operator=office.operator.id, player=office.player.id, seconds=60)
    assert Client().get("/api/v1/operator").status_code == 401
    assert status_of(office.token) == 401
    assert failures() == []


def test_wrong_pins_and_the_lock_are_recorded() -> None:
    office = open_office()
    pins.set_pin(operator=office.operator.id, player=office.player.id, pin=pins.hash_pin("482913"))
    body: dict[str, Any] = {"old_pin": "000000", "new_pin": "730164"}
    for number in range(3):
        headers = {"authorization": f"Bearer {office.token}", "idempotency-key": f"try-{number}"}
        response = Client().post("/api/v1/me/pin", body, content_type="application/json", headers=headers)
        assert response.status_code == 403
    events = failures()
    assert [event.kind for event in events] == ["access_failed", "access_locked"]
    assert {event.subject for event in events} == {f"player:{office.player.id}"}
    assert "000000" not in str([(event.reason, event.after) for event in events])
    assert SignificantEvent.objects.filter(kind="player_data_changed", reason="The PIN was set").count() == 1
