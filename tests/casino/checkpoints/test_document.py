"""The checkpoint document: it is parsed back unchanged, and anything else is refused."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from uuid import UUID

import pytest

from casino.checkpoints.document import (
    CheckpointDocument,
    MalformedCheckpoint,
    fingerprint,
    parse,
    serialize,
    signed_bytes,
)

ONE = CheckpointDocument(
    log=UUID("6f1d3a34-6a1f-4a57-9d2b-0d6f6f0f4b11"),
    number=2,
    position=700,
    head=b"\x01" * 32,
    root=b"\x02" * 32,
    previous=b"\x03" * 32,
    made_at=datetime(2026, 11, 21, 9, 30, 0, 120, tzinfo=UTC),
    key="2026a",
    signature=b"\x04" * 64,
)


def test_the_signed_bytes_have_the_documented_form():
    assert signed_bytes(ONE) == (
        b"casino.checkpoint.v1\n"
        b'{"format":"casino.checkpoint.v1","head":"' + b"01" * 32 + b'","key":"2026a",'
        b'"log":"6f1d3a34-6a1f-4a57-9d2b-0d6f6f0f4b11","made_at":"2026-11-21T09:30:00.000120Z","number":2,'
        b'"position":700,"previous":"' + b"03" * 32 + b'","root":"' + b"02" * 32 + b'"}'
    )


def test_the_signature_is_not_part_of_the_signed_bytes_or_the_fingerprint():
    assert signed_bytes(replace(ONE, signature=b"")) == signed_bytes(ONE)
    assert fingerprint(ONE) == sha256(signed_bytes(ONE)).digest()


@pytest.mark.parametrize("previous", [b"", b"\x03" * 32])
def test_a_document_is_parsed_back_unchanged(previous):
    made = replace(ONE, previous=previous)
    assert parse(serialize(made)) == made


@pytest.mark.parametrize(
    "change",
    [
        {"format": "casino.checkpoint.v2"},
        {"number": 0},
        {"number": "2"},
        {"position": True},
        {"head": "01" * 31},
        {"head": "0A" * 32},
        {"head": None},
        {"root": "zz" * 32},
        {"previous": "03"},
        {"made_at": "2026-11-21T09:30:00Z"},
        {"made_at": 5},
        {"key": "schlüssel"},
        {"log": "another"},
        {"log": 7},
        {"signature": ""},
        {"more": 1},
    ],
)
def test_a_malformed_checkpoint_is_refused(change):
    text = json.dumps(json.loads(serialize(ONE)) | change)
    with pytest.raises(MalformedCheckpoint):
        parse(text)


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b"\xff", b"5"])
def test_a_text_that_is_not_a_document_is_refused(text):
    with pytest.raises(MalformedCheckpoint):
        parse(text)
