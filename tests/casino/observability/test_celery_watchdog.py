"""When a worker counts as deaf."""

from casino.observability.celery_watchdog import PATIENCE, Ear


def test_a_worker_is_deaf_when_messages_wait_and_it_has_nothing_to_do_for_too_long():
    ear = Ear()
    assert not ear.is_deaf(now=100.0, waiting=1, busy=False)
    assert not ear.is_deaf(now=100.0 + PATIENCE - 0.1, waiting=3, busy=False)
    assert ear.is_deaf(now=100.0 + PATIENCE, waiting=3, busy=False)


def test_one_that_works_or_hears_or_has_nothing_to_hear_is_not():
    late = 100.0 + 10 * PATIENCE
    busy, idle, hears = Ear(), Ear(), Ear()
    for ear in (busy, idle, hears):
        assert not ear.is_deaf(now=100.0, waiting=1, busy=False)
    assert not busy.is_deaf(now=late, waiting=1, busy=True)
    assert not idle.is_deaf(now=late, waiting=0, busy=False)
    hears.heard()
    assert not hears.is_deaf(now=late, waiting=1, busy=False)
