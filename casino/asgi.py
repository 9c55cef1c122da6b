"""The ASGI application of a web process: the API and the page in one pool of threads, staff in one of their own.

Static files have a pool, too: they need no database, and a page that lacks one module does not work at all, so they
wait longer than a command may.

Staff's logins, which anybody may try and whose passwords are slow to check, have one thread: they take none from
players and staff, and no more than a core. Logins by identity providers, who may not answer, have a pool, and so has
what stops and resumes play: no other page or call is in front of it.
"""

import os
from collections.abc import Mapping
from typing import Any, Final

from django.core.wsgi import get_wsgi_application
from django.template.loader import get_template
from django.urls import reverse

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
_wsgi: Final = get_wsgi_application()

from django.conf import settings  # noqa: E402  (the settings have to be loaded)

from casino.api.wsgi_pool import MAX_WAIT, Receive, Send, WsgiPool, path_without  # noqa: E402
from casino.operators.request_log import log_request  # noqa: E402

API_QUEUE: Final = 256
STAFF_THREADS: Final = 2
STAFF_QUEUE: Final = 8
LOGIN_QUEUE: Final = 4
LOGIN_WAIT: Final = 0.3
"""Seconds that a login waits for the thread: checking its password takes the most of its time."""
IDENTITY_THREADS: Final = 2
STOP_THREADS: Final = 2
FILE_THREADS: Final = 2
FILE_WAIT: Final = 10.0
_PREFIX: Final = settings.FORCE_SCRIPT_NAME or ""


def _pool(name: str, *, threads: int, queue: int, **waits: float) -> WsgiPool:
    return WsgiPool(
        _wsgi,
        name=name,
        threads=threads,
        queue=queue,
        max_body=settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
        prefix=_PREFIX,
        log_refusal=log_request,
        **waits,
    )


api: Final = _pool("api", threads=settings.WEB_THREADS, queue=API_QUEUE)
files: Final = _pool("files", threads=FILE_THREADS, queue=API_QUEUE, max_wait=FILE_WAIT)
staff: Final = _pool("staff", threads=STAFF_THREADS, queue=STAFF_QUEUE)
logins: Final = _pool("logins", threads=1, queue=LOGIN_QUEUE, max_wait=LOGIN_WAIT, refuses_after=MAX_WAIT)
identities: Final = _pool("identities", threads=IDENTITY_THREADS, queue=STAFF_QUEUE)
stops: Final = _pool("stops", threads=STOP_THREADS, queue=STAFF_QUEUE)
# Loaded now, before the server forks its processes: for the first login that would take seconds on a busy machine.
_login: Final = reverse("admin:login")
_identities: Final = reverse("admin:oidc_code").removesuffix("code/")
_stops: Final = (reverse("admin:baccarat_killswitch_changelist"), reverse("stops"))
_files: Final = settings.STATIC_URL.removeprefix(_PREFIX)
get_template("admin/login.html")


async def application(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
    """Choose the pool by the path."""
    path = path_without(_PREFIX, scope)
    if path.startswith(_files):
        pool = files
    elif path == _login:
        pool = logins
    elif path.startswith(_identities):
        pool = identities
    elif path.startswith(_stops) or (path.startswith("/admin/") and path.endswith("/stop/")):
        pool = stops
    elif path == "/admin" or path.startswith("/admin/"):
        pool = staff
    else:
        pool = api
    await pool(scope, receive, send)
