"""One way through what waits in the database to be done outside of it: claim it, then note that it is done or failed.

An outbox is a table. Whoever claims a row leases it: `due_at` moves to the end of the lease in a transaction that ends
before the work begins. The lease of a process that dies expires, and another claims the row. The number of the attempt
guards what comes of it: a process that comes back after its lease, when another attempt has begun, changes nothing.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db import models
from django.db.models.functions import Now

from casino.events.sql import database_now, execute, fetch

logger = logging.getLogger(__name__)

MAX_ERROR: Final = 500
_FREE: Final = """
    SELECT {key} FROM {table} WHERE due_at <= %(now)s ORDER BY due_at, {key} LIMIT %(limit)s FOR UPDATE SKIP LOCKED
"""
_CLAIM: Final = """
  WITH free AS MATERIALIZED ({free})
UPDATE {table} AS queued
   SET attempts = queued.attempts + 1, due_at = %(now)s::timestamptz + make_interval(
         secs => (%(leases)s::float8[])[least(queued.attempts + 1, %(known)s)]){also}
  FROM free WHERE queued.{key} = free.{key}
RETURNING queued.{key}, queued.attempts
"""
_DONE: Final = """
UPDATE {table} SET due_at = NULL, {ended} = %(now)s, error = %(error)s{also}
 WHERE {key} = %(key)s AND attempts = %(attempt)s AND due_at IS NOT NULL
"""
# Up to a tenth longer, which spreads load.
_FAILED: Final = """
UPDATE {table} AS queued
   SET error = failed.error, due_at = least(
         %(now)s::timestamptz + (1 + random() / 10) * make_interval(
           secs => (%(gaps)s::float8[])[least(queued.attempts, %(known)s)]),
         greatest(%(now)s, coalesce(%(latest)s::timestamptz, 'infinity'))){also}
  FROM unnest(%(keys)s, %(attempts)s::int[], %(errors)s::text[]) AS failed (key, attempt, error)
 WHERE queued.{key} = failed.key AND queued.attempts = failed.attempt AND queued.due_at IS NOT NULL
"""


class Waiting(models.Model):
    """A row of an outbox."""

    due_at = models.DateTimeField(
        null=True, db_default=Now(), help_text="Of the next attempt, or the end of this one's lease; null once done."
    )
    attempts = models.IntegerField(db_default=0)
    error = models.TextField(blank=True, db_default="", help_text="Why the last attempt failed.")

    class Meta:
        abstract = True


class Claim(NamedTuple):
    """A row that was leased, by its key and the number of the attempt."""

    key: Any
    attempt: int


@dataclass(frozen=True, slots=True)
class Outbox:
    """What waits in a table of rows like `Waiting`.

    `gaps` are the seconds from an attempt that failed to the next, and `leases` those until another process takes an
    attempt for dead: of the first, the second and so on, the last repeats. `ended` is the column of when a row was
    done. `free` selects the keys of up to %(limit)s rows due at %(now)s and locks them; `also` sets more columns.
    """

    table: str
    gaps: Sequence[float]
    leases: Sequence[float]
    key: str = "id"
    ended: str = "sent_at"
    free: str = _FREE
    also: str = ""

    def claim(self, now: datetime, *, limit: int = 1, **values: object) -> list[Claim]:
        """Lease rows that are due; `values` are parameters of `free`."""
        names = {"table": self.table, "key": self.key}
        sql = _CLAIM.format(**names, free=self.free.format(**names), also=self.also)
        values |= {"now": now, "limit": limit, "leases": list(self.leases), "known": len(self.leases)}
        return [Claim(*row) for row in fetch(sql, values)]

    def done(self, claim: Claim, now: datetime, *, error: str = "", **columns: object) -> bool:
        """Note that nothing is left to do; False if another attempt has begun, which then says what came of it."""
        sql = _DONE.format(table=self.table, key=self.key, ended=self.ended, also=_setting(columns))
        return bool(execute(sql, {**columns, **claim._asdict(), "now": now, "error": error[:MAX_ERROR]}))

    def failed(
        self, errors: Mapping[Claim, str], now: datetime, *, latest: datetime | None = None, **columns: object
    ) -> int:
        """Plan the next attempts, none after `latest`, unless they have begun; return how many were planned."""
        if not errors:
            return 0
        sql = _FAILED.format(table=self.table, key=self.key, also=_setting(columns))
        keys, attempts = map(list, zip(*errors, strict=True))
        values = {"keys": keys, "attempts": attempts, "errors": [error[:MAX_ERROR] for error in errors.values()]}
        plan = {"now": now, "latest": latest, "gaps": list(self.gaps), "known": len(self.gaps)}
        return execute(sql, {**columns, **values, **plan})

    def work(self, do: Callable[[Claim], bool], *, most: int) -> int:
        """Do what is due, one after another, at most so many; return how many were done. What fails is tried later.

        `do` notes itself that it is done. Call it outside any transaction.
        """
        count = 0
        for _ in range(most):
            if not (claims := self.claim(database_now())):
                break
            try:
                count += do(claims[0])
            except Exception as error:
                kind, expected = type(error).__name__, isinstance(error, (OSError, ValueError))  # servers', addresses'
                logger.warning("%s of %s failed: %s", claims[0], self.table, kind, exc_info=not expected)
                self.failed({claims[0]: f"{kind}: {error}" if expected else kind}, database_now())
        return count


def doubling(first: float, longest: float) -> list[float]:
    """Return gaps that double, up to the longest."""
    return [first] if first >= longest else [first, *doubling(min(first * 2, longest), longest)]


def _setting(columns: Mapping[str, object]) -> str:
    return "".join(f", {name} = %({name})s" for name in columns)
