"""How the operations of the baccarat API are documented: ids, summaries and examples, apart from the views."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema

from baccarat.api import bodies, examples, odds_shown, serializers
from baccarat.api.examples import answer, body
from casino.api import paging

_FIGURES: Final = {
    "return": {"fraction": "10732465128097/10847218479825", "decimal": "0.989420942"},
    "edge": {"fraction": "114753351728/10847218479825", "decimal": "0.010579058"},
    "variance": {
        "fraction": "101191667832985456634546596/117662148749056983932030625",
        "decimal": "0.860018867",
    },
}
_ODDS: Final = {
    "preset": "mini",
    "version": 1,
    "currency": "EUR",
    "decks": 8,
    "minimum": "5.00",
    "counts": {
        "banker": 2292252566437888,
        "player": 2230518282592256,
        "tie": 475627426473216,
        "all": 4998398275503360,
    },
    "commission": "5% of a Banker win, exact, taken from the payout.",
    "spots": [
        {
            "spot": "banker",
            "pays": "1:1",
            "win": {"fraction": "8954111587648/19524993263685", "decimal": "0.458597423"},
            "lose": {"fraction": "8712962041376/19524993263685", "decimal": "0.446246609"},
            "push": {"fraction": "619306544887/6508331087895", "decimal": "0.095155968"},
            "exact": _FIGURES,
            "at_minimum": _FIGURES,
        }
    ],
    "player_edge": [],
    "notes": ["Player and Banker stakes are returned on a tie; figures are per unit staked."],
}
_EVENT: Final = {
    "version": 2,
    "type": "ChipsPlaced",
    "schema": 1,
    "data": {"seat": 1, "spot": "banker", "amount": 1000},
    "recorded_at": "2026-11-21T09:00:03.500000Z",
}


def action(operation: str, summary: str, request: type, given: dict[str, Any], description: str = "") -> Any:
    """Document an action at a table, which answers with the table as it stands after it."""
    return extend_schema(
        operation_id=operation,
        summary=summary,
        description=description or None,
        request=request,
        responses=serializers.TableState,
        examples=[body(given), answer(examples.STATE)],
    )


def _shown(operation: str, summary: str, response: Any, value: Any, description: str = "") -> Any:
    return extend_schema(
        operation_id=operation,
        summary=summary,
        description=description or None,
        responses=response,
        examples=[answer(value)],
    )


def _page(operation: str, summary: str, response: Any, item: Any) -> Any:
    return extend_schema(
        operation_id=operation,
        summary=summary,
        parameters=paging.PARAMETERS,
        responses=response,
        examples=[answer({"items": [item], "next": None})],
    )


list_tables = _page("listTables", "List the operator's tables", serializers.TablePage, examples.LINE)
open_table = extend_schema(
    operation_id="openTable",
    summary="Open a table",
    description=(
        "Presets: atlantic_city, overview, mini, classic, big_table. Rules that give the player an edge open for real "
        "money only with accept_player_edge: true; where a spot returns less than the operator's floor, the sentence "
        "that `return_under_floor` answers is to be sent, word by word, as the acknowledgement."
    ),
    request=bodies.TableOpening,
    responses={201: serializers.TableShown},
    examples=[
        body({"name": "Mini 1", "preset": "mini", "currency": "EUR", "money_types": ["play"]}),
        body(
            {
                "name": "High limits",
                "preset": "mini",
                "currency": "EUR",
                "money_types": ["real", "play"],
                "rules": {
                    "chips": ["25.00", "100.00", "500.00"],
                    "minimum": "25.00",
                    "maximum": "5000.00",
                    "tie_pays": "9:1",
                    "commission": {"rate": "5/100", "rounding": "1/4", "timing": "settlement"},
                },
            },
            name="With rules of your own",
        ),
        answer(examples.SHOWN, status="201"),
    ],
)
show_table = _shown(
    "getTable",
    "Show a table as it stands",
    serializers.TableShown,
    examples.SHOWN,
    "Seats, chips, wagers, cards, time left, and for a player their own seat and balance: all it takes to draw it.",
)
table_odds = _shown("getTableOdds", "Show what each spot returns, exactly", odds_shown.OddsShown, _ODDS)
table_rounds = _page("listTableRounds", "List a table's rounds, newest first", serializers.RoundPage, examples.SETTLED)
rounds = _page(
    "listRounds", "List rounds, newest first: an operator's, or those a player bet in", serializers.RoundPage,
    examples.SETTLED,
)  # fmt: skip
show_round = _shown("getRound", "Show one round in full", serializers.RoundShown, examples.SETTLED)
round_events = _shown(
    "listRoundEvents",
    "List a round's events as recorded",
    serializers.EventList,
    {"items": [_EVENT]},
    "Amounts in events are minor units. A player sees the ids of no other player.",
)
look_at_cards = extend_schema(
    operation_id="lookAtCards",
    summary="Look at the Player's two cards that lie face down at the own seat",
    description=(
        "At a table with a Caller they are with the seat of the highest Player wager, the earliest of equals, from the "
        "close of betting on: the round's `ceremony` says which seat and until when. Only this answer, to this player "
        "alone, shows them before they are turned over; it is kept nowhere. Looking again shows the same cards."
    ),
    request=bodies.Nothing,
    responses=serializers.LookShown,
    examples=[body({}), answer({"cards": ["2s", "9c"], "until": "2026-11-21T09:00:13.500000Z"})],
)
