"""Delete all homes of this project, including their folders elsewhere. `make clean` runs it."""

import sys

from casino.devstack.errors import DevstackError, explain_os_error
from casino.devstack.home import base_folder, claim


def clean() -> None:
    """Delete every home. Raises DevstackError if a stack is running in one."""
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
    except DevstackError as error:
        sys.exit(f"{error}")
    except OSError as error:
        sys.exit(f"{explain_os_error(error)}")
