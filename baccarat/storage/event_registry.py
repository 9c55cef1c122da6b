"""Event types of tables, rounds and switches, with their schemas."""

from typing import Any, Final, get_args

from baccarat.domain.fairness.shuffle import Scheme
from baccarat.domain.rounds.events import (
    BettingClosed,
    CardsDealt,
    RoundEvent,
    RoundLapsed,
    RoundOpened,
    RoundVoided,
    WagerConfirmed,
)
from baccarat.domain.tables.events import RulesDrafted, ShoeCommitted, ShoeStarted, TableEvent, TableOpened, TermsFixed
from baccarat.domain.tables.kill_switch import StopEvent
from casino.events.codec import EventRegistry, EventType, Upcast


def _round_opened_before_terms(fields: dict[str, Any]) -> dict[str, Any]:
    """Upcast a round whose cut closed with its betting, which opened on no terms."""
    return {**fields, "contributions": [], "terms": ""}


def _before_closings(fields: dict[str, Any]) -> dict[str, Any]:
    """Upcast an end of betting that pinned no wagers, or the start of a shoe that did not pin its cut."""
    return {**fields, "closing": None}


def _closing_with_counts(fields: dict[str, Any]) -> dict[str, Any]:
    """Upcast a closing that repeated what the round's events before it say."""
    closing = fields["closing"]
    named = ("digest", "blind", "sealed_head", "before")
    return {**fields, "closing": None if closing is None else {name: closing[name] for name in named}}


def _without(*names: str) -> Upcast:
    """Return the upcast of an event that repeated facts of events before it."""
    return lambda fields: {name: value for name, value in fields.items() if name not in names}


def _cards_without_terms(fields: dict[str, Any]) -> dict[str, Any]:
    """Upcast cards after which an event of the table fixed the next terms."""
    return {**fields, "next_terms": None}


def _next_terms_in_full(fields: dict[str, Any]) -> dict[str, Any]:
    """Upcast cards with the digest of the next terms, which the opening has, and the shape of the next own shoe."""
    terms = fields["next_terms"]
    if terms is None:
        return fields
    shoe = terms["next_shoe"]
    kept = {name: shoe[name] for name in ("shoe", "commitment", "scheme")}
    return {**fields, "next_terms": {"number": terms["number"], "decks": shoe["shape"]["decks"], **kept}}


def _terms_in_full(fields: dict[str, Any]) -> dict[str, Any]:
    """Upcast terms that repeated what the table's events before them say."""
    terms = fields["terms"]
    place = {name: terms[name] for name in ("next_place", "cards", "next_commitment")}
    kept = {name: fields[name] for name in ("digest", "next_shoe", "fixed_at")}
    return {**kept, "number": terms["number"], "place": place}


def _first_scheme(fields: dict[str, Any]) -> dict[str, Any]:
    """Upcast a shoe from before shoes named their scheme."""
    return {**fields, "scheme": int(Scheme.OPEN_CUT)}


def _next_shoe_of_first_scheme(fields: dict[str, Any]) -> dict[str, Any]:
    """Upcast the commitment to a shoe from before shoes named their scheme."""
    shoe = fields["next_shoe"]
    return {**fields, "next_shoe": None if shoe is None else _first_scheme(shoe)}


def _round_of_first_scheme(fields: dict[str, Any]) -> dict[str, Any]:
    """Upcast a round, and the commitment to the shoe after it, from before shoes named their scheme."""
    return _first_scheme(_next_shoe_of_first_scheme(fields))


def _without_reason(fields: dict[str, Any]) -> dict[str, Any]:
    """Upcast a draft from before drafts had reasons."""
    return {**fields, "reason": ""}


_WITHOUT_WITNESSES: Final = {"cosigned": None}
"""What a closing at a table without witnesses does not store."""

_CHANGED: Final[dict[type, EventType]] = {
    RulesDrafted: EventType(RulesDrafted, schema=2, upcasts={1: _without_reason}),
    TableOpened: EventType(TableOpened, schema=2, upcasts={1: _next_shoe_of_first_scheme}),
    ShoeCommitted: EventType(ShoeCommitted, schema=2, upcasts={1: _first_scheme}),
    ShoeStarted: EventType(
        ShoeStarted, schema=3, upcasts={1: _first_scheme, 2: _before_closings}, omitted=_WITHOUT_WITNESSES
    ),
    RoundLapsed: EventType(RoundLapsed, schema=2, upcasts={1: _before_closings}, omitted=_WITHOUT_WITNESSES),
    RoundVoided: EventType(RoundVoided, schema=2, upcasts={1: _before_closings}, omitted=_WITHOUT_WITNESSES),
    TermsFixed: EventType(TermsFixed, schema=3, upcasts={1: _terms_in_full, 2: _next_shoe_of_first_scheme}),
    RoundOpened: EventType(
        RoundOpened,
        schema=4,
        upcasts={1: _round_opened_before_terms, 2: _round_of_first_scheme, 3: _without("cut")},
        omitted={"deadline_at": None, "next_shoe": None, "witnesses": ()},
    ),
    WagerConfirmed: EventType(WagerConfirmed, omitted={"debit": None, "raised": {}, "signature": None}),
    CardsDealt: EventType(CardsDealt, schema=3, upcasts={1: _cards_without_terms, 2: _next_terms_in_full}),
    BettingClosed: EventType(
        BettingClosed,
        schema=4,
        upcasts={1: _before_closings, 2: _closing_with_counts, 3: _without("contributions", "cut")},
        omitted=_WITHOUT_WITNESSES,
    ),
}

CATALOGUE: Final = EventRegistry(
    _CHANGED.get(event) or EventType(event)
    for event in (*get_args(TableEvent), *get_args(RoundEvent), *get_args(StopEvent))
)
