"""Audit of payments: the order of events, amounts, and the rows and queue that result.

Independent of the decision functions: ALLOWED_PREDECESSORS repeats the order of events.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from casino.events.sql import fetch
from casino.kernel.findings import Finding
from wallet.payments import deposit_state, hold_state, withdrawal_state
from wallet.payments import events as pe
from wallet.payments.records import DEPOSITS, HOLDS, WITHDRAWALS, deposit_row, hold_row, withdrawal_row

_REVIEWED: Final = frozenset({"WithdrawalRequested", "WithdrawalReleased", "WithdrawalAssigned"})
_OPEN_HOLD: Final = frozenset({"HoldPlaced", "HoldCausesAdded", "HoldAssigned", "HoldReminded"})
ALLOWED_PREDECESSORS: Final[Mapping[str, frozenset[str | None]]] = {
    "DepositRequested": frozenset({None}),
    "DepositSent": frozenset({"DepositRequested", "DepositFailed"}),
    "DepositFailed": frozenset({"DepositRequested", "DepositSent"}),
    "DepositCompleted": frozenset({"DepositSent", "DepositFailed"}),
    "DepositReversed": frozenset({"DepositSent", "DepositFailed", "DepositCompleted"}),
    "WithdrawalRequested": frozenset({None}),
    "WithdrawalAssigned": _REVIEWED,
    "WithdrawalApproved": _REVIEWED,
    "WithdrawalHeld": _REVIEWED | {"WithdrawalApproved", "WithdrawalSent"},
    "WithdrawalReleased": frozenset({"WithdrawalHeld"}),
    "WithdrawalRejected": _REVIEWED | {"WithdrawalHeld"},
    "WithdrawalCancelled": _REVIEWED | {"WithdrawalApproved", "WithdrawalHeld"},
    "WithdrawalSent": frozenset({"WithdrawalRequested", "WithdrawalApproved", "WithdrawalReleased"}),
    "WithdrawalPaid": frozenset({"WithdrawalSent", "WithdrawalHeld"}),
    "WithdrawalReturned": frozenset({"WithdrawalSent", "WithdrawalPaid", "WithdrawalHeld"}),
    "HoldPlaced": frozenset({None}),
    "HoldCausesAdded": _OPEN_HOLD,
    "HoldAssigned": _OPEN_HOLD,
    "HoldReminded": _OPEN_HOLD,
    "HoldReleased": _OPEN_HOLD,
    "HoldRejected": _OPEN_HOLD,
    "HoldClosed": _OPEN_HOLD,
}
"""The events that each one may follow in its stream."""

_QUEUE: Final = """
    SELECT coalesce(due.payment_id, waiting.id), waiting.id IS NOT NULL, due.payment_id IS NOT NULL
      FROM wallet_payment_due due
      FULL JOIN (SELECT id FROM wallet_deposit WHERE status = 'pending'
                 UNION ALL SELECT id FROM wallet_withdrawal WHERE status IN ('approved', 'sent')) waiting
        ON waiting.id = due.payment_id
     WHERE due.payment_id IS NULL OR waiting.id IS NULL ORDER BY 1
"""
# A policy that was replaced within a minute before the decision is good, too: the decision may have read it.
_RELEASES: Final = """
    SELECT hold.id::text, hold.decided_by
      FROM wallet_hold hold
     CROSS JOIN LATERAL (
         SELECT coalesce(max(second_approval_above), 0) AS above FROM wallet_withdrawal_policy policy
          WHERE policy.operator_id = hold.operator_id AND policy.currency = hold.currency
            AND policy.created_at <= hold.ended_at AND NOT EXISTS (
                SELECT FROM wallet_withdrawal_policy later
                 WHERE later.operator_id = policy.operator_id AND later.currency = policy.currency
                   AND later.version > policy.version AND later.created_at <= hold.ended_at - interval '1 minute')
     ) AS one
     WHERE hold.status = 'released' AND hold.amount > one.above AND position(',' IN hold.decided_by) = 0 ORDER BY 1
