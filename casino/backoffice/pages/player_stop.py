"""The switch of one player, on the player's page."""

from collections.abc import Sequence

from django.http import HttpRequest
from django.urls import reverse

from baccarat.domain.tables.kill_switch_events import StopScope
from baccarat.storage.models import Switch
from casino.backoffice import html
from casino.backoffice.pages import kill_switches
from casino.backoffice.sections import Facts, Section
from casino.crypto import crypto_shredding
from casino.operators.models import Player


def sections(request: HttpRequest, player: Player) -> Sequence[Section]:
    """Say that play is stopped for this player and by which switch, or offer to stop it to those who may."""
    held = Switch.objects.filter(scope=StopScope.PLAYER, subject=str(player.pk), stopped=True).first()
    if held is not None:
        crypto_shredding.decrypt_rows([held])
        stopped = (
            html.link(kill_switches.page_of(held), held.reason) if request.user.has_perm("baccarat.view_switch") else ""
        )
        return (Facts("Play is stopped", (("By a switch", stopped or held.reason),)),)
    kept = (("scope", StopScope.PLAYER.value), ("subject", str(player.pk)))
    return kill_switches.form(
        request, StopScope.PLAYER, reverse("admin:baccarat_switch_throw"), "Stop this player", kept
    )
