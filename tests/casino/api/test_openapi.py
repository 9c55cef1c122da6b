import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from django.contrib.staticfiles import finders
from django.test import Client

from tests.baccarat.api import contract

METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return contract.document()


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method in METHODS & methods.keys():
            yield f"{method} {path}", methods[method]


def bodies(operation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from operation.get("requestBody", {}).get("content", {}).values()
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            yield from response.get("content", {}).values()


def test_every_operation_has_a_unique_name(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, operation in operations(document)]

    assert names
    assert len(names) == len(set(names))


def test_every_body_of_every_operation_has_an_example(document: dict[str, Any]) -> None:
    lacking = [name for name, operation in operations(document) if not all("examples" in b for b in bodies(operation))]

    assert lacking == []


def test_every_operation_shows_an_example(document: dict[str, Any]) -> None:
    assert [
        name
        for name, operation in operations(document)
        if "200" in operation["responses"] and '"examples"' not in json.dumps(operation)
    ] == []


def test_every_operation_has_a_text_for_integrators(document: dict[str, Any]) -> None:
    """`operation(description=...)`: a docstring is for readers of the code and never gets into the document."""
    assert [name for name, operation in operations(document) if len(operation.get("description", "")) < 15] == []


def test_every_tag_is_described_and_used(document: dict[str, Any]) -> None:
    """casino/api/reference.py describes the tags."""
    described = {tag["name"] for tag in document["tags"]}
    assert {tag for _, operation in operations(document) for tag in operation["tags"]} == described


def test_no_field_of_a_request_has_a_default(document: dict[str, Any]) -> None:
    """Generated clients would send it, or demand the field; the description tells what holds without the field."""
    schemas = document["components"]["schemas"]
    assert [name for name, schema in schemas.items() if '"default":' in json.dumps(schema)] == []


def test_every_operation_documents_its_callers(document: dict[str, Any]) -> None:
    public = {name for name, operation in operations(document) if not operation["security"]}

    assert public == {
        "get /api/v1/feed/schemas",
        "get /api/v1/feed/schemas/{name}",
        "get /api/v1/problems",
        "get /api/v1/problems/{code}",
        "post /api/v1/sessions/launch",
    }
    assert document["components"]["securitySchemes"].keys() == {
        "operatorKey",
        "playerToken",
        "providerSignature",
    }


def test_an_idempotent_operation_documents_its_header(client: Client) -> None:
    paths = client.get("/api/v1/schema").json()["paths"]

    headers = {parameter["name"] for parameter in paths["/api/v1/found"]["post"]["parameters"]}
    assert "Idempotency-Key" in headers


def test_the_document_is_available_as_json_and_yaml(client: Client) -> None:
    as_json = client.get("/api/v1/schema")
    as_yaml = client.get("/api/v1/schema.yaml")
    asked = client.get("/api/v1/schema", headers={"Accept": "application/yaml"})

    assert as_json.json() == yaml.safe_load(as_yaml.content)
    assert asked.content == as_yaml.content
    assert as_json["Content-Type"] == "application/vnd.oai.openapi+json"


def test_the_document_is_compressed_and_sent_once(client: Client) -> None:
    first = client.get("/api/v1/schema", headers={"Accept-Encoding": "gzip"})
    again = client.get("/api/v1/schema", headers={"Accept-Encoding": "gzip", "If-None-Match": first["ETag"]})

    assert first["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(first.content))["openapi"] == "3.1.0"
    assert (again.status_code, again.content) == (304, b"")


def test_the_html_page_loads_only_our_own_files(client: Client) -> None:
    page = client.get("/api/v1/docs", headers={"Accept": "text/html"})
    text = page.content.decode()

    assert page.status_code == 200
    assert "https://" not in text
    assert "http://" not in text
    assert finders.find("drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js")
    assert "script-src 'self';" in page["Content-Security-Policy"]
