"""Two persons for everything that needs two: one person alone gets nowhere, by any door or trick.

What needs two is written in `tests/operations.toml`.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID, uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.contrib import admin
from django.contrib.auth.models import User
from django.urls import reverse

from baccarat.domain.rounds.events import VoidReason
from baccarat.domain.tables.kill_switch import AlreadyStopped, StopScope
from baccarat.services import freezing, kill_switch, rules_lifecycle, table_lifecycle, voiding
from baccarat.storage.models import Round, RulesVersion, Table
from casino.compliance import erasure
from casino.compliance.models import Erasure
from casino.devstack.person import Person
from casino.events.ids import new_id
from casino.events.sql import database_now
from casino.events.store import Metadata
from casino.feed.models import WebhookEndpoint
from casino.kernel.money import MoneyType
from casino.operators import assertions, changes, daily_caps, key_limits, limits_groups
from casino.operators.assertions import HEADER
from casino.operators.daily_caps import CapEffect, CapKind
from casino.operators.key_limits import KeyLimits, Movement
from casino.operators.limits_groups import GroupLimits
from casino.operators.models import Change, Operator, StaffMembership, StaffSubject
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.reports import saved
from casino.reports.intervals import ReportPeriod
from casino.staff import people
from tests.baccarat.api.people import JSON, Tenant, bet, deal_all, sit, tenant
from tests.operations import IN_THE_ADMIN_ALONE, MATTERS
from tests.support import rules as waiting_rules
from tests.support import voids
from tests.support.acts import agreed, permit_every_act
from tests.support.depth import deep
from tests.support.office import client_of
from tests.support.payouts import pay_unplayed
from tests.support.protection import age_wishes
from tests.wallet.payments.counter import offer, use_provider
from wallet.adjustments import services as adjustments
from wallet.adjustments.events import AdjustmentDirection, AdjustmentReason
from wallet.models import Adjustment, Hold, PlayerRestrictions, Withdrawal
from wallet.payments import holds, methods, withdrawals
from wallet.payments.gate import HoldTerms
from wallet.payments.terms import WithdrawalTerms
from wallet.responsible_gaming import changes as protection_changes
from wallet.responsible_gaming import services as protection
from wallet.responsible_gaming.events import Initiator
from wallet.responsible_gaming.services import PlayerContext

admin.autodiscover()  # as casino.urls does, which only web loads
pytestmark = pytest.mark.django_db


@dataclass(frozen=True, slots=True)
class Stage:
    """An operator, two superusers who see everything in the admin, and a member of staff whom changes concern.

    `double` is another account of the first one, who made it.
    """

    house: Tenant
    maker: User
    checker: User
    double: User
    ann: User

    @property
    def operator(self) -> UUID:
        return UUID(self.house.id)

    def metadata(self, by: str) -> Metadata:
        return Metadata(operator=self.house.id, actor=by, causation="")

    def player(self) -> UUID:
        return UUID(self.house.player("Alice").id)


@dataclass(frozen=True, slots=True)
class Waiting:
    """What one person requested: where another decides it in the admin and over HTTP, and whether it is done."""

    page: str
    is_done: Callable[[], bool]
    path: str = ""


Request = Callable[[Stage, str], Waiting]


def change_of(kind: str, details: Callable[[Stage], dict[str, Any]]) -> Request:
    def request(stage: Stage, by: str) -> Waiting:
        change = changes.request(
            operator=stage.operator,
            kind=kind,
            subject=f"staff:{stage.ann.pk}",
            summary=kind,
            details=details(stage),
            by=by,
        )
        return Waiting(
            reverse("admin:operators_change_confirm", args=[change.pk]),
            lambda: Change.objects.filter(pk=change.pk, status__in=("confirmed", "effective")).exists(),
            f"changes/{change.pk}/confirm",
        )

    return request


def request_adjustment(stage: Stage, by: str) -> Waiting:
    adjustment = adjustments.request(
        operator=stage.operator,
        player=stage.player(),
        money_type=MoneyType.REAL,
        currency="EUR",
        direction=AdjustmentDirection.CREDIT,
        amount=1000,
        reason=AdjustmentReason.COMPLAINT,
        note="Ticket",
        metadata=stage.metadata(by),
    ).pk
    return Waiting(
        reverse("admin:operators_change_confirm", args=[adjustment]),
        lambda: Adjustment.objects.filter(pk=adjustment).exists(),
        f"changes/{adjustment}/confirm",
    )


def request_withdrawal(stage: Stage, by: str) -> Waiting:
    with agreed():
        card = methods.create(operator=stage.operator, offer=offer(), actor="staff:1")
    pay_unplayed(stage.operator)
    payment = withdrawals.request(
        operator=stage.operator,
        player=stage.player(),
        currency="EUR",
        method=card.id,
        amount=1000,
        metadata=stage.metadata("player:1"),
    )
    withdrawals.approve(payment, staff=by, metadata=stage.metadata(by))
    change = changes.waiting(withdrawals.KIND, f"withdrawal:{payment}")
    assert change is not None
    return Waiting(
        reverse("admin:operators_change_confirm", args=[change.pk]),
        lambda: Withdrawal.objects.get(pk=payment).status != "requested",
        f"changes/{change.pk}/confirm",
    )


def request_release(stage: Stage, by: str) -> Waiting:
    """Request the release of a withdrawal of money that was never staked."""
    with agreed():
        card = methods.create(operator=stage.operator, offer=offer(), actor="staff:1")
    payment = withdrawals.request(
        operator=stage.operator,
        player=stage.player(),
        currency="EUR",
        method=card.id,
        amount=1000,
        metadata=stage.metadata("player:1"),
    )
    hold = Hold.objects.get(withdrawal_id=payment)
    change = holds.release(hold.pk, by=by, metadata=stage.metadata(by))
    assert change is not None
    return _decided_there(change, lambda: Hold.objects.get(pk=hold.pk).status == "released")


def request_release_of_credit(stage: Stage, by: str) -> Waiting:
    """Request a credit beyond the cap of the day, which another person approves and a third one releases."""
    door = by.partition(":")[0]
    change = changes.request(
        operator=stage.operator,
        kind="release_credit",
        subject=f"player:{(player := stage.player())}",
        summary="Release a held credit",
        details={
            "player": str(player),
            "money_type": "real",
            "currency": "EUR",
            "direction": "credit",
            "amount": 1000,
            "reason": "complaint",
            "note": "",
            "message": "",
            "as_debt": False,
            "approved_by": f"{door}:9998",
        },
        by=by,
    )
    changes.confirm(change.pk, by=f"{door}:9999")
    return _decided_there(change, lambda: Adjustment.objects.filter(pk=change.pk).exists())


def request_unfreeze(stage: Stage, by: str) -> Waiting:
    player = stage.player()
    freezing.freeze(operator=stage.operator, player=player, reason="An order", metadata=stage.metadata("staff:1"))
    change = protection_changes.request_unfreeze(operator=stage.operator, player=player, by=by)
    return _decided_there(change, lambda: not PlayerRestrictions.objects.get(player_id=player).frozen)


def _decided_there(change: Change, is_done: Callable[[], bool]) -> Waiting:
    page = reverse("admin:operators_change_confirm", args=[change.pk])
    return Waiting(page, is_done, f"changes/{change.pk}/confirm")


def request_rules(stage: Stage, by: str) -> Waiting:
    table = UUID(stage.house.table("mini"))
    context = {"table": table, "operator": stage.operator, "metadata": stage.metadata(by)}
    version = rules_lifecycle.draft(by=by, differences={"minimum": 1000}, **context)
    change = waiting_rules.waiting(table, version)
    return Waiting(
        reverse("admin:operators_change_confirm", args=[change]),
        lambda: RulesVersion.objects.get(table_id=table, version=version).status == "published",
        f"changes/{change}/confirm",
    )


def request_table(stage: Stage, by: str) -> Waiting:
    change = table_lifecycle.request_table(
        operator=stage.operator,
        name="Salon",
        preset="atlantic_city",
        currency="EUR",
        money_types=[MoneyType.REAL],
        edge_accepted=True,
        overrides={},
        acknowledgement="",
        listed=True,
        brands=(),
        by=by,
    )
    return Waiting(
        reverse("admin:operators_change_confirm", args=[change.pk]),
        lambda: Table.objects.filter(pk=table_lifecycle.table_of(change)).exists(),
        f"changes/{change.pk}/confirm",
    )


def request_void(stage: Stage, by: str) -> Waiting:
    alice, table = stage.house.player("Alice"), stage.house.table("mini")
    sit(alice, table)
    bet(alice, table, banker="10.00")
    deal_all()
    round_ = Round.objects.get(table_id=table, phase="settled").pk
    voiding.void(
        round_=round_,
        operator=stage.operator,
        reason=VoidReason.MALFUNCTION.value,
        note="It jammed.",
        metadata=stage.metadata(by),
    )
    change = voids.waiting(round_)
    return Waiting(
        reverse("admin:operators_change_confirm", args=[change]),
        lambda: Round.objects.get(pk=round_).phase == "voided",
        f"changes/{change}/confirm",
    )


def request_erasure(stage: Stage, by: str) -> Waiting:
    player = UUID(stage.house.do("players", {"reference": "r1", "nickname": "Alice"})["id"])
    wanted = erasure.request(
        operator=stage.operator, player=player, by=by, reason="player_request", overrides_retention=True
    )
    return Waiting(
        reverse("admin:operators_change_confirm", args=[wanted.pk]),
        lambda: Erasure.objects.filter(pk=wanted.pk).exists(),
        f"changes/{wanted.pk}/confirm",
    )


def excluded_player(stage: Stage) -> dict[str, Any]:
    player = stage.player()
    context = PlayerContext(stage.operator, player, "EUR", stage.metadata("player:1"))
    protection.self_exclude(context=context, by=Initiator.PLAYER, months=6)
    age_wishes(player, timedelta(days=200))
    return {"player": str(player)}


def key_of(stage: Stage) -> str:
    return stage.house.credential.partition(".")[0]


def capped_wins(stage: Stage) -> dict[str, Any]:
    """Cap what players win in a day, and return what lets them win more."""
    terms = {"kind": CapKind.WINS, "currency": "EUR", "effect": CapEffect.STOP_BETS}
    with agreed():
        daily_caps.change(operator=stage.operator, **terms, amount=1, by="staff:1")
    return {**terms, "cap": 9_000_000}


def limited_key(stage: Stage) -> dict[str, Any]:
    """Limit the operator's key, and return what lets it move more."""
    named = {"key": key_of(stage), "movement": Movement.CREDIT, "currency": "EUR"}
    with agreed():
        key_limits.change(**named, limits=KeyLimits(None, 1), by="staff:1")
    return {**named, "limits": [None, 100]}


