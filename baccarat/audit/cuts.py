"""Checks contributions to a cut: their form, how often a seat changed its own, their signatures, and the cut."""

from collections.abc import Sequence
from typing import Final

from baccarat.audit.traces import CommittedShoe, TableTrace, sort_contributions
from baccarat.domain.fairness.cut import (
    Contribution,
    ContributionSignature,
    MalformedContribution,
    parse_contribution,
)
from baccarat.domain.fairness.terms import WitnessIndex, close_cut, encode_contribution
from baccarat.domain.rounds.cut import MAX_CUT_CHANGES, SeatContribution
from baccarat.domain.tables.events import ShoeCutContributed
from casino.crypto import ed25519

MALFORMED: Final = "contribution malformed"
OTHER_SIGNATURE: Final = "contribution not signed by its player"
TOO_OFTEN: Final = "contribution changed too often"


def is_signed(
    event: ShoeCutContributed, signature: ContributionSignature, table: TableTrace, shoe: CommittedShoe
) -> bool:
    """Return whether a contribution has its player's signature; nothing malformed can be signed."""
    try:
        public_key, raw = bytes.fromhex(signature.public_key), bytes.fromhex(signature.signature)
        signed = encode_contribution(
            table=table.opened.table,
            commitment=shoe.commitment,
            witnesses=shoe.witnesses,
            seat=event.seat,
            contribution=event.contribution,
        )
    except ValueError:
        return False
    return public_key[:1] == b"\x01" and ed25519.is_signed(signed, raw, public=public_key[1:])


def faults_of(by_seat: dict[int, SeatContribution], event: ShoeCutContributed) -> list[tuple[str, str]]:
    """Return what is wrong with a contribution by itself: (what, expected)."""
    faults, last = [], by_seat.get(event.seat)
    if last is not None and last.player == event.player and last.change_count >= MAX_CUT_CHANGES:
        faults.append((TOO_OFTEN, f"at most {MAX_CUT_CHANGES} times"))
    try:
        parse_contribution(event.contribution)
    except MalformedContribution as malformed:
        faults.append((MALFORMED, str(malformed)))
    return faults


def put_contribution(by_seat: dict[int, SeatContribution], event: ShoeCutContributed) -> None:
    """Replace a seat's last contribution."""
    last = by_seat.get(event.seat)
    times = 1 if last is None or last.player != event.player else last.change_count + 1
    key = "" if event.signature is None else event.signature.public_key
    by_seat[event.seat] = SeatContribution(
        event.seat, event.player, event.contribution, times, event.contributed_at, key
    )


def cut_difference(
    by_seat: dict[int, SeatContribution],
    contributions: Sequence[Contribution],
    recorded_cut: str,
    *,
    computed: str | None,
) -> tuple[str, str] | None:
    """Return both sides as text if a cut differs from its contributions, else None."""
    expected = listed(by_seat)
    if computed is None:
        return None
    if expected == tuple(contributions) and computed == recorded_cut:
        return None
    return f"{format_contributions(expected)}: {computed}", f"{format_contributions(contributions)}: {recorded_cut}"


def listed(by_seat: dict[int, SeatContribution]) -> tuple[Contribution, ...]:
    return tuple(Contribution(each.seat, each.contribution, each.public_key) for each in sort_contributions(by_seat))


def computed_cut(
    commitment: str,
    contributions: Sequence[Contribution],
    witnesses: Sequence[WitnessIndex] = (),
) -> str | None:
    """Return the cut in hex, None if a contribution or the commitment is malformed, which is recorded with it."""
    try:
        return close_cut(commitment=commitment, contributions=contributions, witnesses=witnesses).hex()
    except ValueError:
        return None


def format_contributions(contributions: Sequence[Contribution]) -> str:
    return (
        ", ".join(f"{each.seat} {each.contribution} {each.public_key}".strip() for each in contributions) or "nothing"
    )
