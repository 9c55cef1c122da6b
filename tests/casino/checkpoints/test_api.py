"""Checkpoints, keys and proofs over HTTP: with any credential, the log can be verified without trusting us."""

import pytest

from casino.api.shapes import example_of
from casino.checkpoints import signing
from casino.crypto.signed_note import NoteKey, SignatureType, SignedNote, TreeHead
from casino.kernel.merkle import is_consistent, is_included, leaf_hash
from casino.operators.api.checkpoints import ConsistencyProofResponse, InclusionProofResponse, LogKey
from tests.baccarat.api.people import tenant
from tests.casino.checkpoints.signing_here import log_of

pytestmark = pytest.mark.django_db

REFUSED = [
    ("proofs/inclusion", {"position": 402}, "not_in_checkpoint"),
    ("proofs/inclusion", {"position": 4, "size": 3}, "not_in_checkpoint"),
    ("proofs/inclusion", {"position": 1, "size": 9}, "unknown_checkpoint"),
    ("proofs/inclusion", {"position": 0}, "number_too_small"),
    ("proofs/inclusion", {"position": 10**30}, "number_too_large"),
    ("proofs/inclusion", {}, "field_required"),
    ("proofs/inclusion", {"position": 1, "more": 1}, "unknown_parameter"),
    ("proofs/consistency", {"from": 400, "to": 3}, "checkpoints_reversed"),
    ("proofs/consistency", {"from": 3, "to": 9}, "unknown_checkpoint"),
    ("proofs/consistency", {"from": "x", "to": 1}, "not_an_integer"),
]


def raw(hexes):
    return [bytes.fromhex(each) for each in hexes]


def read_head(note):
    return TreeHead.parse(SignedNote.parse(note).text)


def require_included(proof):
    """Check a proof of inclusion against the signed root, from the response alone."""
    head, leaf = read_head(proof["checkpoint"]), leaf_hash(bytes.fromhex(proof["digest"]))
    assert is_included(leaf, proof["position"] - 1, head.size, raw(proof["path"]), head.root)


def require_consistent(proof):
    old, new = read_head(proof["from"]), read_head(proof["to"])
    assert is_consistent(old.size, new.size, old.root, new.root, raw(proof["path"]))


def require_signed(note, public):
    key = NoteKey(read_head(note).origin, SignatureType.NOTE, bytes.fromhex(public))
    assert len(SignedNote.parse(note).verified_by([key])) == 1


@pytest.fixture
def operator(settings, tmp_path):
    """Create an operator of a log with checkpoints at 3, 400 and 401."""
    settings.CHECKPOINT_STORAGE = (tmp_path / "kept").as_uri()
    for number, count in enumerate((3, 397, 1)):
        log_of(count, stream=f"round-{number}")
        signing.sign_now()
    return tenant("lucky")


def test_the_examples_of_the_openapi_document_are_valid():
    inclusion, consistency = example_of(InclusionProofResponse), example_of(ConsistencyProofResponse)
    older, newer, public_key = consistency["from"], consistency["to"], example_of(LogKey)["public_key"]
    assert inclusion["checkpoint"] == newer
    for checkpoint in (older, newer):
        require_signed(checkpoint, public_key)
    require_included(inclusion)
    require_consistent(consistency)


def test_the_newest_checkpoint_is_shown_with_the_key_that_signed_it(operator):
    note = operator.read("log/checkpoint")["checkpoint"]
    assert read_head(note).size == 401
    (key,) = operator.read("log/keys")["items"]
    require_signed(note, key["public_key"])


def test_a_log_without_a_checkpoint_says_so():
    assert tenant("lucky").get("log/checkpoint").json()["code"] == "unknown_checkpoint"


def test_a_position_is_proven(operator):
    for position, size, within in ((2, None, 3), (2, 401, 401), (3, 3, 3), (300, None, 400)):
        query = {"position": position} | ({} if size is None else {"size": size})
        proof = operator.read("log/proofs/inclusion", **query)
        assert (proof["position"], read_head(proof["checkpoint"]).size) == (position, within)
        require_included(proof)


def test_consistency_is_proven(operator):
    for old, new in ((3, 400), (3, 401), (400, 401), (400, 400)):
        proof = operator.read("log/proofs/consistency", **{"from": old, "to": new})
        assert (read_head(proof["from"]).size, read_head(proof["to"]).size) == (old, new)
        require_consistent(proof)


def test_impossible_proofs_are_refused_with_their_codes(operator):
    for path, query, code in REFUSED:
        assert operator.get(f"log/{path}", **query).json()["code"] == code


def test_requests_without_a_credential_are_refused(client):
    for path in ("checkpoint", "keys", "proofs/inclusion?position=1", "proofs/consistency"):
        assert client.get(f"/api/v1/log/{path}").status_code == 401


def test_a_player_may_read_checkpoints(operator):
    ann = operator.player("Ann")
    assert read_head(ann.read("log/checkpoint")["checkpoint"]).size == 401
