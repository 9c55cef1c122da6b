"""When a worker counts as stalled."""

from casino.observability.celery_watchdog import STALL_TIMEOUT, StallDetector


def test_a_worker_is_stalled_when_messages_wait_too_long_while_it_is_idle():
    detector = StallDetector()
    assert not detector.is_stalled(now=100.0, waiting=1, busy=False)
    assert not detector.is_stalled(now=100.0 + STALL_TIMEOUT - 0.1, waiting=3, busy=False)
    assert detector.is_stalled(now=100.0 + STALL_TIMEOUT, waiting=3, busy=False)


def test_a_worker_that_is_busy_receives_messages_or_has_none_waiting_is_not_stalled():
    late = 100.0 + 10 * STALL_TIMEOUT
    busy, idle, receiving = StallDetector(), StallDetector(), StallDetector()
    for detector in (busy, idle, receiving):
        assert not detector.is_stalled(now=100.0, waiting=1, busy=False)
    assert not busy.is_stalled(now=late, waiting=1, busy=True)
    assert not idle.is_stalled(now=late, waiting=0, busy=False)
    receiving.message_received()
    assert not receiving.is_stalled(now=late, waiting=1, busy=False)
