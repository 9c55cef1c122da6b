"""Voiding a round from its page: a plain page with the reason, and who may ask, agree and decline."""

from collections.abc import Sequence
from typing import Any, Final

from django.http import HttpRequest

from baccarat.domain.rounds.state import Phase, RoundState
from baccarat.domain.rounds.void_events import VoidReason
from baccarat.services import voiding
from baccarat.storage.models import Round
from casino.backoffice import html
from casino.backoffice.sections import Alert, Facts, Piece, Section
from casino.crypto import crypto_shredding
from casino.events.store import Metadata
from casino.operators import memberships

REQUEST: Final = "baccarat.request_void"
APPROVE: Final = "baccarat.approve_void"
REASONS: Final = tuple((reason.value, reason.replace("_", " ").capitalize()) for reason in VoidReason)
_FORM: Final = "admin/baccarat/void.html"


def request(request: HttpRequest, round_: Round) -> str:
    """Void a round in play, or ask for it where it is settled. Raises the refusals of `voiding.void`."""
    reason, note = request.POST.get("reason", ""), request.POST.get("note", "")
    after = voiding.void(
        round_=round_.pk,
        operator=round_.operator_id,
        reason=reason,
        note=note,
        metadata=_remembered(request, round_),
    )
    if after.phase is Phase.VOIDED:
        return f"Round {round_.number} is void; every stake went back."
    return f"Asked to void round {round_.number}; another member of staff has to agree."


def approve(request: HttpRequest, round_: Round) -> str:
    """Agree to a void. Raises NoVoidRequested, VoidNeedsAnother, RoundAlreadyVoided."""
    voiding.approve(round_=round_.pk, operator=round_.operator_id, metadata=_remembered(request, round_))
    return f"Round {round_.number} is void; every stake, payout and commission of it was undone."


def decline(request: HttpRequest, round_: Round) -> str:
    """Decline a void. Raises NoVoidRequested, VoidNoteInvalid."""
    note = request.POST.get("note", "")
    voiding.decline(round_=round_.pk, operator=round_.operator_id, note=note, metadata=_remembered(request, round_))
    return f"The void of round {round_.number} is declined; the round stands."


def told(request: HttpRequest, state: RoundState, page: str) -> Sequence[Section]:
    """Say on a round's page that it is void or asked to be, and link to the page where that is decided."""
    if state.voided is not None:
        undone = state.voided
        agreed = f", approved by {undone.approved_by}" if undone.approved_by else ""
        return (
            Alert(
                f"Void: {_words(undone.reason)}",
                f"“{crypto_shredding.decrypt_text(undone.note)}” By {undone.requested_by}{agreed}.",
            ),
        )
    if state.void_request is not None:
        asked = state.void_request
        alert = Alert(
            f"A void is asked for: {_words(asked.reason)}",
            f"“{crypto_shredding.decrypt_text(asked.note)}” By {asked.by}.",
        )
        return (alert, _link("Decide", page)) if request.user.has_perm(APPROVE) else (alert,)
    voidable = state.is_running() or state.phase is Phase.SETTLED
    return (_link("Void this round", page),) if voidable and request.user.has_perm(REQUEST) else ()


def forms(state: RoundState, urls: dict[str, str]) -> Sequence[Section]:
    """Show the page where a void is asked for or decided; `urls` are those of request, approve, decline."""
    if state.void_request is not None:
        agree = {"url": urls["approve"], "label": "Approve the void", "tone": "bad"}
        refuse = {"url": urls["decline"], "label": "Decline", "tone": "plain", "note": True}
        asked = state.void_request
        rows = (
            ("Reason", _words(asked.reason)),
            ("In words", crypto_shredding.decrypt_text(asked.note)),
            ("Asked by", asked.by),
        )
        return (Facts("The request", rows), Piece("Approve or decline", _FORM, {"forms": (agree, refuse)}))
    known = state.phase is Phase.SETTLED
    label = "Ask for the void" if known else "Void this round"
    says = "The outcome is known: another member of staff has to agree." if known else "Every stake goes back at once."
    ask = {"url": urls["request"], "label": label, "tone": "bad", "note": True, "reasons": REASONS}
    return (Piece("Void this round", _FORM, {"forms": (ask,), "says": says}),)


def _link(label: str, page: str) -> Facts:
    return Facts("Void", (("Malfunction voids all pays and plays", html.link(page, label)),))


def _words(reason: str) -> str:
    return reason.replace("_", " ")


def _remembered(request: HttpRequest, round_: Any) -> Metadata:
    who = memberships.staff_actor(request.user)
    return Metadata(operator=str(round_.operator_id), actor=who, causation="admin", correlation=f"round-{round_.pk}")
