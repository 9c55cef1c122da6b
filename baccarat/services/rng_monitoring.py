"""Use case of monitoring the generator: sample revealed shoes and outcomes, test them, and record failures."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import msgspec
from django.db import transaction

from baccarat.domain.fairness.links import SignedRelease, links_of
from baccarat.domain.fairness.shuffle import shuffle
from baccarat.domain.fairness.terms import WitnessIndex
from baccarat.domain.rounds.cut import own_cut_in_hex
from baccarat.domain.rounds.events import RoundOpened
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.tables.events import ShoeEnded, ShoeStarted
from baccarat.services.rng_statistics import AdjustedTestResult, Sample, passes
from baccarat.services.rng_suite import run_tests
from baccarat.storage.event_registry import CATALOGUE
from casino.events.sql import fetch
from casino.significant import recorder

ACTOR: Final = "system:rng_report"
MAX_SHOES: Final = 4000
MAX_ROUNDS: Final = 100_000

_DECKS: Final = "(version.rules->>'decks')::int"
_PLAYED_BY: Final = "JOIN baccarat_rulesversion version ON version.table_id = round.table_id AND digest = round.rules"
_OUTCOMES: Final = f"""
SELECT decks, outcome, id FROM (
    SELECT {_DECKS} AS decks, round.outcome, round.id
      FROM baccarat_round AS round {_PLAYED_BY}
     WHERE round.outcome IS NOT NULL AND round.phase IN ('settled', 'voided') AND NOT round.forced
     ORDER BY round.id DESC LIMIT %s
) AS latest ORDER BY id
"""  # noqa: S608  (constants)
_OWN: Final = f"""
SELECT opened.type, opened.schema, opened.data::text, ended.id, ended.data::text,
       released.id, released.data::text, {_DECKS}
  FROM baccarat_round AS round {_PLAYED_BY}
  JOIN events_event AS opened ON opened.stream = 'round-' || round.id AND opened.version = 1
  JOIN events_event AS closed ON closed.stream = opened.stream AND closed.type = 'BettingClosed'
  JOIN events_event AS ended ON ended.stream = closed.stream AND ended.type IN ('RoundSettled', 'RoundVoided')
   AND (ended.data->>'seed' IS NOT NULL OR ended.data::text = 'null')
  LEFT JOIN events_event AS released ON released.stream = closed.stream AND released.type = 'LinksReleased'
 WHERE round.phase IN ('settled', 'voided') ORDER BY round.id DESC LIMIT %s
"""  # noqa: S608  (constants)
_DRAWN: Final = """(
    SELECT coalesce(string_agg(drawn.cards, ' ' ORDER BY drawn.number), '') FROM baccarat_round AS drawn
     WHERE drawn.table_id = round.table_id AND NOT drawn.forced AND drawn.cards <> ''
       AND drawn.number >= round.number AND drawn.number < coalesce((
           SELECT (next.data->>'first_round')::int FROM events_event AS next WHERE next.stream = ended.stream
              AND next.version > ended.version AND next.type = 'ShoeStarted' ORDER BY next.version LIMIT 1
       ), 2147483647)
)"""
"""The cards that the rounds of a long shoe drew, up to the first round of the next shoe."""
_LONG: Final = f"""
SELECT started.type, started.schema, started.data::text, ended.type, ended.schema, ended.data::text,
       (SELECT closed.data->>'witnesses' FROM events_event AS closed WHERE closed.stream = ended.stream
           AND closed.type = 'ShoeCutClosed' AND closed.data->>'shoe' = ended.data->>'shoe'),
       (SELECT released.data->>'releases' FROM events_event AS released WHERE released.stream = ended.stream
           AND released.type = 'ShoeLinksReleased' AND released.data->>'shoe' = ended.data->>'shoe'), {_DECKS},
       CASE WHEN (version.rules->>'fixed_order')::bool THEN NULL ELSE {_DRAWN} END
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


