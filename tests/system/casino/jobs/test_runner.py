"""Another runner takes over from one that is killed or frozen."""

import os
import signal

from casino.celery import app
from casino.events.sql import fetch
from tests.processes import clean_environment, manage, wait_until


def test_another_runner_takes_over_from_a_killed_or_frozen_one(database, tmp_path):
    environment = clean_environment(**database.environment)
    everything = [(len(app.conf.beat_schedule),)]
    with (
        manage("run_jobs", environment=environment, log=tmp_path / "first.log") as first,
        manage("run_jobs", environment=environment, log=tmp_path / "second.log") as second,
    ):
        for process, stop in ((first, signal.SIGSTOP), (second, signal.SIGSTOP)):
            assert wait_until(lambda: fetch("SELECT count(*) FROM jobs_job WHERE leased_until IS NULL") == everything)
            os.kill(process.pid, stop)
            due = fetch("SELECT due_at FROM jobs_job WHERE name = 'process-payments'")
            assert wait_until(
                lambda due=due: fetch("SELECT due_at FROM jobs_job WHERE name = 'process-payments'") > due
            )
            os.kill(process.pid, signal.SIGCONT)
        first.send_signal(signal.SIGTERM)
        assert first.wait(30) == 0
        second.kill()
    assert "Traceback" not in (tmp_path / "first.log").read_text()
