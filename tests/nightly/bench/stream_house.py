"""A process of ours that makes tables and players' sessions for streams, and writes the events that are timed."""

import json
import time
import uuid
from typing import Any

import django

from tests.nightly.bench.worker import serve

django.setup()

from django.db import transaction  # noqa: E402  (all below needs Django's settings)

from baccarat.services import table_lifecycle  # noqa: E402
from casino.events import store  # noqa: E402
from casino.events.records import Append, Metadata, NewEvent  # noqa: E402
from casino.kernel.money import MoneyType  # noqa: E402
from casino.operators import services as operators  # noqa: E402
from casino.operators import sessions  # noqa: E402
from wallet.ledger import player_accounts as wallet  # noqa: E402

CURRENCY = "EUR"
PRESET = "big_table"
WRITTEN: dict[str, int] = {}


def open_(*, tables: int, players: int) -> dict[str, list[str]]:
    """Open tables and sessions, and return the tables' ids and the sessions' tokens."""
    operator = operators.create_operator(slug="bench", name="Bench", currencies=[CURRENCY], sandbox=True).id
    notes = Metadata(operator=str(operator), actor="bench", causation="", correlation=str(uuid.uuid4()))
    opened = [
        table_lifecycle.open_table(
            operator=operator,
            name=f"Table {number}",
            preset=PRESET,
            currency=CURRENCY,
            money_types=[MoneyType.PLAY],
            edge_accepted=False,
            overrides={},
            metadata=notes,
        )
        for number in range(tables)
    ]
    tokens = []
    for number in range(players):
        player = wallet.register_player(
            operator=operator, reference=f"p{number}", nickname=f"Player {number}", currency=CURRENCY, metadata=notes
        ).id
        tokens.append(sessions.open_session(operator=operator, player=player, seconds=3600).token)
    return {"tables": [str(table) for table in opened], "tokens": tokens}


def mark(*, tables: list[str], count: int, pause: float) -> list[dict[str, Any]]:
    """Record so many events at the tables in turn, and return each with the moment before its commit."""
    notes = Metadata(operator="bench", actor="bench", causation="", correlation="")
    done = []
    for _ in range(count):
        number = sum(WRITTEN.values())
        table = tables[number % len(tables)]
        with transaction.atomic():
            draft = NewEvent("Marked", 1, json.dumps({"mark": number}).encode())
            store.append([Append(f"mark-{table}", WRITTEN.get(table, 0), (draft,), notes)])
            moment = time.monotonic()
        WRITTEN[table] = WRITTEN.get(table, 0) + 1
        done.append({"number": number, "table": table, "moment": moment})
        time.sleep(pause)
    return done


if __name__ == "__main__":
    serve({"open": open_, "mark": mark})
