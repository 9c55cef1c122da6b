"""Use cases and reads of operators, their keys and their players."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cache
from ipaddress import ip_network
from typing import Any, Final
from uuid import UUID
from zoneinfo import available_timezones

from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from casino.crypto import blind_index, crypto_shredding
from casino.events.ids import new_id
from casino.events.sql import database_now
from casino.kernel.text import clean
from casino.operators import acts
from casino.operators import currencies as offer
from casino.operators.models import ApiKey, DailyCap, Operator, Player
from casino.operators.principals import BrandScope, Scope
from casino.operators.refusals import (
    DailyCapsSet,
    InvalidCustomerCare,
    InvalidKeyTerms,
    InvalidReturnFloor,
    InvalidSlug,
    SlugTaken,
    UnknownKey,
    UnknownOperator,
    UnknownPlayer,
    UnknownTimeZone,
)
from casino.significant import act_log, recorder
from casino.staff.duties import Act

_PERCENT: Final = re.compile(r"[0-9]{1,3}(\.[0-9]{1,2})?", re.ASCII)
_CONTACT: Final = re.compile(r"https://[^\s/]+(/\S*)?|[^\s@:/]+@[^\s@:/]+\.[^\s@:/]+|\+?[0-9][0-9 ()-]{3,30}", re.ASCII)
_SANDBOX_CONTACT: Final = re.compile(r"http://127\.0\.0\.1(:[0-9]+)?(/\S*)?", re.ASCII)
_LONGEST_CONTACT: Final = 200
MAX_NAME_LENGTH: Final = 120
MAX_LABEL_LENGTH: Final = 80
MAX_NICKNAME_LENGTH: Final = 40
_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}", re.ASCII)

NicknameCheck = Callable[[UUID, str], None]
"""Takes an operator's id and a nickname; refuses one that other players must not see."""
_nickname_checks: Final[list[NicknameCheck]] = []

# A conflicting insert must return the existing row, even one committed just before: only DO UPDATE does.
_REGISTER: Final = """
    WITH registered AS (
        INSERT INTO operators_player (id, operator_id, brand_id, reference_index, reference, nickname, nickname_index)
        VALUES (%(id)s, %(operator)s, %(brand)s, %(reference_index)s, %(reference)s, %(nickname)s,
                %(nickname_index)s)
        ON CONFLICT (reference_index, (coalesce(brand_id, operator_id)))
        DO UPDATE SET reference_index = operators_player.reference_index
        RETURNING id, operator_id, reference, nickname, created_at, brand_id
    ), keyed AS (
        INSERT INTO crypto_personalkey (player_id, key_id, wrapped, made_at)
        SELECT id, %(key_id)s, %(wrapped)s, clock_timestamp() FROM registered WHERE id = %(id)s
    )
    SELECT id, operator_id, reference, nickname, created_at, brand_id FROM registered
"""


def create_operator(
    *,
    slug: str,
    name: str,
    currencies: Sequence[str],
    sandbox: bool,
    time_zone: str = "UTC",
    by: str = "command",
    kind: recorder.SignificantEventKind = recorder.SignificantEventKind.CONFIG_CHANGED,
) -> Operator:
    """Create an operator, whose accounting days begin at midnight in `time_zone`, an IANA name.

    The first of the currencies is the default. Raises InvalidSlug, SlugTaken, UnknownTimeZone, UnknownCurrency,
    CurrenciesInvalid, CurrencyDecimalsDiffer, UnfitText.
    """
    _require_zone(time_zone)
    name = clean(name, limit=MAX_NAME_LENGTH)
    if not is_slug(slug):
        raise InvalidSlug(f"{slug[:60]!r} is not a slug.")
    try:
        with transaction.atomic():
            offered = offer.prepare(currencies)
            operator = Operator.objects.create(
                id=new_id(database_now()),
                slug=slug,
                name=name,
                currencies=offered,
                sandbox=sandbox,
                time_zone=time_zone,
            )
            act_log.done(
                acts.ADD_OPERATOR.name,
                kind=kind,
                operator=operator.id,
                subject=f"operator:{operator.id}",
                actor=by,
                reason="An operator was created",
                after={"slug": slug, "name": name, "currencies": offered, "sandbox": sandbox, "time_zone": time_zone},
            )
    except IntegrityError:
        raise SlugTaken(f"The operator {slug!r} exists already.") from None
    return operator


def is_slug(text: str) -> bool:
    """Return whether a text can name something in an address."""
    return _SLUG.fullmatch(text) is not None


def set_time_zone(*, slug: str, time_zone: str, by: str) -> None:
    """Change the time zone of an operator's accounting days, by which no cap counts.

    Raises UnknownOperator, UnknownTimeZone, DailyCapsSet.
    """
    _require_zone(time_zone)
    if DailyCap.objects.filter(operator__slug=slug).exists():  # it would begin the day anew
        raise DailyCapsSet
    reason, act = "The time zone was changed", acts.SET_CURRENCIES.name
    act_log.changed(find_operator(slug=slug), act, by=by, reason=reason, time_zone=time_zone)


