"""The API's document is valid, also for others."""

import json
from io import StringIO

from django.core.management import call_command
from openapi_spec_validator import validate

from tests.baccarat.api import contract


def test_the_document_is_valid_and_generated_without_warnings() -> None:
    written = StringIO()

    call_command("spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json", stdout=written)

    assert json.loads(written.getvalue())["openapi"] == "3.1.0"


def test_the_document_is_valid_for_others() -> None:
    validate(contract.document())
