"""What makes a live operator's API keys more powerful, or its doors wider: two persons agree on each of these changes.

What takes power away needs one person and is done at once, and so is everything at a sandbox operator. A new secret is
made when it is asked for, and returned to who asks: it opens nothing until another person confirms, who never sees it.
A command is nobody, and asks as well, but for the first key of an operator without players.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from ipaddress import ip_network
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.events.sql import fetch
from casino.kernel.money import format_amount
from casino.kernel.persons import is_shell
from casino.operators import (
    acts,
    changes,
    credentials,
    key_limits,
    key_rotation,
    notices,
    origins,
    services,
    signing_keys,
)
from casino.operators.changes import ChangeKind
from casino.operators.key_limits import KeyLimits, Movement
from casino.operators.models import ApiKey, Change, ChangeName, Operator
from casino.operators.principals import Scope
from casino.operators.refusals import InvalidNetworks, MoneyKeyUnlimited
from casino.significant import act_log
from casino.significant.recorder import SignificantEventKind

ORIGINS: Final = acts.SET_ORIGINS.name
NETWORKS: Final = acts.SET_STAFF_NETWORKS.name
SIGNATURES: Final = acts.REQUIRE_SIGNATURES.name
SIGNING_KEYS: Final = acts.ADD_SIGNING_KEY.name
_LACKS_BOUNDS: Final = "SELECT operators_lacks_bounds(%s)"


@dataclass(frozen=True, slots=True)
class NewSecret:
    """A secret that was made, of what; `change` is what another person still has to confirm, None if nothing is."""

    name: str
    secret: str
    change: Change | None


@transaction.atomic
def issue(
    operator: Operator,
    *,
    label: str,
    scopes: Iterable[str] | None = None,
    networks: Iterable[str] = (),
    expires_at: datetime | None = None,
    limits: Mapping[str, KeyLimits] = MappingProxyType({}),
    brand: UUID | None = None,
    by: str,
) -> NewSecret:
    """Issue a key, whose limits by currency are of each movement.

    The first one of a live operator, by command, is issued at once: a critical significant event. Without scopes, a key
    has all, but that one not `money`, which needs limits, networks and an end. Raises InvalidKeyTerms,
    MoneyKeyUnlimited.
    """
    key, secret = credentials.new_key()
    is_first = not operator.sandbox and is_shell(by) and services.is_unused(operator.pk)
    if scopes is None:
        scopes = [scope for scope in Scope if scope is not Scope.MONEY or not is_first]
    terms = services.key_terms(scopes, networks, expires_at)
    details = {
        "key": key,
        "secret_hash": credentials.digest(secret).hex(),
        "operator": str(operator.pk),
        "label": label,
        "brand": None if brand is None else str(brand),
        **terms,
        "expires_at": None if expires_at is None else expires_at.isoformat(),
        "limits": {currency: [each.per_request, each.per_day] for currency, each in limits.items()},
    }
    if is_first:
        with act_log.as_one(acts.CHANGE_KEY.name, operator=operator.pk, subject=f"key:{key}", actor=by):
            _add_key(details, by, kind=SignificantEventKind.ACCESS_BY_COMMAND)
        return NewSecret(key, secret, None)
    caps = [_caps(each, currency) for currency, each in limits.items()] or ["no limit"]
    summary = f"Issue the API key {label} for {_describe_terms(terms)}; {'; '.join(caps)}"
    return NewSecret(
        key,
        secret,
        changes.make(operator, ChangeName.API_KEY, subject=f"key:{key}", summary=summary, details=details, by=by),
    )


def rotate(key: ApiKey, *, by: str) -> NewSecret:
    """Replace the secret of a key, as its operator's staff. Raises RotationUnderWay, UnknownKey."""
    secret = credentials.new_secret()
    details = {"key": key.pk, "secret_hash": credentials.digest(secret).hex()}
    summary = f"Rotate the secret of the API key {key.label} ({key.pk})"
    change = changes.make(
        key.operator, ChangeName.KEY_ROTATION, subject=f"key:{key.pk}", summary=summary, details=details, by=by
    )
    return NewSecret(key.pk, secret, change)


