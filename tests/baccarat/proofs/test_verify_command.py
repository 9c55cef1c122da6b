"""`manage.py verify FILE`: each check by name, in words or as JSON, and an exit status to go by."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from baccarat.proofs import verifier
from tests.baccarat.proofs.forging import GOLDEN, golden, written

MINI = str(GOLDEN / "mini.json")


def told(*arguments: str) -> str:
    out = StringIO()
    call_command("verify", *arguments, stdout=out, no_color=True)
    return out.getvalue()


def test_every_check_is_told_by_name_with_its_verdict():
    shown = told(MINI, "--key", golden("mini")["keys"][0]["public"])

    for check in verifier.verify(written(golden("mini")))["checks"]:
        assert check["name"] in shown
    assert "not checkable yet" not in shown
    assert "verify: ok, everything was worked out again and agrees" in shown


def test_what_is_not_checkable_yet_is_said_with_the_reason(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    shown = " ".join(told(str(GOLDEN / "no-checkpoint-yet.json")).replace("│", " ").split())

    assert "not checkable yet no checkpoint has been signed since" in shown
    assert "verify: ok as far as this file allows" in shown


def test_a_forged_file_ends_with_status_1_and_says_what_was_expected_and_found(tmp_path):
    document = golden("mini")
    document["shoe"]["seed"] = "ab" * 32
    forged = tmp_path / "forged.json"
    forged.write_bytes(written(document))
    out = StringIO()

    with pytest.raises(SystemExit) as ended:
        call_command("verify", str(forged), stdout=out, no_color=True)

    assert ended.value.code == 1
    shown = out.getvalue()
    assert "FAILED" in shown
    assert "the seed is not the one that was revealed" in shown
    assert "ab" * 10 in shown


def test_as_json_it_says_what_the_stand_alone_verifier_says(tmp_path):
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps({"items": golden("mini")["keys"]}))

    public = golden("mini")["keys"][0]["public"]
    assert json.loads(told(MINI, "--json", "--key", str(keys))) == verifier.verify(written(golden("mini")), [public])


def test_a_file_that_is_not_there_is_said_so():
    with pytest.raises(CommandError, match="nowhere"):
        told("nowhere.json")


def test_a_key_file_without_a_key_is_refused(tmp_path):
    empty = tmp_path / "empty"
    empty.write_text("nothing")

    with pytest.raises(CommandError, match="no key"):
        told(MINI, "--key", str(empty))
