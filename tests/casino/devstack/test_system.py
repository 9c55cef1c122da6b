"""Ports of the development system."""

import socket
import subprocess
import sys

import pytest

from casino.devstack.errors import DevstackError
from casino.devstack.system import HOST, free_port

CHOOSE_OF_TWO = """
import sys
from casino.devstack import system
first = int(sys.argv[1])
system.CHOSEN = range(first, first + 2)
print(system.free_port(0))
"""


def test_a_chosen_port_is_kept_from_other_processes_before_anything_listens_there() -> None:
    port = free_port(0)
    other = subprocess.run(  # noqa: S603
        [sys.executable, "-c", CHOOSE_OF_TWO, str(port)], capture_output=True, text=True, timeout=60, check=True
    )
    assert int(other.stdout) == port + 1


def test_a_port_that_is_taken_is_refused_with_another_to_choose() -> None:
    with socket.create_server((HOST, 0)) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(DevstackError, match=rf"Port {port} on {HOST} .*PORT={port + 1}`"):
            free_port(port)