def limited_player(stage: Stage) -> dict[str, Any]:
    """Move a player to narrow limits, and return what moves the player back."""
    player, by = stage.player(), "staff:1"
    with agreed():
        limits_groups.change(
            operator=stage.operator, name="narrow", currency="EUR", limits=GroupLimits(maximum=1), by=by
        )
        limits_groups.change(
            operator=stage.operator, name="standard", currency="EUR", limits=GroupLimits(maximum=2), by=by
        )
        limits_groups.assign(operator=stage.operator, player=player, name="narrow", by=by)
    return {"player": str(player), "group": "standard"}


def narrow_networks(stage: Stage) -> dict[str, Any]:
    """Let the staff sign in from here alone, and return what lets them do so from elsewhere."""
    with agreed():
        Operator.objects.filter(pk=stage.operator).update(staff_networks=["127.0.0.0/8"])
    return {"operator": stage.house.id, "networks": ["203.0.113.0/24"]}


def stopped_operator(stage: Stage) -> dict[str, Any]:
    """Stop an operator as its key does, and return what ends that."""
    named = {"scope": StopScope.OPERATOR, "subject": stage.house.id}
    with suppress(AlreadyStopped):
        kill_switch.stop(**named, operator=stage.operator, reason="A drill", metadata=stage.metadata("operator:op_1"))
    return {**named, "reason": "It is over", "order": "", "rank": "operator"}


