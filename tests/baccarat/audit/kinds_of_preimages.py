"""Kinds of tampering with what fixes the cards: terms, contributions, signed wagers, closings, seeds.

The whole chain is computed again after each. Every kind has a table of its own, with two signed rounds and a
contribution to the second, so that no other kind leads to its finding.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from baccarat.services import betting
from tests.baccarat.audit.attacker import WITH_RECOMPUTED_CHAIN, Attacker
from tests.baccarat.audit.playing import deal, sit
from tests.support.signatures import sign_wager

Data = dict[str, Any]
CLOSING: Final = "closing differs"
TERMS: Final = "terms differ"
CUT: Final = "cut differs from the contributions"
SIGNATURE: Final = "wager not signed by its player"
OTHER: Final = "ab" * 32


class Kind(NamedTuple):
    """The event of a round (1 or 2) or of the table (0) that is changed, how, the finding, and where that is."""

    round: int
    type: str
    change: Callable[[Data], object]
    finding: str
    found_in: int | None = None
    """If it is not found in the same round."""


def closing(**changes: object) -> Callable[[Data], object]:
    return lambda data: data["closing"].update(changes)


def signature(**changes: object) -> Callable[[Data], object]:
    return lambda data: data["signature"].update(changes)


def next_terms(**changes: object) -> Callable[[Data], object]:
    return lambda data: data["next_terms"].update(changes)


def field(**changes: object) -> Callable[[Data], object]:
    return lambda data: data.update(changes)


KINDS: Final = {
    "the blind of a closing replaced": Kind(1, "BettingClosed", closing(blind=OTHER), CLOSING),
    "the log's head in a closing replaced": Kind(1, "BettingClosed", closing(sealed_head=OTHER), CLOSING),
    "the closing before replaced": Kind(2, "BettingClosed", closing(before=OTHER), CLOSING),
    "a closing said to be the table's first": Kind(2, "BettingClosed", closing(before="00" * 32), CLOSING),
    "the digest of a closing replaced": Kind(1, "BettingClosed", closing(digest=OTHER), CLOSING),
    "a closing removed": Kind(1, "BettingClosed", field(closing=None), "event can't be read"),
    "betting closed at another time": Kind(1, "BettingClosed", field(closed_at="2099-01-01T00:00:00Z"), CLOSING),
    "the signature of a wager replaced": Kind(1, "WagerConfirmed", signature(signature="ab" * 64), SIGNATURE),
    "the nonce of a signed wager replaced": Kind(1, "WagerConfirmed", signature(nonce=OTHER), SIGNATURE),
    "the key of a signed wager replaced": Kind(1, "WagerConfirmed", signature(public_key=f"01{OTHER}"), SIGNATURE),
    "the signature of a wager removed": Kind(1, "WagerConfirmed", field(signature=None), CLOSING),
    "a signed wager of another amount": Kind(1, "WagerConfirmed", field(stakes={"banker": 5000}), SIGNATURE),
    "a signed wager on another spot": Kind(1, "WagerConfirmed", field(stakes={"player": 2500}), SIGNATURE),
    "a signed wager of real money": Kind(1, "WagerConfirmed", field(money_type="real"), "wager of another player"),
    "a signed wager said to be raised": Kind(1, "WagerConfirmed", field(raised={"banker": 100}), SIGNATURE),
    "a contribution replaced": Kind(0, "ShoeCutContributed", field(contribution="bb"), TERMS, 2),
    "a contribution of another seat": Kind(0, "ShoeCutContributed", field(seat=2), "seat differs"),
    "a contribution of another player": Kind(0, "ShoeCutContributed", field(player=f"{1:032x}"), "seat differs"),
    "a contribution to another shoe": Kind(
        0,
        "ShoeCutContributed",
        field(shoe="00000000-0000-0000-0000-000000000001"),
        "shoe differs from the committed one",
    ),
    "a contribution of too many bytes": Kind(
        0, "ShoeCutContributed", field(contribution="ab" * 33), "contribution malformed"
    ),
    "a contribution left out of the cut": Kind(2, "RoundOpened", field(contributions=[]), CUT),
    "a round on other terms": Kind(2, "RoundOpened", field(terms=OTHER), TERMS),
    "a round without terms": Kind(2, "RoundOpened", field(terms=""), CLOSING),
    "a round of another commitment": Kind(
        2, "RoundOpened", field(commitment=OTHER), "shoe differs from the committed one"
    ),
    "a round that opened a longer turn": Kind(
        2, "RoundOpened", field(deadline_at="2099-01-01T00:00:00Z"), "deadline differs"
    ),
    "the number of the next terms replaced": Kind(1, "CardsDealt", next_terms(number=7), TERMS, 0),
    "the next commitment replaced": Kind(1, "CardsDealt", next_terms(commitment=OTHER), TERMS, 2),
    "the next shoe of fewer decks": Kind(
        1, "CardsDealt", next_terms(decks=6), "shoe composition differs from its commitment", 0
    ),
    "the first terms replaced": Kind(0, "TermsFixed", field(digest=OTHER), TERMS),
    "the first terms of another number": Kind(0, "TermsFixed", field(number=2), TERMS),
    "the first commitment replaced": Kind(
        0, "TableOpened", lambda data: data["next_shoe"].update(commitment=OTHER), TERMS
    ),
    "a seed kept secret": Kind(1, "RoundSettled", field(seed=None), "seed missing"),
    "a seed of another length": Kind(2, "RoundSettled", field(seed="abab"), "seed missing"),
}
"""By name."""


def play() -> None:
    """Play at a table for each kind."""
    for _ in KINDS:
        seated = sit("mini")
        for contribution in ("aa", None):
            signed = sign_wager(seated.guests[0], {"banker": 2500}, play_money=True)
            betting.deal(
                actor=seated.guests[0], stakes={"banker": 2500}, currency="EUR", contribution=contribution,
                signature=signed,
            )  # fmt: skip
            deal()


def _register(place: int, name: str, kind: Kind) -> None:
    def tamper(attacker: Attacker) -> tuple[str, str]:
        ids = attacker.signed_table(place)
        stream = f"{'round' if kind.round else 'table'}-{ids[kind.round]}"
        (event,) = attacker.row(
            "SELECT id FROM events_event WHERE stream = %s AND type = %s ORDER BY version LIMIT 1", stream, kind.type
        )
        attacker.change(event, kind.change)
        return kind.finding, str(ids[kind.round if kind.found_in is None else kind.found_in])

    WITH_RECOMPUTED_CHAIN[name] = tamper


for _place, (_name, _kind) in enumerate(KINDS.items()):
    _register(_place, _name, _kind)
