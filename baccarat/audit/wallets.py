"""Players' wallets outside the games: opened once, credited in the currency they were opened in."""

from uuid import UUID

from baccarat.audit.notes import Notes
from casino.events.drafts import Recorded, Sealed
from wallet.events import PlayerAccountOpened, SandboxCredited, WalletEvent, stream


class Wallets:
    """Who opened a wallet with which operator and in which currency."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._opened: dict[UUID, tuple[UUID, str]] = {}

    def follow(self, event: WalletEvent, row: Sealed | Recorded) -> None:
        """This will follow one event of a wallet."""
        where = f"event {row.id}, {row.stream} version {row.version}"
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
