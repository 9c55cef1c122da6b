"""The supervisor restarts what dies after a pause of a few seconds at most, and soon forgets earlier deaths."""

from casino.devstack.supervisor import HEALTHY_AFTER, RestartBackoff


def test_a_storm_of_deaths_never_pauses_a_process_for_long():
    backoff, now = RestartBackoff(), 100.0
    for _ in range(20):
        due = backoff.after_death(now)
        assert due - now <= 5
        backoff.after_start(due)
        now = due
    now += HEALTHY_AFTER + 0.1
    assert backoff.after_death(now) == now


def test_a_healthy_process_restarts_at_once_and_pauses_after_further_deaths():
    backoff, now = RestartBackoff(), 100.0
    pauses = []
    for _ in range(3):
        pauses.append(backoff.after_death(now) - now)
        backoff.after_start(now)
    assert pauses == [0.0, 0.5, 1.0]
