"""Reports failed access to compliance: wrong credentials with their network address, and wrong PINs."""

from datetime import UTC, datetime
from typing import Any, Final, cast
from uuid import UUID

from rest_framework.request import Request

from casino.api.error_catalogue import INVALID_CREDENTIALS, RequestRejected
from casino.operators import credentials
from casino.operators.models import ApiKey
from casino.operators.principals import PlayerPrincipal
from casino.operators.refusals import CommittedRefusal
from casino.significant import recorder

_NAMED: Final = 40


def record_login_failure(request: Request, rejected: RequestRejected) -> None:
    """Record a wrong credential; failures of one credential and address within a minute count as one.

    Expired sessions and requests without credentials are not failed access.
    """
    if rejected.problem is not INVALID_CREDENTIALS:
        return
    meta: dict[str, Any] = request._request.META  # noqa: SLF001  (quicker than the wrapper)
    subject, operator = _whose(meta.get("HTTP_AUTHORIZATION", "").partition(" ")[2])
    address = meta.get("REMOTE_ADDR", "")
    recorder.record(
        kind=recorder.SignificantEventKind.LOGIN_FAILED,
        operator=operator,
        subject=subject,
        actor=subject,
        reason=rejected.detail,
        address=address,
        dedup_key=f"login_failed:{subject}:{address}:{datetime.now(UTC):%Y-%m-%dT%H:%M}",
    )


def record_wrong_pin(request: Request, refusal: CommittedRefusal) -> None:
    """Record a wrong PIN, and the lock of the player's PIN if it caused one; in the caller's transaction."""
    player, facts = cast("PlayerPrincipal", request.user), refusal.facts
    locked = facts.get("locked_until")
    recorder.record(
        kind=recorder.SignificantEventKind.LOGIN_FAILED
        if locked is None
        else recorder.SignificantEventKind.LOGIN_LOCKED,
        operator=player.operator,
        subject=f"player:{player.player}",
        actor=player.actor,
        reason=refusal.title,
        after={"attempts_left": facts.get("attempts_left"), "locked_until": None if locked is None else str(locked)},
        address=request.META.get("REMOTE_ADDR", ""),
    )


def _whose(given: str) -> tuple[str, UUID | None]:
    """Return what a wrong credential claims to be: never its secret, and an operator only for an existing key."""
    if not (given.isascii() and given.isprintable()):
        return "a credential", None
    if given.startswith(credentials.KEY_PREFIX):
        key_id = given.partition(".")[0][:_NAMED]
        operator = ApiKey.objects.filter(key_id=key_id).values_list("operator_id", flat=True).first()
        return (f"key:{key_id}" if operator else "an unknown key"), operator
    return ("an unknown token" if given.startswith(credentials.TOKEN_PREFIX) else "a credential"), None
