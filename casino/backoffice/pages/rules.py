"""Versions of rules: drafted by one member of staff, published or rejected by another, retired with a reason."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from django.contrib import admin
from django.http import HttpRequest

from baccarat.domain.rules import versions
from baccarat.domain.tables.kill_switch import StopScope
from baccarat.queries import rules_versions
from baccarat.services import rules_lifecycle
from baccarat.storage import rules_versions as version_rows
from baccarat.storage.models import RulesVersion
from baccarat.storage.rules_versions import DRAFT, IN_FORCE
from casino.backoffice import html
from casino.backoffice.actions import RowAction, staff_context
from casino.backoffice.badges import STOP_GAMING
from casino.backoffice.columns import LabelledRowsAdmin, staff_column, status_column, time_column
from casino.backoffice.filters import enum_filter, operator_filter
from casino.backoffice.forms import ReasonForm
from casino.backoffice.pages import kill_switch, rules_sections
from casino.backoffice.pages.rules_form import DraftForm
from casino.backoffice.sections import ActionBar, Banner, Facts, Section
from casino.operators import changes, memberships

MAKE: Final = "baccarat.draft_rules"
DECIDE: Final = "baccarat.publish_rules"


def _is_own(request: HttpRequest, version: RulesVersion) -> bool:
    return version.drafted_by == memberships.staff_actor(request.user)


def _is_own_draft(request: HttpRequest, version: RulesVersion) -> bool:
    return version.status == DRAFT and _is_own(request, version)


def _is_in_force(_request: HttpRequest, version: RulesVersion) -> bool:
    return version.status == IN_FORCE


@admin.register(RulesVersion)
class RulesVersionAdmin(LabelledRowsAdmin):
    """Every version of every table's rules, newest first. Found by a table's id, or a name such as mini@2."""

    names = ("operator", "table")
    list_display = ("label", "table", "status_badge", "drafter", "decider", "valid_from", "valid_until")
    list_filter = (enum_filter(version_rows.STATUSES), operator_filter())
    ordering = ("-drafted_at", "-id")
    search_fields = ("table_id", "label", "digest")
    search_help_text = "id of a table, digest of rules, or a name such as mini@2"
    status_badge = status_column(rules_sections.STATUS_TONES)
    drafter = staff_column("drafted_by", "drafted by")
    decider = staff_column("decided_by", "decided by")
    valid_from = time_column("since", "in force since")
    valid_until = time_column("until", "until")

    def title_of(self, obj: Any) -> str:
        return f"{obj.label} at {obj.table_name}"

    def subject_of(self, obj: Any) -> str:
        """Name the table in the access log."""
        return f"table:{obj.table_id}"

    @RowAction(
        "Draft",
        title="Draft other rules",
        permission=MAKE,
        form=DraftForm,
        applies=_is_in_force,
        help_text="Nothing changes until another person confirms it. If nobody does in three days, it is dropped.",
    )
    def draft(self, request: HttpRequest, version: RulesVersion, data: dict[str, Any]) -> str:
        number = rules_lifecycle.draft(
            differences=data["changes"],
            acknowledgement=data["acknowledgement"],
            reason=data["change_reason"],
            **_by(request, version),
        )
        return f"Drafted version {number}; another person has to confirm it."

    @RowAction("Discard the draft", permission=MAKE, applies=_is_own_draft)
    def discard(self, request: HttpRequest, version: RulesVersion, _data: dict[str, Any]) -> str:
        waits = changes.waiting(rules_lifecycle.KIND, rules_lifecycle.subject_of(version.table_id, version.version))
        if waits is not None:
            changes.decline(waits.pk, by=memberships.staff_actor(request.user))
        return f"Discarded {version.label}; nothing has changed."

    @RowAction(
        "Retire",
        title="Retire these rules",
        permission=DECIDE,
        form=ReasonForm,
        applies=_is_in_force,
        tone="bad",
        help_text="The round in play ends, and no other opens until other rules are published.",
    )
    def retire(self, request: HttpRequest, version: RulesVersion, data: dict[str, Any]) -> str:
        rules_lifecycle.retire(version=version.version, reason=data["reason"], **_by(request, version))
        return f"Retired {version.label}: no round opens until other rules are published."

    @RowAction(
        "Stop",
        title="Stop play under these rules, at every table",
        permission=STOP_GAMING,
        form=kill_switch.StopForm,
        applies=lambda request, version: version.status == IN_FORCE and kill_switch.may_stop(request, StopScope.RULES),
        tone="bad",
        help_text=kill_switch.STOP_HELP,
    )
    def stop(self, request: HttpRequest, version: RulesVersion, data: dict[str, Any]) -> str:
        """Stop play under these rules, at every table that has them."""
        return kill_switch.stop(request, StopScope.RULES, version.digest, data)

    def _reach(self, request: HttpRequest, version: RulesVersion) -> Sequence[tuple[str, str]]:
        """Say to whoever may stop these rules at which tables that would be."""
        if not kill_switch.may_stop(request, StopScope.RULES):
            return ()
        return (("A stop reaches", ", ".join(map(str, version_rows.reaches(version.digest)))),)

    def sections(self, request: HttpRequest, obj: RulesVersion) -> Sequence[Section]:
        """Show a version with its odds, its play and what it would change."""
        every = rules_versions.versions(table=obj.table_id, operator=obj.operator_id)
        details = next(each for each in every if each.row.version == obj.version)
        in_force = next((each for each in every if each.row.status == IN_FORCE), None)
        facts = self.facts(
            obj,
            ("Rules", obj.label),
            ("Digest", html.code(obj.digest)),
            *self._reach(request, obj),
            *("table", "status_badge", "drafter"),
            ("Drafted", obj.drafted_at),
            ("Reason for the change", obj.change_reason),
            "decider",
            ("Decided", obj.decided_at),
            ("Effective from", obj.effective_from.replace("_", " ")),
            "first_round",
            *("valid_from", "valid_until", "reason"),
            ("The operator's floor then", versions.format_percent(Fraction(obj.return_floor, versions.BASIS_POINTS))),
            ("Acknowledged", obj.acknowledgement),
            title="Version",
        )
        waits = changes.waiting(rules_lifecycle.KIND, rules_lifecycle.subject_of(obj.table_id, obj.version))
        alert = waits and Banner("Waiting for another person", html.page("change", waits.pk, waits.summary))
        return (
            *((alert,) if alert else ()),
            facts,
            ActionBar(),
            *rules_sections.differences(details, in_force),
            rules_sections.spots(details.rules, details.returns),
            rules_sections.performance(details),
            Facts("Rules", rules_sections.rule_facts(details.rules)),
        )


def _by(request: HttpRequest, version: RulesVersion) -> dict[str, Any]:
    table = version.table_id
    return {"table": table, **staff_context(request, version, causation="admin", correlation=f"table-{table}")}
