"""Our own messages as a profile, and what every profile has. Pure."""

from dataclasses import dataclass
from typing import Any, Final, Protocol
from uuid import UUID

from wallet.remote import messages
from wallet.remote.messages import Document, WalletOrder, WalletReply
from wallet.remote.refusals import WalletCode
from wallet.remote.state import RefusedAnswer

NOT_IN_PROFILE: Final = RefusedAnswer(WalletCode.NOT_IN_PROFILE.value)


@dataclass(frozen=True, slots=True)
class Message:
    """What is posted, and where below the wallet's address."""

    path: str
    document: dict[str, Any]


class Profile(Protocol):
    """A vocabulary for the same commands: how they are written, and how answers are read.

    Whatever an answer leaves open is NoAnswer, so that a debit is rolled back and everything else is sent again; it is
    an UnclearAnswer unless the wallet has said that it knows no better at the moment.
    """

    @property
    def root(self) -> str:
        """What stands between the wallet's address and every path."""

    @property
    def batches(self) -> bool:
        """Whether one message may have credits of several wagers."""

    @property
    def lists(self) -> bool:
        """Whether the wallet lists its transactions."""

    def can_say(self, order: WalletOrder) -> bool:
        """Return whether there is a message for it; if there is none, nothing is sent, and it is refused here."""

    def single(self, order: WalletOrder, request: UUID) -> Message:
        """Write a message about one transaction or rollback."""

    def balance(self, player: UUID, currency: str, request: UUID) -> Message:
        """Write the question for a player's balance."""

    def read_single(self, document: object, order: WalletOrder, request: UUID) -> WalletReply:
        """Read what an answer says of a transaction or rollback."""

    def read_item(self, document: Document, order: WalletOrder) -> WalletReply:
        """Read what an answer says that is known to be one to it."""

    def read_balance(self, document: object, request: UUID, currency: str) -> int | None:
        """Read a balance in minor units; None without one."""


class Standard:
    """The messages of the integration guide, which have a word for everything."""

    root = "/v1"
    batches = True
    lists = True

    def can_say(self, order: WalletOrder) -> bool:
        del order
        return True

    def single(self, order: WalletOrder, request: UUID) -> Message:
        path = messages.PATHS[order.kind] if order.reason is None else messages.ROLLBACK
        return Message(path, messages.single(order, request))

    def balance(self, player: UUID, currency: str, request: UUID) -> Message:
        return Message(messages.BALANCE, {"request": str(request), "player": str(player), "currency": currency})

    def read_single(self, document: object, order: WalletOrder, request: UUID) -> WalletReply:
        return messages.read_single(document, order, request)

    def read_item(self, document: Document, order: WalletOrder) -> WalletReply:
        return messages.read_item(document, order)

    def read_balance(self, document: object, request: UUID, currency: str) -> int | None:
        return messages.read_balance(document, request, currency)
