#!/usr/bin/env python3
"""Django's commands, which find or start a database first (casino/devstack/attach.py), `healthcheck URL` and `witness`.

Containers run `healthcheck` every few seconds, so it starts without Django; so does a witness, which may run anywhere.
"""

import sys

if __name__ == "__main__":
    if sys.argv[1:2] == ["healthcheck"]:
        from casino.observability import healthcheck

        healthcheck.main(sys.argv[2:])
    elif sys.argv[1:2] == ["witness"]:
        from casino.witness import command

        command.main(sys.argv[2:])
    else:
        from casino.devstack import attach

        attach.main(sys.argv)
