"""Golden files and their log tampered with, one way each, and the check that has to name what is wrong."""

from base64 import b64encode

from tests.baccarat.proofs.forging import OTHER, Document, encode, event, event_data, forged, reseal, resign

# the file itself


@forged("mini", "file")
def the_format_is_another(document: Document) -> None:
    document["format"] = "casino.round.v2"


@forged("mini", "file")
def it_is_cut_off(document: Document) -> bytes:
    return encode(document)[:-200]


@forged("mini", "file")
def a_name_stands_twice(document: Document) -> bytes:
    return encode(document).replace(b'"outcome":', b'"outcome": "tie", "outcome":', 1)


@forged("mini", "file")
def a_number_is_no_integer(document: Document) -> bytes:
    return encode(document).replace(b'"version": 1,', b'"version": 1.0,', 1)


@forged("mini", "file")
def a_part_is_missing(document: Document) -> None:
    del document["keys"]


@forged("mini", "file")
def a_part_was_added(document: Document) -> None:
    document["note"] = "trust me"


@forged("mini", "file")
def it_holds_no_events(document: Document) -> None:
    document["events"] = []


# the log


@forged("mini", "digests")
def a_stake_is_changed(document: Document) -> None:
    event_data(document, "WagerConfirmed")["stakes"]["banker"] = 5000


@forged("mini", "digests")
def an_actor_is_changed(document: Document) -> None:
    event(document, "WagerConfirmed")["metadata"]["actor"] = "someone else"


@forged("mini", "digests")
def a_time_is_moved(document: Document) -> None:
    event(document, "WagerConfirmed")["recorded_at"] = "2026-01-01T00:00:00.000000Z"


@forged("mini", "digests")
def a_type_is_renamed(document: Document) -> None:
    event(document, "BettingClosed")["type"] = "ChipsPlaced"


@forged("mini", "digests")
def a_position_is_moved(document: Document) -> None:
    event(document, "RoundSettled")["position"] += 1


@forged("mini", "digests")
def an_id_is_changed(document: Document) -> None:
    event(document, "RoundSettled")["id"] += 1


@forged("mini", "digests")
def a_transaction_is_changed(document: Document) -> None:
    event(document, "RoundSettled")["transaction"] += 1


@forged("mini", "digests")
def the_cards_are_withheld(document: Document) -> None:
    event(document, "CardsDealt").update(data=None, metadata=None)


@forged("voided-as-its-player-sees-it", "file")
def the_void_says_something_made_up(document: Document) -> None:
    event(document, "RoundVoided").update(data={"round": document["round"]["id"]}, metadata={})


@forged("mini", "chain")
def an_event_is_left_out(document: Document) -> None:
    document["events"].remove(event(document, "BettingClosed"))


@forged("mini", "chain")
def an_event_is_repeated(document: Document) -> None:
    document["events"].insert(-1, dict(event(document, "BettingClosed")))


@forged("no-checkpoint-yet", "chain")
def an_event_of_the_table_takes_the_position_of_one_of_the_round(document: Document) -> None:
    event(document, "TableOpened")["position"] = event(document, "RoundOpened")["position"]
    reseal(document)


@forged("mini", "chain")
def events_are_out_of_order(document: Document) -> None:
    document["events"].reverse()


@forged("mini", "chain")
def an_event_of_another_round_is_slipped_in(document: Document) -> None:
    last = dict(document["events"][-1])
    last.update(stream="round-" + document["round"]["table"], position=last["position"] + 1)
    document["events"].append(last)


@forged("mini", "chain")
def a_link_is_broken(document: Document) -> None:
    event(document, "RoundSettled")["previous"] = OTHER


@forged("mini", "inclusion")
def a_step_of_a_path_is_changed(document: Document) -> None:
    document["inclusion_proofs"][0]["path"][0] = OTHER


@forged("mini", "inclusion")
def a_path_is_shortened(document: Document) -> None:
    document["inclusion_proofs"][1]["path"].pop()


@forged("mini", "inclusion")
def a_path_is_left_out(document: Document) -> None:
    document["inclusion_proofs"].pop()


@forged("mini", "inclusion")
def a_path_of_no_event_was_added(document: Document) -> None:
    document["inclusion_proofs"].insert(0, {**document["inclusion_proofs"][0], "position": 1})


@forged("no-checkpoint-yet", "inclusion")
def a_path_leads_to_no_checkpoint(document: Document) -> None:
    document["inclusion_proofs"].append({"position": document["events"][0]["position"], "path": []})


@forged("mini", "file")
def a_path_is_written_in_capitals(document: Document) -> None:
    path = document["inclusion_proofs"][-1]["path"]
    path[0] = path[0].upper()


@forged("mini", "file")
def a_key_has_a_word_to_say(document: Document) -> None:
    document["keys"][0]["note"] = "trust me"


@forged("mini", "file")
def a_key_that_ends_at_no_time(document: Document) -> None:
    document["keys"][0]["valid_until"] = ""


@forged("mini", "file")
def a_key_begins_at_a_time_with_a_line_to_it(document: Document) -> None:
    document["keys"][0]["valid_from"] += "\n"


@forged("mini", "file")
def the_shoe_is_too_large_to_be_shuffled_anywhere(document: Document) -> None:
    document["rules"]["decks"] = document["shoe"]["decks"] = 10**12


@forged("mini", "file")
def the_time_of_the_export_is_no_time(document: Document) -> None:
    document["exported_at"] = "yesterday"


@forged("mini", "signature")
def the_signature_is_written_in_another_way(document: Document) -> None:
    last = document["checkpoint"][-3]  # of whose six bits the last two say nothing
    document["checkpoint"] = f"{document['checkpoint'][:-3]}{chr(ord(last) + 1)}=\n"


@forged("mini", "inclusion")
def everything_is_sealed_anew(document: Document) -> None:
    event(document, "WagerConfirmed")["metadata"]["actor"] = "someone else"
    reseal(document)


@forged("mini", "signature")
def the_signature_is_changed(document: Document) -> None:
    note = document["checkpoint"]
    document["checkpoint"] = f"{note[:-20]}{'A' if note[-20] != 'A' else 'B'}{note[-19:]}"


@forged("mini", "signature")
def the_checkpoint_is_moved(document: Document) -> None:
    document["checkpoint"] = document["checkpoint"].replace("casino.localhost/log\n", "casino.localhost/other\n", 1)


@forged("mini", "signature")
def the_root_is_changed(document: Document) -> None:
    origin, size, _, rest = document["checkpoint"].split("\n", 3)
    document["checkpoint"] = f"{origin}\n{size}\n{b64encode(bytes.fromhex(OTHER)).decode()}\n{rest}"


@forged("mini", "signature")
def the_key_is_not_listed(document: Document) -> None:
    document["keys"] = []


@forged("mini", "signature")
def the_key_was_not_in_force(document: Document) -> None:
    for key in document["keys"]:
        key["valid_until"] = "2020-01-01T00:00:00Z"


@forged("mini", "key")
def all_of_it_is_sealed_and_signed_anew_by_another_key(document: Document) -> None:
    event(document, "WagerConfirmed")["metadata"]["actor"] = "someone else"
    reseal(document)
    resign(document)
