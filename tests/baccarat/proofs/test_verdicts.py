"""What a verdict says beside its checks: who has cosigned the checkpoint, and what a reader has to know."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from baccarat.proofs import verifier
from casino.crypto.signed_note import NoteKey, SignatureType
from tests.baccarat.proofs.forgeries_of_terms import sign_again
from tests.baccarat.proofs.forging import (
    COSIGNER,
    GOLDEN,
    LOG,
    Document,
    cosign,
    encode,
    event,
    golden,
    witness_keys,
)  # fmt: skip
from tests.baccarat.proofs.fuzzing import of_page, of_python
from tests.baccarat.proofs.page import HAS_NODE, page_request, verify_on_page
from tests.baccarat.proofs.php import HAS_PHP, request, verify_all
from tests.baccarat.proofs.test_verifying import key

COSIGNED = "cosigned/settled"


def verify(document: Document, keys: Sequence[str]) -> verifier.Verdict:
    """Return the result of the verifiers, which agree."""
    raw = encode(document)
    result = verifier.verify(raw, keys)
    if HAS_NODE:
        (shown,) = verify_on_page([page_request(raw, keys=keys)])
        assert of_page(shown) == of_python(result)
    if HAS_PHP:
        (php,) = verify_all([request(raw, keys=keys)])
        caveats = [each["code"] for each in result["caveats"]]
        assert (php.failed(), php.status, php.as_of) == (failed(result), result["status"], result["as_of"]), php
        assert php.caveats == caveats
    return result


def failed(result: verifier.Verdict) -> set[str]:
    return {check["name"] for check in result["checks"] if check["verdict"] == "failed"}


def cosignatures(result: verifier.Verdict) -> tuple[str, str]:
    return next((check["verdict"], check["text"]) for check in result["checks"] if check["name"] == "cosignatures")


def report(document: Document, keys: Sequence[str]) -> list[str]:
    return list(verifier.format_report(verifier.verify(encode(document), keys)))


def later(text: str, **by: int) -> str:
    return f"{datetime.fromisoformat(text) + timedelta(**by):%Y-%m-%dT%H:%M:%S.%fZ}"


def test_a_verdict_names_who_has_cosigned_the_checkpoint_and_when() -> None:
    document = golden(COSIGNED)
    result = verify(document, [key(), *witness_keys(document)])

    (by,) = result["as_of"]["cosigned_by"]
    assert (result["verdict"], by["name"]) == ("verified", COSIGNER.name)
    size = result["as_of"]["size"]
    assert document["checkpoint"].split("\n")[1] == str(size)
    line = f"As of checkpoint {size}, cosigned by {COSIGNER.name} at {by['time']}; a later void"
    assert any(each.startswith(line) for each in report(document, [key(), *witness_keys(document)]))
    ended = document["round"]["settled_at"]
    assert datetime.fromisoformat(by["time"]) >= datetime.fromisoformat(ended).replace(microsecond=0)


def test_a_cosigner_that_is_not_trusted_is_not_named_as_one() -> None:
    document = golden(COSIGNED)
    other = NoteKey(COSIGNER.name, SignatureType.COSIGNATURE, bytes.fromhex(LOG))
    renamed = NoteKey("regulator.example/w", SignatureType.COSIGNATURE, COSIGNER.public)
    release = [each for each in witness_keys(document) if "+" not in each]
    for trusted in ([], [other.vkey], [renamed.vkey]):
        result = verify(document, [key(), *release, *trusted])
        verdict, text = cosignatures(result)
        assert (result["verdict"], result["as_of"]["cosigned_by"], verdict) == ("uncosigned", [], "open")
        assert text.endswith(f"keys that you do not trust, under these names: {COSIGNER.name}")
        assert any(", cosigned by no witness that you trust; " in each for each in report(document, [key(), *release]))


def test_a_file_without_cosignatures_has_a_status_of_its_own() -> None:
    document = golden(COSIGNED)
    document["checkpoint"] = "".join(document["checkpoint"].splitlines(keepends=True)[:-1])
    result = verify(document, [key(), *witness_keys(golden(COSIGNED))])
    assert (result["verdict"], result["as_of"]["cosigned_by"]) == ("uncosigned", [])
    assert cosignatures(result) == ("none", "no witness has cosigned the checkpoint")


def test_a_cosigners_key_alone_verifies_nothing() -> None:
    result = verify(golden(COSIGNED), [COSIGNER.vkey])
    assert (result["verdict"], result["as_of"]) == ("unverified", None)


def test_the_command_takes_a_cosigners_key_or_a_file_with_what_a_witness_answers(tmp_path) -> None:
    document = golden(COSIGNED)
    release = next(each for each in witness_keys(document) if "+" not in each)
    identity = tmp_path / "identity.json"
    identity.write_text(f'{{"release_key": "{release}", "cosigner": "{COSIGNER.vkey}"}}', encoding="utf-8")
    assert verifier.read_keys([str(identity)]) == [release, COSIGNER.vkey]
    assert verifier.read_keys([COSIGNER.vkey]) == [COSIGNER.vkey]
    file = str(GOLDEN / f"{COSIGNED}.json")
    assert verifier.main([file, "--key", key(), "--witness-key", str(identity)]) == 0
    assert verifier.main([file, "--key", key(), "--witness-key", release, "--witness-key", COSIGNER.vkey]) == 0
    assert verifier.main([file, "--key", key(), "--witness-key", release]) == 5
    with pytest.raises(ValueError, match="no key"):
        verifier.parse_keys(COSIGNER.vkey.replace("+", "+0", 1)[:-1])
    with pytest.raises(ValueError, match="is not the key of a cosigner"):
        verifier.parse_keys(f"another.{COSIGNER.vkey}")


def signed(document: Document) -> Document:
    """Return a changed document as somebody signs it again whom the reader trusts."""
    sign_again(document)
    cosign(document)
    return document


def forge(document: Document) -> verifier.Verdict:
    signed(document)
    return verify(document, [LOG, *witness_keys(document)])


def with_caveats() -> dict[str, Document]:
    """Return a document for each caveat, by its code."""
    return {
        "unconfirmed": signed(unanswered()), "after_release": signed(voided_after_release()),
        "before_closing": signed(closed_late()), "before_terms": signed(fixed_late()),
    }  # fmt: skip


def closed_late() -> Document:
    """Return a round whose betting was closed after its witness's statement was dated."""
    document = golden(COSIGNED)
    closed = event(document, "BettingClosed")
    closed["recorded_at"] = later(closed["recorded_at"], minutes=2)
    return document


