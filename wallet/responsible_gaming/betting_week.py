"""The betting week, within which a player's own limit changes once: by default from Friday 00:00 EST (UTC-5).

Source: the printed rules, "a betting week begins on Friday 00:00 EST". The distance from UTC is fixed, so that clocks
put forward or back make no week longer or shorter than another.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEK: Final = timedelta(days=7)
_FORM: Final = re.compile(
    rf"({'|'.join(DAYS)}) ([01][0-9]|2[0-3]):([0-5][0-9]) ([+-])(0[0-9]|1[0-4]):([0-5][0-9])", re.ASCII
)


@dataclass(frozen=True, slots=True)
class BettingWeek:
    """Begins on a weekday (Monday is 0), so many minutes after its midnight, where clocks are `offset` from UTC."""

    weekday: int
    minutes: int
    offset: timedelta

    def start_of(self, moment: datetime) -> datetime:
        """Return when the week of a moment began, in UTC. Raises ValueError for a moment without a zone."""
        if moment.tzinfo is None:
            raise ValueError("A moment needs its zone.")
        local = moment.astimezone(timezone(self.offset))
        midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
        begin = midnight + timedelta(days=self.weekday - local.weekday(), minutes=self.minutes)
        if begin > local:
            begin -= WEEK
        if begin <= local - WEEK:
            begin += WEEK
        return begin.astimezone(UTC)

    def next_start(self, moment: datetime) -> datetime:
        """Return when the next week begins, always after the moment. Raises ValueError as `start_of`."""
        return self.start_of(moment) + WEEK


def parse(text: str) -> BettingWeek:
    """Read "friday 00:00 -05:00": weekday, time of day, distance from UTC. Raises ValueError otherwise."""
    match = _FORM.fullmatch(text)
    if match is None:
        raise ValueError(f'A betting week is written "friday 00:00 -05:00", not {text!r}.')
    day, hour, minute, sign, hours, minutes = match.groups()
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return BettingWeek(DAYS.index(day), int(hour) * 60 + int(minute), -offset if sign == "-" else offset)
