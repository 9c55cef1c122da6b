"""The desk's history: what players bet and pay, and one player or pair for each pattern that a risk rule looks for.

All is done by the services, in the order of time, at the times to which the clock is set.
"""

import random
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from operator import itemgetter
from typing import Any, Final

from django.db import transaction

from baccarat.risk import detection, networks
from baccarat.risk.models import RiskAlert
from baccarat.risk.rules import RuleKind
from baccarat.services import betting, dealing, seats, table_lifecycle
from baccarat.services.seats import TableActor
from casino.events import sealer
from casino.events.sql import execute
from casino.kernel.money import MoneyType
from casino.reports import schedule
from casino.reports.models import Report
from tests.nightly.bench import clock
from tests.support.instant import NO_SHOW
from tests.support.payouts import UNPLAYED
from wallet.ledger import player_accounts as wallet
from wallet.payments import deposits, methods, records, withdrawals
from wallet.payments.methods import MethodOffer
from wallet.payments.provider_reports import PaymentKind, ProviderReport, ProviderStatus
from wallet.payments.terms import DepositTerms

CURRENCY: Final = "EUR"
PROVIDER: Final = "sandbox"
SEED: Final = 17
METHODS: Final = 3
"""Of each operator."""
FUNDS: Final = 10**8
MAXIMUM: Final = 6_000_000
LOGNORMAL: Final = (4.2, 0.8)
"""Of an ordinary deposit in whole units: half are below 67, one in a thousand is above 790."""
LOT: Final = 100
"""Rounds that are played at the same time."""
STAKE: Final = 1000
HOUR: Final = timedelta(hours=1)
TURN: Final = timedelta(seconds=10)
Found = dict[str, list[list[str]]]
"""The players, or pairs of players, of each kind of alert."""
Place = Mapping[str, str]
Deed = tuple[datetime, Callable[[], object]]
"""What is done, and when."""


@dataclass(frozen=True, slots=True)
class Payer:
    """Pays by the methods of its operator; the provider reports each payment at once."""

    operator: uuid.UUID
    player: uuid.UUID
    methods: Sequence[uuid.UUID]

    def deposit(self, amount: int, method: int = 0) -> None:
        with transaction.atomic():
            deposit = deposits.request(**self._payment(amount, method))
            deposits.apply(self._report(PaymentKind.DEPOSIT, deposit, amount), provider=PROVIDER)

    def withdraw(self, amount: int) -> None:
        with transaction.atomic():
            withdrawal = withdrawals.request(**self._payment(amount, 0))
            withdrawals.send(withdrawal)
            withdrawals.apply(self._report(PaymentKind.PAYOUT, withdrawal, amount), provider=PROVIDER)

    def request(self, amount: int) -> None:
        """Ask for a withdrawal that the provider is not asked for yet."""
        withdrawals.request(**self._payment(amount, 0))

    def _payment(self, amount: int, method: int) -> dict[str, Any]:
        return {
            "operator": self.operator, "player": self.player, "currency": CURRENCY, "method": self.methods[method],
            "amount": amount, "metadata": _notes(self.operator),
        }  # fmt: skip

    def _report(self, kind: PaymentKind, payment: uuid.UUID, amount: int) -> ProviderReport:
        return ProviderReport(kind, payment, str(payment), ProviderStatus.COMPLETED, amount, CURRENCY)


def begin(*, days: int) -> None:
    """Set the clock so many days back."""
    clock.set_to(clock.real_time() - timedelta(days=days))


def write(*, places: Sequence[Place], rounds: int, days: int, set_clock: bool = True) -> dict[str, Any]:
    """Write the history of these seats until now, and return what was played, paid and planted in it.

    Without `set_clock` all of it happens now. What is due each hour is done: sealing, the rules, and reports.
    """
    execute("SET synchronous_commit = off")
    end = clock.real_time()
    since, chance = end - timedelta(days=days), random.Random(SEED)
    offered = {operator: offer_methods(uuid.UUID(operator)) for operator in {place["operator"] for place in places}}
    played = list(_rounds(places, rounds, since, end, chance))
    paid = [deed for place in places for deed in _payments(_payer(place, offered), since, end, chance)]
    planted, deeds = _plant(uuid.UUID(places[0]["operator"]), offered, end - 30 * HOUR)
    hour = since
    for at, act in sorted([*played, *paid, *deeds], key=itemgetter(0)):
        if set_clock:
            clock.set_to(at)
        if at - hour >= HOUR:
            hour = at
            _catch_up()
        act()
    _catch_up()
    return {"payments": len(paid), "planted": planted, "reports": Report.objects.count()}


