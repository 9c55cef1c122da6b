"""What may be staked, what players get back, and how much moves in a day: who widens a bound needs a second person.

At a live operator, that is. Who narrows one does it alone and at once, and so is everything done at a sandbox operator.
"""

from dataclasses import asdict
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.kernel.money import format_amount
from casino.operators import acts, changes, daily_caps, limits_groups, notices, services
from casino.operators.changes import ChangeKind
from casino.operators.daily_caps import CapEffect, CapKind
from casino.operators.limits_groups import GroupLimits
from casino.operators.models import Change, ChangeName, DailyCap, Operator, Player

BOUNDS: Final = acts.SET_BOUNDS.name


@transaction.atomic
def set_limits(operator: Operator, *, name: str, currency: str, limits: GroupLimits, by: str) -> Change | None:
    """Set the limits of a group of players in a currency; a new group is a change of two persons, as is a wider limit.

    Raises InvalidSlug, UnknownCurrency, InvalidGroupLimits.
    """
    operator = services.find_operator(slug=operator.slug, lock=True)
    amounts = asdict(limits)
    details = {"name": name, "currency": currency, "limits": amounts}
    if not limits_groups.loosens(operator.pk, name, currency, limits):
        limits_groups.change(operator=operator.pk, name=name, currency=currency, limits=limits, by=by)
        return None
    given = [
        f"{field.replace('_', ' ')} {format_amount(amount, currency)}"
        for field, amount in amounts.items()
        if amount is not None
    ]
    summary = f"Limit the players of {name} in {currency}: {', '.join(given) or 'nothing'}"
    subject = f"limits_group:{name}"
    return changes.make(operator, ChangeName.LIMITS_GROUP, subject=subject, summary=summary, details=details, by=by)


@transaction.atomic
def set_return_floor(operator: Operator, *, percent: str, by: str) -> Change | None:
    """Set the return below which a real-money spot needs acknowledgement; two persons lower it.

    Raises InvalidReturnFloor.
    """
    operator = services.find_operator(slug=operator.slug, lock=True)
    details = {"operator": operator.slug, "percent": percent}
    if services.parse_percent(percent) >= operator.return_floor:
        services.set_return_floor(slug=operator.slug, percent=percent, by=by)
        return None
    summary = f"Lower the return floor of {operator.slug} from {operator.return_floor / 100:g}% to {percent}%"
    subject = f"operator:{operator.pk}"
    return changes.make(operator, ChangeName.RETURN_FLOOR, subject=subject, summary=summary, details=details, by=by)


@transaction.atomic
def set_cap(
    operator: Operator, *, kind: CapKind, currency: str, amount: int | None, effect: CapEffect | None = None, by: str
) -> Change | None:
    """Set a cap on what moves in an accounting day, in minor units, or remove it with None; two persons loosen one.

    Raises UnknownCurrency, InvalidDailyCap.
    """
    details: dict[str, Any] = {"kind": kind.value, "currency": currency, "cap": amount, "effect": effect}
    rows = DailyCap.objects.filter(operator=operator, kind=kind, currency=currency)
    before = rows.values("amount", "effect").first()
    if not daily_caps.loosens(before, amount, effect or daily_caps.EFFECTS[kind][0]):
        daily_caps.change(operator=operator.pk, kind=kind, currency=currency, amount=amount, effect=effect, by=by)
        return None
    new = "no cap" if amount is None else f"{format_amount(amount, currency)} {currency}"
    summary = f"Cap {daily_caps.in_words(kind)} of a day in {currency}: {new}"
    if effect is not None:
        summary += f", then {daily_caps.in_words(effect)}"
    subject = f"operator:{operator.pk}"
    return changes.make(operator, ChangeName.DAILY_CAP, subject=subject, summary=summary, details=details, by=by)


def move_player(player: Player, *, name: str, by: str) -> Change | None:
    """Move a player to a group; two persons move one to a group with wider limits.

    Raises UnknownLimitsGroup, and ChangeNeedsSecondPerson for a key that would have to ask.
    """
    operator = services.get_operator(player.operator_id)
    if not limits_groups.is_wider_group(operator.pk, name, player.limits_group):
        limits_groups.assign(operator=operator.pk, player=player.pk, name=name, by=by)
        return None
    details, subject = {"player": str(player.pk), "group": name}, f"player:{player.pk}"
    summary = f"Move a player from the limits of {player.limits_group} to those of {name}"
    return changes.make(operator, ChangeName.PLAYER_GROUP, subject=subject, summary=summary, details=details, by=by)


def register() -> None:
    """Register what two persons may widen."""
    for name, apply in (
        (ChangeName.LIMITS_GROUP, _apply_limits),
        (ChangeName.RETURN_FLOOR, _apply_floor),
        (ChangeName.DAILY_CAP, _apply_cap),
        (ChangeName.PLAYER_GROUP, _apply_group),
    ):
        changes.register(ChangeKind(name, acts.SET_BOUNDS, apply, concerns=_who_may))


def _apply_limits(change: Change) -> None:
    limits_groups.change(
        operator=changes.operator_of(change),
        name=change.details["name"],
        currency=change.details["currency"],
        limits=GroupLimits(**change.details["limits"]),
        by=change.requested_by,
    )


def _apply_floor(change: Change) -> None:
    services.set_return_floor(
        slug=change.details["operator"], percent=change.details["percent"], by=change.requested_by
    )


def _apply_cap(change: Change) -> None:
    effect = change.details["effect"]
    daily_caps.change(
        operator=changes.operator_of(change),
        kind=CapKind(change.details["kind"]),
        currency=change.details["currency"],
        amount=change.details["cap"],
        effect=None if effect is None else CapEffect(effect),
        by=change.requested_by,
    )


def _apply_group(change: Change) -> None:
    player, name = UUID(change.details["player"]), change.details["group"]
    limits_groups.assign(operator=changes.operator_of(change), player=player, name=name, by=change.requested_by)


def _who_may(change: Change) -> list[str]:
    return notices.members_with(BOUNDS, operator=changes.operator_of(change))
