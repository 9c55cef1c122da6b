"""What is done to protect players, by themselves and by their operator: each is one transaction."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from casino.events.sql import fetch
from casino.events.store import Append, Metadata, append
from casino.kernel.errors import Refusal
from casino.kernel.money import Book
from casino.operators import pins
from casino.operators.refusals import PinNotSet
from wallet.ledger import store
from wallet.ledger.accounts import player_account
from wallet.ledger.event_registry import CATALOGUE
from wallet.ledger.refusals import UnknownAccount
from wallet.responsible_gaming import decider, projection
from wallet.responsible_gaming.decider import Whose
from wallet.responsible_gaming.events import (
    HouseEvent,
    Measure,
    Period,
    PlayerProtectionEvent,
    Setter,
    house_stream,
    protection_stream,
)
from wallet.responsible_gaming.state import Protection, evolve, evolve_house

Decide = Callable[[Protection, datetime], PlayerProtectionEvent]
_OPEN: Final = "SELECT FROM wallet_account WHERE id = %s"


@dataclass(frozen=True, slots=True)
class On:
    """Whose protection, and what the events remember of the request."""

    operator: UUID
    player: UUID
    currency: str
    metadata: Metadata

    @property
    def whose(self) -> Whose:
        """The player, as deciders know it."""
        return Whose(self.operator, self.player, self.currency)


def set_limit(*, on: On, by: Setter, measure: Measure, period: Period, most: int | None) -> Protection:
    """Limit a player to `most` (minor units, minutes of time), or ask for a higher limit or none (None).

    Raises UnknownAccount, PlayLimitImpossible, PlayLimitUnchanged.
    """
    return _change(
        on,
        lambda state, now: decider.change(
            state, whose=on.whose, by=by, measure=measure, period=period, most=most, now=now
        ),
    )


def confirm_raise(*, on: On, measure: Measure, period: Period) -> Protection:
    """Let a higher limit hold that the player asked for a day ago. Raises NoRaisePending, RaiseNotRipe."""
    return _change(
        on, lambda state, now: decider.confirm(state, whose=on.whose, measure=measure, period=period, now=now)
    )


def cancel_raise(*, on: On, measure: Measure, period: Period) -> Protection:
    """Forget that the player asked for a higher limit. Raises NoRaisePending."""
    return _change(
        on, lambda state, now: decider.cancel(state, whose=on.whose, measure=measure, period=period, now=now)
    )


def set_reality_check(*, on: On, minutes: int) -> Protection:
    """Have a player reminded every so many minutes. Raises RealityCheckInvalid."""
    return _change(on, lambda _, now: decider.remind(whose=on.whose, minutes=minutes, now=now))


def cool_off(*, on: On, by: Setter, hours: int) -> Protection:
    """Keep a player from deposits and play for so many hours, from now on.

    Raises UnknownAccount, ExclusionLengthInvalid, ExclusionRunsLonger.
    """
    return _change(on, lambda state, now: decider.cool_off(state, whose=on.whose, by=by, hours=hours, now=now))


def self_exclude(*, on: On, by: Setter, months: int) -> Protection:
    """Keep a player from deposits and play for so many months at least. Raises as `cool_off`."""
    return _change(on, lambda state, now: decider.self_exclude(state, whose=on.whose, by=by, months=months, now=now))


def end_exclusion(*, on: On) -> Protection:
    """Let a player play again whose self-exclusion is over. Raises NotSelfExcluded, ExclusionNotOver."""
    return _change(on, lambda state, now: decider.end_exclusion(state, whose=on.whose, now=now))


def stop(*, on: On, says: str) -> Protection:
    """Hold a player back from play, for those who run the house. Raises UnknownAccount, PlayerStoppedAlready.

    A confirmed wager is dealt and settled; deposits and withdrawals stay as they are.
    """
    return _change(on, lambda state, now: decider.stop(state, whose=on.whose, says=says, now=now))


def resume(*, on: On) -> Protection:
    """Let a player play again. Raises UnknownAccount, PlayerNotStopped."""
    return _change(on, lambda state, now: decider.resume(state, whose=on.whose, now=now))


def try_pin(*, player: UUID, pin: str | None) -> Refusal | None:
    """Hold a PIN against a player's where there is one, and answer why it is refused, None if it is not.

    Commit the transaction before the refusal is raised: a wrong try is counted in it.
    """
    refusal = pins.try_pin(player=player, pin=pin or "")
    return None if isinstance(refusal, PinNotSet) else refusal


def set_house_limit(
    *, operator: UUID, currency: str, measure: Measure, period: Period, most: int | None, metadata: Metadata
) -> None:
    """Hold every player of an operator to `most`, or no longer to any limit (None).

    Raises PlayLimitImpossible, PlayLimitUnchanged, VersionConflict.
    """
    with transaction.atomic():
        state, version = projection.load_house(operator=operator)
        event = decider.change_house(
            state,
            operator=operator,
            currency=currency,
            measure=measure,
            period=period,
            most=most,
            now=_clock(),
        )
        _change_house(event, version, metadata)


def set_play_cap(*, operator: UUID, currency: str, cap: int, metadata: Metadata) -> None:
    """Say up to how many minor units play money is topped up. Raises PlayLimitImpossible, VersionConflict."""
    with transaction.atomic():
        _, version = projection.load_house(operator=operator)
        event = decider.change_cap(operator=operator, currency=currency, cap=cap, now=_clock())
        _change_house(event, version, metadata)


def _change(on: On, decide: Decide) -> Protection:
    account = player_account(operator=on.operator, player=on.player, book=Book.REAL, currency=on.currency)
    with transaction.atomic():
        if not fetch(_OPEN, [account.id]):
            raise UnknownAccount
        # Wagers and deposits hold this lock too: what is decided here holds for every one that comes after it.
        store.lock((account,))
        now = _clock()
        state, version = projection.load(operator=on.operator, player=on.player)
        event = decide(state, now)
        append([Append(protection_stream(on.player), version, (CATALOGUE.encode(event),), on.metadata)])
        state = evolve(state, event)
        projection.save(operator=on.operator, player=on.player, state=state, version=version + 1)
    return state


def _change_house(event: HouseEvent, version: int, metadata: Metadata) -> None:
    append([Append(house_stream(event.operator), version, (CATALOGUE.encode(event),), metadata)])
    state, _ = projection.load_house(operator=event.operator)
    projection.save_house(
        operator=event.operator, currency=event.currency, state=evolve_house(state, event), version=version + 1
    )


def _clock() -> datetime:
    moment: datetime = fetch("SELECT clock_timestamp()")[0][0]
    return moment
