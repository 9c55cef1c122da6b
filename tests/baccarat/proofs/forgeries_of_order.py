"""Golden files whose events took place in another order, in a log that the house signed so."""

from tests.baccarat.proofs.forgeries_of_terms import sign_again
from tests.baccarat.proofs.forging import Document, event, forged


def renumber(document: Document, events: list[Document]) -> None:
    """Give the file these events, at the positions and versions that it had, and sign it."""
    positions = [each["position"] for each in document["events"]]
    versions: dict[str, int] = {}
    for each in reversed(document["events"]):
        versions[each["stream"]] = each["version"]
    document["events"] = events
    last = positions[-1]
    for at, each in enumerate(events):
        each["position"] = positions[at] if at < len(positions) else last + 1
        each["version"] = versions[each["stream"]]
        versions[each["stream"]] += 1
    sign_again(document)


def move(document: Document, kind: str, *, before: str) -> None:
    """Move the last event of a type before the last one of another."""
    moved, other = event(document, kind), event(document, before)
    events = [each for each in document["events"] if each is not moved]
    events.insert(next(at for at, each in enumerate(events) if each is other), moved)
    renumber(document, events)


@forged("signed", "chain")
def cards_were_dealt_before_the_last_wager(document: Document) -> None:
    move(document, "CardsDealt", before="WagerConfirmed")


@forged("signed", "chain")
def a_wager_was_confirmed_after_betting_had_closed(document: Document) -> None:
    move(document, "BettingClosed", before="WagerConfirmed")


@forged("signed", "chain")
def cards_were_dealt_although_betting_never_closed(document: Document) -> None:
    renumber(document, [each for each in document["events"] if each["type"] != "BettingClosed"])


@forged("signed", "chain")
def betting_closed_twice(document: Document) -> None:
    closed = event(document, "BettingClosed")
    at = document["events"].index(closed)
    renumber(document, [*document["events"][:at], closed, dict(closed), *document["events"][at + 1 :]])


@forged("mini", "chain")
def it_was_settled_before_the_cards(document: Document) -> None:
    move(document, "RoundSettled", before="CardsDealt")


@forged("voided-before-the-cards", "chain")
def a_wager_was_confirmed_after_the_void(document: Document) -> None:
    move(document, "RoundVoided", before="WagerConfirmed")


@forged("long-shoe-running", "chain")
def a_hand_was_turned_over_before_betting_had_closed(document: Document) -> None:
    move(document, "HandTurned", before="BettingClosed")


@forged("long-shoe-ended", "chain")
def the_shoes_seed_was_shown_before_the_last_wager(document: Document) -> None:
    move(document, "ShoeEnded", before="WagerConfirmed")


@forged("long-shoe-ended", "chain")
def the_shoe_started_after_the_opening(document: Document) -> None:
    move(document, "RoundOpened", before="ShoeStarted")


@forged("mini", "chain")
def what_one_transaction_recorded_is_torn_apart_by_another(document: Document) -> None:
    event(document, "CardsDealt")["transaction"] += 1
    sign_again(document)
