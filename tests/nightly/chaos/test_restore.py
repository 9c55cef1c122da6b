"""The client, the web process or the worker dies at each phase of a round: the game comes back as it was, to the cent.

Five players are each in another phase when one thing dies for all of them at once.
"""

import os
import signal
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import httpx
import psycopg
import pytest
from pytest_django import DjangoDbBlocker

from baccarat.audit import engine
from casino.celery import app as celery_app
from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.system import commands
from casino.events import sealer
from casino.events.sql import fetch
from casino.observability.process import ssl_context
from tests.baccarat.api.people import LONG_TURN, Tenant, tenant
from tests.baccarat.streaming.listening import Web
from tests.conftest import Database
from tests.processes import alive, descendants, wait_until
from tests.services import SHOE_KEYS, Services
from tests.support.books import NOT_POSTED_ONCE, NOT_SETTLED_ONCE
from tests.support.house import fresh_database

FUNDS: Final = Decimal(10_000)
STAKES: Final = [{"spot": "banker", "amount": "10.00"}, {"spot": "tie", "amount": "5.00"}]
BET: Final = {"stakes": STAKES, "currency": "EUR"}
BLOCKED: Final = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
HOLD: Final = """
SELECT FROM wallet_balance JOIN wallet_account ON id = account_id
WHERE kind = 'stakes' AND table_id = %s FOR UPDATE OF wallet_balance
"""


@dataclass(slots=True)
class Service:
    """A web process and a worker on one database."""

    database: Database
    web: Web
    worker: Child

    def wake(self) -> None:
        """Send the worker a wake-up."""
        celery_app.send_task("baccarat.deal_due", expires=5, ignore_result=True)

    def until(self, holds: Callable[[], object]) -> None:
        """Wake the worker until something holds."""

        def woken() -> object:
            self.wake()
            return holds()

        assert wait_until(woken), self.worker.tail()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the worker and to every process of its pool."""
        pool = [pid for pid, _ in alive(descendants(self.worker.pid))]
        for pid in (self.worker.pid, *pool):
            os.kill(pid, number)


@dataclass(slots=True)
class Seat:
    """A player at a table, by HTTP alone; `seen` is the last position that the client has drawn."""

    service: Service
    house: Tenant
    preset: str
    rules: dict[str, Any] = field(default_factory=dict)
    seen: str | None = None
    table: str = ""
    player: str = ""
    token: str = ""

    def sit(self, *, at: str | None = None, seat: int = 1) -> None:
        """Sit a new player down with money at a new table, or at this one."""
        gambler = self.house.player("Ann", funds=f"{FUNDS}.00")
        self.table = at or self.house.table(self.preset, rules=self.rules)
        self.player, self.token = gambler.id, gambler.credential
        self.post("seat", {"seat": seat, "buy_in": "1000.00", "currency": "EUR", "money_type": "real"})

    def call(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        """Call the service once."""
        headers = {"Authorization": f"Bearer {self.token}", "Idempotency-Key": os.urandom(8).hex()}
        url = f"{self.service.web.url}/{path}"
        answer = httpx.request(method, url, headers=headers, timeout=30, verify=ssl_context(), **options)
        assert answer.status_code < 300, answer.text
        document: dict[str, Any] = answer.json()
        return document

    def post(self, action: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a command to the table."""
        return self.call("POST", f"tables/{self.table}/{action}", json=body or {})

    def look(self) -> dict[str, Any]:
        """Read the table's state."""
        return self.call("GET", f"tables/{self.table}")

    def restore(self) -> dict[str, Any]:
        """Recover the game after the last position the client has seen."""
        sealer.seal_all()
        return self.call("GET", "recovery", params={} if self.seen is None else {"after": self.seen})

    def notice(self) -> None:
        """Let the client see everything so far."""
        self.seen = None
        self.seen = self.restore()["position"]

    def log_in_again(self) -> None:
        """Open a new session, which ends the old one."""
        self.token = self.house.do(f"players/{self.player}/sessions", {"ttl_seconds": 3600})["token"]

    def is_settled(self) -> bool:
        """Return whether the last round has the player's wager and its result."""
        last = self.look()["last_round"]
        return last is not None and any(seat["you"] and seat["result"] is not None for seat in last["seats"])

    def account(self) -> Decimal:
        """Return the account's balance."""
        items = self.call("GET", "me/balances")["items"]
        (account,) = [line for line in items if (line["account"], line["money_type"]) == ("account", "real")]
        return Decimal(account["balance"]["amount"])

    def won(self) -> Decimal:
        """Return the net result of all rounds."""
        rounds = self.call("GET", "rounds")["items"]
        results = [seat["result"] for round_ in rounds for seat in round_["seats"] if seat["you"]]
        return sum((Decimal(each["returned"]) - Decimal(each["staked"]) for each in results), Decimal(0))


