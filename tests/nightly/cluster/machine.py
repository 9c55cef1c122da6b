"""A process's clock and disk, which tests make wrong and slow."""

import os
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Final

COMPILER: Final = shutil.which("cc")


class Machine:
    """The clock and the disk of the process that runs in `environment`, both right at first; `file` keeps them.

    A program that `asks_kernel` takes no answers from libc: one of Go.
    """

    def __init__(self, file: Path, library: Path, *, asks_kernel: bool = False) -> None:
        self._file = file
        self.environment = {"LD_PRELOAD": str(library), "HOST_STATE": str(file)}
        if asks_kernel:
            self.environment["HOST_ASKS_KERNEL"] = "1"
        self._clock = self._delay = 0.0
        self._save()

    def set_clock(self, seconds: float) -> None:
        """Let the clock be off by this, which is a step for whoever reads it."""
        self._clock = seconds
        self._save()

    def slow_down(self, seconds: float) -> None:
        """Let each write to the disk take this much longer until it is there to stay."""
        self._delay = seconds
        self._save()

    def _save(self) -> None:
        with self._file.open("r+b" if self._file.exists() else "wb") as file:  # in place: processes have it mapped
            file.write(struct.pack("qq", int(self._clock * 1e6), int(self._delay * 1e6)))


def compiled(folder: Path) -> Path | None:
    """Return the library for `Machine`, or None where nothing compiles it."""
    if COMPILER is None:
        return None
    library = folder / "machine.so"
    source = str(Path(__file__).with_suffix(".c"))
    command = [COMPILER, "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(library), source, "-ldl"]
    subprocess.run(command, check=True)  # noqa: S603
    return library


def answers_for_kernel(folder: Path, library: Path, program: str) -> bool:
    """Return whether this program can be given the library, and the kernel lets that answer for it."""
    state = Machine(folder / "trial.state", library, asks_kernel=True).environment
    traced = {**os.environ, **state, "LD_TRACE_LOADED_OBJECTS": "1"}
    command = [program, "--version"]  # which a program without a loader does instead of naming its libraries
    links = subprocess.run(command, env=traced, capture_output=True, text=True, check=False)  # noqa: S603
    tried = subprocess.run(["true"], env={**os.environ, **state}, capture_output=True, check=False)  # noqa: S607
    return str(library) in links.stdout and not tried.returncode
