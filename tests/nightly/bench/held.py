"""What waits for the desk of a live house: payments that are held, an account that is frozen, exclusions."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Final

from django.urls import reverse

from baccarat.risk import detection
from baccarat.services import exclusion, freezing
from casino.compliance.models import Case
from casino.events import sealer
from casino.events.store import Metadata
from casino.operators.models import Change
from casino.staff.duties import Role
from tests.nightly.bench import history
from tests.nightly.bench.history import CURRENCY, Payer
from tests.support.acts import agreed
from tests.system.browser.test_back_office import hire
from wallet.ledger import player_accounts as wallet
from wallet.models import Hold
from wallet.payments import holds, methods
from wallet.payments.gate import HoldTerms
from wallet.responsible_gaming.events import Initiator
from wallet.responsible_gaming.services import PlayerContext
from wallet.responsible_gaming.state import ExclusionKind

SECOND: Final = 200_000
"""Above this amount two persons release a payment."""
OFFICER: Final = "staff:1"


def hold(*, places: Sequence[Mapping[str, str]], password: str) -> dict[str, dict[str, str]]:
    """Hold payments of a live house, and return by role the addresses of the pages that show it.

    Who holds the roles is hired with this password, for all operators.
    """
    operator = uuid.UUID(places[0]["operator"])
    with agreed():
        offered = history.offer_methods(operator)
        methods.set_policy(
            operator=operator, currency=CURRENCY, auto_approve_up_to=0, second_approval_above=SECOND, actor=OFFICER,
            holds=HoldTerms(),
        )  # fmt: skip
    for role in (Role.COMPLIANCE, Role.CASHIER, Role.DUTY_MANAGER):
        hire(role, password)
    olga, pia, fred, ada, rita = (_player(operator, name) for name in ("Olga", "Pia", "Fred", "Ada", "Rita"))
    for player, deposited, asked in ((olga, 150_000, 145_000), (pia, 300_000, 250_000), (fred, 50_000, 45_000)):
        payer = Payer(operator, player, offered)
        payer.deposit(deposited)
        payer.request(asked)
    sealer.seal_all()
    detection.watch()
    holds.watch()
    kept = {each.player_id: each for each in Hold.objects.filter(operator_id=operator)}
    metadata = Metadata(operator=str(operator), actor=OFFICER, causation="", correlation="")
    waits = holds.release(kept[pia].pk, by=OFFICER, metadata=metadata)
    freezing.freeze(operator=operator, player=fred, reason="Asked for by the police.", metadata=metadata)
    for player, months, of_house in ((ada, None, 12), (rita, 6, None)):
        for by, length in ((Initiator.PLAYER, months), (Initiator.OPERATOR, of_house)):
            subject = PlayerContext(operator, player, "", metadata)
            exclusion.exclude(
                subject=subject, by=by, kind=ExclusionKind.SELF_EXCLUSION, length=length, note="A letter."
            )
    return _addresses(kept[olga], waits, fred, ada)


def _addresses(kept: Hold, waits: Change | None, frozen: uuid.UUID, excluded: uuid.UUID) -> dict[str, dict[str, str]]:
    def page(model: str, row: object) -> str:
        return reverse(f"admin:{model}_change", args=[row])

    case = Case.objects.filter(operator_id=kept.operator_id, subject=f"player:{kept.player_id}").get()
    inbox, withdrawal = reverse("admin:desk_inbox"), page("wallet_withdrawal", kept.withdrawal_id)
    compliance = {
        "first page": f"{reverse('admin:index')}?period=today",
        "first page, sandbox": f"{reverse('admin:index')}?period=today&money=sandbox-{CURRENCY}",
        "waiting": inbox,
        "held payments": reverse("admin:wallet_hold_changelist"),
        "withdrawals": reverse("admin:wallet_withdrawal_changelist"),
        "withdrawal held": withdrawal,
        "hold": page("wallet_hold", kept.pk),
        "release for a second person": page("operators_change", waits and waits.pk),
        "case": page("compliance_case", case.pk),
        "player with a case": page("operators_player", kept.player_id),
        "player frozen": page("operators_player", frozen),
        "player excluded by both": page("operators_player", excluded),
        "exclusions": page("wallet_playerrestrictions", excluded),
        "players": reverse("admin:operators_player_changelist"),
    }
    return {
        Role.COMPLIANCE: compliance,
        Role.CASHIER: {"waiting": inbox, "withdrawal held": withdrawal},
        Role.DUTY_MANAGER: {"stop play": reverse("admin:baccarat_killswitch_throw")},
    }


def _player(operator: uuid.UUID, nickname: str) -> uuid.UUID:
    metadata = Metadata(operator=str(operator), actor="bench", causation="", correlation="")
    return wallet.register_player(
        operator=operator, reference=nickname.lower(), nickname=nickname, currency=CURRENCY, metadata=metadata
    ).id
