"""Versions of rules: drafted by one member of staff, published or rejected by another, retired with a reason."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from fractions import Fraction
from typing import Any, Final

import msgspec
from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from baccarat.domain.rules import versions
from baccarat.domain.rules.table_rules import (
    Commission,
    CommissionTiming,
    Ratio,
    ShowMilliseconds,
    SpotsPerRound,
    TableRules,
    UnderMinimumPolicy,
)
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
from casino.backoffice.forms import EnumSelectField, MinorUnitsField, ReasonForm, RowForm, text_field
from casino.backoffice.pages import kill_switch, rules_sections
from casino.backoffice.sections import ActionBar, Banner, Facts, Section
from casino.kernel import money
from casino.kernel.errors import Refusal
from casino.operators import changes, memberships

_RATE: Final = "commission_rate"
_ROUNDING: Final = "commission_rounding"
_TIMING: Final = "commission_timing"
_SHOW: Final = {length.name: f"show_{length.name}" for length in fields(ShowMilliseconds)}
MAKE: Final = "baccarat.draft_rules"
DECIDE: Final = "baccarat.publish_rules"


class MarkedRatioField(forms.CharField):
    """Two whole numbers with a mark between them, such as 8:1 or 5/100."""

    def __init__(self, mark: str, **kwargs: Any) -> None:
        super().__init__(max_length=20, **kwargs)
        self.mark = mark

    def clean(self, value: Any) -> Ratio | None:
        """Parse the ratio. Raises ValidationError."""
        text = super().clean(value)
        if not text:
            return None
        first, _, second = text.partition(self.mark)
        try:
            return Ratio(int(first), int(second))
        except (ValueError, Refusal):
            raise ValidationError(f"Write two whole numbers with a {self.mark} between them.") from None


class ChipsField(forms.CharField):
    """Amounts of a currency, comma separated."""

    def __init__(self, *, currency: str, **kwargs: Any) -> None:
        super().__init__(max_length=120, **kwargs)
        self.currency = currency

    def clean(self, value: Any) -> tuple[int, ...]:
        """Parse the amounts. Raises ValidationError."""
        try:
            return tuple(money.parse_positive(chip.strip(), self.currency) for chip in super().clean(value).split(","))
        except Refusal as refusal:
            raise ValidationError(refusal.message()) from None


def _optional_number(title: str) -> forms.IntegerField:
    return forms.IntegerField(label=f"{title} (empty: none)", min_value=0, required=False)


def _milliseconds(title: str) -> forms.IntegerField:
    return forms.IntegerField(label=f"Show of {title}, in milliseconds", min_value=0)


class RulesForm(RowForm):
    """Everything that a version of rules may change. The row's `rules` attribute has the rules in force."""

    decks = forms.IntegerField(label="Decks", min_value=1)
    seats = forms.IntegerField(label="Seats", min_value=1)
    spots_per_round = EnumSelectField(SpotsPerRound, label="Spots in one round")
    player_pays = MarkedRatioField(":", label="Player pays")
    banker_pays = MarkedRatioField(":", label="Banker pays")
    tie_pays = MarkedRatioField(":", label="Tie pays")
    commission_rate = MarkedRatioField("/", label="Commission, such as 5/100 (empty: none)", required=False)
    commission_rounding = MarkedRatioField(
        "/", label="Commission rounded up to a share of the lowest chip, such as 1/4 (empty: exact)", required=False
    )
    commission_timing = EnumSelectField(CommissionTiming, label="Commission taken")
    under_minimum = EnumSelectField(UnderMinimumPolicy, label="Under the minimum")
    turn_seconds = _optional_number("Turn in seconds")
    cut_cards_from_end = _optional_number("Cut card, cards from the end")
    seat_kept_rounds = _optional_number("Turns that an absent player's seat is kept")
    look_seconds = _optional_number("Seconds to look at the cards")
    hand_back_seconds = _optional_number("Seconds to hand the cards back")
    show_two_cards = _milliseconds("two hands of two cards")
    show_natural = _milliseconds("a natural")
    show_one_third_card = _milliseconds("one third card")
    show_two_third_cards = _milliseconds("two third cards")
    show_ceremony = _milliseconds("the Caller's ceremony, added")
    minimum_cycle_seconds = forms.IntegerField(label="Least seconds from one round's opening to the next", min_value=0)
    may_hurry = forms.BooleanField(label="The show may be skipped or left out", required=False)
    auto_confirm = forms.BooleanField(label="The page confirms what was placed before betting closes", required=False)
    caller = forms.BooleanField(label="Caller", required=False)
    play_money = forms.BooleanField(label="Play money", required=False)
    burn = forms.BooleanField(label="Burn", required=False)
    fixed_order = forms.BooleanField(
        label="The order of a shoe is fixed as it starts, and the house knows it", required=False
    )
    acknowledgement = text_field("The sentence to acknowledge, if a return needs one", required=False)

    def prepare(self) -> None:
        """Add the fields in the table's currency, and fill in the rules in force."""
        rules: TableRules = self.row.table_rules
        currency = rules.currency
        self.fields["chips"] = ChipsField(currency=currency, label=f"Chips in {currency}, comma separated")
        self.fields["minimum"] = MinorUnitsField(currency=currency, label=f"Minimum in {currency}")
        self.fields["maximum"] = MinorUnitsField(currency=currency, label=f"Maximum in {currency}")
        self.order_fields(["decks", "seats", "chips", "minimum", "maximum"])
        self.initial = initial_values(rules)

    def changes(self) -> dict[str, Any]:
        """Return the fields of TableRules that differ from the rules in force."""
        data, rules = self.cleaned_data, self.row.table_rules
        names = [
            name
            for name in data
            if name not in {_RATE, _ROUNDING, _TIMING, "acknowledgement", "change_reason", *_SHOW.values()}
        ]
        values = {name: data[name] for name in names}
        rate = data[_RATE]
        values["show_milliseconds"] = ShowMilliseconds(**{name: data[field] for name, field in _SHOW.items()})
        values["commission"] = None if rate is None else Commission(rate, data[_ROUNDING], data[_TIMING])
        return {name: value for name, value in values.items() if value != getattr(rules, name)}


