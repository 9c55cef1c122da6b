"""Rules, summaries, hands and money of golden files tampered with."""

import copy

from tests.baccarat.proofs.forging import (
    OTHER,
    Document,
    event,
    event_data,
    forged,
    name_rules,
    reseal,
    resign,
    rewrite_rules,
)


def other_card(card: str) -> str:
    """Another card of the same points."""
    return card[0] + ("c" if card[1] != "c" else "d")


# the rules and the summary


@forged("mini", "rules")
def the_rules_pay_more(document: Document) -> None:
    document["rules"]["spots"][2]["lines"][0]["pays"] = {"numerator": 9, "denominator": 1}


@forged("mini", "rules")
def the_third_card_rule_is_another(document: Document) -> None:
    document["rules"]["third_cards"] = "chemin_de_fer"


@forged("mini", "rules")
def the_round_was_played_by_other_rules(document: Document) -> None:
    event_data(document, "RoundOpened")["rules"] = document["round"]["rules"] = OTHER
    reseal(document)


@forged("mini", "rules")
def the_rules_of_the_round_are_called_otherwise(document: Document) -> None:
    event_data(document, "RoundOpened")["rules_label"] = document["round"]["rules_label"] = "mini@9"
    reseal(document)


@forged("mini", "rules")
def the_rules_have_the_digest_of_others(document: Document) -> None:
    name_rules(document, OTHER)
    reseal(document)


@forged("mini", "rules")
def other_rules_have_the_same_label_and_digest(document: Document) -> None:
    digest = event_data(document, "RoundOpened")["rules"]
    rewrite_rules(document, seats=2)
    name_rules(document, digest)
    reseal(document)


@forged("rules-of-a-later-version", "rules")
def the_rules_from_before_are_shown(document: Document) -> None:
    document["rules"] = {**event_data(document, "TableOpened")["rules"]["values"], "third_cards": "punto_banco"}


@forged("rules-of-a-later-version", "rules")
def the_change_of_rules_is_left_out(document: Document) -> None:
    document["events"].remove(event(document, "RulesTookEffect"))


@forged("overview", "commission")
def the_rules_are_rewritten_in_the_log_as_well(document: Document) -> None:
    spots = copy.deepcopy(document["rules"]["spots"])
    spots[1]["commission"]["rate"]["numerator"] = 9
    rewrite_rules(document, spots=spots)
    reseal(document)
    resign(document)


@forged("mini", "record")
def the_summary_names_another_winner(document: Document) -> None:
    document["round"]["outcome"] = "tie" if document["round"]["outcome"] != "tie" else "banker"


@forged("mini", "record")
def the_summary_shows_another_card(document: Document) -> None:
    document["round"]["cards"][0] = other_card(document["round"]["cards"][0])


@forged("mini", "record")
def the_shoe_has_another_name(document: Document) -> None:
    document["shoe"]["id"] = document["round"]["id"]


@forged("mini", "record")
def the_round_never_ended(document: Document) -> None:
    document["events"].remove(event(document, "RoundSettled"))


# the play


@forged("mini", "hands")
def the_outcome_was_changed(document: Document) -> None:
    outcome = "tie" if document["round"]["outcome"] != "tie" else "banker"
    event_data(document, "RoundSettled")["outcome"] = document["round"]["outcome"] = outcome
    reseal(document)


@forged("mini", "hands")
def the_points_were_changed(document: Document) -> None:
    points = (document["round"]["player_total"] + 1) % 10
    event_data(document, "RoundSettled")["player_total"] = document["round"]["player_total"] = points
    reseal(document)


@forged("mini", "hands")
def a_natural_was_claimed(document: Document) -> None:
    natural = not document["round"]["natural"]
    event_data(document, "RoundSettled")["natural"] = document["round"]["natural"] = natural
    reseal(document)


@forged("mini", "hands")
def one_card_too_many_was_dealt(document: Document) -> None:
    cards = event_data(document, "CardsDealt")["cards"]
    cards.append("Kh")
    document["round"]["cards"] = cards
    reseal(document)


@forged("mini", "hands")
def the_last_card_was_dropped(document: Document) -> None:
    cards = event_data(document, "CardsDealt")["cards"]
    cards.pop()
    document["round"]["cards"] = cards
    reseal(document)


