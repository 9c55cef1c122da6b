"""Voiding rounds on a real database: money, tables, debts and seeds."""

from typing import Any
from uuid import UUID

import pytest

from baccarat.domain.fairness.shuffle import round_seed
from baccarat.domain.rounds.refusals import (
    RoundAlreadyVoided,
    RoundNotVoidable,
    UnknownRound,
    UnknownVoidReason,
    VoidNoteInvalid,
)
from baccarat.domain.rounds.state import Phase
from baccarat.queries import rounds, tables
from baccarat.services import voiding
from baccarat.storage import shoe_seeds
from casino.events.sql import fetch
from casino.operators.refusals import ChangeAlreadyRequested, ChangeNeedsSecondPerson
from tests.support.drawings import is_opened
from tests.support.examples import B, P, T
from tests.support.house import BUY_IN, At, House, as_document, deal_all
from tests.support.voids import approve, ask, debt, decline, in_hand, last, money, settled_with, void_settled
from wallet import notices
from wallet.ledger.accounts import AccountKind
from wallet.ledger.refusals import DebtOutstanding
from wallet.payments import debts


def test_voiding_a_round_in_play_gives_every_stake_back_and_frees_the_table(house: House) -> None:
    table = house.table("atlantic_city")
    ann, ben = house.company(table, 2)
    before = money(house, table, ann, ben)
    ann.deal({P: 500, T: 500})
    voided = in_hand(house, table)

    after = ask(house, voided)

    assert (after.phase, after.voided is not None) == (Phase.VOIDED, True)
    assert money(house, table, ann, ben) == before
    assert in_hand(house, table) != voided
    assert last(house, table) == voided
    ann.deal({P: 500})
    ben.pass_turn()
    deal_all()
    house.agree(table)


