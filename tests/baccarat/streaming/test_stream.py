"""The live stream of a player over a real web server."""

import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis
from django.conf import settings
from django.db import connection, transaction

from baccarat.streaming.snapshot import decode_position
from casino.events import sealer, store
from casino.events.records import Append, NewEvent
from casino.events.sql import execute, fetch
from casino.observability.process import ssl_context
from casino.operators import credentials
from tests.baccarat.api.people import Gambler, Tenant, bet, company, deal_all, sit
from tests.baccarat.services.test_wagering import post_bet
from tests.baccarat.streaming.listening import PATIENCE, Listener, Web
from tests.casino.events.writing import METADATA
from tests.conftest import Database
from tests.wallet.remote.operators import begin_again, join, running_wallet, seamless_house


def note(table: str, *texts: str) -> None:
    """Record events of another part of the service that are named after a table."""
    stream = f"note-{table}"
    known = int(fetch("SELECT coalesce(max(version), 0) FROM events_event WHERE stream = %s", [stream])[0][0])
    drafts = tuple(NewEvent("Noted", 1, json.dumps({"text": text}).encode()) for text in texts)
    store.append([Append(stream, known, drafts, METADATA)])


def notes(stream: Listener) -> list[str]:
    return [data["data"]["text"] for data in stream.of("event") if data["type"] == "Noted"]


def refused(web: Web, query: dict[str, str] | None = None, *, credential: str | None = None) -> tuple[int, str]:
    headers = {} if credential is None else {"Authorization": f"Bearer {credential}"}
    answer = httpx.get(f"{web.url}/stream", params=query or {}, headers=headers, timeout=PATIENCE, verify=ssl_context())
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"]


def test_a_stream_begins_with_a_snapshot_and_goes_on_with_what_happens(web: Web, lucky: Tenant) -> None:
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    sealer.seal_all()
    with web.listen(alice) as stream:
        stream.until(lambda s: s.of("snapshot"))
        assert stream.answer.headers["content-type"] == "text/event-stream"
        assert stream.answer.headers["cache-control"] == "no-cache, no-transform"
        (snapshot,) = stream.of("snapshot")
        shown = alice.read(f"tables/{table}")
        (picture,) = snapshot["tables"]
        assert {**picture, "server_time": None} == {**shown, "server_time": None}
        assert snapshot["balances"] == alice.read("me/balances")
        bet(alice, table, player="50.00", tie="25.00")
        bet(bob, table, banker="25.00")
        deal_all()
        stream.until_type("WagerConfirmed", "WagerConfirmed", "CardsDealt", "RoundSettled", "RoundOpened")
        mine, other = [data["data"] for data in stream.of("event") if data["type"] == "WagerConfirmed"]
        assert (mine["player"], mine["stakes"]) == (alice.id, {"player": "50.00", "tie": "25.00"})
        assert "player" not in other
        assert other["stakes"] == {"banker": "25.00"}
        stream.until(lambda s: s.of("balances") and s.of("balances")[-1] == alice.read("me/balances"))
        ids = [message.id for message in stream.messages if message.event in {"snapshot", "event"}]
        assert ids == sorted(set(ids))


def test_a_complaints_player_alone_learns_at_once_that_it_was_answered(web: Web, lucky: Tenant) -> None:
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    sealer.seal_all()
    with web.listen(alice) as hers, web.listen(bob) as his:
        for stream in (hers, his):
            stream.until(lambda s: s.of("snapshot"))
        case = lucky.do(f"players/{alice.id}/complaints", {"text": "The third card was late."})
        bet(bob, table, banker="25.00")
        hers.until_type("ComplaintAnswered", "WagerConfirmed")
        his.until_type("WagerConfirmed")
        (told,) = [event for event in hers.of("event") if event["type"] == "ComplaintAnswered"]
        assert (told["table"], told["data"]["case"], told["data"]["answer"]) == (None, case["id"], "received")
        assert told["data"].keys() == {"case", "player", "answer", "due_at", "at"}
        assert "ComplaintAnswered" not in his.types()


