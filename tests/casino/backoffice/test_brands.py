"""Currencies, brands and limits groups, set in the admin."""

from uuid import UUID, uuid4

import pytest
from django.urls import reverse

from baccarat.storage.models import Table
from casino.operators import brands, changes, services
from casino.operators.models import Brand, Change, LimitsGroup, Operator, Player
from casino.significant.models import SignificantEvent, Threshold
from tests.support.office import open_office, page_of, staff, superuser

pytestmark = pytest.mark.django_db
SEE = "operators.view_operator"


@pytest.fixture
def house() -> UUID:
    """Create an operator that offers EUR and KWD, and a rival."""
    lucky, _ = (
        Operator.objects.create(id=uuid4(), slug=slug, name=slug, currencies=["EUR", "KWD"]).id
        for slug in ("lucky", "rival")
    )
    return lucky


def action(model: str, name: str, row: object) -> str:
    return reverse(f"admin:{model}_{name}", args=[row])


def reasons() -> list[str]:
    return [event.reason for event in SignificantEvent.objects.order_by("number")]


def test_an_administrator_offers_a_currency_and_removes_none(house: UUID) -> None:
    client = staff(SEE, "operators.add_declaredcurrency", works_for="lucky")
    url = action("operators_operator", "currencies", house)
    client.post(url, {"currencies": "JPY, EUR KWD"})
    refused = client.post(url, {"currencies": "EUR"}, follow=True).content.decode()
    client.post(url, {"currencies": "JPY EUR KWD XXX"})
    assert Operator.objects.get(pk=house).currencies == ["JPY", "EUR", "KWD"]
    assert "c-error" in refused or "currencies" in refused
    assert reasons() == ["The currencies were changed"]
    assert staff(SEE, name="looker", works_for="lucky").post(url, {"currencies": "JPY"}).status_code == 403
    rival = staff(SEE, "operators.add_declaredcurrency", name="rival", works_for="rival")
    assert rival.post(url, {"currencies": "USD JPY EUR KWD"}).status_code in {302, 403, 404}
    assert Operator.objects.get(pk=house).currencies == ["JPY", "EUR", "KWD"]


def test_an_administrator_creates_a_brand_whose_players_a_filter_selects(house: UUID) -> None:
    see = (SEE, "operators.view_brand", "operators.view_player", "operators.add_brand")
    client = staff(*see, works_for="lucky")
    url = action("operators_operator", "brand", house)
    client.post(url, {"slug": "red", "name": "Red"})
    client.post(url, {"slug": "red", "name": "Again"})
    client.post(url, {"slug": "Not a slug", "name": "No"})
    brand = Brand.objects.get()
    assert (brand.slug, brand.name, brand.shares_players) == ("red", "Red", False)
    assert reasons() == ["A brand was created"]
    services.register_player(operator=house, reference="1", nickname="Own", brand=None)
    services.register_player(operator=house, reference="1", nickname="Ruby", brand=brand.pk)
    players = reverse("admin:operators_player_changelist")
    for value, shown, hidden in ((str(brand.pk), "Ruby", "Own"), ("none", "Own", "Ruby")):
        body = client.get(players, {"brand": value}).content.decode()
        assert (shown in body, f">{hidden}<" in body) == (True, False)
    assert "Red" in client.get(page_of("operators_brand", brand.pk)).content.decode()
    assert "red" in client.get(page_of("operators_operator", house)).content.decode()


def test_at_a_live_operator_another_approver_confirms_a_new_group(house: UUID) -> None:
    client = staff(SEE, "operators.add_limitsgroup", works_for="lucky")
    url = action("operators_operator", "limits", house)
    client.post(url, {"group": "standard", "currency": "EUR", "maximum": "5.00"})
    client.post(url, {"group": "vip", "currency": "EUR", "maximum": "500.00"})
    assert list(LimitsGroup.objects.values_list("name", flat=True)) == ["standard"]

    changes.confirm(Change.objects.get(kind="limits_group").pk, by="staff:999")

    assert set(LimitsGroup.objects.values_list("name", "maximum")) == {("standard", 5_00), ("vip", 500_00)}


