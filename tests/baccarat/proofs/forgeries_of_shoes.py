"""Commitments, cuts, shoes and cards of golden files tampered with."""

from uuid import UUID

from baccarat.domain.fairness.commitment import Drawing
from baccarat.domain.fairness.terms import digest_cards
from tests.baccarat.proofs.forgeries_of_terms import open_on, own_terms, sign_again, with_cards
from tests.baccarat.proofs.forging import OTHER, Document, event, event_data, forged, reseal, resign


def other_card(card: str) -> str:
    """Another card of the same points."""
    return card[0] + ("c" if card[1] != "c" else "d")


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
    drawing = Drawing(UUID(document["round"]["table"]), UUID(document["shoe"]["id"]), document["round"]["number"])
    promise = drawing.commit(bytes.fromhex(OTHER))
    event_data(document, "RoundOpened")["commitment"] = document["shoe"]["commitment"] = promise
    with_cards(document, 1)["data"]["next_terms"]["commitment"] = promise
    reseal(document)
    resign(document)


@forged("mini", "commitment")
def the_cards_before_named_another_shoe(document: Document) -> None:
    with_cards(document, 1)["data"]["next_terms"]["shoe"] = document["round"]["id"]
    reseal(document)
    resign(document)


@forged("mini", "commitment")
def the_cards_before_named_no_shoe(document: Document) -> None:
    with_cards(document, 1)["data"]["next_terms"] = None
    reseal(document)


@forged("classic", "commitment")
def the_table_had_named_another_shoe_for_its_first_round(document: Document) -> None:
    event_data(document, "TableOpened")["next_shoe"]["shoe"] = document["round"]["id"]
    reseal(document)


@forged("mini", "commitment")
def the_shoe_was_named_by_a_round_of_another_number(document: Document) -> None:
    with_cards(document, 1)["data"]["next_terms"]["number"] += 7
    reseal(document)


@forged("mini", "commitment")
def the_shoe_was_named_when_the_round_had_opened(document: Document) -> None:
    with_cards(document, 1)["position"] = event(document, "WagerConfirmed")["position"] + 100
    reseal(document)
    resign(document)


@forged("mini", "commitment")
def the_opening_of_the_table_is_left_out(document: Document) -> None:
    document["events"].remove(event(document, "TableOpened"))


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


@forged("fixed-order-ended", "cards")
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
    event_data(document, "ShoeCutContributed")["contribution"] = "ff" * 8
    reseal(document)


@forged("atlantic-city", "cut")
def a_contribution_was_left_out(document: Document) -> None:
    document["shoe"]["contributions"].pop()
    event_data(document, "RoundOpened")["contributions"].pop()
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


@forged("fixed-order-ended", "cards")
def the_root_of_the_played_shoe_is_another(document: Document) -> None:
    event_data(document, "ShoeStarted")["root"] = document["shoe"]["root"] = OTHER
    reseal(document)


@forged("fixed-order-running", "cards")
def a_card_was_opened_as_another(document: Document) -> None:
    opening = document["shoe"]["openings"][1]
    opening["card"] = other_card(opening["card"])


@forged("fixed-order-running", "cards")
def a_card_dealt_and_its_opening_were_changed(document: Document) -> None:
    opening, cards = document["shoe"]["openings"][1], event_data(document, "CardsDealt")["cards"]
    cards[0] = document["round"]["cards"][0] = opening["card"] = other_card(cards[0])
    reseal(document)


@forged("fixed-order-running", "cards")
def the_salt_of_an_opening_is_another(document: Document) -> None:
    document["shoe"]["openings"][1]["salt"] = OTHER


@forged("fixed-order-running", "cards")
def the_path_of_an_opening_is_another(document: Document) -> None:
    document["shoe"]["openings"][0]["path"][3] = OTHER


@forged("fixed-order-running", "cards")
def a_card_is_not_opened(document: Document) -> None:
    document["shoe"]["openings"].pop()


@forged("fixed-order-running", "cards")
def a_card_to_come_is_opened_as_it_pleases(document: Document) -> None:
    document["shoe"]["openings"].append({**document["shoe"]["openings"][-1], "shoe_position": 300, "card": "Ah"})


@forged("fixed-order-running", "file")
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


