"""When a worker counts as deaf."""

from casino.observability.celery_watchdog import STALL_TIMEOUT, StallDetector


def test_a_worker_is_deaf_when_messages_wait_and_it_has_nothing_to_do_for_too_long():
    ear = StallDetector()
    assert not ear.is_stalled(now=100.0, waiting=1, busy=False)
    assert not ear.is_stalled(now=100.0 + STALL_TIMEOUT - 0.1, waiting=3, busy=False)
    assert ear.is_stalled(now=100.0 + STALL_TIMEOUT, waiting=3, busy=False)


def test_one_that_works_or_hears_or_has_nothing_to_hear_is_not():
    late = 100.0 + 10 * STALL_TIMEOUT
    busy, idle, hears = StallDetector(), StallDetector(), StallDetector()
    for ear in (busy, idle, hears):
        assert not ear.is_stalled(now=100.0, waiting=1, busy=False)
    assert not busy.is_stalled(now=late, waiting=1, busy=True)
    assert not idle.is_stalled(now=late, waiting=0, busy=False)
    hears.message_received()
    assert not hears.is_stalled(now=late, waiting=1, busy=False)
