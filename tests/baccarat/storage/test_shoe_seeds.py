"""Seeds at rest: sealed, bound to their shoe, gone once revealed."""

from uuid import UUID

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import DjangoAssertNumQueries, Settings

from baccarat.domain.unit_of_work import ShoeSeed
from baccarat.storage import shoe_seeds
from casino.events.sql import execute, fetch

ONE, TWO = ShoeSeed(shoe=UUID(int=1), seed=b"1" * 32), ShoeSeed(shoe=UUID(int=2), seed=b"2" * 32)
OLD, NEW = "old:" + "aa" * 32, "new:" + "bb" * 32


@pytest.mark.django_db
def test_what_is_kept_can_be_read_until_it_is_forgotten(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(4):
        shoe_seeds.store([ONE, TWO])
        assert shoe_seeds.decrypt([ONE.shoe, TWO.shoe, UUID(int=3)]) == {ONE.shoe: ONE.seed, TWO.shoe: TWO.seed}
        shoe_seeds.delete([ONE.shoe])
        assert shoe_seeds.decrypt([ONE.shoe, TWO.shoe]) == {TWO.shoe: TWO.seed}


@pytest.mark.django_db
def test_nothing_to_do_asks_nothing(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        shoe_seeds.store([])
        shoe_seeds.delete([])
        assert shoe_seeds.decrypt([]) == {}


@pytest.mark.django_db
def test_a_row_gives_nothing_away_and_is_never_sealed_twice_alike() -> None:
    shoe_seeds.store([ONE, ShoeSeed(shoe=TWO.shoe, seed=ONE.seed)])

    (first, second) = fetch("SELECT nonce, ciphertext FROM baccarat_shoesecret ORDER BY shoe_id")

    assert ONE.seed not in bytes(first[1])
    assert len(bytes(first[1])) == 32 + 16
    assert first[0] != second[0]
    assert first[1] != second[1]


@pytest.mark.django_db
def test_a_seed_can_not_be_moved_to_another_shoe() -> None:
    shoe_seeds.store([ONE])
    execute("UPDATE baccarat_shoesecret SET shoe_id = %s", [TWO.shoe])

    assert shoe_seeds.decrypt([TWO.shoe]) == {}


@pytest.mark.django_db
def test_keys_can_be_rotated_and_a_seed_whose_key_is_gone_is_lost(settings: Settings) -> None:
    settings.SHOE_KEYS = OLD
    shoe_seeds.store([ONE])
    settings.SHOE_KEYS = f"{NEW}, {OLD}"
    shoe_seeds.store([TWO])
    assert shoe_seeds.decrypt([ONE.shoe, TWO.shoe]) == {ONE.shoe: ONE.seed, TWO.shoe: TWO.seed}

    settings.SHOE_KEYS = NEW
    assert shoe_seeds.decrypt([ONE.shoe, TWO.shoe]) == {TWO.shoe: TWO.seed}


@pytest.mark.parametrize("configured", ["", "tests", "tests:", "tests:xyz", "tests:" + "11" * 31, ":" + "11" * 32])
def test_keys_that_are_none_stop_the_start(configured: str) -> None:
    with pytest.raises(ImproperlyConfigured):
        shoe_seeds.parse_keys(configured)
