"""Two stacks never share a home, and what a home leaves outside goes with it."""

import stat

import pytest

from casino.devstack.errors import DevstackError, explain_os_error
from casino.devstack.home import claim, claim_any, make_private_folder, temporary_home
from casino.devstack.postgres import ENVIRONMENT, INSTALLATION, copy_installation, installation
from casino.devstack.processes import run_to_end
from casino.devstack.services import external_addresses


def test_two_stacks_get_different_homes(tmp_path):
    first, second = claim_any(tmp_path, "play"), claim_any(tmp_path, "play")
    assert (first.folder.name, second.folder.name) == ("play", "play-2")
    assert first.secrets.secret_key != second.secrets.secret_key
    assert first.short_name != second.short_name
    first.release()
    again = claim_any(tmp_path, "play")
    assert again.folder.name == "play"
    assert again.secrets == first.secrets
    second.release()
    again.release()


def test_a_home_that_is_held_cannot_be_claimed(tmp_path):
    held = claim(tmp_path / "held")
    assert claim(tmp_path / "held") is None
    held.release()


def test_secrets_are_readable_by_their_owner_only(tmp_path):
    home = claim(tmp_path / "home")
    assert stat.S_IMODE((home.folder / "secrets.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.folder.stat().st_mode) == 0o700
    assert "00" * 32 not in home.secrets.shoe_keys
    assert len(home.secrets.secret_key) >= 50
    home.release()


def test_external_data_of_an_earlier_home_at_the_same_path_is_removed(tmp_path):
    first = claim(tmp_path / "home")
    outside = first.external_folder()
    (outside / "left").write_text("behind")
    first.release()
    (tmp_path / "home" / "secrets.json").unlink()
    second = claim(tmp_path / "home")
    assert second.external_folder() == outside
    assert not (outside / "left").exists()
    second.remove()
    assert not outside.exists()


def test_data_and_sockets_have_different_folders_in_the_temp_folder(tmp_path):
    home = claim(tmp_path / "home")
    sockets = home.sockets()
    assert home.external_folder(sockets.parent) != sockets
    assert sockets.exists()
    home.remove()


def test_external_folders_are_deleted_with_their_home(tmp_path):
    (tmp_path / "scratch").mkdir()
    home = claim(tmp_path / "home")
    folders = [home.external_folder(), home.external_folder(tmp_path / "scratch"), home.external_folder()]
    assert folders[0] == folders[2] != folders[1]
    assert all(folder.is_dir() for folder in folders)
    home.remove()
    assert not any(folder.exists() for folder in folders)


def test_a_folder_of_another_user_is_refused(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(DevstackError, match="belongs to another user"):
        make_private_folder(tmp_path / "link")


def test_a_temporary_home_leaves_nothing():
    with temporary_home() as home:
        sockets, outside, folder = home.sockets(), home.external_folder(), home.folder
    assert not sockets.exists()
    assert not outside.exists()
    assert not folder.exists()


def test_a_temporary_home_of_a_killed_run_is_swept_and_one_in_use_is_not():
    with temporary_home() as used:
        killed = claim(used.folder.with_name("casino-home-killed-test"))
        outside = killed.external_folder()
        killed.lock.close()
        with temporary_home():
            assert not killed.folder.exists()
            assert not outside.exists()
            assert used.folder.exists()


@pytest.mark.parametrize(("given", "missing"), [("DATABASE_URL", "REDIS_URL"), ("REDIS_URL", "DATABASE_URL")])
def test_one_server_without_the_other_is_refused(given, missing):
    with pytest.raises(DevstackError, match=f"Set {missing} too"):
        external_addresses({given: "somewhere"})


def test_without_urls_there_are_no_external_servers():
    assert external_addresses({}) is None


def test_a_full_disk_has_a_clear_message():
    trouble = explain_os_error(OSError(28, "No space left on device", "/some/file"))
    assert str(trouble).startswith("The disk is full: /some/file. Make room")


def test_a_copy_of_the_server_runs_where_its_own_folder_cannot_be_read(tmp_path):
    copy_installation(installation(), tmp_path / "copy")
    programs = tmp_path / "copy" / installation().parent.name / INSTALLATION / "bin"
    assert "PostgreSQL" in run_to_end([str(programs / "initdb"), "--version"], environment=ENVIRONMENT)
