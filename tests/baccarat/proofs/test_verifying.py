"""Whoever checks an exported round comes to the same verdict, by the casino's own code or without it."""

import subprocess
import sys

import pytest

from baccarat.proofs import checks, verifier
from tests.baccarat.proofs.forgeries import FORGERIES
from tests.baccarat.proofs.forging import GOLDEN, Forgery, golden, written

FILES = sorted(GOLDEN.glob("*.json"))
PARTLY = {
    "long-shoe-running", "no-checkpoint-yet", "younger-than-the-checkpoint", "voided-as-its-player-sees-it"
}  # fmt: skip


def key() -> str:
    """The key that has signed the golden files, as one would know it from elsewhere."""
    return str(golden("mini")["keys"][0]["public"])


def verdicts(document) -> dict[str, str]:
    return {check["name"]: check["verdict"] for check in document["checks"]}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_the_house_exported_is_verified_by_both_with_the_same_words(file):
    raw = file.read_bytes()
    ours, alone = checks.verify(raw, keys=[key()]).document(), verifier.verify(raw, [key()])

    assert ours["verdict"] == ("partly" if file.stem in PARTLY else "verified")
    assert ours == alone


def told(name: str) -> str:
    """What a golden file's commitment comes to, in words."""
    checks = verifier.verify(written(golden(name)), [key()])["checks"]
    return next(check["text"] for check in checks if check["name"] == "commitment")


def test_a_file_says_when_the_shoe_was_committed_to():
    assert " s before the first wager" in told("mini")
    assert told("voided-before-the-cards").count("by the opening before") == 1
    assert told("long-shoe-ended").endswith("before the first bet")


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.name)
def test_what_was_tampered_with_is_refused_by_both_naming_what_is_wrong(forgery: Forgery):
    raw = forgery.raw()
    ours, alone = checks.verify(raw, keys=[key()]).document(), verifier.verify(raw, [key()])

    assert ours["verdict"] == alone["verdict"] == "failed"
    assert verdicts(ours) == verdicts(alone)
    assert verdicts(ours)[forgery.fails] == "failed"
    failed = [check for check in (*ours["checks"], *alone["checks"]) if check["verdict"] == "failed"]
    assert all(check["text"] and check["expected"] != check["found"] for check in failed)


def test_without_a_key_from_elsewhere_nobody_calls_a_file_verified():
    raw = written(golden("mini"))

    assert checks.verify(raw).document() == verifier.verify(raw)
    assert verifier.verify(raw)["verdict"] == "partly"
    assert verdicts(verifier.verify(raw))["key"] == "open"


def test_the_verifier_stands_by_itself(tmp_path):
    alone = tmp_path / "verifier.py"
    alone.write_bytes((GOLDEN.parents[3] / "baccarat/proofs/verifier.py").read_bytes())
    command = [sys.executable, "-I", "-S", str(alone), str(GOLDEN / "mini.json"), "--key", key()]

    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603

    assert told.stderr == ""
    assert told.stdout.splitlines()[-1].startswith("VERIFIED: ")
    assert told.returncode == 0
