"""Golden files of rounds with a witness, tampered with by a house that signs its log again, but no statement."""

from baccarat.domain.fairness.shuffle import Link, shuffle
from tests.baccarat.proofs.forgeries_of_terms import sign_again
from tests.baccarat.proofs.forging import Document, event, event_data, forged

SETTLED, VOIDED = "witnesses/settled", "witnesses/voided"
OTHER = "0f" * 32


def release(document: Document) -> Document:
    """Return what the witness gave out."""
    given: Document = event_data(document, "LinksReleased")["releases"][0]
    return given


@forged(SETTLED, "witnesses")
def the_house_invents_a_link_and_deals_by_it(document: Document) -> None:
    opened, shoe = event_data(document, "RoundOpened"), document["shoe"]
    release(document)["link"] = OTHER
    (place,) = opened["witnesses"]
    order = shuffle(
        bytes.fromhex(shoe["seed"]),
        cut=bytes.fromhex(shoe["cut"]),
        decks=shoe["decks"],
        links=[Link(place["chain"], place["index"], OTHER)],
    )
    dealt = event_data(document, "CardsDealt")
    dealt["cards"] = document["round"]["cards"] = list(order[: len(dealt["cards"])])
    sign_again(document)


@forged(SETTLED, "cards")
def the_cards_are_not_those_of_the_link(document: Document) -> None:
    dealt = event_data(document, "CardsDealt")
    dealt["cards"] = document["round"]["cards"] = ["Ac", "Ad", "8h", "8s"]
    sign_again(document)


@forged(SETTLED, "terms")
def the_round_uses_another_index(document: Document) -> None:
    event_data(document, "RoundOpened")["witnesses"][0]["index"] += 1
    sign_again(document)


@forged(SETTLED, "terms")
def the_round_names_no_witness(document: Document) -> None:
    event_data(document, "RoundOpened")["witnesses"] = []
    sign_again(document)


@forged(SETTLED, "witnesses")
def the_links_are_left_out(document: Document) -> None:
    event_data(document, "LinksReleased")["releases"] = []
    sign_again(document)


@forged(SETTLED, "witnesses")
def the_statement_was_for_another_closing(document: Document) -> None:
    event_data(document, "BettingClosed")["closing"]["digest"] = OTHER
    sign_again(document)


@forged(SETTLED, "witnesses")
def the_statement_is_dated_otherwise(document: Document) -> None:
    release(document)["time_ms"] -= 60_000
    sign_again(document)


@forged(SETTLED, "witnesses")
def the_statement_follows_another(document: Document) -> None:
    release(document)["previous"] = OTHER
    sign_again(document)


@forged(SETTLED, "witnesses")
def the_path_of_the_link_is_another(document: Document) -> None:
    release(document)["path"] = OTHER + release(document)["path"][64:]
    sign_again(document)


@forged(SETTLED, "witnesses")
def the_path_of_the_link_is_cut_off(document: Document) -> None:
    release(document)["path"] = release(document)["path"][:-64]
    sign_again(document)


@forged(SETTLED, "witnesses")
def the_chain_is_left_out(document: Document) -> None:
    document["events"].remove(event(document, "WitnessChainOpened"))


@forged(SETTLED, "witnesses")
def the_house_has_not_signed_the_chain(document: Document) -> None:
    event_data(document, "WitnessChainOpened")["house_signature"] = OTHER * 2
    sign_again(document)


@forged(SETTLED, "witnesses")
def the_chain_has_another_root(document: Document) -> None:
    opened = event_data(document, "WitnessChainOpened")
    opened["header"] = opened["header"][:-216] + OTHER + opened["header"][-152:]
    sign_again(document)


@forged(SETTLED, "closing")
def the_closing_saw_another_cosigned_log(document: Document) -> None:
    event_data(document, "BettingClosed")["closing"]["cosigned"]["size"] += 1
    sign_again(document)


@forged(VOIDED, "witnesses")
def the_link_was_given_out_for_a_played_round(document: Document) -> None:
    event_data(document, "RoundVoided")["closing"]["digest"] = OTHER
    sign_again(document)


SHOE = "witnesses/shoe-ended"


@forged(SHOE, "cards")
def the_house_invents_the_link_of_a_shoe(document: Document) -> None:
    event_data(document, "ShoeLinksReleased")["releases"][0]["link"] = OTHER
    sign_again(document)


@forged(SHOE, "cards")
def the_house_invents_the_link_of_a_round_in_a_shoe(document: Document) -> None:
    event_data(document, "LinksReleased")["releases"][0]["link"] = OTHER
    sign_again(document)


@forged(SHOE, "witnesses")
def the_statement_for_a_shoe_is_dated_otherwise(document: Document) -> None:
    event_data(document, "ShoeLinksReleased")["releases"][0]["time_ms"] -= 60_000
    sign_again(document)


@forged(SHOE, "cut")
def the_cut_of_a_shoe_was_closed_at_another_time(document: Document) -> None:
    event_data(document, "ShoeCutClosed")["closed_at"] = "2026-01-01T00:00:00.000000Z"
    sign_again(document)


@forged(SHOE, "cut")
def a_shoe_uses_another_index(document: Document) -> None:
    event_data(document, "ShoeCutClosed")["witnesses"][0]["index"] += 1
    sign_again(document)


@forged(SHOE, "cut")
def a_shoe_has_a_closing_after_its_links_as_well(document: Document) -> None:
    event_data(document, "ShoeStarted")["closing"] = event_data(document, "ShoeCutClosed")["closing"]
    sign_again(document)


@forged(SHOE, "cut")
def the_closing_of_a_shoe_is_left_out(document: Document) -> None:
    document["events"].remove(event(document, "ShoeCutClosed"))


@forged(SHOE, "witnesses")
def the_links_of_a_shoe_are_left_out(document: Document) -> None:
    document["events"].remove(event(document, "ShoeLinksReleased"))


@forged(SHOE, "witnesses")
def a_round_of_a_shoe_is_closed_for_another_digest(document: Document) -> None:
    event_data(document, "BettingClosed")["closing"]["digest"] = OTHER
    sign_again(document)
