"""Reads samples for RNG tests: the orders of the newest revealed shoes, and the outcomes of the newest rounds."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.shuffle import shuffle
from baccarat.domain.rng_tests.sample import Sample
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.tables.events import ShoeEnded, ShoeStarted
from baccarat.storage import projections
from baccarat.storage.event_registry import CATALOGUE
from casino.events.sql import fetch

MAX_SHOES: Final = 4000
MAX_ROUNDS: Final = 100_000

_DECKS: Final = "(version.rules->>'decks')::int"
_PLAYED_BY: Final = "JOIN baccarat_rulesversion AS version ON version.table_id = round.table_id AND label = round.rules"
_OUTCOMES: Final = f"""
SELECT decks, outcome, id FROM (
    SELECT {_DECKS} AS decks, round.outcome, round.id
      FROM baccarat_round AS round {_PLAYED_BY}
     WHERE round.outcome IS NOT NULL AND round.phase IN ('settled', 'voided') ORDER BY round.id DESC LIMIT %s
) AS latest ORDER BY id
"""  # noqa: S608  (constants)
_OWN: Final = f"""
SELECT round.state::text, {_DECKS}
  FROM baccarat_round AS round {_PLAYED_BY}
 WHERE round.phase IN ('settled', 'voided') AND round.state->>'seed' IS NOT NULL AND round.state->>'cut' IS NOT NULL
 ORDER BY round.id DESC LIMIT %s
"""  # noqa: S608  (constants)
_LONG: Final = f"""
SELECT started.type, started.schema, started.data::text, ended.type, ended.schema, ended.data::text, {_DECKS}
  FROM events_event AS ended
  JOIN events_event AS started ON started.stream = ended.stream AND started.type = 'ShoeStarted'
   AND started.data->>'shoe' = ended.data->>'shoe'
  JOIN baccarat_round AS round ON 'table-' || round.table_id = ended.stream
   AND round.number = (started.data->>'first_round')::int {_PLAYED_BY}
 WHERE ended.type = 'ShoeEnded' ORDER BY ended.id DESC LIMIT %s
"""  # noqa: S608  (constants)


@dataclass(frozen=True, slots=True)
class DealingHistory:
    """A sample, and the newest round in it: None if no round was dealt."""

    sample: Sample
    newest: UUID | None


def load_history(*, shoes: int = MAX_SHOES, rounds: int = MAX_ROUNDS) -> DealingHistory:
    """Read this many of the newest revealed shoes and outcomes of all tables, oldest first.

    Includes rounds voided after their outcome, so that voids cannot bias the sample.
    """
    outcomes = fetch(_OUTCOMES, [rounds])
    return DealingHistory(
        sample=Sample(
            shoes=[*_long(shoes), *_own(shoes)],
            outcomes=[(decks, Outcome(outcome)) for decks, outcome, _ in outcomes],
        ),
        newest=outcomes[-1][2] if outcomes else None,
    )


def _own(most: int) -> Iterator[tuple[Card, ...]]:
    for state, decks in reversed(fetch(_OWN, [most])):
        round_ = projections.decode_round(state)
        yield shuffle(bytes.fromhex(round_.seed or ""), cut=bytes.fromhex(round_.cut or ""), decks=decks)


def _long(most: int) -> Iterator[tuple[Card, ...]]:
    for *row, decks in reversed(fetch(_LONG, [most])):
        started, ended = CATALOGUE.decode(*row[:3]), CATALOGUE.decode(*row[3:])
        if isinstance(started, ShoeStarted) and isinstance(ended, ShoeEnded):
            yield shuffle(bytes.fromhex(ended.seed), cut=bytes.fromhex(started.cut), decks=decks)
