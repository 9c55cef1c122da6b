"""A table that is given up reveals all it had committed to; keys are rotated under shoes in play."""

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from baccarat.audit import engine
from baccarat.domain.tables.events import SeatReleaseReason
from baccarat.domain.tables.refusals import CloseReasonInvalid, SeedUnreadable, TableIsClosed, TableIsClosing
from baccarat.queries import fairness, shoes
from baccarat.services import dealing, shoe_keys, table_lifecycle, voiding
from baccarat.storage import shoe_seeds
from casino.events.sql import execute, fetch
from tests.support.drawings import cut_from, is_opened, is_shoe_opened
from tests.support.examples import B
from tests.support.house import House, deal_all

pytestmark = pytest.mark.usefixtures("database")  # audits read all shoes, and keys that tests take away are missed
OLD, NEW = "old:" + "aa" * 32, "new:" + "bb" * 32


def close(house: House, table: object, reason: str = "Worn out") -> bool:
    return table_lifecycle.close_table(table=table, operator=house.operator, reason=reason, metadata=house.metadata)  # type: ignore[arg-type]


def test_a_long_shoe_that_is_given_up_is_revealed_with_the_one_committed_to(house: House) -> None:
    table = house.table("big_table")
    ann = house.seated(table)
    ann.deal({B: 2500})
    deal_all()
    state = house.state(table)
    assert state.shoe is not None
    assert state.next_shoe is not None
    ann.leave()
    last = state.last_round

    close(house, table)
    close(house, table)

    *_, closed = [event for _, _, event in house.events(table)]
    running, coming = closed.seeds
    assert is_shoe_opened(table, state.shoe, running.seed)
    assert is_shoe_opened(table, state.next_shoe, coming.seed)
    assert shoe_seeds.find_stored([running.shoe, coming.shoe]) == set()
    with pytest.raises(TableIsClosed):
        house.seated(table)
    assert last is not None
    told = shoes.disclose_shoe(round_=last, operator=house.operator)
    assert (told.seed, told.openings, len(told.dealt)) == (running.seed, (), 1)
    revealed = fairness.table_fairness(table=table, operator=house.operator).revealed_shoes
    assert [(shoe.id, shoe.seed, shoe.decks, shoe.cut) for shoe in revealed] == [
        (running.shoe, running.seed, 8, cut_from(state.shoe.commitment).hex()), (coming.shoe, coming.seed, 8, None),
    ]  # fmt: skip
    house.agree(table)
    assert engine.run_audit(max_wait=3600).findings == ()
    subject = f"table:{table}"
    noted = fetch("SELECT kind, reason FROM significant_significantevent WHERE subject = %s", [subject])
    assert noted == [("table_stopped", "Worn out")]


def test_a_table_that_closes_concludes_what_is_confirmed_and_then_sends_everybody_home(house: House) -> None:
    table = house.table("atlantic_city")
    ann, bob, cat = company = house.company(table, 3)
    bob.deal({B: 2500})
    cat.place(B, 500)

    assert not close(house, table)
    assert [seat.player for seat in house.state(table).seats] == [each.player for each in company]
    for refused in (lambda: house.seated(table, 4), lambda: cat.rebuy(500), lambda: ann.deal({B: 500})):
        with pytest.raises(TableIsClosing):
            refused()
    assert table_lifecycle.close_due() == 0
    deal_all()
    assert [wager.player for wager in house.last(table).confirmed_seats()] == [bob.player]
    assert house.state(table).round is None
    with pytest.raises(TableIsClosing):
        cat.new_game()
    owed = [house.account(each) + house.game(each) for each in company]
    assert table_lifecycle.close_due() == 1

    state = house.state(table)
    assert (state.closed, state.seats, table_lifecycle.close_due()) == (True, (), 0)
    assert [house.account(each) for each in company] == owed
    house.agree(table)
    assert engine.run_audit(max_wait=3600).findings == ()


