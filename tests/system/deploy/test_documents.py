"""Every shell block of the README and of the integration guides runs as printed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from casino.devstack.home import PROJECT
from casino.devstack.system import free_port
from tests.lint.test_documents import NOT_RUN, WALKED, command_of, name_of, read
from tests.processes import clean_environment
from tests.programs import without
from tests.system.casino.devstack.test_up import running

each_walked = pytest.mark.parametrize("document", WALKED, ids=name_of)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    """Run `manage.py up` in a folder that looks like a clone; yield the folder and a shell's environment."""
    folder = tmp_path_factory.mktemp("clone")
    for entry in PROJECT.iterdir():
        if entry.name != ".casino":
            (folder / entry.name).symlink_to(entry)
    home = {"CASINO_HOME": str(folder / ".casino")}
    environment = clean_environment(**home)
    with running(environment, folder / "up.log") as (_, base):
        programs = f"{Path(sys.executable).parent}:{os.environ.get('PATH', '/usr/bin:/bin')}"
        key_file = str(folder / ".casino" / "main" / "operator-key")
        addresses = {"CASINO_URL": base, "OPERATOR_KEY_FILE": key_file, "WALLET_PORT": str(free_port(0))}
        yield folder, {"PATH": programs, **home, **addresses}


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
