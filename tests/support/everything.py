"""A house with one of everything: whatever the admin has a button for, there is a row at which it is pressed."""

import json
from datetime import UTC, datetime, timedelta
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.contrib.auth.models import Group, Permission, User
from django.utils import timezone

from baccarat.chat import moderation
from baccarat.chat import services as chat
from baccarat.chat.events import ModerationReason
from baccarat.chat.moderation import ModerationContext
from baccarat.domain.tables.kill_switch import StopScope
from baccarat.risk import rules
from baccarat.risk.rules import NewRule, RuleKind, RuleTerms
from baccarat.services import kill_switch, skins
from baccarat.storage.models import Table
from casino.compliance import cases
from casino.compliance.models import CaseKind
from casino.devstack.person import Person
from casino.events import sealer
from casino.events.store import Metadata
from casino.feed import webhooks, writer
from casino.operators import assertions, changes, key_rotation, limits_groups, services, signing_keys
from casino.operators.key_models import KeyLimit
from casino.operators.limits_groups import GroupLimits
from casino.operators.models import ApiKey, Change, Operator, StaffMembership
from casino.reports import generation, saved
from casino.reports.intervals import ReportPeriod, lifetime_interval
from casino.staff import identity_providers
from casino.staff.duties import Role
from tests.support.acts import agreed
from tests.support.keys import issue_key
from tests.support.office import Office, open_office
from tests.support.payouts import pay_unplayed
from tests.support.protection import age_wishes, on
from tests.wallet.payments.counter import offer
from wallet.ledger import player_accounts
from wallet.payments import methods, withdrawals
from wallet.payments.gate import HoldTerms
from wallet.payments.provider_reports import PaymentKind, ProviderStatus
from wallet.reconciliation import services as reconciliation
from wallet.reconciliation.comparison import TheirPayment, compare
from wallet.reconciliation.sources import ReconciliationDay
from wallet.responsible_gaming import services as protection
from wallet.responsible_gaming.events import Initiator

THEIRS = datetime(2026, 11, 20, tzinfo=UTC)
"""A day with payments that only the provider has."""


def full_office(slug: str) -> Office:
    """Open an office and add one of everything, by `eye`, a superuser; no change waits for another person."""
    office = open_office(slug)
    with agreed():
        eye, _ = (User.objects.create_superuser(name, f"{name}@example.com") for name in ("eye", "other"))
        eye.groups.set(Group.objects.filter(name=Role.DUTY_MANAGER))  # as whom it stops play for the platform
        by = f"staff:{eye.pk}"
        about = Metadata(str(office.operator.pk), actor=by, causation="")
        _access(office.operator, by)
        _play(office, about)
        _money(office, about)
        _oversight(office, by)
    sealer.seal_all()
    while writer.write_new_items():
        pass
    return office


def _jwk(number: int) -> str:
    return json.dumps(Person("", "", Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)).jwk)


def _access(operator: Operator, by: str) -> None:
    """Give each control of access something that can be loosened, or removed."""
    here = ["127.0.0.0/8"]
    Operator.objects.filter(pk=operator.pk).update(staff_networks=here, signatures_required=True)
    (key,) = ApiKey.objects.filter(operator=operator)
    other, _ = issue_key(operator=operator.pk)
    KeyLimit.objects.update(per_day=10_000)
    for number in range(2):
        signing_keys.add_public(key_id=key.pk, jwk=_jwk(number), by=by)
        _, _, waits = webhooks.register(operator=operator.pk, url="https://lucky.example/in", types=[], by=by)
        _confirm(waits)
    signing_keys.require(key_id=key.pk, required=True, by=by)
    signing_keys.add_public(key_id=other, jwk=_jwk(2), by=by)  # which requires no signatures yet
    key_rotation.rotate(key_id=key.pk, by=by)
    annex = services.create_operator(slug="annex", name="Annex", currencies=["EUR"], sandbox=False)
    signing_keys.add_public(key_id=issue_key(operator=annex.pk)[0], jwk=_jwk(3), by=by)
    agent = Person(str(operator.pk), "agent", Ed25519PrivateKey.generate())
    named = {"name": "Agent", "jwk": agent.jwk, "subject": "agent"}
    assertions.register_key(operator=operator.pk, **named, requested_by=by, confirmed_by="staff:2")
    limits_groups.change(operator=operator.pk, name="careful", currency="EUR", limits=GroupLimits(maximum=1), by=by)
    night = Group.objects.create(name="night")
    night.permissions.set(Permission.objects.filter(codename="view_entry"))
    asked = identity_providers.request_provider(
        operator=operator.pk, issuer="https://id.example", client_id="casino", client_secret="s", second_factors=[],
        by=by,
    )  # fmt: skip
    _confirm(asked)


