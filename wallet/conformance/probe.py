"""An operator's wallet as the conformance kit sees it: over HTTP alone, with every byte kept.

Messages, signatures and the reading of answers are those by which the service asks wallets itself.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, Self
from urllib.parse import urlencode
from uuid import UUID, uuid4

import httpx
import msgspec

from casino.events.ids import new_id
from casino.observability.process import ssl_context
from casino.operators.key_models import SigningKey
from casino.operators.request_signatures import AnswerKeys, SignedAnswer, check_answer
from casino.outbound.answers import WholeAnswer
from wallet.funding.events import WalletProfile
from wallet.remote import client, messages
from wallet.remote.client import Endpoint, NotAnswered
from wallet.remote.events import RollbackReason, TransactionKind
from wallet.remote.messages import WalletOrder, WalletReply
from wallet.remote.state import AcceptedAnswer, NoAnswer, RefusedAnswer

STAKE: Final = 100
"""What most cases move, in minor units."""
SECONDS: Final = 10.0
_NOBODY: Final = UUID(int=0)
"""The kit asks in the name of no operator."""
Headers = Mapping[str, str]


class CaseFailed(Exception):
    """The wallet did not do what the case's name says."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request as it was sent, with its answer, or why there was none."""

    at: datetime
    method: str
    url: str
    headers: Headers
    body: bytes
    answer: WholeAnswer | None
    error: str = ""


