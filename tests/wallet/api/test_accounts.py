"""Statements over a period, in pages and as CSV: the lines add up to the change in balance."""

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.http import StreamingHttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casino.events.periods import PeriodReversed
from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from casino.operators.services import create_operator
from casino.operators.sessions import open_session
from tests.support import workbooks
from tests.support.depth import examples
from tests.support.keys import issue_key
from tests.wallet.ledger.world import METADATA, causes, deposits, move
from wallet.api.accounts import statement_sheet
from wallet.ledger import player_accounts, queries, store
from wallet.ledger.accounts import AccountKind, AccountName, game_account, player_account
from wallet.ledger.entries import buy_in

pytestmark = pytest.mark.django_db
TABLE = UUID(int=77)


class Teller:
    """A player whose statements are requested by the operator's server."""

    def __init__(self) -> None:
        operator = create_operator(slug="lucky", name="lucky", currencies=["EUR"], sandbox=True)
        self.operator = operator.id
        self.key = ".".join(issue_key(operator=operator.id))
        player = player_accounts.register_player(
            operator=operator.id, reference="r1", nickname="Ace", currency="EUR", metadata=METADATA
        )
        self.player = player.id
        self.account = player_account(operator=operator.id, player=player.id, money_type=MoneyType.REAL, currency="EUR")

    def credit(self, amount: int) -> datetime:
        """Credit the account and return when that was recorded."""
        player_accounts.credit_sandbox_player(
            operator=self.operator, player=self.player, money_type=MoneyType.REAL, currency="EUR",
            amount=amount, sandbox=True,
            metadata=METADATA,
        )  # fmt: skip
        return store.statement(self.account, limit=1)[0].recorded_at

    def sit(self, amount: int) -> None:
        entry = buy_in(
            cause=causes(1, f"sit-{uuid4()}")[0], operator=self.operator, player=self.player, table=TABLE,
            money_type=MoneyType.REAL, currency="EUR", amount=amount,
        )  # fmt: skip
        store.post([entry])

    def get(self, accept: str = "*/*", **query: str) -> Any:
        headers = {"Authorization": f"Bearer {self.key}", "Accept": accept}
        return Client().get(f"/api/v1/players/{self.player}/statement", query, headers=headers)

    def state(
        self, since: datetime | None = None, until: datetime | None = None, *kinds: str
    ) -> queries.AccountStatement:
        return queries.player_statement(
            operator=self.operator, player=self.player, kind=AccountKind.ACCOUNT, money_type=MoneyType.REAL,
            currency="EUR",
            table=None, since=since, until=until, kinds=kinds,
        )  # fmt: skip


@pytest.fixture
def teller() -> Teller:
    return Teller()


def rows_of(answer: Any) -> list[list[str]]:
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert isinstance(answer, StreamingHttpResponse)
    return list(csv.reader(io.StringIO(answer.getvalue().decode("utf-8-sig"))))


def amounts(statement: dict[str, Any]) -> tuple[str, str, str]:
    return statement["opening"]["amount"], statement["net_change"]["amount"], statement["closing"]["amount"]


def test_a_period_includes_its_start_and_excludes_its_end(teller: Teller) -> None:
    first, second, third = teller.credit(100), teller.credit(200), teller.credit(400)

    statement = teller.get(**{"from": second.isoformat(), "to": third.isoformat()}).json()

    assert amounts(statement) == ("1.00", "2.00", "3.00")
    assert [line["balance"]["amount"] for line in statement["items"]] == ["3.00"]
    assert amounts(teller.get(to=first.isoformat()).json()) == ("0.00", "0.00", "0.00")
    assert amounts(teller.get(**{"from": first.isoformat()}).json()) == ("0.00", "7.00", "7.00")
    assert amounts(teller.get(**{"from": (third + timedelta(days=1)).isoformat()}).json()) == ("7.00", "0.00", "7.00")


def test_a_statement_sums_the_chosen_kinds_and_keeps_the_accounts_balances(teller: Teller) -> None:
    teller.credit(1000)
    teller.sit(300)
    teller.credit(50)

    statement = teller.get(kind="buy_in").json()

    assert amounts(statement) == ("0.00", "-3.00", "7.50")
    assert [(line["kind"], line["amount"]["amount"]) for line in statement["items"]] == [("buy_in", "-3.00")]
    assert amounts(teller.get(kind="buy_in,sandbox_credit").json()) == ("0.00", "7.50", "7.50")
    assert amounts(teller.get(kind="never_heard").json()) == ("0.00", "0.00", "7.50")


