"""Webhooks: the feed's own items, signed, in order per subject, again until they are taken, and nobody else's."""

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Generator
from datetime import timedelta
from typing import Any

import pytest

from casino.events.sql import database_now, execute
from casino.feed import queue
from casino.feed.models import FeedItem, WebhookEndpoint
from casino.significant.models import SignificantEvent
from tests.baccarat.api.people import Tenant, sandbox_tenant
from tests.casino.feed.play import play, publish, read_all
from tests.casino.feed.receiving import Message, Receiver, receiver, send, sending, verify
from tests.conftest import Database
from tests.processes import wait_until

DAY = timedelta(days=1)


@pytest.fixture
def theirs(module_database: Database) -> Generator[Receiver]:
    """Yield a receiver, and remove all webhooks in the end: those that fail would be tried in other tests."""
    with receiver() as running:
        yield running
    WebhookEndpoint.objects.all().delete()


def register(house: Tenant, at: Receiver, *types: str) -> dict[str, Any]:
    return house.webhook(f"{at.url}/hook", *types)


def deliveries(house: Tenant, webhook: dict[str, Any]) -> list[dict[str, Any]]:
    return house.pages(f"webhooks/{webhook['id']}/deliveries", limit=50)


def test_what_is_pushed_is_the_feed(lucky: Tenant, theirs: Receiver) -> None:
    register(lucky, theirs)
    play(lucky, rounds=2)
    send()
    items = read_all(lucky)
    assert sorted(theirs.accepted()) == [item["number"] for item in items]
    assert sorted((message.item for message in theirs.messages), key=lambda item: item["number"]) == items


def test_deliveries_are_listed_with_what_was_sent_until_it_expires(lucky: Tenant, theirs: Receiver) -> None:
    webhook = register(lucky, theirs)
    tested = lucky.do(f"webhooks/{webhook['id']}/test")
    play(lucky)
    send()
    listed = {delivery["request"]["webhook_id"]: delivery["request"] for delivery in deliveries(lucky, webhook)}
    sent = {message.headers["webhook-id"]: message.item for message in theirs.messages}
    assert {webhook_id: request["body"] for webhook_id, request in listed.items()} == sent
    assert {request["url"] for request in listed.values()} == {webhook["url"]}
    assert tested["request"] == listed[tested["request"]["webhook_id"]]
    FeedItem.objects.filter(operator_id=lucky.id).delete()
    assert {each["request"]["body"] is None for each in deliveries(lucky, webhook) if each["number"]} == {True}


def test_only_the_types_that_were_asked_for_and_only_what_is_new(lucky: Tenant, theirs: Receiver) -> None:
    play(lucky)
    register(lucky, theirs, "round.settled", "wager.*")
    before = len(read_all(lucky))
    play(lucky)
    send()
    wanted = [item for item in read_all(lucky, types="round.settled,wager.*") if item["number"] > before]
    assert sorted(theirs.accepted()) == [item["number"] for item in wanted]


def test_messages_are_signed_with_each_live_secret(lucky: Tenant, theirs: Receiver) -> None:
    first = register(lucky, theirs)
    address = f"webhooks/{first['id']}"
    lucky.do(f"{address}/test")
    send()
    verify(theirs.messages[-1], secret=first["secret"])
    second = lucky.do(f"{address}/rotate-secret")
    assert [each["expires_at"] is None for each in second["secrets"]] == [True, False]
    lucky.do(f"{address}/test")
    send()
    message = theirs.messages[-1]
    verify(message, secret=second["secret"])
    signed = message.headers["webhook-signature"].split(" ")
    assert [each.split(",")[0] for each in signed] == ["v1", "v1"]
    old = {**message.headers, "webhook-signature": signed[1]}
    verify(Message("", old, message.body), secret=first["secret"])
    with pytest.raises(AssertionError):
        verify(Message("", old, message.body + b" "), secret=first["secret"])
    lucky.do(f"{address}/test")
    send(ahead=2 * DAY)
    assert len(theirs.messages[-1].headers["webhook-signature"].split(" ")) == 1
    assert "secret" not in lucky.read(address)


def test_a_message_keeps_its_id_from_attempt_to_attempt_and_in_a_replay(lucky: Tenant, theirs: Receiver) -> None:
    webhook = register(lucky, theirs)
    theirs.answer = lambda _: (500, b"down")
    lucky.player("Alice")
    publish()
    send()
    theirs.answer = lambda _: (200, b"ok")
    send(ahead=timedelta(minutes=1))
    lucky.do(f"webhooks/{webhook['id']}/replay", {"after": 0, "until": 1})
    send(ahead=timedelta(minutes=1))
    ids = [message.headers["webhook-id"] for message in theirs.messages if message.number == 1]
    assert ids == [f"{lucky.slug}:1"] * 3


