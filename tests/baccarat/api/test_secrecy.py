"""While shoes are in play their seeds and the cards in them are nowhere: each place where they could leak is searched.

Admin pages are searched in tests/casino/backoffice/test_baccarat.py.
"""

import contextlib
import io
import json
import logging
import sys
import traceback
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
import pytest
import redis
from django.conf import settings
from django.test import RequestFactory
from django.views.debug import get_exception_reporter_class
from psycopg import sql

from baccarat import tasks
from baccarat.services import dealing
from baccarat.storage import repository
from baccarat.streaming import snapshot
from casino.events.sql import database_now
from casino.observability.logging import RedactingFormatter
from casino.operators.principals import PlayerPrincipal
from tests.baccarat.api.people import LONG_TURN, Gambler, Tenant, deal_all, sit, tenant
from tests.conftest import Database
from tests.support import hidden
from tests.support.hidden import Hidden, leaks
from tests.support.shapes import as_json

CALLER = {"caller": True, "look_seconds": 60, "hand_back_seconds": 60, **LONG_TURN}
KINDS: list[tuple[str, dict[str, Any]]] = [
    ("mini", {}), ("atlantic_city", LONG_TURN), ("big_table", LONG_TURN),
    ("big_table", {**CALLER, "fixed_order": True}),
]  # fmt: skip
READS = ("tables/{t}", "tables/{t}/fairness", "tables/{t}/rounds", "tables/{t}/statistics", "tables/{t}/odds")
OF_ROUNDS = ("rounds/{r}", "rounds/{r}/events", "rounds/{r}/shoe")


@dataclass(frozen=True, slots=True)
class Scene:
    """Tables of every kind in the middle of a round, cut and bet on, with a round behind each; and what was said."""

    house: Tenant
    alice: Gambler
    tables: list[str]
    heard: list[str]
    log: str
    secrets: list[Hidden]


@contextlib.contextmanager
def overheard() -> Generator[io.StringIO]:
    """Everything that is logged meanwhile, however unimportant, as our log writes it."""
    heard, root = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(heard), root.level
    handler.setFormatter(RedactingFormatter("%(name)s %(message)s"))
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield heard
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


@pytest.fixture(scope="module")
def scene(module_database: Database) -> Scene:
    house = tenant("lucky")
    alice = house.player("Alice")
    tables = [house.table(preset, rules=rules) for preset, rules in KINDS]
    with overheard() as log:
        heard = [said for does in (_play, _bet) for table in tables for said in does(alice, table)]
    secrets = hidden.in_play()
    # Two of rounds, two long ones in play, of one the next two draws, and those that all four tables have committed to.
    assert len(secrets) == 10
    return Scene(house, alice, tables, heard, log.getvalue(), secrets)


def _play(alice: Gambler, table: str) -> Generator[str]:
    """She sits down, and a round is played."""
    at = f"tables/{table}"
    yield json.dumps(sit(alice, table))
    yield from _bet(alice, table)
    deal_all()
    if (alice.read(at)["round"] or {}).get("ceremony"):
        yield json.dumps(alice.do(f"{at}/hand-back"))
        deal_all()


def _bet(alice: Gambler, table: str) -> Generator[str]:
    chips = {"spot": "player", "amount": "25.00", "currency": "EUR"}
    for path, body in (("place", chips), ("cut", {"contribution": "c0ffee"}), ("deal", {})):
        yield json.dumps(alice.do(f"tables/{table}/{path}", body))


def test_the_search_would_find_every_secret(scene: Scene) -> None:
    each = scene.secrets[-1]
    for spelt in each.spellings():
        assert leaks(b"before" + spelt + b"after", scene.secrets)
    assert leaks(json.dumps([str(card) for card in each.undealt]), scene.secrets)
    assert leaks(str({"seed": each.seed}), scene.secrets)


def test_no_column_of_any_table_holds_one(scene: Scene, module_database: Database) -> None:
    with module_database.owner() as owner:
        heap = b"\n".join(_rows(owner))

    assert b"ShoeCommitted" in heap
    assert leaks(heap, scene.secrets) == []


def _rows(owner: psycopg.Connection[Any]) -> Generator[bytes]:
    """Every row of every table as text, and every column of bytes as it is."""
    tables = owner.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    columns = owner.execute(
        "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE table_schema = 'public' AND data_type = 'bytea'"
    ).fetchall()
    for (table,) in tables:
        rows = owner.execute(sql.SQL("SELECT t::text FROM {} AS t").format(sql.Identifier(table)))
        yield from (row.encode() for (row,) in rows)
    for table, column in columns:
        rows = owner.execute(sql.SQL("SELECT {} FROM {}").format(sql.Identifier(column), sql.Identifier(table)))
        yield from (bytes(value) for (value,) in rows if value is not None)


def test_no_answer_of_the_api_holds_one(scene: Scene) -> None:
    answers = list(scene.heard)
    for caller in (scene.alice, scene.house):
        for table in scene.tables:
            answers += [caller.get(path.format(t=table)).content.decode() for path in READS]
            rounds = [item["id"] for item in caller.read(f"tables/{table}/rounds")["items"]]
            answers += [caller.get(path.format(r=each)).content.decode() for path in OF_ROUNDS for each in rounds]
    player = PlayerPrincipal(
        player=UUID(scene.alice.id),
        operator=UUID(scene.house.id),
        currencies=("EUR",),
        sandbox=True,
        session=b"",
        session_started_at=database_now(),
        authenticated_at=database_now(),
    )
    answers.append(json.dumps(as_json(snapshot.take_snapshot(player=player, watched=None).message)))

    assert '"openings"' in "".join(answers)
    assert leaks("\n".join(answers), scene.secrets) == []


def test_no_log_and_no_key_of_redis_holds_one(scene: Scene) -> None:
    memory = redis.Redis.from_url(settings.REDIS_URL)
    kept = [key + b" " + (memory.dump(key) or b"") for key in memory.scan_iter()]

    assert leaks(b"\n".join(kept), scene.secrets) == []
    assert leaks(scene.log, scene.secrets) == []


class Broken(Exception):
    """A fault in the middle of it."""


def test_no_error_report_holds_one(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """When everything is at hand: the seeds are read, the cards dealt, the next shoe committed to, and it fails."""

    def fail(*_: object) -> None:
        raise Broken

    monkeypatch.setattr(repository, "save", fail)
    monkeypatch.setattr(dealing, "_set_aside_after", fail)
    with overheard() as log:
        reported = tasks.deal_due.apply()
    reports = [log.getvalue(), str(reported.traceback), repr(reported.result)]
    try:
        dealing._deal_all(repository.claim_due(limit=50))
    except Broken:
        caught = sys.exc_info()
    page = get_exception_reporter_class(None)(RequestFactory().get("/"), *caught)
    reports += [page.get_traceback_html(), page.get_traceback_text(), traceback.format_exc()]
    reports += [repr(each) for each in _at_hand(caught[2])]

    assert "Broken" in reports[1]
    assert [frame["vars"] for frame in page.get_traceback_data()["frames"] if frame["vars"]] == []
    assert "_deal_all" in reports[3]
    assert leaks("\n".join(reports), scene.secrets) == []


def _at_hand(trace: Any) -> Generator[object]:
    """Return the repr of all objects of our classes in the frames: logging them must reveal no secret."""
    for frame, _ in traceback.walk_tb(trace):
        yield from (value for value in frame.f_locals.values() if type(value).__module__.startswith("baccarat."))