def _confirm(change: Change | None) -> None:
    assert change is not None
    changes.confirm(change.pk, by=f"staff:{User.objects.get(username='other').pk}")


def _play(office: Office, about: Metadata) -> None:
    operator = office.operator.pk
    office.suspended()
    dora, carol, erin, _ = (
        player_accounts.register_player(
            operator=operator, reference=name, nickname=name, currency="EUR", metadata=about
        ).id
        for name in ("dora", "carol", "erin", "fred")
    )
    limits_groups.change(operator=operator, name="apart", currency="EUR", limits=GroupLimits(maximum=1), by=about.actor)
    limits_groups.assign(operator=operator, player=erin, name="apart", by=about.actor)
    protection.self_exclude(context=on(office.house, dora), by=Initiator.PLAYER, months=6)
    age_wishes(dora, timedelta(days=200))
    office.house.credit(carol, 5_000_000)
    writes = office.house.guest(office.company[0].guest.table, carol)
    writes.sit(5)
    said = chat.say(actor=writes.guest, text="Good evening")
    chat.report_message(actor=office.company[0].guest, message=said.id, reason="Rude")
    for word in ("darn", "dash"):
        moderation.add_filter_word(operator=operator, word=word, metadata=about)
    context = ModerationContext(operator=operator, player=carol, note="", metadata=about)
    moderation.mute(context=context, reason=ModerationReason.SPAM, minutes=5)
    moderation.unmute(context=context)
    skins.create(operator=operator, name="standard", by=about.actor)
    _stops(office, [office.player.id, carol, dora], about)


def _stops(office: Office, players: list[UUID], about: Metadata) -> None:
    """Stop players of an operator as each rank does, and a table by an order."""
    operator = office.operator.pk
    for player, role in zip(players, (Role.FLOOR_MANAGER, Role.DUTY_MANAGER, None), strict=True):
        by = about.actor
        if role is not None:
            user = User.objects.create_user(role, f"{role}@example.com", is_staff=True)
            user.groups.set(Group.objects.filter(name=role))
            StaffMembership.objects.create(user=user, operator=office.operator)
            by = f"staff:{user.pk}"
        stop = {"scope": StopScope.PLAYER, "subject": str(player), "reason": "Seen"}
        kill_switch.stop(**stop, metadata=Metadata(str(operator), actor=by, causation=""))
    table = str(Table.objects.filter(operator_id=operator).latest("id").pk)
    kill_switch.stop(scope=StopScope.TABLE, subject=table, order="MGA/1", reason="Ordered", metadata=about)


def _money(office: Office, about: Metadata) -> None:
    operator = office.operator.pk
    card = methods.create(operator=operator, offer=offer(), actor=about.actor)
    paid = {"player": office.player.id, "currency": "EUR", "method": card.id}
    by_player = Metadata(str(operator), actor="player:1", causation="")
    pay_unplayed(operator, second=1500, holds=HoldTerms(played_ppm=0, kyc_above=1500))
    for amount in (1000, 2000):  # of which one is held
        withdrawals.request(operator=operator, **paid, amount=amount, metadata=by_player)
    day = ReconciliationDay(operator, "sandbox", THEIRS.date(), THEIRS, THEIRS + timedelta(days=1))
    theirs = [TheirPayment(PaymentKind.DEPOSIT, "p1", "tx", ProviderStatus.COMPLETED, 900, "EUR")]
    reconciliation._record(day, "EUR", compare([], theirs))


def _oversight(office: Office, by: str) -> None:
    operator = office.operator.pk
    terms = RuleTerms(hours=24, amount=15_000)
    rule = NewRule(kind=RuleKind.STAKE_SUM, terms=terms, reason="New", currency="EUR", operator=operator)
    rules.change_rule(rule, by=by)
    cases.open_case(operator=operator, kind=CaseKind.COMPLAINT, subject=f"player:{office.player.id}", details={})
    revenue = saved.save_report(title="Ours", name="revenue", period=ReportPeriod.DAY, operators=[operator], by=by)
    saved.add_destination(revenue, address="eve@lucky.example", file_format="csv", by=by)
    interval = lifetime_interval(until=timezone.now(), zone="UTC")
    generation.generate_report(operator=operator, name="revenue", interval=interval, by=by)
