"""Use case of a sandbox operator: choose the cards of a round, to try its own software."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.rounds import betting
from baccarat.domain.rounds.refusals import BettingIsClosed, CardsNotDealable, NoOpenRound, TooLateToForce
from baccarat.domain.tables.decisions import require_playing, require_show_over
from baccarat.domain.tables.kill_switch import STOPS
from baccarat.domain.tables.refusals import BettingNotOpen, RulesAreRetired, TableIsClosing, UnknownTable
from baccarat.storage import repository
from casino.events.store import Metadata
from casino.kernel.errors import Forbidden
from casino.operators.refusals import SandboxOnly


class ForcedCardsAreOff(Forbidden):
    title = "No cards can be chosen at this installation"
    remedy = "Use a test installation, which runs with FORCED_CARDS."


REFUSALS: Final = (
    ForcedCardsAreOff,
    SandboxOnly,
    UnknownTable,
    NoOpenRound,
    BettingIsClosed,
    BettingNotOpen,
    TooLateToForce,
    CardsNotDealable,
    *STOPS,
    TableIsClosing,
    RulesAreRetired,
)


def force(*, table: UUID, operator: UUID, sandbox: bool, cards: Sequence[str], metadata: Metadata) -> UUID:
    """Choose the cards of the table's open round, in deal order, and return its id; open one if none is open.

    Raises the REFUSALS: NoOpenRound where nobody is seated, BettingNotOpen while the last deal is shown.
    """
    if not settings.FORCED_CARDS:
        raise ForcedCardsAreOff
    if not sandbox:
        raise SandboxOnly
    with transaction.atomic(savepoint=False):
        uow, now = repository.lock_table(table=table, operator=operator)
        if uow.table.round is None:
            require_playing(uow.table)
            require_show_over(uow.table, now)
            dealer.open_round(uow, entropy=repository.draw_entropy(uow, now=now, defer_seed_check=True), now=now)
        if uow.table.round is None:
            raise NoOpenRound
        uow.on_round(betting.force_cards, cards=tuple(cards), decks=uow.table.rules.decks, at=now)
        repository.save([(uow, metadata)])
        return uow.table.round
