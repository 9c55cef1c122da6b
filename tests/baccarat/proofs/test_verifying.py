"""The casino's verifier and the stand-alone one come to the same result."""

import subprocess
import sys

import pytest

from baccarat.proofs import checks, verifier
from tests.baccarat.proofs.forgeries import FORGERIES
from tests.baccarat.proofs.forging import GOLDEN, Forgery, encode, golden

FILES = sorted(GOLDEN.glob("*.json"))
PARTLY = {
    "long-shoe-running", "no-checkpoint-yet", "younger-than-the-checkpoint", "voided-as-its-player-sees-it"
}  # fmt: skip


def key() -> str:
    """Return the public key that signed the golden files."""
    return str(golden("mini")["keys"][0]["public_key"])


def verdicts(document) -> dict[str, str]:
    return {check["name"]: check["verdict"] for check in document["checks"]}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_both_verifiers_give_the_same_result_for_an_export(file):
    raw = file.read_bytes()
    ours, standalone = checks.verify(raw, keys=[key()]).document(), verifier.verify(raw, [key()])

    assert ours["verdict"] == ("partly" if file.stem in PARTLY else "verified")
    assert ours == standalone


def commitment_text(name: str) -> str:
    """Return the text of the commitment check of a golden file."""
    checks = verifier.verify(encode(golden(name)), [key()])["checks"]
    return next(check["text"] for check in checks if check["name"] == "commitment")


def test_the_commitment_check_says_when_it_was_published():
    assert " s before the first wager" in commitment_text("mini")
    assert commitment_text("voided-before-the-cards").count("by the previous opening") == 1
    assert commitment_text("long-shoe-ended").endswith("before the first bet")


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.name)
def test_both_verifiers_refuse_a_forgery_by_the_same_checks(forgery: Forgery):
    raw = forgery.raw()
    ours, standalone = checks.verify(raw, keys=[key()]).document(), verifier.verify(raw, [key()])

    assert ours["verdict"] == standalone["verdict"] == "failed"
    assert verdicts(ours) == verdicts(standalone)
    assert verdicts(ours)[forgery.fails] == "failed"
    failed = [check for check in (*ours["checks"], *standalone["checks"]) if check["verdict"] == "failed"]
    assert all(check["text"] and check["expected"] != check["found"] for check in failed)


def test_without_a_trusted_key_no_export_is_verified():
    raw = encode(golden("mini"))

    assert checks.verify(raw).document() == verifier.verify(raw)
    assert verifier.verify(raw)["verdict"] == "partly"
    assert verdicts(verifier.verify(raw))["key"] == "open"


def test_the_verifier_runs_alone_without_installed_packages(tmp_path):
    standalone = tmp_path / "verifier.py"
    standalone.write_bytes((GOLDEN.parents[3] / "baccarat/proofs/verifier.py").read_bytes())
    command = [sys.executable, "-I", "-S", str(standalone), str(GOLDEN / "mini.json"), "--key", key()]

    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603

    assert process.stderr == ""
    assert process.stdout.splitlines()[-1].startswith("VERIFIED: ")
    assert process.returncode == 0
