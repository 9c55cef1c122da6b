"""A running witness of a house's log, whose links tables of the tests follow from."""

import contextlib
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pytest_django import Settings

from baccarat.audit import engine
from baccarat.domain.fairness.links import links_of
from baccarat.domain.fairness.shuffle import shuffle
from baccarat.domain.rounds.events import RoundOpened
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.rules.cards import Card
from baccarat.services import dealing, witness_chains
from casino.checkpoints import cosigning
from casino.checkpoints.keyring import checkpoint_keyring
from casino.checkpoints.note_audit import NOT_WITNESSED
from casino.crypto.signed_note import NoteKey, SignatureType
from casino.events import sealer
from casino.witness import client as witness_client
from casino.witness import command
from casino.witness.client import WitnessClient
from tests.casino.witness import running as witnesses
from tests.casino.witness.running import CLOSING_KEY, CLOSING_PRIVATE, RunningWitness
from tests.support.examples import B
from tests.support.house import At, House, until


@contextlib.contextmanager
def witnessing(folder: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Generator[RunningWitness]:
    """Run a witness that cosigns for this log and makes chains for its tables, and configure it."""
    with company_of_witnesses([folder], settings, monkeypatch) as (witness,):
        yield witness


@contextlib.contextmanager
def company_of_witnesses(
    folders: Sequence[Path],
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    *,
    of_table: int = 1,
    first: int = 1,
    program: Callable[[list[str]], None] = command.main,
) -> Generator[list[RunningWitness]]:
    """Run several witnesses, numbered from `first`, of which a table uses `of_table`; configure them in this order."""
    public = next(iter(checkpoint_keyring().public.values()))
    log_key = NoteKey(settings.LOG_ORIGIN, SignatureType.NOTE, public)
    monkeypatch.setattr(witnesses, "HOUSES", f"{log_key.vkey} {CLOSING_KEY.hex()}\n")
    with contextlib.ExitStack() as stack:
        company = [
            stack.enter_context(witnesses.running(folder, "--name", f"witness.test/w{number}", program=program))
            for number, folder in enumerate(folders, first)
        ]
        addresses = [(witness.url, witness.address) for witness in company]
        settings.WITNESSES = ", ".join(
            f"{url} {each.cosigner.vkey} {each.release_key.hex()}" for url, each in addresses
        )
        settings.CLOSING_KEYS = f"test:{CLOSING_PRIVATE.hex()}"
        settings.TABLE_WITNESSES = of_table
        witness_client.configured_client.cache_clear()
        try:
            yield company
        finally:
            witness_client.configured_client().close()
            witness_client.configured_client.cache_clear()


def pin(client: WitnessClient | None = None) -> None:
    """Seal what is committed and have it cosigned, as the house's own processes do every second."""
    sealer.seal_all()
    cosigning.Cosigning(client or witness_client.configured_client()).run_once()


def witnessed_table(house: House, preset: str = "atlantic_city", *, height: int = 8, **rules: Any) -> UUID:
    """Return a table whose first round follows from its witness's links, or whose first long shoe does."""
    table = house.table(preset, **rules)
    pin()
    assert witness_chains.open_chains(height=height) > 0
    return table


def play(house: House, *players: At, rounds: int) -> None:
    """Play rounds of a table's players to their end."""
    table = players[0].guest.table
    for _ in range(rounds):
        before = house.state(table).last_round
        for player in players:
            player.deal({B: 2500})
        until(lambda before=before: house.state(table).last_round != before)


def play_shoe(house: House, player: At) -> None:
    """Play rounds until the shoe in play has ended and the next one has started."""
    table = player.guest.table
    before = house.state(table).shoes
    for _ in range(20):
        play(house, player, rounds=1)
        if house.state(table).shoe is None:
            until(lambda: dealing.release_due() == 0 and house.state(table).shoe is not None)
            assert house.state(table).shoes == before + 1
            return
    raise AssertionError("The shoe never ended.")


def cards_by_links(round_: RoundState) -> tuple[Card, ...]:
    """Return the cards that follow from the round's seed, cut and links."""
    links = links_of(round_.require_opened().witnesses, round_.releases)
    cut, count = bytes.fromhex(round_.cut or ""), len(round_.cards)
    return shuffle(bytes.fromhex(round_.seed or ""), cut=cut, decks=8, first=count, links=links)


def assert_sound(house: House, table: UUID) -> None:
    """Assert that rows and events agree, and that a whole audit finds nothing but witnesses that are away."""
    house.agree(table)
    pin()
    findings = [each for each in engine.run_audit(max_wait=3600).findings if each.kind != NOT_WITNESSED]
    assert findings == [], findings


def rounds_of(house: House, table: UUID) -> list[UUID]:
    """Return a table's rounds in their order."""
    return [event.round for _, _, event in house.events(table) if isinstance(event, RoundOpened)]
