"""Limits groups: what the players of a group may stake, by currency, and which player belongs to which group."""

from dataclasses import asdict, dataclass
from dataclasses import fields as dataclass_fields
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.kernel import money
from casino.operators import acts
from casino.operators.models import LimitsGroup, Player
from casino.operators.refusals import InvalidGroupLimits, InvalidSlug, UnknownLimitsGroup, UnknownPlayer
from casino.operators.services import is_slug
from casino.significant import act_log, recorder

STANDARD: Final = "standard"
"""The group of players who were moved to no other."""


@dataclass(frozen=True, slots=True)
class GroupLimits:
    """Limits in minor units of one currency: of a stake on a spot, and of stakes and losses in 24 hours."""

    minimum: int | None = None
    maximum: int | None = None
    stake_day: int | None = None
    loss_day: int | None = None


def change(*, operator: UUID, name: str, currency: str, limits: GroupLimits, by: str) -> None:
    """Set a group's limits in a currency, for wagers from now on. The first limits of a name make the group.

    Raises InvalidSlug, UnknownCurrency, InvalidGroupLimits.
    """
    money.exponent(currency)
    if not is_slug(name):
        raise InvalidSlug(f"{name[:60]!r} is not a slug.")
    amounts = [amount for amount in asdict(limits).values() if amount is not None]
    if not all(0 < amount < money.MAX_AMOUNT for amount in amounts) or (
        limits.minimum is not None and limits.maximum is not None and limits.minimum > limits.maximum
    ):
        raise InvalidGroupLimits
    with transaction.atomic():
        key: dict[str, Any] = {"operator_id": operator, "name": name, "currency": currency}
        before = LimitsGroup.objects.select_for_update().filter(**key).values(*asdict(limits)).first()
        tightens = not loosens(operator, name, currency, limits)
        LimitsGroup.objects.update_or_create(**key, defaults=asdict(limits))
        act_log.done(
            acts.SET_BOUNDS.name,
            operator=operator,
            subject=f"limits_group:{name}",
            actor=by,
            reason="The limits of a group were changed",
            tightens=tightens,
            before=before,
            after={**asdict(limits), "currency": currency},
            currency=currency,
        )


def loosens(operator: UUID, name: str, currency: str, limits: GroupLimits) -> bool:
    """Return whether players may stake more after this change of a group, or once they are moved to a new one."""
    present = _limits_of(operator, name)
    if currency not in present:
        return name != STANDARD and not present
    return _is_wider(limits, present[currency])


def is_wider_group(operator: UUID, name: str, present: str) -> bool:
    """Return whether players may stake more in a group than in the one where they are."""
    wanted, limits = _limits_of(operator, name), _limits_of(operator, present)
    return any(_is_wider(wanted.get(currency, GroupLimits()), each) for currency, each in limits.items())


def _limits_of(operator: UUID, name: str) -> dict[str, GroupLimits]:
    """Return the limits of a group by currency; where there are none, nothing is limited."""
    rows = LimitsGroup.objects.filter(operator_id=operator, name=name)
    fields = [field.name for field in dataclass_fields(GroupLimits)]
    return {row.currency: GroupLimits(*(getattr(row, field) for field in fields)) for row in rows}


def _is_wider(limits: GroupLimits, present: GroupLimits) -> bool:
    if present.minimum is not None and (limits.minimum is None or limits.minimum < present.minimum):
        return True
    most = (
        (limits.maximum, present.maximum),
        (limits.stake_day, present.stake_day),
        (limits.loss_day, present.loss_day),
    )
    return any(before is not None and (after is None or after > before) for after, before in most)


def assign(*, operator: UUID, player: UUID, name: str, by: str) -> None:
    """Move a player to a group, for wagers from now on; who is in it already stays.

    Raises UnknownLimitsGroup, UnknownPlayer.
    """
    if name != STANDARD and not LimitsGroup.objects.filter(operator_id=operator, name=name).exists():
        raise UnknownLimitsGroup(f"There is no limits group {name[:60]!r}.")
    with transaction.atomic():
        row = Player.objects.select_for_update(no_key=True).filter(operator_id=operator, id=player).first()
        if row is None:
            raise UnknownPlayer
        if row.limits_group == name:
            return
        act_log.changed(
            row,
            acts.SET_BOUNDS.name,
            kind=recorder.SignificantEventKind.ACCOUNT_CHANGED,
            by=by,
            reason="The player was moved to another limits group",
            tightens=not is_wider_group(operator, name, row.limits_group),
            limits_group=name,
        )