def alerts() -> Found:
    """Return what the rules found."""
    found: Found = {}
    for kind, *players in RiskAlert.objects.values_list("kind", "player_id", "other_id"):
        found.setdefault(kind, []).append(sorted(str(player) for player in players if player is not None))
    return found


def _catch_up() -> None:
    sealer.seal_all()
    while detection.watch():
        pass
    while schedule.generate_due_reports(limit=1000):
        pass


def lots(places: Sequence[Place], rounds: int, chance: random.Random) -> Iterator[Sequence[Place]]:
    """Yield the seats that bet at the same time, until there are so many rounds: none twice in a lot, and in turns."""
    while rounds > 0:
        order = chance.sample(places, min(rounds, len(places)))
        rounds -= len(order)
        yield from (order[first : first + LOT] for first in range(0, len(order), LOT))


def _rounds(
    places: Sequence[Place], rounds: int, since: datetime, end: datetime, chance: random.Random
) -> Iterator[Deed]:
    """Spread rounds over the time."""
    betting_together = list(lots(places, rounds, chance))
    for number, lot in enumerate(betting_together):
        yield since + (end - since) * (number / len(betting_together)), partial(_play, lot)


def _play(lot: Sequence[Place]) -> None:
    with transaction.atomic():
        for place in lot:
            operator, player, table = (uuid.UUID(place[name]) for name in ("operator", "player", "table"))
            actor = TableActor(table=table, operator=operator, player=player, metadata=_notes(operator))
            betting.deal(actor=actor, stakes={"banker": STAKE}, currency=CURRENCY)
    _deal()


def _bet(actors: Sequence[TableActor], stakes: Sequence[dict[str, int]]) -> None:
    _deal()  # a round whose time to bet is over makes way for the next
    for actor, stake in zip(actors, stakes, strict=True):
        betting.deal(actor=actor, stakes=stake, currency=CURRENCY)
    _deal()


def _deal() -> None:
    while dealing.deal_due():
        pass


