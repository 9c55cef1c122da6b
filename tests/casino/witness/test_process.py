"""A witness as a process of its own: chains, releases, refusals, evidence."""

import itertools
import json
from dataclasses import replace
from uuid import uuid4

import httpx
import pytest

from casino.crypto import ed25519
from casino.witness import statements
from casino.witness.client import ChainRefused, Released, Unreleased
from casino.witness.statements import ClosingKind, ClosingRequest, Release, Retirement, RetirementReason
from tests.casino.witness.running import CLOSING_KEY, ORIGIN, TABLE, active_chain, item, running

OTHER = b"\x52" * 32


@pytest.fixture(scope="module")
def witness(tmp_path_factory):
    with running(tmp_path_factory.mktemp("witness") / "data") as process:
        yield process


@pytest.fixture
def client(witness):
    with witness.client() as client:
        yield client


@pytest.fixture
def chain(witness, client, table):
    return active_chain(witness, client, table=table)


@pytest.fixture
def table():
    return uuid4()


def test_links_are_given_out_in_order_with_numbered_statements_that_name_the_one_before(client, chain):
    results = client.release([item(chain, index, bytes([index]) * 32) for index in range(20)])
    assert all(isinstance(each, Released) for each in results)
    releases = [each.release for each in results]
    assert [each.index for each in releases] == list(range(20))
    assert [each.number for each in releases] == list(range(releases[0].number, releases[0].number + 20))
    for before, after in itertools.pairwise(results):
        assert after.release.previous == statements.statement_hash(before.statement)
        assert after.release.time_ms >= before.release.time_ms


def test_a_repeat_gets_the_same_bytes(client, chain):
    (first,) = client.release([item(chain, 0)])
    assert client.release([item(chain, 0), item(chain, 0)]) == [first, first]


def test_another_digest_for_a_used_index_is_refused_with_the_release_and_kept(client, chain, witness):
    (first,) = client.release([item(chain, 0)])
    for other in (item(chain, 0, OTHER), item(chain, 0, kind=ClosingKind.VOID)):
        (refused,) = client.release([other])
        assert (refused.code, refused.existing) == ("index_used", first)
    rows = httpx.get(f"{witness.url}/v1/refusals", params={"origin": ORIGIN}).json()["refusals"]
    kept = [row for row in rows if row["request"] == item(chain, 0, OTHER).request.serialize().hex()]
    assert [row["code"] for row in kept] == ["index_used"]
    assert ed25519.is_signed(bytes.fromhex(kept[0]["request"]), bytes.fromhex(kept[0]["signature"]), public=CLOSING_KEY)


@pytest.mark.parametrize("index", [1, 255, 256, 2**40])
def test_only_the_next_index_is_given_out(client, chain, index):
    (refused,) = client.release([item(chain, index)])
    assert (refused.code, refused.next_index) == ("not_next_index", 0)


def test_a_bad_item_fails_alone(client, chain):
    unknown = replace(chain, header=replace(chain.header, number=99))
    results = client.release([item(chain, 0), item(unknown, 0), item(chain, 5), item(chain, 1)])
    codes = [each.code if isinstance(each, Unreleased) else "released" for each in results]
    assert codes == ["released", "unknown_chain", "not_next_index", "released"]


def test_the_last_index_retires_the_chain(client, chain):
    for start in range(0, 256, 64):
        client.release([item(chain, index) for index in range(start, start + 64)])
    published = client.chain(chain.header)
    assert (published.state, published.next_index) == ("retired", 256)
    (refused,) = client.release([item(chain, 256)])
    assert refused.code == "chain_retired"
    (again,) = client.release([item(chain, 255)])
    assert isinstance(again, Released)


def test_a_batch_of_more_than_256_items_is_sent_in_parts(client, chain):
    results = client.release([item(chain, min(index, 255)) for index in range(300)])
    assert len(results) == 300
    assert all(isinstance(each, Released) for each in results[:256])


def test_a_request_signed_by_another_key_is_refused_and_changes_nothing(witness, client, chain):
    request = ClosingRequest(chain.header.chain, 0, ClosingKind.PLAYED, OTHER)
    body = {
        "chain": request.chain.hex(),
        "index": 0,
        "kind": 1,
        "digest": request.digest.hex(),
        "signature": ed25519.sign(b"\x66" * 32, request.serialize()).hex(),
    }
    before = httpx.get(f"{witness.url}/v1/refusals", params={"origin": ORIGIN}).json()
    for forged in (body, {**body, "signature": "00" * 64}, {**body, "index": 1}):
        response = httpx.post(f"{witness.url}/v1/release", json={"items": [forged]})
        assert (response.status_code, response.json()["code"]) == (403, "wrong_signature")
    assert client.chain(chain.header).next_index == 0
    assert httpx.get(f"{witness.url}/v1/refusals", params={"origin": ORIGIN}).json() == before


