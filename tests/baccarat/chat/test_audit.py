"""Audit of chats: a chat within the rules has no findings, and every tampered row is reported."""

# ruff: noqa: S608  (SQL made of constants)

from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from pytest_django import DjangoDbBlocker

from baccarat.audit import engine
from baccarat.chat.storage import PROJECTOR
from casino.events import sealer
from casino.events.rebuild import check
from tests.baccarat.api.people import Gambler, Tenant, sit, tenant
from tests.conftest import Database
from tests.services import Services
from tests.support.house import fresh_database

HOUR: dict[str, Any] = {"reason": "language", "minutes": 60, "note": "Enough"}


@pytest.fixture
def chatted(services: Services, django_db_blocker: DjangoDbBlocker) -> Any:
    """Yield a database with messages, a report, and a mute, a ban and a filter word in force."""
    with fresh_database(services, django_db_blocker) as database:
        lucky = tenant("lucky")
        table = lucky.table("big_table")
        alice, bob = lucky.player("Alice"), lucky.player("Bob")
        for seat, player in ((1, alice), (2, bob)):
            sit(player, table, seat)
        chat_and_moderate(lucky, table, alice, bob)
        sealer.seal_all()
        yield database


def chat_and_moderate(lucky: Tenant, table: str, alice: Gambler, bob: Gambler) -> None:
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


def finding_kinds() -> set[str]:
    return {finding.kind for finding in engine.run_audit().findings}


def test_a_chat_within_the_rules_has_no_findings_and_a_rebuild_changes_nothing(chatted: Database) -> None:
    assert finding_kinds() == set()
    rebuilt = check(PROJECTOR)
    assert rebuilt.changed == ()
    assert rebuilt.rows == {"chat_playermoderation": 2, "chat_filterword": 1, "operators_playerban": 1}
    call_command("rebuild", check=True)
    assert finding_kinds() == set()


TEXT_TABLES = ("chat_chatmessage", "chat_chatreport", "chat_chatreportclosure", "chat_moderationaction")
FIRST = "WHERE id = (SELECT min(id::text)::uuid FROM chat_chatmessage)"
LAST = "WHERE id = (SELECT max(id::text)::uuid FROM chat_chatmessage)"
COLUMNS = "operator_id, table_id, seat, player_id, text, displayed_text, salt, sent_at"
TAMPERED = [
    (f"UPDATE chat_chatmessage SET text = 'Good evening' {FIRST}", "words differ", "chat_chatmessage"),
    (f"DELETE FROM chat_chatmessage {LAST}", "row is missing", "chat_chatmessage"),
    (
        (
            f"INSERT INTO chat_chatmessage (id, {COLUMNS}) "
            f"SELECT gen_random_uuid(), {COLUMNS} FROM chat_chatmessage {FIRST}"
        ),
        "row is extra",
        "chat_chatmessage",
    ),
    ("UPDATE chat_chatreport SET salt = decode(md5('x'), 'hex')", "words differ", "chat_chatreport"),
    ("UPDATE chat_chatreportclosure SET note = 'None'", "words differ", "chat_chatreportclosure"),
    ("UPDATE chat_moderationaction SET note = 'None'", "words differ", "chat_moderationaction"),
    (f"UPDATE chat_chatmessage SET player_id = gen_random_uuid() {FIRST}", "row differs", "chat_chatmessage"),
    (f"UPDATE chat_chatmessage SET displayed_text = 'Well played' {FIRST}", "row differs", "chat_chatmessage"),
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


def test_tampered_chat_rows_are_reported(chatted: Database) -> None:
    with chatted.owner() as owner:
        for table in TEXT_TABLES:
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for statement, kind, table in TAMPERED:
            owner.execute(statement)
            findings = {(each.kind, each.location.split()[0]) for each in engine.run_audit().findings}
            assert (kind, table) in findings, statement


def test_the_database_refuses_every_change_of_personal_texts(chatted: Database) -> None:
    with chatted.owner() as owner:
        for table in TEXT_TABLES:
            for statement in (f"UPDATE {table} SET salt = salt", f"DELETE FROM {table}", f"TRUNCATE {table}"):
                with pytest.raises(psycopg.errors.RestrictViolation):
                    owner.execute(statement)
