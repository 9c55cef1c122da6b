"""A process that freezes holds a table's lock for three seconds at most."""

import time

from django.db import OperationalError

from tests.casino.database.test_unavailable import LONGEST_STOP
from tests.conftest import Database
from tests.support.house import House
from tests.support.table_holder import table_holder


def test_a_frozen_process_that_holds_a_table_stops_it_for_three_seconds_at_most(short_timeouts: Database) -> None:
    house = House()
    table = house.table("mini")
    at = house.seated(table)
    with table_holder(table, house.operator, short_timeouts.environment) as freeze:
        freeze()
        frozen_at, refused = time.monotonic(), 0
        while True:
            try:
                at.new_game()
                break
            except OperationalError:
                refused += 1
        assert time.monotonic() - frozen_at < LONGEST_STOP
        assert refused <= 3
