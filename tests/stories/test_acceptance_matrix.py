"""The acceptance matrix that integrators run against a wallet, A to R, as it applies to one that we hold.

After the suites that game providers and operators use for wallets. Where a game would call a foreign wallet to bet, win
and roll back, ours is called by players (`deal`), by the dealers (settlement) and by staff (void); where money comes
from outside, the payment provider's callbacks are what may come twice, late or too early. Each test is one letter, over
HTTP where its caller is outside.
"""

import json
import secrets
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from django.db import connections

from baccarat.domain.rounds.refusals import RoundAlreadyVoided
from baccarat.domain.rules.deal import Outcome
from baccarat.services import voiding
from casino.events.sql import execute, fetch
from casino.events.store import Metadata
from casino.operators.refusals import ChangeAlreadyRequested, ChangeNeedsSecondPerson
from tests.baccarat.api.people import Caller, Gambler, Tenant, answered, bet, deal_all, sit, tenant, whole_database
from tests.conftest import Database
from tests.dying import KILLED, dying
from tests.services import SECRET_KEY
from tests.support import chance, voids
from tests.wallet.payments.counter import SECRET, use_provider
from tests.wallet.payments.counter import method as method_of
from wallet.ledger import audit
from wallet.payments import callbacks, signatures

FUNDS, BUY_IN = Decimal("10000.00"), Decimal("1000.00")
Fixed = Callable[[Outcome], None]


@pytest.fixture
def lucky(module_database: Database, monkeypatch: pytest.MonkeyPatch) -> Tenant:
    """Return a new operator with a payment provider."""
    use_provider(monkeypatch)
    return tenant("lucky")


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> Fixed:
    """Let every round at `mini` end like this from now on."""
    return lambda outcome: chance.fix(monkeypatch, outcome)


class Game:
    """A player alone at a table of 10,000.00 on the account, of which 1,000.00 were taken there."""

    def __init__(self, house: Tenant) -> None:
        self.house = house
        self.player = house.player("Alice", funds=f"{FUNDS}")
        self.table = house.table("mini")
        sit(self.player, self.table, buy_in=f"{BUY_IN}")

    def money(self) -> tuple[Decimal, Decimal]:
        """Return the balances of the account and the game."""
        found = self.player.balances()
        return Decimal(found["account", "real"]), Decimal(found["game", "real"])

    def deal(self, key: str | None = None, **stakes: str) -> Any:
        """Place a wager and return the response."""
        wager = [{"spot": spot, "amount": amount} for spot, amount in stakes.items()]
        return self.player.post(f"tables/{self.table}/deal", {"stakes": wager, "currency": "EUR"}, key=key)

    def last(self) -> Any:
        """Return the round that was settled last."""
        return self.player.read(f"tables/{self.table}")["last_round"]


@pytest.fixture
def game(lucky: Tenant) -> Game:
    return Game(lucky)


def void(game: Game, round_: str, *, by: str) -> Any:
    """Request a void as a member of staff."""
    return voiding.void(
        round_=uuid.UUID(round_), operator=_operator(game), reason="malfunction", note="x", metadata=_staff(by)
    )


def approve(game: Game, round_: str, *, by: str) -> Any:
    """Approve it as another member of staff."""
    del game
    return voids.confirm(round_, by=_staff(by).actor)


def _operator(game: Game) -> uuid.UUID:
    return uuid.UUID(game.house.id)


def _staff(name: str) -> Metadata:
    return Metadata(operator="", actor=f"staff:{name}", causation="test", correlation="test")


def deposit(house: Tenant, player: Gambler, amount: str) -> str:
    """Return the id of a deposit on which the provider has not yet reported."""
    method = str(method_of(uuid.UUID(house.id)).id)
    return str(player.do("me/deposits", {"method": method, "amount": amount, "currency": "EUR"})["id"])


def call_back(payment: str, status: str, amount: str, *, secret: str = SECRET, nonce: str = "") -> Any:
    """Report on a deposit as the provider and return the response."""
    told = {"kind": "deposit", "payment": payment, "reference": f"tx-{payment}", "status": status, "amount": amount}
    body = json.dumps({**told, "currency": "EUR"}).encode()
    signed = signatures.headers(
        secret=secret,
        timestamp=str(int(time.time())),
        nonce=nonce or secrets.token_hex(16),
        subject="POST /api/v1/providers/sandbox/callbacks",
        body=body,
    )
    headers = {**signed, "Content-Type": "application/json"}
    return Caller("").raw("providers/sandbox/callbacks", body, **headers)


