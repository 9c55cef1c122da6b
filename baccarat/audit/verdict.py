"""Check one round against the rules, the log and the ledger, each time it is requested."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from baccarat.audit import comparison
from baccarat.audit.dealing import NO_DEAL
from baccarat.audit.report import FindingCollector
from baccarat.audit.round_replay import RoundReplay, replay_round
from baccarat.audit.shoes import NOT_OPENED, OTHER_CARDS, OTHER_ROOT, OTHER_SHOE
from baccarat.domain.postings import TableAccounts
from baccarat.storage.event_registry import CATALOGUE
from casino.checkpoints import notes, queries, records
from casino.checkpoints.records import SignedCheckpoint
from casino.checkpoints.tree import IncompleteTree
from casino.crypto.signed_note import MalformedNote, UntrustedNote
from casino.events.hash_chain import GENESIS, digest
from casino.events.records import METADATA
from casino.events.sql import fetch
from casino.kernel.canonical_json import recanonical
from casino.kernel.findings import Finding
from casino.kernel.merkle import is_included, leaf_hash

_SEALED: Final = f"""
    SELECT event.id, event.version, event.type, event.schema, event.data::text, {METADATA}::text, event.recorded_at,
           seal.position, seal.digest, before.digest, event.transaction
      FROM events_event AS event
      LEFT JOIN events_seal AS seal ON seal.event_id = event.id
      LEFT JOIN events_seal AS before ON before.position = seal.position - 1
     WHERE event.stream = %s ORDER BY event.version
