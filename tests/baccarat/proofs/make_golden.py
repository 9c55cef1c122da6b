"""Makes the golden files again, from rounds played for them: make test ARGS=tests/baccarat/proofs/make_golden.py"""

import json
from pathlib import Path

from tests.baccarat.proofs.forging import COSIGNER_PRIVATE
from tests.baccarat.proofs.playing import (
    cosigned_round,
    forced_rounds,
    forced_with_witness,
    history,
    history_with_replaced_witness,
    history_with_witness,
)
from tests.baccarat.services.witnessing import company_of_witnesses, witnessing

FOLDER = Path(__file__).parent / "golden"


def write(folder: Path, documents: dict[str, dict[str, object]]) -> None:
    """Write a file for each document."""
    folder.mkdir(exist_ok=True)
    for name, document in documents.items():
        text = json.dumps(document, indent=1, ensure_ascii=False)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def test_the_golden_files_are_made(database):
    del database
    write(FOLDER, history())


def test_the_golden_files_of_forced_cards_are_made(database, settings):
    del database, settings
    write(FOLDER / "forced", forced_rounds())


def test_the_golden_file_of_forced_cards_at_a_table_with_a_witness_is_made(database, tmp_path, settings, monkeypatch):
    del database
    with witnessing(tmp_path / "witness", settings, monkeypatch):
        write(FOLDER / "forced", {"witnessed": forced_with_witness()})


def test_the_golden_files_of_witnesses_are_made(database, tmp_path, settings, monkeypatch):
    del database
    with witnessing(tmp_path / "witness", settings, monkeypatch):
        write(FOLDER / "witnesses", history_with_witness())


def test_the_golden_files_of_replaced_witnesses_are_made(database, tmp_path, settings, monkeypatch):
    del database
    with company_of_witnesses([tmp_path / "one", tmp_path / "other"], settings, monkeypatch):
        write(FOLDER / "replaced", history_with_replaced_witness())


def test_the_golden_file_of_a_cosigned_round_is_made(database, tmp_path, settings, monkeypatch):
    del database
    witness = tmp_path / "witness"
    witness.mkdir()
    (witness / "cosign.key").write_text(COSIGNER_PRIVATE.hex(), encoding="utf-8")
    (witness / "cosign.key").chmod(0o600)
    with witnessing(witness, settings, monkeypatch):
        write(FOLDER / "cosigned", {"settled": cosigned_round()})
