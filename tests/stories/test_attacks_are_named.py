"""What a dishonest house may try against a player: every round of each attempt fails, or its verdict names it."""

import copy
import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final
from uuid import UUID

import pytest

from baccarat.domain.fairness.closing import encode_wager
from baccarat.domain.rounds.signed_wager import wager_id
from baccarat.proofs import verifier
from casino.crypto import ed25519
from casino.kernel.canonical_json import canonical
from tests.baccarat.proofs.forgeries_of_terms import sign_again
from tests.baccarat.proofs.forging import Document, event_data, golden
from tests.baccarat.proofs.page import HAS_NODE, page_request, verify_on_page
from tests.baccarat.proofs.php import HAS_PHP, request, verify_all
from tests.stories.test_dishonest_witness import KEYS, RELEASE_PRIVATE, Forgers, another_index
from tests.support.depth import deep

ROUNDS: Final = deep(5, 20)
WITNESS: Final = ed25519.public_key(RELEASE_PRIVATE).hex()
HONEST: Final = "0a" * 32
"""The key of a witness that the reader knows, and the house left out."""
PLAIN: Final = {"nobody", "house_and_witnesses"}
"""Who could have chosen the cards, where a verdict warns of nothing."""

Attack = Callable[[Forgers], Document]


def moved(text: str, seconds: float) -> str:
    return f"{datetime.fromisoformat(text) + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%S.%fZ}"


def early(forgers: Forgers) -> Document:
    """Ask for the link before the bets, by a closing that foresees them, and let in the bets that suit it."""
    event_data(forgers.document, "LinksReleased")["releases"][0]["time_ms"] -= 2_200
    return forgers.shown()


def backdated(forgers: Forgers) -> Document:
    """Ask for the link early, and say that bets and closing were as early."""
    event_data(forgers.document, "LinksReleased")["releases"][0]["time_ms"] -= 10_000
    for each in forgers.document["events"]:
        for name in ("confirmed_at", "closed_at"):
            if name in each["data"]:
                each["data"][name] = moved(each["data"][name], -10.5)
                each["recorded_at"] = moved(each["recorded_at"], -10.5)
    return forgers.shown()


def downgraded(_: Forgers) -> Document:
    """Play at a table that has no witness."""
    return golden("mini")


def paid_to_another(forgers: Forgers) -> Document:
    """Book wagers that their player signed, and what they win, to somebody else."""
    shown = signed(forgers)
    player = event_data(shown, "WagerConfirmed")["player"]
    other: Document = json.loads(json.dumps(shown).replace(player, str(UUID(int=7))))
    sign_again(other)
    return other


def signed(forgers: Forgers) -> Document:
    """Return the round with wagers that its players have signed."""
    terms, opened = forgers.terms().digest(), event_data(forgers.document, "RoundOpened")
    for each in forgers.document["events"]:
        if each["type"] != "WagerConfirmed":
            continue
        wager, private = each["data"], bytes([each["data"]["seat"]]) * 32
        text = encode_wager(
            terms=terms,
            wager=wager_id(UUID(opened["round"]), wager["seat"]),
            player=UUID(wager["player"]),
            seat=wager["seat"],
            play_money=wager["money_type"] == "play",
            currency="EUR",
            stakes=list(wager["stakes"].items()),
            nonce=bytes(32),
        )
        wager["signature"] = {
            "public_key": f"01{ed25519.public_key(private).hex()}", "nonce": "00" * 32,
            "signature": ed25519.sign(private, text).hex(),
        }  # fmt: skip
    return forgers.shown()


def left_out(forgers: Forgers) -> Document:
    """Leave the chain of an honest witness out of the file, and use that of the house's own one only."""
    return forgers.shown()


ATTACKS: Final[dict[str, tuple[Attack, bool, dict[str, Any], str, str | None]]] = {
    "an early link": (early, False, {}, "failed", None),
    "an early link, against a receipt": (early, True, {}, "failed", None),
    "an early link, backdated": (backdated, False, {}, "uncosigned", "house_early"),
    "an early link, backdated, against a receipt": (backdated, True, {}, "failed", None),
    "an early link, backdated, where signatures are required": (
        backdated, False, {"require_signed": True}, "unverified", None),
    "no witness": (downgraded, False, {}, "uncosigned", "house"),
    "no witness, where one is required": (downgraded, False, {"witness_keys": [WITNESS]}, "unverified", None),
    "another witness than required": (left_out, False, {"witness_keys": [WITNESS, HONEST]}, "unverified", None),
    "paid to another player": (paid_to_another, False, {}, "failed", None),
}  # fmt: skip
"""What is tried, whether the player has a receipt, what the reader requires; the verdict, and who could have chosen."""


