"""One session per player; it ends by another login, by age, by not being used, or by logging out."""

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
    operator = services.create_operator(slug="lucky", name="Lucky", currency="EUR", sandbox=True)
    return services.register_player(operator=operator.id, reference="alice-1", nickname="Alice")


def log_in(player: Player) -> str:
    return sessions.open_session(operator=player.operator_id, player=player.id, seconds=3600).token


def ask(token: str) -> tuple[int, str]:
    """The status and the code of a request that a player's session lets in and a player's kind of caller does not."""
    answer: Any = Client().get("/api/v1/operator", headers={"Authorization": f"Bearer {token}"})
    return answer.status_code, answer.json()["code"]


INSIDE = (403, "forbidden")


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
def test_a_new_session_takes_over_and_the_old_one_is_told(alice: Player) -> None:
    first, second = log_in(alice), log_in(alice)

    assert ask(second) == INSIDE
    assert ask(first) == (401, "session_taken_over")
    assert PlayerSession.objects.filter(ended_at=None).count() == 1


@pytest.mark.django_db
def test_who_is_told_of_the_take_over_is_told_what_to_do(alice: Player) -> None:
    first, _ = log_in(alice), log_in(alice)

    problem = Client().get("/api/v1/me/balances", headers={"Authorization": f"Bearer {first}"}).json()

    assert "new session" in problem["remedy"]


@pytest.mark.django_db
def test_logging_in_ends_no_session_of_another_player(alice: Player) -> None:
    bob = services.register_player(operator=alice.operator_id, reference="bob-1", nickname="Bob")
    hers = log_in(alice)
    log_in(bob)

    assert ask(hers) == INSIDE


@pytest.mark.django_db
def test_the_database_itself_holds_a_player_to_one_session(alice: Player) -> None:
    log_in(alice)

    with pytest.raises(IntegrityError, match="operators_session_one"), transaction.atomic():
        PlayerSession.objects.create(
            token_hash=b"x" * 32, player=alice, operator_id=alice.operator_id, expires_at="2100-01-01T00:00:00Z"
        )


@pytest.mark.usefixtures("database")
def test_of_twenty_logins_at_once_one_is_left(alice: Player, in_threads: Callable[..., list[Any]]) -> None:
    tokens = in_threads(20, lambda _: log_in(alice))

    assert sorted(ask(token) for token in tokens) == [(401, "session_taken_over")] * 19 + [INSIDE]


@pytest.mark.django_db
def test_a_session_answers_when_the_player_logged_in_before(alice: Player) -> None:
    first = sessions.open_session(operator=alice.operator_id, player=alice.id, seconds=60)
    opened = PlayerSession.objects.get().created_at
    second = sessions.open_session(operator=alice.operator_id, player=alice.id, seconds=60)

    assert (first.previous_login, second.previous_login) == (None, opened)


@pytest.mark.django_db
def test_an_unused_session_ends_and_stays_ended(alice: Player, settings: Settings) -> None:
    settings.PLAYER_IDLE_SECONDS = 900
    token = log_in(alice)

    unused_for(890)
    assert ask(token) == INSIDE
    unused_for(901)
    assert [ask(token), ask(token)] == [(401, "session_timed_out")] * 2


@pytest.mark.django_db
def test_each_session_tells_how_it_ended_whoever_came_later(alice: Player) -> None:
    timed_out = log_in(alice)
    unused_for(901)
    expired = log_in(alice)
    unused_for(0, expires=-1)
    logged_out = log_in(alice)
    Client().delete("/api/v1/sessions/current", headers={"Authorization": f"Bearer {logged_out}"})
    log_in(alice)

    told = [ask(token)[1] for token in (timed_out, expired, logged_out)]
    assert told == ["session_timed_out", "token_expired", "invalid_credentials"]


@pytest.mark.django_db
def test_use_is_noted_rarely_and_in_the_query_that_knows_the_caller(
    alice: Player, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    token = log_in(alice)
    unused_for(20)
    before = last_used(alice.id)
    with django_assert_num_queries(1):
        ask(token)
    assert last_used(alice.id) == before

    unused_for(40)
    before = last_used(alice.id)
    with CaptureQueriesContext(connection) as queries:
        ask(token)
    assert last_used(alice.id) > before
    assert len(queries) == 1


@pytest.mark.django_db
def test_an_ended_session_is_not_brought_back_by_asking(alice: Player) -> None:
    first = log_in(alice)
    log_in(alice)
    unused_for(60)

    ask(first)

    ended = PlayerSession.objects.get(ended_reason="taken_over")
    assert ended.ended_at is not None
    assert ended.last_used_at < ended.ended_at
