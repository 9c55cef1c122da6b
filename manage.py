#!/usr/bin/env python3
"""Django's commands, which find or start a database first (casino/devstack/attach.py), and `healthcheck URL`.

Containers run `healthcheck` every few seconds, so it starts without Django.
"""

import sys

if __name__ == "__main__":
    if sys.argv[1:2] == ["healthcheck"]:
        from casino.observability import healthcheck

        healthcheck.main(sys.argv[2:])
    else:
        from casino.devstack import attach

        attach.main(sys.argv)
