"""The end of `play`: what the stand-alone verifier says of a round decides."""

import json
from pathlib import Path

import pytest

from casino.devstack import proof_check
from casino.devstack.home import PROJECT
from tests.baccarat.proofs.forging import Document, golden, written


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the verifier and the casino's keys, as the service hands them out."""
    (tmp_path / "verifier.py").write_bytes((PROJECT / "baccarat" / "proofs" / "verifier.py").read_bytes())
    (tmp_path / "keys.json").write_text(json.dumps({"items": golden("mini")["keys"]}))
    return tmp_path


def run(folder: Path, document: Document) -> proof_check.ProofResult:
    (folder / "round.json").write_bytes(written(document))
    return proof_check._run(folder, document["round"]["id"])


def test_a_round_that_is_verified_is_told_in_a_line(folder: Path) -> None:
    document = golden("mini")

    proven = run(folder, document)

    assert proven.exit_status == 0
    assert proven.summary() == (
        f"proof: round {document['round']['id']} VERIFIED: everything was worked out again and agrees."
    )


def test_a_round_that_is_refused_fails_with_all_that_the_verifier_said(folder: Path) -> None:
    document = golden("mini")
    document["shoe"]["seed"] = "ab" * 32

    proven = run(folder, document)

    assert proven.exit_status == 1
    assert "FAILED" in proven.summary().splitlines()[0]
    assert "the seed is not the one that was revealed" in proven.summary()
