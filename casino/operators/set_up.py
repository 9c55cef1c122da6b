"""How operators are set up. One person does each of these in the admin, and a command asks one for it there.

By command alone, as nobody who was authenticated, are made: whatever is of a sandbox operator, and the first live
operator of an installation, a critical significant event.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from casino.kernel.persons import is_shell
from casino.kernel.text import isolate
from casino.operators import acts, brands, changes, currencies, services
from casino.operators.changes import ChangeKind
from casino.operators.memberships import has_live_operators
from casino.operators.models import Change, ChangeName, Operator
from casino.significant.recorder import SignificantEventKind


def create_operator(
    *, slug: str, name: str, offered: Sequence[str], sandbox: bool, time_zone: str, by: str
) -> Operator | Change:
    """Create an operator, or request a further live one by a command. Raises what `services.create_operator` does."""
    terms: Mapping[str, Any] = {
        "slug": slug,
        "name": name,
        "currencies": list(offered),
        "sandbox": sandbox,
        "time_zone": time_zone,
    }
    if sandbox or not is_shell(by):
        return services.create_operator(**terms, by=by)
    if not has_live_operators():
        return services.create_operator(**terms, by=by, kind=SignificantEventKind.ACCESS_BY_COMMAND)
    subject, summary = (
        f"operator:{slug}",
        f"Create the operator {slug} ({isolate(name)}), in {', '.join(offered)}, {time_zone}",
    )
    return changes.request(
        operator=None, kind=ChangeName.OPERATOR, subject=subject, summary=summary, details=terms, by=by
    )


def create_brand(operator: Operator, *, slug: str, name: str, shares_players: bool, by: str) -> Change | None:
    """Create a brand. Raises InvalidSlug, BrandSlugTaken."""
    details = {"slug": slug, "name": name, "shares_players": shares_players}
    summary = f"Create the brand {slug} of {operator.slug}{', which shares its players' if shares_players else ''}"
    subject = f"operator:{operator.pk}"
    return changes.make(operator, ChangeName.BRAND, subject=subject, summary=summary, details=details, by=by)


def offer_currencies(operator: Operator, *, codes: Sequence[str], by: str) -> Change | None:
    """Add currencies, or make another one the default. Raises what `currencies.change` does."""
    details, summary = {"codes": list(codes)}, f"Offer the currencies {', '.join(codes)} at {operator.slug}"
    subject = f"operator:{operator.pk}"
    return changes.make(operator, ChangeName.CURRENCIES, subject=subject, summary=summary, details=details, by=by)


def set_time_zone(operator: Operator, *, time_zone: str, by: str) -> Change | None:
    """Set the time zone of an operator's accounting days. Raises UnknownTimeZone."""
    details, summary = {"time_zone": time_zone}, f"Let accounting days of {operator.slug} begin in {time_zone}"
    subject = f"operator:{operator.pk}"
    return changes.make(operator, ChangeName.TIME_ZONE, subject=subject, summary=summary, details=details, by=by)


def register() -> None:
    """Register what a person confirms."""
    for name, act, apply in (
        (ChangeName.OPERATOR, acts.ADD_OPERATOR, _create_operator),
        (ChangeName.BRAND, acts.ADD_BRAND, _create_brand),
        (ChangeName.CURRENCIES, acts.SET_CURRENCIES, _offer_currencies),
        (ChangeName.TIME_ZONE, acts.SET_CURRENCIES, _set_time_zone),
    ):
        changes.register(ChangeKind(name, act, apply))


def _create_operator(change: Change) -> None:
    services.create_operator(**change.details, by=change.requested_by)


def _create_brand(change: Change) -> None:
    brands.create_brand(operator=changes.operator_of(change), **change.details, by=change.requested_by)


def _offer_currencies(change: Change) -> None:
    operator = services.get_operator(changes.operator_of(change))
    currencies.change(operator=operator, currencies=change.details["codes"], by=change.requested_by)


def _set_time_zone(change: Change) -> None:
    operator = services.get_operator(changes.operator_of(change))
    services.set_time_zone(slug=operator.slug, **change.details, by=change.requested_by)
