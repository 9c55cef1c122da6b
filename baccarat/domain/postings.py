"""Postings that follow from events of tables and rounds. Used when an event is recorded and again by the audit."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.events import RoundVoided, SeatVoided
from baccarat.domain.tables import events as te
from casino.kernel.money import MoneyType
from wallet.ledger.accounts import (
    AccountKind,
    AccountName,
    debt_account,
    game_account,
    player_account,
    rack_account,
    table_account,
)
from wallet.ledger.entries import EntryKind, NewEntry, NewPosting, build_entry, buy_in, rebuy


@dataclass(frozen=True, slots=True)
class TableAccounts:
    """Account names for one table: its operator and currency. Caches the names."""

    operator: UUID
    table: UUID
    currency: str
    _names: dict[tuple[AccountKind, UUID | None, MoneyType], AccountName] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def player(self, player: UUID, money_type: MoneyType) -> AccountName:
        return player_account(operator=self.operator, player=player, money_type=money_type, currency=self.currency)

    def game(self, player: UUID, money_type: MoneyType) -> AccountName:
        cached = self._names.get((AccountKind.GAME, player, money_type))
        return cached or self._cache(
            game_account(
                operator=self.operator, player=player, table=self.table, money_type=money_type, currency=self.currency
            )
        )

    def rack(self, player: UUID, money_type: MoneyType) -> AccountName:
        """Return the account that holds the player's deferred commission at this table."""
        return rack_account(
            operator=self.operator, player=player, table=self.table, money_type=money_type, currency=self.currency
        )

    def debt(self, player: UUID, money_type: MoneyType) -> AccountName:
        return debt_account(operator=self.operator, player=player, money_type=money_type, currency=self.currency)

    def house(self, kind: AccountKind, money_type: MoneyType) -> AccountName:
        """Return one of the table's own accounts: stakes, bank or commission."""
        cached = self._names.get((kind, None, money_type))
        return cached or self._cache(
            table_account(
                kind=kind, operator=self.operator, table=self.table, money_type=money_type, currency=self.currency
            )
        )

    def _cache(self, name: AccountName) -> AccountName:
        return self._names.setdefault((name.kind, name.player, name.money_type), name)


def entry_for(event: object, cause: int, accounts: TableAccounts) -> NewEntry | None:
    """Return the entry that follows from the event with id `cause`, None if no money moves."""
    build = _BUILD.get(type(event))
    return None if build is None else build(event, cause, accounts)


def _entry(kind: EntryKind, cause: int, postings: Iterable[NewPosting]) -> NewEntry | None:
    """Return an entry, None if every amount is zero."""
    nonzero = [posting for posting in postings if posting.amount]
    return build_entry(kind=kind, cause=cause, postings=nonzero) if nonzero else None


def _seat_taken(event: te.SeatTaken, cause: int, accounts: TableAccounts) -> NewEntry | None:
    if not event.buy_in:
        return None
    return buy_in(
        cause=cause,
        operator=accounts.operator,
        player=event.player,
        table=accounts.table,
        money_type=event.money_type,
        currency=accounts.currency,
        amount=event.buy_in,
    )


def _rebought(event: te.Rebought, cause: int, accounts: TableAccounts) -> NewEntry:
    return rebuy(
        cause=cause,
        operator=accounts.operator,
        player=event.player,
        table=accounts.table,
        money_type=event.money_type,
        currency=accounts.currency,
        amount=event.amount,
    )


def _seat_left(event: te.SeatLeft | te.SeatReleased, cause: int, accounts: TableAccounts) -> NewEntry | None:
    return _entry(
        "cash_out",
        cause,
        (
            NewPosting(accounts.game(event.player, event.money_type), -event.returned),
            NewPosting(accounts.player(event.player, event.money_type), event.returned),
            NewPosting(accounts.rack(event.player, event.money_type), -event.commission_collected),
            NewPosting(accounts.house(AccountKind.COMMISSION, event.money_type), event.commission_collected),
        ),
    )


def _shoe_ended(event: te.ShoeEnded, cause: int, accounts: TableAccounts) -> NewEntry | None:
    postings = []
    for owed in event.collected:
        postings.append(NewPosting(accounts.rack(owed.player, owed.money_type), -owed.amount))
        postings.append(NewPosting(accounts.house(AccountKind.COMMISSION, owed.money_type), owed.amount))
    return _entry("commission_collected", cause, postings)


def _wager_confirmed(event: re.WagerConfirmed, cause: int, accounts: TableAccounts) -> NewEntry | None:
    staked = sum(event.stakes.values())
    return _entry(
        "wager",
        cause,
        (
            NewPosting(accounts.game(event.player, event.money_type), -staked),
            NewPosting(accounts.house(AccountKind.STAKES, event.money_type), staked),
        ),
    )


def _round_settled(event: re.RoundSettled, cause: int, accounts: TableAccounts) -> NewEntry | None:
    postings: list[NewPosting] = []
    for wager in event.wagers:
        postings.extend(_wager_settled(wager, accounts))
    return _entry("settlement", cause, postings)


def _wager_settled(wager: re.SeatSettled, accounts: TableAccounts) -> Iterable[NewPosting]:
    """Move stakes off the table: returns to the player, commission to house or rack, the rest to the bank."""
    commission = (
        accounts.rack(wager.player, wager.money_type)
        if wager.deferred and wager.commission
        else accounts.house(AccountKind.COMMISSION, wager.money_type)
    )
    return (
        NewPosting(accounts.house(AccountKind.STAKES, wager.money_type), -wager.staked),
        NewPosting(accounts.game(wager.player, wager.money_type), wager.returned),
        NewPosting(commission, wager.commission),
        NewPosting(
            accounts.house(AccountKind.BANK, wager.money_type), wager.staked - wager.returned - wager.commission
        ),
    )


def _round_voided(event: RoundVoided, cause: int, accounts: TableAccounts) -> NewEntry | None:
    postings: list[NewPosting] = []
    for void in event.seats:
        postings.extend(_wager_voided(void, accounts, was_settled=event.was_settled))
    return _entry("void", cause, postings)


def _wager_voided(void: SeatVoided, accounts: TableAccounts, *, was_settled: bool) -> Iterable[NewPosting]:
    """Return the stakes of a wager in play; reverse the postings of a settled one."""
    player, money_type = void.player, void.money_type
    if was_settled:
        bank = void.returned + void.commission - void.staked - void.forgiven
        house = NewPosting(accounts.house(AccountKind.BANK, money_type), bank)
    else:
        house = NewPosting(accounts.house(AccountKind.STAKES, money_type), -void.staked)
    return (
        house,
        NewPosting(accounts.house(AccountKind.COMMISSION, money_type), void.from_rack - void.commission),
        NewPosting(accounts.rack(player, money_type), -void.from_rack),
        NewPosting(accounts.game(player, money_type), void.to_game - void.from_game),
        NewPosting(accounts.player(player, money_type), void.to_account - void.from_account),
        NewPosting(accounts.debt(player, money_type), -void.owed),
    )


_BUILD: Final[dict[type, Callable[[Any, int, TableAccounts], NewEntry | None]]] = {
    te.SeatTaken: _seat_taken,
    te.Rebought: _rebought,
    te.SeatLeft: _seat_left,
    te.SeatReleased: _seat_left,
    te.ShoeEnded: _shoe_ended,
    re.WagerConfirmed: _wager_confirmed,
    re.RoundSettled: _round_settled,
    RoundVoided: _round_voided,
}
