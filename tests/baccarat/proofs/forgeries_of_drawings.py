"""Commitments and cuts of golden files tampered with by somebody who recomputes and signs whatever he can."""

from hashlib import sha256
from uuid import UUID

from baccarat.domain.fairness.commitment import Drawing
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.terms import close_cut
from tests.baccarat.proofs.forgeries_of_terms import sign_again
from tests.baccarat.proofs.forging import FORGER, OTHER, Document, event_data, forged


def promise(document: Document) -> Document:
    """Return what committed to the round's own shoe, one round ahead."""
    data = [each["data"] for each in document["events"] if each["data"]]
    promised: list[Document] = [each.get("next_shoe") or each.get("next_terms") or {} for each in data]
    return next(each for each in promised if each.get("shoe") == document["shoe"]["id"])


def promise_again(document: Document, commitment: str) -> None:
    """Write another commitment to the round's own shoe wherever it stands."""
    for data in (promise(document), event_data(document, "RoundOpened"), document["shoe"]):
        data["commitment"] = commitment
    sign_again(document)


def cut_again(document: Document, cut: str) -> None:
    """Write another cut of the round's own shoe."""
    document["shoe"]["cut"] = cut
    sign_again(document)


def committed(document: Document, *, table: str | None = None, ahead: int = 0) -> str:
    """Return the commitment to the round's seed, as if for another table, or for a later round."""
    round_ = document["round"]
    drawing = Drawing(UUID(table or round_["table"]), UUID(document["shoe"]["id"]), round_["number"] + ahead)
    return drawing.commit(bytes.fromhex(document["shoe"]["seed"]))


@forged("mini", "commitment")
def the_commitment_was_to_the_drawing_of_another_round(document: Document) -> None:
    assert promise(document)["commitment"] == committed(document)
    promise_again(document, committed(document, ahead=1))


@forged("mini", "commitment")
def the_commitment_was_to_a_drawing_at_another_table(document: Document) -> None:
    promise_again(document, committed(document, table=document["round"]["id"]))


@forged("mini", "commitment")
def the_commitment_was_to_the_seed_alone(document: Document) -> None:
    promise_again(document, sha256(bytes.fromhex(document["shoe"]["seed"])).hexdigest())


@forged("mini", "cut")
def the_cut_is_not_over_the_commitment(document: Document) -> None:
    shoe = document["shoe"]
    listed = [Contribution(**each) for each in shoe["contributions"]]
    assert listed
    assert close_cut(commitment=shoe["commitment"], witnesses=(), contributions=listed).hex() == shoe["cut"]
    cut_again(document, close_cut(commitment=OTHER, witnesses=(), contributions=listed).hex())


@forged("mini", "file")
def the_cut_is_left_empty(document: Document) -> None:
    cut_again(document, "")


@forged("long-shoe-ended", "commitment")
def the_long_shoe_has_another_number(document: Document) -> None:
    event_data(document, "ShoeCommitted")["number"] += 1
    sign_again(document)


def contributed(document: Document) -> Document:
    """Return the signed contribution to the round's own shoe."""
    events = [each["data"] for each in document["events"] if each["type"] == "ShoeCutContributed"]
    return next(data for data in events if data["signature"] and data["shoe"] == document["shoe"]["id"])


@forged("signed", "cut")
def a_contribution_is_signed_for_another_seat(document: Document) -> None:
    contributed(document)["seat"] = 3
    sign_again(document)


@forged("signed", "cut")
def a_contribution_is_signed_by_somebody_else(document: Document) -> None:
    contributed(document)["signature"]["public_key"] = "01" + FORGER.public_key().public_bytes_raw().hex()
    sign_again(document)


@forged("signed", "cut")
def a_signed_contribution_was_changed(document: Document) -> None:
    contributed(document)["contribution"] = "ff"
    sign_again(document)


@forged("signed", "cut")
def a_contributions_signature_is_left_out(document: Document) -> None:
    contributed(document)["signature"] = None
    sign_again(document)
