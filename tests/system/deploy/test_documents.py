"""Every shell block of the README and of the integration guides runs as printed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from casino.devstack.system import free_port
from tests.lint.test_documents import NOT_RUN, WALKED, command_of, name_of, read
from tests.programs import without
from tests.support.whole_system import System

each_walked = pytest.mark.parametrize("document", WALKED, ids=name_of)


@pytest.fixture(scope="module")
def clone(shared_system: System) -> tuple[Path, dict[str, str]]:
    """Return the folder in which the system runs, and the environment of a shell there."""
    home = shared_system.stack.home.folder
    programs = f"{Path(sys.executable).parent}:{os.environ.get('PATH', '/usr/bin:/bin')}"
    addresses = {"CASINO_URL": shared_system.stack.base_url, "OPERATOR_KEY_FILE": str(home / "operator-key")}
    shell = {"PATH": programs, "CASINO_HOME": str(home.parent), "WALLET_PORT": str(free_port(0))}
    return home.parent.parent, {**shell, **addresses}


@each_walked
def test_every_shell_block_runs_as_printed(document, clone):
    folder, environment = clone
    lines = "\n".join(read(document).of("sh")).splitlines()
    if any("curl " in line for line in lines) and shutil.which("curl") is None:
        pytest.skip(without("curl"))
    script = "\n".join(line for line in lines if command_of(line) not in NOT_RUN)
    done = subprocess.run(  # noqa: S603
        ["/bin/sh", "-euc", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    for output in read(document).of("text"):
        labels = [line.split()[0] for line in output.splitlines()]
        assert [line.split()[0] for line in done.stdout.splitlines()][: len(labels)] == labels
