"""An independent judge of money: the published verifier recomputes rounds, and the ledger is compared with its amounts.

The replay calls the game's own arithmetic, postings and digests: a fault in these passes it. Here amounts come from
`proofs/verifier.py` alone, which imports nothing of ours, and postings from SQL alone.

A night judges a sample of the rounds that ended since the last one: 500 and one in a hundred, 20 of each preset,
funding and currency, every void, the first 200 by each set of rules, and every win above the operator's threshold. Lots
are drawn by the root of a checkpoint that covers all of them, so nobody knew them while the rounds were played.
"""

import itertools
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any, Final
from uuid import UUID

import msgspec

from baccarat.audit import log_reader
from baccarat.audit.report import AuditReport, sort_findings
from baccarat.proofs import house, verifier
from baccarat.proofs.export import export_rounds
from casino.checkpoints import records
from casino.checkpoints.records import SignedCheckpoint
from casino.events.netting import in_parts
from casino.events.sql import fetch
from casino.kernel.findings import Finding, Findings
from casino.significant.thresholds import thresholds_for

CONTRADICTED: Final = "verifier contradicts the round"
OTHERWISE: Final = "ledger differs from the verifier"
BATCH: Final = 50
"""Rounds that are read at once."""
STEP: Final = 20_000
"""Positions that a process judges at once."""
SAMPLE: Final = {"least": 500, "one_in": 100, "of_each": 20, "first": 200}

_ENDED: Final = """
SELECT substr(event.stream, 7)::uuid AS id, bool_or(event.type = 'RoundVoided') AS voided
  FROM events_seal AS seal JOIN events_event AS event ON event.id = seal.event_id
 WHERE seal.position > %(since)s AND seal.position <= %(upto)s AND event.type IN ('RoundSettled', 'RoundVoided')
   AND event.stream ~ '^round-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
 GROUP BY 1
"""
_ALL: Final = f"SELECT id FROM ({_ENDED}) AS ended ORDER BY id"  # noqa: S608  (constants)
_SAMPLE: Final = f"""
WITH ended AS ({_ENDED}), placed AS (
    SELECT ended.id, ended.voided, round.rules, round.operator_id, round.currency,
           row_number() OVER (ORDER BY lot) AS place, count(*) OVER () AS number,
           row_number() OVER (
               PARTITION BY own.preset, coalesce(funding.funding, 'house'), round.currency ORDER BY lot
           ) AS of_kind
      FROM ended LEFT JOIN baccarat_round AS round USING (id)
      LEFT JOIN baccarat_table AS own ON own.id = round.table_id
      LEFT JOIN wallet_funding AS funding ON funding.operator_id = round.operator_id
     CROSS JOIN LATERAL (SELECT sha256(%(root)s || uuid_send(ended.id)) AS lot) AS drawn
), early AS (
    SELECT oldest.id FROM (SELECT DISTINCT rules FROM placed) AS known
     CROSS JOIN LATERAL (
         SELECT id FROM baccarat_round WHERE rules = known.rules ORDER BY id LIMIT %(first)s
     ) AS oldest
)
SELECT id FROM placed
 WHERE voided OR place <= greatest(%(least)s, number / %(one_in)s + 1) OR of_kind <= %(of_each)s
    OR id IN (SELECT id FROM early)
    OR EXISTS (SELECT FROM baccarat_wager AS wager
                 JOIN unnest(%(operators)s::uuid[], %(currencies)s::text[], %(wins)s::bigint[])
                      AS large (operator_id, currency, win) USING (operator_id, currency)
                WHERE wager.round_id = placed.id AND wager.returned - wager.staked > large.win)
 ORDER BY id
"""  # noqa: S608  (constants)
_PAIRS: Final = "SELECT DISTINCT operator_id, currency FROM baccarat_table"
_POSTED: Final = """
SELECT entry.cause, entry.kind, concat_ws(' ', account.kind, account.player_id, account.table_id, account.money_type,
       account.currency, account.operator_id), sum(posting.amount)::bigint
  FROM wallet_entry AS entry JOIN wallet_posting AS posting ON posting.entry_id = entry.cause
  JOIN wallet_account AS account ON account.id = posting.account_id
 WHERE entry.cause = ANY (%s::bigint[]) GROUP BY 1, 2, 3 HAVING sum(posting.amount) <> 0
"""
_OF_PLAYER: Final = frozenset({"account", "game", "rack", "debt"})
_OF_TABLE: Final = frozenset({"game", "rack", "stakes", "bank", "commission"})

Entry = tuple[str, Counter[str]]
"""The kind of an entry, and what it moves, in minor units by account."""


