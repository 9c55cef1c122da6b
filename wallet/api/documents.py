"""How the wallet's operations are documented, examples included."""

from typing import Any, Final

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema

from casino.api import paging
from casino.kernel.money import MoneyType
from wallet.api import serializers
from wallet.api.serializers import PlayerAccountKind

PLAYER: Final = "0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11"
TABLE: Final = "0199f3a2-7c40-7e21-8b32-9d0c5f1e2a33"
_PLAYER_SHOWN: Final = {
    "id": PLAYER,
    "reference": "customer-8812",
    "nickname": "Ace",
    "created_at": "2026-11-21T09:00:00Z",
}
_BALANCES: Final = {
    "items": [
        {"account": "account", "money_type": "real", "table": None, "balance": {"amount": "87.50", "currency": "EUR"}},
        {"account": "game", "money_type": "real", "table": TABLE, "balance": {"amount": "12.50", "currency": "EUR"}},
    ],
    "reality_check": {"minutes": 60, "due_at": "2026-11-21T10:00:00Z"},
}
_STATEMENT: Final = {
    "opening": {"amount": "100.00", "currency": "EUR"},
    "closing": {"amount": "87.50", "currency": "EUR"},
    "moved": {"amount": "-12.50", "currency": "EUR"},
    "items": [
        {
            "sequence": 2,
            "kind": "buy_in",
            "amount": {"amount": "-12.50", "currency": "EUR"},
            "balance": {"amount": "87.50", "currency": "EUR"},
            "entry": 412,
            "event": 9871,
            "recorded_at": "2026-11-21T09:01:12Z",
        }
    ],
    "next": None,
}
_WHICH: Final = [
    OpenApiParameter(
        "account", str, enum=[purse.value for purse in PlayerAccountKind], description="`account` when left out."
    ),
    OpenApiParameter(
        "money_type", str, enum=[money_type.value for money_type in MoneyType], description="`real` when left out."
    ),
    OpenApiParameter("table", OpenApiTypes.UUID, description="The table of a game balance or a rack."),
    OpenApiParameter("from", str, description="From this time on, such as 2026-11-01 or 2026-11-01T09:00:00Z."),
    OpenApiParameter("to", str, description="Up to this time, which is not included."),
    OpenApiParameter("kind", str, description="Only these kinds of entries, comma separated: `buy_in,cash_out`."),
    OpenApiParameter("format", str, enum=["json", "csv"], description="As `Accept` says when left out."),
    *paging.PARAMETERS,
]


_SHEET: Final = OpenApiExample(
    "Sheet",
    value="sequence,recorded_at,kind,amount,balance,currency,entry,event\r\n,,opening balance,,100.00,EUR,,\r\n"
    "2,2026-11-21T09:01:12Z,buy_in,-12.50,87.50,EUR,412,9871\r\n,,closing balance,,87.50,EUR,,\r\n",
    response_only=True,
    status_codes=["200"],
    media_type="text/csv",
)
_FORMS: Final = {(200, "application/json"): serializers.StatementResponse, (200, "text/csv"): OpenApiTypes.STR}


def _answer(value: Any, status: str = "200") -> OpenApiExample:
    return OpenApiExample("Answer", value=value, response_only=True, status_codes=[status])


register_player: Final = extend_schema(
    operation_id="registerPlayer",
    summary="Register a player and open the accounts; the same reference answers the same player",
    request=serializers.PlayerRequest,
    responses={201: serializers.PlayerResponse},
    examples=[
        OpenApiExample("A player", value={"reference": "customer-8812", "nickname": "Ace"}, request_only=True),
        _answer(_PLAYER_SHOWN, "201"),
    ],
)
list_players: Final = extend_schema(
    operation_id="listPlayers",
    summary="List your players in the order they were registered",
    parameters=paging.PARAMETERS,
    responses=serializers.PlayerPage,
    examples=[_answer({"items": [_PLAYER_SHOWN], "next": None})],
)
get_player: Final = extend_schema(
    operation_id="getPlayer",
    summary="Show one of your players",
    responses=serializers.PlayerResponse,
    examples=[_answer(_PLAYER_SHOWN)],
)
credit_player: Final = extend_schema(
    operation_id="creditSandboxPlayer",
    summary="Credit a player of a sandbox operator with money that nobody paid in",
    request=serializers.CreditRequest,
    responses={201: serializers.CreditResponse},
    examples=[
        OpenApiExample(
            "A hundred", value={"amount": "100.00", "currency": "EUR", "money_type": "real"}, request_only=True
        ),
        _answer({"player": PLAYER, "money_type": "real", "balance": {"amount": "100.00", "currency": "EUR"}}, "201"),
    ],
)
player_balances: Final = extend_schema(
    operation_id="getPlayerBalances",
    summary="Show every balance of one of your players",
    responses=serializers.BalancesResponse,
    examples=[_answer(_BALANCES)],
)
player_statement: Final = extend_schema(
    operation_id="getPlayerStatement",
    summary="State one account of one of your players over a period: what moved, and the balances at both ends",
    parameters=_WHICH,
    responses=_FORMS,
    examples=[_answer(_STATEMENT), _SHEET],
)
my_balances: Final = extend_schema(
    operation_id="getMyBalances",
    summary="Show every balance of the player who asks",
    responses=serializers.BalancesResponse,
    examples=[_answer(_BALANCES)],
)
my_statement: Final = extend_schema(
    operation_id="getMyStatement",
    summary="State one account of the player who asks over a period: what moved, and the balances at both ends",
    parameters=_WHICH,
    responses=_FORMS,
    examples=[_answer(_STATEMENT), _SHEET],
)