def test_pages_of_a_period_hold_every_line_once(teller: Teller) -> None:
    moments = [teller.credit(100) for _ in range(7)]
    query = {"from": moments[1].isoformat(), "to": moments[6].isoformat(), "limit": "2"}
    sequences: list[int] = []
    cursor = None
    while True:
        page = teller.get(**query, **({} if cursor is None else {"cursor": cursor})).json()
        sequences.extend(line["sequence"] for line in page["items"])
        assert amounts(page) == ("1.00", "5.00", "6.00")
        cursor = page["next"]
        if cursor is None:
            break
    assert sequences == [6, 5, 4, 3, 2]


@pytest.mark.parametrize("parameters", [{"format": "csv"}, {"accept": "text/csv"}])
def test_a_statement_as_csv_lists_the_oldest_line_first(teller: Teller, parameters: dict[str, str]) -> None:
    teller.credit(1000)
    teller.sit(250)

    rows = rows_of(teller.get(**parameters))

    assert rows[0] == ["sequence", "recorded_at", "kind", "amount", "balance", "currency", "entry", "wager"]
    assert [row[2:6] for row in rows[1:]] == [
        ["opening balance", "", "0.00", "EUR"],
        ["sandbox_credit", "10.00", "10.00", "EUR"],
        ["buy_in", "-2.50", "7.50", "EUR"],
        ["closing balance", "", "7.50", "EUR"],
    ]
    assert datetime.fromisoformat(rows[2][1]).tzinfo == UTC


def test_the_format_parameter_overrides_the_accept_header(teller: Teller) -> None:
    assert teller.get(accept="text/csv", format="json").json()["items"] == []
    assert teller.get(accept="application/pdf").json()["code"] == "not_acceptable"


def test_a_long_statement_is_read_in_several_pages(teller: Teller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "PAGE", 2)
    for _ in range(5):
        teller.credit(100)

    assert [row[0] for row in statement_sheet(teller.state()).rows] == [None, 1, 2, 3, 4, 5, None]


@pytest.mark.parametrize("parameters", [{"format": "xlsx"}, {"accept": workbooks.MEDIA_TYPE}])
def test_a_statement_as_workbook_has_the_amounts_of_csv_and_of_the_api_as_numbers(
    teller: Teller, parameters: dict[str, str]
) -> None:
    teller.credit(123456)
    teller.sit(250)

    answer = teller.get(**parameters)

    assert (answer["Content-Type"], answer["Content-Disposition"]) == (
        workbooks.MEDIA_TYPE, 'attachment; filename="lucky-statement-account-real-EUR.xlsx"',
    )  # fmt: skip
    content = answer.getvalue()
    lines = workbooks.rows_of(content, "Statement")
    # In CSV an id that begins with a formula's sign has an apostrophe before it.
    table = [[cell.removeprefix("'") for cell in row] for row in rows_of(teller.get(format="csv"))]
    assert [[*line[:1], *line[2:]] for line in lines] == [[*line[:1], *line[2:]] for line in table]
    for line, row in zip(lines[2:-1], table[2:-1], strict=True):
        assert abs(datetime.fromisoformat(line[1]) - datetime.fromisoformat(row[1])) < timedelta(milliseconds=1)
    page = workbooks.open_workbook(content)["Statement"]
    assert [cell.value for cell in page["D"]] == ["amount", None, 1234.56, -2.5, None]
    assert [cell.is_date for cell in page["B"]] == [False, False, True, True, False]
    items = teller.get().json()["items"]
    assert [line[4] for line in lines[3:1:-1]] == [item["balance"]["amount"] for item in items]