@forged("long-shoe-running", "hands")
def another_hand_was_turned_over(document: Document) -> None:
    turned = event_data(document, "HandTurned")
    turned["cards"].reverse() if turned["cards"][0] != turned["cards"][1] else turned["cards"].pop()
    reseal(document)


@forged("mini", "wagers")
def another_wager_was_settled(document: Document) -> None:
    event_data(document, "RoundSettled")["wagers"][0]["wager"] = document["round"]["id"]
    reseal(document)


@forged("voided-after-settlement", "void")
def another_wager_was_given_back(document: Document) -> None:
    event_data(document, "RoundVoided")["seats"][0]["wager"] = document["round"]["id"]
    reseal(document)


@forged("mini", "wagers")
def a_wager_was_left_out_of_the_settlement(document: Document) -> None:
    event_data(document, "RoundSettled")["wagers"].pop()
    reseal(document)


@forged("mini", "wagers")
def a_wager_of_nobody_was_settled(document: Document) -> None:
    wagers = event_data(document, "RoundSettled")["wagers"]
    wagers.append({**wagers[0], "seat": 2})
    reseal(document)


@forged("mini", "wagers")
def a_stake_is_over_the_maximum(document: Document) -> None:
    event_data(document, "WagerConfirmed")["stakes"]["banker"] = 1_000_000
    reseal(document)


@forged("mini", "wagers")
def the_stake_settled_is_not_the_one_confirmed(document: Document) -> None:
    event_data(document, "WagerConfirmed")["stakes"]["banker"] += 500
    reseal(document)


@forged("classic", "wagers")
def two_spots_were_bet_on_where_one_is_allowed(document: Document) -> None:
    event_data(document, "WagerConfirmed")["stakes"]["tie"] = 500
    reseal(document)


@forged("atlantic-city", "wagers")
def a_wager_was_raised_beyond_the_minimum(document: Document) -> None:
    wager = event_data(document, "WagerConfirmed")
    wager["stakes"]["banker"] += 100
    wager["raised"]["banker"] += 100
    reseal(document)


@forged("mini", "wagers")
def the_wager_is_of_another_player(document: Document) -> None:
    event_data(document, "WagerConfirmed")["player"] = document["round"]["id"]
    reseal(document)


@forged("mini", "payouts")
def a_payout_was_raised(document: Document) -> None:
    wager = event_data(document, "RoundSettled")["wagers"][0]
    wager["results"][0]["returned"] += 100
    wager["returned"] += 100
    reseal(document)


@forged("mini", "payouts")
def only_the_sum_of_a_payout_was_raised(document: Document) -> None:
    event_data(document, "RoundSettled")["wagers"][0]["returned"] += 1
    reseal(document)


@forged("mini", "payouts")
def a_lost_stake_was_called_a_push(document: Document) -> None:
    line = next(
        each for each in event_data(document, "RoundSettled")["wagers"][0]["results"] if each["result"] == "lose"
    )
    line.update(result="push", returned=line["stake"])
    reseal(document)


@forged("overview", "commission")
def the_commission_was_lowered(document: Document) -> None:
    wager = event_data(document, "RoundSettled")["wagers"][0]
    wager["results"][0]["commission"] -= 1
    wager["commission"] -= 1
    reseal(document)


@forged("long-shoe-ended", "commission")
def deferred_commission_was_taken_at_once(document: Document) -> None:
    for wager in event_data(document, "RoundSettled")["wagers"]:
        wager["deferred"] = False
    reseal(document)


@forged("voided-after-settlement", "void")
def a_void_kept_some_of_the_stake(document: Document) -> None:
    event_data(document, "RoundVoided")["seats"][0]["staked"] -= 100
    reseal(document)


@forged("voided-after-settlement", "void")
def a_void_gave_back_another_amount(document: Document) -> None:
    event_data(document, "RoundVoided")["seats"][0]["to_game"] += 100
    reseal(document)


@forged("voided-before-the-cards", "void")
def a_void_left_a_wager_out(document: Document) -> None:
    event_data(document, "RoundVoided")["seats"].pop()
    reseal(document)
