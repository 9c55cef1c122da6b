"""Versions of rules: drafted by one member of staff, published or rejected by another, retired with a reason."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import msgspec
from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest

from baccarat.domain.rules import versions
from baccarat.domain.tables.kill_switch_events import StopScope
from baccarat.queries import rules_versions
from baccarat.services import rules_lifecycle
from baccarat.storage import rules_versions as version_rows
from baccarat.storage.models import RulesVersion
from baccarat.storage.rules_versions import DRAFT, IN_FORCE
from casino.backoffice import html
from casino.backoffice.actions import row_action, staff_metadata
from casino.backoffice.base import as_uuid
from casino.backoffice.columns import LabelledRowsAdmin, staff_column, status_column, time_column
from casino.backoffice.filters import enum_filter, operator_filter
from casino.backoffice.forms import RowForm, text_field
from casino.backoffice.pages import kill_switch, rules_sections
from casino.backoffice.pages.rules_form import RulesForm
from casino.backoffice.sections import Alert, Facts, Section
from casino.operators import memberships

MAKE: Final = "baccarat.draft_rules"
DECIDE: Final = "baccarat.publish_rules"


class DecisionForm(RowForm):
    """Why rules are rejected or retired."""

    reason = text_field("Reason, for the record (kept forever: name no player)", required=False)


class DraftForm(RulesForm):
    """A draft, from the rules in force."""

    def prepare(self) -> None:
        """Read the rules of the row."""
        self.row.table_rules = version_rows.decode_rules(msgspec.json.encode(self.row.rules))
        super().prepare()

    def clean(self) -> dict[str, Any]:
        """Add the changes against the rules in force."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            data["changes"] = self.changes()
        return data


def _is_own(request: HttpRequest, version: RulesVersion) -> bool:
    return version.drafted_by == memberships.staff_actor(request.user)


def _is_own_draft(request: HttpRequest, version: RulesVersion) -> bool:
    return version.status == DRAFT and _is_own(request, version)


def _is_others_draft(request: HttpRequest, version: RulesVersion) -> bool:
    return version.status == DRAFT and not _is_own(request, version)


def _is_in_force(_request: HttpRequest, version: RulesVersion) -> bool:
    return version.status == IN_FORCE


