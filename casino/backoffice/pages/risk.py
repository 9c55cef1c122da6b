"""The risk desk: alerts about players, the rules that raise them, and players by what they moved lately."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from baccarat.reports.variance import VARIANCE
from baccarat.risk import activity, rule_changes, rules
from baccarat.risk.activity import WINDOWS, Sums
from baccarat.risk.models import RiskAlert, RiskRule
from baccarat.risk.rules import TEXTS, NewRule, RuleKind, RuleTerms
from casino.api.sheets import ColumnType
from casino.backoffice import html, scope
from casino.backoffice.actions import done_or_waits
from casino.backoffice.base import ListLink, as_uuid
from casino.backoffice.columns import (
    LabelledRowsAdmin,
    column,
    money_column,
    name_of_player,
    operator_link,
    staff_column,
    time_column,
    with_names,
)
from casino.backoffice.filters import choice_filter, operator_filter, since_by_uuid
from casino.backoffice.forms import EnumSelectField, RowForm, line_field, parse_positive_amount, text_field
from casino.backoffice.sections import Grid, Section
from casino.backoffice.site import StaffSite
from casino.backoffice.subjects import nicknames, player_link, subject_link, subject_names
from casino.kernel import money
from casino.kernel.errors import Refusal
from casino.kernel.event_amounts import AMOUNTS
from casino.operators import memberships
from casino.operators.models import Operator, Player
from casino.staff.access_log import record_access

VIEW_ALERTS: Final = "risk.view_riskalert"
ADD_RULE: Final = "risk.add_riskrule"
MAX_PLAYERS: Final = 100
_TERM: Final = re.compile("`([a-z]+)`")
_TITLES: Final = {kind.value: TEXTS[kind].title for kind in RuleKind}
_AMOUNTS: Final = frozenset(
    {"Deposits", "Deposited", "Withdrawals", "Withdrawn", "Rounds", "Staked", "Net", "Methods", "Amount", "Count"}
)
_MEASURED: Final = AMOUNTS | {column.name for column in VARIANCE.columns if column.kind is ColumnType.MONEY}
"""Amounts in what was measured."""
SANDBOXES: Final = "sandboxes"
_ALL_OF_A_KIND: Final = {"": "All but sandboxes", SANDBOXES: "All sandboxes"}
"""Players of sandboxes are never listed beside those who play for money."""
SUM_HEADERS: Final = ("Deposits", "Deposited", "Methods", "Withdrawals", "Withdrawn", "Rounds", "Staked", "Net")
SPANS: Final = {
    "1 h": "Last hour", "24 h": "Last 24 hours", "7 d": "Last 7 days", "30 d": "Last 30 days"
}  # fmt: skip
_MEASURE_LABELS: Final = {
    "deposited": "Deposited",
    "withdrawn": "Withdrawn",
    "staked": "Staked",
    "won": "Won",
    "lost": "Lost",
    "deposits": "Number of deposits",
}


def sum_cells(sums: Sums, currency: str) -> tuple[object, ...]:
    """Return the cells of SUM_HEADERS."""
    return (
        str(sums.deposits),
        html.money(sums.deposited, currency),
        str(sums.methods),
        str(sums.withdrawals),
        html.money(sums.withdrawn, currency),
        str(sums.rounds),
        html.money(sums.staked, currency),
        html.money(sums.net, currency, signed=True),
    )


def rule_title(kind: str) -> str:
    """Name a kind of rule; one of a later release by its code."""
    return _TITLES.get(kind, kind.replace("_", " "))


def case_title(kind: str, details: Mapping[str, Any]) -> str:
    """Name a case by its kind, and by the rule that opened it."""
    name, rule = kind.replace("_", " "), details.get("rule")
    return f"{name} ({rule_title(rule).lower()})" if rule else name


@admin.register(RiskAlert)
class RiskAlertAdmin(LabelledRowsAdmin):
    """What rules found, newest first. Found by number, or by the id of a player or a case."""

    names = ("operator", "player")
    list_display = ("number", "title", "player", "other", "amount_", "count", "operator", "measured", "case")
    list_filter = (
        operator_filter(),
        choice_filter("rule", choices=_TITLES, where=lambda value: Q(kind=value)),
        since_by_uuid("case_id"),
    )
    search_fields = ("pk", "player_id", "other_id", "case_id")
    search_help_text = "number, or the id of a player or a case"
    number = column("number", lambda row: str(row.pk))
    title = column("rule", lambda row: rule_title(row.kind))
    other = column("other player", lambda row: html.page("player", row.other_id, row.other_name))
    amount_ = money_column("amount", "amount")
    measured = time_column("slot", "quarter hour from")
    case = column("case", lambda row: html.page("case", row.case_id, "case"))

    def title_of(self, obj: Any) -> str:
        other = "" if obj.other_id is None else f" and {obj.other_name}"
        return f"{rule_title(obj.kind)}: {name_of_player(obj)}{other}"

    def prepare_rows(self, rows: Any) -> None:
        name_others(rows)

    def sections(self, _request: HttpRequest, obj: RiskAlert) -> Sequence[Section]:
        names = subject_names([f"table:{obj.details.get('table')}"])
        details = [
            (
                name.replace("_", " ").capitalize(),
                subject_link(f"table:{value}", names) if name == "table" else measured(name, value, obj.currency),
            )
            for name, value in obj.details.items()
            if value is not None
        ]
        facts = self.facts(obj, "title", "player", "other", "operator", "amount_", "count", "hours", "measured", "case")
        return [facts, Grid("Measurements", ("Measure", "Value"), details)]


def name_others(alerts: Iterable[Any]) -> None:
    """Give alerts about two players the name of the other one."""
    rows = list(alerts)
    names = nicknames([alert.other_id for alert in rows if alert.other_id is not None])
    for alert in rows:
        alert.other_name = names.get(alert.other_id, html.short_or_nothing(alert.other_id))


def measured(name: str, value: Any, currency: str) -> object:
    """Show what was measured, amounts with their currency."""
    return html.money(money.parse(value, currency), currency) if currency and name in _MEASURED else str(value)


def terms_text(terms: Any, kind: str, currency: str) -> str:
    """Write a rule's terms as words."""
    parts = [] if terms.amount is None else [f"{money.format_amount(terms.amount, currency)} {currency}"]
    parts += [] if terms.count is None else [f"{terms.count} times"]
    parts += [] if terms.share is None else [f"{terms.share} %"]
    is_deadline = kind in {RuleKind.SUSPICION_DEADLINE, RuleKind.COMPLAINT_DEADLINE}
    return ", ".join([*parts, f"{'within' if is_deadline else 'in'} {terms.hours} h"])


