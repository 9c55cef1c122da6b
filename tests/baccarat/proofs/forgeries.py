"""Golden files tampered with, one way each, and the check that has to name what is wrong."""

from collections.abc import Callable
from typing import Final

from baccarat.domain.fairness.commitment import commit
from tests.baccarat.proofs.forging import Change, Document, Forgery, encode, event, event_data, reseal, resign

FORGERIES: Final[list[Forgery]] = []
OTHER: Final = "ab" * 32


def forged(base: str, fails: str) -> Callable[[Change], Change]:
    """Register a way to tamper with the golden file `base`, by which the check `fails` must fail."""

    def listed(change: Change) -> Change:
        FORGERIES.append(Forgery(change.__name__, base, fails, change))
        return change

    return listed


def other_card(card: str) -> str:
    """Another card of the same points."""
    return card[0] + ("c" if card[1] != "c" else "d")


# the file itself


@forged("mini", "file")
def the_format_is_another(document: Document) -> None:
    document["format"] = "casino.round.v2"


@forged("mini", "file")
def it_is_cut_off(document: Document) -> bytes:
    return encode(document)[:-200]


@forged("mini", "file")
def a_name_stands_twice(document: Document) -> bytes:
    return encode(document).replace(b'"outcome":', b'"outcome": "tie", "outcome":', 1)


@forged("mini", "file")
def a_number_is_no_integer(document: Document) -> bytes:
    return encode(document).replace(b'"number": 1', b'"number": 1.0', 1)


@forged("mini", "file")
def a_part_is_missing(document: Document) -> None:
    del document["keys"]


@forged("mini", "file")
def a_part_was_added(document: Document) -> None:
    document["note"] = "trust me"


@forged("mini", "file")
def it_holds_no_events(document: Document) -> None:
    document["events"] = []


# the log


@forged("mini", "digests")
def a_stake_is_changed(document: Document) -> None:
    event_data(document, "WagerConfirmed")["stakes"]["banker"] = 5000


@forged("mini", "digests")
def an_actor_is_changed(document: Document) -> None:
    event(document, "WagerConfirmed")["metadata"]["actor"] = "someone else"


@forged("mini", "digests")
def a_time_is_moved(document: Document) -> None:
    event(document, "WagerConfirmed")["recorded_at"] = "2026-01-01T00:00:00.000000Z"


@forged("mini", "digests")
def a_type_is_renamed(document: Document) -> None:
    event(document, "ChipsPlaced" if "ChipsPlaced" in kinds(document) else "BettingClosed")["type"] = "SeatPassed"


@forged("mini", "digests")
def a_position_is_moved(document: Document) -> None:
    event(document, "RoundSettled")["position"] += 1


@forged("mini", "digests")
def an_id_is_changed(document: Document) -> None:
    event(document, "RoundSettled")["id"] += 1


@forged("mini", "digests")
def the_cards_are_withheld(document: Document) -> None:
    event(document, "CardsDealt").update(data=None, metadata=None)


@forged("voided-as-its-player-sees-it", "digests")
def the_void_says_something_made_up(document: Document) -> None:
    event(document, "RoundVoided").update(data={"round": document["round"]["id"]}, metadata={})


@forged("mini", "chain")
def an_event_is_left_out(document: Document) -> None:
    document["events"].remove(event(document, "BettingClosed"))


@forged("mini", "chain")
def an_event_is_repeated(document: Document) -> None:
    document["events"].insert(-1, dict(event(document, "BettingClosed")))


@forged("mini", "chain")
def events_are_out_of_order(document: Document) -> None:
    document["events"].reverse()


@forged("mini", "chain")
def an_event_of_another_round_is_slipped_in(document: Document) -> None:
    last = dict(document["events"][-1])
    last.update(stream="round-" + document["round"]["table"], position=last["position"] + 1)
    document["events"].append(last)


@forged("mini", "chain")
def a_link_is_broken(document: Document) -> None:
    event(document, "RoundSettled")["previous"] = OTHER


@forged("mini", "inclusion")
def a_step_of_a_path_is_changed(document: Document) -> None:
    document["inclusion_proofs"][0]["path"][0] = OTHER


@forged("mini", "inclusion")
def a_path_is_shortened(document: Document) -> None:
    document["inclusion_proofs"][1]["path"].pop()


@forged("mini", "inclusion")
def a_path_is_left_out(document: Document) -> None:
    document["inclusion_proofs"].pop()


@forged("mini", "inclusion")
def a_path_of_no_event_was_added(document: Document) -> None:
    document["inclusion_proofs"].append({**document["inclusion_proofs"][0], "position": 1})


