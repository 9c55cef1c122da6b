"""Compare an exported round with the house's receipt of one of its wagers, by the casino's own fairness code."""

from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from baccarat.domain.fairness.closing import encode_receipt, encode_wager, wager_leaf
from baccarat.domain.fairness.terms import Terms
from baccarat.domain.rounds.events import WagerConfirmed, WagerSignature
from baccarat.domain.rounds.signed_wager import UNSIGNED, listed
from baccarat.domain.rules.wagers import Spot
from baccarat.proofs import verifier
from baccarat.proofs.checks_closing import leaf_of_confirmed
from baccarat.proofs.document import RoundExport
from baccarat.proofs.results import CheckNotPossible, Mismatch, require_equal
from casino.crypto import ed25519
from casino.events.hash_chain import microseconds
from casino.kernel.money import MoneyType


class _Stake(msgspec.Struct, frozen=True):
    spot: Spot
    amount: str

    @property
    def units(self) -> int:
        """The amount in minor units."""
        return int(self.amount.replace(".", ""))


class Receipt(msgspec.Struct, frozen=True):
    """A receipt as the API gives it."""

    table: UUID
    round: str
    terms: dict[str, Any]
    wager: UUID
    player: UUID
    seat: int
    money_type: MoneyType
    currency: str
    place: int
    stakes: tuple[_Stake, ...]
    raised: tuple[_Stake, ...]
    leaf: str
    wager_signature: WagerSignature | None
    confirmed_at: datetime
    close_by: datetime | None
    public_key: str
    signature: str


def check_receipt(exported: RoundExport, *, raw: bytes, trusted: frozenset[str]) -> str:
    """Check that a receipt of a wager is signed by its key, and that the round was played as it says."""
    try:
        told = verifier.shaped(verifier.read(raw), verifier.RECEIPT, "the receipt", closed=True)
    except verifier.CheckFailed as refused:
        raise Mismatch(refused.what, refused.expected, refused.actual) from refused
    receipt = msgspec.json.decode(raw, type=Receipt)
    terms = msgspec.convert({"witnesses": [], **receipt.terms, "table": receipt.table}, Terms).digest()
    stakes, leaf = {each.spot: each.units for each in receipt.stakes}, _leaf(receipt, terms)
    signed = encode_receipt(
        terms=terms,
        leaf=leaf,
        player=receipt.player,
        seat=receipt.seat,
        place=receipt.place,
        stakes=listed(stakes),
        currency=receipt.currency,
        confirmed_at_us=microseconds(receipt.confirmed_at),
        close_by_us=0 if receipt.close_by is None else microseconds(receipt.close_by),
    )
    key, signature = receipt.public_key, receipt.signature
    if not ed25519.is_signed(signed, bytes.fromhex(signature), public=bytes.fromhex(key)):
        raise Mismatch("the receipt is not signed by its key", key, signature)
    digests = [receipt.terms["digest"], receipt.leaf]
    require_equal([terms, leaf.hex()], digests, "the receipt has other digests than its terms and its wager")
    played = [exported.round["id"], exported.round["table"], exported.opened.terms]
    require_equal([receipt.round, str(receipt.table), terms], played, "the receipt is of other terms")
    wagers = list(exported.decode_all(WagerConfirmed.__name__))[receipt.place : receipt.place + 1]
    found = [(leaf_of_confirmed(exported, wager), wager.stakes) for wager in wagers]
    if found != [(leaf, stakes)]:
        raise Mismatch("the wager is not at the place of its receipt", [leaf.hex(), stakes], wagers)
    verifier.require_links_after(exported.proof, told["confirmed_at"])
    if key not in trusted:
        raise CheckNotPossible(
            f"the round is as the receipt says, which is signed by a key that you do not trust: {key}"
        )
    return f"the wager at place {receipt.place}, on terms {terms}, is as the receipt of key {key} says"


def _leaf(receipt: Receipt, terms: str) -> bytes:
    """Return the leaf of the receipt's wager, with its stakes as asked."""
    raised, signature = {each.spot: each.units for each in receipt.raised}, receipt.wager_signature
    asked = {each.spot: each.units - raised.get(each.spot, 0) for each in receipt.stakes}
    wager = encode_wager(
        terms=terms,
        wager=receipt.wager,
        player=receipt.player,
        seat=receipt.seat,
        play_money=receipt.money_type is MoneyType.PLAY,
        currency=receipt.currency,
        stakes=listed(asked),
        nonce=UNSIGNED if signature is None else bytes.fromhex(signature.nonce),
    )
    return wager_leaf(wager, public_key=b"" if signature is None else bytes.fromhex(signature.public_key))
