"""Golden files of rounds whose cards were chosen, changed to hide or to misuse that."""

from tests.baccarat.proofs.forgeries_of_order import move, renumber
from tests.baccarat.proofs.forgeries_of_terms import sign_again
from tests.baccarat.proofs.forging import Document, event, event_data, forged

OTHER_CARDS = ["9s", "2d", "Kh", "5c"]


@forged("forced/settled", "cards")
def other_cards_were_chosen_than_dealt(document: Document) -> None:
    event_data(document, "CardsForced")["cards"] = OTHER_CARDS
    sign_again(document)


@forged("forced/settled", "cards")
def the_choice_of_the_cards_is_left_out(document: Document) -> None:
    renumber(document, [each for each in document["events"] if each["type"] != "CardsForced"])


@forged("forced/shoe-ended", "cards")
def the_choice_of_a_long_shoes_cards_is_left_out(document: Document) -> None:
    renumber(document, [each for each in document["events"] if each["type"] != "CardsForced"])


@forged("forced/shoe-running", "cards")
def a_card_of_the_shoe_is_opened_beside_chosen_ones(document: Document) -> None:
    place = document["shoe"]["shoe_position"]
    document["shoe"]["openings"] = [{"shoe_position": place, "card": "9s", "salt": "ab" * 32, "path": ["cd" * 32]}]


@forged("forced/settled", "chain")
def cards_were_chosen_after_a_wager(document: Document) -> None:
    move(document, "WagerConfirmed", before="CardsForced")


@forged("forced/settled", "chain")
def cards_were_chosen_twice(document: Document) -> None:
    chosen = event(document, "CardsForced")
    at = document["events"].index(chosen)
    renumber(document, [*document["events"][:at], chosen, dict(chosen), *document["events"][at + 1 :]])