@forged("no-checkpoint-yet", "inclusion")
def a_path_leads_to_no_checkpoint(document: Document) -> None:
    document["inclusion_proofs"].append({"position": document["events"][0]["position"], "path": []})


@forged("mini", "file")
def a_path_is_written_in_capitals(document: Document) -> None:
    path = document["inclusion_proofs"][-1]["path"]
    path[0] = path[0].upper()


@forged("mini", "file")
def a_key_has_a_word_to_say(document: Document) -> None:
    document["keys"][0]["note"] = "trust me"


@forged("mini", "signature")
def a_key_that_ends_at_no_time(document: Document) -> None:
    document["keys"][0]["valid_until"] = ""


@forged("mini", "signature")
def a_key_begins_at_a_time_with_a_line_to_it(document: Document) -> None:
    document["keys"][0]["valid_from"] += "\n"


@forged("mini", "file")
def the_shoe_is_too_large_to_be_shuffled_anywhere(document: Document) -> None:
    document["rules"]["decks"] = document["shoe"]["decks"] = 10**12


@forged("mini", "file")
def the_time_of_the_export_is_no_time(document: Document) -> None:
    document["exported_at"] = "yesterday"


@forged("mini", "signature")
def the_signature_is_written_in_capitals(document: Document) -> None:
    document["checkpoint"]["signature"] = document["checkpoint"]["signature"].upper()


@forged("mini", "inclusion")
def everything_is_sealed_anew(document: Document) -> None:
    event(document, "WagerConfirmed")["metadata"]["actor"] = "someone else"
    reseal(document)


@forged("mini", "signature")
def the_signature_is_changed(document: Document) -> None:
    signature = document["checkpoint"]["signature"]
    document["checkpoint"]["signature"] = ("0" if signature[0] != "0" else "1") + signature[1:]


@forged("mini", "signature")
def the_checkpoint_is_moved(document: Document) -> None:
    document["checkpoint"]["made_at"] = "2026-12-24T00:00:00.000000Z"


@forged("mini", "signature")
def the_root_is_changed(document: Document) -> None:
    document["checkpoint"]["root"] = OTHER


@forged("mini", "signature")
def the_key_is_not_listed(document: Document) -> None:
    document["keys"] = []


@forged("mini", "signature")
def the_key_was_not_in_force(document: Document) -> None:
    for key in document["keys"]:
        key["valid_from"] = "2030-01-01T00:00:00Z"


@forged("mini", "key")
def all_of_it_is_sealed_and_signed_anew_by_another_key(document: Document) -> None:
    event(document, "WagerConfirmed")["metadata"]["actor"] = "someone else"
    reseal(document)
    resign(document)


# the rules and the summary


@forged("mini", "rules")
def the_rules_pay_more(document: Document) -> None:
    document["rules"]["tie_pays"] = {"numerator": 9, "denominator": 1}


@forged("mini", "rules")
def the_third_card_rule_is_another(document: Document) -> None:
    document["rules"]["third_cards"] = "chemin_de_fer"


@forged("mini", "rules")
def the_round_was_played_by_other_rules(document: Document) -> None:
    event_data(document, "RoundOpened")["rules"] = document["round"]["rules"] = "mini@9"
    reseal(document)


@forged("rules-of-a-later-version", "rules")
def the_rules_from_before_are_shown(document: Document) -> None:
    document["rules"] = {**event_data(document, "TableOpened")["rules"], "third_cards": "punto_banco"}


@forged("rules-of-a-later-version", "rules")
def the_change_of_rules_is_left_out(document: Document) -> None:
    document["events"].remove(event(document, "RulesTookEffect"))


@forged("overview", "commission")
def the_rules_are_rewritten_in_the_log_as_well(document: Document) -> None:
    for rules in (document["rules"], event_data(document, "TableOpened")["rules"]):
        rules["commission"]["rate"] = {"numerator": 9, "denominator": 100}
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


# the shoe


@forged("mini", "commitment")
def the_seed_is_another(document: Document) -> None:
    document["shoe"]["seed"] = OTHER


@forged("mini", "commitment")
def the_seed_is_left_out(document: Document) -> None:
    document["shoe"]["seed"] = None


@forged("mini", "commitment")
def the_seed_was_swapped_in_the_log(document: Document) -> None:
    event_data(document, "RoundSettled")["seed"] = document["shoe"]["seed"] = OTHER
    reseal(document)


@forged("mini", "commitment")
def the_commitment_in_the_summary_is_another(document: Document) -> None:
    document["shoe"]["commitment"] = OTHER


