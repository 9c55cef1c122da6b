"""Golden files of rounds with terms, tampered with by somebody who recomputes and signs whatever he can."""

import json
from hashlib import sha256
from typing import Any, Final
from unittest import mock
from uuid import UUID

from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.terms import Terms, close_cut, digest_cards
from baccarat.proofs import verifier
from casino.kernel.canonical_json import canonical
from tests.baccarat.proofs.forging import OTHER, Document, event, event_data, forged, reseal, resign


def own_terms(document: Document) -> Document:
    """Return the event that fixed the terms of the round."""
    number = document["round"]["number"]
    fixed = [each for each in document["events"] if each["type"] == "TermsFixed"]
    own: Document = next(each for each in fixed if each["data"]["number"] == number)
    return own


def open_on(document: Document, **changes: Any) -> None:
    """Open the round on terms with these changes, whose digest is right wherever it stands."""
    opened, shoe, fixed = event_data(document, "RoundOpened"), document["shoe"], own_terms(document)["data"]
    rules = {name: value for name, value in document["rules"].items() if name != "third_cards"}
    facts = {
        "table": UUID(opened["table"]),
        "number": opened["number"],
        "shoe": UUID(shoe["id"]),
        "rules": sha256(canonical(rules)).hexdigest(),
        "commitment": shoe["commitment"],
        "cut": shoe["cut"],
        "witnesses": (),
    }
    own = {"next_place": 0, "cards": digest_cards(()), "next_commitment": (fixed["next_shoe"] or {}).get("commitment")}
    facts |= fixed["place"] or own
    assert Terms(**facts).digest() == opened["terms"]
    fixed["digest"] = opened["terms"] = Terms(**{**facts, **changes}).digest()
    sign_again(document)


def sign_again(document: Document) -> None:
    reseal(document)
    resign(document)


@forged("classic", "terms")
def the_terms_are_left_out(document: Document) -> None:
    document["events"].remove(own_terms(document))


@forged("mini", "terms")
def the_round_opened_on_other_terms(document: Document) -> None:
    event_data(document, "RoundOpened")["terms"] = OTHER
    sign_again(document)


@forged("classic", "terms")
def the_terms_have_another_digest(document: Document) -> None:
    own_terms(document)["data"]["digest"] = OTHER
    sign_again(document)


@forged("classic", "terms")
def the_digest_of_the_terms_is_another(document: Document) -> None:
    own_terms(document)["data"]["digest"] = event_data(document, "RoundOpened")["terms"] = OTHER
    sign_again(document)


@forged("classic", "terms")
def the_terms_were_under_other_rules(document: Document) -> None:
    open_on(document, rules=OTHER)


@forged("classic", "terms")
def the_terms_had_another_commitment(document: Document) -> None:
    open_on(document, commitment=OTHER)


@forged("classic", "terms")
def the_terms_had_another_cut(document: Document) -> None:
    open_on(document, cut=OTHER)


@forged("long-shoe-ended", "terms")
def the_terms_named_another_place(document: Document) -> None:
    place = own_terms(document)["data"]["place"]
    open_on(document, next_place=place["next_place"] + 6)
    place["next_place"] += 6
    sign_again(document)


@forged("classic", "terms")
def the_terms_spoke_of_cards_already_dealt(document: Document) -> None:
    open_on(document, cards=OTHER)


@forged("classic", "terms")
def the_terms_named_another_commitment_for_the_round_after(document: Document) -> None:
    open_on(document, next_commitment=OTHER)


@forged("classic", "terms")
def the_terms_were_of_another_table(document: Document) -> None:
    open_on(document, table=UUID(document["round"]["id"]))


@forged("classic", "terms")
def the_terms_were_fixed_when_betting_was_open(document: Document) -> None:
    own_terms(document)["position"] = event(document, "WagerConfirmed")["position"] + 100
    sign_again(document)


@forged("rules-of-a-later-version", "cut")
def a_contribution_was_invented_once_the_bets_were_seen(document: Document) -> None:
    shoe = document["shoe"]
    last = event(document, "ShoeCutContributed")
    late = {
        **last,
        "id": last["id"] + 1000,
        "version": last["version"] + 50,
        "data": {**last["data"], "contribution": "aa"},
    }
    late["position"] = event(document, "BettingClosed")["position"] + 100
    document["events"].append(late)
    listed = [{"seat": last["data"]["seat"], "contribution": "aa", "public_key": ""}]
    late["data"]["signature"] = None
    cut = close_cut(
        commitment=shoe["commitment"], witnesses=(), contributions=[Contribution(**each) for each in listed]
    )
    shoe["contributions"] = event_data(document, "RoundOpened")["contributions"] = listed
    shoe["cut"] = cut.hex()
    sign_again(document)