def test_limits_of_a_group_are_set_with_the_decimals_of_the_currency_and_hold_for_who_is_moved(house: UUID) -> None:
    Operator.objects.filter(pk=house).update(sandbox=True)
    client = staff(SEE, "operators.add_limitsgroup", works_for="lucky")
    url = action("operators_operator", "limits", house)
    client.post(url, {"group": "vip", "currency": "KWD", "minimum": "0.125", "maximum": "1.5"})
    client.post(url, {"group": "vip", "currency": "KWD", "minimum": "0.0005"})
    client.post(url, {"group": "vip", "currency": "EUR", "maximum": "0.125"})
    client.post(url, {"group": "vip", "currency": "USD", "maximum": "5.00"})
    assert list(LimitsGroup.objects.values_list("name", "currency", "minimum", "maximum", "stake_day")) == [
        ("vip", "KWD", 125, 1500, None)
    ]
    assert "0.125" in client.get(page_of("operators_operator", house)).content.decode()
    player = services.register_player(operator=house, reference="1", nickname="Ann").id
    mover = staff("operators.view_player", "wallet.change_playerrestrictions", name="mover", works_for="lucky")
    move = action("operators_player", "limits_group", player)
    mover.post(move, {"group": "vip"})
    mover.post(move, {"group": "unknown"})
    assert Player.objects.get(pk=player).limits_group == "vip"
    assert reasons() == ["The limits of a group were changed", "The player was moved to another limits group"]


def test_thresholds_are_set_in_each_currency(house: UUID) -> None:
    client = staff(SEE, "significant.view_threshold", "significant.add_threshold", works_for="lucky")
    amounts = {"wager": "500.125", "wager_day": "900", "win": "500", "win_day": "900", "payment": "700.5"}
    url = action("operators_operator", "thresholds", house)
    client.post(url, {**amounts, "currency": "KWD"})
    client.post(url, {**amounts, "currency": "EUR"})
    ((currency, wager),) = Threshold.objects.values_list("currency", "wager")
    assert (currency, wager) == ("KWD", 500_125)
    body = client.get(page_of("operators_operator", house)).content.decode()
    assert "500.125 <small>KWD" in body
    assert "10000.00 <small>EUR" in body


OF_TABLES = ("baccarat_table", "baccarat_round")
OF_PLAYERS = (
    "baccarat_wager",
    "wallet_account",
    "wallet_deposit",
    "wallet_withdrawal",
    "wallet_transfer",
    "wallet_remotetransaction",
    "wallet_adjustment",
)


def test_lists_are_filtered_by_the_brand_of_tables_and_by_that_of_players() -> None:
    office, client = open_office(), superuser()
    red = brands.create_brand(operator=office.operator.pk, slug="red", name="Red", shares_players=False, by="test")
    Player.objects.filter(pk=office.player.pk).update(brand=red)
    of_red, of_all = office.single.guest.table, office.company[0].guest.table
    Table.objects.filter(pk=of_red).update(brands=str(red.pk))

    def listed(model: str, brand: str) -> set[object]:
        answer = client.get(reverse(f"admin:{model}_changelist"), {"brand": brand})
        rows = answer.context["cl"].result_list
        return {getattr(row, "table_id", row.pk) if model in OF_TABLES else row.player_id for row in rows}

    for model in OF_TABLES:
        assert (listed(model, str(red.pk)), listed(model, "none")) == ({of_red}, {of_all})
    others = {at.player for at in office.company}
    Player.objects.bulk_create(Player(pk=key, operator=office.operator, reference="", nickname="") for key in others)
    for model in OF_PLAYERS[:2]:
        assert (listed(model, str(red.pk)), listed(model, "none")) == ({office.player.pk}, others)
    for model in OF_PLAYERS[2:]:
        assert (listed(model, str(red.pk)), listed(model, "none")) == (set(), set())