def test_each_sees_what_the_other_does_and_not_what_the_other_has(web: Web, lucky: Tenant) -> None:
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    sealer.seal_all()
    with web.listen(alice) as hers, web.listen(bob) as his:
        for stream in (hers, his):
            stream.until(lambda s: s.of("snapshot"))
        alice.do(f"tables/{table}/place", {"spot": "tie", "amount": "25.00", "currency": "EUR"})
        alice.do(f"tables/{table}/clear")
        alice.do(f"tables/{table}/pass")
        alice.do(f"tables/{table}/rebuy", {"amount": "87.65", "currency": "EUR"})
        alice.do(f"tables/{table}/leave")
        for stream in (hers, his):
            stream.until_type("ChipsPlaced", "ChipsCleared", "SeatPassed", "Rebought", "SeatLeft")
        hers.until(lambda s: s.of("balances"))
        seen = {data["type"]: data["data"] for data in his.of("event")}
        assert seen["ChipsPlaced"] == {"seat": 1, "spot": "tie", "amount": "25.00"}
        assert seen["Rebought"].keys() == {"seat", "money_type", "rebought_at"}
        assert seen["SeatLeft"].keys() == {"seat", "money_type", "left_at"}
        whole = json.dumps([message.data for message in his.messages])
        assert alice.id not in whole
        assert "87.65" not in whole
        own = {data["type"]: data["data"] for data in hers.of("event")}
        assert own["Rebought"]["amount"] == "87.65"
        assert own["SeatLeft"]["returned"] == "1087.65"
        assert his.of("balances") == []


def test_a_seat_that_is_taken_or_left_is_followed(web: Web, lucky: Tenant) -> None:
    table, (alice, _) = company(lucky, "big_table", "Alice", "Bob")
    other, late = lucky.table("mini"), lucky.player("Late")
    sealer.seal_all()
    with web.listen(late) as stream:
        stream.until(lambda s: s.of("snapshot"))
        assert stream.of("snapshot")[0]["tables"] == []
        sit(late, other)
        stream.until_type("SeatTaken")
        stream.until(lambda s: len(s.of("snapshot")) == 2)
        assert [picture["id"] for picture in stream.of("snapshot")[-1]["tables"]] == [other]
        sit(late, table, 3)
        stream.until_type("SeatTaken", "SeatTaken")
        stream.until(lambda s: len(s.of("snapshot")) == 3)
        late.do(f"tables/{table}/leave")
        stream.until_type("SeatLeft")
        note(table, "of no concern")
        note(other, "of concern")
        alice.do(f"tables/{table}/pass")
        sealer.seal_all()
        stream.until(notes)
        assert notes(stream) == ["of concern"]
        assert "SeatPassed" not in stream.types()


def test_a_table_is_watched_without_a_seat(web: Web, lucky: Tenant) -> None:
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    carol = lucky.player("Carol")
    sealer.seal_all()
    with web.listen(carol, table=table) as stream:
        stream.until(lambda s: s.of("snapshot"))
        assert stream.of("snapshot")[0]["tables"][0]["you"] is None
        bet(alice, table, player="50.00")
        bob.do(f"tables/{table}/pass")
        deal_all()
        stream.until_type("WagerConfirmed", "RoundSettled")
        whole = json.dumps([message.data for message in stream.messages])
        assert alice.id not in whole
        assert bob.id not in whole
        assert stream.of("balances") == []


def test_no_stream_begins_for_strangers(web: Web, lucky: Tenant, golden: Tenant) -> None:
    table, (alice, _) = company(lucky, "big_table", "Alice", "Bob")
    stranger = golden.player("Stranger")
    assert refused(web, {"table": table}, credential=stranger.credential) == (404, "unknown_table")
    assert refused(web, {"table": "table-1"}, credential=alice.credential) == (404, "unknown_table")
    assert refused(web, {"after": "soon"}, credential=alice.credential) == (400, "invalid_cursor")
    assert refused(web) == (401, "not_authenticated")
    assert refused(web, credential="pt_wrong") == (401, "invalid_credentials")
    assert refused(web, credential=lucky.credential) == (403, "forbidden")
    assert refused(web, {"ticket": "st_wrong"}) == (401, "invalid_credentials")
    assert refused(web, {"ticket": "st_" + "x" * 500}) == (401, "invalid_credentials")
    answer = httpx.post(f"{web.url}/stream", verify=ssl_context())
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")


