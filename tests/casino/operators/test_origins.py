"""Origins of operators' sites: what is one, and which pages may read which responses."""

from collections.abc import Generator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from casino.api.document import HEADERS
from casino.operators import origins, services, sessions
from casino.operators.models import Operator
from casino.operators.refusals import InvalidOrigin
from casino.significant.models import SignificantEvent
from tests.support.keys import issue_key

pytestmark = pytest.mark.django_db
ORIGIN = "https://play.lucky.example"
OTHERS = "https://play.golden.example"
PREFLIGHT = {"Access-Control-Request-Method": "POST"}


@pytest.fixture(autouse=True)
def _no_cache() -> Generator[None]:
    origins._operators_by_origin.cache_clear()
    yield
    origins._operators_by_origin.cache_clear()


def operator(slug: str, *registered: str) -> tuple[Operator, str]:
    """Return an operator with these origins, and its credential."""
    created = services.create_operator(slug=slug, name=slug.title(), currencies=["EUR"], sandbox=True)
    origins.set_origins(slug=slug, origins=registered, by="test")
    return created, "Bearer " + ".".join(issue_key(operator=created.id))


def allowed(response: Any) -> str | None:
    assert "Origin" in response["Vary"]
    value: str | None = response.headers.get("Access-Control-Allow-Origin")
    return value


@pytest.mark.parametrize("origin", [ORIGIN, "https://a", "https://a.example:8443", "http://127.0.0.1:8000"])
def test_an_origin_is_a_scheme_a_host_and_perhaps_a_port(origin: str) -> None:
    origins.require_origin(origin)


@pytest.mark.parametrize(
    "text",
    [
        "", "null", "*", "https://", "https://*.example", "https://a.example/", "https://a.example/lobby", "a.example",
        "https://A.example", "https://a.example:443", "http://a.example:80", "https://u@a.example", "https://a.b ",
        "https://a.example; script-src *", "https://a.example,https://b.example", "https://a..example", "javascript:1",
        "https://" + "a" * 200,
    ],
)  # fmt: skip
def test_nothing_else_is_an_origin(text: str) -> None:
    with pytest.raises(InvalidOrigin):
        origins.require_origin(text)


def test_in_production_an_origin_is_of_https(settings: Settings) -> None:
    settings.PRODUCTION = True
    origins.require_origin(ORIGIN)
    with pytest.raises(InvalidOrigin):
        origins.require_origin("http://play.lucky.example")


def test_an_operator_replaces_its_origins_and_sees_only_its_own() -> None:
    _, lucky = operator("lucky")
    _, golden = operator("golden", OTHERS)
    client = Client()

    def call(method: str, key: str, **options: Any) -> Any:
        headers = {"Authorization": key}
        return getattr(client, method)("/api/v1/operator/origins", headers=headers, **options)

    body = {"origins": [ORIGIN, "https://a.example", ORIGIN]}
    answer = call("put", lucky, data=body, content_type="application/json")

    assert answer.json() == call("get", lucky).json() == {"origins": ["https://a.example", ORIGIN]}
    assert call("get", golden).json() == {"origins": [OTHERS]}
    wrong = call("put", lucky, data={"origins": ["https://a.example/"]}, content_type="application/json")
    assert (wrong.status_code, wrong.json()["code"]) == (422, "invalid_origin")
    assert call("get", lucky).json() == answer.json()
    recorded = SignificantEvent.objects.filter(kind="config_changed").order_by("-number")[0]
    assert (recorded.before, recorded.after) == ({"origins": []}, {"origins": ["https://a.example", ORIGIN]})


def test_a_registered_origin_gets_cors_headers(client: Client) -> None:
    _, key = operator("lucky", ORIGIN)

    preflight = client.options("/api/v1/operator", headers={"Origin": ORIGIN, **PREFLIGHT})
    response = client.get("/api/v1/operator", headers={"Origin": ORIGIN, "Authorization": key})

    assert preflight.status_code == 204
    assert allowed(preflight) == allowed(response) == ORIGIN
    assert "Idempotency-Key" in preflight["Access-Control-Allow-Headers"]
    exposed = set(response["Access-Control-Expose-Headers"].split(", "))
    assert exposed == HEADERS.keys() - {"Cache-Control"}, "browsers always expose Cache-Control"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "https://play.lucky.example.evil.example"])
def test_other_origins_get_no_cors_headers(client: Client, origin: str) -> None:
    _, key = operator("lucky", ORIGIN)

    preflight = client.options("/api/v1/operator", headers={"Origin": origin, **PREFLIGHT})
    response = client.get("/api/v1/operator", headers={"Origin": origin, "Authorization": key})

    assert preflight.status_code != 204
    assert allowed(preflight) is allowed(response) is None


def test_pages_of_one_operator_read_no_response_to_another_operators_callers(client: Client) -> None:
    operator("lucky", ORIGIN)
    golden, key = operator("golden", OTHERS)
    player = services.register_player(operator=golden.id, reference="1", nickname="Charlie")
    token = sessions.open_session(operator=golden.id, player=player.id, seconds=60).token

    for credential in (key, f"Bearer {token}"):
        headers = {"Authorization": credential}
        path = "/api/v1/operator" if credential == key else "/api/v1/me/operator"
        assert allowed(client.get(path, headers={**headers, "Origin": OTHERS})) == OTHERS
        assert allowed(client.get(path, headers={**headers, "Origin": ORIGIN})) is None


def test_a_page_can_read_why_its_credential_was_refused(client: Client) -> None:
    operator("lucky", ORIGIN)
    response = client.get("/api/v1/operator", headers={"Origin": ORIGIN, "Authorization": "Bearer pt_wrong"})
    assert (response.status_code, allowed(response)) == (401, ORIGIN)


def test_preflights_read_the_database_once_in_a_while(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    operator("lucky", ORIGIN)
    now = 1000.0
    monkeypatch.setattr(origins.time, "monotonic", lambda: now)
    with CaptureQueriesContext(connection) as queries:
        for _ in range(5):
            client.options("/api/v1/operator", headers={"Origin": ORIGIN, **PREFLIGHT})
    assert len(queries) == 1
    Operator.objects.update(origins=[])
    now += origins.CACHE_SECONDS
    assert allowed(client.options("/api/v1/operator", headers={"Origin": ORIGIN, **PREFLIGHT})) is None


def test_without_an_origin_nothing_is_looked_up(client: Client) -> None:
    with CaptureQueriesContext(connection) as queries:
        client.get("/api/v1/problems")
    assert len(queries) == 0
