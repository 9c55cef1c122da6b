"""Only files whose hash is in constraints.txt are installed, by uv and by pip, from where pip is told to look."""

import hashlib
import os
import re
import subprocess
import sys
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from casino.devstack.home import PROJECT
from tests.programs import without

CONSTRAINTS = (PROJECT / "constraints.txt").read_text(encoding="utf-8")
TOOLS = "".join(re.findall(r"^(?:pip|setuptools|uv)==(?:.*\\\n)*.*\n", CONSTRAINTS, re.MULTILINE))
needs_uv = pytest.mark.skipif(find_spec("uv") is None, reason=without("uv"))
METADATA = "Metadata-Version: 2.1\nName: chips\nVersion: 1.0\n"


def wheel(folder: Path) -> bytes:
    """Put a package of one module into an index, and return its file."""
    page = folder / "chips" / "index.html"
    page.parent.mkdir(parents=True)
    file = page.with_name("chips-1.0-py3-none-any.whl")
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("chips.py", "")
        archive.writestr("chips-1.0.dist-info/METADATA", METADATA)
        archive.writestr("chips-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("chips-1.0.dist-info/RECORD", "")
    page.write_text(f'<!DOCTYPE html><a href="{file.name}">{file.name}</a>', encoding="utf-8")
    return file.read_bytes()


@pytest.fixture
def installed(tmp_path):
    """Return `installed(hashes, tools)`, which returns whether the package is there and what was said."""
    venv.create(tmp_path / "an environment", with_pip=False)
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["chips"]\n', encoding="utf-8")
    (tmp_path / "config").write_text(
        f"[global]\nindex-url = {(tmp_path / 'index').as_uri()}\nfind-links = /nowhere\n"
        "extra-index-url = file:///nowhere/simple\n[install]\nno-cache-dir = true\n",
        encoding="utf-8",
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
    digest = hashlib.sha256(wheel(tmp_path / "index")).hexdigest()

    def install(hashes: str, tools: str) -> tuple[bool, str]:
        (tmp_path / "constraints.txt").write_text(f"{tools}chips==1.0{hashes.format(digest)}\n", encoding="utf-8")
        target = tmp_path / "an environment" / "bin" / "python"
        done = subprocess.run(  # noqa: S603
            [sys.executable, str(PROJECT / "deploy" / "install.py"), str(target)],
            cwd=tmp_path,
            env={**kept, "PIP_CONFIG_FILE": str(tmp_path / "config")},
            capture_output=True,
            text=True,
            check=False,
        )
        there = any((tmp_path / "an environment").rglob("chips.py"))
        assert there == (done.returncode == 0), done.stderr
        return there, done.stderr

    return install


@needs_uv
def test_uv_installs_a_file_that_has_its_hash(installed):
    assert installed(" --hash=sha256:{}", TOOLS) == (True, "")


def test_pip_installs_where_uv_cannot_be_had_and_says_so(installed):
    there, said = installed(" --hash=sha256:{}", TOOLS.replace("uv==", "uv==0.0."))
    assert there
    assert re.fullmatch(r"uv did not install \(.*uv==0\.0\..*\)\. pip does, which takes longer\.\n", said)


@needs_uv
@pytest.mark.parametrize(
    ("hashes", "by_uv", "by_pip"),
    [("", "must have a hash", "pinned with =="), (" --hash=sha256:" + "0" * 64, "Hash mismatch", "DO NOT MATCH")],
    ids=["missing", "wrong"],
)
def test_neither_installs_a_file_without_its_hash(installed, hashes, by_uv, by_pip):
    there, said = installed(hashes, TOOLS)
    assert not there
    first, _, rest = said.partition("\n")
    assert by_uv in first
    assert by_pip in rest.replace("\n", " ")
