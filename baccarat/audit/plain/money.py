"""What rounds of the usual course move, written as the ledger's entries are read: the postings of `baccarat.derive`."""

from typing import NamedTuple

from baccarat.audit.plain import forms as f
from baccarat.audit.plain.rounds import PlainRound
from baccarat.audit.traces import Guest
from baccarat.derive import Place
from wallet.accounts import AccountKind
from wallet.audit import written


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
    return written("wager", ((keys.game, -staked), (keys.stakes, staked)))


def settlement(round_: PlainRound, event: f.RoundSettled) -> str | None:
    """This will write the entry of a settlement, one posting for each account; None where nothing moves."""
    amounts: dict[str, int] = {}
    for settled in event.wagers:
        for account, amount in _settled(_keys(round_, settled.seat), settled):
            amounts[account] = amounts.get(account, 0) + amount
    moved = [(account, amount) for account, amount in amounts.items() if amount]
    return written("settlement", moved) if moved else None


def _settled(keys: Keys, wager: f.SeatSettled) -> tuple[tuple[str, int], ...]:
    held = wager.commission if wager.deferred else 0
    to_player = wager.returned - held
    return (
        (keys.stakes, -wager.staked),
        (keys.game, to_player),
        (keys.rack if held else keys.commission, wager.commission),
        (keys.bank, wager.staked - to_player - wager.commission),
    )


def _keys(round_: PlainRound, seat: int) -> Keys:
    known = round_.seating.keys
    found = known.get(seat)
    if found is None:
        found = known[seat] = _keys_of(round_.table.place, round_.parts[seat].guest)
    return found


def _keys_of(place: Place, guest: Guest) -> Keys:
    player, book = guest.player, guest.book
    return Keys(
        place.game(player, book).key,
        place.rack(player, book).key,
        place.house(AccountKind.STAKES, book).key,
        place.house(AccountKind.BANK, book).key,
        place.house(AccountKind.COMMISSION, book).key,
    )