@transaction.atomic
def set_terms(
    key: ApiKey, *, scopes: Iterable[str], networks: Iterable[str], expires_at: datetime | None, by: str
) -> Change | None:
    """Set what a key may do, from where and until when; what lets it do more is a change of two persons.

    Raises InvalidKeyTerms, MoneyKeyUnlimited.
    """
    locked = ApiKey.objects.select_for_update(no_key=True, of=("self",)).select_related("operator").get(pk=key.pk)
    terms = services.key_terms(scopes, networks, expires_at)
    if not _widens(locked, terms):
        services.change_terms(locked.pk, **terms, by=by, tightens=True)
        return None
    end = None if expires_at is None else expires_at.isoformat()
    details, subject = {"key": key.pk, **terms, "expires_at": end}, f"key:{key.pk}"
    summary = f"Let the API key {key.label} ({key.pk}) be used for {_describe_terms(terms)}"
    kind = ChangeName.KEY_TERMS
    return changes.make(locked.operator, kind, subject=subject, summary=summary, details=details, by=by)


@transaction.atomic
def set_limit(key: ApiKey, *, movement: Movement, currency: str, limits: KeyLimits | None, by: str) -> Change | None:
    """Set a key's limits on a movement, None for none; what lets it move more is a change of two persons.

    Raises InvalidKeyLimit, MoneyKeyUnlimited, UnknownKey.
    """
    locked = ApiKey.objects.select_for_update(no_key=True, of=("self",)).select_related("operator").get(pk=key.pk)
    if not key_limits.loosens(locked.limits.all(), movement, currency, limits):
        key_limits.change(key=key.pk, movement=movement, currency=currency, limits=limits, by=by)
        return None
    amounts = None if limits is None else [limits.per_request, limits.per_day]
    details = {"key": key.pk, "movement": movement.value, "currency": currency, "limits": amounts}
    what = "no limit" if limits is None else _caps(limits, currency)
    summary = f"Set for each {movement.value} by the API key {key.label} ({key.pk}): {what}"
    return changes.make(
        locked.operator, ChangeName.KEY_LIMIT, subject=f"key:{key.pk}", summary=summary, details=details, by=by
    )


def add_signing_key(key: ApiKey, *, jwk: str, by: str) -> tuple[str, Change | None]:
    """Register an Ed25519 public key, a JWK; return its `keyid`, and the change if another person has to agree.

    Raises InvalidSigningKey, TooManySigningKeys, UnknownKey.
    """
    keyid = signing_keys.parse_public(jwk).keyid
    details = {"key": key.pk, "jwk": jwk}
    summary = f"Register the signing key {keyid} of the API key {key.label} ({key.pk})"
    change = changes.make(
        key.operator, ChangeName.SIGNING_KEY, subject=f"key:{key.pk}", summary=summary, details=details, by=by
    )
    return keyid, change


def accept_unsigned(operator: Operator, key: ApiKey | None = None, *, by: str) -> Change | None:
    """Accept unsigned requests with a key, or with each key of the operator that does not require signatures itself."""
    subject = f"operator:{operator.pk}" if key is None else f"key:{key.pk}"
    details = {"operator": str(operator.pk), "key": "" if key is None else key.pk}
    summary = f"Accept unsigned requests of {operator.slug if key is None else f'the API key {key.label} ({key.pk})'}"
    return changes.make(
        operator, ChangeName.UNSIGNED_REQUESTS, subject=subject, summary=summary, details=details, by=by
    )


