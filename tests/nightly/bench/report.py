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

from tests.nightly.bench.databases import Server
from tests.nightly.bench.measure import Measured

PACKAGES = ("django", "djangorestframework", "psycopg", "granian", "gunicorn", "msgspec", "eventsourcing")


def machine(server: Server) -> dict[str, Any]:
    """Describe what the measurements ran on: cores, processor, versions."""
    with psycopg.connect(server.owner_url) as connection:
        row = connection.execute(
            "SELECT current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit')"
        ).fetchone()
    version, fsync, commit = row or ("", "", "")
    return {
        "cores": cores(),
        "processor": _processor(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "postgresql": version,
        "fsync": fsync,
        "synchronous_commit": commit,
        "packages": {name: version for name in PACKAGES if (version := _version(name))},
    }


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def document(about: Mapping[str, Any], results: Sequence[Measured]) -> dict[str, Any]:
    """Return everything measured as plain values."""
    return {"machine": dict(about), "measurements": [_entry(result) for result in results]}


def show(about: Mapping[str, Any], results: Sequence[Measured]) -> None:
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
    for result in results:
        table.add_row(*_cells(result))
    console.print(table)
    for result in results:
        for note in result.notes:
            console.print(f"{result.name}: {note}.", highlight=False, markup=False)
        for name, value in result.details.items():
            console.print(f"{result.name}: {name} {value:g}", highlight=False, markup=False)
        if result.table:
            console.print(_table(result))
    console.print(
        f"{about['cores']} cores, {about['processor']}; Python {about['python']}, PostgreSQL {about['postgresql']}, "
        f"fsync {about['fsync']}; " + ", ".join(f"{name} {version}" for name, version in about["packages"].items()),
        highlight=False,
        markup=False,
    )


def _table(result: Measured) -> Table:
    headings, *rows = result.table
    table = Table(title=result.name, title_justify="left")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == headings[0] else "right")
    for row in rows:
        table.add_row(*row)
    return table


def line(result: Measured) -> str:
    """Return a measurement as one line of progress."""
    against = "" if result.ratio is None else f", {result.peer_name} {result.peer_rate:,.0f}, ratio {result.ratio:.2f}"
    return f"{result.name}: {result.our_rate:,.0f} {result.unit}{against}"


def _cells(result: Measured) -> list[str]:
    return [
        result.name,
        result.unit,
        f"{result.our_rate:,.0f}",
        "-" if result.peer_rate is None else f"{result.peer_rate:,.0f}",
        "-" if result.ratio is None else f"{result.ratio:.2f}x",
        _target(result),
        {True: "yes", False: "no", None: ""}[result.reached],
        result.peer_name,
    ]


def _target(result: Measured) -> str:
    if result.target is None:
        return ""
    if result.target_is_most:
        return f"<= {result.target:g}"
    return f">= {result.target:,.0f}/s" if result.target_is_rate else f">= {result.target:g}x"


def _entry(result: Measured) -> dict[str, Any]:
    return {
        "name": result.name,
        "unit": result.unit,
        "ours": result.our_rate,
        "peer": result.peer_rate,
        "peer_name": result.peer_name,
        "ratio": result.ratio,
        "target": result.target,
        "target_is_rate": result.target_is_rate,
        "target_is_most": result.target_is_most,
        "reached": result.reached,
        "repetitions": {"ours": list(result.ours), "peer": list(result.peer)},
        "details": dict(result.details),
        "notes": list(result.notes),
        "table": [list(row) for row in result.table],
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
