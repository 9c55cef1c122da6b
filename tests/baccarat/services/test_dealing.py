"""The dealers: what is due is dealt once, what can't be dealt is set aside, and nothing secret is said about it."""

import logging
import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from uuid import UUID

import pytest
from django.db import DataError, IntegrityError

from baccarat.domain.rounds.events import BettingClosed
from baccarat.domain.rounds.refusals import BettingIsClosed, RoundNotSuspended, UnknownRound
from baccarat.domain.rounds.state import Phase, SeatStatus
from baccarat.domain.tables.refusals import GameInterrupted
from baccarat.domain.unit_of_work import ShoeSeed
from baccarat.services import dealing
from baccarat.storage import shoe_seeds
from casino.events import sealer
from casino.events.sql import execute, fetch
from casino.events.verification import current_head
from tests.conftest import Database
from tests.support.examples import B, P, T
from tests.support.house import BUY_IN, At, House, deal_all, until
from wallet.ledger.accounts import AccountKind


def ready(house: House, preset: str = "mini") -> tuple[UUID, At]:
    """Return a table whose only player has confirmed: its round is due."""
    table = house.table(preset)
    ann = house.seated(table)
    if preset in {"mini", "overview", "classic"}:
        ann.new_game()
    ann.deal({B: 2500})
    return table, ann


def secret_of(house: House, table: UUID) -> ShoeSeed:
    """Take the seed of the round in hand out of the database."""
    shoe = house.in_hand(table).require_opened().shoe
    seed = shoe_seeds.decrypt([shoe])[shoe]
    shoe_seeds.delete([shoe])
    return ShoeSeed(shoe=shoe, seed=seed)


def test_at_the_deadline_the_silent_are_left_out_and_nothing_is_taken(house: House) -> None:
    table = house.table("atlantic_city", turn_seconds=3)
    ann, ben, cat = (house.seated(table, seat) for seat in (1, 2, 3))
    ann.pass_turn()
    deal_all()
    round_ = house.in_hand(table).require_opened().round
    ann.deal({P: 500})
    ben.place(B, 5000)

    until(lambda: house.round(round_).phase is Phase.SETTLED)

    standings = [seat.status for seat in house.round(round_).seats]
    assert standings == [SeatStatus.CONFIRMED, SeatStatus.TIMED_OUT, SeatStatus.TIMED_OUT]
    assert [house.game(ben), house.game(cat)] == [BUY_IN, BUY_IN]
    ended, deadline = house.round(round_).ended_at, house.round(round_).require_opened().deadline_at
    assert ended is not None
    assert deadline is not None
    assert ended >= deadline
    house.agree(table)


def test_an_overdue_round_takes_no_bets_even_before_a_dealer_comes(house: House) -> None:
    table = house.table("atlantic_city", turn_seconds=1)
    ann = house.seated(table)
    ann.place(P, 500)
    fetch("SELECT pg_sleep(1.01)")

    moves: list[Callable[[], object]] = [ann.deal, lambda: ann.place(P, 500), ann.pass_turn, ann.clear]
    for late in moves:
        with pytest.raises(BettingIsClosed):
            late()

    assert house.game(ann) == BUY_IN
    ann.leave()
    house.agree(table)


def test_a_table_where_everybody_is_silent_goes_idle(house: House) -> None:
    table = house.table("atlantic_city", turn_seconds=1)
    ann = house.seated(table)
    until(lambda: house.state(table).round is None)

    assert house.state(table).rounds == 1
    assert house.game(ann) == BUY_IN
    house.agree(table)


def test_the_next_round_opens_with_the_settlement_at_a_table_with_turns(house: House) -> None:
    table, ann = ready(house, "atlantic_city")

    deal_all()

    assert house.in_hand(table).require_opened().number == 2
    assert house.in_hand(table).phase is Phase.BETTING
    ann.rebet_and_deal()
    deal_all()
    assert house.last(table).require_opened().number == 2