def _meaning(kind: RuleKind, terms: RuleTerms, currency: str) -> str:
    """Write what a rule looks for, with its terms."""
    amount = "" if terms.amount is None else f"{money.format_amount(terms.amount, currency)} {currency}"
    values = {"amount": amount, "count": str(terms.count), "share": str(terms.share)}
    return _TERM.sub(lambda match: values[match[1]], TEXTS[kind].meaning)


class RuleForm(RowForm):
    """The terms of a rule, in the currency beside them."""

    operator = forms.ChoiceField(label="Operator", required=False)
    jurisdiction = line_field("Or a jurisdiction, such as MT", max_length=10, required=False)
    kind = EnumSelectField(RuleKind, label="Rule", labels={kind: TEXTS[kind].title for kind in RuleKind})
    currency = line_field("Currency (empty: all)", max_length=10, required=False)
    hours = forms.IntegerField(label="Hours", min_value=1, max_value=rules.MAX_HOURS)
    amount = line_field("Amount", max_length=20, required=False)
    count = forms.IntegerField(label="Count", min_value=1, max_value=rules.MAX_COUNT, required=False)
    share = forms.IntegerField(label="Share in per cent", min_value=1, max_value=100, required=False)
    enabled = forms.BooleanField(label="In force", required=False, initial=True)
    reason = text_field("Reason (kept permanently: do not name a player)")

    def prepare(self) -> None:
        """Offer the operators that the user works for."""
        choices = [("", "\N{EN DASH}"), *scope.operator_slugs(self.request).items()]
        self.fields["operator"] = forms.ChoiceField(label="Operator", choices=choices, required=False)

    def clean(self) -> dict[str, Any]:
        """Parse the amount in its currency."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        data["currency"] = data.get("currency", "").strip().upper()
        data["jurisdiction"] = data.get("jurisdiction", "").strip().upper()
        try:
            data["amount"] = parse_positive_amount(data["amount"], data["currency"]) if data.get("amount") else None
        except Refusal as refusal:
            self.add_error("amount", refusal.message())
        return data


@admin.register(RiskRule)
class RiskRuleAdmin(LabelledRowsAdmin):
    """Versions of rules, newest first; the newest of an operator or of a jurisdiction counts."""

    names = ("operator",)
    shows_shared_rows = True
    list_display = ("number", "title", "for_", "currency", "terms", "state", "reason", "staff", "set_")
    list_filter = (
        operator_filter(),
        choice_filter("rule", choices=_TITLES, where=lambda value: Q(kind=value)),
    )
    search_fields = ("pk", "operator_id")
    search_help_text = "number, or the id of an operator"
    list_link = ListLink("Set a rule", "admin:risk_riskrule_set", ADD_RULE)
    number = column("version", lambda row: str(row.pk))
    title = column("rule", lambda row: rule_title(row.kind))
    for_ = column(
        "for",
        lambda row: (
            f"jurisdiction {row.jurisdiction}"
            if row.operator_id is None
            else html.page("operator", row.operator_id, row.slug)
        ),
    )
    terms = column("terms", lambda row: terms_text(row, row.kind, row.currency))
    state = column(
        "status", lambda row: html.badge("in force", "good") if row.enabled else html.badge("not in force", "warn")
    )
    staff = staff_column("by", "set by")
    set_ = time_column("at", "set")

    def title_of(self, obj: RiskRule) -> str:
        return f"{rule_title(obj.kind)}, version {obj.pk}"

    def get_urls(self) -> list[URLPattern]:
        page = path("set/", self.admin_site.admin_view(self.set_rule), name="risk_riskrule_set")
        return [page, *super().get_urls()]

    def set_rule(self, request: HttpRequest) -> HttpResponse:
        """Show the page that sets a rule, and set it. Raises PermissionDenied."""
        if not request.user.has_perm(ADD_RULE):
            raise PermissionDenied

        def perform(data: dict[str, Any]) -> str:
            terms = RuleTerms(**{name: data[name] for name in ("hours", "amount", "count", "share", "enabled")})
            rule = NewRule(
                kind=data["kind"],
                terms=terms,
                currency=data["currency"],
                operator=as_uuid(data["operator"]),
                jurisdiction=data["jurisdiction"],
                reason=data["reason"],
            )
            by = memberships.staff_actor(request.user)
            waits = rule_changes.change_rule(rule, by=by, allowed=scope.operators(request))
            done = "The rule is set. It applies to what happens from now on."
            messages.success(request, done_or_waits(waits, done))
            return reverse("admin:risk_riskrule_changelist")

        form = RuleForm(request.POST if request.method == "POST" else None, request=request, row=None)
        texts = ((text.title, _TERM.sub(r"[\1]", text.meaning)) for text in TEXTS.values())
        meanings = format_html_join(SafeString("<br>"), "<strong>{}</strong>: {}", texts)
        return self.form_view(request, form, perform, title="Set a rule", label="Set", help_text=meanings)

    def sections(self, _request: HttpRequest, obj: RiskRule) -> Sequence[Section]:
        return [self.facts(obj, "title", "for_", "currency", "terms", "state", "reason", "staff", "set_", "pk")]


def rules_in_force(operator: Operator) -> Grid:
    """Show an operator's rules in its first currency."""
    currency = operator.currency
    rows = [
        (
            TEXTS[kind].title,
            _meaning(kind, terms, currency),
            terms_text(terms, kind, currency),
            html.badge("in force", "good") if terms.enabled else html.badge("not in force", "warn"),
        )
        for kind, terms in rules.rules_for(operator.pk, currency).items()
    ]
    note = html.listing("risk_riskrule", "Versions", operator=str(operator.pk))
    return Grid(f"Risk rules, {currency}", ("Rule", "Meaning", "Terms", "Status"), rows, note=note)


