"""A writer that is killed leaves no gap and no repeat."""

import contextlib
import signal
import subprocess
import sys

from casino.devstack.home import PROJECT
from casino.events.sql import execute
from tests.baccarat.api.people import tenant
from tests.casino.feed.play import play, publish, stored
from tests.casino.feed.test_writer import items_of_the_log
from tests.conftest import Database

WRITER = """
import django; django.setup()
from casino.feed import writer
while writer.write_new_items(limit=3): pass
"""


def test_a_killed_writer_leaves_no_gap_and_no_repeat(database: Database) -> None:
    house = tenant("killed")
    play(house, rounds=1)
    expected = items_of_the_log(house)
    execute("DELETE FROM feed_feeditem")
    execute("DELETE FROM feed_feedhead")
    execute("UPDATE events_subscription SET position = 0 WHERE name = 'feed'")
    environment = {**database.environment, "DJANGO_SETTINGS_MODULE": "casino.settings"}
    for pause in (1.2, 1.5, 1.8):
        process = subprocess.Popen([sys.executable, "-c", WRITER], cwd=PROJECT, env=environment)  # noqa: S603
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(pause)
        process.send_signal(signal.SIGKILL)
        process.wait()
        numbers = [number for number, _ in stored(house)]
        assert numbers == list(range(1, len(numbers) + 1))
    publish()
    assert items_of_the_log(house) == expected