def test_the_name_of_a_statement_has_its_period(teller: Teller) -> None:
    answer = teller.get(**{"format": "csv", "from": "2026-11-01", "to": "2026-12-01T00:30:00Z"})

    name = "lucky-statement-account-real-EUR-2026-11-01-to-2026-12-01T003000Z.csv"
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"from": "yesterday"}, "field_invalid"),
        ({"from": "2026-02-30"}, "field_invalid"),
        ({"to": "2026-11-21T09:00:00"}, "field_invalid"),
        ({"to": "0001-01-01T00:00:00+14:00"}, "field_invalid"),
        ({"from": "2026-11-21", "to": "2026-11-21"}, "period_reversed"),
        ({"from": "2026-11-22", "to": "2026-11-21"}, "period_reversed"),
        ({"kind": ""}, "field_invalid"),
        ({"kind": "buy-in"}, "field_invalid"),
        ({"kind": ",".join(["a"] * 21)}, "field_invalid"),
        ({"format": "pdf"}, "unknown_choice"),
    ],
)
@pytest.mark.parametrize("accept", ["*/*", "text/csv"])
def test_an_invalid_statement_query_is_refused(teller: Teller, query: dict[str, str], code: str, accept: str) -> None:
    answer = teller.get(accept=accept, **query)

    assert (answer.status_code, answer.json()["code"]) == (422, code)


def test_a_player_downloads_the_own_statement_as_csv(teller: Teller) -> None:
    teller.credit(1000)
    token = open_session(operator=teller.operator, player=teller.player, seconds=60).token

    answer = Client().get("/api/v1/me/statement?format=csv", headers={"Authorization": f"Bearer {token}"})

    assert [row[4] for row in rows_of(answer)] == ["balance", "0.00", "10.00", "10.00"]
    assert answer["Content-Disposition"] == 'attachment; filename="lucky-statement-account-real-EUR.csv"'


def test_a_page_costs_a_few_queries_however_long_the_account(teller: Teller) -> None:
    begun = teller.credit(100)
    for _ in range(20):
        teller.credit(100)
    teller.get(**{"from": begun.isoformat(), "kind": "buy_in"})

    with CaptureQueriesContext(connection) as parameters:
        teller.get(**{"from": begun.isoformat(), "kind": "buy_in"})

    assert len(parameters) <= 7


def test_a_players_balances_cost_two_statements(teller: Teller) -> None:
    token = open_session(operator=teller.operator, player=teller.player, seconds=60).token

    with CaptureQueriesContext(connection) as statements:
        response = Client().get("/api/v1/me/balances", headers={"Authorization": f"Bearer {token}"})

    assert response.status_code == 200
    assert len(statements) == 2  # the session; the balances with what the reminder needs


def test_a_reversed_period_is_refused_before_anything_is_read() -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    with pytest.raises(PeriodReversed):
        queries.player_statement(
            operator=UUID(int=1), player=UUID(int=2), kind=AccountKind.ACCOUNT, money_type=MoneyType.REAL,
            currency="EUR",
            table=None, since=now, until=now, kinds=(),
        )  # fmt: skip


@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(
    moves=st.lists(st.integers(-500, 500).filter(bool), min_size=1, max_size=12),
    ends=st.tuples(st.integers(-1, 13), st.integers(-1, 13)),
)
def test_the_lines_of_any_period_add_up_to_its_change_in_balance(moves: list[int], ends: tuple[int, int]) -> None:
    player = uuid4()
    account = game_account(operator=UUID(int=1), player=player, table=TABLE, money_type=MoneyType.REAL, currency="EUR")
    balance = _moved(account, moves)
    moments = [line.recorded_at for line in store.statement(account, after=0, limit=50)]
    since, until = (None if not 0 <= end < len(moments) else moments[end] for end in ends)
    opening = store.RunningBalance() if since is None else store.balance_at(account, before=since)
    closing = store.balance_at(account, before=until)
    stated = queries.AccountStatement(account, opening, closing, (), closing.balance - opening.balance)

    if since is None or until is None or since < until:
        lines = stated.lines(before=None, limit=50)
        assert sum(line.amount for line in lines) == closing.balance - opening.balance
        assert [line for page in stated.pages() for line in page] == lines[::-1]
        assert all((since is None or line.recorded_at >= since) for line in lines)
        assert all((until is None or line.recorded_at < until) for line in lines)
    assert store.balance_at(account).balance == balance


def _moved(account: AccountName, moves: list[int]) -> int:
    """Post the moves that keep the balance at zero or more, one entry each, and return the balance."""
    balance = 0
    for amount in moves:
        if balance + amount < 0:
            continue
        balance += amount
        (cause,) = causes(1, f"moved-{uuid4()}")
        store.post([move(cause, deposits(), account, amount)])
    assert fetch("SELECT count(*) FROM wallet_posting WHERE account_id = %s", [account.id])[0][0] <= len(moves)
    return balance
