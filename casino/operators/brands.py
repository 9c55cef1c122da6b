"""Brands of operators: their creation, and which players a brand may use."""

from uuid import UUID

from django.db import IntegrityError, transaction

from casino.events.ids import new_id
from casino.events.sql import database_now
from casino.kernel.text import clean
from casino.operators import acts
from casino.operators.models import Brand, Player
from casino.operators.principals import BrandScope, OperatorPrincipal
from casino.operators.refusals import BrandSlugTaken, InvalidSlug, KeyIsOfABrand, UnknownBrand, UnknownPlayer
from casino.operators.services import MAX_NAME_LENGTH, is_slug
from casino.significant import act_log


def create_brand(*, operator: UUID, slug: str, name: str, shares_players: bool, by: str) -> Brand:
    """Create a brand; whether it shares the operator's players never changes.

    Raises InvalidSlug, BrandSlugTaken, UnfitText.
    """
    name = clean(name, limit=MAX_NAME_LENGTH)
    if not is_slug(slug):
        raise InvalidSlug(f"{slug[:60]!r} is not a slug.")
    try:
        with transaction.atomic():
            brand = Brand.objects.create(
                id=new_id(database_now()), operator_id=operator, slug=slug, name=name, shares_players=shares_players
            )
            act_log.done(
                acts.ADD_BRAND.name,
                operator=operator,
                subject=f"brand:{brand.id}",
                actor=by,
                reason="A brand was created",
                after={"slug": slug, "name": name, "shares_players": shares_players},
            )
    except IntegrityError:
        raise BrandSlugTaken(f"The brand {slug!r} exists already.") from None
    return brand


def list_brands(*, operator: UUID) -> list[Brand]:
    """List an operator's brands by slug."""
    return list(Brand.objects.filter(operator_id=operator).order_by("slug"))


def find_scope(*, operator: UUID, slug: str) -> BrandScope:
    """Return a brand by its slug. Raises UnknownBrand."""
    brand = Brand.objects.filter(operator_id=operator, slug=slug).first()
    if brand is None:
        raise UnknownBrand(f"There is no brand {slug[:60]!r}.")
    return BrandScope(brand.id, brand.shares_players)


def chosen_scope(caller: OperatorPrincipal, slug: str | None) -> BrandScope | None:
    """Return the brand that an operator's request is for: its key's, else the one that it names, if any.

    Raises UnknownBrand, also for a key's other brands.
    """
    scope = None if slug is None else find_scope(operator=caller.operator, slug=slug)
    own = caller.brand
    if own is not None and scope is not None and scope != own:
        raise UnknownBrand(f"There is no brand {(slug or '')[:60]!r}.")
    return own or scope


def require_player(caller: OperatorPrincipal, player: UUID | None) -> None:
    """Check that a key of a brand calls about one of the brand's players. Raises KeyIsOfABrand, UnknownPlayer."""
    if caller.brand is None:
        return
    if player is None:
        raise KeyIsOfABrand
    if not Player.objects.filter(operator_id=caller.operator, id=player, brand=caller.brand.owner).exists():
        raise UnknownPlayer
