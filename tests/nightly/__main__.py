"""Run what takes long: all parts of a night, or one by its name with further arguments for its command.

`--again` begins a night anew that was stopped.
"""

import os
import signal
import sys
from types import FrameType

from rich.console import Console

from casino.devstack.home import PROJECT
from tests.nightly import night as nights
from tests.nightly import page
from tests.nightly.parts import FOLDER, Part, parts


def one(part: Part, arguments: list[str]) -> None:
    """Become the command of one part, or say why there is none here."""
    if not part.command:
        print(f"{part.name} skipped: {part.otherwise}")
        sys.exit(0)
    seed = nights.seed()
    print(f"SEED={seed}", flush=True)
    os.chdir(PROJECT)
    FOLDER.mkdir(parents=True, exist_ok=True)
    words = [*part.words(seed), *arguments]
    os.execvpe(words[0], words, part.variables(seed))  # noqa: S606


def all_of(every: tuple[Part, ...], *, again: bool) -> int:
    """Run the parts that are left of a night, and return the exit status: 1 if anything fell short."""
    console = Console(highlight=False, markup=False)
    night = nights.begin(every, again=again)
    done = f", {len(night.outcomes)} parts done before" if night.outcomes else ""
    console.print(f"A night of {night.version}, SEED={night.seed}{done}")
    for part in every:
        if part.name in night.outcomes:
            continue
        night.keep()
        with console.status(f"{part.name}: {part.output.relative_to(PROJECT)}"):
            outcome = nights.run(part, night.seed)
        night.outcomes[part.name] = outcome
        night.keep()
        fell = f", {len(outcome.short)} short" if outcome.short else ""
        console.print(f"{part.name}: {outcome.passed} passed{fell}, {outcome.seconds / 60:.1f} minutes")
    console.print(page.written(night), soft_wrap=True)
    console.print(f"This page is {page.PAGE.relative_to(PROJECT)}.")
    return any(outcome.short for outcome in night.outcomes.values())


def stop(_number: int, _frame: FrameType | None) -> None:
    """End as by Ctrl-C."""
    raise KeyboardInterrupt


def main(arguments: list[str]) -> int:
    """Run what the arguments name."""
    every = parts()
    named = {part.name: part for part in every}
    if arguments and arguments[0] in named:
        one(named[arguments[0]], arguments[1:])
    if arguments not in ([], ["--again"]):
        sys.exit(f"There is no part {arguments[0]!r}; there are {', '.join(named)}.")
    signal.signal(signal.SIGINT, stop)  # a shell's background ignores it
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGHUP, stop)
    try:
        return all_of(every, again=bool(arguments))
    except KeyboardInterrupt:
        print("\nStopped. Start again to go on.")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