# terms that were fixed with the cards of the round before


def with_cards(document: Document, ahead: int) -> Document:
    """Return the event of a deal with which the terms were fixed of the round so many rounds before this one."""
    number = document["round"]["number"] - ahead
    dealt = [each for each in document["events"] if each["type"] == "CardsDealt" and each["data"]["next_terms"]]
    found: Document = next(each for each in dealt if each["data"]["next_terms"]["number"] == number)
    return found


@forged("mini", "terms")
def the_cards_that_came_with_the_terms_are_left_out(document: Document) -> None:
    document["events"].remove(with_cards(document, 0))


@forged("mini", "commitment")
def the_cards_that_came_with_the_commitment_are_left_out(document: Document) -> None:
    document["events"].remove(with_cards(document, 1))


@forged("mini", "chain")
def the_cards_are_of_a_much_later_round(document: Document) -> None:
    with_cards(document, 0)["data"]["next_terms"]["number"] += 5
    sign_again(document)


@forged("mini", "chain")
def the_cards_of_two_rounds_came_with_the_same_terms(document: Document) -> None:
    more = {**with_cards(document, 0), "stream": "round-" + document["round"]["table"], "position": 1}
    document["events"].insert(0, more)
    sign_again(document)


@forged("mini", "terms")
def the_cards_came_after_the_opening(document: Document) -> None:
    late = with_cards(document, 0)
    document["events"].remove(late)
    document["events"].append({**late, "position": document["events"][-1]["position"] + 9})
    sign_again(document)


# the closing


def closing(document: Document) -> Document:
    data: Document = event_data(document, "BettingClosed")["closing"]
    return data


@forged("mini", "file")
def the_closing_is_left_out(document: Document) -> None:
    event_data(document, "BettingClosed")["closing"] = None
    sign_again(document)


@forged("mini", "closing")
def a_wager_was_raised_after_the_closing(document: Document) -> None:
    event_data(document, "WagerConfirmed")["stakes"]["banker"] += 500
    sign_again(document)


@forged("atlantic-city", "closing")
def two_wagers_changed_places(document: Document) -> None:
    one, other = [each for each in document["events"] if each["type"] == "WagerConfirmed"]
    one["data"], other["data"] = other["data"], one["data"]
    sign_again(document)


@forged("mini", "closing")
def betting_closed_at_another_time(document: Document) -> None:
    event_data(document, "BettingClosed")["closed_at"] = "2026-01-01T00:00:00Z"
    sign_again(document)


@forged("mini", "closing")
def the_blind_is_another(document: Document) -> None:
    closing(document)["blind"] = OTHER
    sign_again(document)


@forged("mini", "closing")
def the_closing_followed_another(document: Document) -> None:
    closing(document)["before"] = OTHER
    sign_again(document)


@forged("mini", "file")
def the_closing_digest_is_cut_short(document: Document) -> None:
    closing(document)["sealed_head"] = OTHER[:62]
    sign_again(document)


# players' signatures


OTHER_PLAYER: Final = "01a1fcbc-0780-7a52-8f0c-3e5d7c1b9a44"


def signed_wager(document: Document) -> Document:
    """Return the only wager of the file that is signed."""
    wagers: list[Document] = [each["data"] for each in document["events"] if each["type"] == "WagerConfirmed"]
    (signed,) = [wager for wager in wagers if wager.get("signature")]
    return signed


def pin_again(document: Document) -> None:
    """Compute the closing over the wagers as they are now, as only the house can."""
    opened, closed = event_data(document, "RoundOpened"), event_data(document, "BettingClosed")
    wagers = [each["data"] for each in document["events"] if each["type"] == "WagerConfirmed"]
    spots = verifier.names_of(document["rules"])
    with mock.patch.object(verifier, "is_signed", return_value=True):
        root = verifier.root_of([verifier.wager_leaf(opened["terms"], wager, "EUR", spots) for wager in wagers])
    seats = [{"seat": seat, "end": 1} for seat in sorted(wager["seat"] for wager in wagers)]
    cosigned = closed["closing"].get("cosigned") or {"size": 0, "root": verifier.NO_DIGEST}
    wanted = {
        **closed["closing"], "kind": 1, "cause": 0, "count": len(wagers), "seats": seats,
        "cosigned_size": cosigned["size"], "cosigned_root": cosigned["root"],
    }  # fmt: skip
    closed["closing"]["digest"] = verifier.digest_of_closing(
        opened["terms"],
        wanted,
        root,
        verifier.format_instant(closed["closed_at"]),
        verifier.indexes_of(opened.get("witnesses", [])),
    )
    sign_again(document)