@dataclass(slots=True)
class Probe:
    """Sends messages about one player to a wallet. Use `with`.

    Answers of the profile `standard` are signed by `key`.
    """

    url: str
    key: SigningKey | None
    player: UUID
    currency: str
    profile: WalletProfile = WalletProfile.STANDARD
    exchanges: list[Exchange] = field(default_factory=list)
    _open: dict[UUID, WalletOrder] = field(default_factory=dict)
    _http: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        # A connection that is kept may be closed by one thread as another is about to use it.
        limits = httpx.Limits(max_connections=100, max_keepalive_connections=0)
        # What the environment names as a proxy stands between nobody and the wallet here.
        self._http = httpx.Client(verify=ssl_context(), limits=limits, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def order(
        self, kind: TransactionKind, amount: int = STAKE, *, of: WalletOrder | None = None, **changes: Any
    ) -> WalletOrder:
        """Make a new transaction of the player's, about the same wager as `of`."""
        now = datetime.now(UTC)
        wager, round_, table = (of.wager, of.round, of.table) if of else (uuid4(), uuid4(), uuid4())
        concerns = of.transaction if of else None
        order = WalletOrder(new_id(now), kind, self.player, wager, round_, table, amount, self.currency, concerns, now)
        return replace(order, **changes)

    def rollback_of(self, debit: WalletOrder, **changes: Any) -> WalletOrder:
        """Make the message that takes a debit back."""
        return self.order(TransactionKind.DEBIT, debit.amount, of=debit, reason=RollbackReason.NO_ANSWER, **changes)

    def credit_of(self, debit: WalletOrder, amount: int = STAKE) -> WalletOrder:
        self._open.pop(debit.transaction, None)
        return self.order(TransactionKind.CREDIT, amount, of=debit)

    def debit(self, amount: int = STAKE) -> WalletOrder:
        """Let a debit be accepted, and return it. It is taken back after the case unless the case ends it."""
        order = self.order(TransactionKind.DEBIT, amount)
        accepted(self.send(order))
        return order

    def balance(self) -> int:
        """Return the player's balance."""
        request, vocabulary = uuid4(), self.wallet.vocabulary
        message = vocabulary.balance(self.player, self.currency, request)
        balance = vocabulary.read_balance(self.ask(message.path, message.document), request, self.currency)
        if balance is None:
            raise CaseFailed(f"{message.path} has no balance in {self.currency}.")
        return balance

    @contextmanager
    def moves(self, amount: int) -> Generator[None]:
        """Check that what is done inside changes the balance by an amount in the end."""
        before = self.balance()
        yield
        moved = self.balance() - before
        require(moved == amount, f"The balance moved by {moved} minor units instead of {amount}.")

    def send(self, order: WalletOrder) -> WalletReply:
        """Send a message about one transaction, and return what the wallet says of it."""
        request, vocabulary = uuid4(), self.wallet.vocabulary
        if order.kind is TransactionKind.CREDIT and vocabulary.batches:
            return self.send_credits([order])[order.transaction]
        if order.reason is not None and order.concerns:
            self._open.pop(order.concerns, None)
        elif order.kind is TransactionKind.DEBIT:
            self._open[order.transaction] = order
        message = vocabulary.single(order, request)
        try:
            document = self.ask(message.path, message.document)
        except CaseFailed as error:
            return WalletReply(NoAnswer(str(error)))
        return vocabulary.read_single(document, order, request)

    def message(self, order: WalletOrder) -> tuple[str, bytes]:
        """Return the path and the bytes of a message about one transaction, which is not sent."""
        if order.kind is TransactionKind.CREDIT and self.wallet.vocabulary.batches:
            path = messages.PATHS[TransactionKind.CREDIT]
            return path, msgspec.json.encode(messages.batch([order], uuid4()))
        message = self.wallet.vocabulary.single(order, uuid4())
        return message.path, msgspec.json.encode(message.document)

    def send_credits(self, orders: Sequence[WalletOrder]) -> dict[UUID, WalletReply]:
        """Send credits in one message, and return what the wallet says of each."""
        request = uuid4()
        try:
            document = self.ask(messages.PATHS[TransactionKind.CREDIT], messages.batch(orders, request))
        except CaseFailed as error:
            return {order.transaction: WalletReply(NoAnswer(str(error))) for order in orders}
        return messages.read_batch(document, orders, request)

    def ask(self, path: str, document: Mapping[str, Any]) -> Any:
        """Post a message, and return the verified answer. Raises CaseFailed."""
        return self.read(self.post(path, msgspec.json.encode(document)))

    def list(self, query: Mapping[str, str]) -> Any:
        """Return a verified page of transactions. Raises CaseFailed."""
        url = f"{self.address(messages.TRANSACTIONS)}?{urlencode(query)}"
        return self.read(self.exchange("GET", url, self.wallet.headers("GET", url, b""), b""))

    def read(self, answer: WholeAnswer | None) -> Any:
        """Return what an answer says, once its signature is verified. Raises CaseFailed."""
        if answer is None:
            raise CaseFailed("There was no answer.")
        if len(answer.body) > client.MAX_ANSWER:
            raise CaseFailed(f"The answer has more than {client.MAX_ANSWER} bytes.")
        try:
            return client.read_whole(answer, self.profile, self._check)
        except NotAnswered as error:
            raise CaseFailed(str(error)) from None

    def post(self, path: str, body: bytes, headers: Headers | None = None) -> WholeAnswer | None:
        """Post a body, signed unless headers are given."""
        url = self.address(path)
        return self.exchange("POST", url, headers or self.wallet.headers("POST", url, body), body)

    @property
    def wallet(self) -> Endpoint:
        return Endpoint(_NOBODY, self.url, self.profile)

    def address(self, path: str) -> str:
        return self.wallet.address(path)

    def _check(self, answer: SignedAnswer, body: bytes) -> None:
        if self.key is None:
            raise CaseFailed("There is no key that verifies answers.")
        check_answer(answer, body, known=AnswerKeys({self.key.keyid: self.key}, datetime.now(UTC)))

    def exchange(
        self,
        method: str,
        url: str,
        headers: Headers,
        body: bytes,
        *,
        seconds: float = SECONDS,
        content: Callable[[], Generator[bytes]] | None = None,
    ) -> WholeAnswer | None:
        """Send a request, keep it, and return the answer, whatever it is; `content` sends another body than `body`."""
        at, answer, error = datetime.now(UTC), None, ""
        timeout = httpx.Timeout(SECONDS, read=seconds)
        try:
            response = self._http.request(
                method, url, headers=headers, content=content() if content else body, timeout=timeout
            )
            answer = WholeAnswer(response.status_code, dict(response.headers), response.content)
        except httpx.HTTPError as cause:
            error = f"{type(cause).__name__} {cause}".strip()
        self.exchanges.append(Exchange(at, method, url, headers, body, answer, error))
        return answer

    def clean_up(self) -> None:
        """Take back what a case left, so that the next one finds its money."""
        for debit in list(self._open.values()):
            self.send(self.rollback_of(debit))
        self._open.clear()


def require(holds: object, otherwise: str) -> None:
    """Raise CaseFailed with a sentence unless something holds."""
    if not holds:
        raise CaseFailed(otherwise)


def accepted(reply: WalletReply) -> AcceptedAnswer:
    """Return an answer that accepts. Raises CaseFailed for another."""
    match reply.answer:
        case AcceptedAnswer() as answer:
            return answer
        case RefusedAnswer(code):
            raise CaseFailed(f"It was refused ({code}) instead of accepted.")
        case NoAnswer(why):
            raise CaseFailed(f"No definite answer: {why}")


def refused(reply: WalletReply, *codes: str) -> None:
    """Check that an answer refuses, by one of the codes if there are any. Raises CaseFailed."""
    match reply.answer:
        case AcceptedAnswer():
            raise CaseFailed("It was accepted instead of refused.")
        case RefusedAnswer(code):
            require(not codes or code in codes, f"The code is {code} instead of {' or '.join(codes)}.")
        case NoAnswer(why):
            raise CaseFailed(f"No definite answer: {why}")
