"""What players of the desk's history paid, and one player or pair for each pattern that a risk rule looks for."""

import random
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction

from baccarat.domain.rules.wagers import Spot
from baccarat.risk import detection, networks
from baccarat.risk.models import RiskAlert
from baccarat.risk.rules import RuleKind
from baccarat.services import betting, dealing, seats, table_lifecycle
from baccarat.services.seats import TableActor
from casino.events.sql import database_now, execute
from casino.kernel.money import MoneyType
from casino.operators.models import Operator
from tests.support.instant import NO_SHOW
from wallet.ledger import player_accounts as wallet
from wallet.payments import records
from wallet.payments.events import DepositCompleted, DepositRequested, WithdrawalPaid, WithdrawalRequested

CURRENCY: Final = "EUR"
SEED: Final = 17
METHODS: Final = [uuid.UUID(int=number) for number in (1, 2, 3)]
FUNDS: Final = 10**8
MAXIMUM: Final = 6_000_000
LOGNORMAL: Final = (4.2, 0.8)
"""Of an ordinary deposit in whole units: half are below 67, one in a thousand is above 790."""
HOUR: Final = timedelta(hours=1)
Found = dict[str, list[list[str]]]
"""The players, or pairs of players, of each kind of alert."""


@dataclass(frozen=True, slots=True)
class Payer:
    """Pays as the wallet records it, at any time."""

    operator: uuid.UUID
    player: uuid.UUID

    def deposit(self, amount: int, at: datetime, method: uuid.UUID = METHODS[0]) -> None:
        deposit = uuid.uuid4()
        common: dict[str, Any] = {**self._common(amount, at), "deposit": deposit, "fee": 0}
        requested = DepositRequested(method=method, method_version=1, provider="sandbox", **common)
        events = [requested, DepositCompleted(reference=str(deposit), **common)]
        records.write_deposit(None, version=0, events=events, metadata=self._metadata())

    def withdraw(self, amount: int, at: datetime) -> None:
        withdrawal = uuid.uuid4()
        common: dict[str, Any] = {**self._common(amount, at), "withdrawal": withdrawal, "fee": 0}
        requested = WithdrawalRequested(
            method=METHODS[0], method_version=1, provider="sandbox", approvals_required=0, **common
        )
        events = [requested, WithdrawalPaid(reference=str(withdrawal), **common)]
        records.write_withdrawal(None, version=0, events=events, metadata=self._metadata())

    def _common(self, amount: int, at: datetime) -> dict[str, Any]:
        return {"operator": self.operator, "player": self.player, "currency": CURRENCY, "amount": amount, "at": at}

    def _metadata(self) -> Any:
        return records.system_metadata(self.operator, "bench")


