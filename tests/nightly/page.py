"""The page of a night: what each part took, what fell short, what was skipped, and coverage by package."""

import contextlib
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import coverage

from casino.devstack.home import PROJECT
from tests.nightly.night import Night
from tests.nightly.parts import COVERAGE, FOLDER

PAGE: Final = FOLDER / "report.md"


def written(night: Night) -> str:
    """Write the page, and return it."""
    page = "\n".join(_page(night)) + "\n"
    PAGE.write_text(page, encoding="utf-8")
    return page


def _page(night: Night) -> Iterator[str]:
    yield f"# A night of {night.version}, seed {night.seed}"
    yield "\n| part | passed | failed | skipped | minutes | core-minutes |\n|---|--:|--:|--:|--:|--:|"
    for name, one in night.outcomes.items():
        yield (
            f"| {name} | {one.passed} | {one.failed or ''} | {one.skipped or ''} | {one.seconds / 60:.1f} "
            f"| {one.core_seconds / 60:.1f} |"
        )
    everything = night.outcomes.values()
    minutes = (sum(one.seconds for one in everything) / 60, sum(one.core_seconds for one in everything) / 60)
    yield f"| all | | | | {minutes[0]:.0f} | {minutes[1]:.0f} |"
    yield "\n## What fell short"
    if not any(one.short for one in everything):
        yield "\nNothing."
    for name, one in night.outcomes.items():
        if one.short:
            yield f"\n### {name}\n"
            yield from (f"- {line}" for line in one.short)
    skips = Counter(reason for one in everything for reason in one.skips)
    if skips:
        yield "\n## What was skipped\n"
        yield from (f"- {count} x {reason}" for reason, count in skips.most_common())
    if COVERAGE.exists():
        yield "\n## Lines that the quick tests execute\n\n| package | lines | executed |\n|---|--:|--:|"
        yield from (f"| {package} | {lines} | {covered / lines:.1%} |" for package, lines, covered in covered_lines())


def covered_lines() -> Iterator[tuple[str, int, int]]:
    """Yield each package, its lines that can be executed, and how many of them are."""
    lines, covered = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(PROJECT):
        data = coverage.Coverage(data_file=str(COVERAGE))
        data.load()
        data.json_report(outfile=f"{folder}/coverage.json")
        files = json.loads(Path(f"{folder}/coverage.json").read_text(encoding="utf-8"))["files"]
    for name, file in files.items():
        parts = Path(name).parts
        for package in ("/".join(parts[: min(2, len(parts) - 1)]), "all"):
            lines[package] += file["summary"]["num_statements"]
            covered[package] += file["summary"]["covered_lines"]
    yield from ((package, count, covered[package]) for package, count in sorted(lines.items()) if count)
