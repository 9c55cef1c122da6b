from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from casino.kernel.money import MoneyType
from casino.operators.services import create_operator
from casino.operators.sessions import open_session
from tests.support.keys import issue_key
from tests.support.scripts import NAMES
from tests.wallet.ledger.world import causes
from wallet.ledger import store
from wallet.ledger.accounts import player_account
from wallet.ledger.audit import check
from wallet.ledger.entries import buy_in

pytestmark = pytest.mark.django_db
TABLE = UUID(int=77)
REQUEST = {"reference": "customer-8812", "nickname": "Ace"}


@dataclass
class House:
    """An operator and its key."""

    id: UUID
    key: str
    sent: int = 0

    def post(self, path: str, body: dict[str, Any], key: str = "") -> Any:
        self.sent += 1
        headers = {"Idempotency-Key": key or f"key-{self.sent}", "Authorization": f"Bearer {self.key}"}
        return Client().post(f"/api/v1/{path}", body, content_type="application/json", headers=headers)

    def get(self, path: str) -> Any:
        return Client().get(f"/api/v1/{path}", headers={"Authorization": f"Bearer {self.key}"})

    def register(self) -> str:
        return str(self.post("players", REQUEST).json()["id"])

    def credit(self, player: str, amount: object = "100.00", **changes: object) -> Any:
        body = {"amount": amount, "currency": "EUR", "money_type": "real", **changes}
        return self.post(f"players/{player}/sandbox-credits", body)


def house(slug: str, *, sandbox: bool = True) -> House:
    operator = create_operator(slug=slug, name=slug, currencies=["EUR"], sandbox=sandbox)
    return House(operator.id, ".".join(issue_key(operator=operator.id)))


@pytest.fixture
def lucky() -> House:
    return house("lucky")


@pytest.fixture
def other() -> House:
    return house("other")


def test_registering_opens_the_accounts_and_the_same_reference_is_the_same_player(lucky: House) -> None:
    first = lucky.post("players", REQUEST)
    again = lucky.post("players", {**REQUEST, "nickname": "Other"})
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert first.json()["nickname"] == "Ace"
    balances = lucky.get(f"players/{first.json()['id']}/balances").json()["items"]
    nothing = {"amount": "0.00", "currency": "EUR"}
    assert balances == [
        {"account": "account", "money_type": "play", "table": None, "balance": nothing},
        {"account": "account", "money_type": "real", "table": None, "balance": nothing},
    ]


def test_players_are_listed_in_pages_and_shown_one_by_one(lucky: House, other: House) -> None:
    ids = [lucky.post("players", {"reference": f"r{number}"}).json()["id"] for number in range(3)]
    other.register()
    page = lucky.get("players?limit=2").json()
    rest = lucky.get(f"players?limit=2&cursor={page['next']}").json()
    assert [player["id"] for player in page["items"] + rest["items"]] == ids
    assert rest["next"] is None
    assert lucky.get(f"players/{ids[1]}").json()["reference"] == "r1"
    assert lucky.get("players?cursor=WyJub3QgYW4gaWQiXQ").json()["code"] == "invalid_cursor"


def test_a_player_is_looked_up_by_the_operators_own_reference(lucky: House, other: House) -> None:
    wanted = lucky.post("players", {"reference": "r 1"}).json()["id"]
    lucky.post("players", {"reference": "r2"})
    other.post("players", {"reference": "r 1"})

    assert [player["id"] for player in lucky.get("players?reference=r%201").json()["items"]] == [wanted]
    assert lucky.get("players?reference=r9").json() == {"items": [], "next": None}
    assert lucky.get("players?name=r2").json()["code"] == "unknown_parameter"


def test_a_credit_request_sent_three_times_credits_once(lucky: House) -> None:
    player = lucky.register()
    body = {"amount": "12.50", "currency": "EUR", "money_type": "real"}
    answers = [lucky.post(f"players/{player}/sandbox-credits", body, key="same") for _ in range(3)]
    assert {answer.content for answer in answers} == {answers[0].content}
    assert answers[0].json() == {
        "player": player,
        "money_type": "real",
        "balance": {"amount": "12.50", "currency": "EUR"},
    }
    assert list(check()) == []


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"amount": 12.5}, 422, "amount_not_text"),
        ({"amount": "0"}, 422, "amount_not_positive"),
        ({"amount": "-1"}, 422, "amount_not_positive"),
        ({"amount": "1.005"}, 422, "amount_malformed"),
        ({"amount": "10000000.01"}, 422, "credit_too_large"),
        ({"currency": "SEK"}, 422, "currency_not_offered"),
        ({"money_type": "gold"}, 422, "unknown_choice"),
        ({"tip": "1"}, 422, "unknown_field"),
    ],
)
def test_an_invalid_credit_is_refused_with_its_code(
    lucky: House, changes: dict[str, object], status: int, code: str
) -> None:
    player = lucky.register()
    answer = lucky.credit(player, **changes)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    account = player_account(operator=lucky.id, player=UUID(player), money_type=MoneyType.REAL, currency="EUR")
    assert store.balances([account]) == {account: 0}


def test_an_operator_that_is_no_sandbox_gives_no_credits() -> None:
    serious = house("serious", sandbox=False)
    answer = serious.credit(serious.register())
    assert (answer.status_code, answer.json()["code"]) == (403, "operator_not_sandbox")