@forged("fixed-order-running", "cards")
def the_root_in_the_summary_is_another(document: Document) -> None:
    document["shoe"]["root"] = OTHER


# rounds that draw their cards from what is left


@forged("long-shoe-running", "commitment")
def the_seed_of_the_round_is_another(document: Document) -> None:
    event_data(document, "RoundSettled")["seed"] = document["shoe"]["round_seed"] = OTHER
    sign_again(document)


@forged("long-shoe-ended", "commitment")
def the_seed_of_the_round_does_not_follow_from_the_shoes(document: Document) -> None:
    opened = event_data(document, "RoundOpened")
    committed = Drawing(UUID(opened["table"]), UUID(opened["shoe"]), opened["number"]).commit(bytes.fromhex(OTHER))
    event_data(document, "RoundSettled")["seed"] = document["shoe"]["round_seed"] = OTHER
    open_on(document, commitment=committed)
    own_terms(document)["data"]["place"]["commitment"] = committed
    sign_again(document)


@forged("long-shoe-running", "commitment")
def the_seed_of_the_round_is_left_out(document: Document) -> None:
    event_data(document, "RoundSettled")["seed"] = None
    sign_again(document)


@forged("long-shoe-running", "commitment")
def the_rounds_seed_is_told_as_the_shoes(document: Document) -> None:
    document["shoe"]["seed"] = document["shoe"]["round_seed"]


@forged("long-shoe-running", "terms")
def the_round_is_committed_to_by_another_seed(document: Document) -> None:
    own_terms(document)["data"]["place"]["commitment"] = OTHER
    sign_again(document)


@forged("fixed-order-running", "terms")
def the_terms_in_a_fixed_order_commit_to_another_shoe(document: Document) -> None:
    open_on(document, commitment=OTHER)
    own_terms(document)["data"]["place"]["commitment"] = OTHER
    sign_again(document)


@forged("long-shoe-running", "terms")
def a_card_that_was_out_is_left_out(document: Document) -> None:
    document["shoe"]["dealt"].pop()


@forged("long-shoe-running", "cards")
def other_cards_were_out_by_terms_that_say_so(document: Document) -> None:
    dealt = document["shoe"]["dealt"]
    dealt[1:] = [other_card(dealt[1])] * (len(dealt) - 1)
    digest = digest_cards(dealt)
    open_on(document, cards=digest)
    own_terms(document)["data"]["place"]["cards"] = digest
    sign_again(document)


@forged("long-shoe-running", "cards")
def more_cards_were_out_than_the_shoe_has(document: Document) -> None:
    dealt = document["shoe"]["dealt"]
    dealt[1:] = ["Ah"] * 9
    digest = digest_cards(dealt)
    open_on(document, cards=digest)
    own_terms(document)["data"]["place"]["cards"] = digest
    sign_again(document)


@forged("long-shoe-running", "cards")
def a_card_was_dealt_that_the_round_did_not_draw(document: Document) -> None:
    cards = event_data(document, "CardsDealt")["cards"]
    cards[0] = document["round"]["cards"][0] = other_card(cards[0])
    sign_again(document)


@forged("long-shoe-ended", "cards")
def another_card_was_turned_over(document: Document) -> None:
    turned = other_card(document["shoe"]["dealt"][0])
    event_data(document, "ShoeStarted")["turned_card"] = document["shoe"]["dealt"][0] = turned
    sign_again(document)


@forged("long-shoe-running", "cards")
def a_card_of_no_order_is_opened(document: Document) -> None:
    place = document["shoe"]["shoe_position"]
    opening = {"shoe_position": place, "card": document["round"]["cards"][0], "salt": OTHER, "path": [OTHER]}
    document["shoe"]["openings"] = [opening]


@forged("long-shoe-running", "cards")
def a_shoe_of_no_order_has_a_root(document: Document) -> None:
    event_data(document, "ShoeStarted")["root"] = document["shoe"]["root"] = OTHER
    sign_again(document)


@forged("mini", "record")
def a_round_with_a_shoe_of_its_own_has_cards_out(document: Document) -> None:
    document["shoe"]["dealt"] = ["Ah"]


@forged("fixed-order-running", "rules")
def the_fixed_order_is_denied(document: Document) -> None:
    document["rules"]["fixed_order"] = False