def saved_report(stage: Stage) -> dict[str, Any]:
    terms = {"title": "Daily", "name": "liability", "period": ReportPeriod.DAY, "operators": [stage.operator]}
    return {"report": saved.save_report(**terms, by="staff:1").pk, "address": "a@lucky.example", "format": "csv"}


def waiting_webhook(stage: Stage) -> dict[str, Any]:
    url = "https://lucky.example/webhooks"
    endpoint = WebhookEndpoint.objects.create(
        id=uuid4(), operator_id=stage.operator, url=url, types=[], status="waiting", created_at=database_now()
    )
    return {"webhook": str(endpoint.pk)}


def new_jwk() -> dict[str, str]:
    return Person("", "", Ed25519PrivateKey.generate()).jwk


def provider_details() -> dict[str, Any]:
    return {"issuer": "https://login.example", "client_id": "x", "key_id": "k", "secret": "00", "second_factors": []}


POLICY: Final = {
    "currency": "EUR",
    "auto_approve_up_to": 0,
    "second_approval_above": 0,
    "terms": asdict(WithdrawalTerms()),
    "holds": asdict(HoldTerms()),
}
THRESHOLDS: Final = ("wager", "wager_day", "win", "win_day", "payment")
LOOSE_RULE: Final = {
    "kind": "deposit_count",
    "terms": {"hours": 1, "count": 1000},
    "currency": "",
    "jurisdiction": "",
    "reason": "Too many",
}
REQUESTS: Final[dict[str, Request]] = {
    "void": request_void,
    "rules": request_rules,
    "open_table": request_table,
    "erasure": request_erasure,
    "adjustment": request_adjustment,
    "withdrawal": request_withdrawal,
    "release_payment": request_release,
    "unfreeze": request_unfreeze,
    "release_credit": request_release_of_credit,
    **{
        kind: change_of(kind, details)
        for kind, details in {
            "api_key": lambda stage: {
                "key": "op_new",
                "secret_hash": "00",
                "operator": stage.house.id,
                "label": "Cashier",
                "brand": None,
                "scopes": ["read"],
                "networks": [],
                "expires_at": None,
                "limits": {"EUR": [None, 100]},
            },
            "assertion_key": lambda _: {"name": "IdP", "jwk": new_jwk(), "subject": "dora"},
            "daily_cap": capped_wins,
            "deposit_method": lambda _: {"method": str(uuid4()), "is_new": True, "offer": asdict(offer())},
            "end_exclusion": excluded_player,
            "funding": lambda _: {"funding": "transfer"},
            "identity_provider": lambda _: provider_details(),
            "jurisdiction": lambda _: {"jurisdiction": "MT"},
            "key_limit": limited_key,
            "key_terms": lambda stage: {
                "key": key_of(stage),
                "scopes": ["read"],
                "networks": [],
                "expires_at": None,
            },
            "player_group": limited_player,
            "report_destination": saved_report,
            "key_rotation": lambda stage: {"key": key_of(stage), "secret_hash": "00"},
            "limits_group": lambda _: {
                "name": "vip",
                "currency": "EUR",
                "limits": {"maximum": 9_000_000},
            },
            "origins": lambda stage: {"operator": stage.house.id, "origins": [], "added": ["https://a.example"]},
            "play_money_cap": lambda _: {"currency": "EUR", "cap": 1},
            "return_floor": lambda stage: {"operator": stage.house.slug, "percent": "50"},
            "risk_rule": lambda _: LOOSE_RULE,
            "signing_key": lambda stage: {
                "key": key_of(stage),
                "jwk": json.dumps(Person("", "", Ed25519PrivateKey.generate()).jwk),
            },
            "replace_witness": lambda _: {"name": "another", "reason": "away"},
            "release": lambda _: {"reason": "Release 7", "code": "c", "dependencies": "d", "settings": "s"},
            "resume_play": stopped_operator,
            "staff_authenticator": lambda _: {},
            "staff_email": lambda _: {"email": "new@example.com"},
            "staff_link": lambda stage: {"operator": stage.house.id, "subject": "somebody"},
            "staff_networks": narrow_networks,
            "staff_operators": lambda stage: {"operators": [stage.house.id]},
            "staff_password": lambda _: {},
            "staff_return": lambda _: {},
            "staff_role": lambda _: {"functions": ["reports.view_report"]},
            "staff_roles": lambda _: {"roles": ["cashier"]},
            "staff_superuser": lambda _: {},
            "thresholds": lambda _: {"currency": "EUR", "amounts": dict.fromkeys(THRESHOLDS, 9_000_000)},
            "unsigned_requests": lambda stage: {"operator": stage.house.id, "key": ""},
            "webhook": waiting_webhook,
            "void_policy": lambda _: {"forgive": True},
            "withdrawal_policy": lambda _: POLICY,
        }.items()
    },
}
each_matter = pytest.mark.parametrize("matter", sorted(MATTERS))
# What stands before every change alike: by day, tried with some of them.
some_matters = pytest.mark.parametrize("matter", deep(sorted(MATTERS)[::6], sorted(MATTERS)))


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    use_provider(monkeypatch)
    return new_stage()


