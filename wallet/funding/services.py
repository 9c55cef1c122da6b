"""Change an operator's funding while nothing is in flight, and check it for what moves money in or out."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from casino.events.codec import EventRegistry, EventType
from casino.events.projections import ProjectionTable, Row, stream_histories
from casino.events.rebuild import Events, Projector
from casino.events.sql import database_now, execute, fetch
from casino.events.store import Metadata
from casino.operators import changes
from casino.operators.changes import ChangeKind
from casino.operators.models import Change, ChangeName
from casino.outbound.destinations import check_url
from casino.outbound.refusals import InvalidWebhookUrl
from wallet import acts
from wallet.funding import conformance
from wallet.funding.events import Funding, FundingChanged, WalletProfile, funding_stream
from wallet.funding.refusals import (
    FundingDiffers,
    FundingInUse,
    FundingMoneyHeld,
    WalletAddressInvalid,
    WalletKeyMissing,
    WalletProfileUnavailable,
)
from wallet.ledger.store import EventGroup
from wallet.models import OperatorFunding

KIND: Final = ChangeName.FUNDING
FUNDING_EVENTS: Final = EventGroup(
    EventRegistry([EventType(FundingChanged, omitted={"wallet_url": "", "conformance": "", "profile": "standard"})]),
    lambda _event, _cause: None,
)
FUNDINGS: Final = ProjectionTable.of(OperatorFunding)
_CURRENT: Final = "SELECT funding, version, wallet_url, wallet_profile FROM wallet_funding WHERE operator_id = %s"
# Whatever moves money in or out shares the lock, so that none of it is between its check and its commit at a change.
HOLD: Final = "pg_advisory_xact_lock_shared(hashtextextended(%s, 8))"
"""An expression that lets the funding of an operator, as text, stay as it is until the transaction ends."""
_HOLD: Final = f"SELECT {HOLD}"
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 8))"
_IN_FLIGHT: Final = """
    SELECT (SELECT count(*) FROM wallet_deposit WHERE operator_id = %s AND status = 'pending')
         + (SELECT count(*) FROM wallet_withdrawal
             WHERE operator_id = %s AND status IN ('requested', 'held', 'approved', 'sent'))
"""


# Debts stay: they are no money here.
_HELD: Final = """
    SELECT (SELECT count(*) FROM wallet_account JOIN wallet_balance ON account_id = id
             WHERE operator_id = %s AND kind IN ('account', 'game', 'rack', 'hold', 'stakes', 'returning')
               AND money_type = 'real' AND balance <> 0),
           (SELECT count(*) FROM wallet_remote WHERE operator_id = %s AND status IN ('requested', 'rolling_back'))
"""
_SANDBOX: Final = "SELECT sandbox FROM operators_operator WHERE id = %s"
_FORGET: Final = "DELETE FROM wallet_told_balance WHERE operator_id = %s"
_SIGNS: Final = """
    SELECT EXISTS (SELECT FROM operators_signingkey AS signing
                     JOIN operators_apikey AS key ON key.key_id = signing.key_id
                    WHERE key.operator_id = %s AND key.revoked_at IS NULL)
"""


@dataclass(frozen=True, slots=True)
class FundingChoice:
    """A funding, and for `seamless` where and how the operator's own wallet is asked, and the proof that it passed."""

    funding: Funding
    wallet_url: str = ""
    conformance: str = field(default="", compare=False)
    profile: WalletProfile = WalletProfile.STANDARD

    def require_valid(self) -> "FundingChoice":
        """Return the choice with its address as it is stored. Raises WalletAddressInvalid, WalletProfileUnavailable."""
        if self.funding is not Funding.SEAMLESS and self.profile is not WalletProfile.STANDARD:
            raise WalletProfileUnavailable(f"{self.funding} has no profile.")
        if (self.funding is Funding.SEAMLESS) != bool(self.wallet_url):
            raise WalletAddressInvalid
        if not self.wallet_url:
            return self
        try:
            url = check_url(self.wallet_url).rstrip("/")
        except InvalidWebhookUrl as refusal:
            raise WalletAddressInvalid(refusal.detail) from None
        if "?" in url:
            raise WalletAddressInvalid("It may not have a query.")
        return FundingChoice(self.funding, url, self.conformance, self.profile)


def choice_of(operator: UUID) -> FundingChoice:
    """Return an operator's funding, with where and how its own wallet is asked; `house` until it is changed."""
    return _load(operator)[0]


def current(operator: UUID) -> Funding:
    """Return an operator's funding."""
    return choice_of(operator).funding


def require(operator: UUID, needed: Funding) -> None:
    """Check an operator's funding; it stays until the transaction ends. Raises FundingDiffers."""
    fetch(_HOLD, [str(operator)])
    funding = current(operator)
    if funding is not needed:
        raise FundingDiffers(f"It is {funding}, not {needed}.", funding=funding.value, needed=needed.value)


def require_money_here(operator: UUID) -> None:
    """Check that players' real money is here and not in the operator's own wallet. Raises FundingDiffers."""
    fetch(_HOLD, [str(operator)])
    if current(operator) is Funding.SEAMLESS:
        raise FundingDiffers(
            "The money is in your own wallet.", funding=Funding.SEAMLESS.value, needed=Funding.HOUSE.value
        )


