"""What the risk rules find in thirty days of three operators, and how long each page of the admin takes over them.

Services write the history, at a clock that is set from one deed to the next: players bet, deposit and withdraw, and a
few do what the rules look for; each hour what is due is done, such as daily reports. The audit has to find nothing,
the rules each planted player and hardly anybody else. What counts is the server's time for a page, as one member of
staff looks at it, with nothing cached.
"""

import time
from collections.abc import Iterable
from operator import itemgetter
from statistics import median
from typing import Final

from casino.devstack.errors import DevstackError
from tests.nightly.bench import clock
from tests.nightly.bench.measure import Measured
from tests.nightly.bench.plan import Plan
from tests.nightly.bench.worker import Worker

TARGET: Final = 500.0
"""Milliseconds, for the slowest page."""
OPERATORS: Final = ("north", "east", "south")
MOST_QUERIES: Final = 43
"""Of a page; three of them read what the user may do."""
MOST_FALSE: Final = 0.01
"""The most ordinary players about whom there is an alert, of all of them."""
PROVIDER: Final = {"PAYMENT_PROVIDERS": "sandbox=http://127.0.0.1:9", "PAYMENT_SECRETS": f"sandbox={'s' * 40}"}
"""Port 9 (discard): nobody listens there. Its reports are made by whoever pays."""
Found = dict[str, list[list[str]]]
"""The players, or pairs of players, of each pattern."""


def measure(plan: Plan) -> Iterable[Measured]:
    """Measure the pages. Raises DevstackError."""
    size = plan.size
    with plan.migrated("desk") as database:
        environment = {**database.environment, **PROVIDER}
        with clock.set_by_hand(database), Worker("house", environment=environment, log=plan.log) as house:
            house.run("begin", days=size.desk_days)
            places = [
                place
                for slug in OPERATORS
                for place in house.run("seat", tables=size.desk_players // len(OPERATORS), slug=slug, money_type="real")
            ]
            began = time.monotonic()
            written = house.run("write", places=places, rounds=size.desk_rounds, days=size.desk_days)
            seconds = time.monotonic() - began
        with database.owner() as owner:
            owner.execute("VACUUM ANALYZE")
            ((rounds,),) = owner.execute("SELECT count(*) FROM baccarat_round").fetchall()
        with Worker("house", environment=environment, log=plan.log) as house:
            planted = written["planted"]
            false = _compare(planted, house.run("alerts"), players=len(places))
            audit = house.run("replay", log_only=False, with_schema=True)
            pages = house.run("pages", repeats=size.repeats)
    if audit["findings"]:
        raise DevstackError(f"The audit of the history found: {'; '.join(audit['findings'])}.")
    times = {name: median(page["ms"]) for name, page in pages.items()}
    slowest = sorted(times.items(), key=itemgetter(1), reverse=True)
    if long := [f"{name}: {page['queries']}" for name, page in pages.items() if page["queries"] > MOST_QUERIES]:
        raise DevstackError(f"Pages with more than {MOST_QUERIES} queries: {', '.join(long)}")
    yield Measured(
        name="desk",
        unit="ms",
        ours=(max(times.values()),),
        target=TARGET,
        target_is_most=True,
        notes=(
            f"{rounds:,} rounds and {written['payments']:,} payments of {len(places)} players in {size.desk_days} days",
            f"written in {seconds:.0f} seconds, with {written['reports']} reports; the audit found nothing",
            f"each of {len(planted)} planted patterns found, and {false} ordinary players",
        ),
        table=(
            ("page", "ms", "queries"),
            *((name, f"{ms:.0f}", str(pages[name]["queries"])) for name, ms in slowest),
        ),
    )


def _compare(planted: Found, found: Found, *, players: int) -> int:
    """Return the number of ordinary players who were found. Raises DevstackError if others were missed, or too many."""
    if missed := [
        kind for kind, whom in planted.items() if not set(map(tuple, whom)) <= set(map(tuple, found.get(kind, ())))
    ]:
        raise DevstackError(f"Planted, and not found: {', '.join(missed)}")
    known = {player for whom in planted.values() for each in whom for player in each}
    false = {player for whom in found.values() for each in whom for player in each} - known
    if len(false) > MOST_FALSE * players:
        raise DevstackError(f"Alerts about {len(false)} of {players} ordinary players.")
    return len(false)
