"""A wager in money of the operator's own wallet, from the request to its end, as web makes it. Run by test_kills."""

from uuid import uuid4

from django.db import transaction

from baccarat.services import betting, wagering
from baccarat.services.seats import TableActor
from baccarat.services.turns import TakenStakes
from baccarat.services.wagering import WantedWager
from casino.events.sql import fetch
from casino.events.store import Metadata

STAKES = {"banker": 1000}


def bet() -> None:
    """Bet ten euros in the only seat: the stakes are taken between two transactions."""
    ((operator, player, table),) = fetch(
        "SELECT table_.operator_id, sitting.player_id, table_.id FROM baccarat_sitting sitting"
        " JOIN baccarat_table table_ ON table_.id = sitting.table_id"
    )
    actor = TableActor(table, operator, player, Metadata(str(operator), "player", "test"))
    taken = wagering.take_stakes(WantedWager(uuid4(), STAKES, "EUR"), actor=actor)
    assert isinstance(taken, TakenStakes)
    with transaction.atomic():
        betting.deal(actor=actor, stakes=STAKES, currency="EUR", taken=taken)
