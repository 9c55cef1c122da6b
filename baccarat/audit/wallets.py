"""Players' wallets outside the games: opened once, credited in their currency; own limits and all payments."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from baccarat.audit.notes import Notes
from casino.events.drafts import Recorded, Sealed
from casino.kernel.findings import Finding
from wallet.events import PlayerAccountOpened, SandboxCredited, TableLimitSet, WalletEvent, stream
from wallet.limits.audit import Limits
from wallet.payment_events import DebtCollected, DepositRequested, PaymentEvent, WithdrawalRequested
from wallet.payments.audit import Payments
from wallet.protection.audit import Protections
from wallet.protection_events import PlayerProtectionEvent, ProtectionEvent


class Wallets:
    """Who opened a wallet with which operator and in which currency."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._opened: dict[UUID, tuple[UUID, str]] = {}
        self._payments = Payments()
        self._limits = Limits()
        self._protections = Protections()

    def follow(
        self, event: WalletEvent | TableLimitSet | ProtectionEvent | PaymentEvent, row: Sealed | Recorded
    ) -> None:
        """This will follow one event of a wallet or of a payment."""
        where = f"event {row.id}, {row.stream} version {row.version}"
        if isinstance(event, TableLimitSet):
            opened = self._opened.get(event.player)
            self._found(self._limits.follow(event, opened=opened, stream=row.stream, version=row.version, where=where))
            return
        if isinstance(event, ProtectionEvent):
            self._protection(event, row, where)
            return
        if not isinstance(event, PlayerAccountOpened | SandboxCredited):
            self._found(self._payments.follow(event, stream=row.stream, version=row.version, where=where))
            self._require_own(event, row, where)
            return
        if row.stream != stream(event.player):
            self._notes.add("stream differs", where, stream(event.player), row.stream)
        match event:
            case PlayerAccountOpened(operator, player, currency, _):
                if player in self._opened:
                    self._notes.add("event out of place", where, "a player without a wallet", "opened before")
                self._opened[player] = operator, currency
            case SandboxCredited(operator, player, _, currency, amount, _):
                if self._opened.get(player) != (operator, currency):
                    opened = self._opened.get(player)
                    self._notes.add("credit to another wallet", where, opened, f"{operator} {currency}")
                if amount <= 0:
                    self._notes.add("amount out of range", where, "1 or more", amount)

    def _protection(self, event: ProtectionEvent, row: Sealed | Recorded, where: str) -> None:
        opened = self._opened.get(event.player) if isinstance(event, PlayerProtectionEvent) else None
        self._found(self._protections.follow(event, opened=opened, stream=row.stream, version=row.version, where=where))

    def _require_own(self, event: PaymentEvent, row: Sealed | Recorded, where: str) -> None:
        """What begins a payment names the operator and currency that the player's wallet was opened with."""
        if isinstance(event, DepositRequested | WithdrawalRequested | DebtCollected):
            opened = self._opened.get(event.player)
            if opened != (event.operator, event.currency):
                self._notes.add("payment of another wallet", where, opened, f"{event.operator} {event.currency}")
        if isinstance(event, DepositRequested):
            self.played(event.player, at=event.at, row=row)

    def played(self, player: UUID, *, at: datetime, row: Sealed | Recorded) -> None:
        """This will note a wager or a deposit of a player who was away from play then."""
        exclusion = self._protections.kept_away(player, at=at)
        if exclusion is not None:
            where = f"event {row.id}, {row.stream} version {row.version}"
            self._notes.add("played while excluded", where, f"nothing until {exclusion.until}", at)

    def owes(self, *, operator: UUID, player: UUID, currency: str, amount: int) -> None:
        """This will note what a player owes after a void, so that it may be collected."""
        self._payments.owes(operator=operator, player=player, currency=currency, amount=amount)

    def check_state(self) -> None:
        """This will note every difference between the rows of payments and limits and what their events have led to."""
        self._found(self._payments.check_state())
        self._found(self._limits.check_state())
        self._found(self._protections.check_state())

    def _found(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self._notes.add(finding.what, finding.where, finding.expected, finding.found)
