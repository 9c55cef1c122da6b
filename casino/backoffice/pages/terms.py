"""Terms that two persons agree on: funding, withdrawals, deposit methods, play money, winnings spent before a void."""

from typing import Any, ClassVar, Final

from django import forms
from django.http import HttpRequest

from baccarat import acts
from baccarat.services import void_policy
from casino.backoffice.actions import WAITS, RowAction
from casino.backoffice.forms import (
    UNCHOSEN,
    EnumSelectField,
    RowForm,
    line_field,
    parse_amount,
    parse_positive_amount,
    text_field,
)
from casino.kernel import money
from casino.kernel.errors import Refusal
from casino.operators import memberships
from casino.operators.models import Operator
from wallet import acts as wallet_acts
from wallet.funding import services as funding
from wallet.funding.conformance import LONGEST
from wallet.funding.events import Funding, WalletProfile
from wallet.funding.services import FundingChoice
from wallet.models import DepositMethod
from wallet.payments import changes as payment_changes
from wallet.payments.gate import HoldTerms
from wallet.payments.methods import MethodOffer
from wallet.payments.terms import MAX_HOLD_HOURS, PERCENT, DepositTerms, WithdrawalTerms, parse_percent, percent
from wallet.responsible_gaming import changes as protection_changes

CHANGE_TERMS: Final = wallet_acts.APPROVE_TERMS.name
_FUNDINGS: Final = {
    Funding.HOUSE: "Payment providers, by deposits and withdrawals",
    Funding.TRANSFER: "The operator's own wallet, by transfers",
    Funding.SEAMLESS: "The operator's own wallet, wager by wager",
}


def _amount(title: str, *, required: bool = True, **kwargs: Any) -> forms.CharField:
    return line_field(title, max_length=20, required=required, **kwargs)


