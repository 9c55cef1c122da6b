"""A player has one session; it ends by another login, age, inactivity or logout."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries, Settings

from casino.operators import services, sessions
from casino.operators.models import Player, PlayerSession


@pytest.fixture
def alice() -> Player:
    operator = services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=True)
    return services.register_player(operator=operator.id, reference="alice-1", nickname="Alice")


def log_in(player: Player) -> str:
    return sessions.open_session(operator=player.operator_id, player=player.id, seconds=3600).token


def request_with(token: str) -> tuple[int, str]:
    """Return status and code of a request that authenticates players but is forbidden to them."""
    response: Any = Client().get("/api/v1/operator", headers={"Authorization": f"Bearer {token}"})
    return response.status_code, response.json()["code"]


AUTHENTICATED = (403, "forbidden")


def unused_for(seconds: float, expires: float = 1800) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE operators_playersession SET last_used_at = clock_timestamp() - make_interval(secs => %s), "
            "expires_at = clock_timestamp() + make_interval(secs => %s)",
            [seconds, expires],
        )


def last_used(player: UUID) -> Any:
    return PlayerSession.objects.get(player_id=player, ended_at=None).last_used_at


@pytest.mark.django_db
def test_a_new_session_ends_the_old_one_with_its_own_error_code(alice: Player) -> None:
    first, second = log_in(alice), log_in(alice)

    assert request_with(second) == AUTHENTICATED
    assert request_with(first) == (401, "session_taken_over")
    assert PlayerSession.objects.filter(ended_at=None).count() == 1


@pytest.mark.django_db
def test_the_error_of_a_taken_over_session_has_a_remedy(alice: Player) -> None:
    first, _ = log_in(alice), log_in(alice)

    problem = Client().get("/api/v1/me/balances", headers={"Authorization": f"Bearer {first}"}).json()

    assert "new session" in problem["remedy"]


@pytest.mark.django_db
def test_logging_in_ends_no_session_of_another_player(alice: Player) -> None:
    bob = services.register_player(operator=alice.operator_id, reference="bob-1", nickname="Bob")
    token = log_in(alice)
    log_in(bob)

    assert request_with(token) == AUTHENTICATED


@pytest.mark.django_db
def test_a_player_sees_which_sessions_a_key_of_the_casino_opened(alice: Player) -> None:
    log_in(alice)
    sessions.open_session(operator=alice.operator_id, player=alice.id, seconds=3600, opened_by="op_1")
    token = log_in(alice)

    headers = {"Authorization": f"Bearer {token}"}
    shown = Client().get("/api/v1/me/sessions", headers=headers).json()["items"]

    assert [(each["opened_by_casino"], each["current"], each["ended_at"] is None) for each in shown] == [
        (False, True, True), (True, False, False), (False, False, False),
    ]  # fmt: skip
    assert sorted((each["started_at"] for each in shown), reverse=True) == [each["started_at"] for each in shown]


@pytest.mark.django_db
def test_the_database_allows_one_active_session_per_player(alice: Player) -> None:
    log_in(alice)

    with pytest.raises(IntegrityError, match="operators_session_one"), transaction.atomic():
        PlayerSession.objects.create(
            token_hash=b"x" * 32, player=alice, operator_id=alice.operator_id, expires_at="2100-01-01T00:00:00Z"
        )


@pytest.mark.usefixtures("database")
def test_one_of_twenty_concurrent_logins_stays_active(alice: Player, in_threads: Callable[..., list[Any]]) -> None:
    tokens = in_threads(20, lambda _: log_in(alice))

    assert sorted(request_with(token) for token in tokens) == [(401, "session_taken_over")] * 19 + [AUTHENTICATED]


@pytest.mark.django_db
def test_a_new_session_shows_the_previous_login(alice: Player) -> None:
    first = sessions.open_session(operator=alice.operator_id, player=alice.id, seconds=60)
    first_login = PlayerSession.objects.get().created_at
    second = sessions.open_session(operator=alice.operator_id, player=alice.id, seconds=60)

    assert (first.previous_login, second.previous_login) == (None, first_login)


@pytest.mark.django_db
def test_an_unused_session_ends_and_stays_ended(alice: Player, settings: Settings) -> None:
    settings.PLAYER_IDLE_SECONDS = 900
    token = log_in(alice)

    unused_for(890)
    assert request_with(token) == AUTHENTICATED
    unused_for(901)
    assert [request_with(token), request_with(token)] == [(401, "session_timed_out")] * 2


@pytest.mark.django_db
def test_each_session_keeps_the_reason_of_its_end_after_later_logins(alice: Player) -> None:
    timed_out = log_in(alice)
    unused_for(901)
    expired = log_in(alice)
    unused_for(0, expires=-1)
    logged_out = log_in(alice)
    Client().delete("/api/v1/sessions/current", headers={"Authorization": f"Bearer {logged_out}"})
    log_in(alice)

    codes = [request_with(token)[1] for token in (timed_out, expired, logged_out)]
    assert codes == ["session_timed_out", "token_expired", "invalid_credentials"]


@pytest.mark.django_db
def test_use_is_saved_rarely_and_in_the_query_that_authenticates(
    alice: Player, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    token = log_in(alice)
    unused_for(20)
    before = last_used(alice.id)
    with django_assert_num_queries(1):
        request_with(token)
    assert last_used(alice.id) == before

    unused_for(40)
    before = last_used(alice.id)
    with CaptureQueriesContext(connection) as queries:
        request_with(token)
    assert last_used(alice.id) > before
    assert len(queries) == 1


@pytest.mark.django_db
def test_a_request_does_not_revive_an_ended_session(alice: Player) -> None:
    first = log_in(alice)
    log_in(alice)
    unused_for(60)

    request_with(first)

    ended = PlayerSession.objects.get(ended_reason="taken_over")
    assert ended.ended_at is not None
    assert ended.last_used_at < ended.ended_at
