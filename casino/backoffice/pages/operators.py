"""Operators, and the amounts from which their events are significant."""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from django import forms
from django.contrib import admin
from django.db import transaction
from django.http import HttpRequest

from baccarat.risk import rule_changes
from baccarat.services import skins
from baccarat.web.views import LANGUAGES
from casino.api.client_ip import client_ip
from casino.backoffice import html
from casino.backoffice.actions import WAITS, RowAction, done_or_waits
from casino.backoffice.base import ListLink, ReadOnlyAdmin
from casino.backoffice.columns import LabelledRowsAdmin, column, staff_column, time_column
from casino.backoffice.filters import operator_filter
from casino.backoffice.forms import UNCHOSEN, EnumSelectField, RowForm, label, line_field, text_field
from casino.backoffice.pages import skins as skins_page
from casino.backoffice.pages.brands import (
    AmountsForm,
    BrandForm,
    CurrenciesForm,
    DailyCapForm,
    LimitsForm,
    sections_of,
)
from casino.backoffice.pages.identity_providers import ProviderRequest
from casino.backoffice.pages.keys import key_status
from casino.backoffice.pages.openings import ADD_OPERATOR, OperatorOpenings
from casino.backoffice.pages.risk import ADD_RULE, rules_in_force
from casino.backoffice.pages.terms import OperatorTerms
from casino.backoffice.sections import ActionBar, Facts, Grid, Section, contents
from casino.compliance import threshold_changes
from casino.compliance.models import AnswerKind
from casino.operators import acts as operator_acts
from casino.operators import (
    assertions,
    bounds,
    brands,
    complaint_terms,
    currencies,
    daily_caps,
    key_changes,
    memberships,
    services,
    signing_keys,
)
from casino.operators.daily_caps import CapEffect, CapKind
from casino.operators.limits_groups import GroupLimits
from casino.operators.models import Operator
from casino.operators.refusals import InvalidNetworks
from casino.significant import thresholds
from casino.significant.models import Threshold
from casino.significant.thresholds import Thresholds
from wallet.funding import services as funding

CHANGE_OPERATOR: Final = "operators.change_operator"
COMPLAINT_TERMS: Final = operator_acts.SET_COMPLAINT_TERMS.name
CHANGE_THRESHOLDS: Final = "significant.add_threshold"
ADD_BRAND: Final = "operators.add_brand"
SET_CURRENCIES: Final = "operators.add_declaredcurrency"
SET_LIMITS: Final = "operators.add_limitsgroup"
VIEW_THRESHOLDS: Final = "significant.view_threshold"
_THRESHOLDS: Final = {
    "wager": "Wagers of a player in one round",
    "wager_day": "Wagers of a player in a day",
    "win": "Won by a player in one round",
    "win_day": "Won by a player in a day",
    "payment": "One deposit, withdrawal or transfer",
}


class ThresholdForm(AmountsForm):
    amounts = _THRESHOLDS


class CustomerCareForm(RowForm):
    begins_with: ClassVar = {"contact": "customer_care"}
    contact = forms.CharField(
        label="An e-mail address, a telephone number or the https:// address of a page",
        max_length=200,
        required=False,
    )


class ComplaintTextForm(RowForm):
    answer = EnumSelectField(AnswerKind, label="When the player's complaint is")
    language = forms.ChoiceField(choices=[UNCHOSEN, *((tag, tag) for tag, *_ in LANGUAGES)])
    text = text_field(
        "Text; empty for the house's own", max_length=complaint_terms.MAX_TEXT_LENGTH, rows=3, required=False
    )


class DisputeBodyForm(RowForm):
    begins_with: ClassVar = {"name": "dispute_body", "url": "dispute_body_url"}
    name = line_field("Name; empty for none", max_length=complaint_terms.MAX_NAME_LENGTH, required=False)
    url = line_field("https:// address", max_length=complaint_terms.MAX_ADDRESS_LENGTH, required=False)


class PlayerRecordForm(RowForm):
    begins_with: ClassVar = {"address": "player_record"}
    address = line_field(
        "Such as https://crm.example/players/{reference}; empty for none",
        max_length=complaint_terms.MAX_ADDRESS_LENGTH,
        required=False,
    )