def set_return_floor(*, slug: str, percent: str, by: str) -> int:
    """Set the return below which a real-money spot needs acknowledgement; "82.5" is stored as 8250.

    Applies to rules drafted and tables opened from now on. Raises UnknownOperator, InvalidReturnFloor.
    """
    floor = parse_percent(percent)
    with transaction.atomic():
        operator = find_operator(slug=slug, lock=True)
        tightens, reason = floor >= operator.return_floor, "The return floor was changed"
        act_log.changed(operator, acts.SET_BOUNDS.name, by=by, reason=reason, tightens=tightens, return_floor=floor)
    return floor


def parse_percent(percent: str) -> int:
    """Return a return in hundredths of a percent. Raises InvalidReturnFloor."""
    floor = int(Decimal(percent) * 100) if _PERCENT.fullmatch(percent) else 0
    if not 0 < floor <= 10_000:
        raise InvalidReturnFloor
    return floor


def set_customer_care(*, slug: str, contact: str, by: str) -> None:
    """Set where players find help; empty for nowhere. A sandbox may name a page of this machine without encryption.

    Raises UnknownOperator, InvalidCustomerCare.
    """
    operator = find_operator(slug=slug)
    is_local = _SANDBOX_CONTACT.fullmatch(contact) and operator.sandbox
    if contact and not (len(contact) <= _LONGEST_CONTACT and (is_local or _CONTACT.fullmatch(contact))):
        raise InvalidCustomerCare
    act, reason = acts.CHANGE_OPERATOR.name, "The contact of customer care was changed"
    act_log.changed(operator, act, by=by, reason=reason, customer_care=contact)


def get_operator(operator: UUID) -> Operator:
    return Operator.objects.get(pk=operator)


def find_operator(*, slug: str, lock: bool = False) -> Operator:
    """Return an operator by its slug, optionally locked for update. Raises UnknownOperator."""
    operators = Operator.objects.select_for_update() if lock else Operator.objects.all()
    operator = operators.filter(slug=slug).first()
    if operator is None:
        raise UnknownOperator(f"There is no operator {slug[:60]!r}.")
    return operator


def add_key(
    key_id: str,
    secret_hash: bytes,
    *,
    operator: UUID,
    label: str,
    brand: UUID | None,
    by: str,
    kind: recorder.SignificantEventKind = recorder.SignificantEventKind.ACCESS_CHANGED,
    **terms: Any,
) -> None:
    """Add a key by the hash of its secret, with terms that were checked. Raises UnfitText."""
    label = clean(label, limit=MAX_LABEL_LENGTH)
    with transaction.atomic():
        ApiKey.objects.create(
            key_id=key_id, operator_id=operator, brand_id=brand, secret_hash=secret_hash, label=label, **terms
        )
        after, reason = {"label": label, **terms}, "An API key was issued"
        record_access(operator, f"key:{key_id}", by=by, reason=reason, kind=kind, after=after)


def change_terms(key_id: str, *, by: str, tightens: bool, **terms: Any) -> None:
    """Change what a key may do, from where and until when, by terms that were checked."""
    change_key(
        ApiKey.objects.get(pk=key_id), by=by, reason="The terms of an API key were changed", tightens=tightens, **terms
    )


def change_key(key: ApiKey, *, by: str, reason: str, act: Act = acts.CHANGE_KEY, **values: Any) -> None:
    """Change fields of a key and record it, before and after."""
    kind, subject = recorder.SignificantEventKind.ACCESS_CHANGED, f"key:{key.key_id}"
    act_log.changed(key, act.name, kind=kind, subject=subject, by=by, reason=reason, **values)


def find_key(key_id: str, *, lock: bool = False) -> ApiKey:
    """Return a key, with its operator; to lock one, it must not have been revoked. Raises UnknownKey."""
    keys = ApiKey.objects.select_related("operator").filter(key_id=key_id)
    if lock:
        keys = keys.select_for_update(no_key=True, of=("self",)).filter(revoked_at=None)
    key = keys.first()
    if key is None:
        raise UnknownKey(f"There is no key {key_id[:60]!r}.")
    return key


def is_unused(operator: UUID) -> bool:
    """Lock an operator, and return whether it never had a key or a player."""
    Operator.objects.select_for_update().get(pk=operator)
    return not any(model.objects.filter(operator_id=operator).exists() for model in (ApiKey, Player))


