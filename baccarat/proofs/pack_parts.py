"""The contents of a dispute pack beside the proof: wagers, ledger entries, chat messages, the timeline."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from baccarat.audit.round_replay import RoundReplay
from baccarat.chat import queries as chat
from casino.events.sql import fetch
from casino.kernel.money import format_amount as money
from wallet.ledger import queries as wallet

_WAGERS: Final = """
SELECT seat, player_id, money_type, currency, stakes, staked, won, commission, returned,
       confirmed_at, settled_at, voided_at
FROM baccarat_wager WHERE round_id = %s ORDER BY seat
"""
_NAMES: Final = (
    "seat", "player", "money_type", "currency", "stakes", "staked", "won", "commission", "returned", "confirmed_at",
    "settled_at", "voided_at",
)  # fmt: skip
_AMOUNTS: Final = ("staked", "won", "commission", "returned")


def wagers(round_: UUID) -> list[dict[str, Any]]:
    """List the round's wagers and their results by seat, amounts as decimal strings."""
    return [_wager(dict(zip(_NAMES, row, strict=True))) for row in fetch(_WAGERS, [round_])]


def _wager(found: dict[str, Any]) -> dict[str, Any]:
    currency = found["currency"]
    amounts = {name: None if found[name] is None else money(found[name], currency) for name in _AMOUNTS}
    stakes = {spot: money(stake, currency) for spot, stake in found["stakes"].items()}
    return {**found, **amounts, "stakes": stakes}


def ledger_entries(events: Iterable[int]) -> list[dict[str, Any]]:
    """List the ledger entries of these events, each posting with the balance before and after.

    Amounts are decimal strings.
    """
    return [
        {
            "entry": entry.id,
            "kind": entry.kind,
            "event": entry.cause,
            "recorded_at": entry.recorded_at,
            "postings": [
                {
                    "account": posting.account,
                    "kind": posting.kind,
                    "money_type": posting.money_type,
                    "player": posting.player,
                    "currency": posting.currency,
                    "amount": money(posting.amount, posting.currency),
                    "balance_before": money(posting.balance - posting.amount, posting.currency),
                    "balance_after": money(posting.balance, posting.currency),
                    "sequence": posting.sequence,
                }
                for posting in entry.postings
            ],
        }
        for entry in wallet.list_entries(causes=list(events))
    ]


def chat_messages(*, table: UUID, since: datetime, until: datetime) -> list[dict[str, Any]]:
    """List the chat messages sent at the table in that time: id, seat, player and time, no texts."""
    return chat.references(table=table, since=since, until=until)


def timeline(retold: RoundReplay) -> str:
    """Describe the round, one line for each step."""
    lines = [f"Round {retold.round}, number {retold.number} of table {retold.table}", ""]
    lines += [f"{line.version:>4}  {line.event:<18}  {line.text}" for line in retold.lines]
    return "\n".join([*lines, "", retold.fairness, retold.verdict(), ""])
