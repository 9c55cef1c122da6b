"""The peer of `bet` and `balance`: a Django project of two bare DRF views, with nothing that they do not need.

No authentication, idempotency or explicit transaction: one inserts the request's body, the other selects one row.
"""

import json
import os
from typing import Any

import django
from django.conf import settings
from psycopg.conninfo import conninfo_to_dict

NAMES = {"dbname": "NAME", "host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD"}


def database() -> dict[str, Any]:
    """Return Django's settings for the database that DATABASE_URL names: connections are kept, unlike by default."""
    parameters = conninfo_to_dict(os.environ["DATABASE_URL"])
    prepared = os.environ.get("DATABASE_PREPARED_STATEMENTS") != "false"
    return {
        "ENGINE": "django.db.backends.postgresql",
        **{NAMES[name]: value for name, value in parameters.items() if name in NAMES},
        "OPTIONS": {"server_side_binding": prepared, "prepare_threshold": 5 if prepared else None},
        "CONN_MAX_AGE": None,
    }


settings.configure(
    SECRET_KEY="bare",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    MIDDLEWARE=["django.middleware.security.SecurityMiddleware", "django.middleware.common.CommonMiddleware"],
    DATABASES={"default": database()},
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "UNAUTHENTICATED_USER": None,
    },
)
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402  (all below needs Django's settings)
from django.db import connection  # noqa: E402
from django.urls import path  # noqa: E402
from rest_framework.request import Request  # noqa: E402
from rest_framework.response import Response  # noqa: E402
from rest_framework.views import APIView  # noqa: E402

_INSERT = "INSERT INTO bench_row (data) VALUES (%s) RETURNING id"
_SELECT = "SELECT id, data, made_at FROM bench_row WHERE id = %s"


class InsertView(APIView):
    """Inserts the request's body and returns the row's id."""

    def post(self, request: Request) -> Response:
        """Insert one row."""
        with connection.cursor() as cursor:
            cursor.execute(_INSERT, [json.dumps(request.data)])
            return Response({"id": cursor.fetchall()[0][0]}, status=201)


class SelectView(APIView):
    """Returns one row."""

    def get(self, _: Request, row: int) -> Response:
        """Select one row by its key."""
        with connection.cursor() as cursor:
            cursor.execute(_SELECT, [row])
            ((number, data, made_at),) = cursor.fetchall()
            return Response({"id": number, "data": json.loads(data), "made_at": made_at})


urlpatterns = [path("rows", InsertView.as_view()), path("rows/<int:row>", SelectView.as_view())]
application = get_wsgi_application()
