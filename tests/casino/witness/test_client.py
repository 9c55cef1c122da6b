"""The house's client and witnesses that are slow, away, or answer with what is not true."""

import contextlib
import json
import socketserver
import time

import pytest
from django.core.exceptions import ImproperlyConfigured

from casino.crypto import ed25519
from casino.crypto.signed_note import NoteKey, SignatureType
from casino.kernel import merkle
from casino.witness import transport
from casino.witness.addresses import WitnessAddress, parse_addresses
from casino.witness.client import Released, ReleaseItem, SignedHeader, Unreleased
from casino.witness.statements import ClosingKind, ClosingRequest
from tests.casino.witness.running import WaitingClient
from tests.casino.witness.test_statements import CLOSING_KEY, HEADER, LEAVES, RELEASE, RELEASE_KEY
from tests.threads import serving

CHAIN = SignedHeader(HEADER, ed25519.sign(RELEASE_KEY, HEADER.serialize()))
ITEM = ReleaseItem(CHAIN, ClosingRequest(HEADER.chain, RELEASE.index, ClosingKind.PLAYED, RELEASE.digest))
GOOD = {
    "status": "released",
    "statement": RELEASE.serialize().hex(),
    "signature": ed25519.sign(RELEASE_KEY, RELEASE.serialize()).hex(),
    "path": [each.hex() for each in merkle.path(LEAVES, RELEASE.index)],
}


def answered(body, status=200):
    """Return the bytes of an answer."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return f"HTTP/1.1 {status} X\r\ncontent-length: {len(data)}\r\n\r\n".encode() + data


def whole(*parts):
    """Return a behaviour: send these parts, and close."""

    def behave(connection):
        for part in parts:
            connection.sendall(part)

    return behave


def silent(connection):
    connection.recv(1)


def trickling(connection):
    """Send a byte of a header now and then, for ever."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nx: ")
    with contextlib.suppress(OSError):
        while True:
            connection.sendall(b"x")
            time.sleep(0.2)


@contextlib.contextmanager
def behaving(behave):
    """Run a server that reads each request and then behaves like that; yield a client of it."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.recv(65536)
            with contextlib.suppress(OSError):
                behave(self.request)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True
        block_on_close = False

    with serving(Server(("127.0.0.1", 0), Handler)) as server:
        cosigner = NoteKey("witness.test/w1", SignatureType.COSIGNATURE, HEADER.release_key)
        address = WitnessAddress(f"http://127.0.0.1:{server.server_address[1]}", cosigner, HEADER.release_key)
        client = WaitingClient([address], [CLOSING_KEY])
        try:
            yield client
        finally:
            client.close()


@pytest.mark.parametrize(
    "behave",
    [
        silent,
        trickling,
        whole(),
        whole(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}"),
        whole(b"no HTTP at all\r\n\r\n"),
        whole(b"HTTP/1.1 200 OK\r\n\r\n" + b" " * (transport.MAX_ANSWER + 1)),
    ],
    ids=["silent", "trickling", "closing", "cut off", "babbling", "endless"],
)
def test_a_witness_that_does_not_answer_is_away_within_the_limits(behave):
    with behaving(behave) as client:
        (result,) = client.release([ITEM])
        assert (type(result), result.code) == (Unreleased, "away")
        assert client.away_since(HEADER.release_key) is not None


@pytest.mark.parametrize(
    "results",
    [
        [],
        [GOOD, GOOD],
        ["released"],
        [None],
        [{"status": "released"}],
        [GOOD | {"path": []}],
        [GOOD | {"path": GOOD["path"][::-1]}],
        [GOOD | {"signature": "00" * 64}],
        [GOOD | {"statement": "00"}],
        [{"status": "refused", "code": "index_used", "detail": "", "existing": {"statement": "00"}}],
    ],
)
def test_an_answer_that_does_not_verify_is_invalid_and_not_away(results):
    with behaving(whole(answered({"results": results}))) as client:
        (result,) = client.release([ITEM])
        assert (type(result), result.code) == (Unreleased, "invalid_answer")
        assert client.away_since(HEADER.release_key) is None


@pytest.mark.parametrize("body", [b"", b"[", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, {"results": 1}])
def test_an_answer_that_is_no_list_of_results_is_invalid(body):
    with behaving(whole(answered(body))) as client:
        (result,) = client.release([ITEM])
        assert result.code == "invalid_answer"


@pytest.mark.parametrize(
    ("status", "code"), [(503, "storage_failed"), (409, "witness_restored"), (403, "wrong_signature")]
)
def test_a_refused_batch_has_the_code_of_the_witness_for_each_item(status, code):
    with behaving(whole(answered({"code": code, "detail": "so"}, status))) as client:
        assert [each.code for each in client.release([ITEM, ITEM])] == [code, code]
        assert (client.away_since(HEADER.release_key) is None) == (status < 500)


def test_a_release_for_another_closing_is_not_taken_for_ours():
    other = ReleaseItem(CHAIN, ClosingRequest(HEADER.chain, RELEASE.index, ClosingKind.VOID, RELEASE.digest))
    with behaving(whole(answered({"results": [GOOD]}))) as client:
        assert client.release([other])[0].code == "invalid_answer"


def test_a_kept_connection_that_was_closed_is_opened_again():
    with behaving(whole(answered({"results": [GOOD]}))) as client:
        for _ in range(3):
            assert isinstance(client.release([ITEM])[0], Released)


def test_a_witness_that_is_not_configured_is_away():
    client = WaitingClient([], [CLOSING_KEY])
    assert client.release([ITEM])[0].code == "away"
    assert client.away_since(HEADER.release_key) == 0
    client.close()


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        "http://x a b",
        "ftp://x {vkey} {key}",
        "http://x {vkey} 00",
        "http://x {note} {key}",
        "{good}, {good}",
    ],
)
def test_a_malformed_setting_stops_the_start(text):
    key = HEADER.release_key
    vkey = NoteKey("w.test", SignatureType.COSIGNATURE, key).vkey
    note = NoteKey("w.test", SignatureType.NOTE, key).vkey
    values = {"vkey": vkey, "note": note, "key": key.hex(), "good": f"http://x {vkey} {key.hex()}"}
    with pytest.raises(ImproperlyConfigured):
        parse_addresses(text.format(**values))
