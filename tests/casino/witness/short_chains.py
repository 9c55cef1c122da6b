"""Run a witness whose chains may be short, down to eight links: `short_chains.py --data …`."""

import sys

from casino.witness import app, command, links, statements

HEIGHT = 3

if __name__ == "__main__":
    statements.MIN_HEIGHT = app.MIN_HEIGHT = HEIGHT
    links.BLOCK_HEIGHT, links._BLOCK = 2, 4
    command.main(sys.argv[1:])
