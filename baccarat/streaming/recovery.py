"""Game recovery after a disconnect: the current state, and a summary of what happened in between."""

import time
from typing import Annotated, Final

import msgspec
from drf_spectacular.utils import OpenApiParameter
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.streaming import absence, snapshot
from baccarat.streaming.absence import AbsenceResponse
from baccarat.streaming.snapshot import Snapshot, SnapshotMessage
from casino.api.error_catalogue import INVALID_CURSOR, RequestRejected
from casino.api.openapi import operation
from casino.api.shapes import Money
from casino.crypto import opaque_number
from casino.operators.base_views import PlayerView
from casino.operators.principals import PlayerPrincipal
from wallet import notices
from wallet.api.deposits import DepositResponse
from wallet.api.limits import ExclusionResponse
from wallet.api.notices import NoticeResponse
from wallet.api.reality_checks import RealityCheckReminder
from wallet.api.table_limit import TableLimit
from wallet.api.withdrawals import WithdrawalResponse
from wallet.ledger.accounts import AccountKind
from wallet.ledger.refusals import UnknownAccount
from wallet.payments.queries import open_or_ended_since
from wallet.responsible_gaming.table_limit_services import table_limit

NOTICES: Final = 20
"""Maximum unread notices, the newest; `GET /api/v1/notices` has all of them."""
AFTER: Final = OpenApiParameter(
    "after",
    {"type": "string", "pattern": opaque_number.PATTERN},
    description="The last position received, from the stream, a snapshot or an earlier recovery.",
)
_DESCRIPTION: Final = """\
After a lost connection, one call returns everything: each table where the player sits, with its rules, current round
and last round; balances, pending payments, debts and the player's own limit; and with `after`, what happened since.
The response is consistent as of `position`: open `GET /api/v1/stream?after=<position>` to continue without a gap.

A confirmed wager was dealt and settled without its player. Unconfirmed chips were never at risk. A seat is kept for
`seat_kept_rounds` missed turns, or for a time if no rounds are played; then it is released, what is set aside for
commission is taken and the game balance returns to the account: see `absence.seats_released`.
"""


class Recovery(SnapshotMessage, kw_only=True):
    """A player's complete state as of one moment."""

    deposits: Annotated[
        tuple[DepositResponse, ...], Meta(description="Pending ones, and those that ended since `after`.")
    ]
    withdrawals: Annotated[
        tuple[WithdrawalResponse, ...], Meta(description="Pending ones, and those that ended since `after`.")
    ]
    debts: Annotated[tuple[Money, ...], Meta(description="They prevent play for real money.")]
    table_limit: TableLimit
    exclusion: Annotated[ExclusionResponse | None, Meta(description="Prevents deposits and play.")]
    reality_check: Annotated[RealityCheckReminder | None, Meta(description="When to show time played and net result.")]
    notices: Annotated[tuple[NoticeResponse, ...], Meta(description="The newest twenty unread ones.")]
    absence: Annotated[AbsenceResponse | None, Meta(description="Null without `after`.")]


class RecoveryView(PlayerView):
    @operation(
        "recoverGame",
        "Recover the game after a lost connection",
        returns=Recovery,
        parameters=[AFTER],
        description=_DESCRIPTION,
        refusals=(
            UnknownAccount,
            INVALID_CURSOR,
        ),
    )
    def get(self, request: Request) -> Response:
        return Response(recover_game(player=self.caller, after=_after(request)))


def recover_game(*, player: PlayerPrincipal, after: int | None) -> Recovery:
    """Read everything in one snapshot of the database; `after` is the last position that the player received.

    Like a stream's snapshot, it retries until tables, balances and the position agree. Raises RequestRejected
    (invalid_cursor) for a position that is not sealed yet.
    """
    for _ in range(snapshot.ATTEMPTS):
        with snapshot.repeatable_read():
            current = snapshot.read_snapshot(player=player, watched=None)
            recovery = _recovery(player, current, after)
        if current.fully_sealed:
            break
        time.sleep(snapshot.PAUSE)
    return recovery


def _recovery(player: PlayerPrincipal, current: Snapshot, after: int | None) -> Recovery:
    """Add to a snapshot the player's data beside tables and balances."""
    if after is not None and after > current.position:
        raise RequestRejected(INVALID_CURSOR, "Nothing was sealed at this position yet.")
    since = None if after is None else absence.recorded_at(after)
    deposits, withdrawals = open_or_ended_since(operator=player.operator, player=player.player, since=since)
    limit = table_limit(operator=player.operator, player=player.player, currency=player.currency)
    unread = notices.list_notices(
        operator=player.operator, player=player.player, unread=True, before=None, limit=NOTICES
    )
    return Recovery(
        **msgspec.structs.asdict(current.message),
        deposits=tuple(DepositResponse.of(each) for each in deposits),
        withdrawals=tuple(WithdrawalResponse.of(each) for each in withdrawals),
        debts=_debts(current),
        table_limit=TableLimit.of(limit),
        exclusion=None if current.reminder is None else ExclusionResponse.of(current.reminder.exclusion),
        reality_check=RealityCheckReminder.of(current.reminder),
        notices=tuple(NoticeResponse.of(each) for each in unread),
        absence=None if after is None else absence.load_absence(after=after, since=since, player=player.player),
    )


def _debts(current: Snapshot) -> tuple[Money, ...]:
    debts = {name: -balance for name, balance in current.balances.items() if name.kind is AccountKind.DEBT and balance}
    return tuple(Money.of(owed, name.currency) for name, owed in debts.items())


def _after(request: Request) -> int | None:
    text = request.query_params.get("after")
    return None if text is None else snapshot.decode_position(text)