def test_a_signature_for_another_chain_index_or_kind_does_not_carry_over(witness, client, chain):
    request = item(chain, 0).request
    signature = ed25519.sign(b"\x42" * 32, request.serialize()).hex()
    good = {
        "chain": request.chain.hex(),
        "index": 0,
        "kind": 1,
        "digest": request.digest.hex(),
        "signature": signature,
    }
    other = active_chain(witness, client, table=TABLE)
    for change in ({"chain": other.header.chain.hex()}, {"index": 1}, {"kind": 2}, {"digest": OTHER.hex()}):
        response = httpx.post(f"{witness.url}/v1/release", json={"items": [good | change]})
        assert response.status_code == 403


def test_a_table_has_one_active_chain_and_one_successor(witness, client, chain, table):
    successor = client.create_chain(witness.address, origin=ORIGIN, table=table, number=2, height=8).signed
    assert client.create_chain(witness.address, origin=ORIGIN, table=table, number=2, height=8).signed == successor
    with pytest.raises(ChainRefused) as third:
        client.create_chain(witness.address, origin=ORIGIN, table=table, number=3, height=8)
    assert third.value.code == "too_many_chains"
    (refused,) = client.release([item(successor, 0)])
    assert refused.code == "chain_not_active"
    client.activate_chain(successor.header)
    (refused,) = client.release([item(successor, 0)])
    assert refused.code == "chain_not_active"
    client.release([item(chain, 0)])
    assert client.retire_chain(chain.header).state == "retired"
    assert client.retire_chain(chain.header).state == "retired"
    (given,) = client.release([item(successor, 0)])
    assert isinstance(given, Released)
    assert client.last_chain_number(witness.address, origin=ORIGIN, table=table) == 2


def test_a_chain_of_a_passed_number_or_of_other_terms_is_refused(witness, client, chain, table):
    for number, height in ((1, 9), (0, 8)):
        with pytest.raises(ChainRefused) as refusal:
            client.create_chain(witness.address, origin=ORIGIN, table=table, number=number, height=height)
        assert refusal.value.code in {"number_passed", "malformed"}


def test_a_retirement_is_a_numbered_statement(witness, client, chain):
    (given,) = client.release([item(chain, 0)])
    client.retire_chain(chain.header)
    params = {"origin": ORIGIN, "generation": 1, "after": given.release.number}
    (row,) = httpx.get(f"{witness.url}/v1/statements", params=params).json()["statements"]
    retirement = statements.parse_statement(bytes.fromhex(row["statement"]))
    assert isinstance(retirement, Retirement)
    assert (retirement.chain, retirement.next_index, retirement.reason) == (
        chain.header.chain,
        1,
        RetirementReason.HOUSE,
    )
    assert retirement.previous == statements.statement_hash(given.statement)
    assert ed25519.is_signed(
        bytes.fromhex(row["statement"]), bytes.fromhex(row["signature"]), public=chain.header.release_key
    )


def test_chains_are_made_activated_and_retired_by_the_house_only(witness, chain):
    with witness.client([b"\x66" * 32]) as stranger:
        for call in (
            lambda: stranger.create_chain(witness.address, origin=ORIGIN, table=TABLE, number=7, height=8),
            lambda: stranger.retire_chain(chain.header),
            lambda: stranger.activate_chain(chain.header),
        ):
            with pytest.raises(ChainRefused):
                call()
    for change in ("retire", "activate"):
        response = httpx.post(
            f"{witness.url}/v1/chains/{chain.header.chain.hex()}/{change}", json={"signature": "00" * 64}
        )
        assert response.status_code == 403


def test_reads_show_what_was_given_out_and_nothing_else(witness, client, chain):
    address = f"{witness.url}/v1/chains/{chain.header.chain.hex()}"
    assert httpx.get(f"{address}/0").json()["code"] == "not_given_out"
    (given,) = client.release([item(chain, 0)])
    row = httpx.get(f"{address}/0").json()
    release = statements.verify_release(
        chain.header,
        bytes.fromhex(row["statement"]),
        bytes.fromhex(row["signature"]),
        [bytes.fromhex(each) for each in row["path"]],
    )
    assert release == given.release
    assert httpx.get(f"{address}/1").status_code == 404
    published = httpx.get(address).text
    assert statements.link(b"", 1).hex() not in published
    assert set(json.loads(published)) == {
        "chain", "header", "signature", "house_signature", "state", "next_index"
    }  # fmt: skip
    assert Release.parse(bytes.fromhex(row["statement"])).link not in bytes.fromhex(json.loads(published)["header"])
