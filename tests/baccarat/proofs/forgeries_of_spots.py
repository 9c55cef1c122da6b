"""Golden files whose spots, pay lines, and stakes on them were tampered with, signed again by whoever did it."""

import copy
from collections.abc import Callable
from typing import Any

from tests.baccarat.proofs.forgeries_of_terms import pin_again, sign_again
from tests.baccarat.proofs.forging import Document, event_data, forged, rewrite_rules

Spots = list[dict[str, Any]]


def rewrite_spots(document: Document, change: Callable[[Spots], object]) -> None:
    """Change the spots in the file and in the log."""
    spots = copy.deepcopy(document["rules"]["spots"])
    change(spots)
    rewrite_rules(document, spots=spots)
    sign_again(document)


def pay(document: Document, spot: str, **line: Any) -> None:
    """Settle a stake of the first wager otherwise, with the sums that follow."""
    wager = event_data(document, "RoundSettled")["wagers"][0]
    next(each for each in wager["results"] if each["spot"] == spot).update(line)
    for name in ("won", "commission", "returned"):
        wager[name] = sum(each[name] for each in wager["results"])
    sign_again(document)


def stake_only(document: Document, spot: str, *, named: str) -> None:
    """Have the first wager on one of its spots alone, under this name."""
    wager, settled = event_data(document, "WagerConfirmed"), event_data(document, "RoundSettled")["wagers"][0]
    wager["stakes"] = {named: wager["stakes"][spot]}
    settled["results"] = [{**each, "spot": named} for each in settled["results"] if each["spot"] == spot]
    settled["staked"] = wager["stakes"][named]
    for name in ("won", "commission", "returned"):
        settled[name] = settled["results"][0][name]
    pin_again(document)


# settlement


@forged("lucky-nine", "payouts")
def a_side_bet_that_won_was_settled_as_lost(document: Document) -> None:
    pay(document, "lucky_nine", result="lose", won=0, returned=0)


@forged("lucky-nine", "payouts")
def a_side_bet_was_paid_by_the_line_of_another_spot(document: Document) -> None:
    pay(document, "lucky_nine", won=500, returned=1000)


@forged("overview", "payouts")
def a_win_was_settled_by_the_line_of_a_tie(document: Document) -> None:
    pay(document, "banker", result="push", won=0, commission=0, returned=1100)


@forged("lucky-nine", "commission")
def a_spot_without_commission_was_charged(document: Document) -> None:
    pay(document, "player", commission=125, returned=4875)


@forged("lucky-nine", "wagers")
def results_are_in_another_order_than_the_spots(document: Document) -> None:
    event_data(document, "RoundSettled")["wagers"][0]["results"].reverse()
    sign_again(document)


# stakes


@forged("lucky-nine", "wagers")
def a_stake_lacks_the_one_that_its_spot_needs(document: Document) -> None:
    stake_only(document, "lucky_nine", named="lucky_nine")


@forged("lucky-nine", "wagers")
def a_stake_is_on_a_spot_that_the_rules_do_not_have(document: Document) -> None:
    stake_only(document, "player", named="dragon")


@forged("lucky-nine", "wagers")
def a_side_bet_was_raised_to_the_minimum(document: Document) -> None:
    rewrite_rules(document, under_minimum="raise")
    event_data(document, "WagerConfirmed")["raised"] = {"lucky_nine": 100}
    pin_again(document)


@forged("lucky-nine", "wagers")
def a_stake_is_over_the_maximum_of_its_spot(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[3].update(maximum=400))


@forged("lucky-nine", "wagers")
def a_stake_is_under_the_minimum_of_its_spot(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[3].update(minimum=600))


# the rules


@forged("lucky-nine", "payouts")
def a_line_pays_more_in_the_rules(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[3]["lines"][0]["pays"].update(numerator=30))


@forged("lucky-nine", "payouts")
def a_line_asks_for_another_value(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[3]["lines"][0]["when"][0].update(values=[2]))


