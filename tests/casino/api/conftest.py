import pytest
from django.test import Client
from pytest_django import Settings

EDGE = "casino.api.middleware.request_id_and_cors"


@pytest.fixture
def client(settings: Settings) -> Client:
    """A caller of the small service, through the edge's middleware."""
    settings.ROOT_URLCONF = "tests.casino.api.small_service"
    settings.MIDDLEWARE = [EDGE, *(name for name in settings.MIDDLEWARE if name != EDGE)]
    return Client(raise_request_exception=False)
