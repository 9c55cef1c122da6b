"""What compliance is told of the log: each thing once, in its words, behind the game and never in its way."""

from dataclasses import replace
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from baccarat import tasks
from baccarat.chat import moderation
from baccarat.compliance import mapping, subscriber
from casino.backoffice import html
from casino.crypto import crypto_shredding
from casino.events import sealer
from casino.events.records import SealedEvent
from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from casino.operators import changes
from casino.significant import thresholds
from casino.significant.models import SignificantEvent, Unacknowledged
from casino.significant.recorder import SignificantEventKind
from casino.significant.thresholds import Thresholds
from tests.support import voids
from tests.support.office import Office, open_office, staff
from wallet.adjustments import services as adjustments
from wallet.adjustments.events import AdjustmentDirection, AdjustmentReason
from wallet.events import CATALOGUE as WALLET
from wallet.payments.events import DepositReversed
from wallet.responsible_gaming import services as protection

pytestmark = pytest.mark.django_db
SMALL = Thresholds(wager=10_000, wager_day=20_000, win=9_000, win_day=9_000, payment=1)
NOTHING_IS_LARGE = Thresholds(*[10**12] * 5)


@pytest.fixture
def office() -> Office:
    """Open a casino whose two rounds at each of two tables have been read, with nothing large in them."""
    office = open_office()
    let(office, NOTHING_IS_LARGE)
    read()
    return office


def let(office: Office, amounts: Thresholds) -> None:
    thresholds.change(operator=office.operator.id, currency="EUR", thresholds=amounts, actor="staff:1")


def read() -> int:
    sealer.seal_all()
    return subscriber.record_new_events()


def told(kind: str) -> list[SignificantEvent]:
    return list(SignificantEvent.objects.filter(kind=kind).order_by("number"))


def test_a_void_names_who_asked_who_agreed_why_and_what_it_undid(office: Office) -> None:
    round_ = office.settled(office.single)
    voids.void_settled(office.house, round_.pk, note="A card stuck.")
    read()
    (event,) = told("round_voided")
    assert (event.subject, event.operator_id) == (f"round:{round_.pk}", office.operator.id)
    assert (event.actor, event.authorised_by, crypto_shredding.decrypt_text(event.reason)) == (
        "staff:1",
        "staff:2",
        "malfunction: A card stuck.",
    )
    assert event.before is not None
    assert event.after is not None
    assert (event.before["phase"], event.after["phase"], event.after["given_back"]) == ("settled", "voided", "100.00")


def test_a_correction_tells_the_balance_before_and_after(office: Office) -> None:
    whose: dict[str, Any] = {
        "operator": office.operator.id, "metadata": replace(office.house.metadata, actor="staff:1"),
    }  # fmt: skip
    wanted = adjustments.request(
        player=office.player.id, money_type=MoneyType.REAL, currency="EUR", direction=AdjustmentDirection.CREDIT,
        amount=2_000, reason=AdjustmentReason.COMPLAINT, note="Ticket 4411.", message="", **whose,
    )  # fmt: skip
    changes.confirm(wanted.pk, by="staff:2")
    read()
    (event,) = told("money_adjusted")
    assert (event.subject, event.actor, event.authorised_by) == (f"adjustment:{wanted.pk}", "staff:1", "staff:2")
    assert event.amount == 2_000
    assert event.before is not None
    assert event.after is not None
    assert Decimal(event.after["balance"]) - Decimal(event.before["balance"]) == 20


def test_a_reversed_deposit_that_was_spent_is_a_negative_balance() -> None:
    deposit, operator, player = uuid4(), uuid4(), uuid4()
    event = DepositReversed(
        deposit=deposit, operator=operator, player=player, currency="EUR", amount=5_000, fee=0, credited=True,
        taken=2_000, owed=3_000, reference="r", reason="chargeback", at=timezone.now(),
    )  # fmt: skip
    encoded = WALLET.encode(event)
    sealed = SealedEvent(
        7, b"", 1, 1, f"deposit-{deposit}", 3, encoded.type, encoded.schema, encoded.data, b"{}", timezone.now()
    )
    (significant,) = subscriber.enrich(sealed, list(mapping.map_event(sealed)))
    assert (significant.kind, significant.subject) == (SignificantEventKind.NEGATIVE_BALANCE, f"player:{player}")
    assert (significant.amount, significant.currency) == (-3_000, "EUR")
    assert significant.after is not None
    assert significant.after["owed"] == "30.00"


def test_a_round_that_is_set_aside_is_told_with_its_reason(office: Office) -> None:
    aside = office.suspended()
    read()
    (event,) = told("round_suspended")
    assert (event.subject, event.reason) == (f"round:{aside.pk}", aside.suspension_reason)


