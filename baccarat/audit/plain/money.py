"""What rounds of the usual course move, written as the ledger's entries are read: the postings of `baccarat.derive`."""

from functools import partial
from typing import NamedTuple

from baccarat.audit.plain import forms as f
from baccarat.audit.plain.rounds import PlainPart, PlainRound
from wallet.accounts import AccountKind, key_of

_GAME, _RACK, _STAKES = AccountKind.GAME.value, AccountKind.RACK.value, AccountKind.STAKES.value
_BANK, _COMMISSION = AccountKind.BANK.value, AccountKind.COMMISSION.value


class Keys(NamedTuple):
    """The accounts of a seat and of its table in that seat's book, by id."""

    game: str
    rack: str
    stakes: str
    bank: str
    commission: str


def wager(round_: PlainRound, event: f.WagerConfirmed) -> str:
    """This will write the entry of a confirmed wager: from the game balance to the stakes in play."""
    keys, staked = _keys(round_, event.seat), sum(event.stakes.values())
    game, stakes = f"{keys.game} {-staked}", f"{keys.stakes} {staked}"
    return f"wager: {game}, {stakes}" if keys.game < keys.stakes else f"wager: {stakes}, {game}"


def settlement(round_: PlainRound, event: f.RoundSettled) -> str | None:
    """This will write the entry of a settlement, one posting for each account; None where nothing moves."""
    amounts: dict[str, int] = {}
    for settled in event.wagers:
        for account, amount in _settled(_keys(round_, settled.seat), settled):
            amounts[account] = amounts.get(account, 0) + amount
    moved = ", ".join([f"{account} {amounts[account]}" for account in sorted(amounts) if amounts[account]])
    return f"settlement: {moved}" if moved else None


def _settled(keys: Keys, wager: f.SeatSettled) -> tuple[tuple[str, int], ...]:
    commission = wager.commission
    held = commission if wager.deferred else 0
    to_player = wager.returned - held
    return (
        (keys.stakes, -wager.staked),
        (keys.game, to_player),
        (keys.rack if held else keys.commission, commission),
        (keys.bank, wager.staked - to_player - commission),
    )


def _keys(round_: PlainRound, seat: int) -> Keys:
    known = round_.seating.keys
    found = known.get(seat)
    if found is None:
        found = known[seat] = _keys_of(round_, round_.parts[seat])
    return found


def _keys_of(round_: PlainRound, part: PlainPart) -> Keys:
    event, book, currency = round_.opened, part.book.value, round_.table.place.currency
    key = partial(key_of, operator=event.operator, book=book, currency=currency, table=event.table)
    return Keys(
        key(kind=_GAME, player=part.player),
        key(kind=_RACK, player=part.player),
        key(kind=_STAKES),
        key(kind=_BANK),
        key(kind=_COMMISSION),
    )
