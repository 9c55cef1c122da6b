"""What an operator's own wallet says it did, in the form in which reconciliation compares payment providers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

import msgspec

from casino.kernel import money, text
from casino.kernel.errors import Refusal
from wallet.payments.provider_reports import PaymentKind, ProviderRecord, ProviderReport, ProviderStatus
from wallet.payments.providers import ProviderUnavailable, UnknownPayment
from wallet.payments.refusals import UnknownProvider
from wallet.remote import client, messages
from wallet.remote.client import Endpoint, NotAnswered, endpoint

PROVIDER: Final = "wallet"
"""The name under which reconciliation knows operators' own wallets."""
MAX_PAGES: Final = 2000
MAX_RECORDS: Final = 1_000_000
_SECONDS: Final = 10.0
_STATUSES: Final = {"accepted": ProviderStatus.COMPLETED, "rolled_back": ProviderStatus.REVERSED}


@dataclass(frozen=True, slots=True)
class WalletStatement:
    """An operator's own wallet as reconciliation sees it: what it took from players comes in, what it paid goes out."""

    wallet: Endpoint

    def records(self, *, account: str, since: datetime, until: datetime) -> list[ProviderRecord]:
        """List what the wallet did in a period. Raises ProviderUnavailable."""
        del account  # each operator has a wallet of its own
        query, result = {"from": since.isoformat(), "to": until.isoformat()}, list[ProviderRecord]()
        for _ in range(MAX_PAGES):
            items, cursor = self._page(query)
            result.extend(items)
            if cursor is None:
                return result
            if cursor == query.get("cursor") or len(result) > MAX_RECORDS:
                break
            query["cursor"] = cursor
        raise ProviderUnavailable(f"a list without an end: {len(result)} transactions, and more after {cursor!r}"[:200])

    def status(self, *, kind: PaymentKind, payment: UUID) -> ProviderReport:
        """Return what the wallet says of one transaction. Raises ProviderUnavailable, UnknownPayment."""
        items, _ = self._page({"transaction": str(payment)})
        for each in items:
            if (each.kind, each.payment) == (kind, str(payment)):
                return ProviderReport(kind, payment, each.reference, each.status, each.amount, each.currency)
        raise UnknownPayment

    def _page(self, query: dict[str, str]) -> tuple[list[ProviderRecord], str | None]:
        try:
            answer = client.get_and_wait(self.wallet, messages.TRANSACTIONS, query, seconds=_SECONDS)
            document = client.verified(answer, self.wallet)
            return read_page(document)
        except NotAnswered as error:
            raise ProviderUnavailable(str(error)) from None
        except (msgspec.ValidationError, Refusal) as error:
            raise ProviderUnavailable(f"a malformed list: {error}"[:200]) from None


def read_page(document: object) -> tuple[list[ProviderRecord], str | None]:
    """Return a page of a list, and the cursor of the next. Raises msgspec.ValidationError, Refusal."""
    page = msgspec.convert(document, _Page)
    return [_record(item) for item in page.items], page.next


def statement_of(operator: UUID) -> WalletStatement:
    """Return an operator's own wallet. Raises UnknownProvider without one, or one that lists nothing."""
    wallet = endpoint(operator)
    if not wallet.url:
        raise UnknownProvider("The operator has no wallet of its own.")
    if not wallet.vocabulary.lists:
        raise UnknownProvider(f"Wallets of the profile {wallet.profile} do not list their transactions.")
    return WalletStatement(wallet)


class _Item(msgspec.Struct):
    transaction: str
    kind: Literal["debit", "credit", "correction"]
    amount: str
    currency: str
    reference: str
    status: Literal["accepted", "rolled_back"]
    at: Annotated[datetime, msgspec.Meta(tz=True)]


class _Page(msgspec.Struct):
    items: list[_Item]
    next: str | None = None


def _record(item: _Item) -> ProviderRecord:
    for each in filter(None, (item.transaction, item.reference)):
        if not text.is_reference(each, limit=messages.MAX_REFERENCE):
            raise msgspec.ValidationError("An id or reference is too long, or has control characters.")
    amount = money.parse(item.amount, item.currency)
    return ProviderRecord(
        PaymentKind.DEPOSIT if item.kind == "debit" or amount < 0 else PaymentKind.PAYOUT,
        item.transaction,
        item.reference,
        _STATUSES[item.status],
        abs(amount),
        item.currency,
        item.at,
    )
