"""Players' exports of their own data, and the files of exports."""

from enum import StrEnum
from typing import Annotated
from uuid import UUID

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.shapes import ItemList, Shape, Timestamp
from casino.compliance import data_exports
from casino.compliance.models import DataExport
from casino.compliance.refusals import DataExportNotReady, DataExportTooSoon, UnknownDataExport
from casino.operators.base_views import PlayerView

ARCHIVE = "application/octet-stream"
"""Of a ZIP: generated clients know this type as bytes, and not application/zip."""


class DataExportStatus(StrEnum):
    """Whether the file is there."""

    REQUESTED = "requested"
    READY = "ready"


class DataExportResponse(Shape):
    """An export of a player's own data."""

    id: UUID
    status: DataExportStatus
    requested_at: Timestamp
    ready_at: Timestamp | None
    expires_at: Annotated[Timestamp, Meta(description="When the file is deleted, and another may be requested.")]
    size: Annotated[int, Meta(description="Bytes of the file, 0 until it is ready.", examples=[18734])]

    @classmethod
    def of(cls, row: DataExport) -> "DataExportResponse":
        """Present an export."""
        return cls(
            id=row.pk,
            status=DataExportStatus.REQUESTED if row.ready_at is None else DataExportStatus.READY,
            requested_at=row.requested_at,
            ready_at=row.ready_at,
            expires_at=row.requested_at + data_exports.INTERVAL,
            size=row.size,
        )


class DataExportList(ItemList[DataExportResponse]):
    """The exports that are kept: one at most."""


class MyDataExportsView(PlayerView):
    """The caller's own data."""

    @operation(
        "listMyDataExports",
        "List the exports of your own data that are kept",
        returns=DataExportList,
        description="Poll this until the one that you requested is `ready`: usually within seconds.",
    )
    def get(self, _request: Request) -> Response:
        rows = data_exports.list_own(player=self.caller.player)
        return Response(DataExportList.of(map(DataExportResponse.of, rows)))

    @operation(
        "createMyDataExport",
        "Request an export of your own data, at most once a day",
        returns=DataExportResponse,
        status=201,
        description=(
            "A ZIP of JSON files, and a workbook of the same tables: registration, sessions, wagers with their rounds, "
            "accounts and entries, payments, limits, notices and chats. It has no ids of staff and no notes among "
            "them, and is kept for a day."
        ),
        refusals=(DataExportTooSoon,),
    )
    @idempotent
    def post(self, _request: Request) -> Response:
        row = data_exports.request_own(operator=self.caller.operator, player=self.caller.player)
        return Response(DataExportResponse.of(row), status=201)


class MyDataExportFileView(PlayerView):
    """An export as a file."""

    @operation(
        "downloadMyDataExport",
        "Download an export of your own data",
        responses={(200, ARCHIVE): OpenApiTypes.BINARY},
        examples=[
            OpenApiExample("File", "(bytes of a ZIP)", response_only=True, status_codes=["200"], media_type=ARCHIVE)
        ],
        description="Amounts in it are decimals of the currency beside them, times in UTC.",
        refusals=(DataExportNotReady, UnknownDataExport),
    )
    def get(self, _request: Request, export: UUID) -> StreamingHttpResponse:
        row = data_exports.find_ready(data_exports.list_own(player=self.caller.player), export)
        return file_response(row, f"data-{export}.zip")


def file_response(row: DataExport, name: str) -> StreamingHttpResponse:
    """Return the file of an export that is ready, with its length: a part of it is known as such."""
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Content-Length": str(row.size),
        "Cache-Control": "no-store",
    }
    return StreamingHttpResponse(data_exports.pieces(row), content_type=ARCHIVE, headers=headers)
