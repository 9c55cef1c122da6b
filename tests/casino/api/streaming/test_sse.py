"""The bytes of a stream as browsers read them, and the bounded queue of its messages."""

import asyncio
from datetime import UTC, datetime
from uuid import UUID

from casino.api.streaming import sse
from casino.api.streaming.sse import Mailbox, OutgoingMessage


def test_a_message_has_its_id_its_event_and_one_line_of_data() -> None:
    data = {"at": datetime(2026, 11, 21, 9, 0, tzinfo=UTC), "table": UUID(int=1), "text": "two\nlines"}
    assert sse.message("event", data, id_=7) == (
        b"id: 7\nevent: event\n"
        b'data: {"at":"2026-11-21T09:00:00Z","table":"00000000-0000-0000-0000-000000000001","text":"two\\nlines"}\n\n'
    )


def test_a_message_without_position_has_no_id() -> None:
    assert sse.message("wallet", {"items": []}) == b'event: wallet\ndata: {"items":[]}\n\n'


def test_a_keep_alive_has_an_id_and_no_data() -> None:
    lines = sse.keep_alive(12).split(b"\n")
    assert b"id: 12" in lines
    assert not any(line.startswith(b"data") for line in lines)


def test_all_waiting_messages_are_taken_together() -> None:
    async def scenario() -> None:
        mailbox = Mailbox()
        messages = [OutgoingMessage(1, b"one"), OutgoingMessage(2, b"two")]
        for message in messages:
            assert mailbox.put(message)
        assert await mailbox.take() == messages

    asyncio.run(scenario())


def test_a_message_wakes_the_waiting_stream() -> None:
    async def scenario() -> None:
        mailbox = Mailbox()
        reader = asyncio.create_task(mailbox.take())
        await asyncio.sleep(0)
        mailbox.put(OutgoingMessage(1, b"one"))
        assert await reader == [OutgoingMessage(1, b"one")]

    asyncio.run(scenario())


def test_a_full_mailbox_refuses_messages_until_it_is_emptied() -> None:
    async def scenario() -> None:
        mailbox = Mailbox(max_messages=1)
        assert mailbox.put(OutgoingMessage(1, b"one"))
        assert not mailbox.put(OutgoingMessage(2, b"two"))
        assert await mailbox.take() == [OutgoingMessage(1, b"one")]
        assert mailbox.put(OutgoingMessage(3, b"three"))

    asyncio.run(scenario())


def test_forgetting_positions_keeps_messages_without_one() -> None:
    async def scenario() -> None:
        mailbox = Mailbox()
        for message in (OutgoingMessage(1, b"one"), OutgoingMessage(0, b"wallet"), OutgoingMessage(2, None)):
            mailbox.put(message)
        mailbox.forget_positions()
        assert await mailbox.take() == [OutgoingMessage(0, b"wallet")]

    asyncio.run(scenario())


def test_a_closed_mailbox_returns_its_messages_and_then_nothing() -> None:
    async def scenario() -> None:
        mailbox = Mailbox()
        mailbox.put(OutgoingMessage(0, b"bye"))
        mailbox.close()
        assert await mailbox.take() == [OutgoingMessage(0, b"bye")]
        assert await mailbox.take() == []

    asyncio.run(scenario())