def audit_sample(checkpoint: SignedCheckpoint, since: int) -> AuditReport:
    """Judge a sample of the rounds that ended above a position, up to a trusted checkpoint.

    Call it outside of any transaction.
    """
    began = time.monotonic()
    with log_reader.snapshot():
        rounds, every = _chosen(checkpoint, since), len(fetch(_ALL, {"since": since, "upto": checkpoint.size}))
        findings, verdicts = _judge_all(rounds, checkpoint)
    left = (f"rounds that were not drawn: {every - len(rounds)}", "everything but money and proofs of rounds")
    return _report(findings, verdicts, checkpoint, since=since, began=began, not_read=left)


def audit_all(checkpoint: SignedCheckpoint, *, since: int, pool: Executor | None = None) -> AuditReport:
    """Judge all rounds that ended above a position, up to a trusted checkpoint; a pool of processes shares the work.

    Call it outside of any transaction.
    """
    began, findings, verdicts = time.monotonic(), Findings(), Counter[str]()
    work = partial(judge_range, checkpoint.size)
    for found, given in (map if pool is None else pool.map)(work, range(since, checkpoint.size, STEP)):
        findings.extend(found)
        verdicts.update(given)
    left = ("everything but money and proofs of rounds",)
    return _report(findings, verdicts, checkpoint, since=since, began=began, not_read=left)


def judge_range(size: int, since: int) -> tuple[Findings, Counter[str]]:
    """Judge the rounds that ended within a step above a position, under the checkpoint of this size."""
    with log_reader.snapshot():
        checkpoint = records.find(size)
        if checkpoint is None:
            raise LookupError(f"There is no checkpoint {size}.")
        rows = fetch(_ALL, {"since": since, "upto": min(since + STEP, size)})
        return _judge_all([round_ for (round_,) in rows], checkpoint)


def _chosen(checkpoint: SignedCheckpoint, since: int) -> list[UUID]:
    limits = thresholds_for((operator, currency) for operator, currency in fetch(_PAIRS))
    parameters = SAMPLE | {
        "since": since,
        "upto": checkpoint.size,
        "root": checkpoint.root,
        "operators": [operator for operator, _ in limits],
        "currencies": [currency for _, currency in limits],
        "wins": [each.win for each in limits.values()],
    }
    return [round_ for (round_,) in fetch(_SAMPLE, parameters)]


def _judge_all(rounds: Sequence[UUID], checkpoint: SignedCheckpoint) -> tuple[Findings, Counter[str]]:
    """Return the findings, and how many rounds have each verdict."""
    findings, verdicts, keys = Findings(), Counter[str](), house.trusted_keys()

    def judge(some: Sequence[UUID]) -> list[Finding]:
        given, found = Counter[str](), list[Finding]()
        documents = export_rounds(some, checkpoint)
        posted = _posted([event["id"] for each in documents for event in each["events"]])
        for document in documents:
            verdict = verifier.verify(msgspec.json.encode(document), keys)
            given[verdict["verdict"]] += 1
            found += [*_contradictions(document, verdict), *_differences(document, posted)]
        verdicts.update(given)
        return found

    for start in range(0, len(rounds), BATCH):
        findings.extend(in_parts(rounds[start : start + BATCH], judge, lambda round_: f"round {round_}"))
    return findings, verdicts


def _contradictions(document: Mapping[str, Any], verdict: verifier.Verdict) -> Iterator[Finding]:
    for check in verdict["checks"]:
        if check["verdict"] == verifier.FAILED:
            where = f"round {document['round']['id']}, {check['name']}: {check['text']}"
            yield Finding(CONTRADICTED, where, check["expected"], check["found"])


def _posted(events: Sequence[int]) -> dict[int, Entry]:
    entries: dict[int, Entry] = {}
    for cause, kind, account, amount in fetch(_POSTED, [list(events)]):
        entries.setdefault(cause, (kind, Counter()))[1][account] = amount
    return entries


def _differences(document: Mapping[str, Any], posted: Mapping[int, Entry]) -> Iterator[Finding]:
    """Compare each event's entry with what the verifier says that it moves."""
    due = dict(_due(document))
    for event in document["events"]:
        if event["stream"] != f"round-{document['round']['id']}":
            continue
        wanted, actual = _text(due.get(event["id"])), _text(posted.get(event["id"]))
        if wanted != actual:
            where = f"round {document['round']['id']}, event {event['id']}, {event['type']}"
            yield Finding(OTHERWISE, where, wanted, actual)


def _text(entry: Entry | None) -> str:
    moved = [] if entry is None else [f"{account} {amount}" for account, amount in sorted(entry[1].items()) if amount]
    return f"{entry[0]}: {', '.join(moved)}" if entry is not None and moved else "nothing"


