"""What waits for a reader leaves together, and never grows beyond its bound."""

import asyncio

from casino.api.streaming.mailbox import Mailbox, OutgoingMessage


def test_what_waited_together_is_taken_together() -> None:
    async def scene() -> None:
        box = Mailbox()
        letters = [OutgoingMessage(1, b"one"), OutgoingMessage(2, b"two")]
        for letter in letters:
            assert box.put(letter)
        assert await box.take() == letters

    asyncio.run(scene())


def test_a_letter_wakes_the_reader_that_waits() -> None:
    async def scene() -> None:
        box = Mailbox()
        reader = asyncio.create_task(box.take())
        await asyncio.sleep(0)
        box.put(OutgoingMessage(1, b"one"))
        assert await reader == [OutgoingMessage(1, b"one")]

    asyncio.run(scene())


def test_a_full_box_takes_no_more_until_it_is_emptied() -> None:
    async def scene() -> None:
        box = Mailbox(max_messages=1)
        assert box.put(OutgoingMessage(1, b"one"))
        assert not box.put(OutgoingMessage(2, b"two"))
        assert await box.take() == [OutgoingMessage(1, b"one")]
        assert box.put(OutgoingMessage(3, b"three"))

    asyncio.run(scene())


def test_a_reader_that_begins_anew_keeps_what_belongs_to_no_position() -> None:
    async def scene() -> None:
        box = Mailbox()
        for letter in (OutgoingMessage(1, b"one"), OutgoingMessage(0, b"wallet"), OutgoingMessage(2, None)):
            box.put(letter)
        box.forget_positions()
        assert await box.take() == [OutgoingMessage(0, b"wallet")]

    asyncio.run(scene())


def test_a_closed_box_gives_what_it_holds_and_then_nothing_at_once() -> None:
    async def scene() -> None:
        box = Mailbox()
        box.put(OutgoingMessage(0, b"bye"))
        box.close()
        assert await box.take() == [OutgoingMessage(0, b"bye")]
        assert await box.take() == []

    asyncio.run(scene())
