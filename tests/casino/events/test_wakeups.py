"""Wake-ups are coalesced, sent on commit only, and their loss costs nothing but time."""

import threading

import pytest
import redis
from django.conf import settings
from django.db import transaction

from casino.events import wakeups


@pytest.fixture(autouse=True)
def _healthy():
    wakeups.forget_failures()
    yield
    wakeups.forget_failures()


@pytest.fixture
def client(database):
    with redis.Redis.from_url(settings.REDIS_URL) as found:
        yield found


def waiting(client, topic):
    return client.llen(f"casino:wake:{topic}")


def test_many_hints_wake_once(client):
    for _ in range(10):
        wakeups.wake("rounds")
    assert waiting(client, "rounds") == 1
    assert wakeups.wait("rounds", 1)
    assert not wakeups.wait("rounds", 0.01)


def test_a_hint_after_the_waiter_began_to_look_wakes_it_again(client):
    wakeups.wake("rounds")
    assert wakeups.wait("rounds", 1)
    wakeups.wake("rounds")
    assert wakeups.wait("rounds", 1)


def test_a_waiter_wakes_when_the_hint_comes(client):
    woken = []
    waiter = threading.Thread(target=lambda: woken.append(wakeups.wait("rounds", 5)))
    waiter.start()
    wakeups.wake("other", "rounds")
    waiter.join()
    assert woken == [True]


def test_hints_go_out_on_commit_all_in_one(client):
    with transaction.atomic():
        wakeups.wake_on_commit("rounds")
        with transaction.atomic():
            wakeups.wake_on_commit("wallets", "rounds")
        assert len(transaction.get_connection().run_on_commit) == 1
        assert waiting(client, "rounds") == 0
    assert waiting(client, "rounds") == waiting(client, "wallets") == 1


def test_a_rolled_back_transaction_hints_nobody(client):
    with transaction.atomic():
        wakeups.wake_on_commit("rounds")
        transaction.set_rollback(True)
    assert waiting(client, "rounds") == 0


def test_a_hint_after_a_rolled_back_savepoint_still_goes_out(client):
    with transaction.atomic():
        with transaction.atomic():
            wakeups.wake_on_commit("rounds")
            transaction.set_rollback(True)
        wakeups.wake_on_commit("wallets")
    assert waiting(client, "wallets") == 1


def test_outside_a_transaction_the_hint_goes_out_at_once(client):
    wakeups.wake_on_commit("rounds")
    assert waiting(client, "rounds") == 1


def test_a_dead_redis_raises_nothing_and_is_mentioned_once(monkeypatch, caplog):
    monkeypatch.setattr(settings, "REDIS_URL", "redis://127.0.0.1:1/0")
    for _ in range(5):
        wakeups.wake("rounds")
        assert wakeups.wait("rounds", 1) is False
    assert not wakeups.available()
    assert len([record for record in caplog.records if record.name == wakeups.__name__]) == 1


def test_hints_that_nobody_waits_for_do_not_pile_up(client):
    wakeups.wake("rounds")
    assert 0 < client.pttl("casino:wake:rounds") <= 5000
    assert 0 < client.pttl("casino:hint:rounds") <= 1000


def test_only_the_first_asker_is_first_until_it_is_cleared(client):
    assert [wakeups.claim_wakeup("rounds") for _ in range(3)] == [True, False, False]
    wakeups.clear("rounds")
    assert wakeups.claim_wakeup("rounds")
    assert waiting(client, "rounds") == 0


def test_nobody_is_first_while_redis_is_away(monkeypatch):
    monkeypatch.setattr(settings, "REDIS_URL", "redis://127.0.0.1:1/0")
    assert not wakeups.claim_wakeup("rounds")
    wakeups.forget_failures()
    wakeups.clear("rounds")
    assert not wakeups.available()
