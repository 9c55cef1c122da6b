"""Postings that follow from events of tables and rounds. Used when an event is recorded and again by the audit."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.void_events import RoundVoided, SeatVoided
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
from wallet.ledger.entries import NewEntry, NewPosting, build_entry, buy_in, rebuy


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
        known = self._names.get((AccountKind.GAME, player, money_type))
        return known or self._keep(
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
        known = self._names.get((kind, None, money_type))
        return known or self._keep(
            table_account(
                kind=kind, operator=self.operator, table=self.table, money_type=money_type, currency=self.currency
            )
        )

    def _keep(self, name: AccountName) -> AccountName:
        return self._names.setdefault((name.kind, name.player, name.money_type), name)


def entry_for(event: object, cause: int, place: TableAccounts) -> NewEntry | None:
    """Return the entry that follows from the event with id `cause`, None if no money moves."""
    build = _BUILD.get(type(event))
    return None if build is None else build(event, cause, place)


def _entry(kind: str, cause: int, postings: Iterable[NewPosting]) -> NewEntry | None:
    """Return an entry, None if every amount is zero."""
    moved = [posting for posting in postings if posting.amount]
    return build_entry(kind=kind, cause=cause, postings=moved) if moved else None


def _seat_taken(event: te.SeatTaken, cause: int, place: TableAccounts) -> NewEntry | None:
    if not event.buy_in:
        return None
    return buy_in(
        cause=cause,
        operator=place.operator,
        player=event.player,
        table=place.table,
        money_type=event.money_type,
        currency=place.currency,
        amount=event.buy_in,
    )


def _rebought(event: te.Rebought, cause: int, place: TableAccounts) -> NewEntry:
    return rebuy(
        cause=cause,
        operator=place.operator,
        player=event.player,
        table=place.table,
        money_type=event.money_type,
        currency=place.currency,
        amount=event.amount,
    )


def _seat_left(event: te.SeatLeft | te.SeatReleased, cause: int, place: TableAccounts) -> NewEntry | None:
    return _entry(
        "cash_out",
        cause,
        (
            NewPosting(place.game(event.player, event.money_type), -event.returned),
            NewPosting(place.player(event.player, event.money_type), event.returned),
            NewPosting(place.rack(event.player, event.money_type), -event.commission_collected),
            NewPosting(place.house(AccountKind.COMMISSION, event.money_type), event.commission_collected),
        ),
    )


def _shoe_ended(event: te.ShoeEnded, cause: int, place: TableAccounts) -> NewEntry | None:
    postings = []
    for owed in event.collected:
        postings.append(NewPosting(place.rack(owed.player, owed.money_type), -owed.amount))
        postings.append(NewPosting(place.house(AccountKind.COMMISSION, owed.money_type), owed.amount))
    return _entry("commission_collected", cause, postings)


def _wager_confirmed(event: re.WagerConfirmed, cause: int, place: TableAccounts) -> NewEntry | None:
    staked = sum(event.stakes.values())
    return _entry(
        "wager",
        cause,
        (
            NewPosting(place.game(event.player, event.money_type), -staked),
            NewPosting(place.house(AccountKind.STAKES, event.money_type), staked),
        ),
    )


def _round_settled(event: re.RoundSettled, cause: int, place: TableAccounts) -> NewEntry | None:
    postings: list[NewPosting] = []
    for wager in event.wagers:
        postings.extend(_wager_settled(wager, place))
    return _entry("settlement", cause, postings)


def _wager_settled(wager: re.SeatSettled, place: TableAccounts) -> Iterable[NewPosting]:
    """Move stakes off the table: returns to the player, commission to house or rack, the rest to the bank."""
    held = wager.commission if wager.deferred else 0
    to_player = wager.returned - held
    commission = (
        place.rack(wager.player, wager.money_type) if held else place.house(AccountKind.COMMISSION, wager.money_type)
    )
    return (
        NewPosting(place.house(AccountKind.STAKES, wager.money_type), -wager.staked),
        NewPosting(place.game(wager.player, wager.money_type), to_player),
        NewPosting(commission, wager.commission),
        NewPosting(place.house(AccountKind.BANK, wager.money_type), wager.staked - to_player - wager.commission),
    )


def _round_voided(event: RoundVoided, cause: int, place: TableAccounts) -> NewEntry | None:
    postings: list[NewPosting] = []
    for undone in event.seats:
        postings.extend(_wager_voided(undone, place, was_settled=event.was_settled))
    return _entry("void", cause, postings)


def _wager_voided(undone: SeatVoided, place: TableAccounts, *, was_settled: bool) -> Iterable[NewPosting]:
    """Return the stakes of a wager in play; reverse the postings of a settled one."""
    player, money_type = undone.player, undone.money_type
    if was_settled:
        bank = undone.paid + undone.commission - undone.staked - undone.forgiven
        house = NewPosting(place.house(AccountKind.BANK, money_type), bank)
    else:
        house = NewPosting(place.house(AccountKind.STAKES, money_type), -undone.staked)
    return (
        house,
        NewPosting(place.house(AccountKind.COMMISSION, money_type), undone.from_rack - undone.commission),
        NewPosting(place.rack(player, money_type), -undone.from_rack),
        NewPosting(place.game(player, money_type), undone.to_game - undone.from_game),
        NewPosting(place.player(player, money_type), undone.to_account - undone.from_account),
        NewPosting(place.debt(player, money_type), -undone.owed),
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