def test_large_wagers_and_wins_are_told_once_however_often_the_log_is_read(office: Office) -> None:
    let(office, SMALL)
    office.play()
    read()
    single, in_a_day = (
        [event for event in told("large_wager") if event.reason.startswith(words)] for words in ("In one", "In all")
    )
    assert [event.amount for event in single] == [10_000] * 3
    assert {event.subject for event in in_a_day} == {f"player:{at.player}" for at in (office.single, *office.company)}
    assert {event.amount for event in in_a_day} == {30_000}
    won = fetch(
        "SELECT count(*) FROM baccarat_wager WHERE returned - staked >= 9000 AND round_id IN "
        "(SELECT id FROM baccarat_round WHERE number = (SELECT max(number) FROM baccarat_round))"
    )[0][0]
    assert len([event for event in told("large_win") if event.reason.startswith("In one")]) <= won + 3

    before = SignificantEvent.objects.count()
    fetch("UPDATE events_subscription SET position = 0 WHERE name = 'significant' RETURNING position")
    let(office, NOTHING_IS_LARGE)
    read()
    assert SignificantEvent.objects.count() == before + 1  # the change of the thresholds


def test_play_money_is_never_large(office: Office) -> None:
    guest = office.house.seated(office.house.table("mini"), money_type=MoneyType.PLAY)
    let(office, SMALL)
    guest.deal({"banker": 20_000})
    tasks.deal_due()
    read()
    assert not told("large_wager")


def test_a_batch_costs_so_many_statements_however_many_wagers_are_in_it(office: Office) -> None:
    let(office, SMALL)

    def cost(rounds: int) -> int:
        office.play(rounds)
        with CaptureQueriesContext(connection) as asked:
            assert subscriber.record_new_events() > 0
        return len(asked)

    assert cost(3) == cost(1)


def test_changed_filter_words_wait_to_be_acknowledged_and_opened_tables_do_not(office: Office) -> None:
    metadata = office.house.metadata
    moderation.add_filter_word(operator=office.operator.id, word="rascal", metadata=metadata)
    moderation.remove_filter_word(operator=office.operator.id, word="rascal", metadata=metadata)
    tasks.record_significant_events()
    sealer.seal_all()
    tasks.record_significant_events()
    said = [event.reason for event in told("config_changed")]
    assert [words for words in said if "filter" in words] == [
        "A word was added to the chat filter",
        "A word was removed from the chat filter",
    ]
    assert [event.reason for event in told("table_opened")].count("A table was opened: A table") == 2
    waiting = Unacknowledged.objects.values("event_id")
    assert not SignificantEvent.objects.filter(kind="table_opened", pk__in=waiting).exists()


def test_thresholds_are_of_an_operator_and_a_currency_and_their_change_is_told(office: Office) -> None:
    stranger = UUID("0190a000-0000-7000-8000-000000000009")
    let(office, SMALL)
    found = thresholds.thresholds_for([(office.operator.id, "EUR"), (office.operator.id, "JPY"), (stranger, "EUR")])
    assert found[office.operator.id, "EUR"] == SMALL
    assert (
        found[office.operator.id, "JPY"]
        == thresholds.default("JPY")
        == Thresholds(10_000, 50_000, 10_000, 50_000, 10_000)
    )
    assert found[stranger, "EUR"].wager == 1_000_000
    event = told("config_changed")[-1]
    assert event.actor == "staff:1"
    assert (event.before or {})["wager"] == NOTHING_IS_LARGE.wager
    assert (event.after or {})["wager"] == SMALL.wager


@pytest.mark.parametrize(("schema", "data"), [(1, b'{"reason": 5}'), (9, b"{}")])
def test_an_event_that_cannot_be_read_is_told_and_holds_up_nothing(office: Office, schema: int, data: bytes) -> None:
    metadata = b'{"operator": "", "actor": "dealer"}'
    bad = SealedEvent(1, bytes(32), 1, 1, "round-x", 1, "RoundSuspended", schema, data, metadata, timezone.now())
    subscriber.record_batch([bad])
    (event,) = told("audit_finding")
    assert event.reason.startswith("An event can't be read")
    assert event.subject == "round:x"


def test_a_limit_that_replaces_another_tells_both(office: Office) -> None:
    whose: dict[str, Any] = {"operator": office.operator.id, "currency": "EUR", "metadata": office.house.metadata}
    for cap in (50_000, 70_000):
        protection.set_play_money_cap(cap=cap, **whose)
    read()
    first, second = (event for event in told("config_changed") if event.reason == "The cap on play money was set")
    assert first.before is None
    assert (second.before or {})["cap"] == "500.00"
    assert (second.after or {})["cap"] == "700.00"


def test_the_list_calls_things_by_their_names_for_who_may_see_them(office: Office) -> None:
    round_ = office.settled(office.single)
    voids.void_settled(office.house, round_.pk, note="A card stuck.")
    read()
    page = reverse("admin:significant_significantevent_changelist")
    see = "significant.view_significantevent"
    knowing = staff(see, "baccarat.view_round", "operators.view_player", name="knows").get(page).content.decode()
    assert f"round {round_.number} at " in knowing
    assert "malfunction: A card stuck." in knowing
    unknowing = staff(see, name="stranger").get(page).content.decode()
    assert f"round {round_.number} at " not in unknowing
    assert html.short(round_.pk) in unknowing