def new_stage() -> Stage:
    house = tenant("lucky")
    with agreed():
        maker, checker, double = (User.objects.create_superuser(name) for name in ("maker", "checker", "double"))
        for each in (maker, checker, double):
            permit_every_act(each)
        people.record_maker(double, by=f"staff:{maker.pk}")
        ann = User.objects.create_user("ann", is_staff=True)
        StaffMembership.objects.create(user=ann, operator_id=house.id)
    return Stage(house, maker, checker, double, ann)


def test_every_kind_of_change_is_in_the_table_and_everything_in_the_table_is_tried_here() -> None:
    assert {kind for kind in changes.kinds() if changes.persons_for(kind) > 1} == MATTERS == set(REQUESTS)


@each_matter
def test_in_the_admin_the_requester_alone_does_nothing_and_another_person_does_it(stage: Stage, matter: str) -> None:
    waiting = REQUESTS[matter](stage, f"staff:{stage.maker.pk}")
    for own in (stage.maker, stage.double):
        client_of(own).post(waiting.page)
        assert not waiting.is_done()
    client_of(stage.checker).post(waiting.page)
    assert waiting.is_done()


@some_matters
def test_who_requested_through_the_other_door_may_be_the_same_person(stage: Stage, matter: str) -> None:
    waiting = REQUESTS[matter](stage, "desk:alice")

    client_of(stage.checker).post(waiting.page)
    assert not waiting.is_done()


