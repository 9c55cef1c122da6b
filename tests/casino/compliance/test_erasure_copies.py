"""An erasure made after a backup is still in force after the restore, and nobody else can make one by a copy."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from casino.checkpoints.keyring import generate_key
from casino.compliance import erasure, erasure_copies, tasks
from casino.compliance.erasure_copies import CopyRefused
from casino.compliance.models import ErasureCopy
from casino.crypto import crypto_shredding
from casino.events.sql import execute
from casino.operators import changes
from casino.operators import services as operations
from casino.operators.models import Player
from casino.significant.models import SignificantEvent

pytestmark = pytest.mark.django_db


@pytest.fixture
def place(settings: Any, tmp_path: Path) -> Path:
    """Configure a folder as the storage of checkpoints."""
    settings.CHECKPOINT_STORAGE = tmp_path.as_uri()
    return tmp_path


@pytest.fixture
def players() -> list[UUID]:
    """Three players of one operator, in the order of their references."""
    operator = operations.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=True).id
    return [operations.register_player(operator=operator, reference=name, nickname=name).id for name in ("a", "b", "c")]


def erase(player: UUID) -> None:
    operator = Player.objects.get(id=player).operator_id
    terms: Any = {"by": "staff:1", "reason": "player_request", "overrides_retention": True}
    changes.confirm(erasure.request(operator=operator, player=player, **terms).pk, by="staff:2")


def erase_and_restore(*players: UUID) -> None:
    """Erase players, copy that, and go back to the database from before."""
    with transaction.atomic():
        for player in players:
            erase(player)
        erasure_copies.synchronize()
        transaction.set_rollback(True)
    assert crypto_shredding.erased_players().isdisjoint(players)


def test_erasures_are_copied_in_order_without_names(place: Path, players: list[UUID]) -> None:
    erase(players[1])
    erase(players[0])

    tasks.copy_erasures()
    tasks.copy_erasures()

    copies = [json.loads((place / erasure_copies.object_name(number)).read_text()) for number in (1, 2)]
    assert [copy["player"] for copy in copies] == [str(players[1]), str(players[0])]
    assert copies[0].keys() == {"format", "log", "number", "player", "key", "signature"}
    assert len(list(place.iterdir())) == 2


def test_a_restored_database_repeats_the_erasures_it_lacks_and_keeps_those_it_has(
    place: Path, players: list[UUID], capsys: Any
) -> None:
    erase(players[0])
    erasure_copies.synchronize()
    erase_and_restore(*players[1:])

    call_command("repeat_erasures")
    call_command("repeat_erasures")

    assert capsys.readouterr().out == "2 erasures repeated.\n0 erasures repeated.\n"
    assert crypto_shredding.erased_players() == set(players)
    assert not Player.objects.filter(id__in=players).exclude(reference_index=None, nickname_index=None).exists()
    recorded = SignificantEvent.objects.filter(kind="data_erased", actor="system").order_by("id")
    assert [event.subject for event in recorded] == [f"player:{player}" for player in players[1:]]


def test_an_erasure_after_a_restore_takes_the_number_after_the_copies(place: Path, players: list[UUID]) -> None:
    erase_and_restore(players[0])
    erase(players[2])

    erasure_copies.synchronize()

    assert [*ErasureCopy.objects.order_by("number").values_list("player_id", flat=True)] == [players[0], players[2]]


def test_a_player_registered_and_erased_after_the_backup_stays_unknown(place: Path, players: list[UUID]) -> None:
    with transaction.atomic():
        operator = Player.objects.get(id=players[0]).operator_id
        unknown = operations.register_player(operator=operator, reference="d", nickname="d").id
        erase(unknown)
        erasure_copies.synchronize()
        transaction.set_rollback(True)

    erasure_copies.synchronize()

    assert crypto_shredding.erased_players() == {unknown}


def test_lost_rows_of_copies_are_found_again_without_a_second_copy(place: Path, players: list[UUID]) -> None:
    erase(players[0])
    erasure_copies.synchronize()
    execute("DELETE FROM compliance_erasurecopy")

    assert erasure_copies.synchronize() == 0

    assert [*ErasureCopy.objects.values_list("number", "player_id")] == [(1, players[0])]
    assert len(list(place.iterdir())) == 1


@pytest.mark.parametrize(
    "change",
    [{"player": "another"}, {"number": 2}, {"log": str(UUID(int=1))}, {"key": "unknown"}, {"signature": "zz"}, None],
)
def test_a_copy_that_the_log_did_not_sign_erases_nobody(
    place: Path, players: list[UUID], change: dict[str, Any] | None
) -> None:
    erase_and_restore(players[0])
    path = place / erasure_copies.object_name(1)
    members = json.loads(path.read_text()) | (change or {})
    if members["player"] == "another":
        members["player"] = str(players[1])
    path.chmod(0o600)
    path.write_text(json.dumps(members) if change else "[]")

    with pytest.raises(CopyRefused):
        erasure_copies.synchronize()
    with pytest.raises(CommandError, match=erasure_copies.object_name(1)):
        call_command("repeat_erasures")

    assert crypto_shredding.erased_players() == set()


def test_copies_of_a_replaced_key_count_as_long_as_it_is_trusted(
    place: Path, players: list[UUID], settings: Any
) -> None:
    erase_and_restore(players[0])
    settings.CHECKPOINT_KEYS = f"{generate_key('next')},{settings.CHECKPOINT_KEYS}"

    assert erasure_copies.synchronize() == 1


def test_without_a_storage_nothing_is_copied(settings: Any, players: list[UUID]) -> None:
    settings.CHECKPOINT_STORAGE = ""
    erase(players[0])

    assert erasure_copies.synchronize() == 0
    assert not ErasureCopy.objects.exists()
