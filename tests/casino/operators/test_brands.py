"""Slugs of brands: what one is, and that it is unique among the brands of an operator."""

from uuid import UUID, uuid4

import pytest

from casino.operators import brands
from casino.operators.models import Brand, Operator
from casino.operators.refusals import BrandSlugTaken, InvalidSlug, UnknownBrand
from casino.significant.models import SignificantEvent

pytestmark = pytest.mark.django_db


def operator(slug: str) -> UUID:
    return Operator.objects.create(id=uuid4(), slug=slug, name=slug, currencies=["EUR"]).id


def create(house: UUID, slug: str) -> Brand:
    return brands.create_brand(operator=house, slug=slug, name="Bella", shares_players=False, by="test")


@pytest.mark.parametrize("slug", ["", "Bella", "bella riviera", "-bella", "b\u00e9lla", "bella/", "b" * 41])
def test_what_is_no_slug_makes_no_brand(slug: str) -> None:
    with pytest.raises(InvalidSlug):
        create(operator("lucky"), slug)
    assert not Brand.objects.exists()
    assert not SignificantEvent.objects.exists()


def test_a_slug_is_an_operators_once_and_free_for_others() -> None:
    lucky, golden = operator("lucky"), operator("golden")
    first, other = create(lucky, "bella"), create(golden, "bella")
    with pytest.raises(BrandSlugTaken):
        create(lucky, "bella")
    assert [event.subject for event in SignificantEvent.objects.order_by("number")] == [
        f"brand:{first.id}",
        f"brand:{other.id}",
    ]
    assert brands.find_scope(operator=lucky, slug="bella").id == first.id
    assert brands.find_scope(operator=golden, slug="bella").id == other.id
    with pytest.raises(UnknownBrand):
        brands.find_scope(operator=lucky, slug="Bella")