class Evening:
    """Five players, each in another phase of a round, and what each must recover."""

    def __init__(self, service: Service, house: Tenant, holding: "psycopg.Connection[Any]") -> None:
        self.service = service
        self.opened, self.placed, self.held, self.settled = (Seat(service, house, "mini") for _ in range(4))
        self.confirmed = Seat(service, house, "atlantic_city", rules=LONG_TURN)
        self.other = Seat(service, house, "atlantic_city")
        self.holding = holding

    @property
    def all(self) -> list[Seat]:
        """All seats but the neighbour's."""
        return [self.opened, self.placed, self.confirmed, self.held, self.settled]

    def begin(self) -> None:
        """Bring every round to its phase."""
        for seat in self.all:
            seat.sit()
        self.other.sit(at=self.confirmed.table, seat=2)
        self.confirmed.post("pass")
        self.service.until(lambda: (self.confirmed.look()["round"] or {}).get("number") == 2)
        for seat in self.all:
            seat.notice()
        self.opened.post("new-game")
        for stake in STAKES:
            self.placed.post("place", {**stake, "currency": "EUR"})
        self.confirmed.post("deal", BET)
        self.settled.post("deal", BET)
        self.service.until(self.settled.is_settled)
        self._hold_up_a_settlement()

    def _hold_up_a_settlement(self) -> None:
        """Block the worker inside its transaction, after closing betting and dealing, on the table's stakes account."""
        self.service.signal(signal.SIGSTOP)
        self.held.post("deal", BET)
        self.holding.execute(HOLD, [self.held.table])
        self.service.signal(signal.SIGCONT)
        self.service.until(lambda: fetch(BLOCKED) == [(1,)])

    def require_recovery(self) -> None:
        """Assert that every player recovers the phase the round is in."""
        round_ = self._round(self.opened)
        assert (round_["phase"], round_["seats"][0]["placed"]) == ("betting", [])
        round_ = self._round(self.placed)
        assert (round_["phase"], round_["seats"][0]["placed"]) == ("betting", STAKES)
        for seat in (self.confirmed, self.held):
            round_ = self._round(seat)
            assert (round_["phase"], round_["cards"], round_["seed"]) == ("betting", [], None)
            mine = round_["seats"][0]
            assert (mine["status"], mine["stakes"], mine["placed"]) == ("confirmed", STAKES, [])
        recovery = self.settled.restore()
        (state,) = recovery["tables"]
        assert state["round"] is None
        assert state["last_round"]["phase"] == "settled"
        assert len(state["last_round"]["cards"]) >= 4
        assert [(each["rounds"], each["staked"]["amount"]) for each in recovery["absence"]["results"]] == [(1, "15.00")]
        assert "RoundSettled" in [event["type"] for event in recovery["absence"]["events"]]

    def _round(self, seat: Seat) -> dict[str, Any]:
        recovery = seat.restore()
        (state,) = recovery["tables"]
        assert (state["id"], state["you"]["in_round"], recovery["absence"]["seats_released"]) == (seat.table, True, [])
        round_: dict[str, Any] = state["round"]
        return round_

    def end(self) -> None:
        """Let everybody play the round to its end and leave with the money."""
        self.holding.rollback()
        self.opened.post("deal", BET)
        self.placed.post("deal")
        self.other.post("pass")
        for seat in self.all:
            self.service.until(seat.is_settled)
            seat.post("leave")
            assert seat.account() == FUNDS + seat.won()


@pytest.fixture(scope="module")
def service(
    services: Services, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Service]:
    """One web process and one worker for all tests of this file."""
    folder: Path = tmp_path_factory.mktemp("service")
    with pytest.MonkeyPatch.context() as patch, fresh_database(services, django_db_blocker) as database:
        patch.setattr("django.conf.settings.SHOE_KEYS", SHOE_KEYS)
        command = commands(port=0)["worker"]
        worker = Child(
            name="worker", command=command, environment=database.environment, log=folder / "worker.log", folder=PROJECT
        )
        with Web(database, log=folder / "web.log") as web:
            worker.start()
            try:
                yield Service(database, web, worker)
            finally:
                worker.kill()


@pytest.fixture
def evening(service: Service) -> Generator[Evening]:
    """Set up players in all phases of a round."""
    # By default PostgreSQL would end this idle transaction before a web process has started.
    with psycopg.connect(service.database.url, options="-c idle_in_transaction_session_timeout=0") as holding:
        evening = Evening(service, tenant("chaos"), holding)
        evening.begin()
        yield evening


def the_client(evening: Evening) -> None:
    """Replace every player's client."""
    for seat in evening.all:
        seat.log_in_again()


def the_web_process(evening: Evening) -> None:
    evening.service.web.child.kill()
    evening.service.web.start()


def the_worker(evening: Evening) -> None:
    """Kill the worker and its pool, one process of which is in the middle of a settlement."""
    evening.service.signal(signal.SIGKILL)
    evening.service.worker.kill()
    evening.service.worker.start()


@pytest.mark.parametrize("restart", [the_client, the_web_process, the_worker], ids=lambda restart: restart.__name__)
def test_every_phase_of_a_round_is_recovered_after_replacing(
    evening: Evening, restart: Callable[[Evening], None]
) -> None:
    evening.require_recovery()

    restart(evening)

    evening.require_recovery()
    evening.end()
    sealer.seal_all()
    assert fetch(NOT_SETTLED_ONCE) == []
    assert fetch(NOT_POSTED_ONCE) == []
    assert engine.run_audit().findings == ()
