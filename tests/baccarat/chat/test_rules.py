"""The pace of messages, what a message is, and how long a mute holds."""

import unicodedata
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.chat import proof
from baccarat.chat.events import ModerationReason, PlayerBanned, PlayerMuted, PlayerUnbanned, PlayerUnmuted
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

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
PLAYER, HOUSE = uuid4(), uuid4()
TEXTS = st.text(alphabet="ab \u0301\u0308\u200d\n\u3000\U0001f600e", max_size=230)


def said(*seconds_ago: float) -> list[datetime]:
    return [NOW - timedelta(seconds=seconds) for seconds in seconds_ago]


def muted(until: datetime | None) -> PlayerMuted:
    return PlayerMuted(HOUSE, PLAYER, uuid4(), ModerationReason.SPAM, until, "", NOW)


@given(TEXTS)
def test_a_message_is_normal_printable_and_short_or_refused(text: str) -> None:
    try:
        kept = normalize_message(text)
    except (MessageEmpty, MessageTooLong, MessageNotPrintable):
        return
    assert 0 < len(kept) <= MAX_MESSAGE_LENGTH
    assert kept.isprintable()
    assert unicodedata.is_normalized("NFC", kept)
    assert normalize_message(kept) == kept


@given(st.lists(st.floats(0, 30, allow_nan=False), max_size=12))
def test_the_pace_lets_five_through_in_any_ten_seconds(ago: list[float]) -> None:
    before = said(*sorted(ago))
    recent = [moment for moment in before if moment > NOW - MESSAGES.window]
    if len(recent) < MESSAGES.count:
        require_within_rate(MESSAGES, before, now=NOW)
        return
    with pytest.raises(TooManyMessages) as refusal:
        require_within_rate(MESSAGES, before, now=NOW)
    again = refusal.value.facts["retry_at"]
    assert isinstance(again, datetime)
    assert again > NOW
    require_within_rate(MESSAGES, before, now=again)


def test_a_mute_holds_until_its_time_and_no_longer() -> None:
    end = NOW + timedelta(minutes=5)
    conduct = evolve(NEWCOMER, muted(end))
    with pytest.raises(PlayerIsMuted) as refusal:
        require_not_muted(conduct, now=end - timedelta(microseconds=1))
    assert refusal.value.facts == {"until": end, "reason": "spam"}
    require_not_muted(conduct, now=end)


def test_a_mute_for_good_holds_until_it_is_lifted() -> None:
    conduct = evolve(NEWCOMER, muted(None))
    with pytest.raises(PlayerIsMuted):
        require_not_muted(conduct, now=NOW + timedelta(days=4000))
    require_not_muted(evolve(conduct, PlayerUnmuted(HOUSE, PLAYER, uuid4(), "", NOW)), now=NOW)


def test_a_removal_and_a_mute_do_not_touch_one_another() -> None:
    removed = PlayerBanned(HOUSE, PLAYER, uuid4(), ModerationReason.CHEATING, None, "", NOW)
    conduct = evolve(evolve(NEWCOMER, muted(None)), removed)
    after = evolve(conduct, PlayerUnbanned(HOUSE, PLAYER, uuid4(), "", NOW))
    assert (after.version, after.ban, after.mute) == (3, None, conduct.mute)


def test_a_digest_changes_with_salt_subject_and_text() -> None:
    subject, salt = UUID(int=1), bytes(16)
    digests = {
        proof.digest(salt=salt, subject=subject, text="Hello"),
        proof.digest(salt=b"x" * 16, subject=subject, text="Hello"),
        proof.digest(salt=salt, subject=UUID(int=2), text="Hello"),
        proof.digest(salt=salt, subject=subject, text="hello"),
    }
    assert len(digests) == 4
    with pytest.raises(ValueError, match="16 bytes"):
        proof.digest(salt=b"", subject=subject, text="Hello")