"""  # noqa: S608  (constants)
_OF_THE_SHOE: Final = frozenset({NOT_OPENED, OTHER_CARDS, OTHER_ROOT, NO_DEAL, OTHER_SHOE})
"""Messages for cards that do not match the committed seed; an invalid deal matches no shoe."""
_ROW: Final = "SELECT phase, cards, outcome FROM baccarat_round WHERE id = %s"


@dataclass(frozen=True, slots=True)
class RoundCheck:
    """One check: it holds (True), fails (False) or cannot be decided yet (None), with the reason in words."""

    name: str
    holds: bool | None
    explanation: str


@dataclass(frozen=True, slots=True)
class RoundVerdict:
    """All checks of a round, with its replay."""

    checks: tuple[RoundCheck, ...]
    replay: RoundReplay | None

    @property
    def holds(self) -> bool:
        """Return whether no check fails; those that cannot be decided yet do not count."""
        return all(check.holds is not False for check in self.checks)


def check_round(round_: UUID, *, accounts: TableAccounts) -> RoundVerdict:
    """Check one round from its events, the ledger and the newest checkpoint; about ten statements."""
    rows = fetch(_SEALED, [f"round-{round_}"])
    replay, rules = _rules(round_)
    checks = [_checked("Digests of the chain", lambda: _chain(f"round-{round_}", rows)), rules]
    if replay is not None:
        checks += [
            _fairness(replay),
            _checked("Ledger entries", lambda: _money(rows, accounts)),
            _checked("Rows of the lists", lambda: _row(round_, replay)),
        ]
    return RoundVerdict((*checks, _checked("Signed checkpoint", lambda: _checkpoint(rows))), replay)


def _checked(name: str, check: Callable[[], RoundCheck]) -> RoundCheck:
    """Return the result of a check; one that raises fails."""
    try:
        with transaction.atomic():
            return check()
    except Exception as error:  # noqa: BLE001  (a page says what is damaged, whatever it is)
        return RoundCheck(name, holds=False, explanation=f"{type(error).__name__}: {error}")


def _chain(stream: str, rows: Sequence[Any]) -> RoundCheck:
    name = "Digests of the chain"
    wrong = [row[1] for row in rows if row[7] is not None and not _digest_holds(stream, row)]
    if wrong:
        return RoundCheck(
            name, holds=False, explanation=f"Changed after it was sealed: version {', '.join(map(str, wrong))}."
        )
    waiting = sum(row[7] is None for row in rows)
    if waiting:
        return RoundCheck(name, holds=None, explanation=f"{waiting} of {len(rows)} events wait for their seal.")
    return RoundCheck(name, holds=True, explanation=f"{len(rows)} events have the digests they were sealed with.")


def _digest_holds(stream: str, row: Any) -> bool:
    event, version, kind, schema, data, metadata, recorded_at, position, sealed, before, transaction = row
    computed = digest(
        position=position,
        event=event,
        transaction=transaction,
        stream=stream,
        version=version,
        type=kind,
        schema=schema,
        data=recanonical(data),
        metadata=recanonical(metadata),
        recorded_at=recorded_at,
        previous=GENESIS if position == 1 else bytes(before or b""),
    )
    return computed == bytes(sealed)


def _rules(round_: UUID) -> tuple[RoundReplay | None, RoundCheck]:
    name = "Rules, cards, payouts and commission"
    try:
        replay = replay_round(round_)
    except Exception as error:  # noqa: BLE001  (as above)
        return None, RoundCheck(name, holds=False, explanation=f"The events can't be replayed: {error}")
    if replay.findings:
        return replay, RoundCheck(name, holds=False, explanation=_format_findings(replay.findings))
    if replay.outcome is None:
        return replay, RoundCheck(
            name, holds=None, explanation=f"The round is {replay.phase}; everything so far follows the rules."
        )
    return replay, RoundCheck(name, holds=True, explanation=f"Recomputed from the events: {replay.outcome}.")


def _fairness(replay: RoundReplay) -> RoundCheck:
    wrong = [finding for finding in replay.findings if finding.kind in _OF_THE_SHOE]
    if wrong:
        return RoundCheck("Cards from the committed seed", holds=False, explanation=_format_findings(wrong))
    holds = None if "revealed" in replay.fairness and "checked" not in replay.fairness else True
    return RoundCheck("Cards from the committed seed", holds=holds, explanation=replay.fairness)


def _money(rows: Sequence[Any], place: TableAccounts) -> RoundCheck:
    notes = FindingCollector()
    replayed = [(row[0], CATALOGUE.decode(row[2], row[3], row[4]), place) for row in rows]
    comparison.compare_entries(replayed, notes)
    if notes.findings:
        return RoundCheck("Ledger entries", holds=False, explanation=_format_findings(notes.findings))
    return RoundCheck(
        "Ledger entries", holds=True, explanation="The stored entries are those that follow from the events."
    )


def _row(round_: UUID, replay: RoundReplay) -> RoundCheck:
    rows = fetch(_ROW, [round_])
    expected = _as_listed(replay.phase, " ".join(replay.cards), replay.outcome)
    actual = _as_listed(*rows[0]) if rows else "nothing"
    if actual != expected:
        return RoundCheck(
            "Rows of the lists", holds=False, explanation=f"Lists have {actual}; the events say {expected}."
        )
    return RoundCheck("Rows of the lists", holds=True, explanation="Phase, cards and outcome are those of the events.")


def _as_listed(phase: str, cards: str, outcome: str | None) -> str:
    return f"{phase}, {cards or 'no cards'}, {outcome or 'no outcome'}"


def _checkpoint(rows: Sequence[Any]) -> RoundCheck:
    name = "Signed checkpoint"
    positions = [row[7] for row in rows if row[7] is not None]
    checkpoint = records.covering(max(positions)) if len(positions) == len(rows) and rows else None
    if checkpoint is None:
        return RoundCheck(name, holds=None, explanation="No checkpoint has been signed since.")
    fault = _checkpoint_fault(checkpoint, {row[7]: bytes(row[8]) for row in rows})
    text = f"All {len(rows)} events are in the tree that checkpoint {checkpoint.size} signs."
    return RoundCheck(name, holds=not fault, explanation=fault or text)


def _checkpoint_fault(checkpoint: SignedCheckpoint, digests: dict[int, bytes]) -> str:
    try:
        notes.signer(checkpoint)
        paths = queries.inclusion_paths(list(digests), checkpoint)
    except (MalformedNote, UntrustedNote) as error:
        return f"Checkpoint {checkpoint.size} is not signed by one of our keys: {error}"
    except IncompleteTree as error:
        return f"The log under checkpoint {checkpoint.size} is incomplete: {error}"
    missing = ", ".join(str(position) for position in _missing_positions(checkpoint, digests, paths))
    return f"Not in the tree of checkpoint {checkpoint.size}: position {missing}." if missing else ""


def _missing_positions(
    checkpoint: SignedCheckpoint, digests: dict[int, bytes], paths: Sequence[Sequence[bytes]]
) -> Iterator[int]:
    for (position, value), path in zip(digests.items(), paths, strict=True):
        if not is_included(leaf_hash(value), position - 1, checkpoint.size, path, checkpoint.root):
            yield position


def _format_findings(findings: Sequence[Finding]) -> str:
    return "; ".join(
        f"{each.kind} ({each.location}): expected {each.expected}, found {each.actual}" for each in findings[:5]
    )
