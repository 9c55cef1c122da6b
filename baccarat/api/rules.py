"""Versions of a table's rules: drafted by one person at an operator's desk, confirmed by another."""

from fractions import Fraction
from functools import partial
from typing import Annotated, Any, Final
from uuid import UUID

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import acts
from baccarat.api.rules_requests import RulesDraftRequest, RulesRejectionRequest
from baccarat.domain.rules.presets import UnknownPreset
from baccarat.domain.rules.validation import InvalidRules
from baccarat.domain.rules.written import read_rules
from baccarat.domain.tables.events import EffectiveFrom
from baccarat.domain.tables.refusals import (
    AcknowledgementDiffers,
    AcknowledgementNotNeeded,
    DraftPending,
    OddsTooHigh,
    PlayerEdgeNotAccepted,
    PlayMoneyNotOffered,
    ReturnUnderFloor,
    RulesAreRetired,
    RulesUnchanged,
    SeatsAreTaken,
    ShuffleIsFixed,
    UnknownTable,
    UnknownVersion,
    VersionNotInForce,
    VersionReasonMissing,
    WinTooLarge,
)
from baccarat.queries import rules_versions, tables
from baccarat.queries.rules_versions import PlayTotals, RulesVersionDetails
from baccarat.queries.rules_view import FractionResponse, TableRulesResponse, present_rules
from baccarat.services import rules_lifecycle
from baccarat.storage.rules_versions import STATUSES
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import parse_body
from casino.api.shapes import AmountText, ItemList, Shape, Timestamp
from casino.kernel.money import MoneyType, format_amount, parse_positive
from casino.operators import changes
from casino.operators.api.changes import ChangeResponse
from casino.operators.assertions import OPTIONAL_PARAMETER
from casino.operators.base_views import OperatorView, metadata

LIFECYCLE: Final = (
    "A change of rules is a new version: one person drafts it, another confirms the change that publishes it, and it "
    "takes effect with the next round. A change of commission waits until the long shoe in play ends; decks, burn, "
    "cut card and fixed order apply to shoes committed to after publication: if each round is shuffled, from the "
    "second round."
)


class SpotReturnResponse(Shape):
    """Average return per unit staked: at exact rates, and for a stake of the spot's minimum."""

    spot: str
    exact: FractionResponse
    at_minimum: FractionResponse


class VersionPerformance(Shape):
    """Play under a version; voided wagers are counted separately."""

    money_type: MoneyType
    rounds: int
    wagers: int
    staked: AmountText
    returned: Annotated[AmountText, Meta(description="Stakes and wins, net of commission.")]
    commission: AmountText
    voided: int
    voided_stakes: AmountText
    actual_return: FractionResponse | None

    @classmethod
    def of(cls, totals: PlayTotals, currency: str) -> "VersionPerformance":
        """Present the totals of one kind of money."""
        actual = totals.actual_return()
        return cls(
            money_type=totals.money_type,
            rounds=totals.rounds,
            wagers=totals.wagers,
            staked=format_amount(totals.staked, currency),
            returned=format_amount(totals.returned, currency),
            commission=format_amount(totals.commission, currency),
            voided=totals.voided,
            voided_stakes=format_amount(totals.voided_stakes, currency),
            actual_return=None if actual is None else FractionResponse.of(actual),
        )


class RulesVersionResponse(Shape):
    """One version of a table's rules. It never changes; `since` and `until` are when it was in force."""

    version: int
    label: Annotated[str, Meta(description="For people; other rules may have the same.", examples=["mini@2"])]
    digest: Annotated[str, Meta(description="Names the rules, at whichever table. SHA-256, in hex.")]
    status: Annotated[str, Meta(extra_json_schema={"enum": list(STATUSES)})]
    rules: TableRulesResponse
    returns: tuple[SpotReturnResponse, ...]
    acknowledgement: Annotated[str, Meta(description="The sentence typed if a return needed one.")]
    change_reason: Annotated[str, Meta(description="Why it was drafted; empty if nobody said.")]
    drafted_by: str
    drafted_at: Timestamp
    decided_by: Annotated[str, Meta(description="The person who decided on it.")]
    decided_at: Timestamp | None
    effective_from: Annotated[
        str,
        Meta(
            description="`new_shoe`: with the first shoe committed to after publication. Empty before it is published.",
            examples=["next_round"],
            extra_json_schema={"enum": ["", *(each.value for each in EffectiveFrom)]},
        ),
    ]
    reason: Annotated[str, Meta(description="The reason for rejecting or retiring it.")]
    first_round: int | None
    since: Timestamp | None
    until: Timestamp | None
    performance: tuple[VersionPerformance, ...]

    @classmethod
    def of(cls, details: RulesVersionDetails) -> "RulesVersionResponse":
        """Present a version with its returns and the play under it."""
        row = details.row
        return cls(
            version=row.version,
            label=row.label,
            digest=row.digest,
            status=row.status,
            rules=present_rules(details.rules),
            returns=tuple(
                SpotReturnResponse(
                    spot=each.spot,
                    exact=FractionResponse.of(Fraction(each.exact)),
                    at_minimum=FractionResponse.of(Fraction(each.at_minimum)),
                )
                for each in details.returns
            ),
            acknowledgement=row.acknowledgement,
            change_reason=row.change_reason,
            drafted_by=row.drafted_by,
            drafted_at=row.drafted_at,
            decided_by=row.decided_by,
            decided_at=row.decided_at,
            effective_from=row.effective_from,
            reason=row.reason,
            first_round=row.first_round,
            since=row.since,
            until=row.until,
            performance=tuple(VersionPerformance.of(each, details.rules.currency) for each in details.play_totals),
        )