def test_each_subject_comes_in_order_though_calls_fail(lucky: Tenant, theirs: Receiver) -> None:
    register(lucky, theirs)
    play(lucky, rounds=3)
    failures: Counter[int] = Counter()
    lock = threading.Lock()

    def flaky(message: Message) -> tuple[int, bytes]:
        with lock:
            failures[message.number] += 1
            return (200, b"") if failures[message.number] > message.number % 3 else (503, b"again")

    theirs.answer = flaky
    for minutes in range(0, 200, 7):
        send(ahead=timedelta(minutes=minutes))
    taken: dict[str, list[int]] = defaultdict(list)
    for message in theirs.messages:
        if not taken[message.item["subject"]] or taken[message.item["subject"]][-1] != message.number:
            taken[message.item["subject"]].append(message.number)
    assert all(numbers == sorted(numbers) for numbers in taken.values())
    assert sorted(set(theirs.accepted())) == [item["number"] for item in read_all(lucky)]


def test_attempts_follow_growing_gaps(lucky: Tenant, theirs: Receiver) -> None:
    webhook = register(lucky, theirs, "player.*")
    theirs.answer = lambda _: (500, b"down")
    lucky.player("Alice")
    publish()
    now, gaps = database_now(), queue.DELIVERIES.gaps
    for attempt in range(7):
        assert send(at=now) == 1
        gap = timedelta(seconds=gaps[min(attempt, len(gaps) - 1)])
        assert send(at=now + gap * 0.99) == 0
        now += gap * 1.11
    (delivery,) = deliveries(lucky, webhook)
    assert delivery["attempts"] == 7
    assert (delivery["response_status"], delivery["response_body"]) == (500, "down")


def test_an_endpoint_that_fails_for_three_days_is_paused_and_replays_each_number_once(
    lucky: Tenant, theirs: Receiver
) -> None:
    webhook = register(lucky, theirs)
    theirs.answer = lambda _: (500, b"down")
    play(lucky)
    ahead = timedelta()
    while ahead <= 3 * DAY:
        send(ahead=ahead)
        assert lucky.read(f"webhooks/{webhook['id']}")["status"] == "active" or ahead >= 3 * DAY
        ahead += timedelta(hours=4)
    send(ahead=3 * DAY + timedelta(minutes=1))
    paused = lucky.read(f"webhooks/{webhook['id']}")
    assert (paused["status"], paused["paused_reason"]) == ("paused", "A delivery failed for three days.")
    events = SignificantEvent.objects.filter(operator_id=lucky.id, kind="webhook_paused")
    assert [event.severity for event in events] == ["warning"]
    theirs.messages.clear()
    theirs.answer = lambda _: (200, b"")
    play(lucky)
    assert send(ahead=4 * DAY) == 0
    lucky.do(f"webhooks/{webhook['id']}/resume")
    send(ahead=4 * DAY)
    everything = [item["number"] for item in read_all(lucky)]
    assert sorted(theirs.accepted()) == everything
    theirs.messages.clear()
    lucky.do(f"webhooks/{webhook['id']}/replay", {"after": 2, "until": 7})
    lucky.do(f"webhooks/{webhook['id']}/replay", {"after": 5, "until": 8})
    send(ahead=4 * DAY)
    assert Counter(theirs.accepted()) == Counter([3, 4, 5, 6, 7, 6, 7, 8])


def test_a_receiver_that_is_gone_is_paused_at_once(lucky: Tenant, theirs: Receiver) -> None:
    webhook = register(lucky, theirs)
    theirs.answer = lambda _: (410, b"")
    lucky.player("Alice")
    publish()
    send()
    assert lucky.read(f"webhooks/{webhook['id']}")["status"] == "paused"


def test_a_slow_endpoint_holds_up_no_other(lucky: Tenant, golden: Tenant, theirs: Receiver) -> None:
    release = threading.Event()

    def slow(_: Message) -> tuple[int, bytes]:
        release.wait(60)
        return 200, b""

    with receiver() as fast:
        for _ in range(3):
            register(lucky, theirs)
        register(golden, fast)
        theirs.answer = slow
        play(lucky, rounds=2)
        play(golden, rounds=2)
        expected = len(read_all(golden))
        with sending(seconds=60):
            try:
                assert wait_until(lambda: len(fast.messages) == expected)
                assert theirs.messages == [], "none has an answer"
            finally:
                release.set()
        assert len(fast.messages) == expected
        assert theirs.messages != []


