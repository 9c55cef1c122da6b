"""Instant play: the rule by which the next turn begins with the settlement, for tests that don't watch the cards."""

from typing import Final

from msgspec import structs

from baccarat.domain.rules.table_rules import ShowMilliseconds

NO_SHOW: Final = ShowMilliseconds(two_cards=0, natural=0, one_third_card=0, two_third_cards=0, ceremony=0)
INSTANT: Final = {"show_milliseconds": structs.asdict(NO_SHOW)}
"""The same as a request's `rules`."""
