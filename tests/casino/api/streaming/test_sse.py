"""The bytes of a stream, as WHATWG HTML says a browser reads them."""

from datetime import UTC, datetime
from uuid import UUID

from casino.api.streaming import sse


def test_a_message_has_its_id_its_event_and_one_line_of_data() -> None:
    data = {"at": datetime(2026, 11, 21, 9, 0, tzinfo=UTC), "table": UUID(int=1), "text": "two\nlines"}
    assert sse.message("event", data, position=7) == (
        b"id: 7\nevent: event\n"
        b'data: {"at":"2026-11-21T09:00:00Z","table":"00000000-0000-0000-0000-000000000001","text":"two\\nlines"}\n\n'
    )


def test_a_message_of_no_position_leaves_the_last_id_as_it_is() -> None:
    assert sse.message("wallet", {"items": []}) == b'event: wallet\ndata: {"items":[]}\n\n'


def test_a_keep_alive_has_an_id_and_no_data() -> None:
    lines = sse.keep_alive(12).split(b"\n")
    assert b"id: 12" in lines
    assert not any(line.startswith(b"data") for line in lines)
