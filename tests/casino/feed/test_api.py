"""The feed as its reader sees it: pages, filters, waiting, a stream, and nothing of anybody else."""

import contextlib
import threading
import time

import httpx

from casino.events.sql import execute
from casino.observability.process import ssl_context
from tests.baccarat.api.people import Tenant
from tests.baccarat.streaming.listening import PATIENCE, Listener, Web
from tests.casino.feed.play import play, publish, read_all, types_of


def test_pages_of_any_size_are_the_same_feed(lucky: Tenant) -> None:
    play(lucky)
    assert read_all(lucky, limit=3) == read_all(lucky)


def test_types_are_named_or_begun(lucky: Tenant) -> None:
    play(lucky, rounds=2)
    every = read_all(lucky)
    for pattern, names in (
        ("round.settled", {"round.settled"}),
        ("baccarat.round.settled.v1", {"round.settled"}),
        ("seat.*,round.settled", {"seat.taken", "round.settled"}),
    ):
        assert set(types_of(read_all(lucky, types=pattern, limit=2))) == names, pattern
    wagers = read_all(lucky, types="wager.*")
    assert wagers == [item for item in every if ".wager." in item["type"]]


def test_a_filtered_page_says_how_far_it_looked(lucky: Tenant) -> None:
    play(lucky)
    page = lucky.read("feed", types="chat.*")
    assert page["items"] == []
    assert page["next"] == page["head"] > 0


def test_an_unknown_type_is_refused(lucky: Tenant) -> None:
    for pattern in ("round.setled", "rounds.*", "*", "round.settled,nonsense"):
        answer = lucky.get("feed", types=pattern)
        assert (answer.status_code, answer.json()["code"]) == (422, "unknown_feed_type"), pattern
    assert lucky.get("feed/schemas/round").status_code == 404


def test_numbers_that_expired_are_gone_and_the_oldest_is_named(lucky: Tenant) -> None:
    play(lucky)
    execute("DELETE FROM feed_feeditem WHERE operator_id = %s AND number <= 4", [lucky.id])
    answer = lucky.get("feed", after=3)
    assert (answer.status_code, answer.json()["code"], answer.json()["oldest"]) == (410, "feed_expired", 5)
    assert lucky.read("feed", after=4)["items"][0]["number"] == 5
    execute("DELETE FROM feed_feeditem WHERE operator_id = %s", [lucky.id])
    head = lucky.get("feed").json()["oldest"] - 1
    assert lucky.read("feed", after=head) == {"items": [], "next": head, "head": head}


def test_a_reader_that_is_ahead_of_the_feed_is_refused_with_the_last_number(web: Web, lucky: Tenant) -> None:
    play(lucky)
    head = lucky.read("feed")["head"]
    assert lucky.read("feed", after=head)["items"] == []
    for query in ({"after": head + 1}, {"after": 10**6, "wait": 1}):
        answer = lucky.get("feed", **query)
        assert (answer.status_code, answer.json()["code"], answer.json()["head"]) == (422, "feed_number_ahead", head)
    accepts = {**headers(lucky), "Accept": "text/event-stream", "Last-Event-ID": str(head + 1)}
    answer = httpx.get(f"{web.url}/feed", headers=accepts, verify=ssl_context())
    assert (answer.status_code, answer.json()["code"]) == (422, "feed_number_ahead")


def test_an_operator_reads_its_own_feed_alone(lucky: Tenant, golden: Tenant) -> None:
    play(lucky)
    play(golden)
    ours, theirs = read_all(lucky), read_all(golden)
    assert [item["number"] for item in ours] == list(range(1, len(ours) + 1))
    assert [item["number"] for item in theirs] == list(range(1, len(theirs) + 1))
    assert {item["source"] for item in ours} == {f"/operators/{lucky.slug}"}
    assert not {player.id for player in golden.players} & {item["data"].get("player") for item in ours}


def test_a_player_reads_no_feed(lucky: Tenant) -> None:
    assert lucky.player("Alice").get("feed").status_code == 403


def headers(house: Tenant) -> dict[str, str]:
    return {"Authorization": f"Bearer {house.credential}"}


def test_a_waiting_reader_is_answered_when_something_happens(web: Web, lucky: Tenant) -> None:
    publish()
    answers = []

    def wait() -> None:
        query = {"wait": "30", "types": "player.*"}
        answers.append(
            httpx.get(f"{web.url}/feed", headers=headers(lucky), params=query, timeout=PATIENCE, verify=ssl_context())
        )

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.5)
    lucky.player("Alice")
    publish()
    thread.join(PATIENCE)
    assert answers[0].json()["items"][0]["type"] == "wallet.player.account_opened.v1"


def test_a_reader_that_waits_in_vain_gets_an_empty_page(web: Web, lucky: Tenant) -> None:
    answer = httpx.get(f"{web.url}/feed", headers=headers(lucky), params={"wait": "1"}, verify=ssl_context())
    assert answer.json() == {"items": [], "next": 0, "head": 0}


def test_the_stream_has_the_same_items_and_resumes_after_the_last_one(web: Web, lucky: Tenant) -> None:
    play(lucky)
    pages = read_all(lucky)
    accepts = {**headers(lucky), "Accept": "text/event-stream"}
    with Listener(f"{web.url}/feed", headers=accepts, query={}) as stream:
        until(lambda: len(stream.messages) >= len(pages))
        assert [message.data for message in stream.messages] == pages
        lucky.player("Late")
        publish()
        until(lambda: len(stream.messages) > len(pages))
    with Listener(f"{web.url}/feed", headers={**accepts, "Last-Event-ID": "3"}, query={}) as stream:
        until(lambda: bool(stream.messages))
        assert stream.messages[0].id == 4


def test_an_operator_has_twenty_open_streams_and_another_one_its_own(web: Web, lucky: Tenant, golden: Tenant) -> None:
    def waits(house: Tenant) -> tuple[int, str]:
        answer = httpx.get(f"{web.url}/feed", headers=headers(house), params={"wait": "1"}, verify=ssl_context())
        return answer.status_code, answer.json().get("code", "")

    accepts = {**headers(lucky), "Accept": "text/event-stream"}
    with contextlib.ExitStack() as streams:
        first, *_ = [streams.enter_context(Listener(f"{web.url}/feed", headers=accepts, query={})) for _ in range(20)]
        until(lambda: waits(lucky) == (429, "too_many_requests"))
        with Listener(f"{web.url}/feed", headers=accepts, query={}) as refused:
            assert refused.status == 429
        assert waits(golden) == (200, "")
        first.__exit__(None, None, None)
        until(lambda: waits(lucky) == (200, ""))


def test_a_stream_from_an_expired_number_is_refused(web: Web, lucky: Tenant) -> None:
    play(lucky)
    execute("DELETE FROM feed_feeditem WHERE operator_id = %s AND number <= 4", [lucky.id])
    accepts = {**headers(lucky), "Accept": "text/event-stream", "Last-Event-ID": "2"}
    answer = httpx.get(f"{web.url}/feed", headers=accepts, verify=ssl_context())
    assert (answer.status_code, answer.json()["code"]) == (410, "feed_expired")


def until(holds) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