def test_a_ticket_opens_one_stream_within_its_minute(web: Web, lucky: Tenant) -> None:
    alice = lucky.player("Alice")
    ticket = web.ticket(alice)
    with Listener(f"{web.url}/stream", headers={}, query={"ticket": ticket}) as stream:
        stream.until(lambda s: s.of("snapshot"))
    assert refused(web, {"ticket": ticket}) == (401, "invalid_credentials")
    late = web.ticket(alice)
    execute("UPDATE operators_streamticket SET expires_at = now() WHERE ticket_hash = %s", [credentials.digest(late)])
    assert refused(web, {"ticket": late}) == (401, "invalid_credentials")
    assert fetch("SELECT count(*) FROM operators_streamticket WHERE expires_at <= now()") == [(0,)]


def resumed(web: Web, player: Gambler, table: str, lose: Callable[[], object]) -> None:
    """Require that the messages before and after a loss are complete, unique and in order."""
    sealer.seal_all()
    with web.listen(player) as before:
        before.until(lambda s: s.of("snapshot"))
        note(table, "one", "two")
        sealer.seal_all()
        before.until(lambda s: notes(s) == ["one", "two"])
    note(table, "three")
    sealer.seal_all()
    lose()
    note(table, "four")
    sealer.seal_all()
    with web.listen(player, last=before.last) as after:
        note(table, "five")
        sealer.seal_all()
        after.until(lambda s: notes(s) == ["three", "four", "five"])
        assert after.messages[0].event == "balances"
        assert after.messages[0].data == player.read("me/balances")
        assert after.of("snapshot") == []


def test_who_comes_back_is_told_exactly_what_was_missed(web: Web, lucky: Tenant) -> None:
    table, (alice, _) = company(lucky, "big_table", "Alice", "Bob")
    resumed(web, alice, table, lambda: None)


def test_a_killed_web_process_loses_nobody_an_event(web: Web, lucky: Tenant) -> None:
    table, (alice, _) = company(lucky, "big_table", "Alice", "Bob")

    def kill() -> None:
        web.child.kill()
        web.start()

    resumed(web, alice, table, kill)


def test_a_redis_that_forgot_everything_loses_nobody_an_event(web: Web, lucky: Tenant) -> None:
    table, (alice, _) = company(lucky, "big_table", "Alice", "Bob")

    def flush() -> None:
        with redis.Redis.from_url(settings.REDIS_URL) as client:
            client.flushdb()

    resumed(web, alice, table, flush)


def test_a_seat_taken_and_left_while_away_is_followed_from_where_it_was(web: Web, lucky: Tenant) -> None:
    table, (alice, _) = company(lucky, "big_table", "Alice", "Bob")
    other = lucky.table("mini")
    sealer.seal_all()
    with web.listen(alice) as before:
        before.until(lambda s: s.of("snapshot"))
    note(table, "still there")
    alice.do(f"tables/{table}/leave")
    note(table, "gone")
    sit(alice, other)
    note(other, "arrived")
    sealer.seal_all()
    with web.listen(alice, after=before.last) as after:
        after.until(lambda s: s.of("snapshot"))
        assert notes(after) == ["still there"]
        assert after.types() == ["SeatLeftRound", "SeatLeft", "SeatTaken"] or after.types()[-1] == "SeatTaken"
        assert [picture["id"] for picture in after.of("snapshot")[0]["tables"]] == [other]
        assert decode_position(after.of("snapshot")[0]["position"]) >= decode_position(
            after.of("event")[-1]["position"]
        )


