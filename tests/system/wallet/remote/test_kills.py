"""Processes killed around a call of the operator's own wallet: each wager is in its round or taken back, never both."""

import os
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from casino.events.sql import fetch
from tests.baccarat.api.people import Gambler, bet, deal_all
from tests.conftest import Database
from tests.dying import KILLED, SURVIVED, dying
from tests.processes import manage, wait_until
from tests.services import PERSONAL_KEYS, SHOE_KEYS
from tests.wallet.remote.operators import (
    WalletServer,
    audited,
    deliver,
    expire,
    ledger,
    running_wallet,
    seamless_house,
    seated,
    statuses,
)

WAGERED = "SELECT wager_id FROM wallet_remote WHERE kind = 'debit' AND status = 'accepted' ORDER BY 1"
WAGERS = "SELECT id FROM baccarat_wager ORDER BY 1"
LAST = "SELECT status, found FROM wallet_remote WHERE kind = 'debit' ORDER BY requested_at DESC, id DESC LIMIT 1"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[WalletServer]:
    monkeypatch.setattr("django.conf.settings.SHOE_KEYS", SHOE_KEYS)
    monkeypatch.setattr("django.conf.settings.PERSONAL_KEYS", PERSONAL_KEYS)
    with running_wallet(tmp_path) as running:
        yield running


def settled(server: WalletServer, player: Gambler) -> tuple[Any, ...]:
    """Let the queue and a dealer finish, check the money, and return what has become of the last debit."""
    expire()
    deliver()
    deal_all()
    deliver()
    assert fetch(WAGERED) == fetch(WAGERS)
    assert server.balance(player) * 100 == 50_000 + ledger("wallet")
    assert (ledger("returning"), ledger("stakes"), ledger("game")) == (0, 0, 0)
    return next(iter(fetch(LAST)), ())


def test_web_killed_at_any_moment_of_a_wager_confirms_it_or_takes_it_back(
    database: Database, server: WalletServer
) -> None:
    ann, _ = seated(seamless_house(server), server)
    ends, moment, ended = set(), 0, KILLED
    with dying("tests.wallet.remote.dying_player:bet", database.environment) as dies_at:
        while ended == KILLED:
            moment += 1
            ended = dies_at(moment)
            ends.add(settled(server, ann))
        assert ended == SURVIVED
        for named, end in (("committed", ("rolled_back", False)), ("done", ("accepted", None))):
            assert dies_at(named) == KILLED
            assert settled(server, ann) == end
            ends.add(end)
    assert ends == {(), ("rolled_back", False), ("rolled_back", True), ("accepted", None)}
    assert audited() == []


def test_a_worker_killed_after_a_credit_was_sent_sends_it_again_and_it_is_paid_once(
    database: Database, server: WalletServer, tmp_path: Path
) -> None:
    ann, table = seated(seamless_house(server), server)
    bet(ann, table, player="10.00", banker="10.00")
    deal_all()
    server.next("credits", "apply_then_hang")
    with manage("run_outbound", environment=database.environment, log=tmp_path / "outbound.log") as worker:
        assert wait_until(lambda: server.made("credit") == 1), (tmp_path / "outbound.log").read_text()
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait(20)
    paid = server.balance(ann)
    assert (statuses("credit"), ledger("returning") > 0) == (["requested"], True)
    expire()
    deliver()
    assert (statuses("credit"), server.made("credit"), server.balance(ann)) == (["accepted"], 1, paid)
    assert ledger("returning") == 0
    assert audited() == []