@forged("signed", "closing")
def a_signature_is_taken_away(document: Document) -> None:
    signed_wager(document)["signature"] = None
    sign_again(document)


@forged("signed", "closing")
def a_signed_wager_was_raised(document: Document) -> None:
    signed_wager(document)["stakes"]["banker"] += 500
    pin_again(document)


def rename_wager(document: Document) -> None:
    """Give the wager of the first seat another id wherever it is named."""
    for wager in (event_data(document, "WagerConfirmed"), event_data(document, "RoundSettled")["wagers"][0]):
        wager["wager"] = OTHER_PLAYER


def exchange_player(document: Document, seat: int) -> None:
    """Write another account wherever the player of a seat is named."""
    player = next(each for each in event_data(document, "RoundOpened")["seats"] if each["seat"] == seat)["player"]
    for each in document["events"]:
        if each["data"] is not None:
            each["data"] = json.loads(json.dumps(each["data"]).replace(player, OTHER_PLAYER))


@forged("mini", "closing")
def a_wager_has_another_id(document: Document) -> None:
    rename_wager(document)
    reseal(document)


@forged("mini", "wagers")
def the_house_gave_a_wager_another_id(document: Document) -> None:
    rename_wager(document)
    pin_again(document)


@forged("mini", "closing")
def the_player_who_is_paid_was_exchanged(document: Document) -> None:
    exchange_player(document, 1)
    sign_again(document)


@forged("signed", "closing")
def the_player_of_a_signed_wager_was_exchanged(document: Document) -> None:
    exchange_player(document, signed_wager(document)["seat"])
    pin_again(document)


@forged("witnesses/settled", "witnesses")
def the_player_of_a_witnessed_wager_was_exchanged(document: Document) -> None:
    exchange_player(document, 1)
    pin_again(document)


@forged("signed", "closing")
def a_spot_of_a_signed_wager_was_renamed(document: Document) -> None:
    wager = signed_wager(document)
    wager["stakes"] = {"tie": wager["stakes"]["banker"]}
    pin_again(document)


@forged("signed", "closing")
def the_house_signed_for_a_player(document: Document) -> None:
    signed_wager(document)["signature"]["signature"] = "ab" * 64
    pin_again(document)


@forged("signed", "closing")
def a_wager_was_signed_with_another_nonce(document: Document) -> None:
    signed_wager(document)["signature"]["nonce"] = OTHER
    pin_again(document)


@forged("signed", "closing")
def a_wager_was_signed_by_another_key(document: Document) -> None:
    signed_wager(document)["signature"]["public_key"] = f"01{document['keys'][0]['public_key']}"
    pin_again(document)


@forged("signed", "closing")
def a_key_is_of_an_unknown_kind(document: Document) -> None:
    signed = signed_wager(document)["signature"]
    signed["public_key"] = f"02{signed['public_key'][2:]}"
    sign_again(document)


@forged("classic", "terms")
def a_round_with_a_shoe_of_its_own_has_a_place(document: Document) -> None:
    own_terms(document)["data"]["place"] = dict.fromkeys(("cards", "commitment", "next_commitment"), OTHER) | {
        "next_place": 6
    }
    sign_again(document)


@forged("long-shoe-ended", "terms")
def the_place_in_the_shoe_is_left_out(document: Document) -> None:
    own_terms(document)["data"]["place"] = None
    sign_again(document)


@forged("long-shoe-ended", "terms")
def the_place_in_the_shoe_is_another(document: Document) -> None:
    own_terms(document)["data"]["place"]["next_place"] += 6
    sign_again(document)


@forged("long-shoe-ended", "terms")
def the_cards_dealt_before_were_others(document: Document) -> None:
    own_terms(document)["data"]["place"]["cards"] = OTHER
    sign_again(document)


@forged("mini", "cut")
def the_opening_has_other_contributions(document: Document) -> None:
    event_data(document, "RoundOpened")["contributions"] = [{"seat": 1, "contribution": "aa"}]
    sign_again(document)


@forged("mini", "closing")
def the_closing_has_another_digest(document: Document) -> None:
    closing(document)["digest"] = OTHER
    sign_again(document)


@forged("mini", "terms")
def the_terms_before_the_opening_named_another_commitment(document: Document) -> None:
    with_cards(document, 0)["data"]["next_terms"]["commitment"] = OTHER
    sign_again(document)


@forged("mini", "commitment")
def the_shoe_was_committed_to_by_other_bytes(document: Document) -> None:
    with_cards(document, 1)["data"]["next_terms"]["commitment"] = OTHER
    sign_again(document)


@forged("mini", "commitment")
def the_shoe_was_committed_to_with_fewer_decks(document: Document) -> None:
    with_cards(document, 1)["data"]["next_terms"]["decks"] -= 1
    sign_again(document)
