"""The measurements run and report complete results; nothing is asserted about speed."""

import contextlib
import json
import secrets
import sys
import threading
from types import SimpleNamespace

import psycopg
import pytest
from django.core.management import call_command

from casino.devstack.home import PROJECT
from casino.devstack.processes import run_to_end
from tests.nightly.bench import __main__ as bench
from tests.nightly.bench import databases, peers, processors, report, settle_peer, system
from tests.nightly.bench.measure import Measured, in_turns, percentile
from tests.nightly.bench.page import frames_of
from tests.nightly.bench.plan import TINY
from tests.processes import clean_environment

PARTS = {
    "append": ["append, batch 1", "append, batch 20"],
    "rules": ["rules", "rules, settled"],
}
"""What is measured here, and how its results are named; `make bench` measures the others, too."""


@pytest.fixture(scope="module")
def shell_environment(services):
    """Return the environment of a shell with the servers given by URL."""
    return clean_environment(**services.environment(services.template))


@pytest.fixture(scope="module")
def document(shell_environment, tmp_path_factory):
    """Measure a little at the smallest size, and return the document."""
    file = tmp_path_factory.mktemp("bench") / "bench.json"
    command = [sys.executable, "-m", "tests.nightly.bench", *PARTS, "--size", "tiny", "--json", str(file)]
    run_to_end(command, environment=shell_environment, folder=PROJECT)
    return json.loads(file.read_text(encoding="utf-8"))


def test_measurements_are_in_order_and_the_machine_is_described(document):
    assert [one["name"] for one in document["measurements"]] == [name for part in PARTS.values() for name in part]
    assert document["machine"]["cores"] >= 1
    assert document["machine"]["postgresql"]


def test_each_measurement_reports_both_rates_the_ratio_and_the_target(document):
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
    """An autovacuum worker is such a process: the owner may not terminate it."""
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


def test_results_so_far_are_written_when_a_measurement_breaks_off(services, monkeypatch, tmp_path):
    def measure(_plan):
        yield Measured("first", "a unit", (1.0,))
        raise ZeroDivisionError

    monkeypatch.setattr(bench, "MEASUREMENTS", {"first": measure})
    monkeypatch.setattr(bench, "planned", lambda *_: contextlib.nullcontext(SimpleNamespace()))
    monkeypatch.setattr(databases, "server", lambda: databases.Server(*[services.addresses.owner_url] * 2, {}))
    with pytest.raises(ZeroDivisionError):
        call_command(bench.Command(), "first", "--json", str(tmp_path / "bench.json"), "--size", "tiny")
    written = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in written["measurements"]] == ["first"]


def test_a_clean_up_that_fails_loses_no_results(services, monkeypatch, tmp_path):
    @contextlib.contextmanager
    def vanishing(*_):
        yield SimpleNamespace()
        raise ZeroDivisionError

    def measure(_plan):
        with vanishing():
            yield Measured("first", "a unit", (1.0,))

    monkeypatch.setattr(bench, "MEASUREMENTS", {"first": measure})
    monkeypatch.setattr(bench, "planned", vanishing)
    monkeypatch.setattr(databases, "server", lambda: databases.Server(*[services.addresses.owner_url] * 2, {}))
    with pytest.raises(ZeroDivisionError):
        call_command(bench.Command(), "first", "--json", str(tmp_path / "bench.json"), "--size", "tiny")
    written = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in written["measurements"]] == ["first"]


def test_a_database_on_a_server_that_is_gone_is_a_warning(capsys):
    assert not databases.drop("postgresql://127.0.0.1:1/nowhere", "casino_bench_gone")
    assert "could not be dropped" in capsys.readouterr().err


def test_a_single_row_of_difference_between_the_sides_of_settle_is_found(services):
    server = databases.Server(services.addresses.url, services.addresses.owner_url, {})
    template = databases.Database(name=services.template, server=server)
    with server.copy(template, "one") as one, server.copy(template, "other") as other:
        assert list(settle_peer.differences(one, other)) == []
        with other.owner() as connection:
            connection.execute("INSERT INTO events_unsealed VALUES (1, 1)")
        assert "numbers of rows" in next(settle_peer.differences(one, other))


