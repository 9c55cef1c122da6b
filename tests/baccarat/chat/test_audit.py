"""Chats in the audit: nothing is found in what was done by the rules, and everything that was changed behind them."""

# ruff: noqa: S608  (SQL made of this page's constants)

from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from pytest_django import DjangoDbBlocker

from baccarat.audit import engine
from baccarat.chat.rebuild import rebuild_chat
from casino.events import sealer
from tests.baccarat.api.people import Gambler, Tenant, sit, tenant
from tests.conftest import Database
from tests.services import Services
from tests.support.house import fresh_database

HOUR: dict[str, Any] = {"reason": "language", "minutes": 60, "note": "Enough"}


@pytest.fixture
def talked(services: Services, django_db_blocker: DjangoDbBlocker) -> Any:
    """A database in which there was talk, a report, and a mute, a removal and a word that hold."""
    with fresh_database(services, django_db_blocker) as database:
        lucky = tenant("lucky")
        table = lucky.table("big_table")
        alice, bob = lucky.player("Alice"), lucky.player("Bob")
        for seat, player in ((1, alice), (2, bob)):
            sit(player, table, seat)
        talk(lucky, table, alice, bob)
        sealer.seal_all()
        yield database


def talk(lucky: Tenant, table: str, alice: Gambler, bob: Gambler) -> None:
    lucky.do("chat/filter-words", {"word": "darn"})
    lucky.do("chat/filter-words", {"word": "heck"})
    lucky.post("chat/filter-words/remove", {"word": "heck"})
    said = [alice.do(f"tables/{table}/chat", {"text": f"darn {number}"})["id"] for number in range(5)]
    report = bob.do(f"tables/{table}/chat/{said[0]}/report", {"reason": "Rude"})["id"]
    lucky.post(f"chat/reports/{report}/close", {"outcome": "action_taken", "note": "Muted"})
    lucky.do(f"players/{alice.id}/mute", HOUR)
    lucky.do(f"players/{bob.id}/ban", HOUR)
    lucky.do(f"players/{bob.id}/unban")
    lucky.do(f"players/{bob.id}/ban", {**HOUR, "minutes": None})


def found() -> set[str]:
    return {finding.kind for finding in engine.run_audit().findings}


def test_what_went_by_the_rules_leaves_no_finding_and_rebuilds_the_same(talked: Database) -> None:
    assert found() == set()
    rebuilt = rebuild_chat(compare=True)
    assert rebuilt.changed == ()
    assert rebuilt.rows == {"chat_playermoderation": 2, "chat_filterword": 1, "operators_playerban": 1}
    call_command("rebuild", check=True)
    assert found() == set()


KEPT = ("chat_chatmessage", "chat_chatreport", "chat_chatreportclosure", "chat_moderationaction")
ONE = "WHERE id = (SELECT min(id::text)::uuid FROM chat_chatmessage)"
LAST = "WHERE id = (SELECT max(id::text)::uuid FROM chat_chatmessage)"
COLUMNS = "operator_id, table_id, seat, player_id, text, displayed_text, salt, sent_at"
TAMPERED = [
    (f"UPDATE chat_chatmessage SET text = 'Good evening' {ONE}", "words differ", "chat_chatmessage"),
    (f"DELETE FROM chat_chatmessage {LAST}", "row is missing", "chat_chatmessage"),
    (
        f"INSERT INTO chat_chatmessage (id, {COLUMNS}) SELECT gen_random_uuid(), {COLUMNS} FROM chat_chatmessage {ONE}",
        "row is extra",
        "chat_chatmessage",
    ),
    ("UPDATE chat_chatreport SET salt = decode(md5('x'), 'hex')", "words differ", "chat_chatreport"),
    ("UPDATE chat_chatreportclosure SET note = 'None'", "words differ", "chat_chatreportclosure"),
    ("UPDATE chat_moderationaction SET note = 'None'", "words differ", "chat_moderationaction"),
    (f"UPDATE chat_chatmessage SET player_id = gen_random_uuid() {ONE}", "row differs", "chat_chatmessage"),
    (f"UPDATE chat_chatmessage SET displayed_text = 'Well played' {ONE}", "row differs", "chat_chatmessage"),
    ("UPDATE chat_chatreport SET seat = seat + 1", "row differs", "chat_chatreport"),
    ("UPDATE chat_chatreportclosure SET outcome = 'dismissed'", "row differs", "chat_chatreportclosure"),
    ("UPDATE chat_moderationaction SET by = 'nobody'", "row differs", "chat_moderationaction"),
    ("UPDATE chat_moderationaction SET reason = 'threats'", "row differs", "chat_moderationaction"),
    ("UPDATE chat_playermoderation SET muted_until = NULL", "row differs", "chat_playermoderation"),
    ("DELETE FROM chat_playermoderation", "row is missing", "chat_playermoderation"),
    ("DELETE FROM chat_filterword", "row is missing", "chat_filterword"),
    ("UPDATE operators_playerban SET until = now()", "row differs", "operators_playerban"),
    ("DELETE FROM operators_playerban", "row is missing", "operators_playerban"),
]


def test_what_was_changed_behind_the_log_is_found(talked: Database) -> None:
    with talked.owner() as owner:
        for table in KEPT:
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for statement, what, table in TAMPERED:
            owner.execute(statement)
            found = {(each.kind, each.location.split()[0]) for each in engine.run_audit().findings}
            assert (what, table) in found, statement


def test_what_is_kept_of_persons_words_is_never_changed_by_anybody(talked: Database) -> None:
    with talked.owner() as owner:
        for table in KEPT:
            for statement in (f"UPDATE {table} SET salt = salt", f"DELETE FROM {table}", f"TRUNCATE {table}"):
                with pytest.raises(psycopg.errors.RestrictViolation):
                    owner.execute(statement)
