"""Golden files of rounds after a witness was replaced, from which a house hides that, or uses what has ended."""

from tests.baccarat.proofs.forgeries_of_terms import sign_again
from tests.baccarat.proofs.forging import OTHER, Document, event, event_data, forged

REPLACED, PASSED_OVER, IN_SHOE = "replaced/replaced", "replaced/passed-over", "replaced/replaced-in-shoe"


@forged(REPLACED, "witnesses")
def a_witness_is_swapped_unseen(document: Document) -> None:
    document["events"].remove(event(document, "WitnessChainsReplaced"))


@forged(IN_SHOE, "witnesses")
def a_witness_is_swapped_unseen_in_a_shoe(document: Document) -> None:
    document["events"].remove(event(document, "WitnessChainsReplaced"))


@forged(REPLACED, "witnesses")
def the_chain_of_the_witness_before_is_left_out(document: Document) -> None:
    document["events"].remove(event(document, "WitnessChainsReplaced"))
    document["events"].remove(next(each for each in document["events"] if each["type"] == "WitnessChainOpened"))


@forged(REPLACED, "witnesses")
def the_replacement_names_another_successor(document: Document) -> None:
    event_data(document, "WitnessChainsReplaced")["successor"] = OTHER
    sign_again(document)


@forged(REPLACED, "witnesses")
def the_replacement_ends_a_chain_that_never_was(document: Document) -> None:
    event_data(document, "WitnessChainsReplaced")["ended"][0]["chain"] = OTHER
    sign_again(document)


@forged(REPLACED, "witnesses")
def the_replacement_ends_no_chain(document: Document) -> None:
    event_data(document, "WitnessChainsReplaced")["ended"] = []
    sign_again(document)


@forged(REPLACED, "witnesses")
def the_successor_was_opened_later(document: Document) -> None:
    event(document, "WitnessChainOpened")["version"] += 1
    sign_again(document)


@forged(PASSED_OVER, "witnesses")
def a_link_is_used_after_the_end_of_its_chain(document: Document) -> None:
    event_data(document, "WitnessChainsReplaced")["ended"][0]["index"] -= 1
    sign_again(document)
