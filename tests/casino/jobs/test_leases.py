"""One holder at a time; another takes over when a lease is not renewed."""

import pytest

from casino.events.sql import execute
from casino.jobs import leases
from casino.jobs.leases import Lease


@pytest.mark.django_db
def test_one_holds_a_lease_until_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "RENEWAL_SECONDS", 0.0)
    first, second = Lease("cosigning"), Lease("cosigning")
    assert [first.is_held(), second.is_held(), first.is_held()] == [True, False, True]
    execute("UPDATE jobs_job SET leased_until = clock_timestamp()")  # the first one froze
    assert [second.is_held(), first.is_held(), second.is_held()] == [True, False, True]


@pytest.mark.django_db
def test_leases_of_different_names_are_held_apart() -> None:
    assert [Lease("cosigning").is_held(), Lease("other").is_held()] == [True, True]
