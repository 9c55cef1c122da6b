"""Removes all homes of this project, also what lies outside of it. `make clean` runs it."""

import sys

from casino.devstack.errors import DevstackError, explain_os_error
from casino.devstack.home import base_folder, claim


def clean() -> None:
    """Delete every home that no stack holds. Raises Trouble when one is running."""
    base = base_folder()
    folders = [entry for entry in base.iterdir() if (entry / "lock").exists()] if base.is_dir() else []
    for folder in folders:
        home = claim(folder)
        if home is None:
            raise DevstackError(f"The stack in {folder} is running. Stop it first.")
        home.remove()


if __name__ == "__main__":
    try:
        clean()
    except DevstackError as trouble:
        sys.exit(f"{trouble}")
    except OSError as error:
        sys.exit(f"{explain_os_error(error)}")