class JurisdictionForm(RowForm):
    begins_with: ClassVar = {"jurisdiction": "jurisdiction"}
    jurisdiction = line_field("Code, such as MT or US-NJ; empty for none", max_length=10, required=False)


class OriginsForm(RowForm):
    begins_with: ClassVar = {"origins": "origins"}
    origins = text_field("One origin a line, such as https://play.example", max_length=5000, rows=4, required=False)


class StaffNetworksForm(RowForm):
    begins_with: ClassVar = {"networks": "staff_networks"}
    networks = text_field("One network a line, such as 203.0.113.0/24; empty for anywhere", rows=4, required=False)


class AssertionKeyForm(RowForm):
    name = line_field("Name of the key", max_length=80)
    jwk = text_field("Public key (JWK)", max_length=2000, rows=4)
    subject = line_field(
        "For this person, by the operator's own id (at a sandbox, empty for all its staff)", required=False
    )


def _own_texts(operator: Operator) -> str:
    """Say for which answers to complaints an operator has its own words, in which languages."""
    texts = operator.complaint_texts.items()
    return "; ".join(f"{label(answer)}: {', '.join(sorted(own))}" for answer, own in texts) or "the house's own words"


@admin.register(Operator)
class OperatorAdmin(OperatorOpenings, OperatorTerms, ProviderRequest, ReadOnlyAdmin):
    """Operators. Found by id, slug or the beginning of a slug."""

    list_display = ("slug", "name", "offered", "kind", "created")
    ordering = ("slug",)
    list_link = ListLink("Create an operator", "admin:operators_operator_new", ADD_OPERATOR)
    search_fields = ("pk", "slug__startswith")
    operator_field = "pk"
    search_help_text = "id, slug or the beginning of a slug"
    offered = column("currencies", lambda row: ", ".join(row.currencies))
    kind = column("kind", lambda row: html.badge("sandbox", "warn") if row.sandbox else html.badge("live", "good"))
    created = time_column("created_at", "created")

    @RowAction(
        "Set",
        name="thresholds",
        title="Change the thresholds of significant events",
        permission=CHANGE_THRESHOLDS,
        form=ThresholdForm,
        applies=lambda request, _: request.user.has_perm(VIEW_THRESHOLDS),
        help_text="From these amounts on, each is a significant event. A live operator's are raised by two persons.",
    )
    def set_thresholds(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        currency = data.pop("currency")
        waits = threshold_changes.change(operator=operator, currency=currency, thresholds=Thresholds(**data), by=by)
        return done_or_waits(waits, f"The thresholds in {currency} apply from now on.")

    @RowAction(
        "Set",
        name="jurisdiction",
        title="Set the jurisdiction",
        permission=ADD_RULE,
        form=JurisdictionForm,
        help_text="Its risk rules apply where the operator has none of its own. Of a live operator two persons set it.",
    )
    def set_jurisdiction(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        waits = rule_changes.change_jurisdiction(operator, by=memberships.staff_actor(request.user), **data)
        return done_or_waits(waits, "The jurisdiction is set.")

    @RowAction(
        "Offer",
        name="currencies",
        title="Change the currencies",
        permission=SET_CURRENCIES,
        form=CurrenciesForm,
        help_text="Players keep what they have; tables are opened in one of these.",
    )
    def set_currencies(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        codes = data["currencies"].replace(",", " ").split()
        currencies.change(operator=operator, currencies=codes, by=memberships.staff_actor(request.user))
        return f"Offered from now on: {', '.join(codes)}."

    @RowAction(
        "Create",
        name="brand",
        title="Create a brand",
        permission=ADD_BRAND,
        form=BrandForm,
        help_text="Whether it has players of its own can't be changed later.",
    )
    def create_brand(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        brand = brands.create_brand(operator=operator.pk, by=memberships.staff_actor(request.user), **data)
        return f"Created the brand {brand.slug}."

    @RowAction(
        "Create",
        name="skin",
        title="Create a skin",
        permission=skins_page.ADD,
        form=skins_page.NewSkinForm,
        help_text="It looks like the standard one until you change it on its page.",
    )
    def create_skin(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        skins.create(operator=operator.pk, name=data["name"], by=by)
        return f"Created the skin {data['name']}."

    @RowAction(
        "Set",
        name="limits",
        title="Set the limits of a group",
        permission=SET_LIMITS,
        form=LimitsForm,
        help_text="For wagers from now on, in one currency; an empty amount is no limit. A new name makes a new group. "
        "At a live operator two persons make a group and widen its limits.",
    )
    def set_limits(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        name, currency = data.pop("group"), data.pop("currency")
        by = memberships.staff_actor(request.user)
        change = bounds.set_limits(operator, name=name, currency=currency, limits=GroupLimits(**data), by=by)
        return done_or_waits(change, f"Set the limits of {name} in {currency}.")

    @RowAction(
        "Set",
        name="daily_cap",
        title="Cap the money of a day",
        permission=SET_LIMITS,
        form=DailyCapForm,
        help_text="Real money of an accounting day, from now on. At a live operator two persons raise or remove a cap.",
    )
    def set_daily_cap(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        kind, by = CapKind(data["kind"]), memberships.staff_actor(request.user)
        effect = CapEffect(data["effect"]) if kind is CapKind.WINS else None
        change = bounds.set_cap(
            operator, kind=kind, currency=data["currency"], amount=data["amount"], effect=effect, by=by
        )
        return done_or_waits(change, f"Set the cap on {daily_caps.in_words(kind)} in {data['currency']}.")

    @RowAction(
        "Set",
        name="customer_care",
        title="Change the customer care contact",
        permission=CHANGE_OPERATOR,
        form=CustomerCareForm,
        help_text="Players see it on the table page, under Help.",
    )
    def set_customer_care(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        services.set_customer_care(slug=operator.slug, contact=data["contact"], by=by)
        return "Players see this contact from now on."

    @RowAction(
        "Set",
        name="complaint_text",
        title="Set what players are told of complaints",
        permission=COMPLAINT_TERMS,
        form=ComplaintTextForm,
        help_text="Instead of the house's own words, in this language. The time of the answer and the body for "
        "disputes follow it.",
    )
    def set_complaint_text(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        complaint_terms.set_text(operator.pk, by=memberships.staff_actor(request.user), **data)
        return "Players read this from now on." if data["text"] else "Players read the house's own words from now on."

    @RowAction(
        "Set",
        name="dispute_body",
        title="Set the body for disputes",
        permission=COMPLAINT_TERMS,
        form=DisputeBodyForm,
        help_text="Alternative dispute resolution: players are told of it with the answer that ends a complaint.",
    )
    def set_dispute_body(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        complaint_terms.set_dispute_body(operator.pk, by=memberships.staff_actor(request.user), **data)
        return "The body for disputes is set."

    @RowAction(
        "Set",
        name="player_record",
        title="Set the address of players' records",
        permission=COMPLAINT_TERMS,
        form=PlayerRecordForm,
        help_text="Names and addresses of players are with the operator: pages of players link to its record of them.",
    )
    def set_player_record(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        complaint_terms.set_player_record(operator.pk, by=memberships.staff_actor(request.user), **data)
        return "Pages of players link there from now on." if data["address"] else "Pages of players link nowhere."

    @RowAction(
        "Set",
        name="origins",
        title="Change the web origins",
        permission=key_changes.ORIGINS,
        form=OriginsForm,
        help_text="Pages of these origins may frame the table page and call the API from a browser. At a live operator "
        "another person has to confirm another origin.",
    )
    def set_origins(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        change = key_changes.set_origins(operator, data["origins"].split(), by=by)
        return done_or_waits(change, "These origins are in use from now on.")

    @RowAction(
        "Set",
        name="staff_networks",
        title="Set where its staff may sign in from",
        permission=key_changes.NETWORKS,
        form=StaffNetworksForm,
        help_text="Fewer networks hold at once; at a live operator another person has to confirm any other.",
    )
    def set_staff_networks(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        by, wanted = memberships.staff_actor(request.user), data["networks"].split()
        with transaction.atomic():
            change = key_changes.set_staff_networks(operator, wanted, by=by)
            if not memberships.may_sign_in_from(request.user.pk or 0, client_ip(request)):
                raise InvalidNetworks
        return done_or_waits(change, "Its staff sign in from there alone from now on.")

    @RowAction(
        "Request",
        name="assertion_key",
        title="Register an assertion key",
        permission=operator_acts.REGISTER_ASSERTION_KEY.name,
        form=AssertionKeyForm,
        help_text="Requests signed with it act as the operator's staff. Another person has to confirm it.",
    )
    def request_assertion_key(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        assertions.request_key(operator=operator.pk, by=by, **data)
        return WAITS

    @RowAction(
        "Require",
        name="require_signatures",
        title="Require signatures with every API key",
        permission=key_changes.SIGNATURES,
        applies=lambda _, row: not row.signatures_required,
        help_text="Each of its live keys needs a signing key. Unsigned requests are refused from now on.",
    )
    def require_signatures(self, request: HttpRequest, operator: Operator, _data: dict[str, Any]) -> str:
        signing_keys.require_of_all(operator, required=True, by=memberships.staff_actor(request.user))
        return "Requests with each of its API keys must be signed."

    @RowAction(
        "Accept",
        name="accept_unsigned",
        title="Accept unsigned requests",
        permission=key_changes.SIGNATURES,
        applies=lambda _, row: row.signatures_required,
        tone="bad",
        question="Accept requests that are not signed, with keys that don't require it themselves?",
    )
    def accept_unsigned(self, request: HttpRequest, operator: Operator, _data: dict[str, Any]) -> str:
        change = key_changes.accept_unsigned(operator, by=memberships.staff_actor(request.user))
        return done_or_waits(change, "Its API keys decide by themselves whether requests must be signed.")

    def sections(self, request: HttpRequest, obj: Operator) -> Sequence[Section]:
        operator = str(obj.pk)
        facts = self.facts(
            obj,
            *("slug", "name", "offered", "kind"),
            ("Jurisdiction", obj.jurisdiction or "none"),
            ("Time zone of accounting days", obj.time_zone),
            ("Customer care", obj.customer_care or "no contact set"),
            ("Answers to complaints", _own_texts(obj)),
            ("Body for disputes", obj.dispute_body or "none set"),
            ("Players' records", obj.player_record or "no address set"),
            ("Staff sign in from", ", ".join(obj.staff_networks) or "anywhere"),
            ("Web origins", ", ".join(obj.origins) or "none"),
            "signatures_required",
            ("Funding", funding.current(obj.pk).value),
            *("created", "pk"),
            ("Tables", html.listing("baccarat_table", "its tables", operator=operator)),
            ("Rounds", html.listing("baccarat_round", "its rounds", operator=operator)),
            ("Players", html.listing("operators_player", "its players", operator=operator)),
            ("Accounts", html.listing("wallet_account", "its accounts", operator=operator)),
        )
        keys = obj.keys.order_by("-created_at", "key_id")
        rows = [
            (html.page("key", key.pk), key.label, ", ".join(key.scopes), key.created_at, key.last_used_at, status)
            for key, status in ((key, key_status(key)) for key in keys)
        ]
        sections: list[Section] = [
            Grid(
                "API keys", ("Key", "Label", "Scopes", "Created", "Last used", "Status"), rows, empty="No API key yet."
            ),
        ]
        if request.user.has_perm(VIEW_THRESHOLDS):
            current = thresholds.thresholds_for([(obj.pk, currency) for currency in obj.currencies])
            sections += [
                Facts(f"Thresholds of significant events, {currency}", _amounts(row, currency))
                for (_, currency), row in current.items()
            ]
        if request.user.has_perm("risk.view_riskrule"):
            sections.append(rules_in_force(obj))
        return [facts, ActionBar(), *contents([*sections, *sections_of(obj)])]


def _amounts(row: Any, currency: str) -> list[tuple[str, object]]:
    return [(title, html.money(getattr(row, name), currency)) for name, title in _THRESHOLDS.items()]


@admin.register(Threshold)
class ThresholdAdmin(LabelledRowsAdmin):
    """Past thresholds of significant events, newest first. Found by an operator's id."""

    names = ("operator",)
    list_display = ("operator", "currency", "staff", "changed")
    list_filter = (operator_filter(),)
    search_fields = ("operator_id",)
    search_help_text = "id of an operator"
    staff = staff_column("actor", "set by")
    changed = time_column("at", "set")

    def title_of(self, obj: Any) -> str:
        return f"Thresholds of {obj.slug} in {obj.currency}"

    def sections(self, _request: HttpRequest, obj: Threshold) -> Sequence[Section]:
        return [self.facts(obj, *_amounts(obj, obj.currency), "staff", "changed", title="Thresholds")]