def key_terms(scopes: Iterable[str], networks: Iterable[str], expires_at: datetime | None) -> dict[str, Any]:
    """Return the terms of a new key as they are stored. Raises InvalidKeyTerms."""
    try:
        terms = {
            "scopes": [scope.value for scope in sorted({Scope(each) for each in scopes})],
            "networks": [str(ip_network(each)) for each in networks],
            "expires_at": expires_at,
        }
    except ValueError as error:
        raise InvalidKeyTerms(str(error)) from None
    if not terms["scopes"]:
        raise InvalidKeyTerms("A key needs a scope.")
    if expires_at is not None and expires_at <= database_now():
        raise InvalidKeyTerms("The key would have expired already.")
    return terms


def revoke_key(*, key_id: str, by: str = "command") -> None:
    """Revoke a key, at once and permanently; revoking it twice is no error. Raises UnknownKey."""
    with transaction.atomic():
        key = ApiKey.objects.select_for_update().filter(key_id=key_id).first()
        if key is None:
            raise UnknownKey(f"There is no key {key_id[:60]!r}.")
        revoked_at = key.revoked_at or timezone.now()
        change_key(key, by=by, reason="An API key was revoked", tightens=True, revoked_at=revoked_at)


def record_access(
    operator: UUID,
    subject: str,
    *,
    by: str,
    reason: str,
    act: Act = acts.CHANGE_KEY,
    kind: recorder.SignificantEventKind = recorder.SignificantEventKind.ACCESS_CHANGED,
    tightens: bool = False,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Record that what an operator's keys may do has changed."""
    act_log.done(
        act.name,
        kind=kind,
        operator=operator,
        subject=subject,
        actor=by,
        reason=reason,
        tightens=tightens,
        after=after,
    )


def register_nickname_check(check: NicknameCheck) -> None:
    """Add another app's check of nicknames; call it in AppConfig.ready()."""
    _nickname_checks.append(check)


def check_nickname(*, operator: UUID, nickname: str) -> None:
    """Refuse a nickname that other players must not see."""
    for check in _nickname_checks:
        check(operator, nickname)


def register_player(*, operator: UUID, reference: str, nickname: str, brand: UUID | None = None) -> Player:
    """Register a player, or return the one with this reference as first registered.

    With `brand` the player belongs to this brand, among whose players the reference is unique. Refuses a new player's
    nickname that other players must not see.
    """
    identity = new_id(database_now())
    key, own = crypto_shredding.new_key(identity)
    nickname = clean(nickname, limit=MAX_NICKNAME_LENGTH)
    indexes = blind_index.blind_indexes(reference=reference, nickname=nickname)
    values: dict[str, Any] = {
        "id": identity,
        "operator": operator,
        "brand": brand,
        "reference_index": indexes.reference,
        "nickname_index": indexes.nickname,
        "reference": key.encrypt_text(reference),
        "nickname": key.encrypt_text(nickname),
        "key_id": own.key_id,
        "wrapped": own.wrapped,
    }
    with transaction.atomic(savepoint=False), connection.cursor() as cursor:
        cursor.execute(_REGISTER, values)
        row = cursor.fetchone()
        if row is None:
            raise AssertionError("an insert that updates on conflict returns a row")
        # Operators repeat registrations: who is registered is not refused for a word that was listed later.
        if row[0] == identity:
            check_nickname(operator=operator, nickname=nickname)
    player = Player(
        id=row[0], operator_id=row[1], reference=reference, nickname=row[3], created_at=row[4], brand_id=row[5]
    )
    if player.id == identity:
        player.nickname = nickname
    else:
        crypto_shredding.decrypt_rows([player])
    return player


def find_player(*, operator: UUID, player: UUID) -> Player:
    """Return an operator's player. Raises UnknownPlayer, also for another operator's."""
    row = Player.objects.filter(operator_id=operator, id=player).first()
    if row is None:
        raise UnknownPlayer
    crypto_shredding.decrypt_rows([row])
    return row


def require_player(*, operator: UUID, player: UUID) -> None:
    """Check that an operator has this player, without decrypting personal data. Raises UnknownPlayer."""
    if not Player.objects.filter(operator_id=operator, id=player).exists():
        raise UnknownPlayer


def list_players(
    *,
    operator: UUID,
    after: UUID | None,
    limit: int,
    brand: BrandScope | None = None,
    reference: str | None = None,
    among: QuerySet[Any, UUID] | None = None,
) -> list[Player]:
    """List an operator's players after this id as registered: those of a brand, with a reference, or of these ids."""
    players = Player.objects.filter(operator_id=operator)
    if reference is not None:
        players = players.filter(reference_index=blind_index.blind_index(reference))
    if brand is not None:
        players = players.filter(brand=brand.owner)
    if among is not None:
        players = players.filter(id__in=among)
    if after is not None:
        players = players.filter(id__gt=after)
    page = list(players.order_by("id")[:limit])
    crypto_shredding.decrypt_rows(page)
    return page


_time_zones = cache(available_timezones)  # reads hundreds of files


def _require_zone(name: str) -> None:
    if name not in _time_zones():
        raise UnknownTimeZone(f"{name[:60]!r} is not a time zone.")
