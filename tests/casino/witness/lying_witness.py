"""Run a witness that gives out another link than its chain's once the file `lie` is in its folder."""

import sys
from pathlib import Path

from casino.witness import command, service
from casino.witness.statements import link


def run(options):
    folder = Path(options[options.index("--data") + 1])

    class Statements:
        """The module of statements, but for its links."""

        def __getattr__(self, name):
            return getattr(sys.modules["casino.witness.statements"], name)

        @staticmethod
        def link(secret, index):
            return bytes(32) if (folder / "lie").exists() else link(secret, index)

    service.statements = Statements()
    command.main(options)