@transaction.atomic
def set_origins(operator: Operator, wanted: Sequence[str], *, by: str) -> Change | None:
    """Replace an operator's origins; one more is a change of two persons. Raises InvalidOrigin, UnknownOperator."""
    operator = services.find_operator(slug=operator.slug, lock=True)
    distinct = origins.distinct(wanted)
    added = sorted({*distinct} - {*operator.origins})
    if not added:
        origins.set_origins(slug=operator.slug, origins=distinct, by=by)
        return None
    details = {"operator": str(operator.pk), "origins": distinct, "added": added}
    summary = f"Let pages of {', '.join(added)} frame and call the casino of {operator.slug}"
    return changes.make(
        operator, ChangeName.ORIGINS, subject=f"operator:{operator.pk}", summary=summary, details=details, by=by
    )


@transaction.atomic
def set_staff_networks(operator: Operator, wanted: Iterable[str], *, by: str) -> Change | None:
    """Set where an operator's staff may sign in from, none for anywhere; whatever is added takes two persons.

    Raises InvalidNetworks, UnknownOperator.
    """
    operator = services.find_operator(slug=operator.slug, lock=True)
    try:
        networks = sorted({ip_network(each) for each in wanted}, key=str)
    except ValueError as error:
        raise InvalidNetworks(str(error)) from None
    details = {"operator": str(operator.pk), "networks": [str(each) for each in networks]}
    if _is_narrower(details["networks"], operator.staff_networks):
        _set_staff_networks(details, by)
        return None
    places = ", ".join(details["networks"]) or "anywhere"
    summary = f"Let the staff of {operator.slug} sign in from {places}"
    subject = f"operator:{operator.pk}"
    return changes.make(operator, ChangeName.STAFF_NETWORKS, subject=subject, summary=summary, details=details, by=by)


def _is_narrower(wanted: Sequence[str], present: Sequence[str]) -> bool:
    """Return whether staff may sign in from no further network; none at all means from anywhere."""
    one, other = ([ip_network(each) for each in networks] for networks in (wanted, present))
    return not other or (bool(one) and all(any(_is_within(each, outer) for outer in other) for each in one))


def _is_within(one: Any, other: Any) -> bool:
    return one.version == other.version and bool(one.subnet_of(other))


def register() -> None:
    """Register what two persons may change of keys."""
    for name, act, effect in (
        (ChangeName.API_KEY, acts.CHANGE_KEY, _add_key),
        (ChangeName.KEY_ROTATION, acts.CHANGE_KEY, _replace_secret),
        (ChangeName.KEY_LIMIT, acts.CHANGE_KEY, _set_limit),
        (ChangeName.KEY_TERMS, acts.CHANGE_KEY, _set_terms),
        (ChangeName.SIGNING_KEY, acts.ADD_SIGNING_KEY, _add_signing_key),
        (ChangeName.UNSIGNED_REQUESTS, acts.REQUIRE_SIGNATURES, _accept_unsigned),
        (ChangeName.ORIGINS, acts.SET_ORIGINS, _set_origins),
        (ChangeName.STAFF_NETWORKS, acts.SET_STAFF_NETWORKS, _set_staff_networks),
    ):
        changes.register(ChangeKind(name, act, partial(_apply, effect), concerns=partial(_who_may, act.name)))


def _apply(effect: Callable[[Mapping[str, Any], str], None], change: Change) -> None:
    effect(changes.details_of(change), change.requested_by)


def _add_key(
    details: Mapping[str, Any], by: str, kind: SignificantEventKind = SignificantEventKind.ACCESS_CHANGED
) -> None:
    expires_at, brand = details["expires_at"], details["brand"]
    terms = services.key_terms(
        details["scopes"], details["networks"], None if expires_at is None else datetime.fromisoformat(expires_at)
    )
    services.add_key(
        details["key"],
        bytes.fromhex(details["secret_hash"]),
        operator=UUID(details["operator"]),
        label=details["label"],
        brand=None if brand is None else UUID(brand),
        by=by,
        kind=kind,
        **terms,
    )
    for currency, amounts in details["limits"].items():
        for movement in Movement:
            limits = KeyLimits(*amounts)
            key_limits.change(key=details["key"], movement=movement, currency=currency, limits=limits, by=by)
    _require_bounds(details["key"])


