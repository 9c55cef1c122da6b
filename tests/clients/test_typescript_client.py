"""A client of openapi-fetch with the types of openapi-typescript compiles strictly, and plays a session."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from casino.devstack.home import PROJECT
from tests.clients.conftest import Service

NODE = PROJECT / "tests" / "node"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (NODE / "node_modules").exists(), reason="`make lint` installs the node packages"),
]
STRICT = "--strict --target es2022 --module nodenext --lib es2023,dom,dom.iterable,dom.asynciterable --skipLibCheck"


def test_a_typed_client_plays_a_session(service: Service, tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(NODE / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copy(NODE / "session.ts", tmp_path)

    def run(*command: str) -> str:
        finished = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603
        assert finished.returncode == 0, finished.stdout + finished.stderr
        return finished.stdout

    run("node_modules/.bin/openapi-typescript", str(service.document), "--output", "api.d.ts")
    run("node_modules/.bin/tsc", *STRICT.split(), "--types", "node", "session.ts")
    played = json.loads(run("node", "session.js", service.url, service.key).splitlines()[-1])

    assert played["needed"] == "60.00"
    assert played["balance"] in {"90.00", "100.00", "109.50", "190.00"}
