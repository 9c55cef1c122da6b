"""The audit on a live system, in parts, and its figures."""

import threading
import time

from django.db import connection

from baccarat.audit import engine
from casino.events.rows import fetch
from casino.events.verification import head_mark
from tests.baccarat.audit.playing import play, seal, sit


def test_the_figures_are_those_of_the_database(played):
    report = engine.run(oldest=3600)
    counts = fetch(
        "SELECT (SELECT count(*) FROM baccarat_round), (SELECT count(*) FROM events_event), "
        "(SELECT count(*) FROM wallet_entry)"
    )[0]
    assert (report.rounds, report.events, report.entries) == counts
    assert report.line() == "audit: ok rounds={} events={} entries={} findings=0".format(*counts)
    assert report.head == (head_mark().position, head_mark().digest.hex())


def test_what_is_not_sealed_yet_is_followed_all_the_same(database):
    play(sit("mini"), 2, banker=2500)
    report = engine.run(oldest=3600)
    assert report.ok
    assert report.rounds == 2
    assert report.head[0] == 0


def test_since_a_position_only_what_came_later_is_checked(played):
    head = head_mark().position
    with played.owner() as owner:
        owner.execute("ALTER TABLE wallet_entry DISABLE TRIGGER USER")
        owner.execute("UPDATE wallet_entry SET kind = 'gift' WHERE kind = 'buy_in'")
    play(sit("classic"), 1, tie=500)
    seal()
    whats = {finding.what for finding in engine.run(oldest=3600).findings}
    assert whats == {"entry is of another kind"}
    assert engine.run(oldest=3600, since=head).ok
    assert engine.run(oldest=3600, since=10**9).ok


def test_progress_is_told_up_to_the_head(played):
    told = []
    engine.run(oldest=3600, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (head_mark().position, head_mark().position)


def test_play_while_it_audits_causes_no_finding(database):
    tables = [sit("mini"), sit("atlantic_city", players=2), sit("big_table")]
    over = threading.Event()

    def go_on():
        try:
            for _ in range(6):
                for seated in tables:
                    play(seated, 1, player=2500)
                seal()
        finally:
            over.set()
            connection.close()

    player = threading.Thread(target=go_on)
    player.start()
    reports = [engine.run()]
    while not over.is_set():
        reports.append(engine.run())
    player.join()
    reports.append(engine.run())
    assert [finding for report in reports for finding in report.findings] == []
    assert len(reports) > 2
    assert reports[-1].rounds > reports[0].rounds


def test_a_long_audit_makes_nothing_look_older_than_its_snapshot(database):
    waited = []

    def slow(*_):
        time.sleep(1.2)
        waited.append(True)

    sit("classic")
    seal()
    sit("mini").bet(banker=2500)
    assert engine.run(oldest=1.0, progress=slow).ok
    assert waited
