"""The wheel and the image have what production runs, and neither the development stack nor the conformance kit."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from casino.devstack.home import PROJECT
from tests.system.deploy.test_files import DOCKERFILE

PACKAGES = ("casino", "wallet", "baccarat")
SETUPTOOLS = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
LEFT_OUT = [name.rstrip("*").replace(".", "/") for name in SETUPTOOLS["packages"]["find"]["exclude"]]
IMPORT_ALL = """
import importlib, json, pkgutil, sys
import django
from django.core.management import get_commands
django.setup()
import casino, wallet, baccarat
modules = [
    module.name
    for package in (casino, wallet, baccarat)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.", onerror=None)
]
for name in modules:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(json.dumps([len(modules), casino.__file__, sorted(get_commands())]))
"""


ALONE = f"""
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in getattr(finder, "__module__", "")]
sys.path[:] = [path for path in sys.path if path != {str(PROJECT)!r}]
"""
"""The project's own environment finds its modules in the clone, too."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel as setuptools does, and unpack it."""
    sources, target = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("installed")
    for name in PACKAGES:
        shutil.copytree(PROJECT / name, sources / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(PROJECT / name, sources)
    build = "from setuptools.build_meta import build_wheel; build_wheel('.')"
    subprocess.run([sys.executable, "-c", build], cwd=sources, capture_output=True, check=True)  # noqa: S603
    (wheel,) = sources.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    (target / "sitecustomize.py").write_text(ALONE, encoding="utf-8")
    return target


def run(installed: Path, *command: str, **environment: str) -> str:
    """Run Python where this wheel alone is installed, and return what it printed."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    variables = kept | {"PYTHONPATH": str(installed)} | environment
    line = [sys.executable, *command]
    done = subprocess.run(line, env=variables, cwd=installed, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_has_all_but_what_only_a_clone_runs(installed: Path) -> None:
    assert LEFT_OUT == ["casino/devstack", "wallet/conformance"]
    wanted = {
        str(path.relative_to(PROJECT))
        for name in PACKAGES
        for path in (PROJECT / name).rglob("*")
        if path.is_file() and path.suffix not in {".pyc", ".md"}
    }
    found = {str(path.relative_to(installed)) for name in PACKAGES for path in (installed / name).rglob("*.*")}
    assert {path for path in wanted - found if not path.startswith(tuple(LEFT_OUT))} == set()
    assert {path for path in found if path.startswith(tuple(LEFT_OUT))} == set()


def test_production_runs_without_it(installed: Path) -> None:
    production = {
        "DJANGO_SETTINGS_MODULE": "casino.settings",
        "CASINO_ENV": "production",
        "CASINO_PROCESS": "sealer",
        "ALLOWED_HOSTS": "casino.example",
        "CHECKPOINT_STORAGE": "file:///checkpoints",
        "LOG_ORIGIN": "casino.example/log",
        "DATABASE_URL": "postgresql://casino_app@127.0.0.1:9/casino",
    }
    modules, where, commands = json.loads(run(installed, "-c", IMPORT_ALL, **production).splitlines()[-1])
    assert (modules > 500, where) == (True, str(installed / "casino" / "__init__.py"))
    assert {"seal", "run_jobs", "migrate", "audit"} <= set(commands)
    assert {"up", "play", "conform"}.isdisjoint(commands)


def test_the_image_leaves_out_what_the_wheel_does() -> None:
    (removed,) = re.findall(r"^RUN rm -r (.*)$", DOCKERFILE, re.MULTILINE)
    assert removed.split() == LEFT_OUT
    build, last = DOCKERFILE.split("\nFROM ")[-2:]
    assert "RUN rm -r" in build
    assert re.findall(r"^COPY (?!--from=build)", last, re.MULTILINE) == []


def test_commands_find_their_database_in_the_environment(installed: Path) -> None:
    shutil.copy(PROJECT / "manage.py", installed)
    url = "postgresql://app@127.0.0.1:9/casino"
    printed = run(installed, "manage.py", "diffsettings", "--all", DATABASE_URL=url)
    assert "casino.devstack" not in printed
    assert "'USER': 'app'" in printed
    assert "statement_timeout=0" in printed, "commands are patient"
