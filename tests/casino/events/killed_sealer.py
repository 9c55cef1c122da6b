"""A sealer that kills itself: `python killed_sealer.py MOMENT`, run by test_sealer.

MOMENT is the number of the statement before which it dies, or `commit`, or `committed`.
"""

import os
import signal
import sys

import django

django.setup()

from django.db import connection  # noqa: E402

from casino.events import sealer  # noqa: E402


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def dying_commit(moment, commit):
    def dying():
        if moment == "commit":
            die()
        commit()
        if moment == "committed":
            die()

    return dying


def counting(moment):
    seen = 0

    def wrapper(execute, sql, parameters, many, context):
        nonlocal seen
        seen += 1
        if str(seen) == moment:
            die()
        return execute(sql, parameters, many, context)

    return wrapper


if __name__ == "__main__":
    connection.ensure_connection()
    connection._commit = dying_commit(sys.argv[1], connection._commit)
    with connection.execute_wrapper(counting(sys.argv[1])):
        print(sealer.seal_once())