class TermsForm(RowForm):
    """A form with amounts of the currency that is chosen in it, cleaned to minor units; empty ones to None."""

    currency = forms.ChoiceField(label="Currency")
    amounts: ClassVar[tuple[str, ...]] = ()
    percents: ClassVar[tuple[str, ...]] = ()

    def prepare(self) -> None:
        """Offer the operator's currencies."""
        self.fields["currency"].choices = [(code, code) for code in self.row.currencies]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Parse the amounts and percentages. Raises ValidationError."""
        data, currency = self.cleaned_data, self.cleaned_data.get("currency")
        if currency is None:
            return data
        for names, parse in ((self.amounts, lambda text: _parse(text, currency)), (self.percents, parse_percent)):
            for name in names:
                try:
                    data[name] = parse(data[name]) if data.get(name) else None
                except Refusal as refusal:
                    self.add_error(name, refusal.message())
        return data


def _parse(text: str, currency: str) -> int:
    return parse_amount(text, currency) if text.strip("0.,") == "" else parse_positive_amount(text, currency)


class PlayMoneyForm(TermsForm):
    cap = _amount("Balance to which players can top up")
    amounts = ("cap",)


class WithdrawalPolicyForm(TermsForm):
    auto_approve_up_to = _amount("Needs no approval up to")
    second_approval_above = _amount("Needs two approvals above")
    minimum = _amount("Lowest withdrawal (empty: any)", required=False)
    maximum = _amount("Highest withdrawal (empty: any)", required=False)
    max_pending = forms.IntegerField(label="Pending at once (empty: any)", min_value=1, max_value=1000, required=False)
    fee_fixed = _amount("Fixed fee", initial="0")
    fee_percent = line_field("Fee in percent", max_length=8, initial="0")
    played_percent = forms.IntegerField(
        label="Percent of each deposit to be staked, or it is held",
        min_value=0,
        max_value=1000,
        initial=100,
    )
    kyc_above = _amount("Held above, unless the identity is verified (empty: never)", required=False)
    hold_hours = forms.IntegerField(
        label="Hours in which compliance decides", min_value=1, max_value=MAX_HOLD_HOURS, initial=HoldTerms().hours
    )
    hold_tags = line_field("Tags of players who are held, separated by spaces", max_length=700, required=False)
    amounts = ("auto_approve_up_to", "second_approval_above", "minimum", "maximum", "fee_fixed", "kyc_above")
    percents = ("fee_percent",)


class DepositMethodForm(TermsForm):
    name = line_field("Name that players see", max_length=60)
    provider = line_field("Provider", max_length=40)
    minimum = _amount("Lowest deposit")
    maximum = _amount("Highest deposit")
    fee_fixed = _amount("Fixed fee", initial="0")
    fee_percent = line_field("Fee in percent", max_length=8, initial="0")
    processing_seconds = forms.IntegerField(label="Usual seconds to complete", min_value=0, initial=0)
    supports_withdrawals = forms.BooleanField(label="Also pays withdrawals", required=False)
    enabled = forms.BooleanField(label="Offered to players", required=False, initial=True)
    amounts = ("minimum", "maximum", "fee_fixed")
    percents = ("fee_percent",)


class MethodVersionForm(DepositMethodForm):
    def prepare(self) -> None:
        """Begin with the terms in use; a method keeps its currency."""
        row: DepositMethod = self.row
        self.fields["currency"].choices = [(row.currency, row.currency)]  # type: ignore[attr-defined]
        for name in ("name", "provider", "processing_seconds", "supports_withdrawals", "enabled"):
            self.fields[name].initial = getattr(row, name)
        for name in self.amounts:
            self.fields[name].initial = money.format_amount(getattr(row, name), row.currency)
        self.fields["fee_percent"].initial = percent(row.fee_ppm)


_PROFILES: Final = {
    WalletProfile.STANDARD: "In our own messages",
    WalletProfile.HUB88: "As Hub88 asks wallets",
}


class FundingForm(RowForm):
    funding = EnumSelectField(Funding, labels=_FUNDINGS, label="Money comes from and goes to")
    wallet_url = line_field("Address of the operator's own wallet, if it is asked for each wager", required=False)
    wallet_profile = EnumSelectField(WalletProfile, labels=_PROFILES, label="How that wallet is asked")
    conformance = text_field(
        "Proof that this wallet passes the conformance kit",
        max_length=LONGEST,
        required=False,
        help_text="The `proof` of a report of `manage.py conform`. A sandbox operator needs none.",
    )

    def prepare(self) -> None:
        """Begin with the funding in use."""
        choice = funding.choice_of(self.row.pk)
        self.fields["funding"].initial = choice.funding.value
        self.fields["wallet_url"].initial = choice.wallet_url
        self.fields["wallet_profile"].initial = choice.profile.value


class SpentWinningsForm(RowForm):
    spent = forms.ChoiceField(
        label="Who bears them",
        choices=[UNCHOSEN, ("debt", "the player, as a debt"), ("forgive", "the operator, as a loss")],
    )


def _offer(data: dict[str, Any]) -> MethodOffer:
    terms = DepositTerms(
        data["currency"], data["minimum"] or 0, data["maximum"] or 0, data["fee_fixed"] or 0, data["fee_percent"] or 0
    )
    return MethodOffer(
        data["name"],
        data["provider"],
        terms,
        data["processing_seconds"],
        supports_withdrawals=data["supports_withdrawals"],
        enabled=data["enabled"],
    )


class OperatorTerms:
    """Row actions on an operator. Each is a change that another person confirms."""

    @RowAction(
        "Request",
        name="withdrawal_policy",
        title="Change the withdrawal policy",
        permission=CHANGE_TERMS,
        form=WithdrawalPolicyForm,
        help_text="Replaces the whole policy of a currency, a day after another person has confirmed it.",
    )
    def request_withdrawal_policy(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        terms = WithdrawalTerms(
            1 if data["minimum"] is None else data["minimum"],
            data["maximum"],
            data["max_pending"],
            data["fee_fixed"] or 0,
            data["fee_percent"] or 0,
        )
        payment_changes.request_policy(
            operator=operator.pk,
            currency=data["currency"],
            auto_approve_up_to=data["auto_approve_up_to"] or 0,
            second_approval_above=data["second_approval_above"] or 0,
            terms=terms,
            holds=HoldTerms(
                data["played_percent"] * PERCENT,
                data["kyc_above"],
                data["hold_hours"],
                tuple(data["hold_tags"].lower().replace(",", " ").split()),
            ),
            by=memberships.staff_actor(request.user),
        )
        return WAITS

    @RowAction(
        "Request",
        name="deposit_method",
        title="Add a deposit method",
        permission=CHANGE_TERMS,
        form=DepositMethodForm,
        help_text="It is offered a day after another person has confirmed it.",
    )
    def request_deposit_method(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        payment_changes.request_method(operator=operator.pk, offer=_offer(data), by=by)
        return WAITS

    @RowAction(
        "Request",
        name="play_money",
        title="Change the play money",
        permission=CHANGE_TERMS,
        form=PlayMoneyForm,
        help_text="In effect a day after another person has confirmed it; zero for no play money.",
    )
    def request_play_money_cap(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        protection_changes.request_play_money_cap(
            operator=operator.pk, currency=data["currency"], cap=data["cap"] or 0, by=by
        )
        return WAITS

    @RowAction(
        "Request",
        name="funding",
        title="Change the funding",
        permission=wallet_acts.CHANGE_FUNDING.name,
        form=FundingForm,
        help_text="Takes effect when another person confirms it, while no deposit and no withdrawal is under way; "
        "to and from wager by wager also while no real money of players is here or on its way.",
    )
    def request_funding(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        choice = FundingChoice(
            Funding(data["funding"]), data["wallet_url"], data["conformance"], WalletProfile(data["wallet_profile"])
        )
        funding.request_change(operator=operator.pk, choice=choice, by=by)
        return WAITS

    @RowAction(
        "Request",
        name="void_policy",
        title="Change the policy for spent winnings",
        permission=acts.SET_VOID_POLICY.name,
        form=SpentWinningsForm,
        help_text="For winnings that were spent before their round is voided. In effect a day after another person has "
        "confirmed it.",
    )
    def request_void_policy(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        by, forgive = memberships.staff_actor(request.user), data["spent"] == "forgive"
        void_policy.request_policy(operator=operator.pk, forgive=forgive, by=by)
        return WAITS


class MethodTerms:
    """The row action on a deposit method."""

    @RowAction(
        "Request",
        name="next_version",
        title="Change the terms",
        permission=CHANGE_TERMS,
        form=MethodVersionForm,
        help_text="For deposits from a day after another person has confirmed it; pending ones keep their terms.",
    )
    def request_version(self, request: HttpRequest, row: DepositMethod, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        payment_changes.request_method(operator=row.operator_id, offer=_offer(data), by=by, method=row.method_id)
        return WAITS