def fixed_late() -> Document:
    """Return a round whose terms were fixed after its witness's statement was dated."""
    document = closed_late()
    for each in document["events"]:
        if (each["data"].get("next_terms") or {}).get("number") == document["round"]["number"]:
            each["recorded_at"] = later(each["recorded_at"], minutes=3)
    return document


def unanswered() -> Document:
    """Return a round that was voided before its witness has answered."""
    document = golden("witnesses/voided")
    document["events"].remove(event(document, "LinksReleased"))
    return document


def test_a_statement_that_is_dated_before_its_closing_or_its_terms_is_named() -> None:
    assert verify(golden(COSIGNED), [key(), *witness_keys(golden(COSIGNED))])["caveats"] == []
    document = closed_late()
    time_ms = event(document, "LinksReleased")["data"]["releases"][0]["time_ms"]
    closed_ms = int(datetime.fromisoformat(event(document, "BettingClosed")["recorded_at"]).timestamp() * 1000)
    result = forge(document)
    (caveat,) = result["caveats"]
    assert (result["verdict"], caveat["code"]) == ("verified", "before_closing")
    assert caveat["text"].endswith(f" is dated {closed_ms - time_ms} ms before its closing")

    document = fixed_late()
    (caveat,) = forge(document)["caveats"]
    assert caveat["code"] == "before_terms"
    assert any(each.startswith("Note: the statement for ") for each in report(document, [LOG]))


def test_a_statement_for_a_shoe_that_is_dated_before_its_closing_or_commitment_is_named() -> None:
    document = golden("witnesses/shoe-ended")
    closed = event(document, "ShoeCutClosed")
    closed["recorded_at"] = later(closed["recorded_at"], minutes=30)
    assert [each["code"] for each in forge(document)["caveats"]] == ["before_closing"]
    event(document, "ShoeCommitted")["recorded_at"] = closed["recorded_at"]
    assert [each["code"] for each in forge(document)["caveats"]] == ["before_terms"]


def test_a_void_that_witnesses_have_not_answered_is_unconfirmed() -> None:
    document = golden("witnesses/voided")
    assert verify(document, [key(), *witness_keys(document)])["caveats"] == []
    result = forge(unanswered())
    assert (result["verdict"], [each["code"] for each in result["caveats"]]) == ("verified", ["unconfirmed"])


