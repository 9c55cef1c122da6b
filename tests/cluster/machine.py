"""A host's clock and disk, which tests make wrong, slow and full."""

import shutil
import struct
import subprocess
from pathlib import Path
from typing import Final

from tests.support.disk import fill

COMPILER: Final = shutil.which("cc")


class Machine:
    """The clock of the processes that run in `environment`, and the disk of a folder. Both are right at first."""

    def __init__(self, folder: Path, library: Path | None) -> None:
        self._file, self._library = folder.with_suffix(".state"), library
        self._ballast = folder / "ballast"
        self._clock = self._delay = 0.0
        self._save()

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self._library), "HOST_STATE": str(self._file)} if self._library else {}

    def set_clock(self, seconds: float) -> None:
        """Let the clock be off by this, which is a step for whoever reads it."""
        self._clock = seconds
        self._save()

    def slow_down(self, seconds: float) -> None:
        """Let each write to the disk take this much longer until it is there to stay."""
        self._delay = seconds
        self._save()

    def fill(self) -> None:
        """Leave no room on the disk."""
        fill(self._ballast)

    def empty(self) -> None:
        """Undo `fill`."""
        self._ballast.unlink()

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