def test_a_sender_that_dies_sends_the_same_message_again(lucky: Tenant, theirs: Receiver) -> None:
    register(lucky, theirs, "player.*")
    lucky.player("Alice")
    publish()
    now = database_now()
    queue.queue_new(now)
    (claimed,) = [each for each in queue.claim(now, limit=500) if each.url.startswith(theirs.url)]
    assert send() == 0
    assert send(ahead=queue.LEASE + timedelta(seconds=1)) == 1
    assert theirs.messages[0].headers["webhook-id"] == claimed.message
    queue.record(claimed, queue.DeliveryOutcome(500), now)  # the dead one wakes up: its lease has expired
    assert send(ahead=DAY) == 0


def test_two_senders_send_each_item_once(lucky: Tenant, theirs: Receiver) -> None:
    register(lucky, theirs)
    play(lucky, rounds=3)
    now = database_now()
    queue.queue_new(now)
    queue.queue_new(now)
    first, second = queue.claim(now, limit=3), queue.claim(now, limit=500)
    assert not {each.claim for each in first} & {each.claim for each in second}
    assert len([each for each in (*first, *second) if each.url.startswith(theirs.url)]) <= queue.PER_ENDPOINT


def test_senders_that_exceeded_an_endpoints_share_leave_the_others_theirs(
    lucky: Tenant, golden: Tenant, theirs: Receiver
) -> None:
    register(lucky, theirs)
    play(lucky, rounds=3)
    now = database_now()
    queue.queue_new(now)
    queue.claim(now, limit=500)
    execute(
        "UPDATE feed_webhookdelivery SET leased_until = %s WHERE number IS NOT NULL AND due_at IS NOT NULL",
        [now + queue.LEASE],
    )  # as if several had claimed at the same moment
    register(golden, theirs, "player.*")
    golden.player("Gus")
    publish()
    queue.queue_new(now)
    assert [each.message.partition(":")[0] for each in queue.claim(now, limit=500)] == [golden.slug]


def test_every_endpoint_gets_its_first_turn_before_another_gets_its_second(
    lucky: Tenant, golden: Tenant, theirs: Receiver
) -> None:
    busy = [register(lucky, theirs) for _ in range(3)]
    play(lucky, rounds=2)
    quiet = register(golden, theirs, "player.*")
    golden.player("Gus")
    publish()
    now = database_now()
    queue.queue_new(now)
    share = queue.claim(now, limit=4)
    assert {str(each.endpoint) for each in share} == {webhook["id"] for webhook in (*busy, quiet)}


def test_a_secret_that_cant_be_decrypted_fails_its_own_webhook_alone(
    lucky: Tenant, golden: Tenant, theirs: Receiver
) -> None:
    damaged = register(lucky, theirs, "player.*")
    register(golden, theirs, "player.*")
    execute("UPDATE feed_webhooksecret SET wrapped = '' WHERE endpoint_id = %s", [damaged["id"]])
    lucky.player("Alice")
    golden.player("Gus")
    publish()

    send()

    assert [message.headers["webhook-id"].partition(":")[0] for message in theirs.messages] == [golden.slug]
    (delivery,) = lucky.read(f"webhooks/{damaged['id']}/deliveries")["items"]
    assert delivery["error"] == "No secret of this webhook can be read; replace it."
    lucky.do(f"webhooks/{damaged['id']}/rotate-secret")
    assert send(ahead=DAY) == 1


def test_redirects_are_not_followed(lucky: Tenant, theirs: Receiver) -> None:
    webhook = register(lucky, theirs)
    theirs.answer = lambda _: (302, b"")
    lucky.do(f"webhooks/{webhook['id']}/test")
    send()
    assert [message.path for message in theirs.messages] == ["/hook"]
    (delivery,) = deliveries(lucky, webhook)
    assert (delivery["response_status"], delivery["delivered_at"]) == (302, None)


def test_an_answer_is_read_up_to_a_limit_and_in_a_limited_time(lucky: Tenant, theirs: Receiver) -> None:
    webhook = register(lucky, theirs)
    theirs.answer = lambda _: (200, b"\x00" + b"x" * 1_000_000)
    lucky.do(f"webhooks/{webhook['id']}/test")
    send()
    (delivery,) = deliveries(lucky, webhook)
    assert delivery["delivered_at"] is not None
    assert len(delivery["response_body"]) == 2000
    theirs.answer = lambda _: (time.sleep(3), (200, b""))[1]
    lucky.do(f"webhooks/{webhook['id']}/test")
    send(seconds=0.5)
    assert deliveries(lucky, webhook)[0]["error"] == "There was no answer in time."


