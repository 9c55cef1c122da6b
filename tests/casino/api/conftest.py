import pytest
from django.test import Client
from pytest_django import Settings

EDGE = "casino.api.middleware.request_id_and_cors"


@pytest.fixture
def client(settings: Settings) -> Client:
    """Return a client of the small service behind the API's middleware."""
    settings.ROOT_URLCONF = "tests.casino.api.small_service"
    settings.MIDDLEWARE = [EDGE, *(name for name in settings.MIDDLEWARE if name != EDGE)]
    return Client(raise_request_exception=False)
