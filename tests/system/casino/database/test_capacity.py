"""A web server whose connections do not fit does not start."""

import subprocess
import sys

from casino.devstack.home import PROJECT
from casino.devstack.system import free_port
from tests.conftest import Database


def test_a_server_whose_connections_do_not_fit_does_not_start(database: Database) -> None:
    command = [sys.executable, "-m", "casino.server", "--port", str(free_port(0))]
    environment = {**database.environment, "WEB_PROCESSES": "99", "WEB_THREADS": "12"}
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 1
    assert "WEB_PROCESSES=99 with WEB_THREADS=12 may open 2574 connections" in done.stderr
