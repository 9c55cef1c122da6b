"""Wake-ups are coalesced and sent on commit; announcements reach all listeners; losing either only costs time."""

import itertools
import socket
import threading
import time

import pytest
import redis
from django.conf import settings
from django.db import transaction

from casino.events import sealer, wakeups
from casino.events.wakeups import Listener, announce
from tests.casino.events.writing import write


@pytest.fixture(autouse=True)
def _healthy():
    wakeups.forget_failures()
    yield
    wakeups.forget_failures()


@pytest.fixture
def client(database):
    with redis.Redis.from_url(settings.REDIS_URL) as connected:
        yield connected


def waiting(client, topic):
    return client.llen(f"casino:wake:{topic}")


def test_many_wakeups_wake_once(client):
    for _ in range(10):
        wakeups.wake("rounds")
    assert waiting(client, "rounds") == 1
    assert wakeups.wait("rounds", 1)
    assert not wakeups.wait("rounds", 0.01)


def test_a_wakeup_after_the_waiter_began_to_read_wakes_it_again(client):
    wakeups.wake("rounds")
    assert wakeups.wait("rounds", 1)
    wakeups.wake("rounds")
    assert wakeups.wait("rounds", 1)


def test_a_waiter_wakes_when_the_wakeup_comes(client):
    woken = []
    waiter = threading.Thread(target=lambda: woken.append(wakeups.wait("rounds", 5)))
    waiter.start()
    wakeups.wake("other", "rounds")
    waiter.join()
    assert woken == [True]


def test_wakeups_are_sent_together_on_commit(client):
    with transaction.atomic():
        wakeups.wake_on_commit("rounds")
        with transaction.atomic():
            wakeups.wake_on_commit("wallets", "rounds")
        assert len(transaction.get_connection().run_on_commit) == 1
        assert waiting(client, "rounds") == 0
    assert waiting(client, "rounds") == waiting(client, "wallets") == 1


def test_a_rolled_back_transaction_wakes_nobody(client):
    with transaction.atomic():
        wakeups.wake_on_commit("rounds")
        transaction.set_rollback(True)
    assert waiting(client, "rounds") == 0


def test_a_wakeup_after_a_rolled_back_savepoint_is_still_sent(client):
    with transaction.atomic():
        with transaction.atomic():
            wakeups.wake_on_commit("rounds")
            transaction.set_rollback(True)
        wakeups.wake_on_commit("wallets")
    assert waiting(client, "wallets") == 1


def test_outside_a_transaction_the_wakeup_is_sent_at_once(client):
    wakeups.wake_on_commit("rounds")
    assert waiting(client, "rounds") == 1


def test_a_dead_redis_raises_nothing_and_is_logged_once(monkeypatch, caplog):
    monkeypatch.setattr(settings, "REDIS_URL", "redis://127.0.0.1:1/0")
    for _ in range(5):
        wakeups.wake("rounds")
        assert wakeups.wait("rounds", 1) is False
    assert not wakeups.available()
    assert len([record for record in caplog.records if record.name == wakeups.__name__]) == 1


def test_wakeups_that_nobody_waits_for_expire(client):
    wakeups.wake("rounds")
    assert 0 < client.pttl("casino:wake:rounds") <= 5000
    assert 0 < client.pttl("casino:wakeup:rounds") <= 1000


def test_only_the_first_claim_succeeds_until_it_is_cleared(client):
    assert [wakeups.claim_wakeup("rounds") for _ in range(3)] == [True, False, False]
    wakeups.clear("rounds")
    assert wakeups.claim_wakeup("rounds")
    assert waiting(client, "rounds") == 0


def test_no_claim_succeeds_while_redis_is_away(monkeypatch):
    monkeypatch.setattr(settings, "REDIS_URL", "redis://127.0.0.1:1/0")
    assert not wakeups.claim_wakeup("rounds")
    wakeups.forget_failures()
    wakeups.clear("rounds")
    assert not wakeups.available()


def all_notified(*listeners, after):
    """Return whether all listeners are notified after an action; repeat it, as a slow Redis may lose one."""
    waiting_for, until = list(listeners), time.monotonic() + 20.0
    while waiting_for and time.monotonic() < until:
        after()
        waiting_for = [listener for listener in waiting_for if not listener.wait(0.5)]
    return not waiting_for


def test_an_announcement_reaches_all_listeners(database):
    listeners = [Listener() for _ in range(3)]
    assert all_notified(*listeners, after=announce)
    for listener in listeners:
        listener.close()


def test_sealing_is_announced(database):
    listener, version = Listener(), itertools.count()

    def seal_more():
        write("red", expected=next(version))
        sealer.seal_all()

    assert all_notified(listener, after=seal_more)
    listener.close()


def test_without_redis_the_listener_returns_at_once_and_the_sealer_continues(database, monkeypatch):
    monkeypatch.setattr(settings, "REDIS_URL", "redis://127.0.0.1:1/0")
    listener = Listener()
    began = time.monotonic()
    assert listener.wait(60.0) is None
    assert listener.wait(60.0) is None
    write("red", count=2)
    assert sealer.seal_all() == 2
    assert time.monotonic() - began < 30.0


@pytest.fixture
def frozen_redis(monkeypatch, tmp_path):
    """Point settings at a server that accepts connections and never answers, as a frozen Redis does."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "redis.sock"))
        listener.listen(64)
        monkeypatch.setattr(settings, "REDIS_URL", f"unix://{tmp_path}/redis.sock")
        yield


def test_a_frozen_redis_delays_one_caller_and_is_then_left_alone(frozen_redis):
    began = time.monotonic()
    for _ in range(20):
        wakeups.wake("rounds")
        wakeups.claim_wakeup("rounds")
        wakeups.announce()
        assert wakeups.wait("rounds", 5) is False
    assert time.monotonic() - began < 2.0


def test_the_pause_grows_while_redis_fails_and_ends_when_it_answers(client, monkeypatch):
    real = settings.REDIS_URL
    monkeypatch.setattr(settings, "REDIS_URL", "redis://127.0.0.1:1/0")
    pauses = []
    for _ in range(6):
        wakeups._health.unavailable_until = 0.0
        wakeups.wake("rounds")
        pauses.append(wakeups._health.pause)
    assert pauses == [1, 2, 4, 8, 8, 8]
    monkeypatch.setattr(settings, "REDIS_URL", real)
    wakeups._health.unavailable_until = 0.0
    wakeups.wake("rounds")
    assert wakeups.available()
    assert waiting(client, "rounds") == 1
