"""What rounds of the usual course move, as the ledger's entries are read: postings of `baccarat.domain.postings`."""

from collections.abc import Iterable
from functools import partial

import msgspec

from baccarat.audit.plain import forms as f
from baccarat.audit.plain.rounds import PlainPart, PlainRound
from baccarat.audit.traces import MAX_CACHED_SETTLEMENTS
from wallet.ledger.accounts import AccountKind, account_key

_GAME, _RACK, _STAKES = AccountKind.GAME.value, AccountKind.RACK.value, AccountKind.STAKES.value
_BANK, _COMMISSION = AccountKind.BANK.value, AccountKind.COMMISSION.value


class Accounts(msgspec.Struct):
    """The accounts of a seat and of its table in that seat's book, by id; and the last entries written of them.

    `staked` are those of wagers, by minor units, `alone` those of rounds in which nobody else had a wager, by its
    figures: players like to stake the same again.
    """

    game: str
    rack: str
    stakes: str
    bank: str
    commission: str
    staked: dict[int, str] = {}
    alone: dict[tuple[int, int, int, bool], str | None] = {}


def wager(round_: PlainRound, event: f.WagerConfirmed) -> str:
    """Write the entry of a confirmed wager: from the game balance to the stakes in play."""
    accounts, staked = _accounts(round_, event.seat), sum(event.stakes.values())
    found = accounts.staked.get(staked)
    if found is None:
        if len(accounts.staked) >= MAX_CACHED_SETTLEMENTS:
            accounts.staked.clear()
        found = accounts.staked[staked] = _wager(accounts, staked)
    return found


def _wager(accounts: Accounts, staked: int) -> str:
    game, stakes = f"{accounts.game} {-staked}", f"{accounts.stakes} {staked}"
    return f"wager: {game}, {stakes}" if accounts.game < accounts.stakes else f"wager: {stakes}, {game}"


def settlement(round_: PlainRound, event: f.RoundSettled) -> str | None:
    """Write the entry of a settlement, one posting for each account; None where nothing moves."""
    if len(event.wagers) != 1:
        return _written([(_accounts(round_, wager.seat), wager) for wager in event.wagers])
    (only,) = event.wagers
    accounts = _accounts(round_, only.seat)
    known, figures = accounts.alone, (only.staked, only.returned, only.commission, only.deferred)
    if figures not in known:
        if len(known) >= MAX_CACHED_SETTLEMENTS:
            known.clear()
        known[figures] = _written([(accounts, only)])
    return known[figures]


def _written(wagers: Iterable[tuple[Accounts, f.SeatSettled]]) -> str | None:
    amounts: dict[str, int] = {}
    for accounts, settled in wagers:
        for account, amount in _settled(accounts, settled):
            amounts[account] = amounts.get(account, 0) + amount
    moved = ", ".join([f"{account} {amounts[account]}" for account in sorted(amounts) if amounts[account]])
    return f"settlement: {moved}" if moved else None


def _settled(accounts: Accounts, wager: f.SeatSettled) -> tuple[tuple[str, int], ...]:
    commission = wager.commission
    held = commission if wager.deferred else 0
    to_player = wager.returned - held
    return (
        (accounts.stakes, -wager.staked),
        (accounts.game, to_player),
        (accounts.rack if held else accounts.commission, commission),
        (accounts.bank, wager.staked - to_player - commission),
    )


def _accounts(round_: PlainRound, seat: int) -> Accounts:
    known = round_.seating.accounts
    found = known.get(seat)
    if found is None:
        found = known[seat] = _accounts_of(round_, round_.parts[seat])
    return found


def _accounts_of(round_: PlainRound, part: PlainPart) -> Accounts:
    event, book, currency = round_.opened, part.book.value, round_.table.accounts.currency
    key = partial(account_key, operator=event.operator, money_type=book, currency=currency, table=event.table)
    return Accounts(
        key(kind=_GAME, player=part.player),
        key(kind=_RACK, player=part.player),
        key(kind=_STAKES),
        key(kind=_BANK),
        key(kind=_COMMISSION),
    )