def _due(document: Mapping[str, Any]) -> Iterator[tuple[int, Entry]]:
    """Yield the entries that follow from confirmed wagers, cards and rules, by the verifier's arithmetic."""
    rules, stream = document["rules"], f"round-{document['round']['id']}"
    events = [event for event in document["events"] if event["stream"] == stream]
    wagers = {event["data"]["seat"]: event["data"] for event in events if event["type"] == "WagerConfirmed"}
    paid: dict[int, tuple[int, int]] = {}
    for event in events:
        data, moved = event["data"], Counter[str]()
        match event["type"]:
            case "WagerConfirmed":
                _stake(moved, document, data, sum(data["stakes"].values()))
                yield event["id"], ("wager", moved)
            case "RoundSettled":
                paid = {seat: _paid(document, wager) for seat, wager in wagers.items()}
                for seat, wager in wagers.items():
                    _settle(moved, document, wager, *paid[seat], deferred=verifier.is_deferred(rules))
                yield event["id"], ("settlement", moved)
            case "RoundVoided":
                for line in data["seats"]:
                    _give_back(moved, document, wagers[line["seat"]], line, paid.get(line["seat"]))
                yield event["id"], ("void", moved)


def _paid(document: Mapping[str, Any], wager: Mapping[str, Any]) -> tuple[int, int]:
    """Return what a wager returns and its commission, as the verifier computes them."""
    cards = next(event["data"]["cards"] for event in document["events"] if _is_deal(event, document))
    facts = verifier.facts_of(cards)
    lines = [verifier.result_of(document["rules"], spot, stake, facts) for spot, stake in wager["stakes"].items()]
    return sum(line["returned"] for line in lines), sum(line["commission"] for line in lines)


def _is_deal(event: Mapping[str, Any], document: Mapping[str, Any]) -> bool:
    return bool(event["type"] == "CardsDealt" and event["stream"] == f"round-{document['round']['id']}")


def _stake(moved: Counter[str], document: Mapping[str, Any], wager: Mapping[str, Any], staked: int) -> None:
    moved[_account("game", document, wager)] -= staked
    moved[_account("stakes", document, wager)] += staked


def _settle(
    moved: Counter[str],
    document: Mapping[str, Any],
    wager: Mapping[str, Any],
    returned: int,
    commission: int,
    *,
    deferred: bool,
) -> None:
    staked = sum(wager["stakes"].values())
    moved[_account("stakes", document, wager)] -= staked
    moved[_account("game", document, wager)] += returned
    moved[_account("rack" if deferred else "commission", document, wager)] += commission
    moved[_account("bank", document, wager)] += staked - returned - commission


def _give_back(
    moved: Counter[str],
    document: Mapping[str, Any],
    wager: Mapping[str, Any],
    line: Mapping[str, Any],
    paid: tuple[int, int] | None,
) -> None:
    """Take back what was paid; between which of the player's accounts, the void says, and the verifier sums it."""
    staked, (returned, commission) = sum(wager["stakes"].values()), paid or (0, 0)
    if paid is None:
        moved[_account("stakes", document, wager)] -= staked
    else:
        moved[_account("bank", document, wager)] += returned + commission - staked - line["forgiven"]
    moved[_account("commission", document, wager)] += line["from_rack"] - commission
    moved[_account("rack", document, wager)] -= line["from_rack"]
    moved[_account("game", document, wager)] += line["to_game"] - line["from_game"]
    moved[_account("account", document, wager)] += line["to_account"] - line["from_account"]
    moved[_account("debt", document, wager)] -= line["owed"]


def _account(kind: str, document: Mapping[str, Any], wager: Mapping[str, Any]) -> str:
    """Return an account as `_POSTED` names it."""
    own = document["round"]
    parts = [
        kind,
        *([wager["player"]] if kind in _OF_PLAYER else []),
        *([own["table"]] if kind in _OF_TABLE else []),
        wager["money_type"], own["currency"], own["operator"],
    ]  # fmt: skip
    return " ".join(parts)


def _report(
    findings: Findings,
    verdicts: Counter[str],
    checkpoint: SignedCheckpoint,
    *,
    since: int,
    began: float,
    not_read: Sequence[str],
) -> AuditReport:
    short = [f"rounds {verifier.VERDICTS[name].partition(':')[0]}: {verdicts[name]}" for name in verifier.VERDICTS]
    given = itertools.compress(short, [verdicts[name] and name != "verified" for name in verifier.VERDICTS])
    seconds = time.monotonic() - began
    return AuditReport(
        rounds=verdicts.total(),
        events=0,
        entries=0,
        findings=sort_findings([], findings),
        seconds=seconds,
        log_seconds=seconds,
        head=(checkpoint.size, checkpoint.root.hex()),
        since=since,
        not_read=(*not_read, *given),
    )
