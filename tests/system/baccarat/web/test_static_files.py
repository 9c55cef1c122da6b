"""Static files as production serves them: names with digests, in modules too, which browsers keep for good."""

import re
from pathlib import Path

import pytest
from django.core.management import call_command
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.test import RequestFactory
from pytest_django import Settings
from whitenoise.middleware import WhiteNoiseMiddleware

from baccarat.web.views import LANGUAGES

DIGEST = re.compile(r"\.[0-9a-f]{12}\.\w+$")


@pytest.fixture
def collected(settings: Settings, tmp_path: Path) -> Path:
    """Collect all static files as a release does."""
    settings.STATIC_ROOT = str(tmp_path)
    settings.WHITENOISE_USE_FINDERS = settings.WHITENOISE_AUTOREFRESH = False
    storage = {"BACKEND": "casino.api.static_files.HashedStaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": storage}
    call_command("collectstatic", interactive=False, verbosity=0)
    return tmp_path


def caching(name: str) -> str:
    def nothing(request: HttpRequest) -> HttpResponse:
        raise Http404(request.path)

    response = WhiteNoiseMiddleware(nothing)(RequestFactory().get(f"/static/{name}"))
    response.file_to_stream.close()  # not the response, which would look after the database's connections
    return str(response["Cache-Control"])


def test_all_that_the_page_loads_has_a_digest_in_its_name_and_is_immutable(collected: Path) -> None:
    page = render_to_string("play/page.html", {"languages": LANGUAGES})
    waiting = [collected / name for name in re.findall(r'"\.\./static/([^"]+)"', page)]
    loaded: set[Path] = set()
    while waiting:
        file = waiting.pop().resolve()
        if file not in loaded:
            loaded.add(file)
            imports = re.findall(r'^(?:import|export) .*from "(\.[^"]+)"', file.read_text(), re.MULTILINE)
            waiting += [file.parent / name for name in imports if file.suffix == ".js"]

    assert len(loaded) > 40
    assert [file for file in loaded if not DIGEST.search(file.name)] == []
    module = next(file for file in loaded if file.name.startswith("main."))
    assert "immutable" in caching(str(module.relative_to(collected)))
    assert "immutable" not in caching("play/js/main.js")
