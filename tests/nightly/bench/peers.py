"""Other people's packages to measure against, installed on first use into a folder that is not ours to commit."""

import importlib.util
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from casino.devstack.errors import DevstackError
from casino.devstack.home import PROJECT, base_folder
from casino.devstack.processes import run_to_end

EVENTSOURCING = "eventsourcing"
PYBACCARAT = "pybaccarat"
STAND_IN = """import subprocess
import sys
import types

# After subprocess, which takes a module of this name for a sign of Windows.
if "msvcrt" not in sys.modules:
    module = types.ModuleType("msvcrt")
    module.getch = lambda: b"\\r"
    sys.modules["msvcrt"] = module
"""
"""pybaccarat reads keys by Windows' msvcrt, also while it is being installed; this is what `sitecustomize` gives it."""


def folder() -> Path:
    """Return the folder of installed peers, beside the homes."""
    return base_folder() / "peers"


def environment(outer: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a process that can import the peers."""
    places = [str(PROJECT), str(folder() / "site"), str(folder() / "stand-in")]
    return {**outer, "PYTHONPATH": os.pathsep.join(places)}


def have(package: str) -> str | None:
    """Make sure that a peer is installed; returns None, or a sentence that says why it cannot be had."""
    if importlib.util.find_spec(package) is not None or (folder() / "site" / package).is_dir():
        return None
    try:
        _install(package)
    except (DevstackError, OSError) as trouble:
        return f"{package} could not be installed: {_reason(str(trouble))}"
    return None


def _install(package: str) -> None:
    stand_in, tools = folder() / "stand-in", folder() / "tools"
    stand_in.mkdir(parents=True, exist_ok=True)
    (stand_in / "sitecustomize.py").write_text(STAND_IN, encoding="utf-8")
    if package == PYBACCARAT:  # builds from source, in an environment whose start-up we must reach
        _pip("install", "--target", str(tools), "setuptools>=77", path=[])
    options = ["--no-deps", "--no-build-isolation", "--target", str(folder() / "site")]
    _pip("install", *options, package, path=[str(stand_in), str(tools)])


def _pip(*arguments: str, path: list[str]) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    run_to_end(command, environment={**os.environ, "PYTHONPATH": os.pathsep.join(path)}, folder=PROJECT)


def _reason(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if "error" in line.lower()] or text.splitlines()
    return lines[-1][:200] if lines else "no reason given"
