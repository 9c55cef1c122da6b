"""Connections of web: as many processes as cores, and no start if PostgreSQL has no room for their connections."""

import os
from pathlib import Path

import pytest
from django.db import OperationalError, connection

from casino.database import capacity
from tests.conftest import Database


@pytest.mark.parametrize(
    ("cpu_max", "cores"),
    [(None, 4), ("max 100000", 4), ("150000 100000", 2), ("10000 100000", 1), ("900000 100000", 4)],
)
def test_web_runs_as_many_processes_as_the_affinity_and_the_quota_allow(
    cpu_max: str | None, cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 3, 5, 7})
    file = tmp_path / "cpu.max"
    if cpu_max is not None:
        file.write_text(f"{cpu_max}\n", encoding="ascii")
    assert capacity.cores(cpu_max=file) == cores


@pytest.mark.parametrize(("processes", "fits"), [("1", True), ("99", False)])
def test_the_connections_of_web_must_fit_beside_the_reserved_ones(
    database: Database, monkeypatch: pytest.MonkeyPatch, processes: str, *, fits: bool
) -> None:
    monkeypatch.setenv("WEB_PROCESSES", processes)
    if fits:
        capacity.refuse_to_start()
        return
    with pytest.raises(SystemExit, match="Raise max_connections"):
        capacity.refuse_to_start()
    monkeypatch.setenv("DATABASE_POOLER", "true")
    capacity.refuse_to_start()


def test_web_starts_while_the_database_is_away(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEB_PROCESSES", "99")
    with pytest.raises(SystemExit):
        capacity.refuse_to_start()
    monkeypatch.setitem(connection.settings_dict, "HOST", "/nowhere")
    connection.close()
    with pytest.raises(OperationalError):
        connection.ensure_connection()
    capacity.refuse_to_start()
