"""Versions of rules as staff see them: what each returns and has returned, how it differs, and who lets it hold."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import msgspec
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.safestring import SafeString

from baccarat.domain.rules import versions
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables.kill_switch_events import StopScope
from baccarat.queries import rules_versions
from baccarat.services import rules_lifecycle
from baccarat.storage import rules_versions as version_rows
from baccarat.storage.models import RulesVersion
from baccarat.storage.rules_versions import DRAFT, IN_FORCE
from casino.backoffice import html, staff_names
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.filters import chosen
from casino.backoffice.pages import baccarat_parts, kill_switches, rules_facts, rules_form, rules_parts
from casino.backoffice.pages.operators import operator_filter
from casino.backoffice.sections import Alert, Facts, Field, Form, Section
from casino.events.store import Metadata
from casino.operators import memberships

MAKE: Final = "baccarat.draft_rules"
DECIDE: Final = "baccarat.publish_rules"
_WHY: Final = (Field("reason", "Why, for the record (kept for good: name no player)", lines=2),)
_STATUSES: Final = {status: status.replace("_", " ").capitalize() for status in version_rows.STATUSES}


@admin.register(RulesVersion)
class RulesVersionAdmin(ReadOnlyAdmin):
    """Every version of every table's rules, the newest first. Found by a table's id, or a name such as mini@2."""

    list_display = ("title", "table", "standing", "maker", "decider", "since_when", "until_when")
    list_filter = (
        chosen(title="status", parameter="status", choices=_STATUSES, where=lambda value: Q(status=value)),
        operator_filter(),
    )
    ordering = ("-drafted_at", "-id")
    search_help_text = "id of a table, or a name such as mini@2"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Add the table's name, in the same query."""
        return baccarat_parts.with_names(super().get_queryset(request), table=True)

    def title_of(self, obj: Any) -> str:
        """Name a version as rounds do, with its table."""
        return f"{obj.label} at {obj.table_name}"

    def found_by(self, term: str) -> Q | None:
        """Look for a table or a name."""
        identity = as_uuid(term)
        return Q(label=term) if identity is None else Q(table_id=identity)

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of what staff do about a version."""
        return [
            self.perform_path("draft", MAKE, self.draft),
            self.perform_path("publish", DECIDE, self.publish),
            self.perform_path("reject", DECIDE, self.reject),
            self.perform_path("withdraw_draft", MAKE, self.take_back),
            self.perform_path("decommission", DECIDE, self.decommission),
            self.perform_path("stop", kill_switches.THROW, self.stop),
            *super().get_urls(),
        ]

    def draft(self, request: HttpRequest, version: RulesVersion) -> str:
        """Draft rules from those in force. Raises the refusals of `versioning.draft`."""
        number = rules_lifecycle.draft(
            changes=rules_form.changes(request.POST, _rules(version)),
            acknowledgement=request.POST.get("acknowledgement", ""),
            **_done(request, version),
        )
        return f"Drafted version {number}; another person has to publish it."

    def publish(self, request: HttpRequest, version: RulesVersion) -> str:
        """Publish a draft. Raises the refusals of `versioning.publish`."""
        rules_lifecycle.publish(version=version.version, **_done(request, version))
        return f"Published {version.label}: it holds from the next round, or shoe, on."

    def reject(self, request: HttpRequest, version: RulesVersion) -> str:
        """Reject a draft. Raises the refusals of `versioning.reject`."""
        rules_lifecycle.reject(
            version=version.version, reason=request.POST.get("reason", ""), **_done(request, version)
        )
        return f"Rejected {version.label}; nothing has changed."

    def take_back(self, request: HttpRequest, version: RulesVersion) -> str:
        """Take the own draft back. Raises the refusals of `versioning.take_back`."""
        rules_lifecycle.discard_own_draft(version=version.version, **_done(request, version))
        return f"Took {version.label} back; nothing has changed."

    def decommission(self, request: HttpRequest, version: RulesVersion) -> str:
        """Withdraw the rules in force. Raises the refusals of `versioning.decommission`."""
        why = request.POST.get("reason", "")
        rules_lifecycle.retire(version=version.version, reason=why, **_done(request, version))
        return f"Withdrew {version.label}: no round opens until other rules are published."

    def stop(self, request: HttpRequest, version: RulesVersion) -> str:
        """Stop play by rules of this name, at every table. Raises the refusals of `switching.stop`."""
        return kill_switches.stop(request, StopScope.RULES, version.label)

    @admin.display(description="rules")
    def title(self, version: RulesVersion) -> str:
        """Their name, as rounds carry it."""
        return version.label

    @admin.display(description="table")
    def table(self, version: Any) -> SafeString | str:
        return html.page("table", version.table_id, version.table_name or html.short(version.table_id))

    @admin.display(description="status")
    def standing(self, version: RulesVersion) -> SafeString:
        return html.badge(version.status.replace("_", " "), rules_parts.TONES.get(version.status, "plain"))

    @admin.display(description="drafted by")
    def maker(self, version: RulesVersion) -> str:
        return staff_names.named(version.drafted_by or html.NOTHING)

    @admin.display(description="decided by")
    def decider(self, version: RulesVersion) -> str:
        """Who published or rejected them."""
        return staff_names.named(version.decided_by or html.NOTHING)

    @admin.display(description="in force since (UTC)")
    def since_when(self, version: RulesVersion) -> SafeString | str:
        return html.moment(version.since)

    @admin.display(description="until (UTC)")
    def until_when(self, version: RulesVersion) -> SafeString | str:
        return html.moment(version.until)

    def sections(self, request: HttpRequest, obj: RulesVersion) -> Sequence[Section]:
        """Show a version with its odds and what it would change, and what can be done about it."""
        every = rules_versions.versions(table=obj.table_id, operator=obj.operator_id)
        found = next(each for each in every if each.row.version == obj.version)
        holds = next((each for each in every if each.row.status == IN_FORCE), None)
        facts = (
            ("Rules", obj.label),
            ("Table", self.table(obj)),
            ("Status", self.standing(obj)),
            ("Drafted by", self.maker(obj)),
            ("Drafted (UTC)", html.moment(obj.drafted_at)),
            ("Decided by", self.decider(obj)),
            ("Decided (UTC)", html.moment(obj.decided_at)),
            ("Holds from", obj.effective_from.replace("_", " ") or html.NOTHING),
            ("First round", str(obj.first_round or html.NOTHING)),
            ("In force since (UTC)", self.since_when(obj)),
            ("Until (UTC)", self.until_when(obj)),
            ("Why", obj.reason or html.NOTHING),
            ("The operator's floor then", versions.format_percent(Fraction(obj.floor, versions.BASIS_POINTS))),
            ("Acknowledged", obj.acknowledgement or html.NOTHING),
        )
        return (
            Facts("Version", facts),
            *rules_parts.differences(found, holds),
            rules_parts.odds(found),
            rules_parts.played(found),
            Facts("Rules", rules_facts.facts(found.rules)),
            *self._forms(request, obj, found.rules),
        )

    def _forms(self, request: HttpRequest, version: RulesVersion, rules: TableRules) -> Sequence[Section]:
        if version.status == DRAFT:
            return self._decision(request, version)
        if version.status != IN_FORCE:
            return ()
        may = request.user.has_perm
        shown: list[Section] = []
        if may(MAKE):
            says = "A field left empty stays as it is. Nothing changes until another person publishes the draft."
            asked = rules_form.fields(rules)
            shown.append(Form("Draft other rules", "Draft", self.perform_url("draft", version), asked, says))
        if may(DECIDE):
            says = "The round in hand concludes, and no other opens until other rules are published."
            url = self.perform_url("decommission", version)
            shown.append(Form("Withdraw these rules", "Decommission", url, _WHY, says, tone="bad"))
        url = self.perform_url("stop", version)
        return (
            *shown,
            *kill_switches.form(request, StopScope.RULES, url, f"Stop play by {version.label}, at every table"),
        )

    def _decision(self, request: HttpRequest, version: RulesVersion) -> Sequence[Section]:
        if version.drafted_by == memberships.staff_actor(request.user):
            waits = Alert("Waiting for another person", "Who drafted rules can't publish them.")
            url = self.perform_url("withdraw_draft", version)
            return (waits, Form("Take the draft back", "Take back", url, (), "Nothing has changed by it."))
        if not request.user.has_perm(DECIDE):
            return ()
        agree = Form(
            "Publish", "Publish", self.perform_url("publish", version), (), "Never within a round.", tone="good"
        )
        refuse = self.perform_url("reject", version)
        return (agree, Form("Reject", "Reject", refuse, _WHY, tone="bad"))


def _rules(version: RulesVersion) -> TableRules:
    return version_rows.decode_rules(msgspec.json.encode(version.rules))


def _done(request: HttpRequest, version: RulesVersion) -> dict[str, Any]:
    who = memberships.staff_actor(request.user)
    correlation = f"table-{version.table_id}"
    metadata = Metadata(operator=str(version.operator_id), actor=who, causation="admin", correlation=correlation)
    return {"table": version.table_id, "operator": version.operator_id, "by": who, "metadata": metadata}
