"""Whatever was played: every report is what the ledger's postings add up to, and parts add up to the whole."""

from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from pytest_django import DjangoDbBlocker

from baccarat.reports import days
from baccarat.reports.breakdowns import BRANDS, HOURS, PLAYERS
from baccarat.reports.performance import PERFORMANCE
from baccarat.reports.play_facts import ROUND_ID_SQL
from baccarat.reports.revenue import REVENUE
from baccarat.reports.variance import VARIANCE
from baccarat.reports.voids import VOIDS
from casino.events.sql import fetch
from casino.operators.models import Brand, Player
from casino.reports.definition import ReportDefinition, ReportScope
from tests.baccarat.reports.history import Evening, begin
from tests.services import Services
from tests.support.house import fresh_database
from wallet.reports import ACCOUNTS, ADJUSTMENTS, LIABILITY

_POSTINGS = """
    SELECT account.kind, account.money_type, account.player_id, account.table_id, entry.kind, posting.amount,
           entry.recorded_at
      FROM wallet_posting posting
      JOIN wallet_entry entry ON entry.cause = posting.entry_id
      JOIN wallet_account account ON account.id = posting.account_id
     WHERE account.operator_id = %s
"""


_WAGERS = """
    SELECT wager.money_type, CASE WHEN player.brand_id IS NULL THEN '' ELSE 'red' END AS brand,
           (count(*) FILTER (WHERE voided_at IS NULL))::int, coalesce(sum(staked) FILTER (WHERE voided_at IS NULL), 0)
      FROM baccarat_wager wager LEFT JOIN operators_player player ON player.id = wager.player_id
     WHERE wager.operator_id = %s AND settled_at IS NOT NULL
     GROUP BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class Posting:
    """One posting, as it lies in the ledger."""

    account: str
    money_type: str
    player: UUID | None
    table: UUID | None
    entry: str
    amount: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Looked:
    """An evening that was played, and its ledger."""

    evening: Evening
    postings: list[Posting]

    def asked(self, first: int = 0, last: int = -1) -> ReportScope:
        """From one cut to another, all of it by default."""
        cuts, position = self.evening.cuts, fetch("SELECT max(position) FROM events_seal")[0][0]
        return ReportScope(self.evening.operator, False, cuts[first], cuts[last], position)

    def parts(self) -> Iterator[ReportScope]:
        """Return the parts of the evening."""
        for place in range(len(self.evening.cuts) - 1):
            yield self.asked(place, place + 1)

    def moved(
        self, asked: ReportScope, money_type: str, accounts: set[str], entries: set[str] | None = None, **of: Any
    ) -> int:
        """Return the movements of these accounts in an interval."""
        return sum(
            each.amount
            for each in self.postings
            if each.account in accounts
            and each.money_type == money_type
            and (entries is None or each.entry in entries)
            and asked.since <= each.at < asked.until
            and all(getattr(each, name) == value for name, value in of.items())
        )

    def stood(self, asked: ReportScope, money_type: str, accounts: set[str], **of: Any) -> int:
        """Return the balances of these accounts at the end of an interval."""
        return sum(
            each.amount
            for each in self.postings
            if each.account in accounts
            and each.money_type == money_type
            and each.at < asked.until
            and all(getattr(each, name) == value for name, value in of.items())
        )


@pytest.fixture(scope="module", params=[1, 2])
def looked(request: pytest.FixtureRequest, services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[Looked]:
    """Return two evenings, each in three parts."""
    with fresh_database(services, django_db_blocker):
        evening = begin(request.param)
        for moves in (8, 12, 8):
            evening.part(moves)
        yield Looked(evening, [Posting(*row) for row in fetch(_POSTINGS, [evening.operator])])


def rows_of(definition: ReportDefinition, asked: ReportScope) -> list[dict[str, Any]]:
    """Return each row by the names of its columns."""
    names = [column.name for column in definition.columns]
    return [dict(zip(names, row, strict=True)) for row in definition.read(asked).rows]


def test_revenue_is_what_banks_commissions_and_racks_moved(looked: Looked) -> None:
    seen = 0
    for asked in (*looked.parts(), looked.asked()):
        for row in rows_of(REVENUE, asked):
            here = {"money_type": row["money_type"], "table": row["table"]}
            house = looked.moved(asked, accounts={"bank", "commission", "rack"}, **here)
            forgiven = row["forgiven"]
            assert row["ggr"] == house
            assert row["commission_collected"] == looked.moved(asked, accounts={"commission"}, **here)
            assert row["racks_changed"] == looked.moved(asked, accounts={"rack"}, **here)
            assert row["commission"] == row["commission_collected"] + row["racks_changed"]
            settled = row["handle"] + row["voided_handle"]
            assert settled == -looked.moved(asked, accounts={"stakes"}, entries={"settlement"}, **here)
            assert row["stakes_given_back"] == -looked.moved(asked, accounts={"stakes"}, entries={"void"}, **here)
            assert forgiven >= 0
            seen += row["rounds"]
    assert seen > 10


def test_revenue_by_brand_is_what_its_players_wagered_and_adds_up_to_all(looked: Looked) -> None:
    operator = looked.evening.operator
    players = [key for (key,) in fetch("SELECT DISTINCT player_id FROM baccarat_wager ORDER BY player_id")]
    red = Brand.objects.create(id=operator, operator_id=operator, slug="red", name="Red", shares_players=False)
    try:
        Player.objects.bulk_create(
            Player(id=key, operator_id=operator, brand=red, reference="", nickname="") for key in players[::2]
        )
        for asked in (*looked.parts(), looked.asked()):
            tables, brands = rows_of(REVENUE, asked), rows_of(BRANDS, asked)
            for name in ("handle", "returned", "commission"):
                assert sum(row[name] for row in brands) == sum(row[name] for row in tables)
            for definition in (BRANDS, PLAYERS, HOURS):
                rows = rows_of(definition, asked)
                for name in ("handle", "returned", "commission"):
                    assert sum(row[name] for row in rows) == sum(row[name] for row in tables)
                assert sum(row["ggr"] for row in rows) == sum(row["ggr"] for row in tables)
        counted = {
            (row["money_type"], row["brand"]): (row["wagers"], row["handle"]) for row in rows_of(BRANDS, looked.asked())
        }
        expected = fetch(_WAGERS, [operator])
        assert counted == {(money_type, brand): (wagers, handle) for money_type, brand, wagers, handle in expected}
        assert {brand for _, brand in counted} == {"", "red"}
    finally:
        Player.objects.filter(brand=red).delete()
        red.delete()


def test_revenue_by_player_and_by_hour_is_that_of_their_wagers(looked: Looked) -> None:
    for definition, column, key in (
        (PLAYERS, "player", "player_id"),
        (HOURS, "hour", "date_trunc('hour', settled_at, 'UTC')"),
    ):
        told = {
            (row["money_type"], row[column]): (row["wagers"], row["handle"], row["players"])
            for row in ({"players": 1, **row} for row in rows_of(definition, looked.asked()))
            if row["wagers"]
        }
        expected = fetch(
            f"""SELECT money_type, {key}, count(*), sum(staked)::bigint, count(DISTINCT player_id) FROM baccarat_wager
                 WHERE operator_id = %s AND settled_at IS NOT NULL AND voided_at IS NULL GROUP BY 1, 2""",  # noqa: S608
            [looked.evening.operator],
        )
        assert {key: sums[:2] for key, sums in told.items()} == {
            (kind, of): (n, sum_) for kind, of, n, sum_, _ in expected
        }


def test_liability_is_what_balances_were_at_the_end(looked: Looked) -> None:
    kinds = {
        "accounts": "account",
        "games": "game",
        "in_play": "stakes",
        "pending_withdrawals": "hold",
        "racks": "rack",
    }
    for asked in (*looked.parts(), looked.asked()):
        for row in rows_of(LIABILITY, asked):
            for column, kind in kinds.items():
                assert row[column] == looked.stood(asked, row["money_type"], {kind})
            assert row["debts"] == -looked.stood(asked, row["money_type"], {"debt"})
            assert row["owed"] == row["accounts"] + row["games"] + row["in_play"] + row["pending_withdrawals"]


def test_each_players_account_goes_from_opening_to_closing_by_what_moved_it(looked: Looked) -> None:
    moves = (
        "deposits",
        "deposits_reversed",
        "withdrawals",
        "to_games",
        "from_games",
        "adjustments",
        "sandbox_credits",
        "debts_paid",
    )
    for asked in (*looked.parts(), looked.asked()):
        for row in rows_of(ACCOUNTS, asked):
            assert row["other"] == 0
            assert row["opening"] + sum(row[name] for name in moves) + row["voids"] == row["closing"]
            whose = {"player": row["player"]}
            assert row["closing"] == looked.stood(asked, row["money_type"], {"account"}, **whose)
            assert row["games"] == looked.stood(asked, row["money_type"], {"game"}, **whose)
            assert row["debt"] == -looked.stood(asked, row["money_type"], {"debt"}, **whose)
            assert row["staked"] == -looked.moved(asked, row["money_type"], {"game"}, {"wager"}, **whose)


def test_adjustments_are_those_of_the_ledger(looked: Looked) -> None:
    for asked in (*looked.parts(), looked.asked()):
        told = sum(row["amount"] for row in rows_of(ADJUSTMENTS, asked))
        assert told == -looked.moved(asked, "real", {"adjustments"})


def test_the_games_events_and_the_ledger_agree_and_stakes_roll_forward(looked: Looked) -> None:
    for asked in (*looked.parts(), looked.asked()):
        rows = rows_of(VARIANCE, asked)
        assert [row["difference"] for row in rows] == [0] * len(rows)
        for row in rows:
            here = {"money_type": row["money_type"], "table": row["table"]}
            assert row["staked"] == looked.moved(asked, accounts={"stakes"}, entries={"wager"}, **here)
            assert row["closing"] == looked.stood(asked, row["money_type"], {"stakes"}, table=row["table"])


def test_performance_is_what_was_settled_voided_rounds_apart(looked: Looked) -> None:
    for asked in (*looked.parts(), looked.asked()):
        rows = rows_of(PERFORMANCE, asked)
        settled: Counter[tuple[str, UUID]] = Counter()
        for row in rows:
            if row["spot"] == "all":
                settled[row["money_type"], row["table"]] += row["handle"] + row["voided_handle"]
                spots = [other for other in rows if _same(other, row) and other["spot"] != "all"]
                for name in ("handle", "returned", "commission", "wagers", "voided_handle"):
                    assert row[name] == sum(other[name] for other in spots)
                held = looked.stood(asked, row["money_type"], {"stakes"}, table=row["table"])
                assert row["in_play"] == held
            assert (row["status"], row["available_until"]) == ("in force", None)
            assert row["spot"] == "all" or row["theoretical"] < 1.02
        for (money, table), handle in settled.items():
            assert handle == -looked.moved(asked, money, {"stakes"}, {"settlement"}, table=table)


def test_voids_are_those_of_the_ledger(looked: Looked) -> None:
    for asked in (*looked.parts(), looked.asked()):
        rows = rows_of(VOIDS, asked)
        in_play = sum(row["staked"] for row in rows if not row["was_settled"])
        settled = [row for row in rows if row["was_settled"]]
        both = ("real", "play")
        assert in_play == -sum(looked.moved(asked, money_type, {"stakes"}, {"void"}) for money_type in both)
        house = sum(looked.moved(asked, money_type, {"bank", "commission", "rack"}, {"void"}) for money_type in both)
        assert sum(row["returned"] - row["staked"] - row["forgiven"] for row in settled) == house
        assert sum(row["owed"] for row in rows) == -sum(
            looked.moved(asked, money_type, {"debt"}, {"void"}) for money_type in both
        )


@pytest.mark.parametrize(
    "definition", [REVENUE, BRANDS, PLAYERS, HOURS, ACCOUNTS, ADJUSTMENTS, VOIDS, VARIANCE], ids=lambda each: each.name
)
def test_parts_add_up_to_the_whole(looked: Looked, definition: ReportDefinition) -> None:
    standing = {"opening", "closing", "games", "held", "debt", "active", "player"}
    names = [column.name for column in definition.columns if column.summed and column.name not in standing]

    def total(asked: ReportScope) -> Counter[tuple[str, str]]:
        summed: Counter[tuple[str, str]] = Counter()
        for row in rows_of(definition, asked):
            for name in names:
                summed[row["money_type"], name] += row[name]
        return Counter({key: amount for key, amount in summed.items() if amount})

    parts: Counter[tuple[str, str]] = Counter()
    for asked in looked.parts():
        parts.update(total(asked))
    assert {key: amount for key, amount in parts.items() if amount} == total(looked.asked())


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one[name] == other[name] for name in ("money_type", "currency", "table", "rules"))


def test_a_day_without_reports_is_what_they_will_say(looked: Looked) -> None:
    operator, figures = looked.evening.operator, PERFORMANCE.read(looked.asked()).figures
    day = days.today([operator])
    read = days.read_days([operator], first=day - timedelta(days=1), last=day)
    assert [money_type for money_type, _ in read.monies()] == ["sandbox", "sandbox_play"], "real money comes first"
    assert read.missing == 0
    for money_type, currency in read.monies():
        told, kind = read.total((money_type, currency)), "play" if money_type == "sandbox_play" else "real"
        mine = [each for each in figures or () if (each["money_type"], each["currency"]) == (kind, currency)]
        assert (told.handle, told.returned) == (sum(f["handle"] for f in mine), sum(f["returned"] for f in mine))
        assert abs(told.expected - sum(f["expected"] for f in mine)) < 2 * len(mine)
        assert abs(told.variance - sum(int(f["variance"]) for f in mine)) < len(mine)
        assert told.ggr == looked.moved(looked.asked(), kind, {"bank", "commission", "rack"})
    assert days.read_days([operator], first=day, last=day, live=False).figures == {}


def test_streams_of_anything_else_are_read_over_in_whatever_order_a_server_joins(looked: Looked) -> None:
    found = fetch(f"SELECT {ROUND_ID_SQL}, event.stream FROM events_event event")  # noqa: S608
    assert {stream.partition("-")[0] for round_, stream in found if round_ is None} > {"table", "wallet"}
    assert all(stream == f"round-{round_}" for round_, stream in found if round_ is not None)
    assert {round_ for round_, _ in found} - {None} == {key for (key,) in fetch("SELECT id FROM baccarat_round")}
