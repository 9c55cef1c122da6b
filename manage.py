#!/usr/bin/env python3
"""Django's commands. Those that need a database find one or start one first: see casino/stack/attach.py."""

import sys

from casino.stack.attach import main

if __name__ == "__main__":
    main(sys.argv)
