"""A shoe at the big table from its first card to its end, with commission in the racks."""

from collections.abc import Callable
from fractions import Fraction
from uuid import UUID

from baccarat.domain.fairness.commitment import Drawing
from baccarat.domain.rules.deal import Outcome, replay
from baccarat.domain.tables import events as te
from baccarat.services import rng_monitoring
from tests.support.drawings import cards_of, cards_of_round, cut_from, is_opened
from tests.support.examples import B, P, T
from tests.support.house import BUY_IN, At, House, deal_all
from wallet.ledger.accounts import AccountKind


def play_until(house: House, company: list[At], table: UUID, over: Callable[[], bool]) -> None:
    """Round after round, in which each seat does something else, until it is over."""
    for number in range(200):
        for at, player in enumerate(company):
            if (number + at) % 7 == 6:
                player.pass_turn()
            else:
                player.deal({B: 2500 * (1 + at), T: 2500} if at % 2 else {B: 10_000 * (1 + at), P: 2500})
        assert deal_all() == 1
        if over():
            return
    raise AssertionError("The shoe never ended.")


def exact_commission(house: House, table: UUID, players: list[At]) -> dict[UUID, Fraction]:
    """Five percent of what each player's Banker stakes won, worked out apart from the rules engine."""
    owed = {at.player: Fraction(0) for at in players}
    for _, _, event in house.events(table):
        if type(event).__name__ == "RoundSettled" and event.outcome is Outcome.BANKER:
            for wager in event.wagers:
                owed[wager.player] += Fraction(
                    sum(result.stake for result in wager.results if result.spot == B) * 5, 100
                )
    return owed


def test_a_shoe_is_played_to_its_end_and_every_rack_collected(house: House) -> None:
    table = house.table("big_table")
    company = house.company(table, 4)
    early = company[3]

    play_until(house, company, table, lambda: house.rack(early) > 0)
    rack, game = house.rack(early), house.game(early)
    assert exact_commission(house, table, company)[early.player] == rack
    assert house.state(table).seats[3].owed == rack
    early.leave()
    assert house.rack(early) == 0
    assert house.holds(table, AccountKind.COMMISSION) == rack

    left = house.holds(table, AccountKind.COMMISSION)
    play_until(house, company[:3], table, lambda: house.state(table).shoes == 2)

    owed = exact_commission(house, table, company)
    (ended,) = [event for _, _, event in house.events(table) if isinstance(event, te.ShoeEnded)]
    collected = {each.player: each.amount for each in ended.collected}
    assert collected == {player: amount for player, amount in owed.items() if amount and player != early.player}
    assert house.holds(table, AccountKind.COMMISSION) == left + sum(collected.values())
    assert [house.rack(at) for at in company] == [0, 0, 0, 0]
    assert [seat.owed for seat in house.state(table).seats] == [0, 0, 0]

    staked, returned, commission = house.handle(table)
    assert commission == house.holds(table, AccountKind.COMMISSION)
    assert house.holds(table, AccountKind.BANK) + commission == staked - returned
    at_the_table = sum(house.game(at) for at in company[:3])
    assert at_the_table + game == 4 * BUY_IN - staked + returned
    _cards_come_from_the_seed(house, table, ended)
    house.agree(table)


def _cards_come_from_the_seed(house: House, table: UUID, ended: te.ShoeEnded) -> None:
    events = [event for _, _, event in house.events(table)]
    started = next(event for event in events if isinstance(event, te.ShoeStarted))
    seed = bytes.fromhex(ended.seed)
    cards = cards_of(seed, cut_from(started.commitment))
    assert Drawing(table, started.shoe, started.number).opens(started.commitment, seed)
    assert started.turned_card == cards[0]
    place, out = 1 + started.burned_count, [cards[0]]
    hands, number = [], 0
    for dealt in events[events.index(started) : events.index(ended)]:
        number = dealt.number if type(dealt).__name__ == "RoundOpened" else number
        if type(dealt).__name__ != "CardsDealt":
            continue
        hands.append(dealt)
        assert dealt.shoe_position == place
        assert dealt.cards == cards_of_round(seed, number, cut=started.cut, out=out, count=len(dealt.cards))
        replay(dealt.cards)
        place, out = place + len(dealt.cards), [*out, *dealt.cards]
    assert ended.cards_dealt == place
    (sampled,) = [shoe for shoe in rng_monitoring.load_history().sample.shoes if shoe[: len(out)] == tuple(out)]
    assert sorted(sampled) == sorted(cards)
    came_out = [dealt.shoe_position + len(dealt.cards) > 416 - 14 for dealt in hands]
    assert came_out == [False] * (len(hands) - 2) + [True, True]


def test_a_table_that_shuffles_each_round_reveals_each_seed_with_its_round(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.place(P, 500)
    ann.deal()
    deal_all()

    round_ = house.last(table)

    assert round_.seed is not None
    opened = round_.require_opened()
    assert is_opened(opened, round_.seed)
    cut = cut_from(opened.commitment)
    assert cards_of(bytes.fromhex(round_.seed), cut, first=len(round_.cards)) == round_.cards