@forged("mini", "cards")
def seed_and_commitment_were_both_swapped(document: Document) -> None:
    event_data(document, "RoundSettled")["seed"] = document["shoe"]["seed"] = OTHER
    promise = commit(bytes.fromhex(OTHER))
    event_data(document, "RoundOpened")["commitment"] = document["shoe"]["commitment"] = promise
    before(document)["data"]["next_shoe"]["commitment"] = promise
    reseal(document)
    resign(document)


@forged("mini", "commitment")
def the_opening_before_is_left_out(document: Document) -> None:
    document["events"].remove(before(document))


@forged("mini", "commitment")
def the_opening_before_named_another_shoe(document: Document) -> None:
    before(document)["data"]["next_shoe"]["shoe"] = document["round"]["id"]
    reseal(document)
    resign(document)


@forged("mini", "commitment")
def the_opening_before_named_no_shoe(document: Document) -> None:
    before(document)["data"]["next_shoe"] = None
    reseal(document)


@forged("mini", "commitment")
def another_commitment_was_named_before(document: Document) -> None:
    before(document)["data"]["next_shoe"]["commitment"] = OTHER
    reseal(document)


@forged("classic", "commitment")
def the_table_had_named_another_shoe_for_its_first_round(document: Document) -> None:
    event_data(document, "TableOpened")["next_shoe"]["shoe"] = document["round"]["id"]
    reseal(document)


@forged("mini", "commitment")
def the_named_shoe_was_made_of_fewer_decks(document: Document) -> None:
    before(document)["data"]["next_shoe"]["shape"]["decks"] = 6
    reseal(document)


@forged("mini", "commitment")
def the_shoe_was_named_by_a_round_of_another_number(document: Document) -> None:
    before(document)["data"]["number"] += 7
    reseal(document)


@forged("mini", "commitment")
def the_shoe_was_named_when_the_round_had_opened(document: Document) -> None:
    before(document)["position"] = event(document, "WagerConfirmed")["position"] + 100
    reseal(document)
    resign(document)


@forged("mini", "chain")
def the_shoe_was_named_at_another_table(document: Document) -> None:
    before(document)["data"]["table"] = document["round"]["id"]
    reseal(document)


@forged("mini", "chain")
def two_rounds_have_named_shoes_before(document: Document) -> None:
    more = {**before(document), "stream": "round-" + document["round"]["table"], "position": 1}
    more["data"] = {**more["data"], "round": document["round"]["table"]}
    document["events"].insert(0, more)


@forged("mini", "commitment")
def the_opening_of_the_table_is_left_out(document: Document) -> None:
    document["events"].remove(event(document, "TableOpened"))


@forged("mini", "commitment")
def a_later_round_claims_to_have_named_the_shoe(document: Document) -> None:
    document["events"].remove(before(document))
    opened = event(document, "RoundOpened")
    shape = {"decks": 8, "cut_cards_from_end": None, "burn": False}
    data = {**opened["data"], "round": document["round"]["table"], "number": opened["data"]["number"] + 1}
    data["next_shoe"] = {"shoe": document["shoe"]["id"], "commitment": document["shoe"]["commitment"], "shape": shape}
    position = document["events"][-1]["position"] + 10
    stream = "round-" + document["round"]["table"]
    document["events"].append({**opened, "stream": stream, "position": position, "data": data})
    reseal(document)
    resign(document)


@forged("mini", "cut")
def the_cut_in_the_summary_is_another(document: Document) -> None:
    document["shoe"]["cut"] = OTHER


@forged("mini", "cards")
def a_card_was_swapped_for_one_of_equal_points(document: Document) -> None:
    cards = event_data(document, "CardsDealt")["cards"]
    cards[0] = document["round"]["cards"][0] = other_card(cards[0])
    reseal(document)


@forged("mini", "cards")
def two_cards_changed_places(document: Document) -> None:
    cards = event_data(document, "CardsDealt")["cards"]
    at = next(place for place in range(1, len(cards)) if cards[place] != cards[0])
    cards[0], cards[at] = cards[at], cards[0]
    document["round"]["cards"] = cards
    reseal(document)


@forged("long-shoe-ended", "cards")
def the_cards_were_taken_from_another_place(document: Document) -> None:
    event_data(document, "CardsDealt")["shoe_position"] += 1
    document["round"]["shoe_position"] += 1
    document["shoe"]["shoe_position"] += 1
    reseal(document)


@forged("long-shoe-ended", "cards")
def fewer_cards_were_burned(document: Document) -> None:
    event_data(document, "ShoeStarted")["burned_count"] -= 1
    reseal(document)


