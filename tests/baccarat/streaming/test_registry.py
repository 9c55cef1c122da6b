"""What the house of a process does for its streams without asking the database."""

import asyncio
from datetime import UTC, datetime
from uuid import UUID, uuid4

from baccarat.streaming.follower import LiveFollower
from baccarat.streaming.registry import KEEP_ALIVE, MAX_STREAMS_PER_PLAYER, StreamRegistry
from baccarat.streaming.snapshot import encode_position
from casino.api.streaming import sse
from casino.operators.principals import PlayerPrincipal

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def follower(house: StreamRegistry, player: UUID, *, at: int = 7) -> LiveFollower:
    """Return a stream that began at a position."""
    principal = PlayerPrincipal(player, UUID(int=1), ("EUR",), True, b"session", NOW, NOW)
    made = LiveFollower(player=principal, watched=None, set_topics=house.hub.set_topics)
    made.start_from(position=at, seated=[])
    return made


def test_a_silent_stream_is_told_how_far_the_log_was_looked_at() -> None:
    async def scene() -> None:
        house = StreamRegistry()
        quiet, busy = (follower(house, uuid4()) for _ in range(2))
        quiet.mailbox.taken_at -= KEEP_ALIVE + 1
        house.hub.position = 9
        house._keep_alive([quiet, busy])
        busy.mailbox.close()
        assert [letter.text for letter in await quiet.mailbox.take()] == [sse.keep_alive(encode_position(9))]
        assert await busy.mailbox.take() == []

    asyncio.run(scene())


def test_a_stream_that_was_drawn_ahead_of_the_reader_never_goes_back() -> None:
    async def scene() -> None:
        house = StreamRegistry()
        ahead = follower(house, uuid4(), at=12)
        ahead.mailbox.taken_at -= KEEP_ALIVE + 1
        house.hub.position = 9
        house._keep_alive([ahead])
        assert [letter.position for letter in await ahead.mailbox.take()] == [12]

    asyncio.run(scene())


def test_the_oldest_stream_of_a_player_makes_room_and_another_players_stays() -> None:
    async def scene() -> None:
        house, alice, bob = StreamRegistry(), uuid4(), uuid4()
        other = follower(house, bob)
        streams = [follower(house, alice) for _ in range(MAX_STREAMS_PER_PLAYER + 1)]
        for each in (other, *streams):
            house.add(each)
        assert [each.mailbox.closed for each in streams] == [True] + [False] * MAX_STREAMS_PER_PLAYER
        assert not other.mailbox.closed
        for each in (other, *streams):
            house.remove(each)
        assert house.open_streams() == []
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    asyncio.run(scene())
