"""Signed links to a dispute pack: for one round, with an expiry; no other authentication is needed."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.core import signing
from django.utils import timezone

from baccarat.proofs.loader import require_provable
from baccarat.proofs.pack import PackFile, build_pack
from baccarat.proofs.refusals import UnknownPackUrl
from casino.significant import recorder

SALT: Final = "casino.dispute-pack"
DEFAULT_HOURS: Final = 24
MAX_HOURS: Final = 168


@dataclass(frozen=True, slots=True)
class PackUrl:
    """The last part of the link's address, and when it expires."""

    token: str
    expires_at: datetime


def sign_pack_url(*, round_: UUID, operator: UUID, by: str, hours: int = DEFAULT_HOURS) -> PackUrl:
    """Create a link to the pack of an ended round; `by` names its creator, as in events.

    Raises UnknownRound, NothingToProve.
    """
    require_provable(round_=round_, operator=operator)
    expires_at = timezone.now() + timedelta(hours=min(hours, MAX_HOURS))
    claim = {"round": str(round_), "operator": str(operator), "by": by, "until": int(expires_at.timestamp())}
    token = signing.dumps(claim, salt=SALT, compress=True)
    recorder.record(
        kind=recorder.SignificantEventKind.PACK_LINKED,
        operator=operator,
        subject=f"round:{round_}",
        actor=by,
        after={"expires_at": expires_at.isoformat()},
    )
    return PackUrl(token, expires_at)


def fetch_pack(*, token: str, address: str) -> PackFile:
    """Build the pack of a link, and record the download with its network address.

    Raises UnknownPackLink for a link that never existed, was changed or has expired; UnknownRound, RoundNotSealed.
    """
    try:
        claim = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        raise UnknownPackUrl from None
    if claim["until"] < timezone.now().timestamp():
        raise UnknownPackUrl
    round_, operator = UUID(claim["round"]), UUID(claim["operator"])
    pack = build_pack(round_=round_, operator=operator)
    recorder.record(
        kind=recorder.SignificantEventKind.PACK_FETCHED,
        operator=operator,
        subject=f"round:{round_}",
        actor=claim["by"],
        address=address,
        reason="Fetched by the link that was made for it.",
    )
    return pack
