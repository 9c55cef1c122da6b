"""A third verifier, in PHP and written from the specification alone, agrees with it and refuses every forgery."""

import json
from pathlib import Path
from typing import Final

from baccarat.web.views import FAIRNESS_DOCS
from tests.baccarat.proofs.damaging import AMBIGUOUS
from tests.baccarat.proofs.forgeries import FORGERIES
from tests.baccarat.proofs.forging import GOLDEN, encode, golden, witness_keys
from tests.baccarat.proofs.php import needs_php, request, run_php, verify_all
from tests.baccarat.proofs.test_verifying import COSIGNED, FILES, FORCED, PARTLY, UNVERIFIED, key, trusted

pytestmark = needs_php

VECTORS: Final = FAIRNESS_DOCS / "vectors.json"
MINI: Final = str(GOLDEN / "mini.json")
CHOSEN: Final = str(GOLDEN / "forced/settled.json")
BY_OTHER_CHECKS: Final = {
    # What is withheld, occurs twice or lacks the table's opening fails `file` alone.
    "the_cards_are_withheld": "file",
    "an_event_is_repeated": "file",
    "an_event_of_the_table_takes_the_position_of_one_of_the_round": "file",
    "betting_closed_twice": "file",
    "cards_were_chosen_twice": "file",
    "the_opening_of_the_table_is_left_out": "file",
    # The shoe's root is compared with its event where the shoe is.
    "a_root_was_never_told": "commitment",
    "the_root_in_the_summary_is_another": "commitment",
    "a_shoe_of_no_order_has_a_root": "commitment",
}
"""Forgeries that this verifier refuses by another check than the others, and by which."""
UNTOLD: Final = "NOT VERIFIED: whoever made this file may have made up all of it, or what is required is missing"


def test_it_recomputes_every_vector() -> None:
    names = list(json.loads(VECTORS.read_text(encoding="utf-8")))
    assert run_php(f"--vectors={VECTORS}").stdout.split() == names


def test_it_sorts_names_beyond_the_basic_plane_as_utf_16_and_keeps_names_that_look_like_numbers(tmp_path: Path) -> None:
    # U+1F0A1 is D83C DCA1 in UTF-16, so it comes before U+E000, and after U+D7FF.
    text = '{"\\ue000":1,"\U0001f0a1":{"10":[],"9":{}},"\ud7ff":"\\ud83c\\udca1\u2028","A":"\x7f\\u001F/"}'
    expected = '{"A":"\x7f\\u001f/","\ud7ff":"\U0001f0a1\u2028","\U0001f0a1":{"10":[],"9":{}},"\ue000":1}'
    vectors = tmp_path / "vectors.json"
    vectors.write_text(
        f'{{"canonical_json": {{"value": {text}, "bytes": "{expected.encode().hex()}"}}}}', encoding="utf-8"
    )
    assert run_php(f"--vectors={vectors}").stdout == "canonical_json\n"


def test_it_refuses_json_that_two_programs_may_read_differently() -> None:
    for text, verdict in zip(AMBIGUOUS, verify_all(request(text.encode()) for text in AMBIGUOUS), strict=True):
        assert (text, verdict.failed()) == (text, {"file"})


def test_it_gives_each_export_the_same_result_as_the_other_verifiers() -> None:
    verdicts = verify_all([request(file.read_bytes(), keys=trusted(file.read_bytes())) for file in FILES])
    for file, verdict in zip(FILES, verdicts, strict=True):
        status = 3 if file.stem in UNVERIFIED else 4 if file in FORCED else 0 if file in COSIGNED else 5
        assert (file, verdict.status, verdict.failed()) == (file, status, set())
        later = "not checkable yet" in {result for result, _ in verdict.checks.values()}
        assert (file, later) == (file, file.stem in PARTLY | UNVERIFIED)


def test_it_verifies_nothing_without_trusted_keys() -> None:
    names = ["mini", "witnesses/settled", "witnesses/settled"]
    document = golden("witnesses/settled")
    keys: list[list[str]] = [[], [key()], [key(), *witness_keys(document)]]
    requests = [request(encode(golden(name)), keys=each) for name, each in zip(names, keys, strict=True)]
    assert [verdict.status for verdict in verify_all(requests)] == [3, 3, 5]


def test_it_refuses_every_forgery() -> None:
    verdicts = verify_all(
        request(forgery.raw(), keys=[key(), *witness_keys(golden(forgery.base))]) for forgery in FORGERIES
    )
    assert {name for name in BY_OTHER_CHECKS if name not in {forgery.name for forgery in FORGERIES}} == set()
    for forgery, verdict in zip(FORGERIES, verdicts, strict=True):
        assert (forgery.name, verdict.status) == (forgery.name, 1)
        assert BY_OTHER_CHECKS.get(forgery.name, forgery.fails) in verdict.failed(), (forgery.name, verdict)


def test_the_command_prints_each_check_and_its_exit_status_is_the_verdict(tmp_path: Path) -> None:
    forged = tmp_path / "forged.json"
    forged.write_bytes(encode({**golden("mini"), "events": []}))
    for arguments, status, last in (
        ([MINI, f"--key={key()}"], 5, "NOT COSIGNED: a log with another round would verify as well"),
        ([CHOSEN, f"--key={key()}"], 4, "FORCED: the cards were chosen, as a test"),
        ([MINI], 3, UNTOLD),
        ([str(forged)], 1, "FAILED: file"),
    ):
        done = run_php(*arguments)
        assert (done.returncode, done.stdout.splitlines()[-1]) == (status, last)
    assert run_php(str(tmp_path / "nowhere.json")).returncode == 2
