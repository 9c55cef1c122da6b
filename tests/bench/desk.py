"""What the risk rules find in thirty days of three operators, and how long each page of the admin takes over them.

Some rounds are played for real; their rounds, wagers, events and ledger entries are copied back over the days, set by
set, under new ids. Players deposit and withdraw, and a few do what the rules look for. All is sealed in order of time,
the rules are applied, and the reports of all days are created, as they are every day. Each planted player has to be
found, and hardly anybody else. What counts is the server's time for a page, as one member of staff looks at it, with
nothing cached.
"""

from collections.abc import Iterable
from operator import itemgetter
from statistics import median
from typing import Final

from casino.devstack.errors import DevstackError
from tests.bench.databases import Connection
from tests.bench.measure import Measured
from tests.bench.plan import Plan
from tests.bench.worker import Worker

TARGET: Final = 500.0
"""Milliseconds, for the slowest page."""
OPERATORS: Final = ("north", "east", "south")
MOST_QUERIES: Final = 40
"""Of a page."""
MOST_FALSE: Final = 0.01
"""The most ordinary players about whom there is an alert, of all of them."""
BASE_ROUNDS: Final = 2
"""Rounds of each table that are played; all others are copies."""
Found = dict[str, list[list[str]]]
"""The players, or pairs of players, of each pattern."""
_SHIFT: Final = "make_interval(secs => copy.number * %(step)s)"
_LATER: Final = """(
    lpad(to_hex(('x' || left(replace({id}::text, '-', ''), 12))::bit(48)::bigint
         - (copy.number * %(step)s * 1000)::bigint), 12, '0')
    || substr(replace({id}::text, '-', ''), 13))::uuid"""
_COPY: Final = """
    INSERT INTO {table} OVERRIDING SYSTEM VALUE
    SELECT copied.* FROM generate_series(1, %(copies)s) AS copy (number)
     CROSS JOIN {table} AS base
     CROSS JOIN LATERAL jsonb_populate_record(base, jsonb_build_object({changes})) AS copied
     WHERE {which}
     ORDER BY copy.number DESC
"""
_PLAYED: Final = """
    {id} IN (SELECT event.id FROM events_event event JOIN wallet_entry entry ON entry.cause = event.id
              WHERE starts_with(event.stream, 'round-'))
"""
_TRIGGERS: Final = ("wallet_entry", "wallet_posting", "events_event")
_COPIES: Final = (
    (
        "baccarat_round",
        f"""'id', {_LATER.format(id="base.id")}, 'number', base.number + copy.number * 1000,
            'opened_at', base.opened_at - {_SHIFT}, 'ended_at', base.ended_at - {_SHIFT}""",
        "base.ended_at IS NOT NULL",
    ),
    (
        "baccarat_wager",
        f"""'id', {_LATER.format(id="base.id")}, 'round_id', {_LATER.format(id="base.round_id")},
            'confirmed_at', base.confirmed_at - {_SHIFT}, 'settled_at', base.settled_at - {_SHIFT}""",
        "base.settled_at IS NOT NULL",
    ),
    (
        "events_event",
        f"""'id', base.id - copy.number * %(span)s, 'recorded_at', base.recorded_at - {_SHIFT},
            'stream', 'round-' || {_LATER.format(id="substr(base.stream, 7)::uuid")},
            'data', CASE base.type WHEN 'RoundSettled' THEN jsonb_set(base.data::jsonb, '{{settled_at}}',
                to_jsonb((base.data->>'settled_at')::timestamptz - {_SHIFT})) ELSE base.data::jsonb END""",
        _PLAYED.format(id="base.id"),
    ),
    (
        "wallet_entry",
        f"'cause', base.cause - copy.number * %(span)s, 'recorded_at', base.recorded_at - {_SHIFT}",
        _PLAYED.format(id="base.cause"),
    ),
    (
        "wallet_posting",
        "'entry_id', base.entry_id - copy.number * %(span)s, 'sequence', base.sequence + copy.number * 100000",
        _PLAYED.format(id="base.entry_id"),
    ),
)
_BACKDATE: Final = (
    """
    UPDATE events_event SET recorded_at = (data->>'at')::timestamptz
     WHERE (starts_with(stream, 'deposit-') OR starts_with(stream, 'withdrawal-')) AND data->>'at' IS NOT NULL
    """,
    """
    UPDATE wallet_entry SET recorded_at = event.recorded_at
      FROM events_event event WHERE event.id = cause AND event.recorded_at <> wallet_entry.recorded_at
    """,
)
# The copies are not part of the chain that an audit would check; readers of positions and indexes see no difference.
_SEALS: Final = """
    INSERT INTO events_seal (position, event_id, digest)
    SELECT head.position + row_number() OVER (ORDER BY event.recorded_at, event.id), event.id,
           sha256(event.id::text::bytea)
      FROM events_event event, (SELECT max(position) AS position FROM events_seal) head
     WHERE NOT EXISTS (SELECT FROM events_seal seal WHERE seal.event_id = event.id)
"""


def measure(plan: Plan) -> Iterable[Measured]:
    """Measure the pages. Raises DevstackError."""
    size = plan.size
    with plan.migrated("desk") as database:
        with database.owner() as owner:  # so that copies fit below
            owner.execute("SELECT setval(pg_get_serial_sequence('events_event', 'id'), 1000000000)")
        with Worker("house", environment=database.environment, log=plan.log) as house:
            places = [
                place
                for slug in OPERATORS
                for place in house.run("seat", tables=size.desk_players // len(OPERATORS), slug=slug, money_type="real")
            ]
            house.run("play", places=places, rounds=BASE_ROUNDS * len(places))
            with database.owner() as owner:
                rounds = _copy(owner, rounds=size.desk_rounds, days=size.desk_days)
            payments = house.run("pay", places=places, days=size.desk_days)
            planted = house.run("plant", slug=OPERATORS[0])
            with database.owner() as owner:
                _seal(owner)
            false = _compare(planted, house.run("detect"), players=len(places))
            reports = house.run("reports")
            pages = house.run("pages", repeats=size.repeats)
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
            f"{rounds:,} rounds and {payments:,} payments of {len(places)} players in {size.desk_days} days",
            f"{reports} daily reports",
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


def _seal(owner: Connection) -> None:
    """Give payments the times that they name, and seal everything in order of time."""
    for table in _TRIGGERS:
        owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    for statement in _BACKDATE:
        owner.execute(statement)
    for table in _TRIGGERS:
        owner.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    owner.execute(_SEALS)
    owner.execute("DELETE FROM events_unsealed")
    owner.execute("VACUUM ANALYZE")


def _copy(owner: Connection, *, rounds: int, days: int) -> int:
    """Copy what was played until there are so many rounds, and return how many there are."""
    ((played, first),) = owner.execute(
        "SELECT (SELECT count(*) FROM baccarat_round WHERE ended_at IS NOT NULL), min(id) FROM events_event"
    ).fetchall()
    copies = max(days, rounds // played)
    ((last,),) = owner.execute("SELECT max(id) FROM events_event").fetchall()
    values = {"copies": copies, "step": days * 86400.0 / copies, "span": last - first + 1, "first": first}
    for table in _TRIGGERS:
        owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    for table, changes, which in _COPIES:
        owner.execute(_COPY.format(table=table, changes=changes, which=which), values)
    for table in _TRIGGERS:
        owner.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    owner.execute("UPDATE operators_operator SET created_at = created_at - make_interval(days => %s)", [days + 1])
    owner.execute("VACUUM ANALYZE")
    return int(owner.execute("SELECT count(*) FROM baccarat_round").fetchall()[0][0])
