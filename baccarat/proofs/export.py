"""Exports one round as self-contained JSON (`casino.round.v1`): checking the round needs no other data.

    format, exported_at
    round         what happened, in short: id, table, operator, number, rules, currency, phase, opened_at, settled_at,
                  position, cards, player_total, banker_total, natural, outcome
    rules         the table's rules as recorded in the log (amounts in minor units), and the third-card table by name
    shoe          id, decks, commitment, contributions [{seat, contribution}], cut, seed (null while secret), root and
                  position (null where there is none), openings [{position, card, salt, path}]
    events        every event of the round's stream; those of its table that tell the rules, commit to the shoe, cut,
                  start and end it; and, where that named the shoe, the opening of the round before: position, id,
                  stream, version, type, schema, data, metadata, recorded_at, previous, digest. `data` and `metadata`
                  are null where they are withheld from the reader
    inclusion     [{position, path}] in the tree of
    checkpoint    the signed checkpoint (`casino.checkpoint.v1`), null while there is none
    keys          [{id, public, from, until}] of checkpoints

Contains a seed only if it is revealed; the cards of a shoe still in use are opened one by one instead.
"""

from typing import Any, Final
from uuid import UUID

from baccarat.domain.fairness.openings import open_cards
from baccarat.proofs.loader import EvidenceEvent, RoundEvidence, format_time, load_evidence
from casino.checkpoints import document, proofs, records

FORMAT: Final = "casino.round.v1"
THIRD_CARD_RULES: Final = "punto_banco"
"""The name of the third-card table that all presets share: design of rules, section 2."""

STAFF_ONLY_EVENTS: Final = frozenset(
    {"RoundSuspended", "RoundResumed", "RoundVoidRequested", "RoundVoidDeclined", "RoundVoided", "ShoeEnded"}
)
"""Events with staff, their notes or other players' money in them: a player's export has only their digests."""


def export_round(*, round_: UUID, operator: UUID, viewer: UUID | None) -> dict[str, Any]:
    """Export an ended round, JSON-ready: complete for its operator (viewer None), without notes for a player in it.

    Raises UnknownRound, NothingToProve, RoundNotSealed, NotInThatRound.
    """
    found = load_evidence(round_=round_, operator=operator, viewer=viewer)
    events = found.events
    return {
        "format": FORMAT,
        "exported_at": format_time(found.now),
        "round": _round(found),
        "rules": {**found.rules, "third_cards": THIRD_CARD_RULES},
        "shoe": _shoe(found),
        "events": [event.as_json(redacted=viewer is not None and event.type in STAFF_ONLY_EVENTS) for event in events],
        **_log(events),
    }


def _round(found: RoundEvidence) -> dict[str, Any]:
    opened, dealt = found.opened, found.round_event_data("CardsDealt") or {}
    settled = found.round_event_data("RoundSettled") or {}
    return {
        "id": opened["round"],
        "table": opened["table"],
        "operator": opened["operator"],
        "number": opened["number"],
        "rules": opened["rules"],
        "currency": found.rules["currency"],
        "phase": "settled" if found.round_event_data("RoundVoided") is None else "voided",
        "opened_at": opened["opened_at"],
        "settled_at": settled.get("settled_at"),
        "position": dealt.get("position"),
        "cards": dealt.get("cards", []),
        "player_total": settled.get("player_total"),
        "banker_total": settled.get("banker_total"),
        "natural": settled.get("natural"),
        "outcome": settled.get("outcome"),
    }


def _shoe(found: RoundEvidence) -> dict[str, Any]:
    opened, started = found.opened, found.shoe_event_data("ShoeStarted")
    fixed = (found.round_event_data("BettingClosed") or {}) if started is None else started
    root, seed, cut = fixed.get("root"), _revealed(found), fixed.get("cut", "")
    return {
        "id": opened["shoe"],
        "decks": found.rules["decks"],
        "commitment": opened["commitment"] if started is None else started["commitment"],
        "contributions": fixed.get("contributions", []),
        "cut": cut,
        "seed": seed,
        "root": root,
        "position": (found.round_event_data("CardsDealt") or {}).get("position"),
        "openings": _openings(found, cut) if seed is None and root is not None else [],
    }


def _revealed(found: RoundEvidence) -> str | None:
    """Return the seed in hex if an event has revealed it."""
    shoe = found.opened["shoe"]
    for data in (
        found.round_event_data("RoundSettled"),
        found.round_event_data("RoundVoided"),
        found.shoe_event_data("ShoeEnded"),
    ):
        if data is not None and data["seed"]:
            return str(data["seed"])
    closed = found.shoe_event_data("TableClosed") or {"seeds": []}
    return next((each["seed"] for each in closed["seeds"] if each["shoe"] == shoe), None)


def _openings(found: RoundEvidence, cut: str) -> list[dict[str, Any]]:
    """Open the cards that this round took, and the turned one; none that is still to come."""
    dealt, started = found.round_event_data("CardsDealt"), found.shoe_event_data("ShoeStarted") or {}
    if dealt is None or found.seed is None:
        return []
    first = dealt["position"]
    places = [*([0] if started["turned_card"] else []), *range(first, first + len(dealt["cards"]))]
    opened = open_cards(found.seed, cut=bytes.fromhex(cut), decks=found.rules["decks"], positions=places)
    return [
        {"position": each.shoe_position, "card": each.card, "salt": each.salt, "path": list(each.path)}
        for each in opened
    ]


def _log(events: list[EvidenceEvent]) -> dict[str, Any]:
    """Return the oldest checkpoint that covers all of these events, else the newest, and the paths in its tree."""
    last = max(event.position for event in events)
    checkpoint = records.covering(last) or records.latest()
    if checkpoint is None:
        return {"inclusion": [], "checkpoint": None, "keys": records.published_keys()}
    positions = [event.position for event in events if event.position <= checkpoint.position]
    paths = proofs.inclusion_paths(positions, checkpoint)
    return {
        "inclusion": [
            {"position": position, "path": [step.hex() for step in path]}
            for position, path in zip(positions, paths, strict=True)
        ],
        "checkpoint": document.as_json(checkpoint),
        "keys": records.published_keys(),
    }