def _payments(payer: Payer, since: datetime, end: datetime, chance: random.Random) -> Iterator[Deed]:
    """Let a player deposit about once a week by two methods, and one of five withdraw."""
    own, days = chance.sample(range(METHODS), 2), (end - since).days
    at = end - (end - since) * chance.random()
    for _ in range(1 + days // 7):
        amount, method = 100 * round(1 + chance.lognormvariate(*LOGNORMAL)), chance.choice(own)
        yield at, partial(payer.deposit, amount, method)
        at = max(since, at - timedelta(days=7 * chance.random()))
    if chance.random() < 0.2:
        yield end - (end - since) * chance.random(), partial(payer.withdraw, 100 * chance.randrange(50, 500))


def _plant(operator: uuid.UUID, offered: Mapping[str, Sequence[uuid.UUID]], at: datetime) -> tuple[Found, list[Deed]]:
    """Return the player or pair for each rule, and what they do from then on."""
    planted: Found = {}
    deeds: list[Deed] = []
    for kind, payments in _PAYMENTS.items():
        payer = Payer(operator, _player(operator, kind.value), offered[str(operator)])
        planted[kind.value] = [[str(payer.player)]]
        deeds += [(at + number * HOUR, partial(pay, payer)) for number, pay in enumerate(payments)]
    against = [{"player": 10_000}, {"banker": 10_000}]
    for kind, stakes, rounds in (
        (RuleKind.STAKE_SUM, [{"banker": 5_000_000}], 1),
        (RuleKind.CHIP_DUMPING, against, 20),
        (RuleKind.SHARED_NETWORK, against, 5),
    ):
        actors = _seated(operator, kind.value, len(stakes))
        planted[kind.value] = [sorted(str(actor.player) for actor in actors)]
        deeds += [(at + number * TURN, partial(_bet, actors, stakes)) for number in range(rounds)]
    for player in planted[RuleKind.SHARED_NETWORK.value][0]:
        row = [player, networks.digest("192.0.2.1")]
        execute("INSERT INTO risk_playernetwork (player_id, network) VALUES (%s, %s)", row)
    return planted, deeds


def _deposits(amounts: Sequence[int], methods: int = 1) -> list[Callable[[Payer], None]]:
    return [partial(_deposit, amount, number % methods) for number, amount in enumerate(amounts)]


def _deposit(amount: int, method: int, payer: Payer) -> None:
    payer.deposit(amount, method)


def _withdraw(amount: int, payer: Payer) -> None:
    payer.withdraw(amount)


_PAYMENTS: Final[Mapping[RuleKind, Sequence[Callable[[Payer], None]]]] = {
    RuleKind.DEPOSIT_SUM: _deposits([70_000] * 3),
    RuleKind.DEPOSIT_COUNT: _deposits([1_000] * 10),
    RuleKind.STRUCTURING: _deposits([90_000] * 3),
    RuleKind.MANY_METHODS: _deposits([2_000] * 3, METHODS),
    RuleKind.WITHDRAWAL_SUM: [partial(_withdraw, 1_000_000)],
    RuleKind.WITHOUT_PLAY: [*_deposits([150_000]), partial(_withdraw, 150_000)],
}
"""One payment an hour."""


def _payer(place: Place, offered: Mapping[str, Sequence[uuid.UUID]]) -> Payer:
    return Payer(uuid.UUID(place["operator"]), uuid.UUID(place["player"]), offered[place["operator"]])


def offer_methods(operator: uuid.UUID) -> list[uuid.UUID]:
    """Let an operator offer methods without fees, and pay withdrawals without approval."""
    with transaction.atomic():
        methods.set_policy(
            operator=operator,
            currency=CURRENCY,
            auto_approve_up_to=FUNDS,
            second_approval_above=FUNDS,
            actor="bench",
            holds=UNPLAYED,
        )
    return [
        methods.create(
            operator=operator,
            offer=MethodOffer(
                name=f"Method {number}",
                provider=PROVIDER,
                terms=DepositTerms(CURRENCY, minimum=1, maximum=FUNDS, fee_fixed=0, fee_ppm=0),
                processing_seconds=0,
                supports_withdrawals=True,
                enabled=True,
            ),
            actor="bench",
        ).id
        for number in range(METHODS)
    ]


def _notes(operator: uuid.UUID) -> Any:
    return records.system_metadata(operator, "bench")


def _player(operator: uuid.UUID, name: str) -> uuid.UUID:
    """Register a player with funds that nobody deposited."""
    notes = _notes(operator)
    reference, nickname = f"planted-{uuid.uuid4()}", name.replace("_", " ").capitalize()
    player = wallet.register_player(
        operator=operator, reference=reference, nickname=nickname, currency=CURRENCY, metadata=notes
    ).id
    wallet.credit_sandbox_player(
        operator=operator, player=player, money_type=MoneyType.REAL, currency=CURRENCY, amount=FUNDS, sandbox=True,
        metadata=notes,
    )  # fmt: skip
    return player


def _seated(operator: uuid.UUID, name: str, count: int) -> list[TableActor]:
    """Seat players at one table."""
    notes = _notes(operator)
    table = table_lifecycle.open_table(
        operator=operator, name=name, preset="atlantic_city", currency=CURRENCY, money_types=[MoneyType.REAL],
        edge_accepted=True, overrides={"show_milliseconds": NO_SHOW, "maximum": MAXIMUM}, metadata=notes,
    )  # fmt: skip
    actors = [
        TableActor(table=table, operator=operator, player=_player(operator, name), metadata=notes) for _ in range(count)
    ]
    for seat, actor in enumerate(actors, start=1):
        seats.take(actor=actor, seat=seat, money_type=MoneyType.REAL, buy_in=FUNDS // 2, currency=CURRENCY)
    if count > 1:
        betting.pass_turn(actor=actors[0])  # the first one's sitting down opened a round for one
        _deal()
    return actors
