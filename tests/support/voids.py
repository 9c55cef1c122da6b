"""Voids as staff ask for and approve them, and the money that they must restore."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from baccarat.domain.rounds.state import RoundState
from baccarat.services import voiding
from casino.kernel.errors import Refusal
from casino.operators import changes
from casino.operators.models import Change
from tests.support.examples import P
from tests.support.house import At, House, deal_all
from wallet.ledger.accounts import AccountKind
from wallet.payments import debts

Money = tuple[int, ...]


def ask(house: House, round_: UUID, *, by: str = "staff:1", reason: str = "malfunction", note: str = "x") -> RoundState:
    remembered = replace(house.metadata, actor=by)
    voiding.void(round_=round_, operator=house.operator, reason=reason, note=note, metadata=remembered)
    return house.round(round_)


def waiting(round_: UUID | str) -> UUID:
    """Return the change that waits: of the newest request for the round, if it waits no more."""
    return Change.objects.filter(kind=voiding.KIND, subject=f"round:{round_}").latest("id").pk


def confirm(round_: UUID | str, *, by: str = "staff:2") -> Change:
    return changes.confirm(waiting(round_), by=by)


def approve(house: House, round_: UUID, *, by: str = "staff:2") -> RoundState:
    confirm(round_, by=by)
    return house.round(round_)


def decline(house: House, round_: UUID) -> RoundState:
    changes.decline(waiting(round_), by="staff:2")
    return house.round(round_)


def void_settled(house: House, round_: UUID, *, note: str = "x") -> RoundState:
    ask(house, round_, note=note)
    return approve(house, round_)


def in_hand(house: House, table: UUID) -> UUID:
    identity = house.state(table).round
    assert identity is not None
    return identity


def last(house: House, table: UUID) -> UUID:
    identity = house.state(table).last_round
    assert identity is not None
    return identity


def money(house: House, table: UUID, *company: At) -> Money:
    """Every account that a round can touch."""
    players = [amount for at in company for amount in (house.account(at), house.game(at), house.rack(at))]
    kinds = (AccountKind.STAKES, AccountKind.BANK, AccountKind.COMMISSION)
    return (*players, *(house.holds(table, kind) for kind in kinds))


def settled_with(at: At, house: House, *, won: bool, stakes: dict[str, int] | None = None) -> UUID:
    """Play rounds until the player wins, or loses, one; earlier ones stay as they are."""
    for _ in range(200):
        at.deal(stakes or {P: 5000})
        deal_all()
        settled = house.last(at.guest.table).seats[0].settlement
        assert settled is not None
        if (settled.won and won) or (settled.returned < settled.staked and not won):
            return last(house, at.guest.table)
    raise AssertionError("That never came.")


def debt(house: House, at: At) -> int:
    return debts.outstanding(operator=house.operator, player=at.player, currency="EUR")


def refusals(results: list[Any]) -> list[str]:
    for result in results:
        if isinstance(result, Exception) and not isinstance(result, Refusal):
            raise result
    return sorted(type(result).__name__ if isinstance(result, Refusal) else "done" for result in results)
