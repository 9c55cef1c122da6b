"""Versions of a table's rules over HTTP: drafted by one person at an operator's desk, published by another."""

from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.api import rules_documents as documents
from baccarat.api import rules_shown as shapes
from baccarat.queries import rules_versions
from baccarat.services import rules_lifecycle
from casino.api.fields import parse_body
from casino.api.idempotency import idempotent
from casino.operators.base_views import OperatorView, metadata
from casino.operators.memberships import desk_actor


class VersionView(OperatorView):
    """A view about versions of one table of the caller's."""

    def told(self, table: UUID) -> dict[str, Any]:
        """Say which table, whose it is and what events remember of the request."""
        return {"table": table, "operator": self.caller.operator, "metadata": metadata(self.request)}

    def shown(self, table: UUID, version: int, *, status: int = 200) -> Response:
        """Answer with a version as it stands."""
        found = rules_versions.version(table=table, operator=self.caller.operator, version=version)
        return Response(shapes.shown(found), status=status)


class TableVersions(VersionView):
    """The versions of one table's rules."""

    @documents.list_versions
    def get(self, request: Request, table: UUID) -> Response:
        del request
        found = rules_versions.versions(table=table, operator=self.caller.operator)
        return Response({"items": [shapes.shown(each) for each in found]})

    @documents.draft
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        given = parse_body(shapes.Drafting, request)
        proposed = {"changes": given["rules"], "acknowledgement": given["acknowledgement"]}
        version = rules_lifecycle.draft(by=desk_actor(given["actor"]), **proposed, **self.told(table))
        return self.shown(table, version, status=201)


class TableVersion(VersionView):
    """One version."""

    @documents.show_version
    def get(self, request: Request, table: UUID, version: int) -> Response:
        del request
        return self.shown(table, version)


class PublishVersion(VersionView):
    """Agreement to a draft."""

    @documents.publish
    @idempotent
    def post(self, request: Request, table: UUID, version: int) -> Response:
        given = parse_body(shapes.Deciding, request)
        rules_lifecycle.publish(version=version, by=desk_actor(given["actor"]), **self.told(table))
        return self.shown(table, version)


class RejectVersion(VersionView):
    """Refusal of a draft."""

    @documents.reject
    @idempotent
    def post(self, request: Request, table: UUID, version: int) -> Response:
        given = parse_body(shapes.Rejecting, request)
        by = desk_actor(given["actor"])
        rules_lifecycle.reject(version=version, reason=given["reason"], by=by, **self.told(table))
        return self.shown(table, version)


class WithdrawVersion(VersionView):
    """Rules in force that are withdrawn."""

    @documents.withdraw
    @idempotent
    def post(self, request: Request, table: UUID, version: int) -> Response:
        given = parse_body(shapes.Rejecting, request)
        by = desk_actor(given["actor"])
        rules_lifecycle.retire(version=version, reason=given["reason"], by=by, **self.told(table))
        return self.shown(table, version)


class DiscardVersion(VersionView):
    """A draft that its maker takes back."""

    @documents.discard
    @idempotent
    def post(self, request: Request, table: UUID, version: int) -> Response:
        """Take it back."""
        given = parse_body(shapes.Deciding, request)
        rules_lifecycle.discard_own_draft(version=version, by=desk_actor(given["actor"]), **self.told(table))
        return self.shown(table, version)
