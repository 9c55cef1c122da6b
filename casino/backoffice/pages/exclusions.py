"""A player's account page, where staff keep its player away from deposits and play: tables are left in order too."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.urls import URLPattern

from baccarat.services import exclusion
from casino.backoffice.pages.ledger import AccountAdmin
from casino.backoffice.pages.responsible_gaming import CHANGE
from casino.backoffice.sections import Field, Form, Section
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from casino.observability.request_id import request_id
from casino.operators import memberships
from wallet.ledger.accounts import AccountKind
from wallet.models import Account
from wallet.responsible_gaming.events import Initiator
from wallet.responsible_gaming.exclusions import require_note
from wallet.responsible_gaming.refusals import ExclusionLengthInvalid
from wallet.responsible_gaming.services import PlayerContext
from wallet.responsible_gaming.state import ExclusionKind

_KINDS: Final = (
    (ExclusionKind.COOLING_OFF.value, "Cooling-off, for 24 to 1008 hours"),
    (ExclusionKind.SELF_EXCLUSION.value, "Exclusion, for 6 to 120 months"),
)
_SAYS: Final = (
    "At once no deposit, seat, rebuy or wager, in any session. It can be made longer, never shorter. Leaving and "
    "withdrawing stay possible."
)

admin.site.unregister(Account)


@admin.register(Account)
class PlayersAccountAdmin(AccountAdmin):
    """Who holds money. Found by its id, its player's or its table's."""

    def get_urls(self) -> list[URLPattern]:
        """Add the address that excludes the player."""
        return [self.perform_path("exclude", CHANGE, exclude), *super().get_urls()]

    def sections(self, request: HttpRequest, obj: Account) -> Sequence[Section]:
        """Add the form that excludes the player, for those who may."""
        return (*super().sections(request, obj), *_form(request, obj, self.perform_url("exclude", obj)))


def exclude(request: HttpRequest, account: Account) -> str:
    """Keep the player of a real account away in the operator's name, as the form says.

    Raises PermissionDenied for any other account, ExclusionNoteInvalid, and the refusals of `exclusion.exclude`.
    """
    player = account.player_id
    if player is None or not _is_real(account):
        raise PermissionDenied
    made, who = request_id(request), memberships.staff_actor(request.user)
    told = Metadata(operator=str(account.operator_id), actor=who, causation="", correlation=made, request=made)
    state = exclusion.exclude(
        subject=PlayerContext(operator=account.operator_id, player=player, currency=account.currency, metadata=told),
        by=Initiator.OPERATOR,
        note=require_note(request.POST.get("note", "")),
        **_asked(request),
    )
    until = "" if state.exclusion is None else f" until {state.exclusion.until:%Y-%m-%d %H:%M} UTC"
    return f"The player stays away from deposits and play{until}."


def _form(request: HttpRequest, account: Account, url: str) -> Sequence[Section]:
    if account.player_id is None or not _is_real(account) or not request.user.has_perm(CHANGE):
        return ()
    fields = (
        Field("kind", "What", choices=_KINDS),
        Field("length", "Hours or months", longest=4),
        Field("note", "Why, for staff", lines=2),
    )
    return (Form("Keep this player away", "Keep away", url, fields, _SAYS, tone="bad"),)


def _asked(request: HttpRequest) -> dict[str, Any]:
    kind, length = request.POST.get("kind", ""), request.POST.get("length", "").strip()
    if kind not in dict(_KINDS) or not (length.isascii() and length.isdigit() and len(length) <= 4):
        raise ExclusionLengthInvalid
    return {"kind": ExclusionKind(kind), "length": int(length)}


def _is_real(account: Account) -> bool:
    return account.kind == AccountKind.ACCOUNT and account.money_type == MoneyType.REAL
