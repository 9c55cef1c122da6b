#!/usr/bin/env python3
"""Django's commands, `healthcheck URL` and `witness`.

Containers run `healthcheck` every few seconds, so it starts without Django; so does a witness, which may run anywhere.
In a clone of the repository the others find or start a database first (casino/devstack/attach.py).
"""

import sys
from importlib.util import find_spec

if __name__ == "__main__":
    if sys.argv[1:2] == ["healthcheck"]:
        from casino.observability import healthcheck

        healthcheck.main(sys.argv[2:])
    elif sys.argv[1:2] == ["witness"]:
        from casino.witness import command

        command.main(sys.argv[2:])
    elif find_spec("casino.devstack") is None:
        from casino.observability import command_line

        command_line.main(sys.argv)
    else:
        from casino.devstack import attach

        attach.main(sys.argv)
