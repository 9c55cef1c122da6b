"""Play goes on while projections are compared and rebuilt by commands."""

import subprocess
import sys
import threading
import time

from django.db import connection

from baccarat.audit import engine
from baccarat.management.commands.rebuild import projectors
from casino.devstack.home import PROJECT
from casino.events import sealer
from casino.events.rebuild import check
from casino.events.sql import fetch
from tests.baccarat.audit.playing import deal, play, seal, sit
from tests.support.depth import deep


def test_play_goes_on_during_rebuilds_and_checks(database):
    """Two tables play, a sealer seals; meanwhile everything is compared and rebuilt again and again.

    A wager that waited for a lock for two seconds would be refused.
    """
    tables = [sit("mini"), sit("mini")]
    play(tables[0], deep(20, 60), banker=2500)  # enough for the rebuild to take a while
    stop = threading.Event()
    errors, played = [], [0, 0]

    def run(work):
        try:
            while not stop.is_set():
                work()
        except Exception as error:  # noqa: BLE001  (the test reports it)
            errors.append(error)
        finally:
            connection.close()

    def wager(place):
        tables[place].bet(banker=2500)
        while not fetch("SELECT round_id IS NULL FROM baccarat_table WHERE id = %s", [tables[place].table])[0][0]:
            deal()
        played[place] += 1

    def sealing():
        sealer.seal_all()
        time.sleep(0.05)

    threads = [threading.Thread(target=run, args=[work]) for work in (lambda: wager(0), lambda: wager(1), sealing)]
    for thread in threads:
        thread.start()
    try:
        for arguments in [("rebuild", "--check"), ("rebuild",)] * deep(1, 3):
            manage_py(database, *arguments)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert errors == []
    assert min(played) > 0
    seal()
    assert check(*projectors()).changed == ()
    assert fetch("SELECT count(*) FROM baccarat_round WHERE phase = 'settled'")[0][0] == deep(20, 60) + sum(played)
    assert engine.run_audit(max_wait=3600).ok


def manage_py(database, *arguments):
    """Run a command as a process; a rebuild as the owner."""
    owner = {} if "--check" in arguments else {"DATABASE_URL": database.owner_url, "DATABASE_ROLE": "owner"}
    done = subprocess.run(  # noqa: S603  (our own command)
        [sys.executable, str(PROJECT / "manage.py"), *arguments],
        env={**database.environment, **owner},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
