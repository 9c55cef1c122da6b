"""Export one round as self-contained JSON (`casino.round.v1`): checking the round needs no other data.

    format, exported_at
    round         what happened, in short: id, table, operator, number, rules (their digest), rules_label, currency,
                  phase, opened_at, settled_at, shoe_position, cards, player_total, banker_total, natural, outcome
    rules         the table's rules as recorded in the log (amounts in minor units), and the third-card table by name
    shoe          id, decks, commitment, contributions [{seat, contribution, public_key}], cut, seed and round_seed
                  (null while secret), root and shoe_position (null where there is none), openings [{shoe_position,
                  card, salt, path}], dealt (the cards that were out before, if the round drew from those left)
    events        every event of the round's stream; those of its table that contain the rules, fix the terms, or commit
                  to the shoe, cut, start or end it; the opening of the previous round if it committed to the shoe:
                  position, id, transaction, stream, version, type, schema, data, metadata, recorded_at, previous,
                  digest. `data` and `metadata` are null where they are withheld from the reader
    inclusion_proofs
                  [{position, path}] of the events in the checkpoint's Merkle tree
    checkpoint    the signed note of a checkpoint, with its cosignatures; null while there is none
    keys          [{id, public_key, valid_from, valid_until}] of checkpoints

Contains a seed only if it is revealed; the cards of a shoe of fixed order are opened one by one while it is in use.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final
from uuid import UUID

import msgspec

from baccarat.domain.fairness.commitment import open_cards
from baccarat.domain.rounds.state import fold_round
from baccarat.domain.tables.witness_events import links_of_shoe
from baccarat.proofs.loader import EvidenceEvent, RoundEvidence, format_time, load_evidence, load_rounds
from baccarat.storage.event_registry import CATALOGUE
from casino.checkpoints import notes, queries, records
from casino.checkpoints.records import SignedCheckpoint

FORMAT: Final = "casino.round.v1"
THIRD_CARD_RULES: Final = "punto_banco"
"""The name of the third-card table of all presets."""

STAFF_ONLY_EVENTS: Final = frozenset({"RoundSuspended", "RoundResumed", "RoundVoided", "ShoeEnded"})
"""Events with staff's notes or other players' money: a player's export has only their digests."""


def export_round(*, round_: UUID, operator: UUID, viewer: UUID | None) -> dict[str, Any]:
    """Export an ended round, JSON-ready: complete for its operator (viewer None), without notes for a player in it.

    Raises UnknownRound, NothingToProve, RoundNotSealed, NotInThatRound.
    """
    evidence = load_evidence(round_=round_, operator=operator, viewer=viewer)
    last = max(event.position for event in evidence.events)
    checkpoint = notes.oldest_cosigned(last) or records.covering(last) or records.latest()
    (document,) = _documents([evidence], checkpoint, redacted=viewer is not None)
    return document


def export_rounds(rounds: Sequence[UUID], checkpoint: SignedCheckpoint) -> list[dict[str, Any]]:
    """Export ended rounds in full under one checkpoint, in a few statements.

    Raises UnknownRound, RoundNotSealed, tree.IncompleteTree.
    """
    return list(_documents(load_rounds(rounds), checkpoint, redacted=False))


def _documents(
    evidence: Sequence[RoundEvidence], checkpoint: SignedCheckpoint | None, *, redacted: bool
) -> Iterator[dict[str, Any]]:
    size = 0 if checkpoint is None else checkpoint.size
    positions = sorted({event.position for each in evidence for event in each.events if event.position <= size})
    found = [] if checkpoint is None else queries.inclusion_paths(positions, checkpoint)
    paths, keys = dict(zip(positions, found, strict=True)), records.published_keys()
    for each in evidence:
        yield _document(each, redacted=redacted) | {
            "inclusion_proofs": [
                {"position": event.position, "path": [step.hex() for step in paths[event.position]]}
                for event in each.events
                if event.position in paths
            ],
            "checkpoint": None if checkpoint is None else checkpoint.cosigned,
            "keys": keys,
        }


def _document(evidence: RoundEvidence, *, redacted: bool) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "exported_at": format_time(evidence.now),
        "round": _round(evidence),
        "rules": {**evidence.rules, "third_cards": THIRD_CARD_RULES},
        "shoe": _shoe(evidence),
        "events": [event.as_json(redacted=redacted and event.type in STAFF_ONLY_EVENTS) for event in evidence.events],
    }