def test_the_seed_of_the_rounds_own_shoe_is_revealed_and_forgotten(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.deal({P: 500})
    opened = house.in_hand(table).require_opened()

    after = ask(house, opened.round)

    assert after.seed is not None
    assert is_opened(opened, after.seed)
    assert shoe_seeds.decrypt([opened.shoe]) == {}
    house.agree(table)


@pytest.mark.parametrize("fixed_order", [True, False])
def test_a_long_shoe_goes_on_from_the_next_card_and_its_seed_stays_secret(house: House, fixed_order: bool) -> None:
    table = house.table("big_table", fixed_order=fixed_order)
    ann, ben = house.company(table, 2)
    ann.deal({B: 2500})
    ben.pass_turn()
    deal_all()
    out = house.state(table).shoe
    ann.deal({B: 2500})

    after = ask(house, in_hand(house, table))

    assert house.state(table).shoe == out
    assert out is not None
    seed = shoe_seeds.decrypt([out.shoe])[out.shoe]
    assert after.seed == (None if fixed_order else round_seed(seed, after.require_opened().number).hex())
    ann.deal({B: 2500})
    ben.pass_turn()
    deal_all()
    assert house.last(table).shoe_position == out.cards_used
    house.agree(table)


def test_a_round_set_aside_is_voided_without_its_seed(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.deal({P: 500})
    shoe_seeds.delete([house.in_hand(table).require_opened().shoe])
    deal_all()
    assert house.in_hand(table).suspension_reason is not None

    after = ask(house, in_hand(house, table))

    assert (after.phase, after.suspension_reason, after.seed) == (Phase.VOIDED, None, None)
    assert house.game(ann) == BUY_IN
    ann.deal({P: 500})
    deal_all()
    house.agree(table)


@pytest.mark.parametrize("won", [True, False])
def test_voiding_a_settled_round_restores_all_money_as_if_it_had_not_been(house: House, won: bool) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    settled_with(ann, house, won=True, stakes={B: 5000})
    for _ in range(200):
        before = money(house, table, ann)
        ann.deal({B: 5000})
        deal_all()
        if (money(house, table, ann)[1] > before[1]) is won:
            break
    after_play = money(house, table, ann)

    asked = ask(house, last(house, table))
    assert (asked.phase, money(house, table, ann)) == (Phase.SETTLED, after_play)
    approve(house, last(house, table))

    assert money(house, table, ann) == before
    house.agree(table)


def test_commission_in_the_rack_is_taken_out_of_it(house: House) -> None:
    table = house.table("big_table")
    ann, ben = house.company(table, 2)
    for _ in range(200):
        before = money(house, table, ann, ben)
        ann.deal({B: 2500})
        ben.pass_turn()
        deal_all()
        if house.rack(ann) > before[2]:
            break

    void_settled(house, last(house, table))

    assert money(house, table, ann, ben) == before
    assert house.state(table).seats[0].owed == before[2]
    house.agree(table)


def test_commission_that_was_collected_is_given_back_by_the_house(house: House) -> None:
    table = house.table("big_table")
    ann, ben = house.company(table, 2)
    while not house.rack(ann):
        ann.deal({B: 2500})
        ben.pass_turn()
        deal_all()
    voided, owed = last(house, table), house.rack(ann)
    ann.leave()
    assert house.holds(table, AccountKind.COMMISSION) == owed

    void_settled(house, voided)

    assert house.holds(table, AccountKind.COMMISSION) == 0
    house.agree(table)


def test_one_who_left_gets_a_lost_stake_back_on_the_account(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    voided = settled_with(ann, house, won=False)
    ann.leave()
    had = house.account(ann)

    void_settled(house, voided)

    assert (house.account(ann), house.game(ann)) == (had + 5000, 0)
    house.agree(table)


def test_spent_winnings_are_a_debt_that_blocks_play_until_it_is_paid(house: House) -> None:
    table = house.table("mini")
    ann = house.guest(table, house.player(real=5000))
    ann.sit(1, buy_in=5000)
    ann.deal({P: 5000})
    deal_all()
    while (settled := house.last(table).seats[0].settlement) is None or not settled.won:
        if house.game(ann) < 5000:
            house.credit(ann.player, 5000)
            ann.rebuy(5000)
        ann.deal({P: 5000})
        deal_all()
    voided = last(house, table)
    while house.game(ann):
        ann.deal({T: min(house.game(ann), 30_000)})
        deal_all()

    void_settled(house, voided)

    assert debt(house, ann) == 5000
    house.credit(ann.player, 20_000)
    with pytest.raises(DebtOutstanding):
        ann.rebuy(500)
    debts.collect_due()
    assert (debt(house, ann), house.account(ann)) == (0, 15_000)
    ann.rebuy(500)
    house.agree(table)


def test_an_operator_may_forgive_what_players_have_spent(house: House) -> None:
    voiding.set_policy(operator=house.operator, forgive=True, actor="staff:9")
    table = house.table("mini")
    ann = house.seated(table, buy_in=5000)
    voided = settled_with(ann, house, won=True) if ann.rebuy(95_000) else UUID(int=0)
    bank = house.holds(table, AccountKind.BANK)
    ann.leave()
    spender = house.guest(house.table("mini"), ann.player)
    spender.sit(1, buy_in=house.account(ann))

    after = void_settled(house, voided)

    assert after.voided is not None
    assert (after.voided.seats[0].forgiven, debt(house, ann)) == (5000, 0)
    assert house.holds(table, AccountKind.BANK) == bank
    voiding.set_policy(operator=house.operator, forgive=False, actor="staff:9")
    assert voiding.forgives_spent_winnings(operator=house.operator) is False
    house.agree(table)


def test_a_second_person_is_needed_and_may_decline(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    voided = settled_with(ann, house, won=True)
    had = money(house, table, ann)
    ask(house, voided)
    with pytest.raises(ChangeNeedsSecondPerson):
        approve(house, voided, by="staff:1")
    with pytest.raises(ChangeAlreadyRequested):
        ask(house, voided, by="staff:3")

    assert decline(house, voided).phase is Phase.SETTLED

    assert money(house, table, ann) == had
    void_settled(house, voided)
    with pytest.raises(RoundAlreadyVoided):
        ask(house, voided)
    house.agree(table)


def test_what_is_asked_is_checked_first(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.deal({P: 500})
    running = in_hand(house, table)

    with pytest.raises(UnknownVoidReason):
        ask(house, running, reason="boredom")
    for note in ("", "  ", "x" * 501, "a\0b"):
        with pytest.raises(VoidNoteInvalid):
            ask(house, running, note=note)
    with pytest.raises(UnknownRound):
        ask(House(), running)
    with pytest.raises(UnknownRound):
        ask(house, UUID(int=7))
    assert house.in_hand(table).phase is Phase.BETTING


def test_a_round_that_lapsed_is_not_voided(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.new_game()
    lapsed = in_hand(house, table)
    ann.pass_turn()
    deal_all()

    with pytest.raises(RoundNotVoidable):
        ask(house, lapsed)


def test_a_player_is_told_and_sees_no_other_purse(house: House) -> None:
    table = house.table("atlantic_city")
    ann, ben = house.company(table, 2)
    ann.deal({P: 500})
    ben.deal({B: 500})
    deal_all()
    voided = last(house, table)
    void_settled(house, voided)

    picture = as_document(tables.load_table(table=table, operator=house.operator, viewer=ann.player))["last_round"]
    events = as_document(rounds.round_events(round_=voided, operator=house.operator, viewer=ann.player))["items"]

    assert (picture["phase"], picture["void"]["reason"]) == ("voided", "malfunction")
    assert ["owed" in seat["void"] for seat in picture["seats"]] == [True, False]
    assert [seat["player"] for seat in events[-1]["data"]["seats"]] == [str(ann.player)]
    assert events[-1]["data"].keys().isdisjoint({"requested_by", "approved_by", "note"})
    assert [row[0] is not None for row in _void_times(voided)] == [True, True]


@pytest.mark.parametrize(("won", "kind"), [(True, "round_voided_debit"), (False, "round_voided_credit")])
def test_each_player_is_told_what_a_void_took_or_gave_back(house: House, won: bool, kind: str) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    voided = settled_with(ann, house, won=won)

    void_settled(house, voided)

    number = house.round(voided).require_opened().number
    details = {"amount": 5000, "owed": 0, "currency": "EUR", "money_type": "real", "round": number}
    assert _told(house, ann) == [(kind, voided, details)]


def test_players_of_a_round_in_play_are_told_that_their_stakes_came_back(house: House) -> None:
    table = house.table("atlantic_city")
    ann, ben = house.company(table, 2)
    ann.deal({P: 500, T: 500})

    ask(house, in_hand(house, table))

    told = [(kind, details["amount"], details["owed"]) for kind, _, details in _told(house, ann)]
    assert told == [("round_voided_credit", 1000, 0)]
    assert _told(house, ben) == []


def _told(house: House, at: At) -> list[tuple[str, UUID | None, dict[str, Any]]]:
    stored = notices.list_notices(operator=house.operator, player=at.player, unread=True, before=None, limit=9)
    return [(each.notice.kind.value, each.notice.subject, each.notice.details) for each in stored]


def _void_times(round_: UUID) -> list[tuple[Any, ...]]:
    return fetch("SELECT voided_at FROM baccarat_wager WHERE round_id = %s", [round_])
