"""The page's response: its security policy, its addresses, and sessions of demo players."""

import json
import re
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import AsyncRequestFactory, Client
from django.urls import resolve, set_script_prefix

from baccarat.web import demo
from casino.crypto.signed_note import NoteKey, SignatureType
from casino.devstack.home import PROJECT
from casino.operators import pins, services
from casino.operators.models import ApiKey
from wallet.ledger import queries as wallet

STATIC = PROJECT / "baccarat" / "web" / "static" / "play"
MESSAGES = STATIC / "js" / "messages"
COSIGNER = NoteKey("w1.example", SignatureType.COSIGNATURE, bytes(range(32))).vkey


@pytest.fixture
def demo_operator(db, settings):
    """Set up the sandbox operator `demo` with its data."""
    settings.DEMO_OPERATOR = "demo"
    operator = services.create_operator(slug="demo", name="Demo", currencies=["EUR"], sandbox=True)
    demo.set_up_demo(slug="demo")
    return operator


@pytest.fixture
def prefixed(settings):
    """Publish the service under /casino, as behind a proxy."""
    settings.FORCE_SCRIPT_NAME = "/casino"
    set_script_prefix("/casino/")
    yield
    set_script_prefix("/")


def test_the_page_loads_only_its_own_files(client: Client):
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


def test_all_addresses_of_the_page_are_relative(client: Client):
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


def test_modules_contain_no_absolute_address():
    for module in STATIC.rglob("*.js"):
        text = module.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://", text), module
        assert "innerHTML" not in text, module
        assert not re.search(r"from \"[^.]", text), module


def test_without_a_demo_there_are_no_demo_players(client, db):
    assert not settings.DEMO_OPERATOR
    assert client.get("/play/demo").status_code == 404
    body = {"player": str(uuid4())}
    assert client.post("/play/demo", body, content_type="application/json").status_code == 404
    assert client.get("/play/demo/care").status_code == 404


def test_a_demo_player_has_money_and_a_pin(client, demo_operator):
    players = client.get("/play/demo").json()["players"]
    assert [player["name"] for player in players] == list(demo.PLAYERS)

    session = client.post("/play/demo", {"player": players[0]["id"]}, content_type="application/json")

    assert session.status_code == 201
    headers = {"Authorization": f"Bearer {session.json()['token']}"}
    balances = client.get("/api/v1/me/balances", headers=headers).json()["items"]
    assert {(each["money_type"], each["balance"]["amount"]) for each in balances} >= {
        ("real", "2000.00"),
        ("play", "5000.00"),
    }
    assert pins.try_pin(pins.compare_pin(player=players[0]["id"], pin=demo.PIN)) is None
    lines = client.get("/api/v1/lobby", headers=headers).json()["items"]
    assert {line["preset"] for line in lines} == {preset for _, preset, _ in demo.TABLES}


@pytest.mark.parametrize("witness", ["", f"https://w1.example {COSIGNER} {'5c' * 32}"])
def test_the_demo_operator_names_the_keys_of_its_own_installation(client, demo_operator, settings, witness):
    settings.WITNESSES = witness
    body = {"player": client.get("/play/demo").json()["players"][0]["id"]}

    session = client.post("/play/demo", body, content_type="application/json").json()

    assert session["casino"] == "Demo"
    assert bool(session["proof_keys"]) is bool(witness), "where nobody cosigns, nothing could be proven"
    if witness:
        published = {key["name"] for key in client.get("/.well-known/jwks.json").json()["keys"]}
        assert session["proof_keys"][-2:] == ["5c" * 32, COSIGNER]
        assert published.intersection(session["proof_keys"]), "the key of receipts, which is named by itself"


def test_only_demo_players_can_be_played_as(client, demo_operator):
    answer = client.post("/play/demo", {"player": str(uuid4())}, content_type="application/json")

    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_player")


def test_the_demo_command_creates_data_once_and_a_new_key_each_time(db, monkeypatch, capsys):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "a-long-password")

    for _ in range(2):
        call_command("demo", "demo", "--admin", "--key")

    keys = re.findall(r"Bearer (\S+)", capsys.readouterr().out)
    assert len(set(keys)) == 2
    for key in keys:
        seen = Client().get("/api/v1/tables", headers={"Authorization": f"Bearer {key}"}).json()
        assert len(seen["items"]) == len(demo.TABLES)
    assert User.objects.get().check_password("a-long-password")


def test_an_operator_with_real_money_gets_no_demo_data(db):
    services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=False)

    with pytest.raises(CommandError, match="sandbox"):
        call_command("demo", "lucky", "--key")

    assert ApiKey.objects.count() == 0


def test_the_demo_names_its_page_of_customer_care_and_serves_it(client, demo_operator):
    contact = "http://127.0.0.1:8000/play/demo/care"
    assert list(demo.set_up_demo(slug="demo", customer_care=contact)) == [f"customer care at {contact}"]
    assert list(demo.set_up_demo(slug="demo", customer_care=contact)) == []

    player = client.get("/play/demo").json()["players"][0]["id"]
    session = client.post("/play/demo", {"player": player}, content_type="application/json").json()
    told = client.get("/api/v1/me/operator", headers={"Authorization": f"Bearer {session['token']}"}).json()
    page = client.get(urlsplit(told["customer_care"]).path)

    assert told == {"name": "Demo", "customer_care": contact}
    assert (page.status_code, b"+356 2123 4567" in page.content) == (200, True)
    assert "default-src 'none'" in page["Content-Security-Policy"]


def test_setting_up_the_demo_again_creates_nothing(demo_operator):
    players = demo.demo_players()

    assert list(demo.set_up_demo(slug="demo")) == []
    assert demo.demo_players() == players
    balances = wallet.player_balances(operator=demo_operator.id, player=players[0]["id"])
    assert 500_000 in balances.values()


@pytest.mark.parametrize("language", sorted(file.stem for file in MESSAGES.glob("*.json")))
def test_a_language_loads_at_most_80_kb_of_messages_and_refusals(language: str):
    files = [
        file for file in (MESSAGES / f"{language}.json", MESSAGES / "problems" / f"{language}.json") if file.exists()
    ]

    assert sum(file.stat().st_size for file in files) < 80 * 1024


def test_the_guide_lists_the_messages_of_embedding_as_the_page_checks_them():
    catalogue = json.loads((STATIC / "js" / "core" / "embedding.json").read_text(encoding="utf-8"))
    guide = (PROJECT / "deploy" / "docs" / "integration" / "launch.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([\w.]+)` \| (.+) \| (.+) \|$", guide, re.MULTILINE)

    messages = [(name, each) for direction in ("out", "in") for name, each in catalogue[direction].items()]
    assert listed == [
        (name, ", ".join(f"`{field}` {type_}" for field, type_ in each["data"].items()) or "none", each["text"])
        for name, each in messages
    ]


def test_the_page_carries_out_each_message_and_sends_no_other():
    catalogue = json.loads((STATIC / "js" / "core" / "embedding.json").read_text(encoding="utf-8"))
    modules = {path: path.read_text(encoding="utf-8") for path in STATIC.rglob("*.js")}
    module = modules[STATIC / "js" / "launched.js"]
    handlers = module[(start := module.index("const handlersFor")) : module.index("});", start)]

    assert set(re.findall(r'^  "?([\w.]+)"?: (?:async )?\(', handlers, re.MULTILINE)) == set(catalogue["in"])
    told = {name for text in modules.values() for name in re.findall(r'\btell\("([\w.]+)"', text)}
    assert told == set(catalogue["out"])