def _round(evidence: RoundEvidence) -> dict[str, Any]:
    opened, dealt = evidence.opened, evidence.round_event_data("CardsDealt") or {}
    settled = evidence.round_event_data("RoundSettled") or {}
    return {
        "id": opened["round"],
        "table": opened["table"],
        "operator": opened["operator"],
        "number": opened["number"],
        "rules": opened["rules"],
        "rules_label": opened["rules_label"],
        "currency": evidence.rules["currency"],
        "phase": "settled" if evidence.round_event_data("RoundVoided") is None else "voided",
        "opened_at": opened["opened_at"],
        "settled_at": settled.get("settled_at"),
        "shoe_position": dealt.get("shoe_position"),
        "cards": dealt.get("cards", []),
        "player_total": settled.get("player_total"),
        "banker_total": settled.get("banker_total"),
        "natural": settled.get("natural"),
        "outcome": settled.get("outcome"),
    }


def _shoe(evidence: RoundEvidence) -> dict[str, Any]:
    opened, started = evidence.opened, evidence.shoe_event_data("ShoeStarted")
    fixed = _closed_cut(evidence) if started is None else started
    seed, round_seed = _revealed(evidence), _revealed_by_round(evidence)
    if not evidence.draws_by_round:
        seed, round_seed = seed or round_seed, None
    root, cut = fixed.get("root"), fixed["cut"]
    return {
        "id": opened["shoe"],
        "decks": evidence.rules["decks"],
        "commitment": opened["commitment"] if started is None else started["commitment"],
        "contributions": fixed["contributions"],
        "cut": cut,
        "seed": seed,
        "round_seed": round_seed,
        "root": root,
        "shoe_position": (evidence.round_event_data("CardsDealt") or {}).get("shoe_position"),
        "openings": _openings(evidence, cut) if seed is None and root is not None else [],
        "dealt": list(evidence.dealt),
    }


def _closed_cut(evidence: RoundEvidence) -> dict[str, Any]:
    """Return the cut of the round's own shoe and its contributions, if it was closed."""
    round_ = fold_round(_decoded(evidence.round_events))
    contributions = () if round_.cut is None else round_.require_opened().contributions
    return {"contributions": list(map(asdict, contributions)), "cut": round_.cut or ""}


def _decoded(events: Iterable[EvidenceEvent]) -> list[Any]:
    return [CATALOGUE.decode(event.type, event.schema, msgspec.json.encode(event.data)) for event in events]


def _revealed_by_round(evidence: RoundEvidence) -> str | None:
    """Return the seed in hex that the round has revealed: of its own shoe, or its own of a long one."""
    ends = map(evidence.round_event_data, ("RoundSettled", "RoundVoided"))
    return next((str(data["seed"]) for data in ends if data is not None and data["seed"]), None)


def _revealed(evidence: RoundEvidence) -> str | None:
    """Return the shoe's seed in hex if an event of the table has revealed it."""
    shoe, ended = evidence.opened["shoe"], evidence.shoe_event_data("ShoeEnded")
    closed = evidence.shoe_event_data("TableClosed") or {"seeds": []}
    seeds = [ended] if ended is not None else [each for each in closed["seeds"] if each["shoe"] == shoe]
    return next((each["seed"] for each in seeds), None)


def _openings(evidence: RoundEvidence, cut: str) -> list[dict[str, Any]]:
    """Open the turned card and the cards of this round, but no card that is still to come; none for chosen cards."""
    dealt, started = evidence.round_event_data("CardsDealt"), evidence.shoe_event_data("ShoeStarted") or {}
    if dealt is None or evidence.seed is None or evidence.round_event_data("CardsForced") is not None:
        return []
    first = dealt["shoe_position"]
    positions = [*([0] if started["turned_card"] else []), *range(first, first + len(dealt["cards"]))]
    decks = evidence.rules["decks"]
    links = links_of_shoe(UUID(evidence.opened["shoe"]), _decoded(evidence.table_events))
    openings = open_cards(evidence.seed, cut=bytes.fromhex(cut), decks=decks, positions=positions, links=links)
    return [
        {"shoe_position": each.shoe_position, "card": each.card, "salt": each.salt, "path": list(each.path)}
        for each in openings
    ]
