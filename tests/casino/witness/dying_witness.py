"""Run a witness that kills itself, with all its processes, at one moment of a release.

It does so once the file `die` is in its folder, so that chains can be made before.
"""

import os
import signal
from pathlib import Path

from casino.witness import command
from casino.witness.app import Application
from casino.witness.service import Witness
from casino.witness.store import Store


def before(owner, name, folder):
    """Die when the method is called."""
    whole = getattr(owner, name)

    def method(self, *arguments, **options):
        die(folder)
        return whole(self, *arguments, **options)

    setattr(owner, name, method)


def after(owner, name, folder):
    """Die when the method returns."""
    whole = getattr(owner, name)

    def method(self, *arguments, **options):
        result = whole(self, *arguments, **options)
        die(folder)
        return result

    setattr(owner, name, method)


def die(folder):
    if (folder / "die").exists():
        os.killpg(0, signal.SIGKILL)


MOMENTS = {
    "request": lambda folder: before(Application, "_release", folder),
    "check": lambda folder: before(Witness, "_give_out", folder),
    "inserted": lambda folder: after(Witness, "_add_statement", folder),
    "checked": lambda folder: after(Witness, "_release", folder),
    "committed": lambda folder: before(Store, "_record", folder),
    "counted": lambda folder: after(Store, "_record", folder),
    "answer": lambda folder: after(Application, "_release", folder),
}


def run_until(moment, options):
    """Run a witness until this moment."""
    MOMENTS[moment](Path(options[options.index("--data") + 1]))
    command.main(options)
