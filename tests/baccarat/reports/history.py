"""A random evening at an operator's tables, cut into parts, so that reports can be held against the ledger."""

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from baccarat.services import voiding
from casino.events import sealer
from casino.events.sql import fetch
from casino.kernel.errors import Refusal
from casino.kernel.money import MoneyType
from casino.operators import changes
from casino.operators.models import Change, Operator
from tests.support import voids
from tests.support.house import At, House, deal_all
from tests.support.spots import SPOTS
from wallet.adjustments import services as adjustments
from wallet.adjustments.events import AdjustmentDirection, AdjustmentReason

CHIPS = (500, 2_500, 10_000)


@dataclass(slots=True)
class Evening:
    """An operator, its tables and players, and the moments between the parts of the evening, the first one before."""

    house: House
    tables: list[UUID]
    company: list[At]
    chance: random.Random
    cuts: list[datetime] = field(default_factory=list)

    @property
    def operator(self) -> UUID:
        return self.house.operator

    def part(self, moves: int) -> None:
        """So many random moves; what the rules refuse is left."""
        for _ in range(moves):
            move: Callable[[], object] = self.chance.choice(
                (self.bet, self.bet, self.bet, self.bet, self.come_and_go, self.void, self.adjust)
            )
            with suppress(Refusal):
                move()
            deal_all()
        self.cut()

    def cut(self) -> None:
        """All is sealed, and the moment noted."""
        sealer.seal_all()
        self.cuts.append(fetch("SELECT clock_timestamp()")[0][0])

    def bet(self) -> None:
        """Everyone at a table bets something, or all but one."""
        table = self.chance.choice(self.tables)
        here = [at for at in self.company if at.guest.table == table]
        for at in here:
            spots = self.chance.sample(SPOTS, self.chance.randint(1, 3))
            with suppress(Refusal):
                at.deal({spot: self.chance.choice(CHIPS) * self.chance.randint(1, 3) for spot in spots})

    def come_and_go(self) -> None:
        """Let a player leave, and perhaps come back with other money."""
        at = self.chance.choice(self.company)
        with suppress(Refusal):
            at.leave()
        at.sit(self.chance.randint(1, 3), buy_in=200_000, money_type=self.chance.choice(list(MoneyType)))

    def void(self) -> None:
        """Void a round, in play or settled; players owe winnings that they have spent, or the house bears them."""
        table = self.chance.choice(self.tables)
        rows = fetch(
            "SELECT id FROM baccarat_round WHERE table_id = %s AND phase <> 'lapsed' ORDER BY random() LIMIT 1", [table]
        )
        for (round_,) in rows:
            voiding.set_policy(operator=self.operator, forgive=self.chance.random() < 0.5, actor="staff:1")
            undo(self.house, round_)

    def adjust(self) -> None:
        """Staff correct an account, either way."""
        correct(
            self.house,
            self.chance.choice(self.company).player,
            self.chance.choice(list(AdjustmentDirection)),
            self.chance.randint(1, 5_000),
        )


def begin(seed: int, *, sandbox: bool = True) -> Evening:
    """Return an operator with a table for one, one for several, and one with a long shoe and deferred commission."""
    house = House()
    Operator.objects.create(
        id=house.operator, slug=f"o{house.operator.hex[:12]}", name="Lucky", currencies=["EUR"], sandbox=sandbox
    )
    chance = random.Random(seed)
    tables = [
        house.table("overview"),
        house.table("atlantic_city", turn_seconds=600),
        house.table("big_table", decks=1, chips=(500,), minimum=500, seats=3, turn_seconds=600),
    ]
    company = [
        house.seated(table, seat, buy_in=300_000, money_type=MoneyType.PLAY if seat == 3 else MoneyType.REAL)
        for table, seats in zip(tables, (1, 3, 3), strict=True)
        for seat in range(1, seats + 1)
    ]
    evening = Evening(house, tables, company, chance)
    for at in company:
        with suppress(Refusal):
            at.pass_turn()
    deal_all()
    evening.cut()
    evening.cuts[0] -= timedelta(hours=1)
    return evening


def undo(house: House, round_: UUID) -> None:
    """Void a round by two persons."""
    remembered: dict[str, Any] = {"round_": round_, "operator": house.operator}
    voiding.void(
        **remembered, reason="malfunction", note="A card stuck.", metadata=replace(house.metadata, actor="staff:1")
    )
    with suppress(Change.DoesNotExist):  # nobody knew its cards
        voids.confirm(round_)


def correct(house: House, player: UUID, direction: AdjustmentDirection, amount: int) -> None:
    """Adjust an account by two persons; a debit may leave a debt."""
    asked = adjustments.request(
        operator=house.operator,
        player=player,
        money_type=MoneyType.REAL,
        currency="EUR",
        direction=direction,
        amount=amount,
        reason=AdjustmentReason.CORRECTION,
        note="Wrong.",
        message="Corrected.",
        metadata=replace(house.metadata, actor="staff:1"),
    )
    changes.confirm(asked.pk, by="staff:2")
