"""Makes the golden files again, from rounds played for them: make test ARGS=tests/baccarat/proofs/make_golden.py

Those of earlier schemas are not made again: they say what was exported then.
"""

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

FOLDER = Path(__file__).parent / "golden" / "openings"
KEPT = {"atlantic-city", "mini", "rules-of-a-later-version"}


def test_the_golden_files_are_made(database):
    del database
    for old in FOLDER.glob("*.json"):
        old.unlink()
    FOLDER.mkdir(exist_ok=True)
    for name, document in history().items():
        if name not in KEPT:
            continue
        text = json.dumps(document, indent=1, ensure_ascii=False)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def test_the_golden_files_of_forced_cards_are_made(database, settings):
    del database, settings
    folder = FOLDER.parent / "forced"
    folder.mkdir(exist_ok=True)
    for name, document in forced_rounds().items():
        text = json.dumps(document, indent=1, ensure_ascii=False)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def test_the_golden_file_of_forced_cards_at_a_table_with_a_witness_is_made(database, tmp_path, settings, monkeypatch):
    del database
    with witnessing(tmp_path / "witness", settings, monkeypatch):
        text = json.dumps(forced_with_witness(), indent=1, ensure_ascii=False)
    (FOLDER.parent / "forced" / "witnessed.json").write_text(text + "\n", encoding="utf-8")


def test_the_golden_files_of_witnesses_are_made(database, tmp_path, settings, monkeypatch):
    del database
    folder = FOLDER.parent / "witnesses"
    with witnessing(tmp_path / "witness", settings, monkeypatch):
        for name, document in history_with_witness().items():
            text = json.dumps(document, indent=1, ensure_ascii=False)
            folder.mkdir(exist_ok=True)
            (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def test_the_golden_files_of_replaced_witnesses_are_made(database, tmp_path, settings, monkeypatch):
    del database
    folder = FOLDER.parent / "replaced"
    with company_of_witnesses([tmp_path / "one", tmp_path / "other"], settings, monkeypatch):
        for name, document in history_with_replaced_witness().items():
            text = json.dumps(document, indent=1, ensure_ascii=False)
            folder.mkdir(exist_ok=True)
            (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def test_the_golden_file_of_a_cosigned_round_is_made(database, tmp_path, settings, monkeypatch):
    del database
    folder, witness = FOLDER.parent / "cosigned", tmp_path / "witness"
    folder.mkdir(exist_ok=True)
    witness.mkdir()
    (witness / "cosign.key").write_text(COSIGNER_PRIVATE.hex(), encoding="utf-8")
    (witness / "cosign.key").chmod(0o600)
    with witnessing(witness, settings, monkeypatch):
        text = json.dumps(cosigned_round(), indent=1, ensure_ascii=False)
    (folder / "settled.json").write_text(text + "\n", encoding="utf-8")
