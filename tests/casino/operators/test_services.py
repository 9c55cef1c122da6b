"""Operators, their keys and their players."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from casino.kernel.money import UnknownCurrency
from casino.operators import services, sessions
from casino.operators.models import Operator, Player
from casino.operators.refusals import (
    InvalidCustomerCare,
    InvalidSlug,
    SlugTaken,
    UnknownKey,
    UnknownOperator,
    UnknownPlayer,
)


def operator(slug: str = "lucky") -> Operator:
    return services.create_operator(slug=slug, name="Lucky", currencies=["EUR"], sandbox=True)


def register(operator: UUID, reference: str = "alice-1", nickname: str = "Alice") -> Player:
    return services.register_player(operator=operator, reference=reference, nickname=nickname)


@pytest.mark.django_db
def test_a_slug_belongs_to_one_operator() -> None:
    operator()

    with pytest.raises(SlugTaken):
        operator()


@pytest.mark.django_db
@pytest.mark.parametrize("slug", ["", "-a", "Lucky", "a b", "é", "a" * 41])
def test_a_slug_is_lower_case_letters_digits_and_hyphens(slug: str) -> None:
    with pytest.raises(InvalidSlug):
        operator(slug)


@pytest.mark.django_db
def test_the_currency_of_an_operator_is_known() -> None:
    with pytest.raises(UnknownCurrency):
        services.create_operator(slug="lucky", name="Lucky", currencies=["EURO"], sandbox=False)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "contact",
    [
        "care@lucky.example",
        "+356 2123 4567",
        "https://lucky.example/care?lang=en",
        "http://127.0.0.1:8000/play/demo/care",
        "",
    ],
)
def test_players_are_told_where_customer_care_is(contact: str) -> None:
    lucky = operator()
    token = sessions.open_session(operator=lucky.id, player=register(lucky.id).id, seconds=60).token

    services.set_customer_care(slug="lucky", contact=contact, by="staff:1")

    shown = Client().get("/api/v1/me/operator", headers={"Authorization": f"Bearer {token}"})
    assert shown.json() == {"name": "Lucky", "customer_care": contact}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "contact", ["javascript:alert(1)", "http://lucky.example", "care@lucky", "call us", "https://a b", "1" * 201]
)
def test_a_contact_that_players_cannot_use_is_refused_and_changes_nothing(contact: str) -> None:
    operator()
    services.set_customer_care(slug="lucky", contact="care@lucky.example", by="staff:1")

    with pytest.raises(InvalidCustomerCare):
        services.set_customer_care(slug="lucky", contact=contact, by="staff:1")

    assert services.find_operator(slug="lucky").customer_care == "care@lucky.example"


@pytest.mark.django_db
def test_only_a_sandbox_sends_players_to_a_page_of_this_machine() -> None:
    services.create_operator(slug="live", name="Live", currencies=["EUR"], sandbox=False)

    with pytest.raises(InvalidCustomerCare):
        services.set_customer_care(slug="live", contact="http://127.0.0.1:8000/care", by="staff:1")


@pytest.mark.django_db
def test_a_reference_names_one_player_of_one_operator(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    lucky, golden = operator("lucky"), operator("golden")
    with django_assert_num_queries(4):  # the time, the key of the blind index, the filtered words, and the rest
        first = register(lucky.id)

    again = register(lucky.id, nickname="Alicia")
    elsewhere = register(golden.id)

    assert (again.id, again.nickname, again.created_at) == (first.id, "Alice", first.created_at)
    assert elsewhere.id != first.id


@pytest.mark.usefixtures("database")
def test_twenty_concurrent_registrations_create_one_player(in_threads: Callable[..., list[Any]]) -> None:
    lucky = operator()

    players = in_threads(20, lambda _: register(lucky.id))

    assert len({player.id for player in players}) == 1
    assert Player.objects.count() == 1


@pytest.mark.django_db
def test_players_are_found_only_by_their_own_operator() -> None:
    lucky, golden = operator("lucky"), operator("golden")
    alice = register(lucky.id)

    assert services.find_player(operator=lucky.id, player=alice.id) == alice
    with pytest.raises(UnknownPlayer):
        services.find_player(operator=golden.id, player=alice.id)
    with pytest.raises(UnknownPlayer):
        sessions.open_session(operator=golden.id, player=alice.id, seconds=60)


@pytest.mark.django_db
def test_players_are_listed_in_the_order_of_registration() -> None:
    lucky, golden = operator("lucky"), operator("golden")
    players = [register(lucky.id, reference=name) for name in ("alice", "bob", "carol")]
    register(golden.id)

    first = services.list_players(operator=lucky.id, after=None, limit=2)
    rest = services.list_players(operator=lucky.id, after=first[-1].id, limit=2)

    assert sorted(first + rest, key=lambda player: player.id) == first + rest
    assert {player.id for player in first + rest} == {player.id for player in players}


@pytest.mark.django_db
def test_errors_name_unknown_keys_and_operators() -> None:
    with pytest.raises(UnknownKey, match="op_nothing"):
        services.revoke_key(key_id="op_nothing")
    with pytest.raises(UnknownOperator, match="nobody"):
        services.find_operator(slug="nobody")
