"""TypeScript of tests and samples, compiled strictly and run by Node.js."""

import subprocess
from pathlib import Path
from typing import Final

import pytest

from casino.devstack.home import PROJECT
from tests.programs import without

NODE: Final = PROJECT / "tests" / "node"
needs_node = pytest.mark.skipif(not (NODE / "node_modules").exists(), reason=without("node packages (make lint)"))
_STRICT: Final = "--strict --target es2022 --module nodenext --lib es2023,dom,dom.iterable,dom.asynciterable"


def run(*command: str, cwd: Path) -> str:
    """Run a command, and return what it prints; it must not fail."""
    finished = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)  # noqa: S603
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def compile_typescript(folder: Path, *scripts: Path) -> None:
    """Compile scripts into a folder, with the types of Node.js."""
    types = ["--skipLibCheck", "--types", "node", "--typeRoots", str(NODE / "node_modules" / "@types")]
    compiler = str(NODE / "node_modules" / ".bin" / "tsc")
    run(compiler, *_STRICT.split(), *types, "--outDir", str(folder), *map(str, scripts), cwd=folder)
