"""Compare an exported round with what the house signed to a player, by the casino's own fairness code."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from baccarat.domain.fairness.closing import encode_payout, encode_receipt, encode_wager, wager_leaf
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.terms import Terms, WitnessIndex, encode_contributed
from baccarat.domain.rounds.events import RoundSettled, WagerConfirmed, WagerSignature
from baccarat.domain.rounds.signed_wager import UNSIGNED, listed, paid
from baccarat.domain.rules.payouts import SpotResult, StakeResult
from baccarat.domain.rules.wagers import Spot
from baccarat.domain.tables.events import ShoeCutContributed
from baccarat.proofs import verifier
from baccarat.proofs.checks_closing import leaf_of_confirmed
from baccarat.proofs.document import RoundExport, decode_event
from baccarat.proofs.results import CheckNotPossible, Mismatch, require_equal
from casino.crypto import ed25519
from casino.events.hash_chain import microseconds
from casino.kernel.money import MoneyType


def _units(amount: str) -> int:
    return int(amount.replace(".", ""))


class _Stake(msgspec.Struct, frozen=True):
    spot: Spot
    amount: str

    @property
    def units(self) -> int:
        """The amount in minor units."""
        return _units(self.amount)


class Receipt(msgspec.Struct, frozen=True):
    """A wager's receipt as the API gives it."""

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


class _Line(msgspec.Struct, frozen=True):
    spot: Spot
    stake: str
    result: StakeResult
    returned: str
    commission: str

    def result_of(self) -> SpotResult:
        """Return the line in minor units, without what it won, which a payout does not tell."""
        return SpotResult(self.spot, _units(self.stake), self.result, 0, _units(self.commission), _units(self.returned))


class Payout(msgspec.Struct, frozen=True):
    """What a wager returned, as the API gives it."""

    table: UUID
    round: str
    terms: str
    wager: UUID
    player: UUID
    leaf: str
    results: tuple[_Line, ...]
    currency: str
    settled_at: datetime
    public_key: str
    signature: str


class Contributed(msgspec.Struct, frozen=True):
    """A contribution's receipt as the API gives it."""

    table: UUID
    commitment: str
    witnesses: tuple[WitnessIndex, ...]
    seat: int
    player: UUID
    contribution: str
    player_key: str
    contributed_at: datetime
    public_key: str
    signature: str


def check_receipts(exported: RoundExport, *, receipts: Sequence[bytes], trusted: frozenset[str]) -> str:
    """Check that each receipt is signed by its key, and that the round was played as it says."""
    texts, keys = [], set()
    for document in (each for raw in receipts for each in verifier.listed(verifier.read(raw))):
        kind = document.get("kind") if isinstance(document, dict) else None
        if not isinstance(kind, str) or kind not in _KINDS:
            raise Mismatch("the receipt is of no known kind", sorted(_KINDS), kind)
        shape, what, parsed, check = _KINDS[kind]
        try:
            verifier.shaped(document, shape, what, closed=True)
        except verifier.CheckFailed as refused:
            raise Mismatch(refused.what, refused.expected, refused.actual) from refused
        texts.append(check(exported, msgspec.convert(document, parsed)))
        keys.add(document["public_key"])
    unknown = sorted(keys - trusted)
    if unknown:
        raise CheckNotPossible(f"{'; '.join(texts)}; signed by a key that you do not trust: {', '.join(unknown)}")
    return "; ".join(texts)


def _require_signed(receipt: Receipt | Payout | Contributed, signed: bytes) -> None:
    key, signature = receipt.public_key, receipt.signature
    if not ed25519.is_signed(signed, bytes.fromhex(signature), public=bytes.fromhex(key)):
        raise Mismatch("the receipt is not signed by its key", key, signature)


def _require_same_round(exported: RoundExport, receipt: Receipt | Payout, terms: str) -> None:
    played = [exported.round["id"], exported.round["table"], exported.opened.terms]
    require_equal([receipt.round, str(receipt.table), terms], played, "the receipt is of other terms")