def change(*, operator: UUID, choice: FundingChoice, metadata: Metadata) -> None:
    """Change an operator's funding, or the address or profile of its wallet; the same again changes nothing.

    Raises FundingInUse, FundingMoneyHeld, WalletAddressInvalid, WalletProfileUnavailable, WalletKeyMissing,
    WalletNotConformant.
    """
    choice = choice.require_valid()
    with transaction.atomic():
        fetch(_LOCK, [str(operator)])
        before, version = _load(operator)
        if choice == before:
            return
        if (choice.funding, choice.profile) != (before.funding, before.profile):
            _require_nothing_in_flight(operator, seamless=Funding.SEAMLESS in (choice.funding, before.funding))
        if choice.funding is Funding.SEAMLESS:
            _require_keys(operator, choice.profile)
        proof = _require_conformance(operator, choice)
        now = database_now()
        event = FundingChanged(operator, choice.funding, now, choice.wallet_url, proof, choice.profile)
        FUNDING_EVENTS.record(funding_stream(operator), version=version, events=[event], metadata=metadata)
        FUNDINGS.upsert([funding_row(event, version + 1)])
        execute(_FORGET, [operator])


def _require_keys(operator: UUID, profile: WalletProfile) -> None:
    """Check that there is what signs messages and verifies answers in a profile."""
    if profile is WalletProfile.HUB88:
        if not settings.WALLET_RSA_KEY:
            raise WalletProfileUnavailable("WALLET_RSA_KEY is not set.")
    elif not fetch(_SIGNS, [operator])[0][0]:
        raise WalletKeyMissing


def _require_conformance(operator: UUID, choice: FundingChoice) -> str:
    """Return the proof that a wallet passed the conformance kit; a sandbox operator needs none."""
    if choice.funding is not Funding.SEAMLESS or fetch(_SANDBOX, [operator]) == [(True,)]:
        return ""
    conformance.require_proof(
        choice.conformance, wallet_url=choice.wallet_url, profile=choice.profile, now=database_now()
    )
    return choice.conformance


def _require_nothing_in_flight(operator: UUID, *, seamless: bool) -> None:
    ((payments,),) = fetch(_IN_FLIGHT, [operator, operator])
    if payments:
        raise FundingInUse(f"{payments} have not ended.", payments=payments)
    if seamless:
        ((accounts, transactions),) = fetch(_HELD, [operator, operator])
        if accounts or transactions:
            raise FundingMoneyHeld(
                f"{accounts} accounts and {transactions} transactions.", accounts=accounts, transactions=transactions
            )


def request_change(*, operator: UUID, choice: FundingChoice, by: str) -> Change:
    """Request another funding as a person; it takes effect when another person confirms it.

    Raises WalletAddressInvalid, WalletProfileUnavailable, WalletNotConformant.
    """
    choice = choice.require_valid()
    _require_conformance(operator, choice)
    profile = "" if choice.profile is WalletProfile.STANDARD else f", asked as {choice.profile}"
    return changes.request(
        operator=operator,
        kind=KIND,
        subject=f"operator:{operator}",
        summary=f"Change the funding of its players to {choice.funding} {choice.wallet_url}{profile}".rstrip(),
        details={
            "funding": choice.funding.value,
            "wallet_url": choice.wallet_url,
            "conformance": choice.conformance,
            "profile": choice.profile.value,
        },
        by=by,
    )


def register() -> None:
    """Register what two persons may change here. It does not wait: it has to meet a moment without payments."""
    changes.register(ChangeKind(KIND, acts.CHANGE_FUNDING, _apply))


def funding_row(event: FundingChanged, version: int) -> Row:
    """Return an operator's row after an event at a version of its stream."""
    return FUNDINGS.row(
        operator_id=event.operator,
        funding=event.funding.value,
        wallet_url=event.wallet_url,
        wallet_profile=event.profile.value,
        since=event.at,
        version=version,
    )


def latest_rows(histories: Iterable[list[FundingChanged]]) -> list[Row]:
    """Return the rows that follow from the whole streams of operators."""
    return [funding_row(history[-1], len(history)) for history in histories]


def _project(events: Events) -> None:
    FUNDINGS.upsert(latest_rows(stream_histories(FUNDING_EVENTS.registry, events, "FundingChanged")))


PROJECTOR: Final = Projector({FUNDINGS.table: "operator_id"}, _project)
"""Derives the projection from the events."""


def _load(operator: UUID) -> tuple[FundingChoice, int]:
    for funding, version, url, profile in fetch(_CURRENT, [operator]):
        return FundingChoice(Funding(funding), url, profile=WalletProfile(profile)), version
    return FundingChoice(Funding.HOUSE), 0


def _apply(change_: Change) -> None:
    details = change_.details
    choice = FundingChoice(
        Funding(details["funding"]),
        details.get("wallet_url", ""),
        details.get("conformance", ""),
        WalletProfile(details.get("profile", WalletProfile.STANDARD)),
    )
    change(operator=changes.operator_of(change_), choice=choice, metadata=changes.metadata(change_))
