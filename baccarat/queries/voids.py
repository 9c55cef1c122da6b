"""Counts a table's voided rounds by cause, with what they would have won for the house: the same for everyone."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from msgspec import Meta

from baccarat.domain.fairness.links import links_of
from baccarat.domain.fairness.shuffle import shuffle
from baccarat.domain.rounds.cut import own_cut_in_hex
from baccarat.domain.rounds.events import RoundVoided
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.rounds.voiding import BY_LIMIT
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.coups import Coup
from baccarat.domain.rules.deal import deal
from baccarat.domain.rules.payouts import settle
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables.events import ShoeStarted
from baccarat.domain.tables.state import TableState
from baccarat.queries.shoes import read_long_shoes
from baccarat.storage import repository
from baccarat.storage.event_registry import CATALOGUE
from baccarat.storage.rules_versions import decode_rules
from casino.api.shapes import AmountText, Shape
from casino.events.sql import fetch
from casino.kernel.money import MoneyType, format_amount

MAX_CARDS_PER_ROUND: Final = 6

_VOIDED: Final = "SELECT id FROM baccarat_round WHERE table_id = %s AND phase = 'voided'"
_RULES: Final = "SELECT digest, rules::text FROM baccarat_rulesversion WHERE table_id = %s"
_TERMS: Final = """
SELECT type, schema, data::text FROM events_event
WHERE stream = %s AND type = 'TermsFixed' AND coalesce(data->>'number', data #>> '{terms,number}') = ANY (%s::text[])
ORDER BY version
"""


class VoidCause(StrEnum):
    """Why rounds were void: as staff said, or because witnesses did not answer."""

    MALFUNCTION = "malfunction"
    MISDEAL = "misdeal"
    WRONG_RULES = "wrong_rules"
    FRAUD = "fraud"
    OTHER = "other"
    WITNESS = "witness"


class VoidsByCause(Shape):
    """A table's voided rounds of one cause."""

    cause: VoidCause
    rounds: int
    unconfirmed: Annotated[
        int, Meta(description="Of these, rounds whose witnesses have not answered since: whether they did before?")
    ]
    after_release: Annotated[
        int, Meta(description="Of these, rounds whose witnesses say that they gave out a link before the void.")
    ]
    unknown: Annotated[
        int, Meta(description="Of these, rounds whose cards can't be computed yet, or whose seed is lost.")
    ]
    house_gain: Annotated[
        AmountText,
        Meta(description="Real money that the others would have won for the house, below zero if for the players."),
    ]
    house_gain_play: Annotated[AmountText, Meta(description="The same in play money.")]


@dataclass(frozen=True, slots=True)
class _Void:
    """A voided round; `gain` is by money type in minor units, None while its cards can't be computed."""

    cause: VoidCause
    is_unconfirmed: bool
    is_after_release: bool
    gain: Counter[MoneyType] | None


@dataclass(frozen=True, slots=True)
class _LongShoes:
    """Long shoes; what rounds were dealt, by number, from those that draw by round; else the orders of those that have
    ended, and the place of each round's first card, by number.
    """

    started: Mapping[UUID, ShoeStarted]
    dealt: Sequence[tuple[int, tuple[Card, ...]]]
    orders: Mapping[UUID, Sequence[Card]]
    places: Mapping[int, int]

    def cards_of(self, round_: RoundState) -> Sequence[Card] | None:
        """Return the cards from the round's place in its shoe on, None until the shoe has ended."""
        opened = round_.require_opened()
        order, place = self.orders.get(opened.shoe), self.places.get(opened.number)
        return None if order is None or place is None else order[place:]

    def cards_out(self, started: ShoeStarted, *, before: int) -> list[Card]:
        """Return the cards dealt from a shoe before a round, the turned card first."""
        turned = [] if started.turned_card is None else [started.turned_card]
        return [
            *turned,
            *(card for number, cards in self.dealt if started.first_round <= number < before for card in cards),
        ]


def voids_by_cause(state: TableState) -> tuple[VoidsByCause, ...]:
    """Count a table's voided rounds by cause, but those with chosen cards; causes that never occurred are left out."""
    if not state.voids:
        return ()
    table, currency = state.require_opened().table, state.rules.currency
    by_cause: defaultdict[VoidCause, list[_Void]] = defaultdict(list)
    rules = {digest: decode_rules(text) for digest, text in fetch(_RULES, [table])}
    rounds = repository.read_rounds([each for (each,) in fetch(_VOIDED, [table])]).values()
    long_shoes = _read_long_shoes(table, rounds, rules)
    for round_ in rounds:
        if round_.voided is not None and not round_.forced:
            void = _describe(round_, round_.voided, rules[round_.require_opened().rules], long_shoes)
            by_cause[void.cause].append(void)
    return tuple(_present(cause, by_cause[cause], currency) for cause in VoidCause if cause in by_cause)


def _present(cause: VoidCause, voids: list[_Void], currency: str) -> VoidsByCause:
    gains = [void.gain for void in voids if void.gain is not None]
    return VoidsByCause(
        cause=cause,
        rounds=len(voids),
        unconfirmed=sum(void.is_unconfirmed for void in voids),
        after_release=sum(void.is_after_release for void in voids),
        unknown=len(voids) - len(gains),
        house_gain=format_amount(sum(gain[MoneyType.REAL] for gain in gains), currency),
        house_gain_play=format_amount(sum(gain[MoneyType.PLAY] for gain in gains), currency),
    )


def _describe(round_: RoundState, voided: RoundVoided, rules: TableRules, long_shoes: _LongShoes) -> _Void:
    """Describe a void. A link is given out before it only for a closing that was not the void's own."""
    voided_ms, opened = voided.voided_at.timestamp() * 1000, round_.require_opened()
    given = () if round_.closed_at is None else round_.releases
    return _Void(
        cause=VoidCause.WITNESS if voided.requested_by == BY_LIMIT else VoidCause(voided.reason),
        is_unconfirmed=not voided.was_settled and bool(opened.witnesses) and not round_.releases,
        is_after_release=not voided.was_settled and any(each.time_ms < voided_ms for each in given),
        gain=_settled_gain(voided) if voided.was_settled else _would_be_gain(round_, rules, long_shoes),
    )


def _settled_gain(voided: RoundVoided) -> Counter[MoneyType]:
    gain: Counter[MoneyType] = Counter()
    for seat in voided.seats:
        gain[seat.money_type] += seat.staked - seat.returned
    return gain


def _would_be_gain(round_: RoundState, rules: TableRules, long_shoes: _LongShoes) -> Counter[MoneyType] | None:
    """Return what the house would have won of the confirmed wagers, None while the cards can't be computed."""
    gain: Counter[MoneyType] = Counter()
    if not round_.confirmed_seats():
        return gain
    has_own_seed = round_.require_opened().commitment is not None or rules.draws_by_round
    cards = _own_cards(round_, rules, long_shoes) if has_own_seed else long_shoes.cards_of(round_)
    if cards is None:
        return None
    coup = Coup.of(deal(cards))
    for seat in round_.confirmed_seats():
        settlement = settle(rules, seat.stakes or {}, coup)
        gain[seat.money_type] += settlement.staked - settlement.returned
    return gain


def _own_cards(round_: RoundState, rules: TableRules, long_shoes: _LongShoes) -> Sequence[Card] | None:
    opened, seed = round_.require_opened(), round_.seed
    if seed is None or len(round_.releases) < len(opened.witnesses):
        return None
    started = long_shoes.started.get(opened.shoe)
    return shuffle(
        bytes.fromhex(seed),
        cut=bytes.fromhex(own_cut_in_hex(opened) if started is None else started.cut),
        decks=rules.decks,
        first=MAX_CARDS_PER_ROUND,
        links=links_of(opened.witnesses, round_.releases),
        out=() if started is None else long_shoes.cards_out(started, before=opened.number),
    )


def _read_long_shoes(table: UUID, rounds: Iterable[RoundState], rules: Mapping[str, TableRules]) -> _LongShoes:
    """Read what the cards of voided rounds of long shoes follow from, with one query each for shoes and terms."""
    in_play = (each for each in rounds if each.voided and not each.voided.was_settled and each.confirmed_seats())
    opened = [each.require_opened() for each in in_play if each.require_opened().commitment is None]
    orders, places = {}, {}
    played = {each.shoe: rules[each.rules] for each in opened}
    facts = read_long_shoes(table, played)
    for shoe, (started, seed, links) in facts.items():
        if seed is not None and not played[shoe].draws_by_round:
            cut = bytes.fromhex(started.cut)
            orders[shoe] = shuffle(bytes.fromhex(seed), cut=cut, decks=played[shoe].decks, links=links)
    numbers = [str(each.number) for each in opened if each.shoe in orders]
    for row in fetch(_TERMS, [f"table-{table}", numbers]) if numbers else ():
        fixed = CATALOGUE.decode(*row)
        if fixed.place is not None:
            places[fixed.number] = fixed.place.next_place
    started_shoes = {shoe: started for shoe, (started, _, _) in facts.items()}
    drawing = [each for each in opened if each.shoe in facts and played[each.shoe].draws_by_round]
    dealt = []
    if drawing:
        first = min(started_shoes[each.shoe].first_round for each in drawing)
        dealt = repository.read_cards_of_rounds(table, first=first, before=max(each.number for each in drawing))
    return _LongShoes(started_shoes, dealt, orders, places)
