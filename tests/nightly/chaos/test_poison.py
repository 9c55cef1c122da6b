"""A round that can't be dealt is suspended with an alert, and the real worker goes on with the others."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import psycopg
from pytest_django import DjangoDbBlocker

from baccarat.services import dealing
from baccarat.storage.models import Table
from casino.events.store import Metadata
from tests.conftest import pointed_at
from tests.support.books import NOT_SETTLED_ONCE, agree, audit
from tests.support.players import Party, Setting, party
from tests.support.whole_system import System, until

TABLES = (Setting("mini"), Setting("mini"), Setting("classic"), Setting("overview"))
LIMIT = 120

_TAKE: Final = """
DELETE FROM baccarat_shoesecret USING baccarat_table AS home
WHERE home.id = %s AND shoe_id = (home.round_state->'opened'->>'shoe')::uuid
RETURNING shoe_id, key_id, nonce, ciphertext
"""
_GIVE_BACK: Final = "INSERT INTO baccarat_shoesecret (shoe_id, key_id, nonce, ciphertext) VALUES (%s, %s, %s, %s)"
_SUSPENDED: Final = "SELECT suspension_reason, operator_id, round_id FROM baccarat_table WHERE id = %s"


def take_secret(system: System, table: str) -> tuple[Any, ...]:
    """Delete the seed of the current round, so that it can't be dealt, and return it."""
    with psycopg.connect(system.database_url) as connection:
        (secret,) = connection.execute(_TAKE, [table]).fetchall()
    return secret


def give_back(system: System, secret: Sequence[Any]) -> None:
    """Restore a seed."""
    with psycopg.connect(system.database_url) as connection:
        connection.execute(_GIVE_BACK, secret)


def resume(system: System, blocker: DjangoDbBlocker, table: str, operator: UUID) -> None:
    """Resume the round, as a person would."""
    metadata = Metadata(operator=str(operator), actor="staff", causation="test", correlation="test")
    with blocker.unblock(), pointed_at(system.database_url):
        suspended = Table.objects.values_list("round_id", flat=True).get(pk=table)
        dealing.resume(round_=suspended, operator=operator, metadata=metadata)


async def play_around_an_undealable_round(system: System, blocker: DjangoDbBlocker) -> str:
    """Break the first table's round, let the others play, repair it, and return what the worker logged."""
    async with asyncio.timeout(LIMIT), party(system, TABLES) as players:
        first, others = players.players[0], Party(players.players[1:])
        table = first.table.rpartition("/")[2]
        await first.client.post(f"{first.table}/place", {"spot": "tie", "amount": "10.00", "currency": "EUR"})
        secret = take_secret(system, table)
        logged = len(system.log("worker"))
        await players.bet()
        enough = others.wagers() + 12
        await others.play(lambda: others.wagers() >= enough)

        await until(lambda: system.query(_SUSPENDED, [table])[0][0] is not None)
        reason, operator, suspended_round = system.query(_SUSPENDED, [table])[0]
        assert reason == f"SeedUnavailable: shoe {secret[0]} has no readable seed"
        assert (await first.look())["round"]["suspended"] is True
        assert system.query(NOT_SETTLED_ONCE) == [(f"round-{suspended_round}", "1", 1, None)]
        log = system.log("worker")[logged:]

        give_back(system, secret)
        await asyncio.to_thread(resume, system, blocker, table, operator)
        await first.settled()
        await first.play(lambda: True)
        await agree(system, players)
    return log


def test_an_undealable_round_is_suspended_with_an_alert_and_blocks_no_other(
    system: System, django_db_blocker: DjangoDbBlocker
) -> None:
    log = asyncio.run(play_around_an_undealable_round(system, django_db_blocker))
    assert log.count("ALERT round") == 1
    assert "was suspended: SeedUnavailable" in log
    assert audit(system, django_db_blocker).findings == ()
