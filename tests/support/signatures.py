"""Wagers and contributions signed as a player's page does."""

import secrets
from collections.abc import Mapping
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.closing import encode_wager
from baccarat.domain.fairness.cut import ContributionSignature
from baccarat.domain.fairness.terms import encode_contribution
from baccarat.domain.rounds.events import WagerSignature
from baccarat.domain.rounds.signed_wager import wager_id
from baccarat.domain.tables.state import TableState
from baccarat.services import betting
from baccarat.services.seats import TableActor
from baccarat.storage import projections
from casino.crypto import ed25519
from casino.events.sql import fetch
from tests.support.spots import SPOTS

SECRET: Final = bytes(range(32))
PUBLIC_KEY: Final = f"01{ed25519.public_key(SECRET).hex()}"


def sign_wager(
    actor: TableActor,
    asked: Mapping[str, int],
    *,
    terms: str | None = None,
    player: UUID | None = None,
    seat: int = 1,
    play_money: bool = False,
) -> WagerSignature:
    """Sign a wager in EUR on the terms that are in force at a table, or on others; open a round if none is open."""
    if _state(actor.table).round is None:
        betting.new_game(actor=actor)
    round_, nonce = _state(actor.table).round, secrets.token_bytes(32)
    assert round_ is not None
    wager = encode_wager(
        terms=terms or terms_of(actor.table),
        wager=wager_id(round_, seat),
        player=player or actor.player,
        seat=seat,
        play_money=play_money,
        currency="EUR",
        stakes=[(spot, asked[spot]) for spot in SPOTS if asked.get(spot)],
        nonce=nonce,
    )
    return WagerSignature(PUBLIC_KEY, nonce.hex(), ed25519.sign(SECRET, wager).hex())


def sign_contribution(table: UUID, contribution: str, *, seat: int = 1) -> ContributionSignature:
    """Sign a contribution to the shoe that a table's players cut now."""
    next_shoe = _state(table).next_shoe
    assert next_shoe is not None
    signed = encode_contribution(
        table=table,
        commitment=next_shoe.commitment,
        witnesses=next_shoe.witnesses,
        seat=seat,
        contribution=contribution,
    )
    return ContributionSignature(PUBLIC_KEY, ed25519.sign(SECRET, signed).hex())


def terms_of(table: UUID) -> str:
    """Return the digest of the terms in force at a table."""
    fixed = _state(table).terms
    assert fixed is not None
    return fixed.digest


def _state(table: UUID) -> TableState:
    (row,) = fetch("SELECT state::text FROM baccarat_table WHERE id = %s", [table])
    return projections.decode_table(row[0])