@forged("lucky-nine", "payouts")
def a_line_before_decides(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[3]["lines"].insert(0, {"when": [], "pays": None}))


@forged("mini", "rules")
def the_lines_of_a_spot_are_shown_in_another_order(document: Document) -> None:
    document["rules"]["spots"][1]["lines"].reverse()


@forged("mini", "terms")
def the_lines_of_a_spot_changed_places(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[1]["lines"].reverse())


@forged("lucky-nine", "wagers")
def the_spots_changed_places(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots.reverse())


@forged("mini", "terms")
def a_spot_was_added(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots.append({**spots[2], "name": "draw"}))


@forged("lucky-nine", "rules")
def a_spot_is_not_shown(document: Document) -> None:
    document["rules"]["spots"].pop()


@forged("lucky-nine", "wagers")
def a_spot_was_removed(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots.pop())


@forged("lucky-nine", "wagers")
def a_spot_was_renamed(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[3].update(name="lucky_ten"))


@forged("long-shoe-ended", "terms")
def no_hand_is_played_after_the_cut_card(document: Document) -> None:
    rewrite_rules(document, hands_after_cut=0)
    sign_again(document)


# rules that are none


@forged("long-shoe-ended", "file")
def two_hands_are_played_after_the_cut_card(document: Document) -> None:
    rewrite_rules(document, hands_after_cut=2)
    sign_again(document)


@forged("mini", "file")
def there_is_no_spot(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots.clear())


@forged("mini", "file")
def two_spots_have_one_name(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots.append(spots[2]))


@forged("mini", "file")
def a_spot_is_named_in_capitals(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[2].update(name="Tie"))


@forged("mini", "file")
def a_spot_is_of_an_unknown_kind(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[2].update(kind="extra"))


@forged("mini", "file")
def a_spot_has_no_line(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[2].update(lines=[]))


@forged("mini", "file")
def a_line_pays_nothing(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[2]["lines"][0]["pays"].update(numerator=0))


@forged("mini", "file")
def a_line_has_a_member_that_nobody_knows(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[2]["lines"][0].update(unless=[]))


@forged("mini", "file")
def a_line_asks_for_an_unknown_fact(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[2]["lines"][0]["when"][0].update(fact="loser"))


@forged("mini", "file")
def a_line_asks_for_an_unknown_value(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[2]["lines"][0]["when"][0]["values"].append("dealer"))


@forged("mini", "file")
def a_line_asks_for_no_value(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[2]["lines"][0]["when"][0]["values"].clear())


@forged("mini", "file")
def a_line_asks_twice_for_a_value(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[2]["lines"][0]["when"][0]["values"].append("tie"))


@forged("mini", "file")
def a_line_asks_twice_for_a_fact(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[2]["lines"][0]["when"].append(spots[0]["lines"][1]["when"][0]))


@forged("mini", "file")
def a_number_is_asked_for_as_a_truth(document: Document) -> None:
    condition = {"fact": "pairs", "values": [True]}
    rewrite_spots(document, lambda spots: spots[2]["lines"][0]["when"].append(condition))


@forged("mini", "file")
def a_truth_is_asked_for_as_a_number(document: Document) -> None:
    condition = {"fact": "natural", "values": [0]}
    rewrite_spots(document, lambda spots: spots[2]["lines"][0]["when"].append(condition))


@forged("lucky-nine", "file")
def a_spot_needs_itself(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[3].update(needs=["lucky_nine"]))


@forged("lucky-nine", "file")
def a_spot_needs_one_that_there_is_not(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[3].update(needs=["dragon"]))


@forged("mini", "file")
def a_spot_has_no_maximum_but_zero(document: Document) -> None:
    rewrite_spots(document, lambda spots: spots[2].update(maximum=0))


@forged("long-shoe-ended", "file")
def commission_is_taken_at_two_times(document: Document) -> None:
    at_once = {"rate": {"numerator": 1, "denominator": 100}, "rounding": None, "timing": "settlement"}
    rewrite_spots(document, lambda spots: spots[0].update(commission=at_once))