def test_a_table_where_nothing_is_confirmed_closes_at_once(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.place(B, 500)
    assert close(house, table)
    assert (house.state(table).closed, house.account(ann)) == (True, 10_000_000)
    freed = [event for _, _, event in house.events(table)][-2]
    assert freed.reason is SeatReleaseReason.TABLE_CLOSED
    house.agree(table)


def test_a_round_that_is_set_aside_holds_the_closing_until_a_person_has_decided_about_it(
    house: House, settings: Settings
) -> None:
    table = house.table("big_table")
    house.company(table, 2)[0].deal({B: 2500})
    keys, settings.SHOE_KEYS = settings.SHOE_KEYS, NEW
    close(house, table)
    deal_all()
    settings.SHOE_KEYS = keys
    assert (table_lifecycle.close_due(), house.in_hand(table).suspension_reason is None) == (0, False)
    suspended = house.in_hand(table).require_opened().round
    dealing.resume(round_=suspended, operator=house.operator, metadata=house.metadata)
    deal_all()
    assert table_lifecycle.close_due() == 1
    *_, closed = [event for _, _, event in house.events(table)]
    assert [each.seed is None for each in closed.seeds] == [False, False]
    house.agree(table)


def test_a_table_is_not_closed_while_a_seed_of_it_can_not_be_opened(house: House, settings: Settings) -> None:
    table = house.table("big_table")
    settings.SHOE_KEYS = NEW
    with pytest.raises(SeedUnreadable):
        close(house, table)
    with pytest.raises(CloseReasonInvalid):
        close(house, table, "  ")

    coming = house.state(table).next_shoe
    assert coming is not None
    execute("DELETE FROM baccarat_shoesecret WHERE shoe_id = %s", [coming.shoe])
    close(house, table)

    *_, closed = [event for _, _, event in house.events(table)]
    assert [(each.shoe, each.seed) for each in closed.seeds] == [(coming.shoe, None)]


def test_keys_are_rotated_in_batches_under_shoes_in_play_and_what_was_done_is_recorded(
    house: House, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    house.table("big_table")
    settings.SHOE_KEYS = f"{OLD}, {settings.SHOE_KEYS}"
    tables = [house.table("big_table") for _ in range(5)]
    shoes = [coming.shoe for table in tables if (coming := house.state(table).next_shoe) is not None]
    seeds = shoe_seeds.decrypt(shoes)

    settings.SHOE_KEYS = f"{NEW}, {settings.SHOE_KEYS}"
    done = shoe_keys.rotate(actor="test", batch=2)

    assert (done.key, done.reencrypted["old"], sum(done.reencrypted.values())) == ("new", 5, 6)
    assert fetch("SELECT DISTINCT key_id FROM baccarat_shoesecret") == [("new",)]
    assert shoe_seeds.decrypt(shoes) == seeds
    noted = fetch(
        "SELECT sum((after->>'seeds')::int) FROM significant_significantevent "
        "WHERE kind = 'key_rotated' AND after->>'key' = 'new'"
    )
    assert noted == [(6,)]
    call_command("rotate_shoe_keys")
    assert "reencrypted=0 key=new" in capsys.readouterr().out
    house.seated(tables[0]).deal({B: 2500})
    assert deal_all() == 1
    settings.SHOE_KEYS = "third:" + "cc" * 32
    with pytest.raises(CommandError, match="can't be read by any key"):
        call_command("rotate_shoe_keys")


def test_the_seed_of_a_round_voided_while_its_key_was_missing_is_revealed_when_the_key_is_back(
    house: House, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = settings.SHOE_KEYS = f"{NEW}, {settings.SHOE_KEYS}"
    table = house.table("mini")
    ann = house.seated(table)
    ann.deal({B: 2500})
    settings.SHOE_KEYS = OLD
    deal_all()
    stuck = house.in_hand(table).require_opened()
    voiding.void(
        round_=stuck.round, operator=house.operator, reason="malfunction", note="No key", metadata=house.metadata
    )
    assert house.round(stuck.round).seed is None
    assert shoe_seeds.find_stored([stuck.shoe]) == {stuck.shoe}
    assert shoe_keys.reveal_overdue_seeds() == 0
    assert [each.kind for each in engine.run_audit(max_wait=3600).findings if str(stuck.shoe) in each.location] == []

    settings.SHOE_KEYS = f"{keys}, {OLD}"  # the shoe after the next one was committed to under that key
    (finding,) = [each for each in engine.run_audit(max_wait=3600).findings if str(stuck.shoe) in each.location]
    assert finding.kind == "seed of a void round not revealed"
    call_command("rotate_shoe_keys")

    assert "1 seeds of void rounds revealed" in capsys.readouterr().out
    told = shoes.disclose_shoe(round_=stuck.round, operator=house.operator)
    assert told.seed is not None
    assert is_opened(stuck, told.seed)
    assert shoe_seeds.find_stored([stuck.shoe]) == set()
    assert [each for each in engine.run_audit(max_wait=3600).findings if str(stuck.shoe) in each.location] == []
    house.agree(table)