def _replace_secret(details: Mapping[str, Any], by: str) -> None:
    key_rotation.replace(bytes.fromhex(details["secret_hash"]), key_id=details["key"], by=by)


def _set_terms(details: Mapping[str, Any], by: str) -> None:
    end = details["expires_at"]
    terms = services.key_terms(
        details["scopes"], details["networks"], None if end is None else datetime.fromisoformat(end)
    )
    services.change_terms(details["key"], **terms, by=by, tightens=False)
    _require_bounds(details["key"])


def _set_limit(details: Mapping[str, Any], by: str) -> None:
    amounts = details["limits"]
    key_limits.change(
        key=details["key"],
        movement=Movement(details["movement"]),
        currency=details["currency"],
        limits=None if amounts is None else KeyLimits(*amounts),
        by=by,
    )
    _require_bounds(details["key"])


def _add_signing_key(details: Mapping[str, Any], by: str) -> None:
    signing_keys.add_public(key_id=details["key"], jwk=details["jwk"], by=by)


def _accept_unsigned(details: Mapping[str, Any], by: str) -> None:
    if details["key"]:
        signing_keys.require(key_id=details["key"], required=False, by=by)
    else:
        signing_keys.require_of_all(services.get_operator(UUID(details["operator"])), required=False, by=by)


def _set_origins(details: Mapping[str, Any], by: str) -> None:
    """Add what two persons agreed on, and nothing that one has removed meanwhile."""
    operator = services.get_operator(UUID(details["operator"]))
    kept = {*details["origins"]} & {*operator.origins}
    origins.set_origins(slug=operator.slug, origins=sorted({*kept, *details["added"]}), by=by)


def _set_staff_networks(details: Mapping[str, Any], by: str) -> None:
    operator = services.get_operator(UUID(details["operator"]))
    reason = "Where the operator's staff may sign in from was changed"
    act_log.changed(
        operator,
        NETWORKS,
        by=by,
        reason=reason,
        tightens=_is_narrower(details["networks"], operator.staff_networks),
        staff_networks=details["networks"],
    )


def _caps(limits: KeyLimits, currency: str) -> str:
    """Describe limits of a movement to the person who confirms them."""
    of_request, of_day = (
        "any amount" if each is None else f"{format_amount(each, currency)} {currency}"
        for each in (limits.per_request, limits.per_day)
    )
    return f"at most {of_request} in a request, {of_day} in a day"


def _describe_terms(terms: Mapping[str, Any]) -> str:
    """Describe scopes, networks and the end of a key to the person who confirms them."""
    end = "without an end" if terms["expires_at"] is None else f"until {terms['expires_at']:%Y-%m-%d}"
    places = f"from {', '.join(terms['networks'])}" if terms["networks"] else "from anywhere"
    return f"{', '.join(terms['scopes'])}, {places}, {end}"


def _widens(key: ApiKey, terms: Mapping[str, Any]) -> bool:
    """Return whether a key could do more by these terms than by its own."""
    end = terms["expires_at"]
    later = key.expires_at is not None and (end is None or end > key.expires_at)
    return later or not {*terms["scopes"]} <= {*key.scopes} or not _is_narrower(terms["networks"], key.networks)


def _require_bounds(key: str) -> None:
    """Require limits by day, networks and an end of a live operator's key for money. Raises MoneyKeyUnlimited."""
    if fetch(_LACKS_BOUNDS, [key]) == [(True,)]:
        raise MoneyKeyUnlimited


def _who_may(permission: str, change: Change) -> list[str]:
    """List the members of the operator's staff who have a permission, so that all of them are told."""
    return notices.members_with(permission, operator=changes.operator_of(change))
