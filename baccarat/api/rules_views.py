"""Versions of a table's rules over HTTP: drafted by one person at an operator's desk, published by another."""

from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import version_history
from baccarat.api import version_documents as documents
from baccarat.api import version_shown as shapes
from baccarat.operations import versioning
from casino.api.fields import read
from casino.api.idempotency import idempotent
from casino.operators.staff import at_desk
from casino.operators.views import OperatorView, metadata


class VersionView(OperatorView):
    """A view about versions of one table of the caller's."""

    def told(self, table: UUID) -> dict[str, Any]:
        """This will say which table, whose it is and what events remember of the request."""
        return {"table": table, "operator": self.caller.operator, "metadata": metadata(self.request)}

    def shown(self, table: UUID, version: int, *, status: int = 200) -> Response:
        """This will answer with a version as it stands."""
        found = version_history.version(table=table, operator=self.caller.operator, version=version)
        return Response(shapes.shown(found), status=status)


class TableVersions(VersionView):
    """The versions of one table's rules."""

    @documents.list_versions
    def get(self, request: Request, table: UUID) -> Response:
        """This will list them."""
        del request
        found = version_history.versions(table=table, operator=self.caller.operator)
        return Response({"items": [shapes.shown(each) for each in found]})

    @documents.draft
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        """This will draft one."""
        given = read(shapes.Drafting, request)
        proposed = {"changes": given["rules"], "acknowledgement": given["acknowledgement"]}
        version = versioning.draft(by=at_desk(given["actor"]), **proposed, **self.told(table))
        return self.shown(table, version, status=201)


class TableVersion(VersionView):
    """One version."""

    @documents.show_version
    def get(self, request: Request, table: UUID, version: int) -> Response:
        """This will show it."""
        del request
        return self.shown(table, version)


class PublishVersion(VersionView):
    """Agreement to a draft."""

    @documents.publish
    @idempotent
    def post(self, request: Request, table: UUID, version: int) -> Response:
        """This will publish it."""
        given = read(shapes.Deciding, request)
        versioning.publish(version=version, by=at_desk(given["actor"]), **self.told(table))
        return self.shown(table, version)


class RejectVersion(VersionView):
    """Refusal of a draft."""

    @documents.reject
    @idempotent
    def post(self, request: Request, table: UUID, version: int) -> Response:
        """This will refuse it."""
        given = read(shapes.Rejecting, request)
        by = at_desk(given["actor"])
        versioning.reject(version=version, reason=given["reason"], by=by, **self.told(table))
        return self.shown(table, version)


class WithdrawVersion(VersionView):
    """Rules in force that are withdrawn."""

    @documents.withdraw
    @idempotent
    def post(self, request: Request, table: UUID, version: int) -> Response:
        """This will withdraw them."""
        given = read(shapes.Rejecting, request)
        by = at_desk(given["actor"])
        versioning.decommission(version=version, reason=given["reason"], by=by, **self.told(table))
        return self.shown(table, version)


class DiscardVersion(VersionView):
    """A draft that its maker takes back."""

    @documents.discard
    @idempotent
    def post(self, request: Request, table: UUID, version: int) -> Response:
        """This will take it back."""
        given = read(shapes.Deciding, request)
        versioning.take_back(version=version, by=at_desk(given["actor"]), **self.told(table))
        return self.shown(table, version)
