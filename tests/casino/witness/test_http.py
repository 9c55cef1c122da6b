"""The witness over HTTP, in this process: cosigning by the standard, clocks, and requests that mean no good."""

import asyncio
import json
from base64 import b64encode
from hashlib import sha256

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from casino.crypto import ed25519, signed_note
from casino.crypto.signed_note import NoteKey, SignatureType, SignedNote, TreeHead
from casino.kernel import merkle
from casino.witness import app as app_module
from casino.witness import statements
from casino.witness.app import MAX_BODY, Application
from casino.witness.houses import read_houses
from casino.witness.service import Witness
from casino.witness.statements import ChainCreation, ChainHeader, ClosingKind, ClosingRequest
from casino.witness.store import CannotStart, Store
from tests.casino.witness.running import CLOSING_KEY, CLOSING_PRIVATE, HOUSES, LOG_PRIVATE, ORIGIN, TABLE, Log
from tests.support.depth import examples

START_MS = 1_790_000_000_000
POSTS = (
    "/add-checkpoint",
    "/v1/chains",
    "/v1/release",
    f"/v1/chains/{'ab' * 32}/activate",
    f"/v1/chains/{'ab' * 32}/retire",
)


class House:
    """A witness in this process with a clock that a test sets, and requests to it."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "houses").write_text(HOUSES)
        self.now = START_MS
        self.store = Store(folder, name="witness.test/w1", clock=lambda: self.now)
        self.app = Application(Witness(self.store, read_houses(folder / "houses")))
        self.log = Log()

    def call(self, method, path, body=b"", query=b"", chunks=None):
        """Send a request; return status, headers and body."""
        parts = list(chunks) if chunks is not None else [{"type": "http.request", "body": body, "more_body": False}]
        sent = []

        async def receive():
            if not parts:
                await asyncio.sleep(3600)
            return parts.pop(0)

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": method, "path": path, "query_string": query}
        asyncio.run(self.app(scope, receive, send))
        return sent[0]["status"], dict(sent[0]["headers"]), sent[1]["body"]

    def post(self, path, members):
        status, _, body = self.call("POST", path, json.dumps(members).encode())
        return status, json.loads(body)

    def submit(self, body):
        status, headers, answer = self.call("POST", "/add-checkpoint", body.encode())
        return status, headers[b"content-type"].decode(), answer.decode()

    def pin(self):
        self.log.grow()
        status, _, _ = self.submit(self.log.submission())
        assert status == 200
        self.log.cosigned = len(self.log.leaves)

    def chain(self):
        creation = ChainCreation(self.store.identity.release_key, ORIGIN, TABLE, 1, 8, CLOSING_KEY, 60)
        status, chain = self.post(
            "/v1/chains",
            {
                "release_key": creation.release_key.hex(),
                "origin": ORIGIN,
                "table": str(TABLE),
                "number": 1,
                "height": 8,
                "closing_key": CLOSING_KEY.hex(),
                "max_unpinned_s": 60,
                "signature": ed25519.sign(CLOSING_PRIVATE, creation.serialize()).hex(),
            },
        )
        assert status == 200
        header = ChainHeader.parse(bytes.fromhex(chain["header"]))
        signature = ed25519.sign(CLOSING_PRIVATE, header.serialize()).hex()
        assert self.post(f"/v1/chains/{header.chain.hex()}/activate", {"signature": signature})[0] == 200
        return header

    def release(self, header, index, digest=b"\x51" * 32):
        request = ClosingRequest(header.chain, index, ClosingKind.PLAYED, digest)
        item = {
            "chain": header.chain.hex(),
            "index": index,
            "kind": 1,
            "digest": digest.hex(),
            "signature": ed25519.sign(CLOSING_PRIVATE, request.serialize()).hex(),
        }
        status, answer = self.post("/v1/release", {"items": [item]})
        return answer["results"][0] if status == 200 else answer


@pytest.fixture
def house(tmp_path):
    house = House(tmp_path / "data")
    yield house
    house.store.close()


def note(size, root, *, private=LOG_PRIVATE, origin=ORIGIN):
    head = TreeHead(origin, size, root)
    return str(SignedNote(str(head), (signed_note.sign(str(head), name=origin, private=private),)))


def test_a_checkpoint_is_cosigned_under_the_witness_key_at_its_time(house):
    house.log.grow(5)
    submission = house.log.submission()
    status, _, line = house.submit(submission)
    assert (status, line[:2]) == (200, "\u2014 ")
    cosigned = SignedNote.parse(submission.partition("\n\n")[2] + line)
    ((_, signature),) = cosigned.verified_by([house.store.identity.cosign_key])
    assert signature.time == START_MS // 1000
    digest = sha256(ORIGIN.encode()).hexdigest()
    status, _, latest = house.call("GET", f"/{digest}/checkpoint")
    assert (status, latest.decode()) == (200, str(cosigned))


def test_each_refusal_of_the_standard_has_its_status(house):
    house.log.grow(5)
    assert house.submit(house.log.submission())[0] == 200
    five = merkle.root(house.log.leaves)
    house.log.grow(3)
    eight = merkle.root(house.log.leaves)
    stranger = "other.test/log"
    other_key = b"\x77" * 32
    proof = "".join(f"{b64encode(each).decode()}\n" for each in merkle.consistency(house.log.leaves, 5))
    assert house.submit(f"old 5\n{proof}\n{note(8, eight, origin=stranger)}")[0] == 404
    assert house.submit(f"old 5\n{proof}\n{note(8, eight, private=other_key)}")[0] == 403
    assert house.submit(f"old 9\n{proof}\n{note(8, eight)}")[0] == 400
    assert house.submit(f"old 3\n{proof}\n{note(8, eight)}") == (409, "text/x.tlog.size", "5\n")
    assert house.submit(f"old 5\n\n{note(8, eight)}")[0] == 422
    assert house.submit(f"old 5\n\n{note(5, eight)}")[0] == 422
    assert house.submit(f"old 5\n{proof}\n{note(8, five)}")[0] == 422
    assert house.submit(f"old 5\n{proof * 40}\n{note(8, eight)}")[0] == 400
    assert house.submit(f"old 05\n{proof}\n{note(8, eight)}")[0] == 400
    assert house.submit("nothing")[0] == 400
    assert house.submit(f"old 5\n{proof}\n{note(8, eight)}")[0] == 200
    assert house.submit(f"old 8\n\n{note(8, eight)}")[0] == 200


def test_a_signature_of_a_trusted_name_and_id_that_is_wrong_is_refused_among_good_ones(house):
    house.log.grow(2)
    text = str(TreeHead(ORIGIN, 2, merkle.root(house.log.leaves)))
    good = signed_note.sign(text, name=ORIGIN, private=LOG_PRIVATE)
    bad = signed_note.NoteSignature(ORIGIN, good.key_id, bytes(64))
    unknown = signed_note.sign(text, name="else.test", private=b"\x78" * 32)
    assert house.submit(f"old 0\n\n{SignedNote(text, (good, bad))}")[0] == 403
    assert house.submit(f"old 0\n\n{SignedNote(text, (unknown,))}")[0] == 403
    assert house.submit(f"old 0\n\n{SignedNote(text, (unknown, good))}")[0] == 200


def test_a_forked_checkpoint_is_kept_with_its_proof(house):
    house.log.grow(5)
    house.submit(house.log.submission())
    forked = note(6, b"\x61" * 32)
    assert house.submit(f"old 5\n\n{forked}")[0] == 422
    assert house.submit(f"old 4\n\n{note(5, b'a' * 32)}")[0] == 409
    query = f"origin={ORIGIN}".encode()
    rows = json.loads(house.call("GET", "/v1/refused-checkpoints", query=query)[2])["checkpoints"]
    assert [row["note"].partition("\n\n")[2] for row in rows] == [forked, note(5, b"a" * 32)]


def test_no_link_is_given_out_without_a_recent_checkpoint(house):
    header = house.chain()
    assert house.release(header, 0)["code"] == "unpinned"
    house.pin()
    first = house.release(header, 0)
    assert first["status"] == "released"
    house.now += 60_000
    assert house.release(header, 1)["status"] == "released"
    house.now += 1
    assert house.release(header, 2)["code"] == "unpinned"
    assert house.release(header, 0) == first
    house.pin()
    assert house.release(header, 2)["status"] == "released"


def test_the_clock_never_runs_back(house):
    header = house.chain()
    house.pin()
    house.now += 5000
    first = statements.parse_statement(bytes.fromhex(house.release(header, 0)["statement"]))
    house.now -= 900
    second = statements.parse_statement(bytes.fromhex(house.release(header, 1)["statement"]))
    assert first.time_ms == second.time_ms == START_MS + 5000
    house.now -= 200
    assert house.release(header, 2)["code"] == "clock_behind"
    assert house.release(header, 0)["status"] == "released"
    assert house.submit(house.log.submission(old=1))[0] == 503
    house.now += 1000
    assert house.release(header, 2)["status"] == "released"


def test_a_body_that_is_too_large_ends_early_or_too_slow_is_refused(house, monkeypatch):
    part = {"type": "http.request", "body": b"x" * 65536, "more_body": True}
    assert house.call("POST", "/v1/release", chunks=[part] * (MAX_BODY // 65536 + 1))[0] == 413
    assert house.call("POST", "/v1/release", chunks=[part, {"type": "http.disconnect"}])[0] == 400
    monkeypatch.setattr(app_module, "BODY_SECONDS", 0.05)
    assert house.call("POST", "/v1/release", chunks=[part])[0] == 408


@pytest.mark.parametrize(("method", "path", "status"), [("PUT", "/v1/release", 405), ("GET", "/nothing", 404)])
def test_other_methods_and_addresses_are_refused(house, method, path, status):
    assert house.call(method, path)[0] == status


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/v1/chains", b"origin=x&table=nonsense"),
        ("/v1/statements", b"origin=x&generation=-1"),
        ("/v1/statements", b"after=1"),
        ("/v1/statements", b"origin=x&after=99999999999999999999"),
        ("/v1/refusals", b"\xff"),
        ("/v1/checkpoints", b"&&=&"),
    ],
)
def test_a_malformed_query_is_refused(house, path, query):
    assert house.call("GET", path, query=query)[0] == 400


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary().map(bytes.hex),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
ITEM = st.fixed_dictionaries(
    {},
    optional={
        name: JSON | st.binary(min_size=32, max_size=64).map(bytes.hex) | st.integers()
        for name in ("chain", "index", "kind", "digest", "signature", "header", "statement", "header_signature")
    },
)
BODY = st.one_of(
    st.binary(max_size=400),
    JSON.map(lambda value: json.dumps(value).encode()),
    st.fixed_dictionaries(
        {}, optional={"items": st.lists(ITEM, max_size=3), "newest": ITEM, "number": st.integers()}
    ).map(lambda value: json.dumps(value).encode()),
    st.text(max_size=300).map(lambda text: f"old 0\n\n{text}\n\n\u2014 a b\n".encode()),
)


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory):
    house = House(tmp_path_factory.mktemp("fuzzed") / "data")
    house.chain()
    house.pin()
    yield house
    house.store.close()


@hypothesis_settings(max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.sampled_from(POSTS), body=BODY)
def test_whatever_is_posted_is_refused_and_changes_nothing(fuzzed, path, body):
    before = fuzzed.store.epoch()
    status, _, answer = fuzzed.call("POST", path, body)
    assert 400 <= status < 500, answer
    assert fuzzed.store.epoch() == before


def test_deep_and_huge_json_is_refused(house):
    for body in (b"[" * 100_000, b'{"items":' * 25_000, b'{"number":' + b"9" * 200_000 + b"}"):
        assert house.call("POST", "/v1/release", body)[0] == 400


def test_names_that_are_not_the_witness_own_are_refused(tmp_path):
    house = House(tmp_path / "data")
    house.store.close()
    with pytest.raises(CannotStart):
        Store(tmp_path / "data", name="witness.test/other")
    (tmp_path / "data" / "release.key").write_text("11" * 32)
    with pytest.raises(CannotStart):
        Store(tmp_path / "data", name="witness.test/w1")


@pytest.mark.parametrize(
    "line",
    ["nonsense", f"{NoteKey(ORIGIN, SignatureType.NOTE, CLOSING_KEY).vkey} 00", f"a+b+c {'00' * 32}", "one two three"],
)
def test_a_malformed_file_of_houses_stops_the_start_with_its_line(tmp_path, line):
    (tmp_path / "houses").write_text(f"# ours\n{line}\n")
    with pytest.raises(CannotStart, match="line 2"):
        read_houses(tmp_path / "houses")
