"""Calls of operators' wallets over HTTP: signed, bounded in time and size, to checked addresses.

Whatever is not a whole answer, signed where the profile has signatures of answers, is no answer: nobody knows then what
the wallet did.
"""

import contextlib
import logging
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

import httpcore
import msgspec

from casino.api.error_catalogue import RequestRejected
from casino.events.sql import fetch
from casino.kernel import strict_json
from casino.operators.key_models import SigningKey
from casino.operators.request_signatures import AnswerKeys, SignedAnswer, check_answer
from casino.outbound.answers import WholeAnswer
from casino.outbound.blocking import blocking_client
from casino.outbound.client import WebhookClient
from wallet.funding.events import WalletProfile
from wallet.remote import signing
from wallet.remote.profiles import PROFILES
from wallet.remote.profiles.standard import Profile

logger = logging.getLogger(__name__)

MAX_ANSWER: Final = 256 * 1024
_NO_KEYS: Final = AnswerKeys({}, datetime.min.replace(tzinfo=UTC))
_KEY_FIELDS: Final = ("keyid", "public_key", "key_id")
_ENDPOINT: Final = f"""
    SELECT funding.wallet_url, funding.wallet_profile, clock_timestamp(), {", ".join(_KEY_FIELDS)}
      FROM wallet_funding AS funding LEFT JOIN (SELECT key.operator_id, signing.*
           FROM operators_signingkey AS signing JOIN operators_apikey AS key USING (key_id) WHERE key.revoked_at IS NULL
           ) AS signing USING (operator_id)
     WHERE operator_id = %s AND funding.funding = 'seamless' ORDER BY signing.created_at, signing.id
"""  # noqa: S608  (constants)


class NotAnswered(Exception):
    """There was no answer, or not a whole one, or nobody knows whose it is."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An operator's wallet: where and how it is asked, for one request or a few.

    `known` verifies answers in the profile STANDARD.
    """

    operator: UUID
    url: str
    profile: WalletProfile = WalletProfile.STANDARD
    known: AnswerKeys = field(default=_NO_KEYS, repr=False)

    @property
    def vocabulary(self) -> Profile:
        return PROFILES[self.profile]

    def address(self, path: str) -> str:
        """Return the whole address of a call."""
        return f"{self.url}{self.vocabulary.root}/{path}"

    def headers(self, method: str, url: str, body: bytes) -> Mapping[str, str]:
        """Return the headers of a request, with its signature. Raises NotAnswered without what signs it."""
        if self.profile is WalletProfile.STANDARD:
            return signing.signed_headers(method, url, body)
        try:
            signed = signing.hub88_headers(body)
        except signing.NoKey as error:
            raise NotAnswered(f"Nothing was asked: {error}") from None
        return {"Content-Type": "application/json", "Accept-Encoding": "identity", **signed}


def endpoint(operator: UUID) -> Endpoint:
    """Return an operator's wallet; without an address where it has none."""
    rows = fetch(_ENDPOINT, [operator])
    if not rows:
        return Endpoint(operator, "")
    signing_keys = [SigningKey(**dict(zip(_KEY_FIELDS, row[3:], strict=True))) for row in rows if row[3] is not None]
    url, profile, now, *_ = rows[0]
    known = AnswerKeys({key.keyid: key for key in signing_keys}, now)
    return Endpoint(operator, url, WalletProfile(profile), known)


async def call(
    client: WebhookClient, wallet: Endpoint, path: str, document: Mapping[str, Any], *, seconds: float
) -> WholeAnswer:
    """Post a message and return the answer, which is not verified yet. Raises NotAnswered."""
    url, body = wallet.address(path), msgspec.json.encode(document)
    headers = wallet.headers("POST", url, body)
    with _no_answer():
        return await client.ask("POST", url, headers=headers, body=body, seconds=seconds, limit=MAX_ANSWER)


@contextlib.contextmanager
def _no_answer() -> Generator[None]:
    """Turn whatever a client raises into NotAnswered."""
    try:
        yield
    except (TimeoutError, httpcore.TimeoutException):
        raise NotAnswered("There was no answer in time.") from None
    except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
        raise NotAnswered(f"There was no answer: {type(error).__name__} {error}") from None


def verified(answer: WholeAnswer, wallet: Endpoint) -> Any:
    """Return what an answer says, if it is whole and the operator signed it. Raises NotAnswered.

    Answers of other profiles than STANDARD have no signature: that they are the operator's is known by TLS alone.
    """
    return read_whole(answer, wallet.profile, partial(check_answer, known=wallet.known))


def read_whole(answer: WholeAnswer, profile: WalletProfile, check: Callable[[SignedAnswer, bytes], None]) -> Any:
    """Return what an answer says, if it is whole and `check` takes its signature. Raises NotAnswered."""
    if answer.status != 200:
        raise NotAnswered(f"The status is {answer.status}.")
    try:
        if profile is WalletProfile.STANDARD:
            headers = {name.title(): value for name, value in answer.headers.items()}
            check(SignedAnswer(answer.status, headers), answer.body)
    except RequestRejected as error:
        raise NotAnswered(f"The signature of the answer: {error.detail}") from None
    try:
        return strict_json.decode(answer.body)
    except strict_json.NotStrictJson as error:
        raise NotAnswered(f"The answer is no JSON: {error}") from None


def call_and_wait(wallet: Endpoint, path: str, document: Mapping[str, Any], *, seconds: float) -> WholeAnswer:
    """Post a message from a thread and wait for the answer. Raises NotAnswered."""
    url, body = wallet.address(path), msgspec.json.encode(document)
    headers = wallet.headers("POST", url, body)
    with _no_answer():
        return blocking_client().ask("POST", url, headers=headers, body=body, seconds=seconds, limit=MAX_ANSWER)


def get_and_wait(wallet: Endpoint, path: str, query: Mapping[str, str], *, seconds: float) -> WholeAnswer:
    """Get something from a thread and wait for the answer. Raises NotAnswered."""
    url = f"{wallet.address(path)}?{urlencode(query)}"
    headers = wallet.headers("GET", url, b"")
    with _no_answer():
        return blocking_client().ask("GET", url, headers=headers, body=b"", seconds=seconds, limit=MAX_ANSWER)