def at_once(count: int, work: Callable[[int], Any]) -> list[Any]:
    """work(0), work(1), … all at the same time."""

    def one(number: int) -> Any:
        try:
            return work(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


@pytest.fixture(autouse=True)
def balanced(module_database: Database) -> Any:
    """Check that the ledger adds up after each letter."""
    yield
    assert list(audit.check()) == []


def test_a_missing_or_invalid_signature_is_refused_and_changes_nothing(game: Game) -> None:
    payment = deposit(game.house, game.player, "50.00")
    before = whole_database()
    known = before.pop("significant_significantevent")
    wager = {"stakes": [{"spot": "banker", "amount": "10.00"}], "currency": "EUR"}
    for nobody in (Caller(""), Caller("made.up"), Caller("A" * 43)):
        assert nobody.post(f"tables/{game.table}/deal", wager).status_code == 401
    assert call_back(payment, "completed", "50.00", secret="another" * 8).status_code in {401, 403}
    after = whole_database()
    assert after.pop("significant_significantevent") != known  # that somebody tried is told
    assert after == before


def test_b_the_balance_is_told(game: Game) -> None:
    assert game.money() == (FUNDS - BUY_IN, BUY_IN)


def test_c_a_bet_without_a_win_ends_its_round(game: Game, fixed: Fixed) -> None:
    fixed(Outcome.BANKER)
    assert game.deal(player="10.00").status_code == 200
    deal_all()
    assert (game.last()["phase"], game.last()["outcome"]) == ("settled", "banker")
    assert game.money()[1] == BUY_IN - 10


def test_d_a_bet_and_its_win_are_one_call_of_the_player(game: Game, fixed: Fixed) -> None:
    fixed(Outcome.PLAYER)
    game.deal(player="10.00")
    deal_all()
    game.player.do(f"tables/{game.table}/rebet-and-deal")
    deal_all()
    assert game.money()[1] == BUY_IN + 20


def test_e_insufficient_funds_refuse_the_whole_wager(lucky: Tenant) -> None:
    player, table = lucky.player("Alice"), lucky.table("mini")
    sit(player, table, buy_in="20.00")
    before = whole_database()
    wager = [{"spot": spot, "amount": "10.00"} for spot in ("player", "banker", "tie")]
    answer = player.post(f"tables/{table}/deal", {"stakes": wager, "currency": "EUR"})
    assert (answer.status_code, answer.json()["code"]) == (409, "insufficient_funds")
    assert whole_database() == before


def test_f_a_bet_is_taken_at_once_and_its_win_comes_later(game: Game, fixed: Fixed) -> None:
    fixed(Outcome.TIE)
    game.deal(tie="10.00")
    assert game.money()[1] == BUY_IN - 10
    deal_all()
    assert game.money()[1] == BUY_IN + 80


def test_g_a_bet_is_rolled_back_before_it_is_dealt(game: Game) -> None:
    round_ = game.deal(banker="10.00").json()["round"]["id"]
    void(game, round_, by="mary")
    assert game.money()[1] == BUY_IN
    assert game.player.read(f"rounds/{round_}")["phase"] == "voided"


def test_h_a_duplicate_bet_is_answered_with_what_the_first_was(game: Game) -> None:
    first = game.deal("one-key-of-a-bet", banker="10.00")
    again = game.deal("one-key-of-a-bet", banker="10.00")
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again["Idempotent-Replayed"] == "true"
    assert game.money()[1] == BUY_IN - 10


def test_i_a_reversal_before_its_deposit_lets_no_late_deposit_in(game: Game) -> None:
    payment, before = deposit(game.house, game.player, "50.00"), game.money()
    for status in ("reversed", "completed"):
        assert call_back(payment, status, "50.00").status_code < 300
        callbacks.apply_waiting()
    assert game.money() == before


def test_j_a_failure_and_a_reversal_before_either_was_due_leave_nothing(game: Game) -> None:
    payment, before = deposit(game.house, game.player, "50.00"), game.money()
    for status in ("failed", "reversed", "pending"):
        assert call_back(payment, status, "50.00").status_code < 300
        callbacks.apply_waiting()
    assert game.money() == before
    assert game.player.read(f"me/deposits/{payment}")["status"] in {"failed", "reversed"}


def test_k_the_same_id_with_another_amount_is_a_conflict(game: Game) -> None:
    assert game.deal("one-key-of-a-bet", banker="10.00").status_code == 200
    before = whole_database()
    other = game.deal("one-key-of-a-bet", banker="20.00")
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert whole_database() == before


def test_l_a_win_is_credited_after_the_token_expired(game: Game, fixed: Fixed) -> None:
    fixed(Outcome.PLAYER)
    game.deal(player="10.00")
    execute("UPDATE operators_playersession SET expires_at = clock_timestamp() WHERE player_id = %s", [game.player.id])
    assert game.player.get("me/balances").json()["code"] == "token_expired"
    deal_all()
    seen = game.house.read(f"players/{game.player.id}/balances")["items"]
    (balance,) = [
        line["balance"]["amount"] for line in seen if (line["account"], line["money_type"]) == ("game", "real")
    ]
    assert Decimal(balance) == BUY_IN + 10


def test_m_a_second_rollback_has_no_second_effect(game: Game) -> None:
    round_ = game.deal(banker="10.00").json()["round"]["id"]
    void(game, round_, by="mary")
    before = whole_database()
    with pytest.raises(RoundAlreadyVoided):
        void(game, round_, by="mary")
    assert whole_database() == before


def test_n_a_settled_bet_is_rolled_back_by_two_persons_only(game: Game, fixed: Fixed) -> None:
    fixed(Outcome.BANKER)
    round_ = game.deal(player="10.00").json()["round"]["id"]
    deal_all()
    void(game, round_, by="mary")
    with pytest.raises(ChangeAlreadyRequested):
        void(game, round_, by="mary")
    with pytest.raises(ChangeNeedsSecondPerson):
        approve(game, round_, by="mary")
    assert game.money()[1] == BUY_IN - 10
    approve(game, round_, by="paul")
    assert game.money()[1] == BUY_IN


def test_o_fifty_identical_bets_at_once_are_one_debit(game: Game) -> None:
    answers = at_once(50, lambda _: answered(lambda: game.deal("the-same-key-for-all", banker="10.00")))
    bodies = {answer.content for answer in answers if answer.status_code == 200}
    assert len(bodies) == 1
    assert {answer.status_code for answer in answers} <= {200, 409}
    assert game.money()[1] == BUY_IN - 10


def test_p_fifty_bets_at_once_on_a_balance_for_ten_are_ten(lucky: Tenant) -> None:
    player, tables = lucky.player("Alice", funds="100.00"), [lucky.table("mini") for _ in range(25)]

    def bets(number: int) -> int:
        table = tables[number % 25]  # from two windows at each table
        seat = {"seat": 1, "buy_in": "10.00", "currency": "EUR", "money_type": "real"}
        if player.post(f"tables/{table}/seat", seat).status_code != 200:
            return 0
        bet(player, table, banker="10.00")
        return 1

    assert sum(at_once(50, bets)) == 10
    (balances,) = fetch(
        "SELECT min(balance), sum(balance)::bigint FROM wallet_balance b JOIN wallet_account a "
        "ON a.id = b.account_id WHERE a.player_id = %s AND a.money_type = 'real'",
        [player.id],
    )
    assert balances == (0, 0)


def test_q_a_bet_sent_again_after_a_crash_between_commit_and_answer_is_one_debit(
    game: Game, module_database: Database, settings: Any
) -> None:
    settings.SECRET_KEY = SECRET_KEY  # as that process has it: bodies are remembered by an HMAC
    asked = {"BET_TABLE": game.table, "BET_TOKEN": game.player.credential, "BET_KEY": "sent-until-answered"}
    asked["SHOE_KEYS"] = settings.SHOE_KEYS
    with dying("tests.stories.betting:send", {**module_database.environment, **asked}) as dies_at:
        assert dies_at("committed") == KILLED
    assert game.money()[1] == BUY_IN - 10
    again = game.deal("sent-until-answered", banker="10.00")
    assert (again.status_code, again["Idempotent-Replayed"]) == (200, "true")
    assert game.money()[1] == BUY_IN - 10


@pytest.mark.parametrize("forgive", [False, True])
def test_r_a_win_that_is_rolled_back_after_it_was_spent_is_a_debt_or_borne_by_the_house(
    game: Game, fixed: Fixed, *, forgive: bool
) -> None:
    voiding.set_policy(operator=_operator(game), forgive=forgive, actor="staff:head")
    fixed(Outcome.PLAYER)
    round_ = game.deal(player="100.00").json()["round"]["id"]
    deal_all()
    fixed(Outcome.BANKER)
    for _ in range(4):
        game.deal(player="275.00")
        deal_all()
    spend_account(game)
    void(game, round_, by="mary")
    approve(game, round_, by="paul")
    seats = game.player.read(f"rounds/{round_}")["seats"]
    undone = seats[0]["void"]
    assert (undone["owed"], undone["forgiven"]) == (("0.00", "100.00") if forgive else ("100.00", "0.00"))
    answer = game.player.post(f"tables/{game.table}/rebuy", {"amount": "5.00", "currency": "EUR"})
    assert answer.json()["code"] == ("insufficient_funds" if forgive else "debt_outstanding")


def spend_account(game: Game) -> None:
    """Lose the rest of the account at another table."""
    other = game.house.table("mini", rules={"maximum": "9000.00"})
    sit(game.player, other, buy_in="9000.00")
    bet(game.player, other, player="9000.00")
    deal_all()