def send(stage: Stage, path: str, assertion: str) -> tuple[int, str]:
    """Decide over HTTP with this assertion; return the status and the problem's code."""
    headers = {"Idempotency-Key": uuid4().hex, **({HEADER: assertion} if assertion else {})}
    answer = stage.house.send("post", path, data=b"{}", content_type=JSON, headers=headers)
    return answer.status_code, answer.json().get("code", "")


def sign(stage: Stage, path: str, person: str) -> str:
    return stage.house.assertion(person, "POST", path, b"{}")


@each_matter
def test_over_http_the_requester_alone_does_nothing_and_another_person_does_it(stage: Stage, matter: str) -> None:
    waiting = REQUESTS[matter](stage, stage.house.actor("alice"))
    path = waiting.path
    assert send(stage, path, sign(stage, path, "alice"))[0] == 403
    assert send(stage, path, "") == (403, "assertion_required")
    assert not waiting.is_done()

    good = sign(stage, path, "bert")
    if matter in IN_THE_ADMIN_ALONE:
        assert send(stage, path, good) == (403, "change_for_the_admin")
        assert not waiting.is_done()
        return
    assert send(stage, path, good) == (200, "")
    assert waiting.is_done()
    assert send(stage, path, good) == (403, "assertion_used")


@some_matters
def test_over_http_no_spelling_and_no_signature_of_something_else_is_another_person(stage: Stage, matter: str) -> None:
    waiting = REQUESTS[matter](stage, stage.house.actor("alice"))
    path = waiting.path
    second_key = Ed25519PrivateKey.generate()
    key = assertions.register_key(
        operator=stage.operator,
        name="Second",
        jwk=Person("", "", second_key).jwk,
        subject="bert",
        requested_by="staff:1",
        confirmed_by="staff:2",
    )
    removed = Person(stage.house.id, "bert", second_key).sign("POST", f"/api/v1/{path}", b"{}")
    assertions.remove_key(key.pk, by="staff:1")

    for spelling in ("ALICE", "Alice", "\uff41lice"):
        assert send(stage, path, sign(stage, path, spelling))[0] == 403
    assert send(stage, path, removed) == (403, "assertion_invalid")
    for other in (f"{path}?again=1", f"changes/{uuid4()}/decline", "adjustments"):
        assert send(stage, path, sign(stage, other, "bert")) == (403, "assertion_invalid")
    other_body = stage.house.assertion("bert", "POST", path, json.dumps({"as_debt": True}).encode())
    assert send(stage, path, other_body) == (403, "assertion_invalid")
    assert not waiting.is_done()


@some_matters
def test_a_person_with_two_doors_is_one_person(stage: Stage, matter: str) -> None:
    StaffSubject.objects.create(user=stage.maker, operator_id=stage.house.id, subject="alice")
    waiting = REQUESTS[matter](stage, f"staff:{stage.maker.pk}")

    if waiting.path:
        assert send(stage, waiting.path, sign(stage, waiting.path, "Alice"))[0] == 403
    client_of(stage.maker).post(waiting.page)
    assert not waiting.is_done()


@some_matters
def test_a_change_is_requested_by_a_person(stage: Stage, matter: str) -> None:
    for nobody in ("operator:op_1", "command", "system:changes", f"player:{new_id(database_now())}", "desk:", "staff:"):
        with pytest.raises(ChangeNeedsSecondPerson):
            REQUESTS[matter](stage, nobody)