@forged("long-shoe-ended", "cards")
def the_shoe_was_never_started(document: Document) -> None:
    document["events"].remove(event(document, "ShoeStarted"))


@forged("long-shoe-ended", "commitment")
def the_long_shoes_seed_is_another(document: Document) -> None:
    event_data(document, "ShoeEnded")["seed"] = document["shoe"]["seed"] = OTHER
    reseal(document)


@forged("mini", "cut")
def a_contribution_was_changed(document: Document) -> None:
    event_data(document, "CutContributed")["contribution"] = "ff" * 8
    reseal(document)


@forged("atlantic-city", "cut")
def a_contribution_was_left_out(document: Document) -> None:
    closed = event_data(document, "BettingClosed")
    closed["contributions"].pop()
    document["shoe"]["contributions"] = closed["contributions"]
    reseal(document)


@forged("mini", "cut")
def the_house_chose_the_cut(document: Document) -> None:
    event_data(document, "BettingClosed")["cut"] = document["shoe"]["cut"] = OTHER
    reseal(document)


@forged("long-shoe-ended", "cut")
def a_contribution_to_the_long_shoe_was_changed(document: Document) -> None:
    event_data(document, "ShoeCutContributed")["contribution"] = "ff"
    reseal(document)


@forged("long-shoe-ended", "commitment")
def the_shoe_started_by_another_commitment(document: Document) -> None:
    event_data(document, "ShoeStarted")["commitment"] = OTHER
    reseal(document)


@forged("long-shoe-ended", "commitment")
def the_shoe_was_committed_to_for_fewer_decks(document: Document) -> None:
    event_data(document, "ShoeCommitted")["shape"]["decks"] = 6
    reseal(document)


@forged("long-shoe-ended", "cards")
def the_root_of_the_played_shoe_is_another(document: Document) -> None:
    event_data(document, "ShoeStarted")["root"] = document["shoe"]["root"] = OTHER
    reseal(document)


@forged("long-shoe-running", "cards")
def a_card_was_opened_as_another(document: Document) -> None:
    opening = document["shoe"]["openings"][1]
    opening["card"] = other_card(opening["card"])


@forged("long-shoe-running", "cards")
def a_card_dealt_and_its_opening_were_changed(document: Document) -> None:
    opening, cards = document["shoe"]["openings"][1], event_data(document, "CardsDealt")["cards"]
    cards[0] = document["round"]["cards"][0] = opening["card"] = other_card(cards[0])
    reseal(document)


@forged("long-shoe-running", "cards")
def the_salt_of_an_opening_is_another(document: Document) -> None:
    document["shoe"]["openings"][1]["salt"] = OTHER


@forged("long-shoe-running", "cards")
def the_path_of_an_opening_is_another(document: Document) -> None:
    document["shoe"]["openings"][0]["path"][3] = OTHER


@forged("long-shoe-running", "cards")
def a_card_is_not_opened(document: Document) -> None:
    document["shoe"]["openings"].pop()


@forged("long-shoe-running", "cards")
def a_card_to_come_is_opened_as_it_pleases(document: Document) -> None:
    document["shoe"]["openings"].append({**document["shoe"]["openings"][-1], "shoe_position": 300, "card": "Ah"})


@forged("long-shoe-running", "file")
def a_salt_has_a_space_to_it(document: Document) -> None:
    document["shoe"]["openings"][0]["salt"] += " "


@forged("long-shoe-running", "file")
def the_shoe_says_nothing_of_its_cut(document: Document) -> None:
    del document["shoe"]["cut"]


@forged("long-shoe-running", "commitment")
def the_long_shoe_was_never_committed_to(document: Document) -> None:
    document["events"].remove(event(document, "ShoeCommitted"))


@forged("voided-before-the-cards", "cut")
def a_cut_was_never_fixed(document: Document) -> None:
    document["shoe"]["cut"] = "ab" * 32


@forged("voided-before-the-cards", "cards")
def a_root_was_never_told(document: Document) -> None:
    document["shoe"]["root"] = "ab" * 32


@forged("long-shoe-running", "cards")
def the_root_in_the_summary_is_another(document: Document) -> None:
    document["shoe"]["root"] = OTHER


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


def before(document: Document) -> Document:
    """Return the opening of the previous round, which committed to this round's shoe."""
    own = {f"round-{document['round']['id']}", f"table-{document['round']['table']}"}
    return next(each for each in document["events"] if each["stream"] not in own)


def kinds(document: Document) -> set[str]:
    return {each["type"] for each in document["events"]}
