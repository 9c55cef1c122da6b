"""Players' wallets outside the games: opened once, credited in their currency; own limits and all payments."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from baccarat.audit.findings import Notes
from baccarat.audit.rows import Row
from casino.kernel.findings import Finding
from wallet.adjustments.audit import Adjustments
from wallet.adjustments.events import AdjustmentApproved, AdjustmentEvent
from wallet.ledger.events import (
    PlayerAccountOpened,
    PlayMoneyToppedUp,
    SandboxCredited,
    TableLimitSet,
    WalletEvent,
    stream,
)
from wallet.payments.audit import Payments
from wallet.payments.events import DebtCollected, DepositRequested, PaymentEvent, WithdrawalRequested
from wallet.reconciliation.audit import Reconciliations
from wallet.reconciliation.events import ReconciliationEvent
from wallet.responsible_gaming.audit import Protections
from wallet.responsible_gaming.events import PlayerProtectionEvent, ProtectionEvent
from wallet.responsible_gaming.table_limit_audit import Limits

Followed = WalletEvent | TableLimitSet | ProtectionEvent | PaymentEvent | AdjustmentEvent | ReconciliationEvent


class Wallets:
    """Who opened a wallet with which operator and in which currency.

    `watched` are the players, by id as text, of whose protection anything was ever said: only their wagers are judged.
    """

    def __init__(self, notes: Notes) -> None:
        self.watched: set[str] = set()
        self._notes = notes
        self._opened: dict[UUID, tuple[UUID, str]] = {}
        self._payments = Payments()
        self._limits = Limits()
        self._protections = Protections()
        self._adjustments = Adjustments()
        self._reconciliations = Reconciliations()

    def follow(self, event: Followed, row: Row) -> None:
        """Follow one event of a wallet or of a payment."""
        where = f"event {row.id}, {row.stream} version {row.version}"
        if isinstance(event, WalletEvent):
            self._account(event, row, where)
        elif isinstance(event, TableLimitSet):
            opened = self._opened.get(event.player)
            self._found(self._limits.follow(event, opened=opened, stream=row.stream, version=row.version, where=where))
        elif isinstance(event, ProtectionEvent):
            self._protection(event, row, where)
        elif isinstance(event, AdjustmentEvent):
            self._adjusted(event, row, where)
        elif isinstance(event, ReconciliationEvent):
            follow = self._reconciliations.follow
            self._found(follow(event, stream=row.stream, version=row.version, where=where))
        else:
            self._found(self._payments.follow(event, stream=row.stream, version=row.version, where=where))
            self._require_own(event, row, where)

    def _account(self, event: WalletEvent, row: Row, where: str) -> None:
        if row.stream != stream(event.player):
            self._notes.add("stream differs", where, stream(event.player), row.stream)
        match event:
            case PlayerAccountOpened(operator, player, currency, _):
                if player in self._opened:
                    self._notes.add("event out of place", where, "a player without a wallet", "opened before")
                self._opened[player] = operator, currency
            case SandboxCredited() | PlayMoneyToppedUp():
                operator, player, currency, amount = event.operator, event.player, event.currency, event.amount
                if self._opened.get(player) != (operator, currency):
                    opened = self._opened.get(player)
                    self._notes.add("credit to another wallet", where, opened, f"{operator} {currency}")
                if amount <= 0:
                    self._notes.add("amount out of range", where, "1 or more", amount)

    def _protection(self, event: ProtectionEvent, row: Row, where: str) -> None:
        opened = None
        if isinstance(event, PlayerProtectionEvent):
            opened = self._opened.get(event.player)
            self.watched.add(str(event.player))
        self._found(self._protections.follow(event, opened=opened, stream=row.stream, version=row.version, where=where))

    def _adjusted(self, event: AdjustmentEvent, row: Row, where: str) -> None:
        """Follows a correction; what a debit left owing may be collected from then on."""
        player = self._adjustments.player_of(event)
        opened = None if player is None else self._opened.get(player)
        follow = self._adjustments.follow
        self._found(follow(event, opened=opened, stream=row.stream, version=row.version, where=where))
        if isinstance(event, AdjustmentApproved) and event.owed:
            self.owes(operator=event.operator, player=event.player, currency=event.currency, amount=event.owed)

    def _require_own(self, event: PaymentEvent, row: Row, where: str) -> None:
        """What begins a payment names the operator and currency that the player's wallet was opened with."""
        if isinstance(event, DepositRequested | WithdrawalRequested | DebtCollected):
            opened = self._opened.get(event.player)
            if opened != (event.operator, event.currency):
                self._notes.add("payment of another wallet", where, opened, f"{event.operator} {event.currency}")
        if isinstance(event, DepositRequested):
            self.played(event.player, at=event.at, row=row)

    def played(self, player: UUID, *, at: datetime, row: Row) -> None:
        """Note a wager or a deposit of a player who was away from play then."""
        exclusion = self._protections.kept_away(player, at=at)
        if exclusion is not None:
            where = f"event {row.id}, {row.stream} version {row.version}"
            self._notes.add("played while excluded", where, f"nothing until {exclusion.until}", at)

    def wagered(self, player: UUID, *, at: datetime, row: Row) -> None:
        """Note a wager of a player who was away from play, or whom the house held back."""
        self.played(player, at=at, row=row)
        if self._protections.held_back(player):
            self._notes.add("play while stopped", f"event {row.id}, {row.stream}", "no wager of this player", at)

    def owes(self, *, operator: UUID, player: UUID, currency: str, amount: int) -> None:
        """Note what a player owes after a void or a correction, so that it may be collected."""
        self._payments.owes(operator=operator, player=player, currency=currency, amount=amount)

    def check_state(self) -> None:
        """Note every row of payments, limits and corrections that differs from what its events led to."""
        self._found(self._payments.check_state())
        self._found(self._limits.check_state())
        self._found(self._protections.check_state())
        self._found(self._adjustments.check_state())
        self._found(self._reconciliations.check_state())

    def _found(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self._notes.add(finding.what, finding.where, finding.expected, finding.found)