def initial_values(rules: TableRules) -> dict[str, Any]:
    """Return rules as the form shows them."""
    commission = rules.commission or Commission(Ratio(5, 100), None, CommissionTiming.SETTLEMENT)
    rounding = None if commission.rounding is None else _share(commission.rounding)
    values: dict[str, Any] = {name: getattr(rules, name) for name in RulesForm.base_fields if hasattr(rules, name)}
    return {
        **values,
        **{_SHOW[name]: length for name, length in asdict(rules.show_milliseconds).items()},
        "chips": ", ".join(money.format_amount(chip, rules.currency) for chip in rules.chips),
        "minimum": money.format_amount(rules.minimum, rules.currency),
        "maximum": money.format_amount(rules.maximum, rules.currency),
        _RATE: "" if rules.commission is None else _share(commission.rate),
        _ROUNDING: rounding or "",
        _TIMING: commission.timing.value,
    }


def _share(ratio: Ratio) -> str:
    return f"{ratio.numerator}/{ratio.denominator}"


class DraftForm(RulesForm):
    change_reason = text_field("Reason for the change (kept permanently: do not name a player)")

    def prepare(self) -> None:
        self.row.table_rules = version_rows.decode_rules(msgspec.json.encode(self.row.rules))
        super().prepare()

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            data["changes"] = self.changes()
        return data


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
            rules_sections.odds(details),
            rules_sections.performance(details),
            Facts("Rules", rules_sections.rule_facts(details.rules)),
        )


def _by(request: HttpRequest, version: RulesVersion) -> dict[str, Any]:
    table = version.table_id
    return {"table": table, **staff_context(request, version, causation="admin", correlation=f"table-{table}")}
