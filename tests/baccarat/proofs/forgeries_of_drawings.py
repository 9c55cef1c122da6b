"""Golden files of rounds of the second scheme, tampered with by somebody who recomputes and signs whatever he can."""

from typing import Any
from uuid import UUID

from baccarat.domain.fairness.commitment import commit, commit_to_drawing
from baccarat.domain.fairness.cut import Contribution, compute_cut
from tests.baccarat.proofs.forgeries_of_terms import sign_again
from tests.baccarat.proofs.forging import FORGER, Document, event_data, forged


def promise(document: Document) -> Document:
    """Return what committed to the round's own shoe, one round ahead."""
    fixed = [each["data"] for each in document["events"] if each["type"] == "TermsFixed" and each["data"]["next_shoe"]]
    own: list[Document] = [each["next_shoe"] for each in fixed]
    return next(each for each in own if each["shoe"] == document["shoe"]["id"])


def promise_again(document: Document, commitment: str) -> None:
    """Write another commitment to the round's own shoe wherever it stands."""
    for data in (promise(document), event_data(document, "RoundOpened"), document["shoe"]):
        data["commitment"] = commitment
    sign_again(document)


def cut_again(document: Document, cut: str) -> None:
    """Write another cut of the round's own shoe wherever it stands."""
    for data in (event_data(document, "RoundOpened"), event_data(document, "BettingClosed"), document["shoe"]):
        data["cut"] = cut
    sign_again(document)


def place(document: Document) -> dict[str, Any]:
    """Return the drawing that the round's seed is committed to."""
    round_ = document["round"]
    return {"table": UUID(round_["table"]), "shoe": UUID(document["shoe"]["id"]), "number": round_["number"]}


@forged("drawings/mini", "commitment")
def the_commitment_was_to_the_drawing_of_another_round(document: Document) -> None:
    seed, drawing = bytes.fromhex(document["shoe"]["seed"]), place(document)
    promise_again(document, commit_to_drawing(seed, **{**drawing, "number": drawing["number"] + 1}))


@forged("drawings/mini", "commitment")
def the_commitment_was_to_a_drawing_at_another_table(document: Document) -> None:
    seed = bytes.fromhex(document["shoe"]["seed"])
    promise_again(document, commit_to_drawing(seed, **{**place(document), "table": UUID(int=7)}))


@forged("drawings/mini", "commitment")
def the_commitment_was_to_the_seed_alone(document: Document) -> None:
    promise_again(document, commit(bytes.fromhex(document["shoe"]["seed"])))


@forged("drawings/mini", "commitment")
def the_commitment_follows_an_older_scheme(document: Document) -> None:
    promise(document)["scheme"] = event_data(document, "RoundOpened")["scheme"] = 1
    sign_again(document)


@forged("drawings/mini", "commitment")
def the_round_follows_another_scheme_than_its_commitment(document: Document) -> None:
    event_data(document, "RoundOpened")["scheme"] = 1
    sign_again(document)


@forged("drawings/mini", "cut")
def the_cut_is_not_over_the_commitment(document: Document) -> None:
    shoe = document["shoe"]
    listed = [Contribution(each["seat"], each["contribution"]) for each in shoe["contributions"]]
    assert listed
    cut_again(document, compute_cut(UUID(shoe["id"]), listed).hex())


@forged("drawings/mini", "cut")
def the_cut_is_left_empty(document: Document) -> None:
    cut_again(document, "")


@forged("closings/long-shoe-ended", "commitment")
def the_long_shoe_has_another_number(document: Document) -> None:
    event_data(document, "ShoeCommitted")["number"] += 1
    sign_again(document)


@forged("closings/long-shoe-ended", "commitment")
def the_long_shoe_started_under_another_scheme(document: Document) -> None:
    event_data(document, "ShoeStarted")["scheme"] = 1
    sign_again(document)


@forged("closings/long-shoe-ended", "file")
def the_scheme_is_unknown(document: Document) -> None:
    event_data(document, "ShoeCommitted")["scheme"] = 3
    sign_again(document)


def contributed(document: Document) -> Document:
    """Return the signed contribution to the round's own shoe."""
    events = [each["data"] for each in document["events"] if each["type"] == "ShoeCutContributed"]
    return next(data for data in events if data["signature"] and data["shoe"] == document["shoe"]["id"])


@forged("closings/signed", "cut")
def a_contribution_is_signed_for_another_seat(document: Document) -> None:
    contributed(document)["seat"] = 3
    sign_again(document)


@forged("closings/signed", "cut")
def a_contribution_is_signed_by_somebody_else(document: Document) -> None:
    contributed(document)["signature"]["public_key"] = "01" + FORGER.public_key().public_bytes_raw().hex()
    sign_again(document)


@forged("closings/signed", "cut")
def a_signed_contribution_was_changed(document: Document) -> None:
    contributed(document)["contribution"] = "ff"
    sign_again(document)


@forged("closings/signed", "cut")
def a_contributions_signature_is_left_out(document: Document) -> None:
    contributed(document)["signature"] = None
    sign_again(document)
