"""A process of ours that plays: it seats players, confirms wagers, deals by the workers' own code, seals, audits."""

import functools
import os
import time
import uuid
from datetime import timedelta
from typing import Any

import django

from tests.nightly.bench.processors import seconds_of_trees
from tests.nightly.bench.worker import serve

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib import admin  # noqa: E402
from django.contrib.admin.utils import quote  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.cache import cache  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.urls import reverse  # noqa: E402

from baccarat.audit import engine  # noqa: E402  (all below needs Django's settings)
from baccarat.reports import days  # noqa: E402
from baccarat.services import betting, dealing, seats, table_lifecycle, witness_chains  # noqa: E402
from baccarat.services.seats import TableActor  # noqa: E402
from casino.checkpoints import cosigning  # noqa: E402
from casino.events import sealer  # noqa: E402
from casino.events.sql import database_now, fetch  # noqa: E402
from casino.events.store import Metadata  # noqa: E402
from casino.kernel.money import MoneyType  # noqa: E402
from casino.operators import services as operators  # noqa: E402
from casino.operators import sessions  # noqa: E402
from casino.operators.models import Operator, Player  # noqa: E402
from casino.reports import generation  # noqa: E402
from casino.reports.intervals import lifetime_interval  # noqa: E402
from casino.reports.models import Report  # noqa: E402
from casino.witness.client import configured_client  # noqa: E402
from tests.nightly.bench import held, history  # noqa: E402
from wallet.ledger import player_accounts as wallet  # noqa: E402
from wallet.ledger import store  # noqa: E402
from wallet.ledger.accounts import TABLE_ACCOUNT_KINDS, table_account  # noqa: E402

CURRENCY = "EUR"
CREDIT = 10**8
OK = 200
STAKE = 1000
PRESET = "mini"
PATIENCE = 30.0
"""Seconds that a witness may take to cosign."""
_RESULT = """
SELECT 1000 * extract(epoch FROM clock_timestamp() - (closed.data->>'closed_at')::timestamptz)::float8
  FROM baccarat_round AS round
  JOIN events_event AS closed ON closed.stream = 'round-' || round.id AND closed.type = 'BettingClosed'
 WHERE round.id = %s AND round.phase = 'settled'
"""
Place = dict[str, str]
_FORMS = (
    "desk_inbox", "desk_export", "desk_search", "reports_report_create", "reports_savedreport_new",
    "risk_riskrule_set", "baccarat_killswitch_throw", "operators_operator_new",
    "staff_rolegroup_new", "time_zone",
)  # fmt: skip
"""Pages of the admin that are of no row."""


def _metadata(operator: uuid.UUID, actor: str = "bench") -> Metadata:
    return Metadata(operator=str(operator), actor=actor, causation="", correlation=str(uuid.uuid4()))


