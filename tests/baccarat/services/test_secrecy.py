"""Before its round is dealt a seed is nowhere but sealed; afterwards it opens what was promised."""

from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql

from baccarat.storage import shoe_seeds
from tests.conftest import Database
from tests.support.drawings import cards_of, cut_from, drawing_of, is_opened, is_shoe_opened
from tests.support.examples import B, P
from tests.support.house import House, deal_all

READABLE = ("text", "character varying", "json", "jsonb", "bytea")


def everything(owner: psycopg.Connection[Any]) -> bytes:
    """Every value that can hold text or bytes, of every table, as one heap of bytes."""
    columns = owner.execute(
        "SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns "
        "JOIN information_schema.tables USING (table_schema, table_name) "
        "WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND data_type = ANY (%s)",
        [list(READABLE)],
    ).fetchall()
    assert {"events_event", "baccarat_round", "baccarat_shoesecret"} <= {name for _, name, _, _ in columns}
    heap = []
    for schema, table, column, kind in columns:
        cast = sql.SQL("" if kind == "bytea" else "::text")
        query = sql.SQL("SELECT {}{} FROM {}").format(sql.Identifier(column), cast, sql.Identifier(schema, table))
        heap += [value if isinstance(value, bytes) else value.encode() for (value,) in owner.execute(query) if value]
    return b"\n".join(heap)


@pytest.mark.parametrize("preset", ["mini", "atlantic_city", "big_table"])
def test_no_value_of_the_database_and_no_picture_knows_a_seed_or_the_next_cards(
    house: House, module_database: Database, preset: str
) -> None:
    table = house.table(preset)
    ann = house.seated(table)
    if preset == "mini":
        ann.new_game()
    pictures = [ann.place(P, 2500), ann.deal()]
    round_ = house.in_hand(table).require_opened()
    seed = shoe_seeds.decrypt([round_.shoe])[round_.shoe]
    shoe = house.state(table).shoe
    position = 0 if shoe is None else shoe.cards_used
    cut = cut_from(round_.commitment) if shoe is None else bytes.fromhex(shoe.cut)
    commitment = drawing_of(round_).commit(seed) if shoe is None else shoe.commitment
    cards = cards_of(seed, cut, first=position + 6)[position:]

    with module_database.owner() as owner:
        heap = everything(owner)
    seen = heap + str(pictures).encode() + str(house.events(table)).encode()

    assert commitment.encode() in seen
    for secret in (seed, seed.hex().encode(), str(list(seed)).encode()):
        assert secret not in seen
    for separator in (" ", '", "', '","', "', '"):
        assert separator.join(cards[:4]).encode() not in seen


def test_a_shuffled_rounds_seed_is_revealed_with_it_and_forgotten(house: House, module_database: Database) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.place(B, 2500)
    shown = ann.deal()["round"]
    facts = house.in_hand(table).require_opened()
    deal_all()

    settled = house.last(table)

    assert settled.seed is not None
    seed = bytes.fromhex(settled.seed)
    assert shown["seed"] is None
    assert shown["commitment"] == facts.commitment
    assert is_opened(facts, settled.seed)
    assert cards_of(seed, cut_from(facts.commitment), first=6)[: len(settled.cards)] == settled.cards
    assert shoe_seeds.decrypt([facts.shoe]) == {}
    with module_database.owner() as owner:
        assert seed.hex().encode() in everything(owner)


def test_a_lapsed_rounds_seed_is_revealed_too(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.place(B, 2500)
    facts = house.in_hand(table).require_opened()

    ann.leave()

    lapsed = house.round(facts.round)
    assert lapsed.seed is not None
    assert is_opened(facts, lapsed.seed)
    assert shoe_seeds.decrypt([facts.shoe]) == {}


def test_a_long_shoes_seed_outlives_its_rounds_in_secret(house: House, module_database: Database) -> None:
    table = house.table("big_table")
    ann = house.seated(table)
    shoe: UUID = house.in_hand(table).require_opened().shoe
    seed = shoe_seeds.decrypt([shoe])[shoe]

    for _ in range(3):
        ann.deal({B: 2500})
        deal_all()

    assert house.in_hand(table).require_opened().shoe == shoe
    with module_database.owner() as owner:
        assert seed.hex().encode() not in everything(owner)
    started = house.state(table).shoe
    assert started is not None
    assert is_shoe_opened(table, started, seed.hex())


def test_two_shoes_never_share_a_seed(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    seeds = set()
    for _ in range(5):
        ann.new_game()
        ann.deal({P: 500})
        deal_all()
        seeds.add(house.last(table).seed)

    assert len(seeds) == 5