"""
_FEES: Final = """
    SELECT deposit.id::text, (method.fee_fixed + ceil(deposit.amount * method.fee_ppm / 1000000.0))::bigint::text,
           deposit.fee::text
      FROM wallet_deposit deposit
      JOIN wallet_deposit_method method
        ON method.method_id = deposit.method_id AND method.version = deposit.method_version
     WHERE deposit.fee <> method.fee_fixed + ceil(deposit.amount * method.fee_ppm / 1000000.0) ORDER BY 1
"""


@dataclass(slots=True)
class PaymentTrace:
    """The events of one payment so far; `inconsistent` after an event out of order."""

    events: list[Any] = field(default_factory=list)
    inconsistent: bool = False


class PaymentTraces:
    """Replays deposits, withdrawals and debts."""

    def __init__(self) -> None:
        self._traces: dict[str, PaymentTrace] = {}
        self._owed: dict[tuple[UUID, UUID, str], int] = {}
        self._held: dict[UUID, UUID] = {}
        """Open holds with what they hold."""

    def replay(self, event: pe.PaymentEvent, *, stream: str, version: int, where: str) -> Iterator[Finding]:
        """Replay one event and yield contradictions to earlier events."""
        if stream != pe.stream_of(event):
            yield Finding("stream differs", where, pe.stream_of(event), stream)
        if isinstance(event, pe.DebtCollected):
            yield from self._check_collection(event, where)
            return
        trace = self._traces.setdefault(stream, PaymentTrace())
        before = trace.events[-1] if trace.events else None
        last = None if before is None else type(before).__name__
        if last not in ALLOWED_PREDECESSORS[type(event).__name__] or version != len(trace.events) + 1:
            trace.inconsistent = True
            yield Finding("event out of place", where, "an allowed predecessor", str(last))
        trace.events.append(event)
        yield from self._check_hold(event, trace, where)
        yield from self._check_amounts(event, trace, where)

    def add_debt(self, *, operator: UUID, player: UUID, currency: str, amount: int) -> None:
        """Add minor units to a player's debt."""
        key = operator, player, currency
        self._owed[key] = self._owed.get(key, 0) + amount

    @property
    def owed(self) -> dict[tuple[UUID, UUID, str], int]:
        """What players owe: {(operator, player, currency): minor units}."""
        return {key: amount for key, amount in self._owed.items() if amount}

    @owed.setter
    def owed(self, amounts: Mapping[tuple[UUID, UUID, str], int]) -> None:
        self._owed = dict(amounts)

    def check_state(self, *, partial: bool = False) -> Iterator[Finding]:
        """Compare rows, queue and fees with the result of the events; `partial` if only some streams were replayed."""
        traces = self._traces.items()
        broken = {UUID(stream.partition("-")[2]) for stream, trace in traces if trace.inconsistent}
        sound = [trace.events for _, trace in traces if not trace.inconsistent]
        deposits = [events for events in sound if isinstance(events[0], pe.DepositRequested)]
        withdrawals = [events for events in sound if isinstance(events[0], pe.WithdrawalRequested)]
        holds = [events for events in sound if isinstance(events[0], pe.HoldPlaced)]
        deposit_rows = (deposit_row(deposit_state.fold(events), len(events)) for events in deposits)
        withdrawal_rows = (withdrawal_row(withdrawal_state.fold(events), len(events)) for events in withdrawals)
        yield from DEPOSITS.compare(deposit_rows, ignored=broken, partial=partial)
        yield from WITHDRAWALS.compare(withdrawal_rows, ignored=broken, partial=partial)
        hold_rows = (hold_row(hold_state.fold(events), len(events)) for events in holds)
        yield from HOLDS.compare(hold_rows, ignored=broken, partial=partial)
        for key, pending, queued in fetch(_QUEUE):
            yield Finding("payment queue differs", f"payment {key}", f"pending: {pending}", f"queued: {queued}")
        for hold, by in fetch(_RELEASES):
            yield Finding("released by too few persons", f"hold {hold}", "two persons by the policy", by)
        for key, expected, actual in fetch(_FEES):
            yield Finding("fee is not the method's", f"deposit {key}", expected, actual)

    def _check_hold(self, event: Any, trace: PaymentTrace, where: str) -> Iterator[Finding]:
        """Check that no payment is sent while a hold keeps it, and that nobody both approves and releases it."""
        match event:
            case pe.HoldPlaced(hold=hold, withdrawal=withdrawal):
                if withdrawal in self._held.values():
                    yield Finding("held twice", where, "one open hold", f"withdrawal {withdrawal}")
                self._held[hold] = withdrawal
            case pe.HoldReleased(hold=hold, by=by):
                held = self._traces.get(pe.withdrawal_stream(self._held.pop(hold, hold)))
                approvers = [] if held is None else _approvers(held.events)
                if not set(by).isdisjoint(approvers):
                    yield Finding("released by its approver", where, "other persons", ", ".join(by))
            case pe.HoldRejected(hold=hold) | pe.HoldClosed(hold=hold):
                self._held.pop(hold, None)
            case pe.WithdrawalSent(withdrawal=withdrawal):
                if withdrawal in self._held.values():
                    yield Finding("sent past an open hold", where, "released first", "held")

    def _check_amounts(self, event: Any, trace: PaymentTrace, where: str) -> Iterator[Finding]:
        request = trace.events[0]
        for name in ("operator", "player", "currency", "amount", "fee"):
            due, actual = getattr(request, name, None), getattr(event, name, None)
            if actual is not None and due is not None and due != actual:
                yield Finding("payment differs from its request", f"{where} {name}", str(due), str(actual))
        if isinstance(event, pe.DepositReversed):
            yield from self._check_reversal(event, trace, where)
        if isinstance(event, pe.WithdrawalReturned):
            paid = any(isinstance(each, pe.WithdrawalPaid) for each in trace.events)
            if paid != event.was_paid:
                yield Finding("return differs", where, str(paid), str(event.was_paid))
        if isinstance(event, pe.WithdrawalSent) and not _is_approved(trace.events):
            approvals = f"{request.approvals_required} members of staff"
            yield Finding("sent without approval", where, approvals, "fewer, or one twice")

    def _check_reversal(self, event: pe.DepositReversed, trace: PaymentTrace, where: str) -> Iterator[Finding]:
        credited = any(isinstance(each, pe.DepositCompleted) for each in trace.events)
        net_amount = event.amount - event.fee if credited else 0
        if (event.credited, event.taken + event.owed) != (credited, net_amount) or min(event.taken, event.owed) < 0:
            actual = f"{event.taken} taken, {event.owed} owed"
            yield Finding("reversal differs", where, f"{net_amount} in all", actual)
        self.add_debt(operator=event.operator, player=event.player, currency=event.currency, amount=event.owed)

    def _check_collection(self, event: pe.DebtCollected, where: str) -> Iterator[Finding]:
        owed = self._owed.get((event.operator, event.player, event.currency), 0)
        if not 0 < event.amount <= owed:
            yield Finding("debt collected that was not owed", where, f"1 to {owed}", str(event.amount))
        self.add_debt(operator=event.operator, player=event.player, currency=event.currency, amount=-event.amount)


def _approvers(events: list[Any]) -> list[str]:
    return [by for event in events if isinstance(event, pe.WithdrawalApproved) for by in event.approved_by]


def _is_approved(events: list[Any]) -> bool:
    """Check that enough different members of staff approved. That two agreed, their change shows."""
    approvers = _approvers(events)
    required: int = events[0].approvals_required
    return len(approvers) == len(set(approvers)) >= required
