"""Erasure takes two people and no objection; rounds and money stay provable."""

import json
import re
import zipfile
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import BytesIO
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from django.urls import reverse

from baccarat.audit import engine, round_replay
from baccarat.chat import moderation, queries, services
from baccarat.chat.events import ModerationReason
from baccarat.chat.moderation import ModerationContext
from baccarat.compliance import subscriber
from baccarat.domain.tables.kill_switch import StopScope
from baccarat.queries import rounds
from baccarat.services import freezing, kill_switch, voiding
from casino.backoffice.subjects import nicknames, players_named
from casino.compliance import cases, data_exports, exports, key_rotation
from casino.compliance import erasure as erasing
from casino.compliance.models import CaseKind
from casino.compliance.refusals import (
    AlreadyErased,
    ErasureReasonMissing,
    PlayerStillActive,
    PlayerStillExcluded,
    RetentionDutyNotEnded,
)
from casino.crypto import crypto_shredding
from casino.events import sealer
from casino.events.sql import execute, fetch
from casino.kernel.money import MoneyType
from casino.operators import changes
from casino.operators import services as operations
from casino.operators.models import Change, Player
from casino.operators.refusals import (
    ChangeAlreadyRequested,
    ChangeDecided,
    ChangeIsForTheAdmin,
    ChangeNeedsSecondPerson,
    UnknownPlayer,
)
from casino.operators.services import find_player, list_players
from casino.significant import notes, recorder
from casino.significant.models import SignificantEvent
from casino.staff import authenticators
from tests.conftest import Database
from tests.support.house import At, House, deal_all
from tests.support.office import page_of, staff
from wallet import notices
from wallet.adjustments import queries as adjustment_queries
from wallet.adjustments import services as adjustments
from wallet.adjustments.events import AdjustmentDirection, AdjustmentReason
from wallet.ledger import player_accounts as wallet
from wallet.responsible_gaming import exclusions
from wallet.responsible_gaming import services as protection
from wallet.responsible_gaming.events import Initiator
from wallet.responsible_gaming.refusals import PlayerIsBlocked
from wallet.responsible_gaming.services import PlayerContext

SAID = "My name is Alice and this is my number"
ASKED = {"by": "staff:1", "reason": "player_request", "overrides_retention": True}


@dataclass(frozen=True, slots=True)
class Alice:
    """A player who has bet play money and chatted, and her operator."""

    operator: UUID
    id: UUID
    at: At

    @property
    def row(self) -> Player:
        return find_player(operator=self.operator, player=self.id)


@pytest.fixture
def alice(db: None) -> Alice:
    return one_who_played()


def one_who_played() -> Alice:
    operator = operations.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=True).id
    house = House(operator=operator)
    player = wallet.register_player(
        operator=operator, reference="alice-1", nickname="Alice", currency="EUR", metadata=house.metadata
    ).id
    house.credit(player, 5_000_000, MoneyType.PLAY)
    at = house.guest(house.table("mini"), player)
    at.sit(money_type=MoneyType.PLAY)
    at.deal({"banker": 10_000})
    deal_all()
    services.say(actor=at.guest, text=SAID)
    moderator = ModerationContext(operator, player, "Alice told her number", house.metadata)
    moderation.mute(context=moderator, reason=ModerationReason.OTHER, minutes=5)
    at.leave()
    return Alice(operator, player, at)


def request(alice: Alice, **differences: Any) -> UUID:
    return erasing.request(operator=alice.operator, player=alice.id, **{**ASKED, **differences}).pk


def erase(alice: Alice) -> None:
    changes.confirm(request(alice), by="staff:2")