@admin.register(RulesVersion)
class RulesVersionAdmin(LabelledRowsAdmin):
    """Every version of every table's rules, newest first. Found by a table's id, or a name such as mini@2."""

    names = ("operator", "table")
    list_display = ("label", "table", "status_badge", "drafter", "decider", "valid_from", "valid_until")
    list_filter = (enum_filter(version_rows.STATUSES), operator_filter())
    ordering = ("-drafted_at", "-id")
    search_help_text = "id of a table, or a name such as mini@2"
    status_badge = status_column(rules_sections.STATUS_TONES)
    drafter = staff_column("drafted_by", "drafted by")
    decider = staff_column("decided_by", "decided by")
    valid_from = time_column("since", "in force since")
    valid_until = time_column("until", "until")

    def title_of(self, obj: Any) -> str:
        """Name a version with its table."""
        return f"{obj.label} at {obj.table_name}"

    def search_condition(self, term: str) -> Q | None:
        """Search for a table or a name."""
        identity = as_uuid(term)
        return Q(label=term) if identity is None else Q(table_id=identity)

    @row_action(
        "Draft",
        title="Draft other rules",
        permission=MAKE,
        form=DraftForm,
        applies=_is_in_force,
        help_text="Nothing changes until another person publishes the draft.",
    )
    def draft(self, request: HttpRequest, version: RulesVersion, data: dict[str, Any]) -> str:
        """Draft rules from those in force."""
        number = rules_lifecycle.draft(
            changes=data["changes"], acknowledgement=data["acknowledgement"], **_by(request, version)
        )
        return f"Drafted version {number}; another person has to publish it."

    @row_action(
        "Publish",
        permission=DECIDE,
        applies=_is_others_draft,
        tone="good",
        help_text="Takes effect from the next round or shoe, never within a round.",
    )
    def publish(self, request: HttpRequest, version: RulesVersion, _data: dict[str, Any]) -> str:
        """Publish the draft."""
        rules_lifecycle.publish(version=version.version, **_by(request, version))
        return f"Published {version.label}: it takes effect from the next round or shoe."

    @row_action("Reject", permission=DECIDE, form=DecisionForm, applies=_is_others_draft, tone="bad")
    def reject(self, request: HttpRequest, version: RulesVersion, data: dict[str, Any]) -> str:
        """Reject the draft."""
        rules_lifecycle.reject(version=version.version, reason=data["reason"], **_by(request, version))
        return f"Rejected {version.label}; nothing has changed."

    @row_action("Discard the draft", permission=MAKE, applies=_is_own_draft)
    def discard(self, request: HttpRequest, version: RulesVersion, _data: dict[str, Any]) -> str:
        """Discard the own draft."""
        rules_lifecycle.discard_own_draft(version=version.version, **_by(request, version))
        return f"Discarded {version.label}; nothing has changed."

    @row_action(
        "Retire",
        title="Retire these rules",
        permission=DECIDE,
        form=DecisionForm,
        applies=_is_in_force,
        tone="bad",
        help_text="The round in play ends, and no other opens until other rules are published.",
    )
    def retire(self, request: HttpRequest, version: RulesVersion, data: dict[str, Any]) -> str:
        """Retire the rules in force."""
        rules_lifecycle.retire(version=version.version, reason=data["reason"], **_by(request, version))
        return f"Retired {version.label}: no round opens until other rules are published."

    @row_action(
        "Stop",
        title="Stop play under these rules, at every table",
        permission=kill_switch.THROW,
        form=kill_switch.StopForm,
        applies=lambda request, version: version.status == IN_FORCE and kill_switch.may_throw(request, StopScope.RULES),
        tone="bad",
        help_text=kill_switch.STOP_HELP,
    )
    def stop(self, request: HttpRequest, version: RulesVersion, data: dict[str, Any]) -> str:
        """Stop play under rules of this name, at every table."""
        return kill_switch.stop(request, StopScope.RULES, version.label, data)

    def sections(self, request: HttpRequest, obj: RulesVersion) -> Sequence[Section]:
        """Show a version with its odds, its play and what it would change."""
        every = rules_versions.versions(table=obj.table_id, operator=obj.operator_id)
        details = next(each for each in every if each.row.version == obj.version)
        in_force = next((each for each in every if each.row.status == IN_FORCE), None)
        facts = (
            ("Rules", obj.label),
            *self.facts(obj, "table", "status_badge", "drafter"),
            ("Drafted (UTC)", html.moment(obj.drafted_at)),
            ("Decided by", self.decider(obj)),
            ("Decided (UTC)", html.moment(obj.decided_at)),
            ("Effective from", obj.effective_from.replace("_", " ") or html.NOTHING),
            ("First round", str(obj.first_round or html.NOTHING)),
            *self.facts(obj, "valid_from", "valid_until", "reason"),
            ("The operator's floor then", versions.format_percent(Fraction(obj.return_floor, versions.BASIS_POINTS))),
            ("Acknowledged", obj.acknowledgement or html.NOTHING),
        )
        waiting = _is_own_draft(request, obj)
        alert = Alert("Waiting for another person", "The author of a draft can't publish it.")
        return (
            Facts("Version", facts),
            *rules_sections.differences(details, in_force),
            rules_sections.odds(details),
            rules_sections.performance(details),
            Facts("Rules", rules_sections.rule_facts(details.rules)),
            *((alert,) if waiting else ()),
        )


def _by(request: HttpRequest, version: RulesVersion) -> dict[str, Any]:
    correlation = f"table-{version.table_id}"
    metadata = staff_metadata(request, version.operator_id, causation="admin", correlation=correlation)
    by = memberships.staff_actor(request.user)
    return {"table": version.table_id, "operator": version.operator_id, "by": by, "metadata": metadata}
