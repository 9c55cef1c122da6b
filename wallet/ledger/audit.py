"""Checks of the ledger against itself, and against the entries that events lead to.

Each check is one query over whole tables. None relies on triggers or constraints having been in force.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Final
from uuid import UUID

from casino.events.netting import fetch_findings, run_checks
from casino.events.sql import fetch
from casino.kernel.findings import Finding
from wallet.ledger.accounts import NEVER_NEGATIVE, account_key
from wallet.ledger.entries import NewEntry

_SUMMED: Final = "balance is not the sum of its postings"
# Each returns rows of (where, expected, found).
CHECKS: Final[Mapping[str, str]] = {
    "entry does not sum to zero": """
        SELECT 'entry ' || entry_id, '0 ' || unit, total::text
          FROM (SELECT entry_id, account.currency || ' ' || account.money_type AS unit, sum(amount) AS total
                  FROM wallet_posting JOIN wallet_account account ON account.id = account_id
                 GROUP BY entry_id, account.currency, account.money_type) units
         WHERE total IS DISTINCT FROM 0 ORDER BY entry_id""",
    "entry has fewer than two postings": """
        SELECT 'entry ' || entry.cause, '2 or more', count(posting.entry_id)::text
          FROM wallet_entry entry LEFT JOIN wallet_posting posting ON posting.entry_id = entry.cause
         GROUP BY entry.cause HAVING count(posting.entry_id) < 2 ORDER BY entry.cause""",
    "entry without its event": """
        SELECT 'entry ' || entry.cause, 'event ' || cause, 'none'
          FROM wallet_entry entry LEFT JOIN events_event event ON event.id = cause
         WHERE event.id IS NULL ORDER BY entry.cause""",
    "entry of another time than its event": """
        SELECT 'entry ' || entry.cause, event.recorded_at::text, entry.recorded_at::text
          FROM wallet_entry entry JOIN events_event event ON event.id = cause
         WHERE entry.recorded_at NOT BETWEEN event.recorded_at - interval '10 minutes'
                                         AND event.recorded_at + interval '10 minutes'
         ORDER BY entry.cause""",
    "entry of another operator": """
        SELECT DISTINCT 'entry ' || entry.cause, account.operator_id::text, entry.operator_id::text
          FROM wallet_entry entry
          JOIN wallet_posting posting ON posting.entry_id = entry.cause
          JOIN wallet_account account ON account.id = posting.account_id
         WHERE account.operator_id IS DISTINCT FROM entry.operator_id ORDER BY 1""",
    "posting without its entry": """
        SELECT 'posting of entry ' || entry_id, 'entry ' || entry_id, 'none'
          FROM wallet_posting posting LEFT JOIN wallet_entry entry ON entry.cause = entry_id
         WHERE entry.cause IS NULL ORDER BY entry_id, account_id""",
    "posting on an unknown account": """
        SELECT 'posting of entry ' || entry_id, 'account ' || account_id, 'none'
          FROM wallet_posting posting LEFT JOIN wallet_account account ON account.id = account_id
         WHERE account.id IS NULL ORDER BY entry_id, account_id""",
    "posting out of sequence": """
        SELECT 'account ' || account_id || ' posting ' || sequence, place::text, sequence::text
          FROM (SELECT account_id, sequence,
                       row_number() OVER (PARTITION BY account_id ORDER BY sequence) AS place
                  FROM wallet_posting) numbered
         WHERE place IS DISTINCT FROM sequence ORDER BY account_id, sequence""",
    "running balance is wrong": """
        SELECT 'account ' || account_id || ' posting ' || sequence, running::text, balance::text
          FROM (SELECT account_id, sequence, balance,
                       sum(amount) OVER (PARTITION BY account_id ORDER BY sequence) AS running
                  FROM wallet_posting) summed
         WHERE running IS DISTINCT FROM balance ORDER BY account_id, sequence""",
    "balance went below zero": """
        SELECT 'account ' || account_id || ' posting ' || sequence, '0 or more', posting.balance::text
          FROM wallet_posting posting JOIN wallet_account account ON account.id = account_id
         WHERE account.kind = ANY (%(never_negative)s::text[]) AND posting.balance < 0
         ORDER BY account_id, posting.sequence""",
    _SUMMED: """
        SELECT 'account ' || account.id, coalesce(posted.total, 0) || ' after ' || coalesce(posted.postings, 0),
               coalesce(held.balance || ' after ' || held.sequence, 'none')
          FROM wallet_account account
          LEFT JOIN (SELECT account_id, sum(amount) AS total, count(*) AS postings
                       FROM wallet_posting GROUP BY account_id) posted ON posted.account_id = account.id
          LEFT JOIN wallet_balance held ON held.account_id = account.id
         WHERE held.account_id IS NULL OR held.balance IS DISTINCT FROM coalesce(posted.total, 0)
            OR held.sequence IS DISTINCT FROM coalesce(posted.postings, 0)
         ORDER BY account.id""",
    "balance has the wrong floor": """
        SELECT 'account ' || account.id, (account.kind = ANY (%(never_negative)s::text[]))::text, held.floor::text
          FROM wallet_account account JOIN wallet_balance held ON held.account_id = account.id
         WHERE held.floor IS DISTINCT FROM (account.kind = ANY (%(never_negative)s::text[])) ORDER BY account.id""",
    "balance of an unknown account": """
        SELECT 'account ' || account_id, 'none', balance::text
          FROM wallet_balance LEFT JOIN wallet_account account ON account.id = account_id
         WHERE account.id IS NULL ORDER BY account_id""",
}
ENTRY_CHECKS: Final = frozenset(list(CHECKS)[:5])
"""Checks of single entries; all others are of accounts."""
_NEW: Final = """WITH wallet_entry AS (
    SELECT * FROM wallet_entry WHERE cause IN (
        SELECT event_id FROM events_seal WHERE position > %(since)s UNION ALL SELECT event_id FROM events_unsealed)
)"""
# Prepended to a check, these shadow the tables that it reads.
NEW_ENTRIES: Final = f"""{_NEW}, wallet_posting AS (
    SELECT * FROM wallet_posting WHERE entry_id IN (SELECT cause FROM wallet_entry)
)"""  # noqa: S608  (constants)
MOVED_ACCOUNTS: Final = f"""{_NEW.replace("wallet_entry AS", "moving AS", 1)}, moved AS (
    SELECT DISTINCT account_id AS id FROM wallet_posting WHERE entry_id IN (SELECT cause FROM moving)
), wallet_account AS (
    SELECT * FROM wallet_account WHERE id IN (SELECT id FROM moved)
), wallet_balance AS (
    SELECT * FROM wallet_balance WHERE account_id IN (SELECT id FROM moved)
), wallet_posting AS (
    SELECT * FROM wallet_posting WHERE account_id IN (SELECT id FROM moved)
)"""  # noqa: S608  (constants)
IN_RANGE: Final = """WITH wallet_entry AS (
    SELECT * FROM wallet_entry WHERE cause > %(first)s AND cause <= %(last)s
), wallet_posting AS (
    SELECT * FROM wallet_posting WHERE entry_id > %(first)s AND entry_id <= %(last)s
)"""
RANGE_CHECKS: Final[Mapping[str, str]] = {
    "posting out of sequence": """
        SELECT 'account ' || posting.account_id || ' posting ' || posting.sequence, 'a posting before it', 'none'
          FROM wallet_posting posting
         WHERE entry_id > %(first)s AND entry_id <= %(last)s AND sequence <> 1 AND NOT EXISTS (
               SELECT FROM wallet_posting before
                WHERE before.account_id = posting.account_id AND before.sequence = posting.sequence - 1)
         ORDER BY account_id, sequence""",
    "running balance is wrong": """
        SELECT 'account ' || posting.account_id || ' posting ' || posting.sequence,
               (coalesce(before.balance, 0) + posting.amount)::text, posting.balance::text
          FROM wallet_posting posting
          LEFT JOIN wallet_posting before
            ON before.account_id = posting.account_id AND before.sequence = posting.sequence - 1
         WHERE posting.entry_id > %(first)s AND posting.entry_id <= %(last)s
           AND posting.balance IS DISTINCT FROM coalesce(before.balance, 0) + posting.amount
         ORDER BY posting.account_id, posting.sequence""",
}
"""Checks that compare each posting of a range with the one before it in its account, wherever that is."""
LAST_POSTINGS: Final = """
    SELECT 'account ' || account.id, coalesce(last.balance, 0) || ' after ' || coalesce(last.sequence, 0),
           coalesce(held.balance || ' after ' || held.sequence, 'none')
      FROM wallet_account account
      LEFT JOIN LATERAL (SELECT balance, sequence FROM wallet_posting WHERE account_id = account.id
                          ORDER BY sequence DESC LIMIT 1) last ON true
      LEFT JOIN wallet_balance held ON held.account_id = account.id
     WHERE held.account_id IS NULL OR held.balance IS DISTINCT FROM coalesce(last.balance, 0)
        OR held.sequence IS DISTINCT FROM coalesce(last.sequence, 0)
     ORDER BY account.id"""
_OF_ENTRIES: Final = (
    *list(CHECKS)[:5], "posting without its entry", "posting on an unknown account", "balance went below zero",
)  # fmt: skip
_OF_BALANCES: Final = ("balance has the wrong floor", "balance of an unknown account")
_ACCOUNTS: Final = """SELECT id::text, kind, operator_id::text, money_type, currency, coalesce(player_id::text, ''),
        coalesce(table_id::text, '')
    FROM wallet_account WHERE id > %s::uuid ORDER BY id LIMIT %s"""
_TEXT: Final = """entry.kind || ': ' || coalesce((
        SELECT string_agg(account_id || ' ' || amount, ', ' ORDER BY account_id, amount)
        FROM wallet_posting WHERE entry_id = entry.cause), '')"""
_PLACE: Final = re.compile(r"%\((\w+)\)s")
_ENTRIES: Final = f"""SELECT entry.cause, {_TEXT}
    FROM wallet_entry entry WHERE entry.cause = ANY (%s::bigint[]) ORDER BY entry.cause"""  # noqa: S608  (constants)


def check(*, since: int = 0) -> Iterator[Finding]:
    """Run every check of the ledger against itself and yield contradictions.

    With `since`, a position in the log, check only entries of events sealed after it or not sealed yet, and the
    accounts that these move, from their first posting on.
    """
    never_negative = [str(kind) for kind in sorted(NEVER_NEGATIVE)]
    for name, statement in CHECKS.items():
        view = "" if not since else (NEW_ENTRIES if name in ENTRY_CHECKS else MOVED_ACCOUNTS)
        yield from run_checks((name, partial(_rows, name, view + statement, never_negative, since)))
    yield from run_checks(("accounts", lambda: check_account_ids(since=since)))


def check_range(first: int, last: int) -> Iterator[Finding]:
    """Check the entries with causes above `first`, up to `last`, against themselves and the postings before them."""
    for name in _OF_ENTRIES:
        yield from run_checks((name, partial(_check_range, name, IN_RANGE + CHECKS[name], first, last)))
    for name, statement in RANGE_CHECKS.items():
        yield from run_checks((name, partial(_check_range, name, statement, first, last)))


def check_balances() -> Iterator[Finding]:
    """Compare the balance of every account with its last posting, and its id with its name."""
    for name, statement in ((_SUMMED, LAST_POSTINGS), *((name, CHECKS[name]) for name in _OF_BALANCES)):
        yield from run_checks((name, partial(_check_range, name, statement, 0, 0)))
    yield from run_checks(("accounts", check_account_ids))


def _check_range(name: str, statement: str, first: int, last: int) -> Iterator[Finding]:
    named: dict[str, object] = {
        "first": first, "last": last, "never_negative": [str(kind) for kind in sorted(NEVER_NEGATIVE)]
    }  # fmt: skip
    places = _PLACE.findall(statement)
    yield from fetch_findings(name, _PLACE.sub("%s", statement), [named[place] for place in places])


def check_account_ids(*, since: int = 0, chunk: int = 5000) -> Iterator[Finding]:
    """Recompute the id of every account from its name; `since` as for `check`."""
    last, parameters = str(UUID(int=0)), [since] if since else []
    view = MOVED_ACCOUNTS.replace("%(since)s", "%s") if since else ""
    while rows := fetch(view + _ACCOUNTS, [*parameters, last, chunk]):
        for stored, kind, operator, money_type, currency, player, table in rows:
            due = account_key(
                kind=kind, operator=operator, money_type=money_type, currency=currency, player=player, table=table
            )
            if due != stored:
                yield Finding("account id is not that of its name", f"account {stored}", due, stored)
        last = rows[-1][0]


def format_entry(kind: str, amounts: Iterable[tuple[str, int]]) -> str:
    """Return an entry as text: its kind, and minor units by account id."""
    return f"{kind}: {', '.join([f'{account} {amount}' for account, amount in sorted(amounts)])}"


def entry_text(entry: NewEntry) -> str:
    return format_entry(entry.kind, [(posting.account.key, posting.amount) for posting in entry.postings])


def load_entry_texts(causes: Iterable[int]) -> dict[int, str]:
    """Read the entries of these causes as text, in one statement; two entries of one cause as one text."""
    parameter = f"{{{','.join(map(str, causes))}}}"  # as text: psycopg adapts a long list more slowly
    texts: dict[int, str] = {}
    for cause, text in fetch(_ENTRIES, [parameter]):
        texts[cause] = f"{texts[cause]} and {text}" if cause in texts else text
    return texts


def compare_entries(stored: Mapping[int, str], expected: Mapping[int, str]) -> Iterator[Finding]:
    """Yield how stored entries differ from those that their events lead to; both as text by cause."""
    if expected == stored:
        return
    for cause in sorted(expected.keys() | stored.keys()):
        due, actual = expected.get(cause), stored.get(cause)
        if due != actual:
            yield Finding(_difference(due, actual), f"event {cause}", due or "none", actual or "none")


def compare_batch(causes: Iterable[int], derived: Iterable[NewEntry]) -> list[Finding]:
    """Compare the stored entries of all events of a batch with those derived from them."""
    return list(compare_entries(load_entry_texts(causes), {entry.cause: entry_text(entry) for entry in derived}))


def _difference(due: str | None, actual: str | None) -> str:
    if actual is None:
        return "entry is missing"
    if due is None:
        return "entry that no event leads to"
    if due.partition(":")[0] != actual.partition(":")[0]:
        return "entry is of another kind"
    return "entry moves something else"


def _rows(name: str, statement: str, never_negative: list[str], since: int) -> Iterator[Finding]:
    parameters: list[object] = [since] * statement.count("%(since)s")
    parameters += [never_negative] * statement.count("%(never_negative)s")
    text = statement.replace("%(never_negative)s", "%s").replace("%(since)s", "%s")
    return fetch_findings(name, text, parameters)