def test_a_gap_that_is_too_long_begins_anew(web: Web, lucky: Tenant) -> None:
    table, (alice, _) = company(lucky, "big_table", "Alice", "Bob")
    sealer.seal_all()
    with web.listen(alice) as before:
        before.until(lambda s: s.of("snapshot"))
    for _ in range(5):
        note(table, *("missed" for _ in range(500)))
    sealer.seal_all()
    for last in (before.last, 10**15):
        with web.listen(alice, last=last) as after:
            after.until(lambda s: s.of("snapshot"))
            assert [message.event for message in after.messages[:2]] == ["reset", "snapshot"]
            assert after.of("snapshot")[0]["tables"][0]["id"] == table


def test_a_transaction_held_open_while_later_ones_commit_loses_nothing(web: Web, lucky: Tenant) -> None:
    table, (alice, _) = company(lucky, "big_table", "Alice", "Bob")
    sealer.seal_all()
    written, commit = threading.Event(), threading.Event()

    def slow() -> None:
        with transaction.atomic():
            store.append([Append(f"slow-{table}", 0, (NewEvent("Noted", 1, b'{"text":"first"}'),), METADATA)])
            written.set()
            assert commit.wait(PATIENCE)
        connection.close()

    writer = threading.Thread(target=slow)
    with web.listen(alice) as stream:
        stream.until(lambda s: s.of("snapshot"))
        writer.start()
        assert written.wait(PATIENCE)
        note(table, "second", "third")
        sealer.seal_all()
        stream.until(lambda s: notes(s) == ["second", "third"])
        commit.set()
        writer.join(PATIENCE)
        sealer.seal_all()
        stream.until(lambda s: notes(s) == ["second", "third", "first"])


def test_a_session_that_is_taken_over_or_ends_closes_its_stream(web: Web, lucky: Tenant) -> None:
    alice, bob, carol = (lucky.player(name) for name in ("Alice", "Bob", "Carol"))
    sealer.seal_all()
    with web.listen(alice) as hers, web.listen(bob) as his, web.listen(carol) as third:
        for stream in (hers, his, third):
            stream.until(lambda s: s.of("snapshot"))
        lucky.do(f"players/{alice.id}/sessions", {"ttl_seconds": 3600})
        bob.send("delete", "sessions/current")
        execute(
            "UPDATE operators_playersession SET last_used_at = now() - interval '1 hour' WHERE token_hash = %s",
            [credentials.digest(carol.credential)],
        )
        for stream, code in ((hers, "session_taken_over"), (his, "session_ended"), (third, "session_timed_out")):
            assert stream.over.wait(PATIENCE)
            assert stream.of("end") == [{"code": code}]


def test_an_open_stream_is_use_of_its_session(web: Web, lucky: Tenant) -> None:
    alice = lucky.player("Alice")
    token = credentials.digest(alice.credential)
    sealer.seal_all()
    with web.listen(alice) as stream:
        stream.until(lambda s: s.of("snapshot"))
        execute(
            "UPDATE operators_playersession SET last_used_at = now() - interval '10 minutes' WHERE token_hash = %s",
            [token],
        )
        unused = "SELECT now() - last_used_at > interval '5 minutes' FROM operators_playersession WHERE token_hash = %s"
        stream.until(lambda _: fetch(unused, [token]) == [(False,)])


def test_one_player_has_a_handful_of_streams(web: Web, lucky: Tenant) -> None:
    alice = lucky.player("Alice")
    sealer.seal_all()
    first, *others = [web.listen(alice) for _ in range(7)]
    with first as oldest:
        oldest.until(lambda s: s.of("snapshot"))
        for other in others:
            with other as stream:
                stream.until(lambda s: s.of("snapshot"))
    assert oldest.over.is_set()


