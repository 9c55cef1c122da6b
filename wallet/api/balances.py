"""Balances of a player's accounts."""

from collections.abc import Mapping
from typing import Annotated
from uuid import UUID

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.openapi import operation
from casino.api.shapes import Money, Shape
from casino.kernel.money import MoneyType
from casino.operators.base_views import OperatorView, PlayerView
from wallet.api.reality_checks import RealityCheckReminder
from wallet.api.statements import PlayerAccountKind
from wallet.ledger import queries
from wallet.ledger.accounts import AccountName
from wallet.responsible_gaming import queries as responsible_gaming
from wallet.responsible_gaming.queries import Reminder


class BalanceResponse(Shape):
    """One account of a player."""

    account: PlayerAccountKind
    money_type: MoneyType
    table: Annotated[UUID | None, Meta(description="The table of a game balance or a rack.", examples=[None])]
    balance: Money

    @classmethod
    def of(cls, account: AccountName, balance: int) -> "BalanceResponse":
        """Present the balance of an account in minor units."""
        return cls(
            PlayerAccountKind(account.kind.value),
            account.money_type,
            account.table,
            Money.of(balance, account.currency),
        )


class Balances(Shape):
    """All accounts of a player, and the next reality check."""

    items: tuple[BalanceResponse, ...]
    reality_check: Annotated[RealityCheckReminder | None, Meta(description="Null for a player who never logged in.")]

    @classmethod
    def of(cls, balances: Mapping[AccountName, int], reminder: Reminder | None) -> "Balances":
        """Present a player's balances."""
        items = tuple(BalanceResponse.of(account, balance) for account, balance in balances.items())
        return cls(items, RealityCheckReminder.of(reminder))

    @classmethod
    def load(cls, *, operator: UUID, player: UUID) -> "Balances":
        """Read the balances of an operator's player. Raises UnknownPlayer."""
        balances = queries.player_balances(operator=operator, player=player)
        return cls.of(balances, responsible_gaming.reminder(operator=operator, player=player))


class PlayerBalancesView(OperatorView):
    """Balances of one of the caller's players."""

    @operation("getPlayerBalances", "Show all balances of one of your players", returns=Balances)
    def get(self, request: Request, player: UUID) -> Response:
        del request
        return Response(Balances.load(operator=self.caller.operator, player=player))


class MyBalancesView(PlayerView):
    """The caller's balances."""

    @operation("getMyBalances", "Show all your balances", returns=Balances)
    def get(self, request: Request) -> Response:
        del request
        return Response(Balances.load(operator=self.caller.operator, player=self.caller.player))
