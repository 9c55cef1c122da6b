"""The peer of `bet`: a view that does no more than insert one row. It exists only under this package's settings."""

import json

from django.db import connection
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

_INSERT = "INSERT INTO bench_row (data) VALUES (%s) RETURNING id"


class Bare(APIView):
    """Parses the body, inserts it, answers with the row's id: no caller, no idempotency, no transaction of its own."""

    parser_classes = [JSONParser]

    def post(self, request: Request) -> Response:
        """Insert one row."""
        with connection.cursor() as cursor:
            cursor.execute(_INSERT, [json.dumps(request.data)])
            return Response({"id": cursor.fetchall()[0][0]}, status=201)