def test_more_streams_than_threads_hold_none_of_them(
    web: Web, lucky: Tenant, module_database: Database, in_threads: Callable[..., list[Any]]
) -> None:
    table, _ = company(lucky, "big_table", "Alice", "Bob")
    guests = [lucky.player(f"Guest {number}") for number in range(20)]
    sealer.seal_all()
    opened = in_threads(len(guests), lambda number: web.listen(guests[number], table=table).__enter__())
    try:
        for stream in opened:
            stream.until(lambda s: s.of("snapshot"))
        with module_database.owner() as owner:
            (count,) = owner.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                " AND state = 'idle in transaction'"
            ).fetchall()[0]
        assert count == 0
        assert (
            httpx.get(
                f"{web.url}/tables", headers=opened[0].headers, timeout=PATIENCE, verify=ssl_context()
            ).status_code
            == 200
        )
        note(table, "to all of them")
        sealer.seal_all()
        for stream in opened:
            stream.until(lambda s: notes(s) == ["to all of them"])
    finally:
        for stream in opened:
            stream.__exit__(None, None, None)


def test_a_reader_that_does_not_read_is_cut_off_and_comes_back(web: Web, lucky: Tenant) -> None:
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    sealer.seal_all()
    with socket.socket() as lazy, web.listen(bob) as quick:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy.connect(("127.0.0.1", web.port))
        head = ("GET /api/v1/stream HTTP/1.1", "Host: localhost", f"Authorization: Bearer {alice.credential}", "", "")
        lazy.sendall("\r\n".join(head).encode())
        assert lazy.recv(64)
        quick.until(lambda s: s.of("snapshot"))
        told = 0
        for texts in [["x" * 20_000] * 60] * 8 + [["y"] * 500] * 5:
            note(table, *texts)
            sealer.seal_all()
            told += len(texts)
            quick.until(lambda s, told=told: len(notes(s)) == told)  # it is quick enough on any machine
        lazy.settimeout(PATIENCE)
        received = 0
        while chunk := lazy.recv(1 << 16):
            received += len(chunk)
        assert received < 480 * 20_000
        hers, his = (credentials.digest(each.credential) for each in (alice, bob))
        earlier = "UPDATE operators_playersession SET last_used_at = now() - interval '10 minutes'"
        execute(f"{earlier} WHERE token_hash = ANY (%s)", [[hers, his]])
        unused = "SELECT now() - last_used_at > interval '5 minutes' FROM operators_playersession WHERE token_hash = %s"
        quick.until(lambda _: fetch(unused, [his]) == [(False,)])
        assert fetch(unused, [hers]) == [(True,)]  # nothing of hers is open any more


def test_without_redis_the_stream_goes_on_by_looking(module_database: Database, lucky: Tenant, tmp_path: Path) -> None:
    table, (alice, _) = company(lucky, "big_table", "Alice", "Bob")
    with Web(module_database, log=tmp_path / "web.log", REDIS_URL="redis://127.0.0.1:1/0") as alone:
        resumed(alone, alice, table, lambda: None)


def test_a_wager_that_was_not_taken_is_told_to_its_player_alone_and_at_once(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_wallet(tmp_path) as wallet:
        begin_again(wallet, monkeypatch)
        house = seamless_house(wallet)
        table = house.table("atlantic_city", rules={"turn_seconds": 3600})
        ann, bob = (join(house, wallet, name) for name in ("Ann", "Bob"))
        sit(ann, table, 1)
        sit(bob, table, 2)
        ann.do(f"tables/{table}/pass")
        deal_all()
        round_ = ann.read(f"tables/{table}")["round"]["id"]
        sealer.seal_all()
        with web.listen(ann) as own, web.listen(bob) as other:
            for stream in (own, other):
                stream.until(lambda s: s.of("snapshot"))
            for behaviour in ("refuse", "apply_then_fail"):
                wallet.next("debit", behaviour)
                assert post_bet(ann, table).status_code in {409, 503}
            bet(ann, table, banker="10.00")
            for stream in (own, other):
                stream.until_type("WagerConfirmed")
            told = [data for data in own.of("event") if data["type"] == "WagerNotTaken"]
            assert [(each["table"], each["round"], each["data"]["code"]) for each in told] == [
                (table, round_, "limit_reached"),
                (table, round_, "no_answer"),
            ]
            for each in told:
                assert (each["data"]["player"], each["data"]["amount"]) == (ann.id, "10.00")
                assert "operator" not in each["data"]
            assert "WagerNotTaken" not in other.types()
