#!/usr/bin/env python3
"""Django's commands. Those that need a database find one or start one first: see casino/devstack/attach.py."""

import sys

from casino.devstack.attach import main

if __name__ == "__main__":
    main(sys.argv)