def test_a_webhook_is_its_operators_alone(lucky: Tenant, golden: Tenant, theirs: Receiver) -> None:
    webhook = register(lucky, theirs)
    for action in ("pause", "resume", "test", "rotate-secret"):
        assert golden.post(f"webhooks/{webhook['id']}/{action}").status_code == 404
    assert golden.post(f"webhooks/{webhook['id']}/replay", {"after": 0, "until": 1}).status_code == 404
    for path in ("", "/deliveries"):
        assert golden.get(f"webhooks/{webhook['id']}{path}").status_code == 404
    assert golden.send("delete", f"webhooks/{webhook['id']}").status_code == 404
    assert golden.read("webhooks")["items"] == []
    play(golden)
    send()
    assert {message.item["source"] for message in theirs.messages} == {f"/operators/{lucky.slug}"}
    told = {message.item["type"].rpartition(".")[0].rpartition(".")[0] for message in theirs.messages}
    assert told == {"casino.change", "casino.significant"}, "who registered it, and nothing of golden's play"


def test_a_removed_webhook_gets_nothing_more(lucky: Tenant, theirs: Receiver) -> None:
    webhook = register(lucky, theirs)
    play(lucky)
    assert lucky.send("delete", f"webhooks/{webhook['id']}").status_code == 204
    send()
    assert theirs.messages == []


def test_refusals_change_nothing(lucky: Tenant, theirs: Receiver) -> None:
    webhook = register(lucky, theirs)
    address = f"webhooks/{webhook['id']}"
    cases: list[tuple[str, Any, int, str]] = [
        (f"{address}/resume", {}, 409, "webhook_not_paused"),
        (f"{address}/replay", {"after": 0, "until": 10**9}, 422, "feed_number_ahead"),
        ("webhooks", {"url": f"{theirs.url}/x", "types": ["nonsense"]}, 422, "unknown_feed_type"),
        ("webhooks", {"url": "ftp://lucky.example/"}, 422, "invalid_webhook_url"),
    ]
    for path, body, status, code in cases:
        answer = lucky.post(path, body, person="ann" if path == "webhooks" else "")
        assert (answer.status_code, answer.json()["code"]) == (status, code), path
    lucky.do(f"{address}/pause")
    for action, body in (("pause", {}), ("test", {}), ("replay", {"after": 0, "until": 1})):
        assert lucky.post(f"{address}/{action}", body).json()["code"] == "webhook_paused", action
    for _ in range(19):
        register(lucky, theirs)
    assert lucky.post("webhooks", {"url": theirs.url}, person="ann").json()["code"] == "too_many_webhooks"


def test_a_live_operators_feed_goes_nowhere_until_a_second_person_confirms_it(lucky: Tenant, theirs: Receiver) -> None:
    address = {"url": f"{theirs.url}/hook"}
    assert lucky.post("webhooks", address).json()["code"] == "assertion_required"
    webhook = lucky.do("webhooks", address, person="ann")
    confirm = f"changes/{webhook['change']}/confirm"
    assert lucky.post(confirm, person="ann").json()["code"] == "change_needs_second_person"
    for action in ("resume", "test"):
        assert lucky.post(f"webhooks/{webhook['id']}/{action}").status_code == 409
    play(lucky)
    send()
    assert theirs.messages == []
    assert lucky.read(f"webhooks/{webhook['id']}")["status"] == "waiting"

    lucky.do(confirm, person="ben")
    play(lucky)
    send()

    assert len(theirs.messages) > 0
    assert lucky.read(f"webhooks/{webhook['id']}")["status"] == "active"


def test_a_webhook_that_nobody_confirmed_is_gone(lucky: Tenant, theirs: Receiver) -> None:
    declined, removed = (lucky.do("webhooks", {"url": theirs.url}, person="ann") for _ in range(2))
    lucky.do(f"changes/{declined['change']}/decline", person="ben")
    assert lucky.send("delete", f"webhooks/{removed['id']}").status_code == 204
    assert lucky.read("webhooks")["items"] == []
    assert lucky.read(f"changes/{removed['change']}")["status"] == "cancelled"


def test_a_sandbox_operators_key_registers_its_webhooks_alone(theirs: Receiver) -> None:
    webhook = sandbox_tenant("trial").do("webhooks", {"url": theirs.url})
    assert (webhook["status"], webhook["change"]) == ("active", None)