def _check_wager(exported: RoundExport, receipt: Receipt) -> str:
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
    _require_signed(receipt, signed)
    digests = [receipt.terms["digest"], receipt.leaf]
    require_equal([terms, leaf.hex()], digests, "the receipt has other digests than its terms and its wager")
    _require_same_round(exported, receipt, terms)
    wagers = list(exported.decode_all(WagerConfirmed.__name__))[receipt.place : receipt.place + 1]
    found = [(leaf_of_confirmed(exported, wager), wager.stakes) for wager in wagers]
    if found != [(leaf, stakes)]:
        raise Mismatch("the wager is not at the place of its receipt", [leaf.hex(), stakes], wagers)
    verifier.require_links_after(exported.proof, f"{receipt.confirmed_at:%Y-%m-%dT%H:%M:%S.%fZ}")
    return f"the wager at place {receipt.place}, on terms {terms}, is as its receipt says"


def _check_payout(exported: RoundExport, payout: Payout) -> str:
    lines = [line.result_of() for line in payout.results]
    signed = encode_payout(
        terms=payout.terms,
        leaf=bytes.fromhex(payout.leaf),
        player=payout.player,
        results=paid(lines),
        currency=payout.currency,
        settled_at_us=microseconds(payout.settled_at),
    )
    _require_signed(payout, signed)
    _require_same_round(exported, payout, payout.terms)
    told = (payout.leaf, payout.wager, payout.player, payout.currency, lines, payout.settled_at)
    found = []
    for settled in exported.decode_all(RoundSettled.__name__):
        results = {each.seat: [replace(line, won=0) for line in each.results] for each in settled.wagers}
        found += [
            (
                leaf_of_confirmed(exported, wager).hex(),
                wager.wager,
                wager.player,
                exported.table_rules.currency,
                results[wager.seat],
                settled.settled_at,
            )
            for wager in exported.decode_all(WagerConfirmed.__name__)
            if wager.seat in results and lines
        ]
    if told not in found:
        raise Mismatch("the wager returned something else than its payout says", told, found)
    return f"wager {payout.wager} returned what its payout says"


def _check_contributed(exported: RoundExport, receipt: Contributed) -> str:
    given = Contribution(receipt.seat, receipt.contribution, receipt.player_key)
    signed = encode_contributed(
        table=receipt.table,
        commitment=receipt.commitment,
        witnesses=receipt.witnesses,
        player=receipt.player,
        contribution=given,
        contributed_at_us=microseconds(receipt.contributed_at),
    )
    _require_signed(receipt, signed)
    witnesses = () if exported.is_long else tuple(exported.opened.witnesses)
    told = [str(receipt.table), receipt.commitment, receipt.witnesses]
    found = [exported.round["table"], exported.shoe.commitment, witnesses]
    require_equal(told, found, "the receipt is of another drawing")
    events: list[ShoeCutContributed] = [
        decode_event(event) for event in exported.table_events if event.type == ShoeCutContributed.__name__
    ]
    made = [
        (Contribution(e.seat, e.contribution, "" if e.signature is None else e.signature.public_key), e.player)
        for e in events
    ]
    if (given, receipt.player) not in made:
        raise Mismatch("the cut lacks the contribution of its receipt", [given, receipt.player], made)
    return f"the contribution {receipt.contribution} of seat {receipt.seat} is in the cut's log"


_KINDS: Final[Mapping[str, tuple[Any, str, type, Callable[[RoundExport, Any], str]]]] = {
    "wager": (verifier.RECEIPT, "the receipt", Receipt, _check_wager),
    "payout": (verifier.PAYOUT, "the payout", Payout, _check_payout),
    "contribution": (verifier.CONTRIBUTED, "the receipt", Contributed, _check_contributed),
}


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
