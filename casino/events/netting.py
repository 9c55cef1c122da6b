"""Nets of an audit: what a check raises is a finding, with its type and message, and everything else is still checked.

An error of PostgreSQL spoils a transaction. Each net is a savepoint, so the audit's snapshot stays.
"""

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Final, TypeVar

from django.db import transaction

from casino.events.sql import Parameters, Rows, fetch
from casino.kernel.findings import MAX_OF_KIND, Finding, failure

Item = TypeVar("Item")
_CAPPED: Final = """
SELECT found.*, count(*) OVER () AS findings FROM ({statement}) AS found LIMIT {most}
"""


@contextlib.contextmanager
def net(findings: list[Finding], where: str) -> Generator[None]:
    """Turn an exception of the block into a finding at `where`."""
    try:
        with transaction.atomic():
            yield
    except Exception as error:  # noqa: BLE001  (damage has no end of forms, and none may end an audit)
        findings.append(failure(where, error))


def run_checks(*checks: tuple[str, Callable[[], Iterable[Finding]]]) -> Iterator[Finding]:
    """Yield the findings of named checks; one that raises is a finding after those that it had found."""
    for where, check in checks:
        try:
            with transaction.atomic():
                yield from check()
        except Exception as error:  # noqa: BLE001  (as above)
            yield failure(where, error)


def in_parts(
    items: Sequence[Item],
    check: Callable[[Sequence[Item]], Iterable[Finding]],
    name: Callable[[Item], str],
) -> Iterator[Finding]:
    """Yield the findings of a check of many items; if it raises, check each half, down to the items that make it so."""
    if not items:
        return
    try:
        with transaction.atomic():
            found = list(check(items))
    except Exception as error:  # noqa: BLE001  (as above)
        if len(items) == 1:
            yield failure(name(items[0]), error)
            return
        half = len(items) // 2
        yield from in_parts(items[:half], check, name)
        yield from in_parts(items[half:], check, name)
    else:
        yield from found


def fetch_findings(kind: str, statement: str, parameters: Parameters = ()) -> Iterator[Finding]:
    """Yield a finding for each row of (where, expected, found), and how many more there are than are kept."""
    rows = fetch_capped(statement, parameters)
    for where, expected, actual, _ in rows:
        yield Finding(kind, str(where), str(expected), str(actual))
    if rows and (more := rows[0][-1] - len(rows)):
        yield Finding(kind, "", "", "", more)


def fetch_capped(statement: str, parameters: Parameters = ()) -> Rows:
    """Return the first rows of a statement; the last column of each is how many there are in all."""
    return fetch(_CAPPED.format(statement=statement, most=MAX_OF_KIND), parameters)
