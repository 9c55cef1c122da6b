"""A player who pays in and out, resends with the same key until there is an answer, and records every answer."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Final
from uuid import UUID, uuid4

from pytest_django import DjangoDbBlocker

from baccarat.risk import rule_changes
from baccarat.risk.rules import NewRule, RuleKind, default_rules
from casino.devstack.bots.client import Client
from casino.devstack.bots.house import CURRENCY, open_method
from tests.conftest import pointed_at
from tests.support.whole_system import System

DEPOSIT: Final = "30.00"
WITHDRAWAL: Final = "10.00"
PAUSE: Final = 0.3
"""Seconds between two payments."""
OPEN: Final = {"in_review", "approved", "sent", "pending"}

HOLDING: Final = (RuleKind.DEPOSIT_COUNT, RuleKind.DEPOSIT_SUM, RuleKind.WITHDRAWAL_SUM, RuleKind.WITHOUT_PLAY)
"""Rules by which somebody who only pays, every moment, gets a case that holds what leaves."""

NOT_POSTED_ONCE: Final = """
SELECT event.id FROM events_event AS event LEFT JOIN wallet_entry AS entry ON entry.cause = event.id
WHERE event.type IN ('DepositCompleted', 'WithdrawalPaid') GROUP BY event.id HAVING count(entry.cause) <> 1
"""


@dataclass(slots=True)
class Payer:
    """`deposits` and `withdrawals` are those the service has accepted."""

    client: Client
    method: str
    deposits: list[str] = field(default_factory=list)
    withdrawals: list[str] = field(default_factory=list)

    async def pay(self, over: Callable[[], bool]) -> None:
        """Deposit, and withdraw a part of what has arrived, until `over()`."""
        await self._post("deposits", DEPOSIT, self.deposits)
        while not over():
            await self._post("deposits", DEPOSIT, self.deposits)
            if await self._balance() >= Decimal(WITHDRAWAL):
                await self._post("withdrawals", WITHDRAWAL, self.withdrawals)
            await asyncio.sleep(PAUSE)

    async def agree(self, system: System) -> None:
        """Wait until every payment has ended, and assert that each moved its money once."""
        deposits, withdrawals = await self._ended("deposits"), await self._ended("withdrawals")
        assert sorted(deposits) == sorted(self.deposits)
        assert sorted(withdrawals) == sorted(self.withdrawals)
        assert {payment["status"] for payment in deposits.values()} == {"completed"}
        assert {payment["status"] for payment in withdrawals.values()} <= {"paid"}
        received = sum(Decimal(payment["net_amount"]["amount"]) for payment in deposits.values())
        assert await self._balance() == received - Decimal(WITHDRAWAL) * len(withdrawals)
        assert system.query(NOT_POSTED_ONCE) == []

    async def _post(self, kind: str, amount: str, accepted: list[str]) -> None:
        body = {"method": self.method, "amount": amount, "currency": CURRENCY}
        accepted.append((await self.client.post(f"/me/{kind}", body))["id"])

    async def _ended(self, kind: str) -> dict[str, dict[str, Any]]:
        while True:
            payments = {payment["id"]: payment for payment in await self.client.pages(f"/me/{kind}")}
            if not any(payment["status"] in OPEN for payment in payments.values()):
                return payments
            await asyncio.sleep(PAUSE)

    async def _balance(self) -> Decimal:
        balances = (await self.client.get("/me/balances"))["items"]
        return sum(
            (Decimal(each["balance"]["amount"]) for each in balances if each["account"] == "account"), Decimal(0)
        )


@asynccontextmanager
async def payer(system: System, blocker: DjangoDbBlocker) -> AsyncGenerator[Payer]:
    """Register a player without money, whose payments no rule holds, and a payment method."""
    async with Client(system.stack.base_url, system.credential) as operator:
        method = await open_method(operator)
        policy = {
            "auto_approve_up_to": "50.00",
            "second_approval_above": "500.00",
            "max_pending": 1000,
            "played_percent": 0,
        }
        await operator.post("/withdrawal-policy", policy)
        player = (await operator.post("/players", {"reference": uuid4().hex}))["id"]
        token = (await operator.post(f"/players/{player}/sessions", {}))["token"]
    await asyncio.to_thread(suspect_nobody, system, blocker, player)
    async with Client(system.stack.base_url, str(token)) as client:
        yield Payer(client=client, method=method)


def suspect_nobody(system: System, blocker: DjangoDbBlocker, player: str) -> None:
    """Switch off the rules that would hold the payments of this player's operator."""
    ((operator,),) = system.query("SELECT operator_id FROM operators_player WHERE id = %s", [UUID(player)])
    with blocker.unblock(), pointed_at(system.database_url):
        for kind in HOLDING:
            terms = replace(default_rules(CURRENCY)[kind], enabled=False)
            rule = NewRule(kind=kind, terms=terms, reason="Payments only", currency=CURRENCY, operator=operator)
            assert rule_changes.change_rule(rule, by="staff:1") is None
