"""What must hold after every failure: each confirmed wager settled or void exactly once, no money lost or doubled."""

from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import settings
from pytest_django import DjangoDbBlocker

from baccarat.audit import engine
from baccarat.audit.report import AuditReport
from casino.devstack.bots.house import CREDIT
from tests.conftest import pointed_at
from tests.processes import wait_until
from tests.support.players import Party, Player
from tests.support.whole_system import System

NOT_SETTLED_ONCE: Final = """
WITH confirmed AS (
    SELECT stream, data->>'seat' AS seat, count(*) AS times
    FROM events_event WHERE type = 'WagerConfirmed' GROUP BY 1, 2
), settled AS (
    SELECT stream, wager->>'seat' AS seat, count(*) AS times
    FROM events_event, json_array_elements(coalesce(data->'wagers', data->'seats')) AS wager
    WHERE type IN ('RoundSettled', 'RoundVoided') GROUP BY 1, 2
)
SELECT stream, seat, confirmed.times, settled.times FROM confirmed FULL JOIN settled USING (stream, seat)
WHERE confirmed.times IS DISTINCT FROM 1 OR settled.times IS DISTINCT FROM 1
"""
NOT_SETTLED_ONCE_AT: Final = f"""
SELECT * FROM ({NOT_SETTLED_ONCE}) AS found
WHERE stream IN (SELECT stream FROM events_event WHERE type = 'RoundOpened' AND data->>'table' = ANY (%s))
"""  # noqa: S608  (of two constants)
NOT_POSTED_ONCE: Final = """
SELECT event.id, event.type, count(entry.cause)
FROM events_event AS event LEFT JOIN wallet_entry AS entry ON entry.cause = event.id
WHERE event.type IN ('WagerConfirmed', 'RoundSettled', 'RoundVoided') GROUP BY event.id HAVING count(entry.cause) <> 1
"""
STILL_IN_PLAY: Final = """
SELECT account.kind, balance FROM wallet_balance JOIN wallet_account AS account ON account.id = account_id
WHERE balance <> 0 AND kind IN ('game', 'stakes', 'rack') AND table_id = ANY (%s::uuid[])
"""
HELD: Final = """
SELECT money_type, sum(balance)::bigint FROM wallet_balance JOIN wallet_account AS account ON account.id = account_id
WHERE kind <> 'sandbox' AND operator_id IN (SELECT operator_id FROM baccarat_table WHERE id = ANY (%s::uuid[]))
GROUP BY money_type HAVING sum(balance) <> 0
"""
WAITING: Final = """
SELECT (SELECT count(*) FROM events_unsealed) + (SELECT count(*) FROM baccarat_duetable WHERE due_at < now())
"""


async def agree(system: System, party: Party) -> None:
    """Assert that players, events, ledger and read models agree, after all players have left their tables."""
    assert wait_until(lambda: system.query(WAITING) == [(0,)]), "Something is still waiting."
    tables = [sorted(party.tables())]
    assert system.query(NOT_SETTLED_ONCE_AT, tables) == []
    assert system.query(NOT_POSTED_ONCE) == []
    assert system.query(STILL_IN_PLAY, tables) == []
    assert dict(system.query(HELD, tables)) == system.credited
    for player in party.players:
        await _agree_with(player)


async def _agree_with(player: Player) -> None:
    """Assert that the player's rounds and balance match the answers that the player received."""
    rounds = await player.client.pages("/rounds")
    results = {round_["number"]: _result(round_) for round_ in rounds}
    assert {number: Decimal(result["staked"]) for number, result in results.items()} == player.wagers
    account = await _account(player)
    won = sum((Decimal(result["returned"]) - Decimal(result["staked"]) for result in results.values()), Decimal(0))
    assert account == Decimal(CREDIT) + won


def _result(round_: dict[str, Any]) -> dict[str, Any]:
    (mine,) = [seat for seat in round_["seats"] if seat["you"]]
    if mine["void"] is not None:
        back = mine["void"]["staked"]
        return {"staked": back, "returned": back}
    result: dict[str, Any] = mine["result"]
    return result


async def _account(player: Player) -> Decimal:
    balances = await player.client.get("/me/balances")
    lines = [
        line for line in balances["items"] if (line["account"], line["money_type"]) == ("account", player.money_type)
    ]
    (balance,) = [Decimal(line["balance"]["amount"]) for line in lines]
    return balance


def audit(system: System, blocker: DjangoDbBlocker, *, oldest: float = engine.MAX_WAIT_SECONDS) -> AuditReport:
    """Audit what has changed since the system's last sound audit from here, with its keys."""
    with pytest.MonkeyPatch.context() as patch, blocker.unblock(), pointed_at(system.database_url):
        environment = system.stack.environment
        patch.setattr(settings, "SHOE_KEYS", environment["SHOE_KEYS"])
        patch.setattr(
            settings, "CHECKPOINT_KEYS", Path(environment["CHECKPOINT_KEYS_FILE"]).read_text(encoding="utf-8")
        )
        patch.setattr(settings, "CHECKPOINT_STORAGE", environment["CHECKPOINT_STORAGE"])
        patch.setattr(settings, "LOG_ORIGIN", environment["LOG_ORIGIN"])
        report = engine.run_audit(since=system.audited, max_wait=oldest)
    if report.ok:
        system.audited, _ = report.head
    return report


def audit_from_the_start(system: System, blocker: DjangoDbBlocker) -> AuditReport:
    """Audit everything, with what no audit of changes reads."""
    system.audited = 0
    return audit(system, blocker)
