"""Links to a dispute pack: signed, for one round, until a moment; whoever has one may fetch the pack."""

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
    """What stands at the end of the link's address, and until when it works."""

    token: str
    expires_at: datetime


def sign_pack_url(*, round_: UUID, operator: UUID, by: str, hours: int = DEFAULT_HOURS) -> PackUrl:
    """Make a link to the pack of one ended round; `by` names who made it, as events do.

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
    """Build the pack that a link is for, and keep that it was fetched, from which address.

    Raises UnknownPackLink for one that was never made, was changed or has expired; UnknownRound, RoundNotSealed.
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
