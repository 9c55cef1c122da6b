"""A process of ours that plays: it seats players, confirms wagers, deals by the workers' own code, seals, audits."""

import os
import time
import uuid
from typing import Any

import django

from tests.bench.processors import seconds_of_trees
from tests.bench.worker import serve

django.setup()

from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from baccarat.audit import engine  # noqa: E402  (all below needs Django's settings)
from baccarat.domain.rules.wagers import Spot  # noqa: E402
from baccarat.services import betting, dealing, seats, table_lifecycle  # noqa: E402
from baccarat.services.seats import TableActor  # noqa: E402
from casino.events import sealer  # noqa: E402
from casino.events.store import Metadata  # noqa: E402
from casino.kernel.money import MoneyType  # noqa: E402
from casino.operators import services as operators  # noqa: E402
from casino.operators import sessions  # noqa: E402
from wallet.ledger import player_accounts as wallet  # noqa: E402
from wallet.ledger import store  # noqa: E402
from wallet.ledger.accounts import TABLE_ACCOUNT_KINDS, table_account  # noqa: E402

CURRENCY = "EUR"
CREDIT = 10**8
OK = 200
STAKE = 1000
PRESET = "mini"
Place = dict[str, str]


def _metadata(operator: uuid.UUID, actor: str = "bench") -> Metadata:
    return Metadata(operator=str(operator), actor=actor, causation="", correlation=str(uuid.uuid4()))


def seat(*, tables: int) -> list[Place]:
    """Open so many single-seat tables, each with a player of its own seated, and return their ids."""
    operator = operators.create_operator(slug="bench", name="Bench", currencies=[CURRENCY], sandbox=True).id
    return [_seat_one(operator, number) for number in range(tables)]


def _seat_one(operator: uuid.UUID, number: int) -> Place:
    notes = _metadata(operator)
    player = wallet.register_player(
        operator=operator, reference=f"p{number}", nickname=f"Player {number}", currency=CURRENCY, metadata=notes
    ).id
    wallet.credit_sandbox_player(
        operator=operator,
        player=player,
        money_type=MoneyType.PLAY,
        currency=CURRENCY,
        amount=CREDIT,
        sandbox=True,
        metadata=notes,
    )
    table = table_lifecycle.open_table(
        operator=operator,
        name=f"Table {number}",
        preset=PRESET,
        currency=CURRENCY,
        money_types=[MoneyType.PLAY],
        edge_accepted=False,
        overrides={},
        metadata=notes,
    )
    token = sessions.open_session(operator=operator, player=player, seconds=sessions.MAX_SESSION_SECONDS).token
    place = {"table": str(table), "operator": str(operator), "player": str(player), "token": token}
    # A table's first rounds open its accounts one by one; what is measured is a table that has been played at.
    store.open_accounts(
        table_account(kind=kind, operator=operator, table=table, money_type=MoneyType.PLAY, currency=CURRENCY)
        for kind in sorted(TABLE_ACCOUNT_KINDS)
    )
    seats.take(actor=_actor(place), seat=1, money_type=MoneyType.PLAY, buy_in=CREDIT // 2, currency=CURRENCY)
    return place


def _actor(place: Place) -> TableActor:
    operator, player = uuid.UUID(place["operator"]), uuid.UUID(place["player"])
    return TableActor(
        table=uuid.UUID(place["table"]),
        operator=operator,
        player=player,
        metadata=_metadata(operator, f"player:{player}"),
    )


def wager(*, places: list[Place]) -> int:
    """Confirm one Banker wager at each table and return how many."""
    for place in places:
        betting.deal(actor=_actor(place), stakes={Spot.BANKER: STAKE}, currency=CURRENCY)
    return len(places)


def deal(*, limit: int | None = None) -> dict[str, float]:
    """Deal and settle what is due, as a worker does; with `limit` one batch of at most so many."""
    began = time.perf_counter()
    done = dealt = dealing.deal_due() if limit is None else dealing.deal_due(limit=limit)
    while dealt and limit is None:
        dealt = dealing.deal_due()
        done += dealt
    return {"rounds": done, "seconds": time.perf_counter() - began}


def play(*, places: list[Place], rounds: int) -> int:
    """Play at least so many rounds from bet to settlement, seal their events, and return how many events."""
    played = 0
    while played < rounds:
        played += wager(places=places)
        deal()
    return seal()


def timed_play(*, places: list[Place], rounds: int) -> dict[str, float]:
    """Play at least so many rounds without sealing, and return how many and the processor's seconds that they took."""
    began, played = _processor_seconds(), 0
    while played < rounds:
        played += wager(places=places)
        deal()
    seconds = _processor_seconds() - began
    seal()
    return {"rounds": played, "seconds": seconds}


def _processor_seconds() -> float:
    """Return what this process and the one of PostgreSQL that serves it have used."""
    connection.ensure_connection()
    return time.process_time() + seconds_of_trees([connection.connection.info.backend_pid])


def request(*, places: list[Place], rounds: int) -> int:
    """Play so many rounds with wagers by requests, seal their events, and return how many rounds that were."""
    client, played = Client(headers={"host": "127.0.0.1"}), 0
    while played < rounds:
        for place in places[: rounds - played]:
            response = client.post(
                f"/api/v1/tables/{place['table']}/deal",
                {"stakes": [{"spot": Spot.BANKER, "amount": "10.00"}], "currency": CURRENCY},
                "application/json",
                headers={"authorization": f"Bearer {place['token']}", "idempotency-key": str(uuid.uuid4())},
            )
            if response.status_code != OK:
                raise RuntimeError(f"A wager was answered with {response.status_code}: {response.content!r}")
            played += 1
        deal()
        seal()
    return played


def seal() -> int:
    """Seal what waits and return how many events."""
    return sealer.seal_all()


def replay(*, log_only: bool) -> dict[str, Any]:
    """Audit the database on one core; with `log_only` its events alone.

    Seconds are this process's own processor time, and `wall` those that passed by the engine's clock.
    """
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    began = time.process_time()
    report = engine.run_audit(log_only=log_only)
    spent = time.process_time() - began
    return {
        "events": report.events,
        "rounds": report.rounds,
        "seconds": spent,
        "wall": report.log_seconds if log_only else report.seconds,
        "findings": [f"{finding.kind} at {finding.location}" for finding in report.findings[:3]],
    }


if __name__ == "__main__":
    serve(
        {
            "seat": seat,
            "wager": wager,
            "deal": deal,
            "play": play,
            "seal": seal,
            "replay": replay,
            "request": request,
            "timed_play": timed_play,
        }
    )
