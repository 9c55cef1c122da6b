"""Whatever is in a file, the verifier has a verdict and an exit status for it."""

import io
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baccarat.proofs import verifier
from tests.baccarat.proofs.damaging import AMBIGUOUS, WAYS, any_file, packed, with_flags
from tests.baccarat.proofs.forging import LOG, encode, golden, witness_keys
from tests.baccarat.proofs.fuzzing import KEY
from tests.support.depth import examples

BASE = "cosigned/settled"
PLAIN = st.none() | st.booleans() | st.integers() | st.text()
JSON = st.recursive(PLAIN, lambda each: st.lists(each) | st.dictionaries(st.text(), each), max_leaves=5)


def require_unreadable(raw: bytes) -> str:
    """Check that a file is none that could be read, and return why."""
    result = verifier.verify(raw)
    *_, why = result["checks"]
    assert (result["verdict"], result["status"], why["verdict"]) == ("failed", 2, "failed")
    assert list(verifier.format_report(result))[-1].startswith("CANNOT BE READ: ")
    return why["text"]


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_pack_is_verified_with_its_round(how: int) -> None:
    result = verifier.verify(packed(BASE, how), [KEY, *witness_keys(golden(BASE))])
    assert (result["verdict"], result["status"], result["checks"][0]["name"]) == ("verified", 0, "pack")


@pytest.mark.parametrize("how", WAYS)
def test_a_pack_that_is_encrypted_or_damaged_cannot_be_read(how: int) -> None:
    pack = packed(BASE, how)
    for damage in (with_flags(pack, 1), pack[:60] + b"damaged" * 9 + pack[123:], pack[:-30], pack[:2]):
        assert require_unreadable(damage) in {"the pack can't be read", "the pack is compressed as no dispute pack is"}


@pytest.mark.parametrize("how", [1, 12, 14, 99])
def test_a_pack_that_says_another_compression_than_it_has_cannot_be_read(how: int) -> None:
    pack = with_flags(packed(BASE), 0, how=how)
    assert require_unreadable(pack) == "the pack is compressed as no dispute pack is"


def test_a_pack_that_would_fill_the_memory_cannot_be_read() -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as pack:
        pack.writestr("round.json", bytes(verifier.LARGEST_PACK + 1))
    assert require_unreadable(archive.getvalue()) == "the pack is larger than any dispute pack"


@pytest.mark.parametrize("text", [*AMBIGUOUS, "[]", "{}", "null", "9" * 5000, "[" * 10**6, '{"format": "\x1b[2K"}'])
def test_json_of_anything_else_cannot_be_read(text: str) -> None:
    assert require_unreadable(text.encode()) in {"the file can't be read", "the file is not an exported round"}


@settings(max_examples=examples(25))
@given(JSON | st.binary(max_size=40))
def test_anything_cannot_be_read(content: Any) -> None:
    require_unreadable(content if isinstance(content, bytes) else json.dumps(content).encode())


@settings(max_examples=examples(25))
@given(st.integers(min_value=0))
def test_a_damaged_file_gets_a_verdict(seed: int) -> None:
    assert verifier.verify(any_file(str(seed)), [KEY, LOG])["status"] in {1, 2, 3, 5}


def test_a_report_has_nothing_that_a_terminal_obeys_or_cannot_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, file = golden("mini"), tmp_path / "round.json"
    document["round"]["phase"] = "\x1b[2K\rVERIFIED\n\u202eé"
    file.write_bytes(encode(document))
    screen = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(screen, encoding="ascii"))

    assert verifier.main([str(file)]) == 1
    sys.stdout.flush()
    printed = screen.getvalue().decode("ascii")
    assert r"found:    \x1b[2K\rVERIFIED\n\u202e\xe9" in printed
    assert printed.splitlines()[-1].startswith("FAILED: ")
