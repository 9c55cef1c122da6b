"""The address of the game restored, and its place in the API document."""

import re
from typing import Final

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.api.examples import answer
from baccarat.streaming import recovery, recovery_shown
from casino.api.error_catalogue import INVALID_CURSOR, RequestRejected
from casino.operators.base_views import PlayerView

AFTER: Final = OpenApiParameter(
    "after",
    {"type": "integer", "minimum": 0},
    description="The last position that was seen: of a stream's event, of a snapshot or of an earlier restore.",
)
_POSITION: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
_DESCRIPTION: Final = """\
After a lost connection, one call to draw everything as it stands: each table where the player sits, with its rules, the
round in hand and the last one; balances, payments on their way, debts and the own limit; and with `after`, what was
decided meanwhile. All of it is of one moment, named by `position`: open `GET /api/v1/stream?after=<position>` to go on
from there, and nothing is missed.

A confirmed wager was dealt and settled without its player. Chips that were not confirmed were never at risk. A seat is
kept for `seat_kept_rounds` turns without a word, and where no rounds pass for a time; then it is freed, owed commission
is collected and the game balance is on the account again: `away.seats_released` tells of it.
"""


class GameRecoveryView(PlayerView):
    """The game as it stands, for a player who comes back."""

    @extend_schema(
        operation_id="recoverGame",
        summary="Restore the game after a lost connection",
        description=_DESCRIPTION,
        parameters=[AFTER],
        responses=recovery_shown.GameRecoveryResponse,
        examples=[answer(recovery_shown.EXAMPLE)],
    )
    def get(self, request: Request) -> Response:
        return Response(recovery.recover_game(player=self.caller, after=_after(request)))


def _after(request: Request) -> int | None:
    given = request.query_params.get("after")
    if given is None:
        return None
    if not _POSITION.fullmatch(given):
        raise RequestRejected(INVALID_CURSOR, "A position is a whole number.")
    return int(given)
