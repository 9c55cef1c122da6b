"""Run a witness whose chains may be short, down to eight links."""

from casino.witness import app, command, links, statements

HEIGHT = 3


def run(options):
    statements.MIN_HEIGHT = app.MIN_HEIGHT = HEIGHT
    links.BLOCK_HEIGHT, links._BLOCK = 2, 4
    command.main(options)
