"""The command that draws a new key: into the file that holds them, or as a line for whoever keeps the environment."""

import pytest
from django.core.management import CommandError, call_command

from casino.checkpoints import keyring, records, signing
from tests.casino.checkpoints.signing_here import log_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def rotate(place, settings, monkeypatch, capsys):
    """`rotate(file)`: what the command prints, with the keys in that file or in the environment."""
    settings.CHECKPOINT_KEYS = "old:" + "11" * 32

    def run(file=None):
        if file is None:
            monkeypatch.delenv("CHECKPOINT_KEYS_FILE", raising=False)
        else:
            monkeypatch.setenv("CHECKPOINT_KEYS_FILE", str(file))
        call_command("rotate_checkpoint_key", name="new")
        return capsys.readouterr().out

    return run


def test_a_file_of_keys_gets_the_new_one_in_front_and_it_signs_at_once(rotate, tmp_path):
    file = tmp_path / "keys"
    log_of(1)
    signing.sign_now()
    log_of(1, stream="round-2")
    told = rotate(file)
    first, second = file.read_text().strip().split(",")
    assert first.startswith("new:")
    assert second == "old:" + "11" * 32
    assert file.stat().st_mode & 0o777 == 0o600
    assert first.partition(":")[2] not in told
    assert "checkpoint 2 is by new" in told
    assert [key.id for key in records.registered_keys()] == ["old", "new"]


def test_without_a_file_a_line_is_printed_and_nothing_changes(rotate, settings):
    log_of(1)
    line = rotate()
    assert line.startswith("CHECKPOINT_KEYS=new:")
    assert line.strip().endswith(",old:" + "11" * 32)
    assert keyring.parse(line.strip().removeprefix("CHECKPOINT_KEYS="), "").active == "new"
    assert settings.CHECKPOINT_KEYS == "old:" + "11" * 32
    assert signing.latest() is None


def test_a_place_that_does_not_answer_is_told_as_a_plain_error(rotate, place, tmp_path):
    log_of(1)
    place.write_bytes(b"no folder")
    with pytest.raises(CommandError, match="no checkpoint can be made yet"):
        rotate(tmp_path / "keys")
