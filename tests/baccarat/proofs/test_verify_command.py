"""`manage.py verify FILE`: every check with its verdict, as text or JSON, and the exit code."""

import contextlib
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from baccarat.proofs import verifier
from tests.baccarat.proofs.forging import GOLDEN, encode, golden

MINI = str(GOLDEN / "mini.json")


def run_verify(*arguments: str, exit_status: int = 0) -> str:
    out = StringIO()
    with pytest.raises(SystemExit) if exit_status else contextlib.nullcontext() as stopped:
        call_command("verify", *arguments, stdout=out, no_color=True)
    assert exit_status == (stopped.value.code if stopped else 0)
    return out.getvalue()


def test_every_check_is_printed_with_its_verdict():
    output = run_verify(MINI, "--key", golden("mini")["keys"][0]["public_key"], exit_status=5)

    for check in verifier.verify(encode(golden("mini")))["checks"]:
        assert check["name"] in output
    assert "not checkable yet" not in output
    assert "\nNOT COSIGNED: nothing is wrong, but a log with another round would verify as well" in output
    assert verifier.CHOOSERS["house"] in output


def test_a_check_that_is_not_possible_yet_is_printed_with_the_reason():
    output = run_verify(str(GOLDEN / "no-checkpoint-yet.json"), exit_status=3)

    assert "not checkable yet no checkpoint has been signed since" in " ".join(output.split())
    assert "\nNOT VERIFIED: " in output


def test_a_forged_file_exits_1_and_prints_expected_and_actual_values(tmp_path):
    document = golden("mini")
    document["shoe"]["seed"] = "ab" * 32
    forged = tmp_path / "forged.json"
    forged.write_bytes(encode(document))

    output = run_verify(str(forged), exit_status=1)

    assert "FAILED" in output
    assert "the seed differs from the revealed one" in output
    assert "ab" * 32 in output


def test_the_output_is_that_of_the_stand_alone_verifier(capsys):
    arguments = [str(GOLDEN / "cosigned/settled.json"), "--key", golden("mini")["keys"][0]["public_key"]]
    assert verifier.main(arguments) == 3

    assert run_verify(*arguments, exit_status=3) == capsys.readouterr().out


def test_a_file_that_is_no_round_exits_2(tmp_path):
    nothing = tmp_path / "nothing.json"
    nothing.write_bytes(b"{}")

    assert "\nCANNOT BE READ: " in run_verify(str(nothing), exit_status=2)


def test_the_json_output_is_that_of_the_stand_alone_verifier(tmp_path):
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps({"items": golden("mini")["keys"]}))

    public = golden("mini")["keys"][0]["public_key"]
    assert json.loads(run_verify(MINI, "--json", "--key", str(keys), exit_status=5)) == verifier.verify(
        encode(golden("mini")), [public]
    )


@pytest.mark.parametrize("required", [["--require-signed"], ["--witness-key", "0a" * 32]])
def test_what_the_reader_requires_has_to_be_there(required: list[str]):
    trusted = ["--key", golden("mini")["keys"][0]["public_key"]]

    assert "\nNOT VERIFIED: " in run_verify(MINI, *trusted, *required, exit_status=3)
    assert verifier.main([MINI, *trusted, *required]) == 3


def test_a_missing_file_is_refused():
    with pytest.raises(CommandError, match="nowhere") as refused:
        run_verify("nowhere.json")
    assert refused.value.returncode == 2


def test_a_key_file_without_a_key_is_refused(tmp_path):
    empty = tmp_path / "empty"
    empty.write_text("nothing")

    with pytest.raises(CommandError, match="no key"):
        run_verify(MINI, "--key", str(empty))