@pytest.mark.parametrize(
    ("idle", "web", "saturated"),
    [(0.02, 1.9, "the machine, 2% idle"), (0.4, 0.95, "web, 95% of its processes"), (0.6, 0.3, "no processor")],
)
def test_the_machine_saturates_before_a_process_that_shares_it(idle, web, saturated):
    cores = {"web": web, "worker": 0.1, "sealer": 0.1, "postgres": 0.2, "clients": 0.1}
    step = system.Step(rate=1, wagers=1, rounds=1, refused=0, p50=1, p99=999, cores=cores, idle=idle)

    assert system._most_used(step, web_processes=1).startswith(saturated)


def test_idle_time_of_the_machine_includes_waiting_for_disks():
    assert processors.idle_share([100] * 10, [150, 100, 110, 120, 110, 100, 100, 110, 100, 100]) == 0.3
    assert processors.idle_share([], []) == 1.0
    assert 0 <= processors.idle_share([0] * len(processors.machine_ticks()), processors.machine_ticks()) <= 1


def test_sides_take_turns_and_the_ratio_is_the_median_of_pairs():
    calls = []
    rates = iter([4.0, 1.0, 9.0, 3.0, 10.0, 5.0])

    def side(name):
        calls.append(name)
        return next(rates)

    ours, peer = in_turns(lambda: side("ours"), lambda: side("peer"), repeats=3)
    assert calls == ["ours", "peer"] * 3
    measured = Measured(name="x", unit="x/s", ours=ours, peer=peer, target=3.0)
    assert (measured.our_rate, measured.peer_rate, measured.ratio) == (9.0, 3.0, 3.0)
    assert measured.reached


def test_without_a_peer_only_our_rate_is_reported():
    alone = Measured(name="x", unit="x/s", ours=(5.0,), target=3.0)
    assert (alone.peer_rate, alone.ratio, alone.reached) == (None, None, None)
    assert alone.peer_name == "no peer"
    rate = Measured(name="x", unit="x/s", ours=(4.0, 5.0, 3.0), target=6.0, target_is_rate=True)
    assert (rate.our_rate, rate.reached) == (5.0, False)


@pytest.mark.parametrize(("share", "expected"), [(0.0, 1.0), (0.5, 2.0), (0.75, 3.0), (0.99, 4.0), (1.0, 4.0)])
def test_a_percentile_is_the_value_that_this_share_does_not_exceed(share, expected):
    assert percentile([3.0, 1.0, 4.0, 2.0], share) == expected


def test_a_peer_that_cannot_be_installed_is_explained(monkeypatch, tmp_path):
    monkeypatch.setenv("CASINO_HOME", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    reason = peers.have(peers.PYBACCARAT)
    assert reason is not None
    assert reason.startswith("pybaccarat could not be installed: ")


def test_the_printed_table_has_every_measurement_and_whether_its_target_is_reached(capsys):
    about = {"cores": 2, "processor": "x", "python": "3", "postgresql": "18", "fsync": "on", "packages": {}}
    report.show(about, [Measured(name="one", unit="x/s", ours=(5.0,), peer=(1.0,), target=3.0, notes=("so",))])
    output = capsys.readouterr().out
    assert "one" in output
    assert "5.00x" in output
    assert "yes" in output
    assert "one: so." in output


def test_scripts_of_a_frame_are_added_up_and_those_within_another_count_once():
    def event(name, ts, dur=0, thread=1):
        return {"name": name, "ts": ts, "dur": dur, "pid": 7, "tid": thread}

    frames = frames_of(
        [
            event("BeginMainThreadFrame", 0),
            event("FunctionCall", 1000, 4000),
            event("RunMicrotasks", 2000, 1000),
            event("TimerFire", 6000, 500),
            event("FunctionCall", 6100, 90_000, thread=2),
            event("BeginMainThreadFrame", 16_000),
            event("EventDispatch", 17_000, 2000),
            event("FunctionCall", 40_000, 30_000),
            event("RunMicrotasks", 60_000, 8000),
            event("FunctionCall", 70_000, 3000),
        ]
    )

    assert frames == [0.0, 4.5, 2.0, 30.0, 3.0]