def attempts(attack: Attack, *, rounds: int, kept: bool) -> list[tuple[bytes, list[bytes]]]:
    """Return the files of rounds that end as the house wants, with the receipts that the player keeps."""
    chance, files = Random(attack.__name__), list[tuple[bytes, list[bytes]]]()
    for _ in range(rounds):
        forgers = Forgers()
        forgers.change_until_paid(another_index, chance)
        forgers.shown()
        receipts = [forgers.receipt()] if kept else []
        files.append((canonical(attack(copy.copy(forgers))), receipts))
    return files


def verdicts(
    raw: bytes, keys: list[str], policy: dict[str, Any], receipts: Sequence[bytes] = ()
) -> list[tuple[str, str | None]]:
    """Return what each verifier says of a file: the verdict, and who could have chosen."""
    alone = verifier.verify(raw, keys, receipts, **policy)
    said = [(alone["verdict"], alone["could_choose"])]
    if HAS_NODE:
        (shown,) = verify_on_page([page_request(raw, keys=keys, receipts=receipts, **policy)])
        said.append((shown["verdict"], shown["could_choose"]))
    if HAS_PHP:
        (by_php,) = verify_all([request(raw, keys=keys, receipts=receipts, **policy)])
        status = {number: verdict for verdict, number in verifier.STATUS.items()}
        said.append((status.get(by_php.status, "verified"), by_php.could_choose))
    return said


def named(attack: str, *, rounds: int) -> set[tuple[str, str | None]]:
    """Return what all verifiers, which agree, say of rounds of an attack: the verdicts, and who could have chosen."""
    act, kept, policy, _, _ = ATTACKS[attack]
    keys, said = [*KEYS, str(golden("mini")["keys"][0]["public_key"])], set()
    files = attempts(act, rounds=rounds, kept=kept)
    for raw, receipts in files:
        alone = verifier.verify(raw, keys, receipts, **policy)
        said.add((alone["verdict"], alone["could_choose"]))
    if HAS_NODE:
        shown = verify_on_page([page_request(raw, keys=keys, receipts=receipts, **policy) for raw, receipts in files])
        said |= {(each["verdict"], each["could_choose"]) for each in shown}
    if HAS_PHP:
        status = {number: verdict for verdict, number in verifier.STATUS.items()}
        shown_by_php = verify_all([request(raw, keys=keys, receipts=receipts, **policy) for raw, receipts in files])
        said |= {(status.get(each.status, "verified"), each.could_choose) for each in shown_by_php}
    return said


@pytest.mark.parametrize("attack", ATTACKS)
def test_every_round_of_an_attack_fails_or_is_named_by_every_verifier(attack: str) -> None:
    *_, verdict, chooser = ATTACKS[attack]
    assert named(attack, rounds=ROUNDS) == {(verdict, chooser)}
    assert verdict != "verified" or chooser not in PLAIN


@pytest.mark.parametrize(("policy", "chooser"), [({"witness_keys": [WITNESS]}, "nobody"), ({}, "house_and_witnesses")])
def test_a_round_with_signed_wagers_was_nobodys_choice_for_who_requires_its_witness(
    policy: dict[str, Any], chooser: str
) -> None:
    forgers = Forgers()
    forgers.change_until_paid(another_index)
    forgers.shown()
    raw = canonical(signed(forgers))
    for required in (policy, {**policy, "require_signed": True}):
        for result in verdicts(raw, [each for each in KEYS if each != WITNESS or not policy], required):
            assert result == ("uncosigned", chooser)


@pytest.mark.parametrize(("number", "previous"), [(1, "ab" * 32), (7, verifier.NO_DIGEST)])
def test_a_statement_has_the_number_of_its_place(number: int, previous: str) -> None:
    forgers = Forgers()
    event_data(forgers.document, "LinksReleased")["releases"][0].update(number=number, previous=previous)
    for verdict, _ in verdicts(canonical(forgers.shown()), KEYS, {}):
        assert verdict == "failed"
