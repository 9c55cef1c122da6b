"""Examples of the API document: one game of mini baccarat, from opening the table to its odds."""

from typing import Any, Final

from drf_spectacular.utils import OpenApiExample

TABLE_ID: Final = "01a1fcbc-076c-7efc-99c1-b2b93212fa2b"
ROUND_ID: Final = "01a1fcbc-078c-7ef2-bf19-295c3a7cab3f"
SHOE_ID: Final = "01a1fcbc-0780-7a52-8f0c-3e5d7c1b9a44"
_OPENED: Final = "2026-11-21T09:00:00.250000Z"
_NOW: Final = "2026-11-21T09:00:03.500000Z"
_ENDED: Final = "2026-11-21T09:00:03.520000Z"
_HASH: Final = "b8f6ab23aec413eb8092d2da204afa78130fc80f078d0aae96941e0b364fd888"


def _seat(**changes: Any) -> dict[str, Any]:
    seat: dict[str, Any] = {
        "seat": 1,
        "player": None,
        "you": True,
        "money_type": "play",
        "standing": "deciding",
        "placed": [{"spot": "banker", "amount": "10.00"}],
        "wager": None,
        "raised": None,
        "confirmed_at": None,
        "result": None,
        "void": None,
    }
    return {**seat, **changes}


BETTING: Final[dict[str, Any]] = {
    "id": ROUND_ID,
    "table": TABLE_ID,
    "number": 7,
    "rules": "mini@1",
    "currency": "EUR",
    "phase": "betting",
    "opened_at": _OPENED,
    "deadline_at": None,
    "ended_at": None,
    "commitment": _HASH,
    "shoe": SHOE_ID,
    "contributions": [{"seat": 1, "contribution": "9f2c5e7a41b0d863"}],
    "cut": None,
    "seed": None,
    "cards": [],
    "player_hand": {"cards": [], "total": None},
    "banker_hand": {"cards": [], "total": None},
    "natural": None,
    "outcome": None,
    "suspended": False,
    "void": None,
    "ceremony": None,
    "seats": [_seat()],
}
SETTLED: Final[dict[str, Any]] = {
    **BETTING,
    "phase": "settled",
    "ended_at": _ENDED,
    "cut": "6ac3d2c1f50e7a1c5df1d0a4bd4f8c2f17a4f3f9c45b0f53a5d8cc2dbd5f6b90",
    "seed": "5c" * 32,
    "cards": ["2s", "8d", "9c", "Ad"],
    "player_hand": {"cards": ["2s", "9c"], "total": 1},
    "banker_hand": {"cards": ["8d", "Ad"], "total": 9},
    "natural": True,
    "outcome": "banker",
    "seats": [
        _seat(
            standing="confirmed",
            placed=[],
            wager=[{"spot": "banker", "amount": "10.00"}],
            confirmed_at=_NOW,
            result={
                "staked": "10.00",
                "won": "10.00",
                "commission": "0.50",
                "commission_deferred": False,
                "returned": "19.50",
                "spots": [
                    {
                        "spot": "banker",
                        "stake": "10.00",
                        "result": "win",
                        "win": "10.00",
                        "commission": "0.50",
                        "returned": "19.50",
                    }
                ],
            },
        )
    ],
}
STATE: Final[dict[str, Any]] = {
    "id": TABLE_ID,
    "name": "Mini 1",
    "currency": "EUR",
    "seats": [{"seat": 1, "player": None, "you": True, "money_type": "play", "commission_owed": "0.00"}],
    "shoe": None,
    "next_shoe": {
        "id": "01a1fcbc-0790-7c11-9d45-6a0f5e9b2d31",
        "number": BETTING["number"] + 1,
        "commitment": "b8f6ab23aec413eb8092d2da204afa78130fc80f078d0aae96941e0b364fd888",
        "contributions": [],
    },
    "round": BETTING,
    "you": {
        "seat": 1,
        "money_type": "play",
        "game_balance": {"amount": "100.00", "currency": "EUR"},
        "under_minimum": False,
        "notice": None,
        "commission_owed": {"amount": "0.00", "currency": "EUR"},
        "in_round": True,
        "standing": "deciding",
        "last_wager": [{"spot": "tie", "amount": "5.00"}],
    },
    "stopped": None,
    "server_time": _NOW,
}
LINE: Final[dict[str, Any]] = {
    "id": TABLE_ID,
    "name": "Mini 1",
    "preset": "mini",
    "currency": "EUR",
    "money_types": ["play"],
    "minimum": "5.00",
    "maximum": "300.00",
    "seats": 1,
    "seats_taken": 1,
    "turn_seconds": None,
}
SHOWN: Final[dict[str, Any]] = {
    **STATE,
    "money_types": ["play"],
    "rules": {
        "preset": "mini",
        "version": 1,
        "currency": "EUR",
        "decks": 8,
        "shuffle": "each_round",
        "seats": 1,
        "chips": ["1.00", "5.00", "25.00", "100.00", "500.00"],
        "minimum": "5.00",
        "maximum": "300.00",
        "spots_per_round": "any",
        "player_pays": "1:1",
        "banker_pays": "1:1",
        "tie_pays": "8:1",
        "commission": {"rate": "5/100", "rounding": None, "timing": "settlement"},
        "under_minimum": "reject",
        "turn_seconds": None,
        "caller": False,
        "play_money": True,
        "cut_cards_from_end": None,
        "burn": False,
        "seat_kept_rounds": None,
        "look_seconds": None,
        "hand_back_seconds": None,
    },
    "last_round": SETTLED,
}


def answer(value: Any, *, name: str = "Answer", status: str = "200") -> OpenApiExample:
    return OpenApiExample(name, value=value, response_only=True, status_codes=[status])


def body(value: Any, *, name: str = "Request") -> OpenApiExample:
    """Make an example of a request's body."""
    return OpenApiExample(name, value=value, request_only=True)
