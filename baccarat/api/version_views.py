"""Versions of a table's rules over HTTP, with what each returns and has returned: for operators' servers."""

from fractions import Fraction
from typing import Any, Final
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import version_history
from baccarat.api import examples
from baccarat.api.odds_shown import ShareShown
from baccarat.api.serializers import RulesShown, one_of
from baccarat.picture import rules_picture
from baccarat.rules.odds_page import decimal, exact
from baccarat.rules.wagers import Spot
from baccarat.version_history import Played, Version
from baccarat.version_rows import STATUSES
from casino.kernel.money import Book, text
from casino.operators.views import OperatorView


class SpotReturnShown(serializers.Serializer[Any]):
    """What a unit staked returns on average: at exact rates, and for a stake of the table's minimum."""

    spot = one_of(*Spot)
    exact = ShareShown()
    at_minimum = ShareShown()


class PlayedShown(serializers.Serializer[Any]):
    """What was played by a version; voided wagers are counted apart."""

    book = one_of(*Book)
    rounds = serializers.IntegerField()
    wagers = serializers.IntegerField()
    staked = serializers.CharField()
    paid = serializers.CharField(help_text="Stakes and wins given back, net of all commission.")
    commission = serializers.CharField()
    voided = serializers.IntegerField()
    voided_stakes = serializers.CharField()
    actual_return = ShareShown(allow_null=True)


class VersionShown(serializers.Serializer[Any]):
    """One version of a table's rules. It never changes; `since` and `until` are when it was in force."""

    version = serializers.IntegerField()
    label = serializers.CharField(  # type: ignore[assignment]
        help_text="What rounds played by it carry, such as mini@2."
    )
    status = serializers.ChoiceField(STATUSES)
    rules = RulesShown()
    returns = SpotReturnShown(many=True)
    acknowledgement = serializers.CharField(help_text="The sentence typed where a return needed one.")
    drafted_by = serializers.CharField()
    drafted_at = serializers.DateTimeField()
    decided_by = serializers.CharField(help_text="Who published or rejected it: another person.")
    decided_at = serializers.DateTimeField(allow_null=True)
    waits_for = serializers.CharField(
        help_text="next_round, next_shoe, or new_shoe: what shapes a shoe holds only for one that is committed to "
        "after the publishing. Empty before it is published."
    )
    reason = serializers.CharField(help_text="Why it was rejected or withdrawn.")
    first_round = serializers.IntegerField(allow_null=True)
    since = serializers.DateTimeField(allow_null=True)
    until = serializers.DateTimeField(allow_null=True)
    played = PlayedShown(many=True)


class VersionList(serializers.Serializer[Any]):
    """All versions, the newest first."""

    items = VersionShown(many=True)


_RETURN: Final = {"fraction": "10732465128097/10847218479825", "decimal": "0.989420942"}
_EXAMPLE: Final = {
    "version": 1,
    "label": "mini@1",
    "status": "in_force",
    "rules": examples.SHOWN["rules"],
    "returns": [{"spot": "banker", "exact": _RETURN, "at_minimum": _RETURN}],
    "acknowledgement": "",
    "drafted_by": "",
    "drafted_at": "2026-11-21T09:00:00Z",
    "decided_by": "",
    "decided_at": None,
    "waits_for": "",
    "reason": "",
    "first_round": 1,
    "since": "2026-11-21T09:00:00Z",
    "until": None,
    "played": [
        {
            "book": "real",
            "rounds": 1,
            "wagers": 1,
            "staked": "10.00",
            "paid": "19.50",
            "commission": "0.50",
            "voided": 0,
            "voided_stakes": "0.00",
            "actual_return": {"fraction": "39/20", "decimal": "1.950000000"},
        }
    ],
}


class TableVersions(OperatorView):
    """The versions of one table's rules."""

    @extend_schema(
        operation_id="listTableVersions",
        summary="List the versions of a table's rules, with their returns and what was played by each",
        description="A change of rules is a new version: one person drafts it, another publishes it, and it holds from "
        "the next round on, or from the next shoe where it changes what a long shoe is made of.",
        responses=VersionList,
        examples=[examples.answer({"items": [_EXAMPLE]})],
    )
    def get(self, request: Request, table: UUID) -> Response:
        """This will list them."""
        del request
        found = version_history.versions(table=table, operator=self.caller.operator)
        return Response({"items": [_shown(each) for each in found]})


def _shown(found: Version) -> dict[str, Any]:
    row, currency = found.row, found.rules.currency
    same = (
        "version", "label", "status", "acknowledgement", "drafted_by", "drafted_at", "decided_by", "decided_at",
        "waits_for", "reason", "first_round", "since", "until",
    )  # fmt: skip
    return {
        **{name: getattr(row, name) for name in same},
        "rules": rules_picture(found.rules),
        "returns": [
            {"spot": each.spot, "exact": _share(Fraction(each.exact)), "at_minimum": _share(Fraction(each.at_minimum))}
            for each in found.returns
        ],
        "played": [_played(each, currency) for each in found.played],
    }


def _played(each: Played, currency: str) -> dict[str, Any]:
    actual = each.actual()
    return {
        "book": each.book,
        "rounds": each.rounds,
        "wagers": each.wagers,
        "staked": text(each.staked, currency),
        "paid": text(each.paid, currency),
        "commission": text(each.commission, currency),
        "voided": each.voided,
        "voided_stakes": text(each.voided_stakes, currency),
        "actual_return": None if actual is None else _share(actual),
    }


def _share(value: Fraction) -> dict[str, str]:
    return {"fraction": exact(value), "decimal": decimal(value)}
