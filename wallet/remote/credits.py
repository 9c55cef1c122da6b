"""What a round owes an operator's own wallet: events of the transaction that causes them, delivered later.

Knows no game: a wager is known by the debit that paid for it, and what it returned is an amount.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from casino.events.ids import new_id
from casino.events.sql import fetch
from casino.events.store import Metadata
from wallet.remote import records
from wallet.remote import state as machine
from wallet.remote.events import Party, TransactionKind, TransactionRequested
from wallet.remote.records import Decided

_DEBITS: Final = """
    SELECT id, operator_id, player_id, table_id, currency, wager_id, round_id FROM wallet_remote
     WHERE id = ANY (%s::uuid[])
"""


def owe(returned: Mapping[UUID, tuple[int, Metadata]], *, now: datetime) -> None:
    """Credit what settled wagers returned, zero included, by their debits."""
    _request(returned, TransactionKind.CREDIT, now=now)


def correct(differences: Mapping[UUID, int], *, metadata: Metadata, now: datetime) -> None:
    """Correct what wagers of a voided round were paid, by their debits: below zero for what is taken back."""
    amounts = {debit: (amount, metadata) for debit, amount in differences.items() if amount}
    _request(amounts, TransactionKind.CORRECTION, now=now)


def undo(debits: Sequence[UUID], *, metadata: Metadata, now: datetime) -> None:
    """Take back the debits of wagers whose round is void before it was settled."""
    loaded = records.load(debits) if debits else {}
    decided = [
        Decided(state, version, machine.undo(state, rollback=new_id(now), at=now), metadata)
        for state, version in loaded.values()
    ]
    records.write(decided, now=now)


def _request(amounts: Mapping[UUID, tuple[int, Metadata]], kind: TransactionKind, *, now: datetime) -> None:
    rows = fetch(_DEBITS, [list(amounts)]) if amounts else []
    decided = []
    for debit, operator, player, table, currency, wager, round_ in rows:
        amount, metadata = amounts[debit]
        party = Party(operator, player, table, currency)
        asked = TransactionRequested(new_id(now), kind, party, wager, round_, amount, debit, None, None, now)
        decided.append(Decided(None, 0, [asked], metadata))
    records.write(decided, now=now)