class FiguresForm(forms.Form):
    """Which players are listed: by what they moved, how long ago, and how much."""

    measure = forms.ChoiceField(label="Players by", choices=list(_MEASURE_LABELS.items()))
    least = forms.CharField(label="at least", required=False, max_length=20)
    currency = forms.ChoiceField(label="in")
    window = forms.ChoiceField(label="within", choices=list(SPANS.items()))
    operator = forms.ChoiceField(label="Operator", required=False)

    def __init__(self, request: HttpRequest, currencies: Sequence[str], default: str) -> None:
        initial = {"measure": "deposited", "window": "24 h", "currency": default, "operator": "", "least": ""}
        super().__init__({**initial, **request.GET.dict()}, auto_id=False, label_suffix="")
        self.fields["currency"] = forms.ChoiceField(label="in", choices=[(code, code) for code in currencies])
        kinds = scope.within(Operator.objects.order_by(), request, "id").values_list("sandbox", flat=True).distinct()
        all_of_them = _ALL_OF_A_KIND.items() if len(kinds) > 1 else [("", "All")]
        choices = [*all_of_them, *scope.operator_slugs(request).items()]
        self.fields["operator"] = forms.ChoiceField(label="Operator", choices=choices, required=False)

    def clean(self) -> dict[str, Any]:
        """Parse the least amount; a number for the number of deposits."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        text, measure = data.get("least", "").strip(), data.get("measure")
        try:
            if not text:
                data["least"] = 1
            elif measure == "deposits":
                data["least"] = int(text)
            else:
                data["least"] = parse_positive_amount(text, data.get("currency", ""))
        except Refusal as refusal:
            self.add_error("least", refusal.detail)
        except ValueError:
            self.add_error("least", "Enter a whole number.")
        return data


def figures_page(request: HttpRequest) -> HttpResponse:
    """List players by what they moved lately. Raises PermissionDenied."""
    if not request.user.has_perm(VIEW_ALERTS):
        raise PermissionDenied
    operators = scope.within(Operator.objects.order_by("slug"), request, "id")
    offered = [codes for (codes,) in operators.values_list("currencies")] or [["EUR"]]
    default, currencies = offered[0][0], sorted({code for codes in offered for code in codes})
    form = FiguresForm(request, currencies, default)
    sections: Sequence[Section] = ()
    if form.is_valid():
        record_access(request, subject="figures:of players")
        sections = [_players_by(request, form.cleaned_data)]
    context = {
        **admin.site.each_context(request), "title": "Player figures", "button": "Show",
        "heading": "Find players by their activity", "form": form, "sections": sections,
    }  # fmt: skip
    return TemplateResponse(request, "admin/baccarat/search.html", context)


def _players_by(request: HttpRequest, query: Mapping[str, Any]) -> Grid:
    chosen = as_uuid(query["operator"])
    operators: dict[bool, list[UUID]] = {False: [], True: []}
    for key, sandbox in scope.within(Operator.objects.all(), request, "id").values_list("id", "sandbox"):
        operators[sandbox].append(key)
    sandbox = query["operator"] == SANDBOXES or not operators[False]
    top = activity.top_players(
        operators=operators[sandbox] if chosen is None else [chosen],
        currency=query["currency"],
        since=timezone.now() - WINDOWS[query["window"]],
        measure=query["measure"],
        least=query["least"],
        limit=MAX_PLAYERS,
    )
    keys = [player for player, _ in top]
    names, owners = nicknames(keys), with_names(Player.objects.filter(pk__in=keys), "operator").in_bulk()
    rows = [
        (player_link(player, names), operator_link(owners[player]), *sum_cells(sums, query["currency"]))
        for player, sums in top
        if player in owners
    ]
    note = f"The first {MAX_PLAYERS}." if len(top) == MAX_PLAYERS else ""
    note = f"{note} Windows begin with a quarter of an hour; withdrawals count from their request.".strip()
    empty = "No player reaches this."
    return Grid(
        SPANS[query["window"]], ("Player", "Operator", *SUM_HEADERS), rows, empty=empty, note=note, numeric=_AMOUNTS
    )


StaffSite.pages.append(path("players/", admin.site.admin_view(require_safe(figures_page)), name="desk_figures"))