def test_another_operators_player_is_unknown_like_one_that_does_not_exist(lucky: House, other: House) -> None:
    hers, nobody = other.register(), UUID(int=404)
    other.credit(hers)
    for path in ("players/{}", "players/{}/balances", "players/{}/statement"):
        assert lucky.get(path.format(hers)).status_code == lucky.get(path.format(nobody)).status_code == 404
        assert lucky.get(path.format(hers)).json()["code"] == lucky.get(path.format(nobody)).json()["code"]
    assert lucky.credit(hers).json()["code"] == lucky.credit(str(nobody)).json()["code"] == "unknown_account"
    assert lucky.get("players").json()["items"] == []


def test_a_statement_lists_what_moved_newest_first_in_pages(lucky: House) -> None:
    player = lucky.register()
    for amount in ("1.00", "2.00", "3.00"):
        lucky.credit(player, amount)
    page = lucky.get(f"players/{player}/statement?limit=2").json()
    rest = lucky.get(f"players/{player}/statement?limit=2&cursor={page['next']}").json()
    lines = page["items"] + rest["items"]
    assert [(line["sequence"], line["amount"]["amount"], line["balance"]["amount"]) for line in lines] == [
        (3, "3.00", "6.00"),
        (2, "2.00", "3.00"),
        (1, "1.00", "1.00"),
    ]
    assert {line["kind"] for line in lines} == {"sandbox_credit"}
    nothing = {"amount": "0.00", "currency": "EUR"}
    empty = {"opening": nothing, "closing": nothing, "net_change": nothing, "items": [], "next": None}
    assert lucky.get(f"players/{player}/statement?money_type=play").json() == empty


def test_a_player_sees_the_account_and_the_balance_at_each_table(lucky: House) -> None:
    player = lucky.register()
    lucky.credit(player)
    (cause,) = causes(1)
    where: dict[str, Any] = {"operator": lucky.id, "player": UUID(player), "table": TABLE, "money_type": MoneyType.REAL}
    store.post([buy_in(cause=cause, currency="EUR", amount=2500, **where)])
    token = open_session(operator=lucky.id, player=UUID(player), seconds=60).token
    me = House(lucky.id, token)
    shown = me.get("me/balances").json()["items"]
    assert [(line["account"], line["money_type"], line["table"], line["balance"]["amount"]) for line in shown] == [
        ("account", "play", None, "0.00"),
        ("account", "real", None, "75.00"),
        ("game", "real", str(TABLE), "25.00"),
    ]
    lines = me.get(f"me/statement?account=game&table={TABLE}").json()["items"]
    assert [(line["kind"], line["amount"]["amount"]) for line in lines] == [("buy_in", "25.00")]
    assert me.get(f"players/{player}/balances").json()["code"] == "forbidden"


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("account=game", "table_required"),
        (f"account=account&table={TABLE}", "table_not_allowed"),
        ("account=bank", "unknown_choice"),
        ("account=game&table=x", "field_invalid"),
        ("cursor=???", "invalid_cursor"),
        ("limit=0", "invalid_limit"),
    ],
)
def test_a_statement_of_an_invalid_account_is_refused(lucky: House, query: str, code: str) -> None:
    answer = lucky.get(f"players/{lucky.register()}/statement?{query}")
    assert answer.status_code in {400, 422}
    assert answer.json()["code"] == code


def test_balances_cost_four_queries(lucky: House) -> None:
    player = lucky.register()
    with CaptureQueriesContext(connection) as queries:
        lucky.get(f"players/{player}/balances")
    assert len(queries) == 4


@pytest.mark.parametrize(
    ("nickname", "shown"),
    [
        *((name, name) for name in NAMES),
        ("\u5c71\u7530\u3000\u592a\u90ce", "\u5c71\u7530 \u592a\u90ce"),
        ("Jean\u00a0Luc", "Jean Luc"),
        (" Zoe\u0308 ", "Zo\u00eb"),
        ("A\u200bce", "Ace"),
    ],
)
def test_a_nickname_in_any_script_is_registered_as_people_read_it(lucky: House, nickname: str, shown: str) -> None:
    answer = lucky.post("players", {"reference": "customer-1", "nickname": nickname})

    assert (answer.status_code, answer.json()["nickname"]) == (201, shown)


@pytest.mark.parametrize(
    ("nickname", "code"),
    [
        ("\u3164", "field_invalid"),
        ("Ace\u3164", "field_invalid"),
        ("\u2800", "field_invalid"),
        ("\u0301", "field_invalid"),
        ("a\u202eb", "field_invalid"),
        ("\u200d", "field_blank"),
        ("x" * 41, "field_too_long"),
    ],
)
def test_a_nickname_that_nobody_can_see_or_read_is_refused(lucky: House, nickname: str, code: str) -> None:
    answer = lucky.post("players", {"reference": "customer-1", "nickname": nickname})

    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert lucky.get("players").json()["items"] == []


@pytest.mark.parametrize("reference", ["\u6b8b\u3000\u9ad8", "a\u200cb", " x ", "e\u0301", "\u202e"])
def test_a_reference_is_kept_and_found_as_it_was_sent(lucky: House, reference: str) -> None:
    answer = lucky.post("players", {"reference": reference, "nickname": "Ace"})

    assert (answer.status_code, answer.json()["reference"]) == (201, reference)
    assert lucky.post("players", {"reference": f"{reference} ", "nickname": "Ace"}).json()["id"] != answer.json()["id"]
