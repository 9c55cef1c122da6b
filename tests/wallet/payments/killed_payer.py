"""A payer that kills itself before its MOMENT-th statement: `python killed_payer.py MOMENT`, run by test_advancing."""

import os
import signal
import sys
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402

from wallet.payments import advancing  # noqa: E402


class Dying:
    """Counts statements, and stops counting."""

    def __init__(self, moment: int) -> None:
        self.left = moment

    def __call__(self, execute: Any, sql: Any, parameters: Any, many: Any, context: Any) -> Any:
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(sql, parameters, many, context)


if __name__ == "__main__":
    connection.ensure_connection()
    with connection.execute_wrapper(Dying(int(sys.argv[1]))):
        advancing.advance()
