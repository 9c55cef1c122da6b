"""What is said at a table comes by the stream: with the words, under a seat, and read once for all who listen."""

import json
from typing import Any

from baccarat.streaming.notifications import LiveEventBuilder
from casino.events import sealer, subscriptions
from tests.baccarat.api.people import Gambler, Tenant, company
from tests.baccarat.streaming.listening import Web


def said(stream: Any) -> list[dict[str, Any]]:
    return [data for data in stream.of("event") if data["type"] == "ChatMessageSent"]


def test_a_message_comes_to_all_at_the_table_and_to_those_who_watch(web: Web, lucky: Tenant) -> None:
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    lucky.do("chat/filter-words", {"word": "darn"})
    sealer.seal_all()
    with web.listen(alice) as hers, web.listen(bob) as his:
        for stream in (hers, his):
            stream.until(lambda s: s.of("snapshot"))
        message = alice.do(f"tables/{table}/chat", {"text": "<b>darn</b>"})
        bob.do(f"tables/{table}/chat/{message['id']}/report", {"reason": "Rude"})
        lucky.do(f"players/{alice.id}/mute", {"reason": "spam", "minutes": 5})
        bob.do(f"tables/{table}/chat", {"text": "Good luck"})
        for stream in (hers, his):
            stream.until_type("ChatMessageSent", "ChatMessageSent")
        first = said(his)[0]
        assert (first["table"], first["round"]) == (table, None)
        assert first["data"] == {
            "table": table, "seat": 1, "message": message["id"], "text": "<b>****</b>", "nickname": None,
            "sent_at": message["sent_at"],
        }  # fmt: skip
        assert said(hers)[0]["data"] == {**first["data"], "player": alice.id}
        whole = json.dumps(his.of("event"))
        assert all(word not in whole for word in (alice.id, "darn", "digest", "PlayerReported", "PlayerMuted"))
        assert "PlayerMuted" not in json.dumps(hers.of("event"))


def test_one_query_each_reads_tables_words_keys_and_nicknames_of_a_whole_batch(
    lucky: Tenant, django_assert_num_queries: Any
) -> None:
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    sealer.seal_all()
    before = subscriptions.head()
    for player in (alice, bob):
        for number in range(3):
            player.do(f"tables/{table}/chat", {"text": f"Message {number}"})
    sealer.seal_all()
    sealed = subscriptions.read_sealed(before, 100)
    with django_assert_num_queries(4):
        found = LiveEventBuilder().build(sealed)
    assert len(found) == 6
    assert found[0].payload_for(bob.id) is found[0].payload_for(lucky.id)
    assert not any(each.moves_money for each in found)


def test_a_removed_players_stream_says_goodbye(web: Web, lucky: Tenant) -> None:
    alice: Gambler = lucky.player("Alice")
    with web.listen(alice) as stream:
        stream.until(lambda s: s.of("snapshot"))
        lucky.do(f"players/{alice.id}/ban", {"reason": "cheating", "minutes": None})
        stream.until(lambda s: s.of("end"))
        assert stream.of("end") == [{"code": "session_ended_by_ban"}]
