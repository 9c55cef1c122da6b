"""How cutting and what is told of shoes are documented."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema

from baccarat.api import bodies, fairness_shown
from baccarat.api.documents import action
from baccarat.api.examples import ROUND_ID, SHOE_ID, TABLE_ID, answer, body

_HASH: Final = "b8f6ab23aec413eb8092d2da204afa78130fc80f078d0aae96941e0b364fd888"
_CUT: Final = "6ac3d2c1f50e7a1c5df1d0a4bd4f8c2f17a4f3f9c45b0f53a5d8cc2dbd5f6b90"
_NEXT_ID: Final = "01a1fcbc-0790-7c11-9d45-6a0f5e9b2d31"
_GIVEN: Final = [{"seat": 3, "contribution": "9f2c5e7a41b0d863"}]
_SHOE: Final[dict[str, Any]] = {
    "id": SHOE_ID,
    "number": 2,
    "round": None,
    "commitment": _HASH,
    "contributions": _GIVEN,
    "cut": _CUT,
    "root": "1f" * 32,
    "cards_used": 137,
    "decks": 8,
    "open": False,
}
_FAIRNESS: Final = {
    "table": TABLE_ID,
    "decks": 8,
    "shuffle": "shoe",
    "rounds": 97,
    "voids": 0,
    "closed": False,
    "shoe": _SHOE,
    "next": {**_SHOE, "id": _NEXT_ID, "number": 3, "cut": None, "root": None, "cards_used": None, "open": True},
    "revealed": [{**_SHOE, "number": 1, "cards_used": 411, "seed": "5c" * 32, "ended_at": "2026-11-21T08:58:11Z"}],
}
_OPENING: Final = {"position": 131, "card": "9h", "salt": "a7" * 32, "path": ["3b" * 32] * 9}
_ROUNDS_SHOE: Final = {
    "round": ROUND_ID,
    "shoe": SHOE_ID,
    "number": 2,
    "decks": 8,
    "commitment": _HASH,
    "contributions": _GIVEN,
    "cut": _CUT,
    "root": "1f" * 32,
    "seed": None,
    "position": 131,
    "turned": {**_OPENING, "position": 0, "card": "4c"},
    "openings": [_OPENING],
}
_CUTTING: Final = (
    "The order of a shoe follows from the house's seed, which the table has committed to, and from the cut: what seats "
    "have added since. The next shoe and its commitment are shown as `next_shoe`, before anybody can bet on it. Where "
    "each round has a shoe of its own, contribute while betting on it is open, or with the stakes that open it; at a "
    "table with a long shoe, to the next one, until it starts. A seat's last contribution counts, 1 to 32 bytes of "
    "your own choice in hex; everyone at the table may see it. Who contributes nothing holds nothing up."
)


def _shown(operation: str, summary: str, response: type, value: dict[str, Any], description: str) -> Any:
    return extend_schema(
        operation_id=operation,
        summary=summary,
        description=description,
        responses=response,
        examples=[answer(value)],
    )


give_cut = action("contributeToCut", "Cut the shoe", bodies.Cut, {"contribution": "9f2c5e7a41b0d863"}, _CUTTING)
close_table = extend_schema(
    operation_id="closeTable",
    summary="Close a table for good",
    description=(
        "From now on nothing new starts there. What is confirmed is dealt and settled; then every seat is freed, the "
        "money goes back to the accounts, and the seeds of its long shoe and of the one it has committed to ahead are "
        "revealed, so that no shoe is given up for its cards. Without a round in hand all of that is done at once. The "
        "table stays to be read. Answers with its shoes: while `closed` is false, the round in hand goes on."
    ),
    request=bodies.TableClosing,
    responses=fairness_shown.FairnessShown,
    examples=[body({"reason": "Worn out"}), answer({**_FAIRNESS, "closed": True, "shoe": None, "next": None})],
)
table_fairness = _shown(
    "getTableFairness",
    "Show what a table has committed to, who has cut, and what it has revealed",
    fairness_shown.FairnessShown,
    _FAIRNESS,
    "The shoe in play, the next one, committed to ahead of its first bet, and the latest whose seeds are revealed: "
    "with seed and cut anyone can recompute a shoe.",
)
round_shoe = _shown(
    "getRoundShoe",
    "Show the shoe of a round that has ended, with its cards proven",
    fairness_shown.RoundsShoeShown,
    _ROUNDS_SHOE,
    "A long shoe's seed stays secret until its end: until then each card of the round, and the one turned when the "
    "shoe started, is proven by its salt and its path to the root that was told before the shoe's first bet.",
)
