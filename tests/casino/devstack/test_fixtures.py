"""The test fixtures themselves: real servers, and each test alone on its data."""

import psycopg
import pytest
import redis
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection

from tests.support.house import fresh_database


def current_user() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        return str(cursor.fetchone()[0])


@pytest.mark.parametrize("turn", [1, 2])
def test_a_fresh_database_holds_nothing_of_the_test_before(database, turn):
    assert not User.objects.exists()
    User.objects.create(username=f"turn {turn}")
    with database.owner() as owner:
        assert owner.execute("SELECT count(*) FROM auth_user").fetchone() == (1,)


@pytest.fixture(scope="module")
def shared(services, django_db_blocker):
    with fresh_database(services, django_db_blocker):
        yield User.objects.create(username="shared")


def test_the_db_fixture_is_empty_beside_a_database_that_a_module_shares(shared, db):
    assert not User.objects.exists()


def test_a_shared_database_is_there_after_the_db_fixture(shared):
    assert User.objects.get() == shared


@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.django_db
def test_writes_of_the_db_fixture_are_rolled_back(turn):
    assert not User.objects.exists()
    User.objects.create(username=f"turn {turn}")


def test_tests_act_as_the_applications_role(database):
    assert current_user() == settings.DATABASE_APP_ROLE
    with pytest.raises(psycopg.errors.InsufficientPrivilege), psycopg.connect(database.url) as raw:
        raw.execute("CREATE TABLE mine (id int)")


def test_threads_see_the_same_database_and_what_they_raise(database, in_threads):
    def write(number):
        if number == 3:
            raise ValueError("three")
        return User.objects.create(username=f"thread {number}").username

    results = in_threads(4, write)
    assert results[:3] == ["thread 0", "thread 1", "thread 2"]
    assert isinstance(results[3], ValueError)
    assert User.objects.count() == 3


def test_redis_is_real_and_empty(database):
    with redis.Redis.from_url(database.environment["REDIS_URL"]) as client:
        assert client.dbsize() == 0
        client.set("left", "behind")
    assert database.environment["REDIS_URL"] == settings.REDIS_URL
