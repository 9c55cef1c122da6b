"""The verifier says of each exported round what is frozen, and refuses each forgery by the check that is meant to."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from baccarat.proofs import verifier
from tests.baccarat.proofs.forgeries import FORGERIES
from tests.baccarat.proofs.forging import GOLDEN, Forgery, encode, golden, witness_keys
from tests.support import frozen

FILES = sorted(GOLDEN.rglob("*.json"))
PARTLY = {
    "long-shoe-running",
    "fixed-order-running",
    "fixed-order",
    "shoe-running",
    "replaced-in-shoe",
    "voided-as-its-player-sees-it",
}
UNVERIFIED = {"no-checkpoint-yet", "younger-than-the-checkpoint"}
COSIGNED = {GOLDEN / "cosigned/settled.json"}
FORCED = {GOLDEN / f"forced/{name}.json" for name in ("settled", "shoe-ended", "shoe-running", "witnessed")}


def name_of(file: Path) -> str:
    return str(file.relative_to(GOLDEN).with_suffix(""))


@cache
def key() -> str:
    """Return the public key that signed the golden files."""
    return str(golden("mini")["keys"][0]["public_key"])


def trusted(raw: bytes) -> list[str]:
    """Return the keys that a reader of a golden file trusts: the log's, and those of its witnesses."""
    return [key(), *witness_keys(json.loads(raw))]


def verdicts(document) -> dict[str, str]:
    return {check["name"]: check["verdict"] for check in document["checks"]}


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_an_export_gets_its_verdict(file):
    raw = file.read_bytes()
    result = verifier.verify(raw, trusted(raw))

    verdict = "unverified" if file.stem in UNVERIFIED else "verified" if file in COSIGNED else "uncosigned"
    assert result["verdict"] == ("forced" if file in FORCED else verdict)
    frozen.require("verdicts.txt", name_of(file), in_words(result))


def commitment_text(name: str) -> str:
    """Return the text of the commitment check of a golden file."""
    checks = verifier.verify(encode(golden(name)), [key()])["checks"]
    return next(check["text"] for check in checks if check["name"] == "commitment")


def test_the_commitment_check_says_when_it_was_published():
    assert " s before the first wager" in commitment_text("mini")
    assert commitment_text("voided-before-the-cards").count("one round ahead") == 1
    assert commitment_text("long-shoe-ended").endswith("before the first bet")


def in_words(result) -> str:
    """Return a verdict with what each check says that does not hold."""
    checks = verdicts(result)
    return " ".join([result["verdict"], *(f"{name}={checks[name]}" for name in checks if checks[name] != "ok")])


def test_no_golden_file_and_no_forgery_is_lost():
    frozen.require_no_others("verdicts.txt", {*map(name_of, FILES), *(each.name for each in FORGERIES)})


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.name)
def test_a_forgery_is_refused_by_its_check(forgery: Forgery):
    result = verifier.verify(forgery.raw(), [key(), *witness_keys(golden(forgery.base))])

    assert result["verdict"] == "failed"
    assert verdicts(result)[forgery.fails] == "failed"
    frozen.require("verdicts.txt", forgery.name, f"{result['verdict']} {forgery.fails}")
    failed = [check for check in result["checks"] if check["verdict"] == "failed"]
    assert all(check["text"] and check["expected"] != check["found"] for check in failed)


def test_without_a_trusted_key_no_export_is_verified():
    result = verifier.verify(encode(golden("mini")))

    assert (result["verdict"], result["as_of"]) == ("unverified", None)
    assert verdicts(result)["key"] == "open"


@pytest.mark.parametrize("name", ["settled", "voided", "shoe-ended", "shoe-running"])
def test_a_round_with_a_witness_is_verified_under_trusted_keys_of_both_only(name: str):
    document = golden(f"witnesses/{name}")
    raw, (witness,) = encode(document), witness_keys(document)
    for keys in ([key()], []):
        result = verifier.verify(raw, keys)
        assert (result["verdict"], result["as_of"]) == ("unverified", None)
    assert verifier.verify(raw, [key(), witness])["verdict"] == "uncosigned"
    file = str(GOLDEN / f"witnesses/{name}.json")
    assert verifier.main([file, "--key", key()]) == 3
    assert verifier.main([file, "--key", key(), "--witness-key", witness]) == 5


def test_a_verdict_names_the_checkpoint_that_it_is_as_of():
    size = int(golden("mini")["checkpoint"].split("\n")[1])

    assert verifier.verify(encode(golden("mini")), [key()])["as_of"] == {
        "size": size, "cosigned_by": [],
    }  # fmt: skip


def test_the_verifier_runs_alone_without_installed_packages(tmp_path):
    standalone = tmp_path / "verifier.py"
    standalone.write_bytes((GOLDEN.parents[3] / "baccarat/proofs/verifier.py").read_bytes())
    command = [sys.executable, "-I", "-S", str(standalone), str(GOLDEN / "mini.json"), "--key", key()]

    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603
    keyless = subprocess.run(command[:-2], cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603

    assert process.stderr == ""
    as_of, chooser, rules, verdict = process.stdout.splitlines()[-4:]
    assert verdict.startswith("NOT COSIGNED: ")
    assert (chooser, rules) == (verifier.CHOOSERS["house"], "Rules mini@1: as published.")
    assert as_of.startswith("As of checkpoint ")
    assert ", cosigned by no witness that you trust; " in as_of
    assert process.returncode == 5
    assert keyless.stdout.splitlines()[-1].startswith("NOT VERIFIED: ")
    assert keyless.returncode == 3


def test_a_round_with_chosen_cards_is_never_verified(capsys: pytest.CaptureFixture[str]):
    for file in sorted(FORCED):
        raw = file.read_bytes()
        result = verifier.verify(raw, trusted(raw))
        assert (result["verdict"], verdicts(result)["cards"], result["as_of"] is None) == ("forced", "none", False)
        assert verifier.verify(raw)["verdict"] == "unverified"
        keys = [word for each in witness_keys(json.loads(raw)) for word in ("--witness-key", each)]
        assert verifier.main([str(file), "--key", key(), *keys]) == 4
        assert capsys.readouterr().out.splitlines()[-1].startswith("FORCED: ")
    after_it = GOLDEN / "forced/after-it.json"
    assert verifier.main([str(after_it), "--key", key()]) == 5