def voided_after_release() -> Document:
    """Return a round that was voided once its links were known, in place of its cards."""
    document = golden(COSIGNED)
    settled, dealt = event(document, "RoundSettled"), event(document, "CardsDealt")
    seats = [
        {
            **{name: wager[name] for name in ("wager", "seat", "player", "money_type")},
            "staked": sum(wager["stakes"].values()), "returned": 0, "commission": 0, "from_rack": 0,
            "to_game": sum(wager["stakes"].values()), "to_account": 0, "from_game": 0, "from_account": 0, "owed": 0,
            "forgiven": 0,
        }
        for wager in (each["data"] for each in document["events"] if each["type"] == "WagerConfirmed")
    ]  # fmt: skip
    voided = event(golden("witnesses/voided"), "RoundVoided")
    data = {
        **voided["data"], "round": document["round"]["id"], "number": document["round"]["number"], "seats": seats,
        "seed": settled["data"]["seed"], "voided_at": settled["data"]["settled_at"], "closing": None,
    }  # fmt: skip
    document["events"].remove(settled)
    dealt.update(type="RoundVoided", schema=voided["schema"], data=data, recorded_at=settled["recorded_at"])
    nothing = dict.fromkeys(("settled_at", "shoe_position", "player_total", "banker_total", "natural", "outcome"), None)
    document["round"] |= {**nothing, "cards": [], "phase": "voided"}
    document["shoe"]["shoe_position"] = None
    return document


def test_a_void_after_the_release_of_a_link_is_named() -> None:
    result = forge(voided_after_release())
    assert (result["verdict"], [each["code"] for each in result["caveats"]]) == ("verified", ["after_release"])


def test_a_failed_file_has_neither_a_checkpoint_nor_caveats() -> None:
    document = voided_after_release()
    forge(document)
    document["shoe"]["cut"] = "ab" * 32
    result = verify(document, [LOG, *witness_keys(document)])
    assert (result["verdict"], result["as_of"], result["caveats"]) == ("failed", None, [])


def policy(document: Document, **required: Any) -> tuple[str, str | None]:
    """Return what the verifiers, which agree, say to a reader who trusts the log's key and requires something."""
    raw, keys = encode(document), [key(), COSIGNER.vkey]
    alone = verifier.verify(raw, keys, **required)
    if HAS_PHP:
        (php,) = verify_all([request(raw, keys=keys, **required)])
        assert (php.status, php.could_choose) == (alone["status"], alone["could_choose"])
    if HAS_NODE:
        (shown,) = verify_on_page([page_request(raw, keys=keys, **required)])
        assert (shown["verdict"], shown["could_choose"]) == (alone["verdict"], alone["could_choose"])
    return alone["verdict"], alone["could_choose"]


def test_a_witness_that_the_reader_names_has_to_occur() -> None:
    document = golden(COSIGNED)
    (own,) = [each for each in witness_keys(document) if "+" not in each]
    assert policy(document, witness_keys=[own]) == ("verified", "house_early")
    assert policy(document, witness_keys=[own, LOG]) == ("unverified", None)
    assert policy(document, witness_keys=[LOG]) == ("unverified", None)
    for name in ("mini", "long-shoe-ended", "voided-before-the-cards"):
        assert policy(golden(name), witness_keys=[own]) == ("unverified", None)
        assert policy(golden(name))[0] == "uncosigned"


def test_a_witness_has_to_occur_in_the_drawing_of_the_shoe_and_of_the_round() -> None:
    document = golden("witnesses/shoe-ended")
    (own,) = witness_keys(document)
    assert policy(document, witness_keys=[own]) == ("uncosigned", "house_early")
    assert policy(document, witness_keys=[LOG]) == ("unverified", None)


def test_the_house_knows_the_cards_of_a_shoe_of_fixed_order_and_no_others() -> None:
    fixed, drawn = golden("witnesses/fixed-order"), golden("witnesses/shoe-running")
    for document, chooser in ((fixed, "house_knows"), (drawn, "house_early")):
        (own,) = witness_keys(document)
        assert policy(document, witness_keys=[own]) == ("uncosigned", chooser)
    assert [policy(golden(name))[1] for name in ("long-shoe-ended", "fixed-order-ended")] == ["house", "house"]


def test_signed_wagers_may_be_required() -> None:
    assert policy(golden("mini"), require_signed=True) == policy(golden("signed"), require_signed=True)
    assert policy(golden("signed"), require_signed=True) == ("unverified", None)
    assert policy(golden("voided-as-its-player-sees-it"), require_signed=True) == ("unverified", None)


def test_the_report_says_who_could_have_chosen_the_cards_and_what_the_file_does_not_show() -> None:
    lines = report(golden("mini"), [key()])
    assert verifier.CHOOSERS["house"] in lines
    closing = next(each for each in lines if each.startswith("closing"))
    assert closing.endswith("; not checked, as it is not in the file: before")
