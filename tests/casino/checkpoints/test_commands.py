"""Commands: `checkpoint` signs now, `rotate_checkpoint_key` adds a key, `witness_line` introduces the house."""

import pytest
from django.core.management import CommandError, call_command

from casino.checkpoints import keyring, notes, records, signing
from casino.crypto import ed25519
from casino.witness.houses import read_houses
from tests.casino.checkpoints.signing_here import log_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def rotate(place, settings, monkeypatch, capsys):
    """Return `rotate(file)`, which returns the command's output, with the keys in that file or in the environment."""
    settings.CHECKPOINT_KEYS = "old:" + "11" * 32

    def run(file=None):
        if file is None:
            monkeypatch.delenv("CHECKPOINT_KEYS_FILE", raising=False)
        else:
            monkeypatch.setenv("CHECKPOINT_KEYS_FILE", str(file))
        call_command("rotate_checkpoint_key", name="new")
        return capsys.readouterr().out

    return run


def test_the_new_key_is_put_first_in_the_file_and_signs_at_once(rotate, tmp_path):
    file = tmp_path / "keys"
    log_of(1)
    signing.sign_now()
    log_of(1, stream="round-2")
    output = rotate(file)
    first, second = file.read_text().strip().split(",")
    assert first.startswith("new:")
    assert second == "old:" + "11" * 32
    assert file.stat().st_mode & 0o777 == 0o600
    assert first.partition(":")[2] not in output
    assert "checkpoint 2 is by new" in output
    assert [key.id for key in records.registered_keys()] == ["old", "new"]


def test_without_a_file_the_setting_is_printed_and_nothing_changes(rotate, settings):
    log_of(1)
    line = rotate()
    assert line.startswith("CHECKPOINT_KEYS=new:")
    assert line.strip().endswith(",old:" + "11" * 32)
    assert keyring.parse(line.strip().removeprefix("CHECKPOINT_KEYS="), "").active == "new"
    assert settings.CHECKPOINT_KEYS == "old:" + "11" * 32
    assert records.latest() is None


def test_a_key_that_was_added_ahead_signs_only_once_it_is_rotated_to(rotate, tmp_path, settings, capsys, monkeypatch):
    file = tmp_path / "keys"
    log_of(1)
    monkeypatch.setenv("CHECKPOINT_KEYS_FILE", str(file))
    call_command("rotate_checkpoint_key", name="new", ahead=True)
    public = capsys.readouterr().out.strip()
    settings.CHECKPOINT_KEYS = file.read_text().strip()
    assert notes.signer(signing.sign_now()) == "old"
    assert keyring.parse("none", public).public["new"] == keyring.checkpoint_keyring().public["new"]
    log_of(1, stream="round-2")
    with pytest.raises(CommandError, match="already"):
        call_command("rotate_checkpoint_key", name="new", ahead=True)
    rotate(file)
    assert notes.signer(records.latest()) == "new"
    assert list(keyring.parse(file.read_text().strip(), "").public) == ["new", "old"]


def test_an_unavailable_storage_is_reported_as_a_command_error(rotate, place, tmp_path):
    log_of(1)
    place.write_bytes(b"no folder")
    with pytest.raises(CommandError, match="no checkpoint can be signed yet"):
        rotate(tmp_path / "keys")


def test_the_checkpoint_command_signs_once_and_copies(place, capsys):
    def run() -> str:
        call_command("checkpoint")
        return capsys.readouterr().out.strip()

    assert run() == "Nothing is sealed yet."
    log_of(5)
    assert run() == "checkpoint 6 by development"  # with the event of the first manifest
    assert run() == "checkpoint 6 by development"
    assert records.latest().size == 6
    assert [each.name for each in place.glob("0*")] == ["000000000001.txt"]


def test_the_line_for_a_witness_is_what_its_file_of_houses_takes(settings, tmp_path, capsys):
    settings.CLOSING_KEYS = f"2026a:{'42' * 32}"
    settings.LOG_ORIGIN = "casino.test/log"
    call_command("witness_line")
    (tmp_path / "houses").write_text(capsys.readouterr().out, encoding="utf-8")
    house = read_houses(tmp_path / "houses")["casino.test/log"]
    assert house.closing_keys == (ed25519.public_key(b"\x42" * 32),)
    assert list(house.log_keys) == notes.log_keys()
    settings.CLOSING_KEYS = ""
    with pytest.raises(CommandError):
        call_command("witness_line")
