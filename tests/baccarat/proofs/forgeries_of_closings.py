"""Golden files of voids and long shoes, whose closings were tampered with by somebody who signs whatever he can."""

from baccarat.proofs import verifier
from tests.baccarat.proofs.forgeries_of_terms import sign_again
from tests.baccarat.proofs.forging import Document, event_data, forged

OTHER = "0f" * 32
VOIDED = "voided-before-the-cards"
LONG_SHOE = "long-shoe-ended"


def change(document: Document, event: str, **fields: object) -> None:
    """Change fields of the closing that an event has."""
    event_data(document, event)["closing"].update(fields)
    sign_again(document)


@forged(VOIDED, "closing")
def a_void_is_not_closed(document: Document) -> None:
    event_data(document, "RoundVoided")["closing"] = None
    sign_again(document)


@forged(VOIDED, "closing")
def a_void_has_another_cause_than_its_closing(document: Document) -> None:
    event_data(document, "RoundVoided")["reason"] = "other"
    sign_again(document)


@forged(VOIDED, "closing")
def a_void_was_later_than_its_closing(document: Document) -> None:
    event_data(document, "RoundVoided")["voided_at"] = "2026-01-01T00:00:00.000000Z"
    sign_again(document)


@forged(VOIDED, "closing")
def a_voids_closing_followed_another(document: Document) -> None:
    change(document, "RoundVoided", before=OTHER)


@forged(VOIDED, "closing")
def a_voids_closing_has_another_digest(document: Document) -> None:
    change(document, "RoundVoided", digest=OTHER)


@forged(LONG_SHOE, "cut")
def a_long_shoe_is_not_closed(document: Document) -> None:
    event_data(document, "ShoeStarted")["closing"] = None
    sign_again(document)


@forged(LONG_SHOE, "cut")
def a_long_shoe_started_later_than_its_closing(document: Document) -> None:
    event_data(document, "ShoeStarted")["started_at"] = "2026-01-01T00:00:00.000000Z"
    sign_again(document)


@forged(LONG_SHOE, "cut")
def a_long_shoes_closing_has_another_blind(document: Document) -> None:
    change(document, "ShoeStarted", blind=OTHER)


@forged(LONG_SHOE, "file")
def a_long_shoes_closing_is_cut_short(document: Document) -> None:
    change(document, "ShoeStarted", sealed_head=OTHER[:62])


def close_again(document: Document, kind: str, **fields: object) -> None:
    """Change fields of the closing that an event has, with a digest that is of them."""
    closing = event_data(document, kind)["closing"]
    closing.update(fields)
    check = verifier.check_closing if kind == "BettingClosed" else verifier.check_cut
    try:
        check(verifier.Proof(verifier.require_shape(document), set()))
    except verifier.CheckFailed as differs:
        closing["digest"] = differs.expected
    sign_again(document)


@forged("mini", "closing")
def a_round_follows_no_closing_though_it_is_not_the_tables_first(document: Document) -> None:
    close_again(document, "BettingClosed", before=verifier.NO_DIGEST)


@forged("classic", "closing")
def a_tables_first_round_follows_a_closing(document: Document) -> None:
    close_again(document, "BettingClosed", before=OTHER)


@forged("mini", "closing")
def a_closing_saw_a_cosigned_log_that_came_later(document: Document) -> None:
    close_again(document, "BettingClosed", cosigned={"size": 1_000_000, "root": OTHER})


@forged("long-shoe-running", "cut")
def a_tables_first_shoe_follows_a_closing(document: Document) -> None:
    close_again(document, "ShoeStarted", before=OTHER)
