"""Golden files whose lists have an element twice, or what does not belong there, signed again by whoever tampered."""

import copy
from unittest import mock

from baccarat.proofs import verifier
from tests.baccarat.proofs.forgeries_of_terms import sign_again
from tests.baccarat.proofs.forging import LOG, Document, event, event_data, forged, rewrite_rules

AMOUNTS = ("stake", "won", "commission", "returned")


def settle_besides(document: Document, times: int) -> None:
    """Settle a stake that has won once more, so many times as high, before the true line."""
    wagers = event_data(document, "RoundSettled")["wagers"]
    wager, line = next((each, line) for each in wagers for line in each["results"] if line["result"] == "win")
    wager["results"].insert(0, {**line, **{name: times * line[name] for name in AMOUNTS}})
    for total, name in (("won", "won"), ("commission", "commission"), ("returned", "returned")):
        wager[total] += times * line[name]
    sign_again(document)


@forged("mini", "file")
def a_winner_is_paid_nothing_by_a_line_that_takes_it_back(document: Document) -> None:
    settle_besides(document, -1)


@forged("mini", "file")
def a_winner_is_paid_a_thousand_times(document: Document) -> None:
    settle_besides(document, 999)


@forged("mini", "file")
def a_seat_is_in_the_round_twice(document: Document) -> None:
    seats = event_data(document, "RoundOpened")["seats"]
    seats.append({**seats[-1], "player": document["round"]["id"]})
    sign_again(document)


@forged("replaced/replaced", "file")
def a_chain_ends_twice(document: Document) -> None:
    ended = event_data(document, "WitnessChainsReplaced")["ended"]
    ended.append({**ended[0], "index": ended[0]["index"] + 9})
    sign_again(document)


def signature_of(document: Document) -> Document:
    """Return the first signature of a wager."""
    wagers = (each["data"] for each in document["events"] if each["type"] == "WagerConfirmed")
    return next(wager["signature"] for wager in wagers if wager.get("signature"))


@forged("signed", "file")
def a_players_signature_is_written_in_capitals(document: Document) -> None:
    signature = signature_of(document)
    signature["signature"] = signature["signature"].upper()
    sign_again(document)


@forged("mini", "file")
def the_odds_are_divided_by_nothing(document: Document) -> None:
    spots = copy.deepcopy(document["rules"]["spots"])
    spots[1]["lines"][1]["pays"]["denominator"] = 0
    rewrite_rules(document, spots=spots)
    sign_again(document)


@forged("mini", "wagers")
def play_money_is_bet_where_none_is_taken(document: Document) -> None:
    rewrite_rules(document, play_money=False)
    sign_again(document)


@forged("signed", "closing")
def the_turn_of_a_seat_ended_twice(document: Document) -> None:
    first, other = [each for each in document["events"] if each["type"] == "WagerConfirmed"]
    other.update(type="SeatPassed", data={"seat": first["data"]["seat"]})
    sign_again(document)


@forged("signed", "closing")
def a_wager_is_signed_by_a_key_of_small_order(document: Document) -> None:
    base = "58" + 31 * "66"
    signed = {"public_key": "0101" + 31 * "00", "signature": base + "01" + 31 * "00"}
    signature_of(document).update(signed)
    sign_again(document)
    with mock.patch.object(verifier, "is_signed", return_value=True):
        proof = verifier.Proof(verifier.require_shape(document), {LOG})
        closing = event_data(document, "BettingClosed")["closing"]
        try:
            verifier.check_closing(proof)
        except verifier.CheckFailed as failed:
            closing["digest"] = failed.expected
    sign_again(document)


@forged("cosigned/settled", "cosignatures")
def a_note_has_a_cosignature_twice(document: Document) -> None:
    document["checkpoint"] += document["checkpoint"].splitlines(keepends=True)[-1]


@forged("witnesses/settled", "witnesses")
def the_links_are_of_another_round(document: Document) -> None:
    event_data(document, "LinksReleased")["round"] = document["round"]["table"]
    sign_again(document)


@forged("long-shoe-ended", "commitment")
def the_seed_is_told_though_no_event_reveals_it(document: Document) -> None:
    document["events"].remove(event(document, "ShoeEnded"))
    sign_again(document)


@forged("fixed-order-running", "cards")
def no_card_of_a_running_shoe_is_opened(document: Document) -> None:
    document["shoe"]["openings"] = []


@forged("long-shoe-ended", "chain")
def the_shoe_started_twice(document: Document) -> None:
    started = event(document, "ShoeStarted")
    again = {**started, **{name: started[name] + 1 for name in ("id", "version", "position")}}
    assert again["position"] not in {each["position"] for each in document["events"]}
    document["events"].insert(document["events"].index(started) + 1, again)
    sign_again(document)


@forged("cosigned/settled", "chain")
def the_cards_before_are_of_no_round(document: Document) -> None:
    dealt = next(each for each in document["events"] if each["type"] == "CardsDealt")
    dealt["stream"] += dealt["stream"]
    sign_again(document)
