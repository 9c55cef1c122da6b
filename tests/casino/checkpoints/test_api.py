"""Checkpoints, keys and proofs over HTTP: with any credential, the log can be verified without trusting us."""

import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from casino.api.shapes import example_of
from casino.checkpoints import signing
from casino.checkpoints.document import fingerprint, parse, signed_bytes
from casino.kernel.merkle import is_consistent, is_included, leaf_hash
from casino.operators.api.checkpoints import ConsistencyProofResponse, InclusionProofResponse, LogKey
from tests.baccarat.api.people import tenant
from tests.casino.checkpoints.signing_here import log_of

pytestmark = pytest.mark.django_db

REFUSED = [
    ("checkpoints/4", {}, "unknown_checkpoint"),
    ("checkpoints/0", {}, "unknown_checkpoint"),
    (f"checkpoints/{10**30}", {}, "unknown_checkpoint"),
    ("proofs/inclusion", {"position": 402}, "not_in_checkpoint"),
    ("proofs/inclusion", {"position": 4, "checkpoint": 1}, "not_in_checkpoint"),
    ("proofs/inclusion", {"position": 1, "checkpoint": 9}, "unknown_checkpoint"),
    ("proofs/inclusion", {"position": 0}, "number_too_small"),
    ("proofs/inclusion", {"position": 10**30}, "number_too_large"),
    ("proofs/inclusion", {}, "field_required"),
    ("proofs/inclusion", {"position": 1, "more": 1}, "unknown_parameter"),
    ("proofs/consistency", {"from": 2, "to": 1}, "checkpoints_reversed"),
    ("proofs/consistency", {"from": 1, "to": 9}, "unknown_checkpoint"),
    ("proofs/consistency", {"from": "x", "to": 1}, "field_invalid"),
]


def raw(hexes):
    return [bytes.fromhex(each) for each in hexes]


def require_included(proof):
    """Check a proof of inclusion against the signed root, from the response alone."""
    checkpoint, leaf = parse(json.dumps(proof["checkpoint"])), leaf_hash(bytes.fromhex(proof["digest"]))
    assert is_included(leaf, proof["position"] - 1, checkpoint.position, raw(proof["path"]), checkpoint.root)


def require_consistent(proof):
    old, new = parse(json.dumps(proof["from"])), parse(json.dumps(proof["to"]))
    assert is_consistent(old.position, new.position, old.root, new.root, raw(proof["path"]))


def require_signed(document, public):
    checkpoint = parse(json.dumps(document))
    Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(checkpoint.signature, signed_bytes(checkpoint))


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
    assert newer["previous"] == fingerprint(parse(json.dumps(older))).hex()
    require_included(inclusion)
    require_consistent(consistency)


def test_checkpoints_are_listed_newest_first_and_read_one_by_one(operator):
    listed = operator.pages("log/checkpoints", limit=2)
    assert [(each["number"], each["position"]) for each in listed] == [(3, 401), (2, 400), (1, 3)]
    assert operator.read("log/checkpoints/2") == listed[1]
    (key,) = operator.read("log/keys")["items"]
    for each in listed:
        assert each["key"] == key["id"]
        require_signed(each, key["public_key"])


def test_a_position_is_proven(operator):
    for position, number, within in ((2, None, 1), (2, 3, 3), (3, 1, 1), (300, None, 2)):
        query = {"position": position} | ({} if number is None else {"checkpoint": number})
        proof = operator.read("log/proofs/inclusion", **query)
        assert (proof["position"], proof["checkpoint"]["number"]) == (position, within)
        require_included(proof)


def test_consistency_is_proven(operator):
    for old, new in ((1, 2), (1, 3), (2, 3), (2, 2)):
        proof = operator.read("log/proofs/consistency", **{"from": old, "to": new})
        assert (proof["from"]["number"], proof["to"]["number"]) == (old, new)
        require_consistent(proof)


def test_impossible_proofs_are_refused_with_their_codes(operator):
    for path, query, code in REFUSED:
        assert operator.get(f"log/{path}", **query).json()["code"] == code


def test_requests_without_a_credential_are_refused(client):
    for path in ("checkpoints", "checkpoints/1", "keys", "proofs/inclusion?position=1", "proofs/consistency"):
        assert client.get(f"/api/v1/log/{path}").status_code == 401


def test_a_player_may_read_checkpoints(operator):
    ann = operator.player("Ann")
    assert ann.read("log/checkpoints/1")["number"] == 1
