"""The ASGI application of a web process: the API and the page in one pool of threads, staff in one of their own.

Staff's pool is small, so that anonymous logins, whose passwords are slow to check, take no thread from players.
"""

import os
from collections.abc import Mapping
from typing import Any, Final

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
_wsgi: Final = get_wsgi_application()

from django.conf import settings  # noqa: E402  (the settings have to be loaded)

from casino.api.wsgi_pool import MAX_WAIT, Receive, Send, WsgiPool, path_without  # noqa: E402
from casino.operators.request_log import log_request  # noqa: E402

API_QUEUE: Final = 256
STAFF_THREADS: Final = 2
STAFF_QUEUE: Final = 8
STAFF_WAIT: Final = 0.5
"""Seconds that staff's requests wait for a thread: checking a password takes most of the two of an answer."""
_PREFIX: Final = settings.FORCE_SCRIPT_NAME or ""


def _pool(name: str, *, threads: int, queue: int, max_wait: float = MAX_WAIT) -> WsgiPool:
    return WsgiPool(
        _wsgi,
        name=name,
        threads=threads,
        queue=queue,
        max_body=settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
        max_wait=max_wait,
        prefix=_PREFIX,
        log_refusal=log_request,
    )


api: Final = _pool("api", threads=settings.WEB_THREADS, queue=API_QUEUE)
staff: Final = _pool("staff", threads=STAFF_THREADS, queue=STAFF_QUEUE, max_wait=STAFF_WAIT)
get_resolver().url_patterns  # noqa: B018  (loads them now, before the server forks its processes)


async def application(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
    """Choose the pool by the path."""
    path = path_without(_PREFIX, scope)
    await (staff if path == "/admin" or path.startswith("/admin/") else api)(scope, receive, send)
