"""`play` ends with the stand-alone verifier's verdict on a round."""

import json
from pathlib import Path

import pytest

from casino.devstack import proof_check
from casino.devstack.home import PROJECT
from tests.baccarat.proofs.forging import Document, encode, golden


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the verifier and the keys that the service serves."""
    (tmp_path / "verifier.py").write_bytes((PROJECT / "baccarat" / "proofs" / "verifier.py").read_bytes())
    (tmp_path / "keys.json").write_text(json.dumps({"items": golden("mini")["keys"]}))
    return tmp_path


def run(folder: Path, document: Document) -> proof_check.ProofResult:
    (folder / "round.json").write_bytes(encode(document))
    return proof_check._run(folder, document["round"]["id"])


def test_a_valid_round_is_summarized_in_one_line(folder: Path) -> None:
    document = golden("mini")

    proven = run(folder, document)

    assert (proven.exit_status, proven.agrees) == (5, True)
    assert proven.summary().startswith(f"proof: round {document['round']['id']} NOT COSIGNED: nothing is wrong")


def test_an_invalid_round_fails_with_the_whole_output_of_the_verifier(folder: Path) -> None:
    document = golden("mini")
    document["shoe"]["seed"] = "ab" * 32

    proven = run(folder, document)

    assert (proven.exit_status, proven.agrees) == (1, False)
    assert "FAILED" in proven.summary().splitlines()[0]
    assert "the seed differs from the revealed one" in proven.summary()
