"""`python -m tests.nightly.cluster.results`: what faults of all runs did, as a table; one run's answers, as a picture.

Runs add to `build/cluster-faults.csv`. What is to be kept is moved to `faults.csv` beside this file: name, seconds
(none where only the worst of several is known), seconds promised, longest answer. The table of both is printed.

The picture is `build/cluster-answers.svg`: a dot for each answer, red for a 503, how late it came over when it was
asked for. With `FROM TO` it shows these seconds of the run.
"""

import csv
import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from casino.devstack.home import PROJECT
from tests.nightly.cluster.faults import CLOCKS, DISKS, FAULTS, NETWORK, PROCESSES

BUILD: Final = PROJECT / "build"
KEPT: Final = Path(__file__).with_name("faults.csv")
RESULTS, ANSWERS = BUILD / "cluster-faults.csv", BUILD / "cluster-answers.csv"
KINDS: Final = (*PROCESSES, *NETWORK, *CLOCKS, *DISKS)
PROMISED: Final = {fault.name: fault.promised for fault in FAULTS}
WIDTH, HEIGHT, EDGE = 1200, 420, 60
SHORTEST, LONGEST = 0.01, 30.0
"""Seconds at the bottom and at the top of the picture."""
COLOURS: Final = {200: "#2a7f3f", 503: "#c0261c"}


def table(rows: Iterable[Sequence[str]]) -> str:
    """Return three tables: how often a host was struck and the worst, the same of others, and the promises."""
    seconds = {name: list[float]() for name in PROMISED}
    struck = Counter[str]()
    for name, without, *_ in rows:
        if name in seconds:  # not a fault of an earlier release
            struck[name] += 1
            seconds[name].extend([float(without)] if without else [])
    cells = {name: f"{struck[name]}: {max(each):.1f}" if each else "0" for name, each in seconds.items()}
    members = dict.fromkeys(name.removesuffix(f" {kind}") for name in PROMISED for kind in KINDS if name.endswith(kind))
    lines = [f"| | {' | '.join(kind.removeprefix('has a ') for kind in KINDS)} |", f"|---{'|---' * len(KINDS)}|"]
    for member in members:
        of_member = [cells.get(f"{member} {kind}", "—") for kind in KINDS]
        lines.append(f"| {member} | {' | '.join(of_member)} |")
    others = [name for name in PROMISED if not name.endswith(KINDS)]
    lines += ["", "| | |", "|---|---|", *(f"| {name} | {cells[name]} |" for name in others)]
    lines += ["", "| promised | faults | median | p99 | worst | in time |", "|---|---|---|---|---|---|"]
    for promise in sorted(set(PROMISED.values()), reverse=True):
        of_all = sorted(each for name in seconds if PROMISED[name] == promise for each in seconds[name])
        if of_all:
            p99, met = of_all[math.ceil(0.99 * len(of_all)) - 1], sum(each <= promise for each in of_all)
            figures = f"{median(of_all):.1f} | {p99:.1f} | {of_all[-1]:.1f} | {met}"
            lines.append(f"| {promise} s | {len(of_all)} | {figures} |")
    return "\n".join(lines)


def picture(rows: Iterable[Sequence[str]], first: float, last: float) -> str:
    """Return the answers to what was asked for in these seconds of a run, as SVG."""
    answers = [(float(began), float(seconds), int(status)) for began, seconds, status in rows]
    start = min(began for began, _, _ in answers)
    last = min(last, max(began for began, _, _ in answers) - start)

    def across(second: float) -> float:
        return EDGE + (second - first) / (last - first) * (WIDTH - 2 * EDGE)

    def up(seconds: float) -> float:
        share = math.log(max(seconds, SHORTEST) / SHORTEST) / math.log(LONGEST / SHORTEST)
        return HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif">']
    parts.append('<rect width="100%" height="100%" fill="white"/>')
    for seconds in (0.01, 0.1, 1, 10):
        parts.append(f'<path d="M{EDGE} {up(seconds):.1f}H{WIDTH - EDGE}" stroke="#ddd"/>')
        parts.append(
            f'<text x="{EDGE - 8}" y="{up(seconds) + 4:.1f}" text-anchor="end" font-size="12">{seconds} s</text>'
        )
    step = max(1, round((last - first) / 10))
    for second in range(math.ceil(first), math.floor(last) + 1, step):
        x, y = across(second), HEIGHT - EDGE + 20
        parts.append(f'<text x="{x:.1f}" y="{y}" text-anchor="middle" font-size="12">{second}</text>')
    parts += [
        f'<circle cx="{across(began - start):.1f}" cy="{up(seconds):.1f}" r="2" fill="{COLOURS.get(status, "#999")}"/>'
        for began, seconds, status in answers
        if first <= began - start <= last
    ]
    parts.append(
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 16}" text-anchor="middle" font-size="12">seconds of the run</text></svg>'
    )
    return "\n".join(parts)


def all_rows() -> list[list[str]]:
    """Return the rows of all runs."""
    return rows_of(KEPT) + rows_of(RESULTS)


def rows_of(file: Path) -> list[list[str]]:
    """Return the rows of a file of results, none where there is no file yet."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines))


if __name__ == "__main__":
    print(table(all_rows()))
    between = [float(word) for word in sys.argv[1:3]] or [0.0, math.inf]
    (BUILD / "cluster-answers.svg").write_text(picture(rows_of(ANSWERS), between[0], between[1]), encoding="utf-8")
