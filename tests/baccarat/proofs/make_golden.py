"""Makes the golden files again, from rounds played for them: make test ARGS=tests/baccarat/proofs/make_golden.py

Those of earlier schemas are not made again: they say what was exported then.
"""

import json
from pathlib import Path

from tests.baccarat.proofs.playing import history

FOLDER = Path(__file__).parent / "golden" / "cards"
KEPT = {"mini", "atlantic-city", "rules-of-a-later-version"}


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
