"""Audit of transactions with operators' own wallets: the order of events, facts that repeat, rows, queue, and money.

Independent of the decision functions: ALLOWED_PREDECESSORS repeats the order of events.
"""

from collections.abc import Iterator, Mapping
from typing import Final
from uuid import UUID

from casino.events.sql import fetch
from casino.kernel.findings import Finding
from wallet.remote import events as re
from wallet.remote import state as machine
from wallet.remote.events import RemoteEvent, TransactionKind, remote_stream
from wallet.remote.records import REMOTE, remote_row
from wallet.remote.state import RemoteState

ALLOWED_PREDECESSORS: Final[Mapping[str, frozenset[str | None]]] = {
    "TransactionRequested": frozenset({None}),
    "TransactionAccepted": frozenset({"TransactionRequested"}),
    "TransactionRefused": frozenset({"TransactionRequested"}),
    "RollbackRequested": frozenset({"TransactionRequested", "TransactionAccepted"}),
    "WagerNotTaken": frozenset({"TransactionRefused", "RollbackRequested"}),
    "DebitRolledBack": frozenset({"RollbackRequested", "WagerNotTaken"}),
}
"""The events that each one may follow in its stream."""
_QUEUE: Final = """
    SELECT coalesce(due.transaction_id, open.id), open.id IS NOT NULL, due.transaction_id IS NOT NULL
      FROM wallet_remote_due due
      FULL JOIN (SELECT id FROM wallet_remote WHERE status IN ('requested', 'rolling_back')) open
        ON open.id = due.transaction_id
     WHERE due.transaction_id IS NULL OR open.id IS NULL ORDER BY 1
"""
_WITHOUT_DEBIT: Final = """
    SELECT paid.id FROM wallet_remote paid
      LEFT JOIN wallet_remote debit
        ON debit.id = paid.concerns_id AND debit.kind = 'debit' AND debit.status = 'accepted'
       AND debit.wager_id = paid.wager_id AND debit.player_id = paid.player_id
     WHERE paid.kind <> 'debit' AND debit.id IS NULL ORDER BY 1
"""
# What is on its way back, by what transactions say and by the ledger.
_RETURNING: Final = """
    SELECT player_id::text, coalesce(owed.amount, 0)::text, coalesce(held.amount, 0)::text
      FROM (SELECT player_id, currency, sum(amount) AS amount FROM wallet_remote
             WHERE kind <> 'debit' AND status = 'requested' AND amount > 0
                OR status = 'rolling_back' AND reason <> 'no_answer'
             GROUP BY 1, 2) owed
      FULL JOIN (SELECT player_id, currency, sum(balance) AS amount
                   FROM wallet_account JOIN wallet_balance ON account_id = id
                  WHERE kind = 'returning' AND balance <> 0 GROUP BY 1, 2) held USING (player_id, currency)
     WHERE coalesce(owed.amount, 0) <> coalesce(held.amount, 0) ORDER BY 1
"""


class RemoteTraces:
    """Replays what operators' own wallets were asked for, and what they said."""

    def __init__(self) -> None:
        self._states: dict[UUID, tuple[RemoteState, str, int]] = {}

    def replay(self, event: RemoteEvent, *, stream: str, version: int, where: str) -> Iterator[Finding]:
        """Replay an event and yield contradictions to earlier ones or within it."""
        name = type(event).__name__
        if stream != remote_stream(event.transaction):
            yield Finding("stream differs", where, remote_stream(event.transaction), stream)
        state, last, count = self._states.get(event.transaction, (None, None, 0))
        if last not in ALLOWED_PREDECESSORS[name] or version != count + 1:
            yield Finding("event out of place", where, f"version {count + 1} after {last}", f"{name} {version}")
            return
        if state is None:
            if isinstance(event, re.TransactionRequested):
                yield from _check_request(event, where)
        else:
            yield from _check_facts(state, event, last, where)
        self._states[event.transaction] = machine.fold([event], state), name, version

    def check_state(self, *, partial: bool = False) -> Iterator[Finding]:
        """Compare rows with the result of the events, the queue with the rows, and the ledger with what is open.

        `partial` if only some streams were replayed.
        """
        rows = (remote_row(state, version) for state, _, version in self._states.values())
        yield from REMOTE.compare(rows, partial=partial)
        for (key,) in fetch(_WITHOUT_DEBIT):
            yield Finding("payment without its debit", f"transaction {key}", "an accepted debit of the wager", "none")
        for key, is_open, is_due in fetch(_QUEUE):
            yield Finding("queue differs", f"wallet_remote_due {key}", f"due: {is_open}", f"due: {is_due}")
        for player, owed, held in fetch(_RETURNING):
            yield Finding("returning differs", f"player {player}", owed, held)


def _check_request(event: re.TransactionRequested, where: str) -> Iterator[Finding]:
    late = event.answer_by is None or event.answer_by <= event.at
    if event.kind is TransactionKind.DEBIT and (event.amount <= 0 or late):
        yield Finding("amount out of range", where, "a stake with a time", f"{event.amount} {event.answer_by}")
    if event.kind is TransactionKind.CREDIT and event.amount < 0:
        yield Finding("amount out of range", where, "0 or more", str(event.amount))


def _check_facts(state: RemoteState, event: RemoteEvent, last: str | None, where: str) -> Iterator[Finding]:
    asked = state.requested
    if not isinstance(event, re.TransactionRequested | re.WagerNotTaken) and event.wager != asked.wager:
        yield Finding("facts differ", where, str(asked.wager), str(event.wager))
    if isinstance(event, re.TransactionAccepted | re.RollbackRequested | re.DebitRolledBack) and (
        (event.party, event.amount) != (asked.party, asked.amount)
    ):
        yield Finding("facts differ", where, f"{asked.amount} {asked.party}", f"{event.amount} {event.party}")
    match event:
        case re.TransactionAccepted(kind=kind) if kind is not asked.kind:
            yield Finding("facts differ", where, asked.kind, kind)
        case re.RollbackRequested() if not state.is_debit or (
            (event.reason is re.RollbackReason.ROUND_VOID) != (state.status is machine.RemoteStatus.ACCEPTED)
        ):
            yield Finding("taken back without reason", where, f"{asked.kind} {state.status}", event.reason)
        case re.DebitRolledBack(reason=reason) if reason is not state.reason:
            yield Finding("facts differ", where, str(state.reason), reason)
        case re.DebitRolledBack(reason=reason) if (reason is re.RollbackReason.ROUND_VOID) != (last != "WagerNotTaken"):
            yield Finding("facts differ", where, "a wager that was not taken, or a void", f"{reason} after {last}")
        case re.WagerNotTaken() if not _is_not_taken(state, event):
            yield Finding(
                "facts differ", where, f"{asked.kind} {asked.amount} {state.code or state.reason}", str(event)
            )
        case re.TransactionRefused() if asked.kind is TransactionKind.CREDIT:
            yield Finding("facts differ", where, "a credit that is repeated", "refused")
        case _:
            return


def _is_not_taken(state: RemoteState, event: re.WagerNotTaken) -> bool:
    """Return whether a debit has ended so, and is repeated rightly."""
    asked = state.requested
    party = re.Party(event.operator, event.player, event.table, event.currency)
    codes = {state.code} if state.reason is None else {state.reason.value} - {re.RollbackReason.ROUND_VOID.value}
    repeated = (party, event.wager, event.round, event.amount) == (asked.party, asked.wager, asked.round, asked.amount)
    return state.is_debit and repeated and event.code in codes
