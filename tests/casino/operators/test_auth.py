from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from casino.observability.request_id import request_id
from casino.operators import services, sessions
from casino.operators.base_views import metadata
from casino.operators.models import ApiKey, Player, PlayerSession
from casino.operators.principals import OperatorPrincipal

pytestmark = pytest.mark.django_db
NOBODY = "0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11"


@dataclass(frozen=True, slots=True)
class House:
    operator: Any
    key_id: str
    secret: str
    player: Player
    token: str

    @property
    def key(self) -> str:
        return f"{self.key_id}.{self.secret}"


def house(slug: str) -> House:
    operator = services.create_operator(slug=slug, name=slug.title(), currency="EUR", sandbox=True)
    key_id, secret = services.issue_key(operator=operator.id)
    player = services.register_player(operator=operator.id, reference="alice-1", nickname="Alice")
    token = sessions.open_session(operator=operator.id, player=player.id, seconds=60).token
    return House(operator, key_id, secret, player, token)


@pytest.fixture
def lucky() -> House:
    return house("lucky")


@pytest.fixture
def golden() -> House:
    return house("golden")


def call(method: str, address: str, credential: str, body: Any = None) -> Any:
    send = getattr(Client(), method)
    headers = {"Authorization": f"Bearer {credential}"}
    return send(f"/api/v1/{address}", body or {}, content_type="application/json", headers=headers)


def whoami(credential: str) -> Any:
    return call("get", "operator", credential)


def test_a_key_lets_its_operator_in(lucky: House) -> None:
    answer = whoami(lucky.key)

    assert answer.json() == {
        "id": str(lucky.operator.id),
        "slug": "lucky",
        "currency": "EUR",
        "sandbox": True,
        "key_id": lucky.key_id,
    }


def test_without_credentials_one_is_told_how_to_bring_them() -> None:
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
def test_what_is_no_credential_of_ours_is_invalid(header: str) -> None:
    answer = Client().get("/api/v1/operator", headers={"Authorization": header})

    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_credentials")
    assert "invalid_token" in answer["WWW-Authenticate"]


def test_a_wrong_secret_or_another_keys_secret_is_invalid(lucky: House, golden: House) -> None:
    answers = [whoami(f"{lucky.key_id}.{secret}") for secret in ("", "wrong", golden.secret, lucky.secret[:-1])]

    assert {answer.json()["code"] for answer in answers} == {"invalid_credentials"}


def test_a_revoked_key_is_invalid_at_once_and_the_other_one_lives(lucky: House) -> None:
    other_id, other_secret = services.issue_key(operator=lucky.operator.id, label="new")

    services.revoke_key(key_id=lucky.key_id)
    services.revoke_key(key_id=lucky.key_id)

    assert whoami(lucky.key).json()["code"] == "invalid_credentials"
    assert whoami(f"{other_id}.{other_secret}").status_code == 200


def test_an_expired_token_says_so(lucky: House) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE operators_playersession SET expires_at = now() - interval '1 second'")

    answer = call("delete", "sessions/current", lucky.token)

    assert (answer.status_code, answer.json()["code"]) == (401, "token_expired")


def test_a_token_is_invalid_once_its_player_has_logged_out(lucky: House) -> None:
    first = call("delete", "sessions/current", lucky.token)
    again = call("delete", "sessions/current", lucky.token)

    assert (first.status_code, first.content) == (204, b"")
    assert (again.status_code, again.json()["code"]) == (401, "invalid_credentials")


def test_a_players_token_may_not_do_what_is_the_operators_and_the_reverse(lucky: House) -> None:
    by_player = whoami(lucky.token)
    by_operator = call("delete", "sessions/current", lucky.key)

    assert [(a.status_code, a.json()["code"]) for a in (by_player, by_operator)] == [(403, "forbidden")] * 2
    assert "operator's server" in by_player.json()["remedy"]
    assert "player's token" in by_operator.json()["remedy"]


def test_an_operator_opens_a_session_for_its_player(lucky: House, settings: Settings) -> None:
    settings.PLAYER_SESSION_SECONDS = 120
    opened = call("post", f"players/{lucky.player.id}/sessions", lucky.key)

    assert opened.status_code == 201
    assert opened.json()["player"] == str(lucky.player.id)
    assert opened.json()["expires_at"].endswith("Z")
    assert call("delete", "sessions/current", opened.json()["token"]).status_code == 204


def test_another_operators_player_is_as_unknown_as_one_that_never_was(lucky: House, golden: House) -> None:
    others = call("post", f"players/{golden.player.id}/sessions", lucky.key)
    nobodys = call("post", f"players/{NOBODY}/sessions", lucky.key)

    told = [{name: answer.json()[name] for name in ("status", "code", "detail")} for answer in (others, nobodys)]
    assert told[0] == told[1] == {"status": 404, "code": "unknown_player", "detail": "There is no such player"}


@pytest.mark.parametrize("seconds", [0, 59, 86401, -1, 10**30])
def test_a_session_has_a_sensible_length(lucky: House, seconds: int) -> None:
    answer = call("post", f"players/{lucky.player.id}/sessions", lucky.key, {"ttl_seconds": seconds})

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_session_length")


def test_neither_a_secret_nor_a_token_is_kept(lucky: House) -> None:
    kept = [bytes(ApiKey.objects.get(key_id=lucky.key_id).secret_hash)]
    kept += [bytes(session.token_hash) for session in PlayerSession.objects.all()]

    assert [len(value) for value in kept] == [32, 32]
    assert not any(value in (lucky.secret.encode(), lucky.token.encode()) for value in kept)


def test_knowing_the_caller_costs_one_query(lucky: House, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1):
        whoami(lucky.key)
    with django_assert_num_queries(2):
        call("delete", "sessions/current", lucky.token)


def test_events_remember_the_operator_the_actor_and_the_request(lucky: House) -> None:
    request = Request(APIRequestFactory().get("/", headers={"X-Request-Id": "trace-1234"}))
    caller: Any = OperatorPrincipal(lucky.operator.id, "lucky", "EUR", True, lucky.key_id)
    request.user = caller

    remembered = metadata(request)

    assert (remembered.operator, remembered.actor) == (str(lucky.operator.id), f"operator:{lucky.key_id}")
    assert remembered.request == request_id(request._request) == "trace-1234"