def run_rng_tests(
    *, shoes: int = MAX_SHOES, rounds: int = MAX_ROUNDS
) -> tuple[DealingHistory, tuple[AdjustedTestResult, ...]]:
    """Test the newest shoes and rounds, and return the sample with the results.

    A failure is a significant event, recorded once for each newest round of a sample.
    """
    history = load_history(shoes=shoes, rounds=rounds)
    results = run_tests(history.sample)
    if not passes(results):
        with transaction.atomic():
            _record_failure(history, results)
    return history, results


def _record_failure(history: DealingHistory, results: tuple[AdjustedTestResult, ...]) -> None:
    failed = [test for test in results if not test.passed]
    recorder.record(
        kind=recorder.SignificantEventKind.RNG_OUT_OF_BAND,
        operator=None,
        subject="rng",
        actor=ACTOR,
        reason="; ".join(f"{test.result.name}: {test.result.statistic}" for test in failed),
        after={
            "shoes": len(history.sample.shoes),
            "rounds": len(history.sample.outcomes),
            "failed": {test.result.name: test.adjusted_p_value for test in failed},
        },
        dedup_key=f"rng:{history.newest}",
    )


def load_history(*, shoes: int = MAX_SHOES, rounds: int = MAX_ROUNDS) -> DealingHistory:
    """Read this many of the newest revealed shoes and outcomes of all tables, oldest first.

    Includes rounds voided after their outcome, so that voids cannot bias the sample.
    """
    outcomes = fetch(_OUTCOMES, [rounds])
    return DealingHistory(
        sample=Sample(
            shoes=[*_orders_of_long_shoes(shoes), *_orders_of_own_shoes(shoes)],
            outcomes=[(decks, Outcome(outcome)) for decks, outcome, _ in outcomes],
        ),
        newest=outcomes[-1][2] if outcomes else None,
    )


class _Revealing(msgspec.Struct, gc=False):
    seed: str | None


class _Released(msgspec.Struct, gc=False):
    releases: tuple[SignedRelease, ...]


def _orders_of_own_shoes(limit: int) -> Iterator[tuple[Card, ...]]:
    rows = fetch(_OWN, [limit])
    for *row, _, ended, _, released, decks in reversed(rows):
        opened, seed = CATALOGUE.decode(*row), msgspec.json.decode(ended, type=_Revealing).seed
        if isinstance(opened, RoundOpened) and seed is not None:
            cut = own_cut_in_hex(opened)
            given = () if released is None else msgspec.json.decode(released, type=_Released).releases
            if len(given) < len(opened.witnesses):  # it was voided, and its cards are not known yet
                continue
            links = links_of(opened.witnesses, given)
            yield shuffle(bytes.fromhex(seed), cut=bytes.fromhex(cut), decks=decks, links=links)


def _orders_of_long_shoes(limit: int) -> Iterator[tuple[Card, ...]]:
    for *row, witnesses, releases, decks, drawn in reversed(fetch(_LONG, [limit])):
        started, ended = CATALOGUE.decode(*row[:3]), CATALOGUE.decode(*row[3:])
        if isinstance(started, ShoeStarted) and isinstance(ended, ShoeEnded):
            seed, cut = bytes.fromhex(ended.seed), bytes.fromhex(started.cut)
            places = msgspec.json.decode(witnesses or "[]", type=tuple[WitnessIndex, ...])
            links = links_of(places, msgspec.json.decode(releases or "[]", type=tuple[SignedRelease, ...]))
            if drawn is None:
                yield shuffle(seed, cut=cut, decks=decks, links=links)
                continue
            # In the order in which each was drawn, and then what is left, by the shoe's own seed.
            out = tuple(Card(card) for card in (*filter(None, [started.turned_card]), *drawn.split()))
            yield (*out, *shuffle(seed, cut=cut, decks=decks, links=links, out=out))
