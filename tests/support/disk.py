"""Small disks in memory, which can be full. Only root may mount them."""

import contextlib
import os
import subprocess
from pathlib import Path


def mount(folder: Path, *, size: str) -> None:
    """Mount a disk in this folder. Raises CalledProcessError."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=1777", "tmpfs", str(folder)]
    subprocess.run(command, check=True)  # noqa: S603


def unmount(folder: Path) -> None:
    """Undo `mount`."""
    subprocess.run(["umount", "--lazy", str(folder)], check=True)  # noqa: S603, S607


def may_mount() -> bool:
    """Return whether this process may mount disks."""
    command = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return os.getuid() == 0 and not subprocess.run(command, capture_output=True, check=False).returncode  # noqa: S603


def fill(file: Path) -> None:
    """Write until there is no room."""
    block = bytes(1 << 20)
    with contextlib.suppress(OSError), file.open("ab", buffering=0) as stream:
        while stream.write(block):
            pass
