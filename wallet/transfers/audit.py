"""Audit of funding and transfers: the order of changes, references, amounts, and rows."""

from collections.abc import Iterator
from typing import Final
from uuid import UUID

from casino.events.sql import fetch
from casino.kernel.findings import Finding
from casino.kernel.money import MAX_AMOUNT
from wallet.funding.events import Funding, FundingChanged, funding_stream
from wallet.funding.services import FUNDINGS, latest_rows
from wallet.ledger.accounts import player_account
from wallet.transfers.events import MoneyTransferred, TransferDirection, transfer_stream
from wallet.transfers.records import TRANSFERS, transfer_row

_CHUNK: Final = 500
_BALANCES: Final = """
    SELECT account_id, entry_id, balance FROM wallet_posting
      JOIN unnest(%s::uuid[], %s::bigint[]) AS wanted (account, cause) ON account_id = account AND entry_id = cause
"""


class TransferTraces:
    """Replays what funding operators have, and what was transferred."""

    def __init__(self) -> None:
        self._changes: dict[UUID, list[FundingChanged]] = {}
        self._transfers: dict[int, MoneyTransferred] = {}
        self._references: set[tuple[UUID, str]] = set()

    def funding_of(self, operator: UUID) -> Funding:
        """Return an operator's funding after the events so far."""
        history = self._changes.get(operator)
        return history[-1].funding if history else Funding.HOUSE

    def replay_change(self, event: FundingChanged, *, stream: str, version: int, where: str) -> Iterator[Finding]:
        """Replay a change of funding and yield contradictions to earlier ones."""
        history = self._changes.setdefault(event.operator, [])
        if stream != funding_stream(event.operator):
            yield Finding("stream differs", where, funding_stream(event.operator), stream)
        if version != len(history) + 1:
            yield Finding("event out of place", where, f"version {len(history) + 1}", f"version {version}")
        before = history[-1] if history else FundingChanged(event.operator, Funding.HOUSE, event.at)
        if (event.funding, event.wallet_url, event.profile) == (before.funding, before.wallet_url, before.profile):
            yield Finding("funding did not change", where, "another funding, address or profile", event.funding)
        history.append(event)

    def replay_transfer(
        self, event: MoneyTransferred, cause: int, *, stream: str, version: int, where: str
    ) -> Iterator[Finding]:
        """Replay a transfer and yield contradictions to earlier events or within it."""
        if (stream, version) != (transfer_stream(event.transfer), 1):
            yield Finding("stream differs", where, f"{transfer_stream(event.transfer)} 1", f"{stream} {version}")
        if self.funding_of(event.operator) is not Funding.TRANSFER:
            yield Finding("money moved in another funding", where, self.funding_of(event.operator), "a transfer")
        if (event.operator, event.reference) in self._references:
            yield Finding("reference used twice", where, "a reference of its own", event.reference)
        outwards = event.direction is TransferDirection.OUT
        emptied = event.everything and outwards and event.balance == 0
        if not (0 if emptied else 1) <= event.amount < MAX_AMOUNT:
            yield Finding("amount out of range", where, f"1 to {MAX_AMOUNT - 1}", str(event.amount))
        if event.everything and not emptied:
            yield Finding("transfer differs", where, "nothing left", str(event.balance))
        self._references.add((event.operator, event.reference))
        self._transfers[cause] = event

    def check_state(self, *, partial: bool = False) -> Iterator[Finding]:
        """Compare rows with the result of the events, and balances after transfers with the ledger.

        `partial` if only some transfers were replayed.
        """
        yield from FUNDINGS.compare(latest_rows(self._changes.values()))
        yield from TRANSFERS.compare((transfer_row(event) for event in self._transfers.values()), partial=partial)
        moved = [(cause, event) for cause, event in self._transfers.items() if event.amount]
        for start in range(0, len(moved), _CHUNK):
            yield from _compare_balances(moved[start : start + _CHUNK])


def _compare_balances(moved: list[tuple[int, MoneyTransferred]]) -> Iterator[Finding]:
    due = {
        (
            player_account(
                operator=event.operator, player=event.player, money_type=event.money_type, currency=event.currency
            ).id,
            cause,
        ): event
        for cause, event in moved
    }
    accounts, causes = zip(*due, strict=True)
    for account, cause, balance in fetch(_BALANCES, [list(accounts), list(causes)]):
        event = due[account, cause]
        if event.balance != balance:
            yield Finding("balance after a transfer differs", f"event {cause}", str(balance), str(event.balance))