@pytest.mark.parametrize(("preset", "seats"), [("atlantic_city", 5), ("big_table", 14)])
def test_a_full_table_is_dealt_as_one_round_in_one_entry(house: House, preset: str, seats: int) -> None:
    table = house.table(preset)
    company = house.company(table, seats)
    for at, player in enumerate(company):
        player.deal([{P: 2500}, {B: 5000}, {T: 2500}, {P: 2500, B: 2500, T: 2500}][at % 4])

    assert deal_all() == 1

    round_ = house.last(table)
    assert len(round_.confirmed_seats()) == seats
    staked, returned, commission = house.handle(table)
    assert house.holds(table, AccountKind.STAKES) == 0
    owed = sum(house.rack(player) for player in company)
    assert house.holds(table, AccountKind.COMMISSION) + owed == commission
    assert house.holds(table, AccountKind.BANK) + house.holds(table, AccountKind.COMMISSION) + owed == staked - returned
    assert sum(house.game(player) for player in company) == seats * BUY_IN - staked + returned
    entries = fetch(
        "SELECT count(*) FROM wallet_entry JOIN events_event e ON e.id = cause "
        "WHERE stream = %s AND kind = 'settlement'",
        [f"round-{round_.require_opened().round}"],
    )
    assert entries == [(1,)]
    house.agree(table)


def test_a_closing_names_the_head_of_the_log_and_is_blinded_anew_each_time(house: House) -> None:
    ann, heads = house.seated(house.table("mini")), []
    for _ in range(2):
        ann.deal({B: 500})
        sealer.seal_all()
        heads.append(current_head().digest.hex())
        deal_all()

    events = [event for _, _, event in house.events(ann.guest.table)]
    first, second = [event.closing for event in events if isinstance(event, BettingClosed)]
    assert first is not None
    assert second is not None
    assert [first.sealed_head, second.sealed_head] == heads
    assert len({first.blind, second.blind, "00" * 32}) == 3


def test_a_round_is_dealt_whether_its_player_is_there_or_not(house: House) -> None:
    table, ann = ready(house, "overview")
    del ann

    assert deal_all() == 1
    assert house.last(table).phase is Phase.SETTLED


