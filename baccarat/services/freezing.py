"""Use case of compliance: freeze a player's account. No play, no money out, no session; what is there stays.

A confirmed wager is dealt and settled, and then the seat is left. Lifting it takes two persons.
"""

from uuid import UUID

from django.db import transaction

from baccarat.services import absent_seats
from baccarat.storage import repository
from baccarat.storage.models import Sitting
from casino.crypto import crypto_shredding
from casino.events.store import Metadata
from casino.operators import sessions
from casino.operators.services import require_player
from casino.significant import act_log
from casino.significant.recorder import SignificantEventKind
from wallet import acts
from wallet.payments import holds, withdrawals
from wallet.responsible_gaming import services
from wallet.responsible_gaming.services import PlayerContext


def freeze(*, operator: UUID, player: UUID, reason: str, metadata: Metadata) -> None:
    """Freeze an account, for a reason that only staff read; the seats are left where no wager is in play.

    Raises UnknownPlayer, UnknownAccount, PlayerAlreadyFrozen, HoldReasonMissing.
    """
    text = withdrawals.require_reason(reason)
    require_player(operator=operator, player=player)
    stored = crypto_shredding.encrypt_text(player, text)
    with transaction.atomic():
        # Lock tables first and in a fixed order: a wager locks its table before it waits for the player.
        seated = Sitting.objects.filter(player_id=player, operator_id=operator, seat__isnull=False)
        tables = seated.order_by("table_id").values_list("table_id", flat=True)
        locked = [repository.lock_table(table=table, operator=operator) for table in tables]
        services.freeze_player(context=PlayerContext(operator, player, "", metadata), reason=stored)
        sessions.end_sessions_of(player)
        repository.save([(uow, metadata) for uow, now in locked if absent_seats.leave_if_free(uow, player, now)])
        holds.review_player(operator=operator, player=player)
        act_log.done(
            acts.FREEZE.name,
            kind=SignificantEventKind.ACCOUNT_FROZEN,
            operator=operator,
            subject=f"player:{player}",
            actor=metadata.actor,
            reason=stored,
            tightens=True,
        )