def seat(
    *, tables: int, slug: str = "bench", money_type: str = MoneyType.PLAY, sandbox: bool = True, witnessed: bool = True
) -> list[Place]:
    """Open so many single-seat tables, each with a player of its own seated, and return their ids.

    Cards follow from the links of TABLE_WITNESSES witnesses, unless nothing more is to be `witnessed`.
    """
    operator = operators.create_operator(slug=slug, name=slug.capitalize(), currencies=[CURRENCY], sandbox=sandbox).id
    places = [_open_one(operator, number, MoneyType(money_type)) for number in range(tables)]
    if not witnessed:
        settings.TABLE_WITNESSES = 0
    if settings.TABLE_WITNESSES:
        _open_chains(tables)
    for place in places:
        seats.take(actor=_actor(place), seat=1, money_type=MoneyType(money_type), buy_in=CREDIT // 2, currency=CURRENCY)
    return places


def _open_one(operator: uuid.UUID, number: int, money_type: MoneyType) -> Place:
    notes = _metadata(operator)
    player = wallet.register_player(
        operator=operator, reference=f"p{number}", nickname=f"Player {number}", currency=CURRENCY, metadata=notes
    ).id
    wallet.credit_sandbox_player(
        operator=operator,
        player=player,
        money_type=money_type,
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
        money_types=[money_type],
        edge_accepted=False,
        overrides={},
        metadata=notes,
    )
    token = sessions.open_session(operator=operator, player=player, seconds=sessions.MAX_SESSION_SECONDS).token
    place = {"table": str(table), "operator": str(operator), "player": str(player), "token": token}
    # A table's first rounds open its accounts one by one; what is measured is a table that has been played at.
    store.open_accounts(
        table_account(kind=kind, operator=operator, table=table, money_type=money_type, currency=CURRENCY)
        for kind in sorted(TABLE_ACCOUNT_KINDS)
    )
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
        betting.deal(actor=_actor(place), stakes={"banker": STAKE}, currency=CURRENCY)
    return len(places)


def time_results(*, places: list[Place], rounds: int) -> list[float]:
    """Confirm so many wagers, one after the other at each table in turn, which a worker deals.

    Returns for each how many milliseconds passed from the close of betting until its result was committed.
    """
    return [_time_result(places[number % len(places)]) for number in range(rounds)]


def _time_result(place: Place) -> float:
    response = betting.deal(actor=_actor(place), stakes={"banker": STAKE}, currency=CURRENCY)
    if response.round is None:
        raise RuntimeError("The wager is in no round.")
    until = time.monotonic() + PATIENCE
    while not (found := fetch(_RESULT, [response.round.id])):
        if time.monotonic() > until:
            raise RuntimeError("The round is not dealt.")
        time.sleep(0.001)
    return float(found[0][0])


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
        _deal_all(len(places))
    return seal()


def _deal_all(rounds: int) -> None:
    """Deal so many rounds, however late a busy witness gives out its links."""
    dealt, until = 0, time.monotonic() + PATIENCE
    while dealt < rounds:
        dealt += int(deal()["rounds"])
        if time.monotonic() > until:
            raise RuntimeError(f"{dealt} of {rounds} rounds were dealt.")


def timed_play(*, places: list[Place], rounds: int) -> dict[str, float]:
    """Play at least so many rounds without sealing, and return how many and the processor's seconds that they took."""
    began, played = _processor_seconds(), 0
    while played < rounds:
        played += wager(places=places)
        _deal_all(len(places))
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
                {"stakes": [{"spot": "banker", "amount": "10.00"}], "currency": CURRENCY},
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
    """Seal what waits, have it cosigned if there is a witness, and return how many events."""
    sealed = sealer.seal_all()
    if settings.WITNESSES:
        _cosigning().run_once()
    return sealed


def pin() -> None:
    """Seal what waits and have it cosigned, as soon as a process that has left holds the lease no longer."""
    sealer.seal_all()
    client, until = configured_client(), time.monotonic() + PATIENCE
    ask = functools.partial(client.latest_checkpoint, client.addresses[0], settings.LOG_ORIGIN)
    before = ask()
    while not _cosigning().run_once() and ask() == before:
        if time.monotonic() > until:
            raise RuntimeError("The witness does not cosign.")
        time.sleep(0.1)


@functools.cache
def _cosigning() -> cosigning.Cosigning:
    return cosigning.Cosigning(configured_client())


def _open_chains(tables: int) -> None:
    """Have the log cosigned and a chain made for each of so many tables, however late a busy witness answers."""
    pin()
    opened, until = 0, time.monotonic() + PATIENCE
    while opened < tables:
        made = witness_chains.open_chains()
        opened, until = opened + made, time.monotonic() + PATIENCE if made else until
        if time.monotonic() > until:
            raise RuntimeError(f"The witness made chains for {opened} of {tables} tables.")


def replay(*, log_only: bool, with_schema: bool = False) -> dict[str, Any]:
    """Audit the database on one core; with `log_only` its events alone, `with_schema` what protects them, too.

    Seconds are this process's own processor time, and `wall` those that passed by the engine's clock.
    """
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    began = time.process_time()
    report = engine.run_audit(log_only=log_only, with_schema=with_schema)
    spent = time.process_time() - began
    return {
        "events": report.events,
        "rounds": report.rounds,
        "seconds": spent,
        "wall": report.log_seconds if log_only else report.seconds,
        "findings": [f"{finding.kind} at {finding.location}" for finding in report.findings[:3]],
    }


def report(*, slug: str) -> str:
    """Create the report by player of an operator's whole time, and return its id."""
    owner = Operator.objects.get(slug=slug)
    interval = lifetime_interval(until=database_now(), zone=owner.time_zone)
    return str(generation.generate_report(operator=owner.pk, name="players", interval=interval, by="staff:1").pk)


def pages(*, repeats: int) -> dict[str, dict[str, Any]]:
    """Look at each page of figures as staff of all operators; return milliseconds and queries."""
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(User.objects.create_superuser("bench"))
    return {name: _look_at(client, path, repeats) for name, path in addresses().items()}


def addresses(*, slug: str = "north", days_ago: int = 1) -> dict[str, str]:
    """Return the addresses of the front page and its drill-down, each list, the newest row of each, and each form."""
    owner = Operator.objects.get(slug=slug)
    day = (days.today(None) - timedelta(days=days_ago)).isoformat()
    made = Report.objects.filter(operator_id=owner.pk, name="players").order_by("-since")[0]
    player = Player.objects.filter(operator_id=owner.pk).order_by("pk")[0]
    days_of = f"/admin/figures/?money=sandbox-{CURRENCY}&day={day}"
    pages = {
        "first page": "/admin/",
        "first page, 90 days": "/admin/?period=90",
        "a day": days_of,
        "a day of an operator": f"{days_of}&operator={owner.pk}",
        "a report by player": f"/admin/reports/report/{made.pk}/change/",
        "a player of all days": f"/admin/operators/player/{player.pk}/change/",
        "figures of players": "/admin/players/?measure=staked&least=1&window=30+d",
        "wagers of a player": f"/admin/baccarat/round/search/?player={player.pk}",
        "wagers of a day": f"/admin/baccarat/round/search/?since={day}T00:00:00&minimum=1&currency={CURRENCY}",
        **{name: reverse(f"admin:{name}") for name in _FORMS},
    }
    for page in admin.site._registry.values():
        name = f"{page.opts.app_label}_{page.opts.model_name}"
        pages[f"list of {page.opts.label}"] = reverse(f"admin:{name}_changelist")
        row = page.model._default_manager.order_by("-pk").first()
        if row is not None:
            pages[f"page of {page.opts.label}"] = reverse(f"admin:{name}_change", args=[quote(row.pk)])
    return pages


def _look_at(client: Client, path: str, repeats: int) -> dict[str, Any]:
    spent = []
    client.get(path)  # warm
    for _ in range(repeats):
        cache.clear()
        with CaptureQueriesContext(connection) as captured:
            began = time.perf_counter()
            response = client.get(path)
            spent.append(1000 * (time.perf_counter() - began))
        if response.status_code != OK:
            raise RuntimeError(f"{path} was answered with {response.status_code}")
    return {"ms": spent, "queries": len(captured)}


if __name__ == "__main__":
    serve(
        {
            "seat": seat,
            "begin": history.begin,
            "write": history.write,
            "alerts": history.alerts,
            "hold": held.hold,
            "pages": pages,
            "addresses": addresses,
            "report": report,
            "wager": wager,
            "deal": deal,
            "play": play,
            "seal": seal,
            "pin": pin,
            "time_results": time_results,
            "replay": replay,
            "request": request,
            "timed_play": timed_play,
        }
    )
