"""Who follows the lobby is told which of its lines have changed, of the own operator's tables alone."""

import json
from uuid import UUID

from casino.events import sealer
from casino.operators import brands
from tests.baccarat.api.people import Gambler, Tenant, bet, company, deal_all, sit
from tests.baccarat.streaming.listening import Web


def test_the_lobby_is_told_of_a_new_table_a_seat_and_a_result(web: Web, lucky: Tenant, golden: Tenant) -> None:
    table, (alice, _) = company(lucky, "big_table", "Alice", "Bob")
    cat = lucky.player("Cat")
    sealer.seal_all()
    with web.listen(cat, lobby="true") as lobby, web.listen(cat) as without:
        for stream in (lobby, without):
            stream.until(lambda s: s.of("snapshot"))
        golden_table = golden.table("mini")
        opened = lucky.table("mini")
        sealer.seal_all()
        lobby.until(lambda s: {"table": opened} in s.of("lobby"))

        sit(cat, opened)
        bet(cat, opened, banker="5.00")
        deal_all()
        sealer.seal_all()
        without.until(lambda s: len(s.of("snapshot")) == 2)
        lobby.until(lambda s: s.of("lobby").count({"table": opened}) >= 4)

        bet(alice, table, banker="25.00")
        alice.do(f"tables/{table}/chat", {"text": "Hello"})
        note_position = lobby.last
        lucky.table("mini")
        sealer.seal_all()
        lobby.until(lambda s: len({each["table"] for each in s.of("lobby")}) == 2)
        assert all(message.id is None for message in lobby.messages if message.event == "lobby")
        assert lobby.last >= note_position
        assert {"table": golden_table} not in lobby.of("lobby")
        assert without.of("lobby") == []
        assert alice.id not in json.dumps(lobby.of("lobby"))


def test_an_answer_that_is_neither_yes_nor_no_opens_no_stream(web: Web, lucky: Tenant) -> None:
    with web.listen(lucky.player("Alice"), lobby="maybe") as stream:
        assert (stream.status, stream.answer.json()["code"]) == (400, "bad_request")


def test_the_lobby_of_a_brand_is_told_of_its_tables_and_of_those_for_all(web: Web, lucky: Tenant) -> None:
    for slug in ("red", "blue"):
        brands.create_brand(operator=UUID(lucky.id), slug=slug, name=slug, shares_players=True, by="test")
    ann, ben, cat = (lucky.player(name) for name in ("Ann", "Ben", "Cat"))
    ben = Gambler(lucky.do(f"players/{ben.id}/sessions", {"brand": "blue"})["token"], ben.id)
    cat = Gambler(lucky.do(f"players/{cat.id}/sessions", {"brand": "red"})["token"], cat.id)
    with (
        web.listen(ann, lobby="true") as none,
        web.listen(ben, lobby="true") as blue,
        web.listen(cat, lobby="true") as red,
    ):
        for stream in (none, blue, red):
            stream.until(lambda s: s.of("snapshot"))
        of_red = lucky.table("mini", brands=["red"])
        of_both = lucky.table("mini", brands=["red", "blue"])
        of_all = lucky.table("mini")
        sealer.seal_all()
        for stream, tables in ((none, [of_all]), (blue, [of_both, of_all]), (red, [of_red, of_both, of_all])):
            stream.until(lambda s: {"table": of_all} in s.of("lobby"))
            assert [each["table"] for each in stream.of("lobby")] == tables
        answer = web.listen(ben, table=of_red)
        with answer as stream:
            assert (stream.status, stream.answer.json()["code"]) == (404, "unknown_table")