def everything_stored() -> str:
    """Return all rows of all tables as text."""
    tables = [name for (name,) in fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
    return "".join(text for table in tables for (text,) in fetch(f"SELECT t::text FROM {table} t"))  # noqa: S608


def test_nobody_is_erased_while_a_case_is_open_or_the_account_frozen(alice: Alice) -> None:
    case = cases.open_case(
        operator=alice.operator, kind=CaseKind.SUSPICIOUS_ACTIVITY, subject=f"player:{alice.id}", details={}
    )
    assert case is not None
    with pytest.raises(PlayerStillActive):
        request(alice)
    cases.resolve_case(case, operator=alice.operator, resolution="Fine", by="staff:8")
    by = replace(alice.at.guest.metadata, actor="staff:8")
    freezing.freeze(operator=alice.operator, player=alice.id, reason="Order", metadata=by)
    with pytest.raises(PlayerStillActive):
        request(alice)


def test_no_table_has_personal_data_in_plain_text(alice: Alice) -> None:
    stored = everything_stored()
    assert not [word for word in ("alice-1", "Alice", SAID) if word in stored]
    assert (alice.row.nickname, alice.row.reference) == ("Alice", "alice-1")
    assert nicknames([alice.id]) == {alice.id: "Alice"}
    assert [player.nickname for player in list_players(operator=alice.operator, after=None, limit=9)] == ["Alice"]
    (said,) = queries.list_player_messages(operator=alice.operator, player=alice.id, after=None, limit=9)
    assert said.original_text == SAID


def test_a_player_is_found_by_reference_and_registered_once(alice: Alice) -> None:
    again = operations.register_player(operator=alice.operator, reference="alice-1", nickname="Other")
    assert (again.id, again.nickname) == (alice.id, "Alice")
    assert operations.register_player(operator=alice.operator, reference="alice-2", nickname="Alice").id != alice.id
    listed = staff("operators.view_player").get(reverse("admin:operators_player_changelist"), {"q": "alice-1"})
    assert [row.nickname for row in listed.context["cl"].result_list] == ["Alice"]


def test_a_text_that_was_changed_or_moved_to_another_player_is_not_decrypted(alice: Alice) -> None:
    other = operations.register_player(operator=alice.operator, reference="bob", nickname="Bob")
    (stored,) = fetch("SELECT nickname FROM operators_player WHERE id = %s", [alice.id])[0]
    moved = stored.replace(alice.id.hex, other.id.hex)
    broken = stored[:-4] + ("AAA=" if not stored.endswith("AAA=") else "BBB=")
    assert crypto_shredding.decrypt_many([moved, broken, stored, None, "plain"]) == [
        crypto_shredding.UNREADABLE, crypto_shredding.UNREADABLE, "Alice", None, "plain",
    ]  # fmt: skip


def test_two_people_erase_a_player_and_rounds_and_money_stay_provable(alice: Alice) -> None:
    others = "SELECT count(*), max(id) FROM events_event WHERE stream !~ '^(act|change|erasure)-'"
    before = fetch(others, ()), fetch("SELECT count(*) FROM wallet_posting")
    erasure = request(alice)
    with pytest.raises(ChangeNeedsSecondPerson):
        changes.confirm(erasure, by="staff:1")
    with pytest.raises(ChangeIsForTheAdmin):
        changes.confirm(erasure, operator=alice.operator, by="staff:2")
    with pytest.raises(ChangeAlreadyRequested):
        request(alice)
    stored = "INSERT INTO api_idempotentrequest (id, response, player_id) VALUES (gen_random_uuid(), '', %s)"
    execute(stored, [alice.id])
    changes.confirm(erasure, by="staff:2")

    assert fetch("SELECT FROM api_idempotentrequest") == [], "no stored response is left"
    assert (alice.row.nickname, alice.row.reference) == (crypto_shredding.ERASED, crypto_shredding.ERASED)
    (said,) = queries.list_player_messages(operator=alice.operator, player=alice.id, after=None, limit=9)
    assert (said.original_text, said.displayed_text) == (crypto_shredding.ERASED, crypto_shredding.ERASED)
    assert (fetch(others, ()), fetch("SELECT count(*) FROM wallet_posting")) == before
    event = SignificantEvent.objects.get(kind="data_erased")
    assert (event.subject, event.actor, event.authorised_by) == (f"player:{alice.id}", "staff:1", "staff:2")
    with pytest.raises(ChangeDecided):
        changes.confirm(erasure, by="staff:3")
    with pytest.raises(AlreadyErased):
        request(alice)
    assert not Player.objects.filter(players_named("ALICE")).exists()
    again = operations.register_player(operator=alice.operator, reference="alice-1", nickname="Alice")
    assert again.id != alice.id
    assert Player.objects.get(players_named("ALICE")).pk == again.id


def test_an_audit_accepts_an_erasure_and_reports_a_key_destroyed_without_one(database: Database) -> None:
    alice = one_who_played()
    erase(alice)
    sealer.seal_all()
    assert engine.run_audit().findings == ()

    other = operations.register_player(operator=alice.operator, reference="bob", nickname="Bob")
    crypto_shredding.destroy_key(other.id)
    assert {finding.kind for finding in engine.run_audit().findings} == {"key is gone"}


def test_an_audit_reports_an_erasure_on_which_nobody_agreed(database: Database) -> None:
    alice = one_who_played()
    invented = Change(
        pk=uuid4(),
        operator_id=alice.operator,
        kind="erasure",
        subject=f"player:{alice.id}",
        details={"reason": "player_request", "overrides_retention": True},
        requested_by="staff:1",
        confirmed_by=["staff:2"],
    )
    with transaction.atomic():
        erasing._apply(invented)  # a service that was tampered with
    sealer.seal_all()
    assert {finding.kind for finding in engine.run_audit().findings} == {"done without its change"}


WORDS = ("She wrote in tears", "Dear A., sorry", "She asked by phone", "She is upset")


def write_staff_texts(alice: Alice) -> SignificantEvent:
    """Write a text of staff about a player wherever that is possible; return the significant event of the last one."""
    on = {"operator": alice.operator, "metadata": replace(alice.at.guest.metadata, actor="staff:1")}
    asked = adjustments.request(
        player=alice.id, money_type=MoneyType.REAL, currency="EUR", direction=AdjustmentDirection.CREDIT, amount=500,
        reason=AdjustmentReason.COMPLAINT, note=WORDS[0], message=WORDS[1], **on,
    )  # fmt: skip
    changes.confirm(asked.pk, by="staff:2")
    exclusions.save_note(
        operator=alice.operator, player=alice.id, since=datetime(2026, 1, 1, tzinfo=UTC), by="staff:1", note=WORDS[2]
    )
    about = {"kind": recorder.SignificantEventKind.NEGATIVE_BALANCE, "operator": alice.operator}
    recorder.record(subject=f"player:{alice.id}", actor="system", **about)
    recorder.record(subject="round:1", actor=f"player:{alice.id}", **about)
    recorder.record(subject="adjustment:1", actor="system", after={"player": str(alice.id)}, **about)
    recorder.record(subject="table:1", actor="system", **about)
    found = list(SignificantEvent.objects.filter(kind="negative_balance").order_by("number"))
    notes.acknowledge_many([each.pk for each in found], by="staff:1", note=WORDS[3])
    about_her = found[0]
    notes.add_note(about_her.pk, by="staff:1", note=WORDS[3])
    return about_her


def test_texts_of_staff_about_a_player_are_encrypted_and_erased_with_the_key(alice: Alice) -> None:
    event = write_staff_texts(alice)
    stored = everything_stored()
    assert [stored.count(word) for word in WORDS] == [0, 0, 0, 1]  # about a table, which is no person
    page = staff("significant.view_significantevent", works_for="lucky").get(
        page_of("significant_significantevent", event.pk)
    )
    assert page.content.decode().count(WORDS[3]) == 2
    (adjustment,) = adjustment_queries.list_adjustments(
        adjustment_queries.AdjustmentFilter(alice.operator), before=None, limit=9
    )
    assert (adjustment.note, adjustment.message) == WORDS[:2]
    assert staff_texts(alice) == [WORDS[1]]
    archive = archive_of(
        b"".join(
            exports.export_player(
                operator=alice.operator, player=alice.id, now=datetime.now(UTC), files=exports.player_files()
            )
        )
    )
    assert [each["text"] for each in archive["notes"]] == [WORDS[3]] * 4
    assert [WORDS[2], WORDS[1]] == [archive["exclusions"][0]["note"], archive["notices"][0]["message"]]

    crypto_shredding.destroy_key(alice.id)
    assert staff_texts(alice) == [crypto_shredding.ERASED]
    erased = adjustment_queries.find(operator=alice.operator, adjustment=adjustment.id)
    assert (erased.note, erased.message) == (crypto_shredding.ERASED, crypto_shredding.ERASED)
    exclusions.save_note(
        operator=alice.operator, player=alice.id, since=datetime.now(UTC), by="staff:1", note="More of Alice"
    )
    assert "More of Alice" not in everything_stored()


def staff_texts(alice: Alice) -> list[str]:
    listed = notices.list_notices(operator=alice.operator, player=alice.id, unread=False, before=None, limit=9)
    return [each.notice.message for each in listed]


def test_a_text_about_several_players_is_erased_with_any_of_them(alice: Alice) -> None:
    house, words, says = House(operator=alice.operator), "Alice shouted at Bob", "Please call us, Alice"
    table = house.table("atlantic_city")
    first, second = house.guest(table, alice.id), house.guest(table)
    house.credit(alice.id, 5_000_000, MoneyType.PLAY)
    first.sit(1, money_type=MoneyType.PLAY)
    second.sit(2)
    first.deal({"banker": 10_000})
    deal_all()
    round_ = house.state(table).round
    assert round_ is not None
    assert {seat.player for seat in house.round(round_).seats} == {alice.id, second.player}
    voiding.void(round_=round_, operator=alice.operator, reason="other", note=words, metadata=house.metadata)
    first.leave()
    stop = {"scope": StopScope.PLAYER, "subject": str(alice.id), "metadata": house.metadata}
    kill_switch.stop(**stop, reason=words, message=says)
    sealer.seal_all()
    subscriber.record_new_events()
    assert not [each for each in (words, says) if each in everything_stored()]
    assert words in reason_of(round_)
    assert words in str(rounds.round_events(round_=round_, operator=alice.operator, viewer=None))
    with pytest.raises(PlayerIsBlocked, match=says), transaction.atomic():
        first.sit(money_type=MoneyType.PLAY)
    files = archive_of(
        b"".join(
            exports.export_player(
                operator=alice.operator, player=alice.id, now=datetime.now(UTC), files=exports.player_files()
            )
        )
    )
    assert [(each["reason"], each["message"]) for each in files["stops"]] == [(words, says)]
    assert says in str(files["events"])

    erase(alice)
    assert crypto_shredding.ERASED in reason_of(round_)
    assert words not in reason_of(round_)
    with pytest.raises(PlayerIsBlocked, match="erased"), transaction.atomic():
        first.sit(money_type=MoneyType.PLAY)
    house.agree(table)


def reason_of(round_: UUID) -> str:
    return "".join(line.text for line in round_replay.replay_round(round_).lines)


def test_nothing_more_is_kept_about_an_erased_player(alice: Alice) -> None:
    erase(alice)

    with pytest.raises(crypto_shredding.PersonalDataErased):
        crypto_shredding.get_or_create_cipher(alice.id)


def test_a_declined_erasure_changes_nothing(alice: Alice) -> None:
    changes.decline(request(alice), by="staff:2")
    assert alice.row.nickname == "Alice"
    request(alice)


def test_activity_exclusion_and_retention_prevent_an_erasure(alice: Alice) -> None:
    with pytest.raises(ErasureReasonMissing):
        request(alice, reason=" ")
    with pytest.raises(UnknownPlayer):
        erasing.request(operator=uuid4(), player=alice.id, **ASKED)
    with pytest.raises(RetentionDutyNotEnded):
        request(alice, overrides_retention=False)
    erasure = request(alice)
    House(operator=alice.operator).credit(alice.id, 100)
    with pytest.raises(PlayerStillActive):
        changes.confirm(erasure, by="staff:2")
    assert alice.row.nickname == "Alice"


def test_a_seated_or_excluded_player_is_not_erased(alice: Alice) -> None:
    alice.at.sit(money_type=MoneyType.PLAY)
    with pytest.raises(PlayerStillActive):
        request(alice)
    alice.at.leave()
    on = PlayerContext(alice.operator, alice.id, "EUR", alice.at.guest.metadata)
    protection.cool_off(context=on, by=Initiator.PLAYER, hours=24)
    with pytest.raises(PlayerStillExcluded):
        request(alice)


def test_the_record_of_an_erasure_cannot_be_changed(alice: Alice) -> None:
    erase(alice)
    with pytest.raises(DatabaseError, match=r"denied"), transaction.atomic():
        execute("DELETE FROM compliance_erasure")


def test_rotating_the_keys_loses_no_personal_data(alice: Alice, settings: Any) -> None:
    boss = User.objects.create_user("boss")
    authenticators.begin(boss)
    reference, old = alice.row.reference, settings.PERSONAL_KEYS
    settings.PERSONAL_KEYS = f"new:{'ab' * 32}, {old}"
    count = Player.objects.count() + 2  # the key of the marks, and the second factor
    assert key_rotation.rotate(actor="test", batch=1).moved == {"development": count}
    assert key_rotation.rotate(actor="test").moved == {}
    assert SignificantEvent.objects.filter(kind="key_rotated", subject="keys:personal").count() == count

    settings.PERSONAL_KEYS = f"new:{'ab' * 32}"  # the old one is taken away
    assert alice.row.nickname == "Alice"
    again = operations.register_player(operator=alice.operator, reference=reference, nickname="Other")
    assert (again.id, again.nickname) == (alice.id, "Alice")
    assert authenticators.begin(boss).secret
    call_command("rotate_personal_keys")
    settings.PERSONAL_KEYS = f"third:{'cd' * 32}"
    with pytest.raises(CommandError, match=f"{count} secrets can't be read"):
        call_command("rotate_personal_keys")


def archive_of(data: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {
            name.removesuffix(".json"): json.loads(archive.read(name))
            for name in archive.namelist()
            if name.endswith(".json")
        }


def test_a_player_export_has_everything_about_one_player_and_nothing_of_others(alice: Alice) -> None:
    house = House(operator=alice.operator)
    other = house.guest(house.table("mini"))
    other.sit()
    services.say(actor=other.guest, text="Somebody else")
    about: dict[str, Any] = {"operator": alice.operator, "now": datetime.now(UTC), "files": exports.player_files()}
    file = b"".join(exports.export_player(player=alice.id, **about))
    exported = archive_of(file)

    assert set(exported) == {*exports.player_files(), "manifest"}
    assert exported["manifest"]["rows"] == {name: len(exported[name]) for name in exports.player_files()}
    assert exported["player"][0]["nickname"] == "Alice"
    assert [row["text"] for row in exported["chats"]] == [SAID]
    assert [row["note"] for row in exported["moderation"]] == ["Alice told her number"]
    assert len(exported["wagers"]) == len(exported["rounds"]) == 1
    assert {row["currency"] for row in exported["money"]} == {"EUR"}
    assert {row["type"] for row in exported["events"]} > {"PlayerAccountOpened"}
    assert [row["type"] for row in exported["play"]] == ["SeatTaken", "WagerConfirmed", "SeatLeft"]
    assert len(exported["played"]) == 1
    assert str(other.player) not in file.decode("latin-1") + json.dumps(exported)
    with pytest.raises(UnknownPlayer):
        exports.export_player(player=uuid4(), **about)


def test_staff_request_decide_and_export_in_the_admin(alice: Alice) -> None:
    asker = staff("operators.view_player", "compliance.request_erasure", "compliance.export_player", name="asker")
    page = asker.get(page_of("operators_player", alice.id)).content.decode()
    assert "Request the erasure" in page
    asker.post(reverse("admin:operators_player_request_export", args=[alice.id]))
    assert data_exports.generate_due() == 1
    link = re.search(
        r'href="([^"]+export[.]zip[^"]+)"', asker.get(page_of("operators_player", alice.id)).content.decode()
    )
    assert link is not None
    export: Any = asker.get(link[1])
    body = b"".join(export.streaming_content)
    assert archive_of(body)["player"][0]["reference"] == "alice-1"
    assert int(export["Content-Length"]) == len(body)
    erase = reverse("admin:operators_player_erase", args=[alice.id])
    asker.post(erase, {"reason": "player_request", "overrides_retention": "yes"})
    change = Change.objects.get(kind="erasure")

    rights = (
        "compliance.view_erasure",
        "compliance.approve_erasure",
        "operators.view_change",
        "operators.change_change",
    )
    decider = staff(*rights, name="decider")
    assert "Erase a player" in decider.get(page_of("operators_change", change.pk)).content.decode()
    decider.post(reverse("admin:operators_change_confirm", args=[change.pk]))
    assert alice.row.nickname == crypto_shredding.ERASED
    assert (
        page_of("compliance_erasure", change.pk)
        in decider.get(reverse("admin:compliance_erasure_changelist")).content.decode()
    )