def test_a_round_without_its_seed_is_set_aside_and_blocks_no_other(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    tables = [ready(house)[0] for _ in range(5)]
    poisoned = tables[2]
    secret = secret_of(house, poisoned)

    deal_all()

    others = [table for table in tables if table != poisoned]
    assert [house.last(table).phase for table in others] == [Phase.SETTLED] * 4
    stuck = house.in_hand(poisoned)
    assert stuck.suspension_reason == f"SeedUnavailable: shoe {secret.shoe} has no readable seed"
    assert house.names(stuck)[-1] == "RoundSuspended"
    assert [record.levelname for record in caplog.records if "ALERT" in record.message] == ["CRITICAL"]
    assert house.holds(poisoned, AccountKind.STAKES) == 2500
    assert deal_all() == 0
    house.agree(*tables)


def test_a_round_that_was_set_aside_is_dealt_once_it_is_resumed(house: House) -> None:
    table, ann = ready(house)
    secret, elsewhere = secret_of(house, table), house.guest(house.table("mini"), ann.player)
    deal_all()
    with pytest.raises(GameInterrupted):
        elsewhere.sit(buy_in=0)
    shoe_seeds.store([secret])
    suspended = house.in_hand(table).require_opened().round
    with pytest.raises(UnknownRound):
        dealing.resume(round_=suspended, operator=House().operator, metadata=house.metadata)

    dealing.resume(round_=suspended, operator=house.operator, metadata=house.metadata)
    deal_all()

    round_ = house.last(table)
    assert (round_.phase, round_.seed) == (Phase.SETTLED, secret.seed.hex())
    assert "RoundResumed" in house.names(round_)
    (seat,) = round_.seats
    assert seat.settlement is not None
    assert house.game(ann) == BUY_IN - 2500 + seat.settlement.returned
    elsewhere.sit(buy_in=0)
    with pytest.raises(RoundNotSuspended):
        dealing.resume(round_=suspended, operator=house.operator, metadata=house.metadata)
    house.agree(table)


def test_a_corrupt_seed_is_set_aside_and_blocks_no_other(house: House) -> None:
    (broken, _), (sound, _) = ready(house), ready(house)
    shoe = house.in_hand(broken).require_opened().shoe
    execute(
        "UPDATE baccarat_shoesecret SET ciphertext = set_byte(ciphertext, 3, get_byte(ciphertext, 3) # 1) "
        "WHERE shoe_id = %s",
        [shoe],
    )

    deal_all()

    assert house.last(sound).phase is Phase.SETTLED
    assert house.in_hand(broken).suspension_reason is not None
    house.agree(broken, sound)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE baccarat_table SET state = '{{}}' WHERE id = '{table}'",
        "UPDATE baccarat_table SET state = jsonb_set(state::jsonb, '{{seats}}', '7') WHERE id = '{table}'",
        "UPDATE baccarat_table SET round_state = '[]' WHERE id = '{table}'",
        "UPDATE baccarat_table SET round_state = '{{}}' WHERE id = '{table}'",
        "UPDATE baccarat_table SET round_state = NULL WHERE id = '{table}'",
        "UPDATE baccarat_table SET round_id = NULL WHERE id = '{table}'",
        "UPDATE baccarat_table SET round_version = 1 WHERE id = '{table}'",
    ],
)
def test_a_damaged_read_model_blocks_no_other_table(
    house: House, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    (broken, _), (sound, _) = ready(house), ready(house)
    execute(damage.format(table=broken))

    deal_all()

    assert house.last(sound).phase is Phase.SETTLED
    assert "ALERT" in caplog.text or "round_id = NULL" in damage
    execute("UPDATE baccarat_duetable SET due_at = NULL WHERE table_id = %s", [broken])


@contextmanager
def refusing(database: Database, table: UUID, what: str) -> Generator[None]:
    """Make the database refuse to settle at one table, by a trigger."""
    with database.owner() as owner:
        owner.execute(what.format(table=table))
        try:
            yield
        finally:
            owner.execute("ALTER TABLE baccarat_round DROP CONSTRAINT IF EXISTS no_settling")
            owner.execute("DROP TRIGGER IF EXISTS no_settling ON baccarat_round")


CHECK = "ALTER TABLE baccarat_round ADD CONSTRAINT no_settling CHECK (table_id <> '{table}' OR cards = '')"
TALKATIVE = """
CREATE OR REPLACE FUNCTION refuse_settling() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'cards % of round %', NEW.cards, NEW USING DETAIL = NEW::text;
END $$;
CREATE TRIGGER no_settling BEFORE UPDATE ON baccarat_round FOR EACH ROW
WHEN (NEW.table_id = '{table}' AND NEW.cards <> '') EXECUTE FUNCTION refuse_settling()
"""


@pytest.mark.parametrize("what", [CHECK, TALKATIVE], ids=["a check", "a talkative trigger"])
def test_what_is_said_about_a_round_set_aside_holds_neither_cards_nor_seed(
    house: House, module_database: Database, caplog: pytest.LogCaptureFixture, what: str
) -> None:
    caplog.set_level(logging.DEBUG)
    (table, _), (sound, _) = ready(house), ready(house)
    round_ = house.in_hand(table).require_opened()
    seed = shoe_seeds.decrypt([round_.shoe])[round_.shoe]

    with refusing(module_database, table, what):
        deal_all()

    aside = house.in_hand(table)
    said = [event for _, _, event in house.events(table) if type(event).__name__ == "RoundSuspended"]
    assert len(said) == 1
    assert house.last(sound).phase is Phase.SETTLED
    assert house.holds(table, AccountKind.STAKES) == 2500
    suspended = house.in_hand(table).require_opened().round
    dealing.resume(round_=suspended, operator=house.operator, metadata=house.metadata)
    deal_all()
    cards = house.last(table).cards
    told = f"{aside.suspension_reason} {said[0].reason} {caplog.text}"
    assert "ALERT" in told
    assert seed.hex() not in told
    assert not [card for card in cards if re.search(rf"\b{card}\b", told)]  # an id may end like a card: "…e3c"
    assert " ".join(cards) not in told
    assert "DETAIL" not in told
    house.agree(table, sound)


def test_a_dealer_that_comes_too_late_sets_aside_no_other_round(house: House) -> None:
    table, _ = ready(house, "atlantic_city")
    failed = house.state(table)
    deal_all()

    assert dealing._set_aside_after(DataError("too late"), failed) == 0

    assert house.in_hand(table).suspension_reason is None
    house.agree(table)


def test_a_passing_trouble_of_the_database_sets_nothing_aside(house: House, module_database: Database) -> None:
    table, _ = ready(house)
    out_of_room = TALKATIVE.replace("USING DETAIL", "USING ERRCODE = 'disk_full', DETAIL")

    with refusing(module_database, table, out_of_room):
        assert deal_all() == 0
        assert house.in_hand(table).suspension_reason is None
    assert deal_all() == 1

    assert house.last(table).phase is Phase.SETTLED
    house.agree(table)


def test_a_batch_takes_at_most_as_many_as_asked(house: House) -> None:
    deal_all()
    for _ in range(5):
        ready(house)

    assert [dealing.deal_due(limit=2) for _ in range(4)] == [2, 2, 1, 0]


def test_trouble_is_described_by_name_alone() -> None:
    assert dealing.describe(KeyError("9h 8c")) == "KeyError"
    assert dealing.describe(IntegrityError("9h 8c")) == "IntegrityError"
