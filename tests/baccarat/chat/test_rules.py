"""Rules of chats: messages, rates, mutes and bans."""

import unicodedata
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.chat.events import ModerationReason, PlayerBanned, PlayerMuted, PlayerUnbanned, PlayerUnmuted, text_digest
from baccarat.chat.refusals import MessageEmpty, MessageNotPrintable, MessageTooLong, PlayerIsMuted, TooManyMessages
from baccarat.chat.rules import (
    MAX_MESSAGE_LENGTH,
    MESSAGES,
    NEWCOMER,
    evolve,
    normalize_message,
    require_not_muted,
    require_within_rate,
)
from casino.kernel.text import length

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
PLAYER, OPERATOR = uuid4(), uuid4()
TEXTS = st.text(alphabet="ab \u0301\u0308\u200d\n\u3000\U0001f600e", max_size=230)


def times(*seconds_ago: float) -> list[datetime]:
    return [NOW - timedelta(seconds=seconds) for seconds in seconds_ago]


def muted(until: datetime | None) -> PlayerMuted:
    return PlayerMuted(OPERATOR, PLAYER, uuid4(), ModerationReason.SPAM, until, "", NOW)


@given(TEXTS)
def test_a_message_is_normalized_printable_and_short_or_refused(text: str) -> None:
    try:
        message = normalize_message(text)
    except (MessageEmpty, MessageTooLong, MessageNotPrintable):
        return
    assert 0 < length(message) <= MAX_MESSAGE_LENGTH
    assert "\n" not in message
    assert unicodedata.is_normalized("NFC", message)
    assert normalize_message(message) == message


@given(st.lists(st.floats(0, 30, allow_nan=False), max_size=12))
def test_the_rate_allows_five_messages_in_any_ten_seconds(ago: list[float]) -> None:
    before = times(*sorted(ago))
    recent = [moment for moment in before if moment > NOW - MESSAGES.window]
    if len(recent) < MESSAGES.count:
        require_within_rate(MESSAGES, before, now=NOW)
        return
    with pytest.raises(TooManyMessages) as refusal:
        require_within_rate(MESSAGES, before, now=NOW)
    retry_at = refusal.value.facts["retry_at"]
    assert isinstance(retry_at, datetime)
    assert retry_at > NOW
    require_within_rate(MESSAGES, before, now=retry_at)


def test_a_mute_is_active_until_its_end() -> None:
    end = NOW + timedelta(minutes=5)
    state = evolve(NEWCOMER, muted(end))
    with pytest.raises(PlayerIsMuted) as refusal:
        require_not_muted(state, now=end - timedelta(microseconds=1))
    assert refusal.value.facts == {"until": end, "reason": "spam"}
    require_not_muted(state, now=end)


def test_a_permanent_mute_is_active_until_it_is_lifted() -> None:
    state = evolve(NEWCOMER, muted(None))
    with pytest.raises(PlayerIsMuted):
        require_not_muted(state, now=NOW + timedelta(days=4000))
    require_not_muted(evolve(state, PlayerUnmuted(OPERATOR, PLAYER, uuid4(), "", NOW)), now=NOW)


def test_bans_and_mutes_are_independent() -> None:
    banned = PlayerBanned(OPERATOR, PLAYER, uuid4(), ModerationReason.CHEATING, None, "", NOW)
    state = evolve(evolve(NEWCOMER, muted(None)), banned)
    after = evolve(state, PlayerUnbanned(OPERATOR, PLAYER, uuid4(), "", NOW))
    assert (after.version, after.ban, after.mute) == (3, None, state.mute)


def test_a_digest_changes_with_salt_subject_and_text() -> None:
    subject, salt = UUID(int=1), bytes(16)
    digests = {
        text_digest(salt=salt, subject=subject, text="Hello"),
        text_digest(salt=b"x" * 16, subject=subject, text="Hello"),
        text_digest(salt=salt, subject=UUID(int=2), text="Hello"),
        text_digest(salt=salt, subject=subject, text="hello"),
    }
    assert len(digests) == 4
    with pytest.raises(ValueError, match="16 bytes"):
        text_digest(salt=b"", subject=subject, text="Hello")
