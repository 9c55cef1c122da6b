"""Measurements as a table for people and as a document for programs."""

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import psycopg
from rich.console import Console
from rich.table import Table

from tests.bench.databases import Server
from tests.bench.measure import Measured

PACKAGES = ("django", "djangorestframework", "psycopg", "uvicorn", "msgspec", "eventsourcing")


def machine(server: Server) -> dict[str, Any]:
    """Describe what the measurements ran on: cores, processor, versions."""
    with psycopg.connect(server.owner_url) as connection:
        row = connection.execute(
            "SELECT current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit')"
        ).fetchone()
    version, fsync, commit = row or ("", "", "")
    return {
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "processor": _processor(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "postgresql": version,
        "fsync": fsync,
        "synchronous_commit": commit,
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
    }


def document(about: Mapping[str, Any], found: Sequence[Measured]) -> dict[str, Any]:
    """Return everything measured as plain values."""
    return {"machine": dict(about), "measurements": [_entry(one) for one in found]}


def show(about: Mapping[str, Any], found: Sequence[Measured]) -> None:
    """Print a table of ours, the peer's, the ratio and the target."""
    console = Console(width=None if sys.stdout.isatty() else 140)
    table = Table(
        title="Ours and the peers', in turns; medians, of a rate alone the best",
        title_justify="left",
    )
    table.add_column("what", no_wrap=True)
    table.add_column("unit")
    table.add_column("ours", justify="right")
    table.add_column("peer's", justify="right")
    table.add_column("ratio", justify="right")
    table.add_column("target", justify="right")
    table.add_column("reached")
    table.add_column("peer")
    for one in found:
        table.add_row(*_cells(one))
    console.print(table)
    for one in found:
        for note in one.notes:
            console.print(f"{one.name}: {note}.", highlight=False, markup=False)
        for name, value in one.details.items():
            console.print(f"{one.name}: {name} {value:g}", highlight=False, markup=False)
    console.print(
        f"{about['cores']} cores, {about['processor']}; Python {about['python']}, PostgreSQL {about['postgresql']}, "
        f"fsync {about['fsync']}; " + ", ".join(f"{name} {version}" for name, version in about["packages"].items()),
        highlight=False,
        markup=False,
    )


def line(one: Measured) -> str:
    """Return one measurement in a line, for those who watch."""
    against = "" if one.ratio is None else f", {one.peer_name} {one.peer_rate:,.0f}, ratio {one.ratio:.2f}"
    return f"{one.name}: {one.our_rate:,.0f} {one.unit}{against}"


def _cells(one: Measured) -> list[str]:
    return [
        one.name,
        one.unit,
        f"{one.our_rate:,.0f}",
        "-" if one.peer_rate is None else f"{one.peer_rate:,.0f}",
        "-" if one.ratio is None else f"{one.ratio:.2f}x",
        _target(one),
        {True: "yes", False: "no", None: ""}[one.reached],
        one.peer_name,
    ]


def _target(one: Measured) -> str:
    if one.target is None:
        return ""
    if one.target_is_most:
        return f"<= {one.target:g}"
    return f">= {one.target:,.0f}/s" if one.target_is_rate else f">= {one.target:g}x"


def _entry(one: Measured) -> dict[str, Any]:
    return {
        "name": one.name,
        "unit": one.unit,
        "ours": one.our_rate,
        "peer": one.peer_rate,
        "peer_name": one.peer_name,
        "ratio": one.ratio,
        "target": one.target,
        "target_is_rate": one.target_is_rate,
        "target_is_most": one.target_is_most,
        "reached": one.reached,
        "repetitions": {"ours": list(one.ours), "peer": list(one.peer)},
        "details": dict(one.details),
        "notes": list(one.notes),
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    found = Path("/proc/cpuinfo")
    if found.exists():
        for line in found.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
