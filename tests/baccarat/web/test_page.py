"""The page's answer: what it lets a browser load, where it may stand, and who may come in by the demo's door."""

import re
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import AsyncRequestFactory, Client
from django.urls import resolve, set_script_prefix

from baccarat.web import demo
from casino.devstack.home import PROJECT
from casino.operators import pins, services
from casino.operators.models import ApiKey
from wallet.ledger import queries as wallet

STATIC = PROJECT / "baccarat" / "web" / "static" / "play"


@pytest.fixture
def house(db, settings):
    """The sandbox operator `demo`, furnished."""
    settings.DEMO_OPERATOR = "demo"
    operator = services.create_operator(slug="demo", name="Demo", currency="EUR", sandbox=True)
    demo.set_up_demo(slug="demo")
    return operator


@pytest.fixture
def prefixed(settings):
    """The service published under /casino by a proxy."""
    settings.FORCE_SCRIPT_NAME = "/casino"
    set_script_prefix("/casino/")
    yield
    set_script_prefix("/")


def test_the_page_loads_its_own_files_alone(client: Client):
    answer = client.get("/play/")

    policy = dict(part.strip().split(" ", 1) for part in answer["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert answer["Referrer-Policy"] == "no-referrer"


def test_the_page_holds_no_inline_code_and_no_address_of_another_host(client: Client):
    page = client.get("/play/").content.decode()

    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|style=", page)
    assert "//" not in re.sub(r"<!doctype html>", "", page)


def test_all_addresses_of_the_page_are_relative_so_that_it_stands_under_any_prefix(client: Client):
    page = client.get("/play/").content.decode()

    addresses = re.findall(r'(?:href|src)="([^"]+)"', page)
    assert addresses
    assert all(address.startswith("../static/play/") for address in addresses)
    assert all((STATIC / address.removeprefix("../static/play/")).exists() for address in addresses)


@pytest.mark.parametrize("path", ["/play/", "/casino/play/"])
def test_the_page_answers_behind_a_proxy_that_strips_its_prefix_and_one_that_does_not(client, prefixed, path):
    request = AsyncRequestFactory().get(path)

    assert resolve(request.path_info).url_name == "play"
    assert client.get("/play")["Location"] == "/casino/play/"


def test_modules_fetch_nothing_by_an_address_of_their_own():
    for module in STATIC.rglob("*.js"):
        text = module.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://", text), module
        assert "innerHTML" not in text, module
        assert not re.search(r"from \"[^.]", text), module


def test_without_a_demo_there_is_no_door(client, db):
    assert not settings.DEMO_OPERATOR
    assert client.get("/play/demo").status_code == 404
    body = {"player": str(uuid4())}
    assert client.post("/play/demo", body, content_type="application/json").status_code == 404


def test_a_demo_player_comes_in_with_money_and_a_pin(client, house):
    players = client.get("/play/demo").json()["players"]
    assert [player["name"] for player in players] == list(demo.PLAYERS)

    entered = client.post("/play/demo", {"player": players[0]["id"]}, content_type="application/json")

    assert entered.status_code == 201
    headers = {"Authorization": f"Bearer {entered.json()['token']}"}
    found = client.get("/api/v1/me/balances", headers=headers).json()["items"]
    assert {(each["money_type"], each["balance"]["amount"]) for each in found} >= {
        ("real", "2000.00"),
        ("play", "5000.00"),
    }
    assert pins.try_pin(player=players[0]["id"], pin=demo.PIN) is None
    lines = client.get("/api/v1/lobby", headers=headers).json()["items"]
    assert {line["preset"] for line in lines} == {preset for _, preset in demo.TABLES}


def test_only_demo_players_can_be_played_as(client, house):
    answer = client.post("/play/demo", {"player": str(uuid4())}, content_type="application/json")

    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_player")


def test_the_demo_is_made_once_with_its_operator_another_key_each_time_and_the_superuser(db, monkeypatch, capsys):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "a-long-password")

    for _ in range(2):
        call_command("demo", "demo", "--admin", "--key")

    keys = re.findall(r"Bearer (\S+)", capsys.readouterr().out)
    assert len(set(keys)) == 2
    for key in keys:
        seen = Client().get("/api/v1/tables", headers={"Authorization": f"Bearer {key}"}).json()
        assert len(seen["items"]) == len(demo.TABLES)
    assert User.objects.get().check_password("a-long-password")


def test_no_operator_of_real_money_is_furnished(db):
    services.create_operator(slug="lucky", name="Lucky", currency="EUR", sandbox=False)

    with pytest.raises(CommandError, match="sandbox"):
        call_command("demo", "lucky", "--key")

    assert ApiKey.objects.count() == 0


def test_furnishing_again_makes_nothing_twice(house):
    players = demo.demo_players()

    assert list(demo.set_up_demo(slug="demo")) == []
    assert demo.demo_players() == players
    balances = wallet.player_balances(operator=house.id, player=players[0]["id"])
    assert 500_000 in balances.values()
