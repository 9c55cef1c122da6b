"""Several tables with witnesses that close at once: one request to each witness, and none waits for another's link."""

import os
import signal
import threading
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from pytest_django import DjangoDbBlocker, Settings

from baccarat.domain.rounds.state import Phase
from baccarat.services import dealing
from baccarat.storage import witness_chains
from casino.witness import transport
from casino.witness.client import configured_client
from casino.witness.transport import Transport
from tests.baccarat.services.witnessing import (
    assert_sound,
    cards_by_links,
    company_of_witnesses,
    play,
    witnessed_table,
)
from tests.casino.witness.running import RunningWitness
from tests.processes import wait_until
from tests.services import Services
from tests.support.examples import B
from tests.support.house import At, House, fresh_database, until


@pytest.fixture
def house(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[House]:
    with fresh_database(services, django_db_blocker):
        yield House()


def test_closings_of_a_batch_are_one_request_to_each_witness_and_one_batch_of_deals(
    house: House, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company_of_witnesses([tmp_path / "one", tmp_path / "two"], settings, monkeypatch, of_table=2) as company:
        players = _ready(house, 3)
        asked: Counter[str] = Counter()
        whole = Transport.send

        def counting(self: Transport, address: Any, method: str, path: str, body: bytes | None) -> Any:
            asked[f"{address.url}{path}"] += method == "POST"
            return whole(self, address, method, path, body)

        monkeypatch.setattr(Transport, "send", counting)
        rounds = _close_at_once(house, players)
        assert dealing.deal_due() == 2 * len(players)
        assert +asked == {f"{witness.url}/v1/release": 1 for witness in company}
        for table, round_ in rounds.items():
            dealt = house.round(round_)
            assert (dealt.phase, len(dealt.releases)) == (Phase.SETTLED, 2)
            assert cards_by_links(dealt) == dealt.cards
            assert_sound(house, table)


def test_a_table_whose_witness_refuses_holds_up_and_voids_no_other_of_its_batch(
    house: House, witness: RunningWitness
) -> None:
    players = _ready(house, 3)
    refused, *others = (player.guest.table for player in players)
    (header,) = (each.header for each in witness_chains.read_headers([refused]).values())
    configured_client().retire_chain(header)
    rounds = _close_at_once(house, players)
    assert dealing.deal_due() == len(players) + len(others)
    assert [house.round(rounds[table]).phase for table in others] == [Phase.SETTLED] * len(others)
    waiting = house.round(rounds[refused])
    assert (waiting.phase, waiting.cards) == (Phase.CLOSED, ())
    for table in others:
        assert_sound(house, table)


def test_a_silent_witness_delays_its_own_tables_only(
    house: House, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "ANSWER_SECONDS", 600.0)  # so that a worker waits for the silent one until it speaks
    with company_of_witnesses([tmp_path / "one", tmp_path / "two"], settings, monkeypatch) as company:
        (waiting,) = _ready(house, 1)
        settings.WITNESSES = ", ".join(reversed(settings.WITNESSES.split(", ")))
        configured_client().close()
        configured_client.cache_clear()
        prompt, due_later = _ready(house, 2)
        rounds = _close_at_once(house, [waiting, prompt])
        os.killpg(company[0].process.pid, signal.SIGSTOP)
        worker = threading.Thread(target=_deal_due)
        worker.start()
        assert wait_until(lambda: house.round(rounds[prompt.guest.table]).phase is Phase.SETTLED)
        rounds |= _close_at_once(house, [due_later])
        assert wait_until(lambda: house.round(rounds[due_later.guest.table]).phase is Phase.SETTLED)
        assert (worker.is_alive(), house.round(rounds[waiting.guest.table]).phase) == (True, Phase.CLOSED)
        os.killpg(company[0].process.pid, signal.SIGCONT)
        worker.join()
        for table, round_ in rounds.items():
            dealt = house.round(round_)
            assert (dealt.phase, cards_by_links(dealt)) == (Phase.SETTLED, dealt.cards)
            assert_sound(house, table)


def test_workers_at_once_close_and_deal_each_table_of_a_batch_once(house: House, witness: RunningWitness) -> None:
    players = _ready(house, 4)
    rounds = _close_at_once(house, players)
    together = threading.Barrier(3)

    def work() -> None:
        together.wait()
        try:
            for _ in range(3):
                dealing.deal_due(limit=2)
                dealing.release(dealing.repository.read_open_closings(list(rounds)))
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for table, round_ in rounds.items():
        until(lambda round_=round_: house.round(round_).phase is Phase.SETTLED or dealing.release_due() > 0)
        steps = Counter(house.names(house.round(round_)))
        assert [steps[name] for name in ("BettingClosed", "LinksReleased", "CardsDealt", "RoundSettled")] == [1] * 4
        assert_sound(house, table)


def _deal_due() -> None:
    try:
        dealing.deal_due()
    finally:
        connection.close()


def _ready(house: House, count: int) -> list[At]:
    """Seat a player at each of so many tables whose next round follows from links."""
    players = [house.seated(witnessed_table(house)) for _ in range(count)]
    for player in players:
        play(house, player, rounds=3)
    return players


def _close_at_once(house: House, players: list[At]) -> dict[UUID, UUID]:
    """Confirm all wagers, so that all rounds are due, and return the rounds by table."""
    rounds = {}
    for player in players:
        table = player.guest.table
        rounds[table] = house.in_hand(table).require_opened().round
        player.deal({B: 2500})
    return rounds
