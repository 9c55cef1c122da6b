"""Periodic jobs run when they are due, one runner at a time each, under their time limits, without Redis."""

import signal
import threading
import time
from functools import partial

import pytest
from celery import Celery
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings

from casino.celery import app
from casino.events import wakeups
from casino.events.sql import execute, fetch
from casino.jobs import runner
from casino.jobs.runner import JobRunner
from tests.processes import wait_until

LEASED = "SELECT name FROM jobs_job WHERE leased_until > clock_timestamp() ORDER BY name"


@pytest.fixture(autouse=True)
def _healthy():
    wakeups.forget_failures()
    yield
    wakeups.forget_failures()


class Jobs:
    """An application with jobs that are recorded when they run."""

    def __init__(self, **seconds: float) -> None:
        self.app = Celery("jobs", set_as_current=False)
        self.app.conf.beat_schedule = {name: {"task": name, "schedule": each} for name, each in seconds.items()}
        self.app.conf.update(task_soft_time_limit=5, task_time_limit=10)
        self.runs: list[str] = []
        for name in seconds:
            self.add(name, partial(self.runs.append, name))
        self.runner = JobRunner(self.app)

    def add(self, name, function, **options):
        def run():
            function()

        self.app.tasks.pop(name, None)
        self.app.task(run, name=name, lazy=False, shared=False, **options)


def make_due(*names):
    execute("UPDATE jobs_job SET due_at = clock_timestamp() WHERE name = ANY (%s)", [list(names)])


def test_each_job_runs_once_and_again_when_its_interval_is_over(database):
    jobs = Jobs(slow=1000, fast=0.2)
    assert {jobs.runner.run_next(), jobs.runner.run_next()} == {"slow", "fast"}
    assert jobs.runner.run_next() is None
    time.sleep(0.25)
    assert [jobs.runner.run_next(), jobs.runner.run_next()] == ["fast", None]
    assert sorted(jobs.runs) == ["fast", "fast", "slow"]
    assert fetch(LEASED) == []


def test_a_missed_interval_is_not_made_up_for(database):
    jobs = Jobs(fast=1)
    jobs.runner.run_next()
    execute("UPDATE jobs_job SET due_at = clock_timestamp() - interval '1 hour'")
    assert [jobs.runner.run_next(), jobs.runner.run_next()] == ["fast", None]


def test_a_leased_job_is_left_to_its_holder_until_the_lease_ends(database):
    jobs = Jobs(job=0.0)
    jobs.runner.run_next()
    execute("UPDATE jobs_job SET holder = 'other', leased_until = clock_timestamp() + interval '1 second'")
    make_due("job")
    assert jobs.runner.run_next() is None
    time.sleep(1.1)
    assert jobs.runner.run_next() == "job"


def test_a_job_that_somebody_put_off_or_leased_for_good_runs_at_once(database):
    jobs = Jobs(job=1000)
    jobs.runner.run_next()
    assert jobs.runner.run_next() is None
    execute("UPDATE jobs_job SET due_at = due_at + interval '80 years'")
    assert [jobs.runner.run_next(), jobs.runner.run_next()] == ["job", None]
    execute("UPDATE jobs_job SET leased_until = due_at + interval '80 years'")
    make_due("job")
    assert jobs.runner.run_next() == "job"


def test_a_job_that_fails_is_logged_and_holds_up_no_other(database, caplog):
    jobs = Jobs(bad=1000, good=1000)
    jobs.add("bad", lambda: 1 / 0)
    assert {jobs.runner.run_next(), jobs.runner.run_next()} == {"bad", "good"}
    assert "The job bad failed" in caplog.text
    assert fetch(LEASED) == []


def test_a_job_that_takes_too_long_is_interrupted(database, caplog):
    jobs, ended = Jobs(long=1000), []

    def take_long():
        try:
            time.sleep(60)
        except SoftTimeLimitExceeded:
            ended.append(True)
            raise

    jobs.add("long", take_long, soft_time_limit=1)
    assert jobs.runner.run_next() == "long"
    assert ended == [True]
    assert "was stopped after 1 s" in caplog.text
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_job_interrupted_in_a_statement_gives_its_lease_back(database, caplog):
    jobs = Jobs(long=1000, other=1000)
    jobs.add("long", lambda: fetch("SELECT pg_sleep(60)"), soft_time_limit=1)
    assert {jobs.runner.run_next(), jobs.runner.run_next()} == {"long", "other"}
    assert "was stopped after 1 s" in caplog.text
    assert jobs.runs == ["other"]
    assert fetch(LEASED) == []


def test_a_statement_that_the_database_refuses_is_the_job_s_own_failure(database, caplog):
    jobs = Jobs(bad=1000)
    jobs.add("bad", lambda: execute("INSERT INTO jobs_job (name) VALUES ('bad')"))
    assert jobs.runner.run_next() == "bad"
    assert "The job bad failed" in caplog.text
    assert "does not answer" not in caplog.text
    assert fetch(LEASED) == []


def test_no_thread_stays_after_the_run(database, monkeypatch):
    monkeypatch.setattr(runner, "RENEWAL_SECONDS", 0.1)
    jobs, stop = Jobs(job=1000), threading.Event()
    jobs.add("job", stop.set)
    jobs.runner.run(stop)
    assert wait_until(lambda: "job-lease" not in {thread.name for thread in threading.enumerate()})


def test_the_lease_of_a_running_job_is_renewed(database, monkeypatch):
    monkeypatch.setattr(runner, "LEASE_SECONDS", 1.0)
    monkeypatch.setattr(runner, "RENEWAL_SECONDS", 0.2)
    jobs, stop, leased = Jobs(long=1000), threading.Event(), []

    def take_long():
        time.sleep(2.5)
        leased.append(fetch(LEASED))
        stop.set()

    jobs.add("long", take_long)
    jobs.runner.run(stop)
    assert leased == [[("long",)]]
    assert fetch(LEASED) == []


@pytest.mark.parametrize("redis_url", [None, "redis://127.0.0.1:1/0"])
def test_jobs_run_with_and_without_redis(database, monkeypatch, redis_url):
    if redis_url:
        monkeypatch.setattr(settings, "REDIS_URL", redis_url)
    jobs, stop = Jobs(fast=0.1), threading.Event()

    def count():
        jobs.runs.append("fast")
        if len(jobs.runs) == 3:
            stop.set()

    jobs.add("fast", count)
    jobs.runner.run(stop)
    assert jobs.runs == ["fast"] * 3


def test_a_wakeup_makes_a_job_due(database):
    jobs, stop = Jobs(rare=1000), threading.Event()
    jobs.runner.run_next()
    jobs.add("rare", stop.set)
    threading.Timer(0.5, wakeups.wake, ["rare"]).start()
    waited = threading.Timer(30.0, stop.set)
    waited.start()
    jobs.runner.run(stop)
    assert waited.is_alive()
    waited.cancel()


def test_every_scheduled_task_exists_and_has_a_limit():
    app.loader.import_default_modules()
    for entry in app.conf.beat_schedule.values():
        task = app.tasks[entry["task"]]
        soft = task.soft_time_limit or app.conf.task_soft_time_limit
        assert soft <= (task.time_limit or app.conf.task_time_limit)
