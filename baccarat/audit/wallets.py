"""Replay players' wallets: opened once in each currency, then credited in it; limits and all payments."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from baccarat.audit.report import FindingCollector, Row
from baccarat.audit.traces import OUT_OF_PLACE
from casino.events.netting import run_checks
from casino.kernel.findings import Finding
from wallet.adjustments.audit import AdjustmentTraces
from wallet.adjustments.events import AdjustmentPosted
from wallet.funding.events import Funding, FundingChanged
from wallet.ledger.events import PlayerAccountOpened, SandboxCredited, WalletEvent, wallet_stream
from wallet.payments.audit import PaymentTraces
from wallet.payments.events import (
    DebtCollected,
    DepositRequested,
    PaymentEvent,
    WithdrawalRequested,
)
from wallet.reconciliation.audit import ReconciliationTraces
from wallet.reconciliation.events import ReconciliationEvent
from wallet.remote.audit import RemoteTraces
from wallet.remote.events import RemoteEvent, TransactionAccepted, TransactionKind, TransactionRequested
from wallet.responsible_gaming.audit import ResponsibleGamingTraces, TableLimitTraces
from wallet.responsible_gaming.events import (
    PlayerRequestEvent,
    PlayerRestrictionEvent,
    PlayMoneyToppedUp,
    ResponsibleGamingEvent,
    TableLimitSet,
)
from wallet.transfers.audit import TransferTraces
from wallet.transfers.events import MoneyTransferred, TransferDirection

Owed = dict[tuple[UUID, UUID, str], int]
"""Minor units by operator, player and currency."""
WalletStreamEvent = (
    WalletEvent
    | PlayerRequestEvent
    | ResponsibleGamingEvent
    | PaymentEvent
    | AdjustmentPosted
    | ReconciliationEvent
    | FundingChanged
    | MoneyTransferred
    | RemoteEvent
)


class WalletTraces:
    """The operator of each player, and the currencies in which accounts were opened."""

    def __init__(self, notes: FindingCollector) -> None:
        self._notes = notes
        self._opened: dict[tuple[UUID, str], UUID] = {}
        self._operators: dict[UUID, UUID] = {}
        self._payments = PaymentTraces()
        self._limits = TableLimitTraces()
        self._restrictions = ResponsibleGamingTraces()
        self._adjustments = AdjustmentTraces()
        self._reconciliations = ReconciliationTraces()
        self._transfers = TransferTraces()
        self._remote = RemoteTraces()

    def replay(self, event: WalletStreamEvent, row: Row) -> None:
        """Replay one event of a wallet or of a payment."""
        where = f"event {row.id}, {row.stream} version {row.version}"
        if isinstance(event, WalletEvent | PlayMoneyToppedUp):
            self._account(event, row, where)
        elif isinstance(event, TableLimitSet):
            operator = self._operators.get(event.player)
            follow_limit = self._limits.replay
            self._record(follow_limit(event, operator=operator, stream=row.stream, version=row.version, where=where))
        elif isinstance(event, ResponsibleGamingEvent):
            self._protection(event, row, where)
        elif isinstance(event, AdjustmentPosted):
            self._adjusted(event, row, where)
        elif isinstance(event, ReconciliationEvent):
            follow = self._reconciliations.replay
            self._record(follow(event, stream=row.stream, version=row.version, where=where))
        elif isinstance(event, FundingChanged):
            follow_change = self._transfers.replay_change
            self._record(follow_change(event, stream=row.stream, version=row.version, where=where))
        elif isinstance(event, MoneyTransferred):
            self._transferred(event, row, where)
        elif isinstance(event, RemoteEvent):
            self._asked(event, row, where)
        else:
            self._record(self._payments.replay(event, stream=row.stream, version=row.version, where=where))
            self._require_own(event, row, where)

    def _account(self, event: WalletEvent | PlayMoneyToppedUp, row: Row, where: str) -> None:
        expected = wallet_stream(event.player, event.currency)
        if row.stream != expected:
            self._notes.add("stream differs", where, expected, row.stream)
        match event:
            case PlayerAccountOpened(operator, player, currency, _):
                if (player, currency) in self._opened:
                    self._notes.add(OUT_OF_PLACE, where, "a player without a wallet", "opened before")
                if self._operators.setdefault(player, operator) != operator:
                    self._notes.add("wallet of another operator", where, self._operators[player], operator)
                self._opened[player, currency] = operator
            case SandboxCredited() | PlayMoneyToppedUp():
                operator, player, currency, amount = event.operator, event.player, event.currency, event.amount
                opened = self._opened.get((player, currency))
                if opened != operator:
                    self._notes.add("credit to another wallet", where, opened, f"{operator} {currency}")
                if amount <= 0:
                    self._notes.add("amount out of range", where, "1 or more", amount)

    def _protection(self, event: ResponsibleGamingEvent, row: Row, where: str) -> None:
        operator = None
        if isinstance(event, PlayerRestrictionEvent):
            operator = self._operators.get(event.player)
        self._record(
            self._restrictions.replay(event, operator=operator, stream=row.stream, version=row.version, where=where)
        )

    def _adjusted(self, event: AdjustmentPosted, row: Row, where: str) -> None:
        """Replay an adjustment; a debt left by a debit may be collected from then on."""
        operator = self._opened.get((event.player, event.currency))
        opened = None if operator is None else (operator, event.currency)
        self._record(self._adjustments.replay(event, row, wallet=opened, where=where))
        if event.owed:
            self.record_debt(operator=event.operator, player=event.player, currency=event.currency, amount=event.owed)

    def _transferred(self, event: MoneyTransferred, row: Row, where: str) -> None:
        follow = self._transfers.replay_transfer
        self._record(follow(event, row.id, stream=row.stream, version=row.version, where=where))
        opened = self._opened.get((event.player, event.currency))
        if opened != event.operator:
            self._notes.add("transfer of another wallet", where, opened, f"{event.operator} {event.currency}")
        if event.direction is TransferDirection.IN:
            self.check_not_excluded(event.player, at=event.at, row=row)

    def _asked(self, event: RemoteEvent, row: Row, where: str) -> None:
        self._record(self._remote.replay(event, stream=row.stream, version=row.version, where=where))
        match event:
            case TransactionRequested(kind=TransactionKind.DEBIT, party=party):
                funding = self._transfers.funding_of(party.operator)
                if funding is not Funding.SEAMLESS:
                    self._notes.add("money moved in another funding", where, funding, "a debit")
                if self._operators.get(party.player) != party.operator:
                    self._notes.add("debit of another wallet", where, self._operators.get(party.player), party.operator)
            case TransactionAccepted(kind=TransactionKind.CORRECTION, party=party, amount=amount) if amount < 0:
                self.record_debt(operator=party.operator, player=party.player, currency=party.currency, amount=amount)
            case _:
                return

    def _require_own(self, event: PaymentEvent, row: Row, where: str) -> None:
        """Check that a payment has the operator and currency of the player's wallet, and the funding of the house."""
        if isinstance(event, DepositRequested | WithdrawalRequested | DebtCollected):
            opened = self._opened.get((event.player, event.currency))
            if opened != event.operator:
                self._notes.add("payment of another wallet", where, opened, f"{event.operator} {event.currency}")
        if isinstance(event, DepositRequested | WithdrawalRequested):
            funding = self._transfers.funding_of(event.operator)
            if funding is not Funding.HOUSE:
                self._notes.add("money moved in another funding", where, funding, "a payment")
        if isinstance(event, DepositRequested):
            self.check_not_excluded(event.player, at=event.at, row=row)

    def check_not_excluded(self, player: UUID, *, at: datetime, row: Row) -> None:
        """Record a wager or a deposit by an excluded player."""
        exclusion = self._restrictions.exclusion_at(player, at=at)
        if exclusion is not None:
            where = f"event {row.id}, {row.stream} version {row.version}"
            self._notes.add("played while excluded", where, f"nothing until {exclusion.until or 'ever'}", at)

    def check_may_wager(self, player: UUID, *, at: datetime, row: Row) -> None:
        """Record a wager by a player who was excluded, or whom the house blocked."""
        self.check_not_excluded(player, at=at, row=row)
        if self._restrictions.is_blocked(player):
            self._notes.add("play while stopped", f"event {row.id}, {row.stream}", "no wager of this player", at)

    def record_debt(self, *, operator: UUID, player: UUID, currency: str, amount: int) -> None:
        """Record a debt after a void or an adjustment, so that it may be collected."""
        self._payments.add_debt(operator=operator, player=player, currency=currency, amount=amount)

    @property
    def owed(self) -> Owed:
        """What players owe, in minor units."""
        return self._payments.owed

    @owed.setter
    def owed(self, amounts: Owed) -> None:
        self._payments.owed = amounts

    def check_state(self, *, entries: tuple[int, int] | None = None) -> None:
        """Record every row of payments, limits, adjustments and transfers that differs from its events.

        With `entries`, a range of causes, only what they moved and the rows of the streams that were replayed.
        """
        partial = entries is not None
        checks = (
            ("payments", lambda: self._payments.check_state(partial=partial)),
            ("table limits", lambda: self._limits.check_state(partial=partial)),
            ("restrictions", lambda: self._restrictions.check_state(entries=entries)),
            ("adjustments", lambda: self._adjustments.check_state(partial=partial)),
            ("reconciliations", lambda: self._reconciliations.check_state(partial=partial)),
            ("transfers", lambda: self._transfers.check_state(partial=partial)),
            ("own wallets", lambda: self._remote.check_state(partial=partial)),
        )
        self._record(run_checks(*((f"rows of {name}", check) for name, check in checks)))

    def _record(self, findings: Iterable[Finding]) -> None:
        self._notes.extend(findings)
