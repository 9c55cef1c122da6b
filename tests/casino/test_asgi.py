"""What uvicorn serves: each request is handed to a thread once, with everything that it passes."""

import importlib
import threading
from inspect import iscoroutinefunction

import pytest
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from django.core.signals import request_finished, request_started
from django.http import HttpResponse
from django.test import override_settings
from django.urls import path

from casino.handler import InOneThread

seen: list[str] = []


def note(request):
    seen.append(threading.current_thread().name)
    return HttpResponse("noted")


async def think(request):
    seen.append(threading.current_thread().name)
    return HttpResponse("thought")


def noting(get_response):
    def passing(request):
        seen.append(threading.current_thread().name)
        return get_response(request)

    return passing


urlpatterns = [path("note", note), path("think", think)]
MIDDLEWARE = [f"{__name__}.noting", "casino.api.middleware.edge", f"{__name__}.noting"]


@pytest.fixture(autouse=True)
def _without_a_database():
    """Django looks after its connections at both ends of a request; here there are none."""
    kept = request_started.receivers, request_finished.receivers
    request_started.receivers = request_finished.receivers = []
    seen.clear()
    yield
    request_started.receivers, request_finished.receivers = kept


@async_to_sync
async def ask(served, where):
    scope = {"type": "http", "method": "GET", "path": where, "query_string": b"", "headers": [(b"host", b"localhost")]}
    asked = ApplicationCommunicator(served, scope)
    await asked.send_input({"type": "http.request", "body": b""})
    start, body = await asked.receive_output(5), await asked.receive_output(5)
    await asked.wait(5)
    return start["status"], {name.lower() for name, _ in start["headers"]}, body["body"]


@pytest.fixture
def served():
    with override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=MIDDLEWARE):
        yield InOneThread()


def test_middleware_and_view_run_in_one_thread_that_is_not_the_loops(served):
    status, headers, body = ask(served, "/note")
    assert (status, body) == (200, b"noted")
    assert b"x-request-id" in headers
    assert len(seen) == 3
    assert len(set(seen)) == 1
    assert threading.current_thread().name not in seen


def test_an_asynchronous_view_runs_on_the_loop_all_the_same(served):
    assert ask(served, "/think")[2] == b"thought"
    assert seen[0] == seen[1] != seen[2]


def test_the_service_itself_is_served_so(tmp_path):
    with override_settings(STATIC_ROOT=tmp_path):
        application = importlib.import_module("casino.asgi").application
    assert isinstance(application, InOneThread)
    assert not iscoroutinefunction(application._middleware_chain)
