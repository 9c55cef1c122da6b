"""Two sources that contradict one another are named, by what they have signed."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from casino.crypto import ed25519, signed_note
from casino.crypto.signed_note import SignedNote, TreeHead
from casino.devstack.home import PROJECT
from casino.kernel import merkle
from casino.witness import compare, statements
from casino.witness.compare import Source
from casino.witness.statements import ClosingKind, ClosingRequest
from tests.casino.witness.running import LOG_PRIVATE, ORIGIN, active_chain, item, running
from tests.casino.witness.test_statements import CLOSING_KEY, HEADER, LEAVES, RELEASE, RELEASE_KEY, RETIREMENT

LATER = RELEASE.time_ms / 1000 + 3600
MINUTE = 60_000


def header_line(header=HEADER):
    data = header.serialize()
    return {
        "header": data.hex(),
        "header_signature": ed25519.sign(RELEASE_KEY, data).hex(),
        "house_signature": ed25519.sign(CLOSING_KEY, data).hex(),
    }


def line(statement, key=RELEASE_KEY):
    data = statement.serialize()
    return {"statement": data.hex(), "signature": ed25519.sign(key, data).hex()}


def evidence(release, **changes):
    """Return a line with the request and the path that a witness shows with a release."""
    request = ClosingRequest(release.chain, release.index, release.kind, release.digest).serialize()
    path = [each.hex() for each in merkle.path(LEAVES, release.index)]
    signature = ed25519.sign(CLOSING_KEY, request).hex()
    return {**line(release), "request_signature": signature, "path": path, **changes}


def resulting(release, result="settled", *, closed=0, ended=0):
    """Return a line with what a house says of the round, in ms after the statement; `ended` None while it runs."""
    ended_ms = None if ended is None else release.time_ms + ended
    return {**line(release), "result": result, "closed_ms": release.time_ms + closed, "ended_ms": ended_ms}


def chained(count):
    """Return releases that follow one another."""
    releases = [replace(RELEASE, index=0)]
    while len(releases) < count:
        before = releases[-1]
        releases.append(
            replace(
                before,
                index=before.index + 1,
                digest=bytes([len(releases)]) * 32,
                number=before.number + 1,
                previous=statements.statement_hash(before.serialize()),
            )
        )
    return releases


def source(*lines, name="one", is_witness=True):
    result = Source(name, is_witness=is_witness)
    for each in (header_line(), *lines):
        result.add(each)
    return result


def note(root):
    head = str(TreeHead(ORIGIN, 7, root))
    return {"note": str(SignedNote(head, (signed_note.sign(head, name=ORIGIN, private=LOG_PRIVATE),)))}


def kinds(first, second):
    return {finding.kind for finding in compare.compare(first, second, now=LATER)}


def test_sources_that_agree_have_no_findings():
    lines = [*map(line, chained(4)), note(b"a" * 32)]
    assert kinds(source(*lines), source(*lines, name="two")) == set()
    assert kinds(source(*lines), source(*lines, name="house", is_witness=False)) == set()


A, B, C = chained(3)
OTHER = replace(B, digest=b"\x77" * 32)


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ([line(A), line(B)], [line(A), line(OTHER)], compare.INDEX_TWICE),
        ([line(A), line(B)], [line(A), line(replace(C, number=2))], compare.NUMBER_TWICE),
        ([line(A), line(C)], [line(A), line(B), line(C)], compare.MISSING),
        ([line(A), line(replace(B, previous=b"\x01" * 32))], [line(A)], compare.BROKEN),
        ([line(A), line(replace(B, time_ms=1))], [line(A)], compare.BROKEN),
        ([line(A), line(B)], [line(A)], compare.ONE_SIDED),
        ([line(A, b"\x13" * 32)], [], compare.NOT_SIGNED),
        ([{**header_line(), "header_signature": "00" * 64}], [], compare.NOT_SIGNED),
        ([{"statement": "zz", "signature": ""}], [], compare.UNREADABLE),
        ([note(b"a" * 32)], [note(b"b" * 32)], compare.FORKED),
        ([{**header_line(), "house_signature": None}], [], compare.NOT_ACTIVATED),
        ([evidence(RELEASE, request_signature="00" * 64)], [], compare.NOT_ASKED),
        ([evidence(RELEASE, path=[])], [], compare.WRONG_LINK),
        ([evidence(replace(RELEASE, link=b"\x66" * 32))], [], compare.WRONG_LINK),
        ([line(replace(RETIREMENT, next_index=5))], [line(RELEASE)], compare.AFTER_RETIREMENT),
        ([line(A)], [resulting(A, closed=-MINUTE - 1)], compare.LATE),
        ([line(A)], [resulting(A, closed=1001)], compare.EARLY),
        ([line(A)], [resulting(A, ended=MINUTE + 1)], compare.NO_RESULT),
        ([line(A)], [resulting(A, None, ended=None)], compare.NO_RESULT),
        ([line(A)], [{**resulting(A), "closed_ms": None}], compare.UNREADABLE),
    ],
)
def test_each_contradiction_is_named(first, second, kind):
    assert kind in kinds(source(*first), source(*second, name="two"))


def test_results_in_time_are_counted_for_each_table():
    void = replace(C, kind=ClosingKind.VOID)
    lines = [resulting(A, closed=-MINUTE, ended=MINUTE), resulting(B, "voided"), resulting(void, "voided")]
    house = source(*lines, name="house", is_witness=False)
    assert kinds(source(line(A), line(B), line(void)), house) == set()
    assert list(house.describe_results()) == [f"table {HEADER.table}: 1 settled, 1 voided, 1 voided after their links"]
    unanswered = source(resulting(A, "voided", closed=-2, ended=-1), name="house", is_witness=False)
    assert list(unanswered.describe_results()) == [f"table {HEADER.table}: 1 voided before their links came"]


def test_a_link_for_a_table_at_which_nobody_sat_yet_is_named():
    first = {**header_line(), "seated_ms": A.time_ms - MINUTE}
    for seated, found in ((None, True), (A.time_ms + 2000, True), (A.time_ms + 500, False), (A.time_ms - 1, False)):
        house = source({**first, "seated_ms": seated}, line(A), name="house", is_witness=False)
        assert (compare.NOBODY_SAT in kinds(source(line(A)), house)) is found
    assert kinds(source(line(A)), source(first, line(A), name="house", is_witness=False)) == set()


def test_what_a_witness_shows_with_a_release_is_checked():
    assert source(evidence(RELEASE)).findings == []


def test_a_closing_of_less_than_a_minute_ago_may_be_known_to_one_side():
    first, second = source(line(A)), source(name="house", is_witness=False)
    assert compare.compare(first, second, now=A.time_ms / 1000 + 59) == []
    assert {each.kind for each in compare.compare(first, second, now=LATER)} == {compare.ONE_SIDED}


def test_a_running_witness_is_compared_with_what_a_client_kept(tmp_path):
    with running(tmp_path / "data") as witness, witness.client() as client:
        chain = active_chain(witness, client)
        results = client.release([item(chain, index) for index in range(3)])
        client.retire_chain(chain.header)
        kept = tmp_path / "kept.jsonl"
        lines = [{"header": chain.header.serialize().hex(), "header_signature": chain.signature.hex()}]
        lines += [{"statement": each.statement.hex(), "signature": each.signature.hex()} for each in results]
        kept.write_text("\n".join(map(json.dumps, lines)))
        command = [sys.executable, str(PROJECT / "manage.py"), "witness", "--compare", witness.url, str(kept)]
        agreed = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        assert (agreed.returncode, agreed.stdout.splitlines()[-1]) == (0, "No contradiction.")
        assert "4 statements, 1 checkpoints" in agreed.stdout
        missing = subprocess.run([*command[:-1], str(tmp_path / "none")], capture_output=True, text=True, check=False)  # noqa: S603
        assert missing.returncode == 1
        assert "Nothing is compared" in missing.stderr
