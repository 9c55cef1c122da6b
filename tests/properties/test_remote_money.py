"""No money appears or is lost between an operator's own wallet and ours, whatever is answered, late, lost or killed."""

import random
from collections.abc import Generator
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from baccarat.services import wagering
from baccarat.services.seats import TableActor
from baccarat.services.wagering import WantedWager
from casino.events.sql import execute, fetch
from casino.events.store import Metadata
from casino.kernel.errors import Refusal
from tests.baccarat.api.people import Gambler, deal_all, sit
from tests.conftest import Database
from tests.support.spots import SPOTS
from tests.wallet.remote.operators import (
    WalletServer,
    audited,
    deliver,
    expire,
    join,
    ledger,
    running_wallet,
    seamless_house,
)
from wallet.remote import debits, protection

BEHAVIOURS = (
    *("obey",) * 6, "refuse", "temporary", "fail", "apply_then_fail", "garbage", "cut", "bad_signature", "unsigned",
    "other_request", "other_transaction", "apply_then_hang",
)  # fmt: skip
DELIVERIES = (*("obey",) * 3, "fail", "apply_then_fail", "garbage", "partial", "unsigned")


@pytest.fixture
def server(tmp_path: Path) -> Generator[WalletServer]:
    with running_wallet(tmp_path) as running:
        yield running


@pytest.mark.parametrize("seed", [1, 2])
def test_the_sum_of_the_operators_balances_and_ours_is_constant_at_rest(
    database: Database, server: WalletServer, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database
    chance = random.Random(seed)
    monkeypatch.setattr(debits, "CALL_SECONDS", 0.5)
    open_always = protection.Protection(64)
    monkeypatch.setattr("baccarat.services.wagering.PROTECTION", open_always)
    monkeypatch.setattr(debits, "PROTECTION", open_always)
    monkeypatch.setattr(protection, "MOST_LOST", 10**6)
    monkeypatch.setattr(protection, "LEAST_JUDGED", 10**6)
    house = seamless_house(server)
    players = [join(house, server, f"P{number}", funds="60.00") for number in range(3)]
    tables = [house.table("mini") for _ in players]
    for player, table in zip(players, tables, strict=True):
        sit(player, table)
    for _ in range(14):
        seat = chance.randrange(len(players))
        _wager(chance, server, players[seat], tables[seat], UUID(house.id))
        deal_all()
        if chance.random() < 0.3:
            server.next(chance.choice(("credits", "rollback")), chance.choice(DELIVERIES[:6]))
            deliver()
    server.control(next=None)
    for _ in range(3):  # at rest
        expire()
        deliver()

    theirs = sum(server.balance(player) for player in players)
    assert theirs * 100 == 18_000 + ledger("wallet")
    assert (ledger("returning"), ledger("game"), ledger("account"), ledger("stakes")) == (0, 0, 0, 0)
    assert ledger("bank") + ledger("commission") == -ledger("wallet")
    assert fetch("SELECT 1 FROM wallet_remote WHERE status IN ('requested', 'rolling_back')") == []
    assert audited() == []


def _wager(chance: random.Random, server: WalletServer, player: Gambler, table: str, operator: UUID) -> None:
    """Bet; or let the process die before it asks, or before it confirms."""
    amount, course = chance.choice((500, 1000, 2500)), chance.random()
    server.next("debit", chance.choice(BEHAVIOURS))
    if course < 0.75:
        body = {
            "stakes": [{"spot": chance.choice(SPOTS), "amount": f"{amount / 100:.2f}"}],
            "currency": "EUR",
        }
        assert player.post(f"tables/{table}/deal", body).status_code in {200, 409, 503}
        return
    actor = TableActor(UUID(table), operator, UUID(player.id), Metadata(str(operator), "player", "test"))
    try:
        reserved = wagering._reserve(WantedWager(uuid4(), {"banker": amount}, "EUR"), actor)
    except Refusal:
        return
    if course > 0.9 and isinstance(reserved, tuple):
        debits.ask(reserved[0])
    execute("UPDATE wallet_remote SET answer_by = requested_at + %s WHERE status = 'requested'", [timedelta(seconds=1)])
    expire()
    deliver()
