"""The measurements run and say what they must say; how fast anything is, is nobody's business here."""

import contextlib
import json
import secrets
import sys
import threading
from types import SimpleNamespace

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command

from casino.devstack.home import PROJECT
from casino.devstack.processes import run_to_end
from tests.bench import __main__ as bench
from tests.bench import databases, peers, report, settle_peer
from tests.bench.measure import Measured, in_turns, percentile
from tests.bench.measurements import MEASUREMENTS
from tests.bench.plan import TINY
from tests.processes import clean_environment

PARTS = {
    "append": ["append, batch 1", "append, batch 20"],
    "replay": ["replay", "audit", "replay, mixed", "audit, mixed"],
    "rules": ["rules", "rules, settled"],
}


@pytest.fixture(scope="module")
def outside(services):
    """What a shell would have: the servers, given by URL."""
    return clean_environment(**services.environment(services.template))


@pytest.fixture(scope="module")
def document(outside):
    """What `bench` prints when it runs every measurement, each as small as can be."""
    command = [sys.executable, "-m", "tests.bench", "--size", "tiny", "--json"]
    said = run_to_end(command, environment=outside, folder=PROJECT)
    return json.loads(said[said.index("{") :])


@pytest.mark.slow
def test_every_measurement_runs_in_its_place_on_a_machine_that_is_described(document):
    named = [part for name in MEASUREMENTS for part in PARTS.get(name, [name])]
    assert [one["name"] for one in document["measurements"]] == named
    assert document["machine"]["cores"] >= 1
    assert document["machine"]["postgresql"]


@pytest.mark.slow
def test_each_measurement_says_ours_the_peers_the_ratio_and_the_target(document):
    for one in document["measurements"]:
        assert one["ours"] > 0
        assert len(one["repetitions"]["ours"]) == TINY.repeats * (2 if one["target_is_rate"] else 1)
        assert one["notes"]
        if one["peer"] is None:
            assert one["ratio"] is None
            assert one["peer_name"] == "no peer"
        else:
            assert one["ratio"] > 0
            assert len(one["repetitions"]["peer"]) == TINY.repeats


def test_a_database_of_a_measurement_is_dropped_however_it_ends(services):
    server = databases.Server(services.addresses.url, services.addresses.owner_url, {})
    with contextlib.suppress(ZeroDivisionError), server.empty("look") as made, made.owner():
        raise ZeroDivisionError
    with psycopg.connect(services.addresses.owner_url) as connection:
        left = connection.execute("SELECT FROM pg_database WHERE datname = %s", [made.name])
        assert left.fetchall() == []


def test_a_database_is_dropped_when_a_superusers_process_has_left_it(services):
    """As autovacuum's workers do: the owner may not end them."""
    owner_url = services.addresses.owner_url
    with psycopg.connect(owner_url, autocommit=True) as superuser:
        if not superuser.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()[0]:
            pytest.skip("the owner of this server is no superuser")
        name = role = f"casino_bench_{secrets.token_hex(4)}"
        superuser.execute(f"CREATE ROLE {role} CREATEDB")
        superuser.execute(f"CREATE DATABASE {name} OWNER {role}")
        inside = databases.Database(name=name, server=databases.Server(owner_url, owner_url, {})).owner()
        limited_url = psycopg.conninfo.make_conninfo(owner_url, options=f"-c role={role}")
        try:
            assert not databases.drop(limited_url, name, timeout=0)
            threading.Timer(1.0, inside.close).start()
            assert databases.drop(limited_url, name)
            assert superuser.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchall() == []
        finally:
            inside.close()
            superuser.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            superuser.execute(f"DROP ROLE {role}")


def test_results_so_far_are_printed_when_a_measurement_breaks_off(services, monkeypatch, capsys):
    def measure(_plan):
        yield Measured("first", "a unit", (1.0,))
        raise ZeroDivisionError

    monkeypatch.setattr(bench, "MEASUREMENTS", {"first": measure})
    monkeypatch.setattr(bench, "planned", lambda *_: contextlib.nullcontext(SimpleNamespace()))
    monkeypatch.setattr(databases, "server", lambda: databases.Server(*[services.addresses.owner_url] * 2, {}))
    with pytest.raises(ZeroDivisionError):
        call_command(bench.Command(), "first", "--json", "--size", "tiny")
    said = capsys.readouterr().out
    assert [one["name"] for one in json.loads(said[said.index("{") :])["measurements"]] == ["first"]


def test_the_two_sides_of_settle_are_told_apart_by_a_single_row(services):
    server = databases.Server(services.addresses.url, services.addresses.owner_url, {})
    template = databases.Database(name=services.template, server=server)
    with server.copy(template, "one") as one, server.copy(template, "other") as other:
        assert list(settle_peer.differences(one, other)) == []
        with other.owner() as connection:
            connection.execute("INSERT INTO events_unsealed (event_id) VALUES (1)")
        assert "numbers of rows" in next(settle_peer.differences(one, other))


def test_sides_take_turns_and_the_ratio_is_the_median_of_pairs():
    said = []
    rates = iter([4.0, 1.0, 9.0, 3.0, 10.0, 5.0])

    def side(name):
        said.append(name)
        return next(rates)

    ours, peer = in_turns(lambda: side("ours"), lambda: side("peer"), repeats=3)
    assert said == ["ours", "peer"] * 3
    measured = Measured(name="x", unit="x/s", ours=ours, peer=peer, target=3.0)
    assert (measured.our_rate, measured.peer_rate, measured.ratio) == (9.0, 3.0, 3.0)
    assert measured.reached


def test_without_a_peer_ours_alone_is_reported():
    alone = Measured(name="x", unit="x/s", ours=(5.0,), target=3.0)
    assert (alone.peer_rate, alone.ratio, alone.reached) == (None, None, None)
    assert alone.peer_name == "no peer"
    rate = Measured(name="x", unit="x/s", ours=(4.0, 5.0, 3.0), target=6.0, target_is_rate=True)
    assert (rate.our_rate, rate.reached) == (5.0, False)


@pytest.mark.parametrize(("share", "expected"), [(0.0, 1.0), (0.5, 2.0), (0.75, 3.0), (0.99, 4.0), (1.0, 4.0)])
def test_a_percentile_is_the_value_that_this_share_does_not_exceed(share, expected):
    assert percentile([3.0, 1.0, 4.0, 2.0], share) == expected


def test_a_peer_that_cannot_be_had_is_explained(monkeypatch, tmp_path):
    monkeypatch.setenv("CASINO_HOME", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    reason = peers.have(peers.PYBACCARAT)
    assert reason is not None
    assert reason.startswith("pybaccarat could not be installed: ")


def test_the_bare_view_is_refused_outside_of_the_measurement(outside):
    command = [sys.executable, "-c", "import tests.bench.settings"]
    for word in ({}, {"CASINO_BENCH": "yes"}):
        with pytest.raises(Exception, match=ImproperlyConfigured.__name__):
            run_to_end(command, environment={**outside, **word}, folder=PROJECT)
    run_to_end(command, environment={**outside, "CASINO_BENCH": "bet"}, folder=PROJECT)


def test_the_table_names_every_measurement_and_its_verdict(capsys):
    about = {"cores": 2, "processor": "x", "python": "3", "postgresql": "18", "fsync": "on", "packages": {}}
    report.show(about, [Measured(name="one", unit="x/s", ours=(5.0,), peer=(1.0,), target=3.0, notes=("so",))])
    said = capsys.readouterr().out
    assert "one" in said
    assert "5.00x" in said
    assert "yes" in said
    assert "one: so." in said
