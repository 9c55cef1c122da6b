"""Subscribers read by position and miss nothing, even events of late commits."""

import threading

import pytest
from django.db import connection, transaction

from casino.events import sealer, subscriptions
from tests.casino.events.writing import write


def test_events_arrive_once_in_order_and_the_checkpoint_is_one_integer(database):
    write("round-1", count=5)
    sealer.seal_all()
    seen = []
    assert subscriptions.run_once("feed", seen.extend, limit=3) == 3
    assert subscriptions.subscriber_position("feed") == 3
    assert subscriptions.run_once("feed", seen.extend, limit=3) == 2
    assert subscriptions.run_once("feed", seen.extend, limit=3) == 0
    assert [event.position for event in seen] == [1, 2, 3, 4, 5]
    assert [event.version for event in seen] == [1, 2, 3, 4, 5]
    assert seen == subscriptions.read_sealed(0, 100)
    assert subscriptions.head() == 5


def test_an_exception_of_the_handler_undoes_its_effect_and_the_checkpoint(database):
    write("round-1", count=2)
    sealer.seal_all()
    subscriptions.run_once("feed", list, limit=1)

    def half_done(_batch):
        write("effect-1")
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        subscriptions.run_once("feed", half_done)
    assert subscriptions.subscriber_position("feed") == 1
    assert sealer.seal_all() == 0


def test_two_processes_of_one_subscriber_never_handle_the_same_event(database, in_threads):
    write("round-1", count=40)
    sealer.seal_all()
    seen = []

    def work(_number):
        while subscriptions.subscriber_position("feed") < 40:
            subscriptions.run_once("feed", lambda batch: seen.extend(event.position for event in batch), limit=3)

    assert in_threads(4, work) == [None] * 4
    assert seen == list(range(1, 41))


def test_events_of_a_transaction_that_commits_late_reach_every_subscriber(database):
    appended, release = threading.Event(), threading.Event()

    def hold():
        try:
            with transaction.atomic():
                write("held", count=2)
                appended.set()
                assert release.wait(20)
        finally:
            connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    assert appended.wait(20)
    write("later", count=3)
    sealer.seal_all()
    seen = {"early bird": [], "late riser": []}
    assert subscriptions.run_once("early bird", seen["early bird"].extend) == 3
    release.set()
    holder.join()
    write("last")
    sealer.seal_all()
    for name, events in seen.items():
        subscriptions.run_once(name, events.extend)
    assert [event.stream for event in seen["early bird"]] == ["later"] * 3 + ["held"] * 2 + ["last"]
    assert seen["early bird"] == seen["late riser"]
    assert seen["early bird"][3].id < seen["early bird"][0].id


def test_a_writer_can_wait_until_its_event_is_sealed(database):
    (event,) = write("round-1")
    assert subscriptions.wait_sealed(event, 0.01) is None
    sealer.seal_all()
    assert subscriptions.wait_sealed(event, 5) == 1