class RulesVersionList(ItemList[RulesVersionResponse]):
    """All versions, the newest first."""


class RulesVersionBaseView(OperatorView):
    """A view about versions of one table of the caller's."""

    def context(self, table: UUID) -> dict[str, Any]:
        return {"table": table, "operator": self.caller.operator, "metadata": metadata(self.request)}

    def respond(self, table: UUID, version: int) -> Response:
        """Return the current state of a version."""
        details = rules_versions.version(table=table, operator=self.caller.operator, version=version)
        return Response(RulesVersionResponse.of(details))


class TableVersionsView(RulesVersionBaseView):
    """The versions of one table's rules."""

    act = acts.DRAFT_RULES

    @operation(
        "listTableVersions",
        "List the versions of a table's rules, with returns and play",
        returns=RulesVersionList,
        description=LIFECYCLE,
        refusals=(UnknownTable,),
    )
    def get(self, _request: Request, table: UUID) -> Response:
        versions = rules_versions.versions(table=table, operator=self.caller.operator)
        return Response(RulesVersionList.of(RulesVersionResponse.of(each) for each in versions))

    @operation(
        "draftTableRules",
        "Draft a new version of a table's rules; another person must confirm the change that publishes it",
        returns=ChangeResponse,
        status=202,
        request=RulesDraftRequest,
        example={"rules": {"minimum": "10.00"}},
        description=(
            f"{LIFECYCLE} `rules` are the fields that change. For real money, a spot with a player's edge or a return "
            "below your floor is refused (`player_edge_not_accepted`, `return_under_floor`) unless `acknowledgement` "
            "is the `required_acknowledgement` of that refusal, word for word. If the change is declined or expires, "
            "the draft is dropped; its number is not used again. The subject of the change names the version."
        ),
        refusals=(
            AcknowledgementDiffers,
            AcknowledgementNotNeeded,
            DraftPending,
            InvalidRules,
            OddsTooHigh,
            WinTooLarge,
            PlayMoneyNotOffered,
            PlayerEdgeNotAccepted,
            ReturnUnderFloor,
            RulesUnchanged,
            SeatsAreTaken,
            ShuffleIsFixed,
            UnknownPreset,
            UnknownTable,
            UnknownVersion,
        ),
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        body = parse_body(RulesDraftRequest, request)
        currency = tables.rules_of_table(table=table, operator=self.caller.operator).currency
        version = rules_lifecycle.draft(
            by=self.use_person(),
            differences=read_rules(body.rules, partial(parse_positive, currency=currency)),
            acknowledgement=body.acknowledgement,
            reason=body.reason,
            **self.context(table),
        )
        change = changes.waiting(rules_lifecycle.KIND, rules_lifecycle.subject_of(table, version))
        if change is None:
            raise AssertionError("the draft was requested a moment ago")
        return Response(ChangeResponse.of(change), status=202)


class TableVersionView(RulesVersionBaseView):
    @operation(
        "getTableVersion",
        "Show one version of a table's rules, with its theoretical returns",
        returns=RulesVersionResponse,
        description=("The rules in full, who drafted and decided them, and the returns that follow from them."),
        refusals=(
            UnknownTable,
            UnknownVersion,
        ),
    )
    def get(self, _request: Request, table: UUID, version: int) -> Response:
        return self.respond(table, version)


class RetireVersionView(RulesVersionBaseView):
    act = acts.PUBLISH_RULES

    @operation(
        "retireTableVersion",
        "Retire the rules in force: no round opens until new rules are published",
        returns=RulesVersionResponse,
        parameters=[OPTIONAL_PARAMETER],
        request=RulesRejectionRequest,
        example={"reason": "Misprinted."},
        description=(
            "The current round concludes, and players may leave with their money. One person may retire rules; new "
            "rules still need two. A version that is not in force is refused (`version_not_in_force`), so a late "
            "repeat never retires the next version."
        ),
        refusals=(
            RulesAreRetired,
            UnknownTable,
            UnknownVersion,
            VersionNotInForce,
            VersionReasonMissing,
        ),
    )
    @idempotent
    def post(self, request: Request, table: UUID, version: int) -> Response:
        body = parse_body(RulesRejectionRequest, request)
        by = self.use_person_or_key()
        rules_lifecycle.retire(version=version, reason=body.reason, by=by, **self.context(table))
        return self.respond(table, version)
