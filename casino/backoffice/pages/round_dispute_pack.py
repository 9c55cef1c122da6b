"""The button that makes a link to a round's dispute pack."""

from collections.abc import Sequence
from typing import Final

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from baccarat.domain.rounds.state import Phase
from baccarat.proofs import signed_urls
from baccarat.storage.models import Round
from casino.backoffice.sections import Deed, Grid, Section
from casino.kernel.errors import Refusal
from casino.operators import memberships

PACK: Final = "baccarat.link_pack"
DONE: Final = "Made a link to the dispute pack"
_WHAT: Final = "Events, cards, rules, wagers, entries, talk and proofs in one ZIP, with a verifier, signed"


def button(request: HttpRequest, round_: Round, url: str) -> Sequence[Section]:
    """Show the button under a round that has ended, for those who may."""
    if round_.phase not in {Phase.SETTLED, Phase.VOIDED} or not request.user.has_perm(PACK):
        return ()
    question = f"Make a link to the pack of round {round_.number}? Whoever has it can fetch the pack for a day."
    return (Grid("Dispute pack", (_WHAT,), [(Deed("Make a link", url, question),)]),)


def link(request: HttpRequest, round_: Round) -> bool:
    """Make a link, and show it to the one who asked and nobody else; tells whether there is one."""
    try:
        made = signed_urls.sign_pack_url(
            round_=round_.pk, operator=round_.operator_id, by=memberships.staff_actor(request.user)
        )
    except Refusal as refusal:
        messages.error(request, refusal.message())
        return False
    address = request.build_absolute_uri(reverse("dispute-pack", args=[made.token]))
    until = f"{made.expires_at:%Y-%m-%d %H:%M} UTC"
    says = '<a class="c-link" href="{}">Dispute pack of round {}</a>, until {}. Copy this link.'
    messages.success(request, format_html(says, address, round_.number, until))
    return True
