"""Processes whose clocks are off: lists and cursors follow the database's clock all the same."""

import subprocess
import sys

from django.conf import settings

from baccarat.queries import rounds
from casino.devstack.home import PROJECT
from tests.clocks import needs_faketime, skewed
from tests.conftest import Database
from tests.support.house import House

PLAY = """
import sys
from uuid import UUID
import django
django.setup()
from casino.events.store import Metadata
from tests.support.house import At, deal_all

from baccarat.services.seats import TableActor
table, operator, player = map(UUID, sys.argv[1:])
metadata = Metadata(operator=str(operator), actor="test", causation="test", correlation="test")
At(TableActor(table=table, operator=operator, player=player, metadata=metadata)).deal({"banker": 1000})
assert deal_all()
"""


@needs_faketime
def test_rounds_are_listed_in_their_order_however_wrong_the_clocks_of_processes_are(
    house: House, module_database: Database
) -> None:
    table = house.table("mini")
    at = house.seated(table)
    environment = {**module_database.environment, "SHOE_KEYS": settings.SHOE_KEYS, "PYTHONPATH": str(PROJECT)}
    for offset in ("+0", "+3600", "-3600", "+0"):
        command = [sys.executable, "-c", PLAY, str(table), str(house.operator), str(at.player)]
        subprocess.run(command, env=skewed(environment, offset), cwd=PROJECT, check=True, timeout=120)  # noqa: S603
    own = rounds.RoundFilter(house.operator)
    listed = rounds.list_rounds(own, viewer=None, before=None, limit=10)
    assert [each.number for each in listed] == [4, 3, 2, 1]
    (newer, _, _, _) = listed
    page = rounds.list_rounds(own, viewer=None, before=newer.id, limit=10)
    assert [each.number for each in page] == [3, 2, 1]