def pay(*, places: Sequence[Mapping[str, str]], days: int) -> int:
    """Let each player deposit about once a week, and some withdraw; return how many payments that were."""
    chance, now, count = random.Random(SEED), database_now(), 0
    for place in places:
        payer = Payer(uuid.UUID(place["operator"]), uuid.UUID(place["player"]))
        own_methods = chance.sample(METHODS, 2)
        with transaction.atomic():
            at = now - timedelta(days=days * chance.random())
            for _ in range(1 + days // 7):
                payer.deposit(100 * round(1 + chance.lognormvariate(*LOGNORMAL)), at, chance.choice(own_methods))
                at = max(now - timedelta(days=days), at - timedelta(days=7 * chance.random()))
                count += 1
            if chance.random() < 0.2:
                payer.withdraw(100 * chance.randrange(50, 500), now - timedelta(days=days * chance.random()))
                count += 1
    return count


def plant(*, slug: str) -> Found:
    """Let one player or pair of an operator do what each rule looks for, and return who did."""
    operator = Operator.objects.get(slug=slug).pk
    begin = database_now() - 30 * HOUR
    planted: Found = {
        kind.value: [[_paying(operator, kind.value, act, begin)]] for kind, act in _PAYMENTS.items()
    }  # fmt: skip
    planted[RuleKind.STAKE_SUM.value] = [_opponents(operator, "high roller", [{Spot.BANKER: 5_000_000}], 1)]
    against = [{Spot.PLAYER: 10_000}, {Spot.BANKER: 10_000}]
    planted[RuleKind.CHIP_DUMPING.value] = [_opponents(operator, "dumping", against, 20)]
    planted[RuleKind.SHARED_NETWORK.value] = [_opponents(operator, "one network", against, 5)]
    for player in planted[RuleKind.SHARED_NETWORK.value][0]:
        row = [player, networks.digest("192.0.2.1")]
        execute("INSERT INTO risk_playernetwork (player_id, network) VALUES (%s, %s)", row)
    return planted


def detect() -> Found:
    """Apply the rules to all sealed events, and return what they found."""
    while detection.watch():
        pass
    found: Found = {}
    for kind, *players in RiskAlert.objects.values_list("kind", "player_id", "other_id"):
        found.setdefault(kind, []).append(sorted(str(player) for player in players if player is not None))
    return found


def _deposits(amounts: Sequence[int], *, methods: Sequence[uuid.UUID] = METHODS[:1]) -> Callable[..., None]:
    def act(payer: Payer, begin: datetime) -> None:
        for number, amount in enumerate(amounts):
            payer.deposit(amount, begin + number * HOUR, methods[number % len(methods)])

    return act


def _in_and_out(payer: Payer, begin: datetime) -> None:
    payer.deposit(150_000, begin)
    payer.withdraw(150_000, begin + HOUR)


_PAYMENTS: Final[Mapping[RuleKind, Callable[[Payer, datetime], None]]] = {
    RuleKind.DEPOSIT_SUM: _deposits([70_000] * 3),
    RuleKind.DEPOSIT_COUNT: _deposits([1_000] * 10),
    RuleKind.STRUCTURING: _deposits([90_000] * 3),
    RuleKind.MANY_METHODS: _deposits([2_000] * 3, methods=METHODS),
    RuleKind.WITHDRAWAL_SUM: lambda payer, begin: payer.withdraw(1_000_000, begin),
    RuleKind.WITHOUT_PLAY: _in_and_out,
}


def _paying(operator: uuid.UUID, name: str, act: Callable[[Payer, datetime], None], begin: datetime) -> str:
    payer = Payer(operator, _player(operator, name))
    with transaction.atomic():
        act(payer, begin)
    return str(payer.player)


def _player(operator: uuid.UUID, name: str) -> uuid.UUID:
    """Register a player with funds that nobody deposited."""
    notes = records.system_metadata(operator, "bench")
    reference, nickname = f"planted-{uuid.uuid4()}", name.replace("_", " ").capitalize()
    player = wallet.register_player(
        operator=operator, reference=reference, nickname=nickname, currency=CURRENCY, metadata=notes
    ).id
    wallet.credit_sandbox_player(
        operator=operator, player=player, money_type=MoneyType.REAL, currency=CURRENCY, amount=FUNDS, sandbox=True,
        metadata=notes,
    )  # fmt: skip
    return player


def _opponents(operator: uuid.UUID, name: str, stakes: Sequence[dict[Spot, int]], rounds: int) -> list[str]:
    """Let players bet these stakes at one table, again and again."""
    notes = records.system_metadata(operator, "bench")
    table = table_lifecycle.open_table(
        operator=operator, name=name, preset="atlantic_city", currency=CURRENCY, money_types=[MoneyType.REAL],
        edge_accepted=True, overrides={"show_milliseconds": NO_SHOW, "maximum": MAXIMUM}, metadata=notes,
    )  # fmt: skip
    actors = [
        TableActor(table=table, operator=operator, player=_player(operator, name), metadata=notes) for _ in stakes
    ]
    for seat, actor in enumerate(actors, start=1):
        seats.take(actor=actor, seat=seat, money_type=MoneyType.REAL, buy_in=FUNDS // 2, currency=CURRENCY)
    if len(actors) > 1:
        betting.pass_turn(actor=actors[0])  # the first one's sitting down opened a round for one
        _deal()
    for _ in range(rounds):
        for actor, stake in zip(actors, stakes, strict=True):
            betting.deal(actor=actor, stakes=stake, currency=CURRENCY)
        _deal()
    return sorted(str(actor.player) for actor in actors)


def _deal() -> None:
    while dealing.deal_due():
        pass
