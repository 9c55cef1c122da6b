"""A process of ours whose players sit two to a table: one confirms a wager in every round, the other is silent."""

import time
import uuid
from typing import Any

import django

from tests.nightly.bench.worker import serve
from tests.support.instant import NO_SHOW

django.setup()

from django.db import connection  # noqa: E402  (all below needs Django's settings)

from baccarat.services import betting, seats, table_lifecycle  # noqa: E402
from baccarat.services.seats import TableActor  # noqa: E402
from casino.events.store import Metadata  # noqa: E402
from casino.kernel.errors import Refusal  # noqa: E402
from casino.kernel.money import MoneyType  # noqa: E402
from casino.operators import services as operators  # noqa: E402
from wallet.ledger import player_accounts as wallet  # noqa: E402

CURRENCY = "EUR"
CREDIT = 10**8
STAKE = 1000
PRESET = "atlantic_city"
KEPT = 100
"""Rounds for which the silent player's seat is kept: longer than anything is measured."""

SEATED_BETWEEN = 20
"""Tables that are opened between two looks at those that play already."""

LOOK = 0.2
"""Seconds between looks for rounds in which the first player has not confirmed."""

WAITING = "SELECT id, table_id FROM baccarat_round WHERE phase = 'betting' AND wagers = 0"
FIRST: dict[uuid.UUID, TableActor] = {}


def seat(*, tables: int, turn: int) -> int:
    """Open tables with turns of so many seconds, and seat two players at each."""
    operator = operators.create_operator(slug="bench", name="Bench", currencies=[CURRENCY], sandbox=True).id
    for number in range(tables):
        table = table_lifecycle.open_table(
            operator=operator,
            name=f"Table {number}",
            preset=PRESET,
            currency=CURRENCY,
            money_types=[MoneyType.PLAY],
            edge_accepted=True,
            overrides={"turn_seconds": turn, "seat_kept_rounds": KEPT, "show_milliseconds": NO_SHOW},
            metadata=_metadata(operator),
        )
        FIRST[table] = _seated(operator, table, 1)
        _seated(operator, table, 2)
        if number % SEATED_BETWEEN == 0:
            _confirm()
    return tables


def play(*, seconds: float) -> int:
    """Confirm a wager in every round that opens, for so many seconds, and return how many."""
    until, done = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        done += _confirm()
        time.sleep(LOOK)
    return done


def _confirm() -> int:
    with connection.cursor() as cursor:
        cursor.execute(WAITING)
        waiting: list[tuple[Any, ...]] = cursor.fetchall()
    done = 0
    for _, table in waiting:
        try:
            betting.deal(actor=FIRST[table], stakes={"banker": STAKE}, currency=CURRENCY)
        except Refusal:  # its turn has just ended
            continue
        done += 1
    return done


def _seated(operator: uuid.UUID, table: uuid.UUID, number: int) -> TableActor:
    player, notes = uuid.uuid4(), _metadata(operator)
    wallet.open_player_accounts(operator=operator, player=player, currency=CURRENCY, metadata=notes)
    wallet.credit_sandbox_player(
        operator=operator,
        player=player,
        money_type=MoneyType.PLAY,
        currency=CURRENCY,
        amount=CREDIT,
        sandbox=True,
        metadata=notes,
    )
    actor = TableActor(table=table, operator=operator, player=player, metadata=notes)
    seats.take(actor=actor, seat=number, money_type=MoneyType.PLAY, buy_in=CREDIT // 2, currency=CURRENCY)
    return actor


def _metadata(operator: uuid.UUID) -> Metadata:
    return Metadata(operator=str(operator), actor="bench", causation="", correlation=str(uuid.uuid4()))


if __name__ == "__main__":
    serve({"seat": seat, "play": play})
