"""The wallet's tables in retention, exports and erasure."""

import json
import zipfile
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any
from uuid import UUID, uuid4

import pytest

from casino.compliance import cases, exports, retention
from casino.compliance.models import CaseKind
from casino.crypto import crypto_shredding
from casino.events.sql import execute, fetch
from casino.operators.models import Operator
from tests.wallet.ledger.world import METADATA, OPERATOR
from tests.wallet.payments.counter import call_back, deposit, method, report, use_provider
from wallet.ledger.player_accounts import register_player
from wallet.payments import callbacks

pytestmark = pytest.mark.django_db
SAID = "Account of Ann Lee"


def registered(name: str) -> UUID:
    about = {"operator": OPERATOR, "currency": "EUR", "metadata": METADATA}
    return register_player(reference=f"{name}-1", nickname=name, **about).id


@pytest.fixture
def ann(monkeypatch: pytest.MonkeyPatch) -> UUID:
    """Register a player about whose deposit the provider says something; something else is about nobody's."""
    use_provider(monkeypatch)
    Operator.objects.create(id=OPERATOR, slug="lucky", name="Lucky", currencies=["EUR"], sandbox=True)
    player = registered("ann")
    payment = deposit(method(), player=player)
    call_back(report(payment, "completed", amount=4000, reason=SAID))
    call_back(report(uuid4(), "completed", reason=SAID))
    callbacks.apply_waiting()
    return player


def of_player(player: UUID, **wanted: Any) -> list[dict[str, Any]]:
    files = exports.files_for(wanted.get("allowed", lambda _: True))
    made = exports.export_player(operator=OPERATOR, player=player, now=datetime.now(UTC), files=files)
    with zipfile.ZipFile(BytesIO(b"".join(made))) as archive:
        return json.loads(archive.read("messages.json")) if "messages.json" in archive.namelist() else []


def test_exports_have_what_partners_said_of_a_player_until_the_player_is_erased(ann: UUID) -> None:
    (said,) = of_player(ann)
    assert (said["outcome"], json.loads(said["body"])["reason"]) == ("amount_mismatch", SAID)
    assert of_player(ann, allowed=lambda permission: permission != "wallet.view_providercallback") == []
    own = b"".join(exports.export_own_data(operator=OPERATOR, player=ann, now=datetime.now(UTC)))
    assert "messages.json" not in zipfile.ZipFile(BytesIO(own)).namelist()
    day = {"since": datetime.now(UTC) - timedelta(1), "until": datetime.now(UTC) + timedelta(1)}
    made = b"".join(exports.export_operator(operator=OPERATOR, now=datetime.now(UTC), **day))
    with zipfile.ZipFile(BytesIO(made)) as archive:
        assert archive.read("messages.csv").decode().count(SAID) == 2

    crypto_shredding.destroy_key(ann)
    (said,) = of_player(ann)
    assert (said["body"], json.loads(said["money"])["amount"]) == (crypto_shredding.ERASED, "40.00")


def test_messages_go_after_ten_years_but_not_while_their_player_is_reviewed(ann: UUID) -> None:
    cases.open_case(operator=OPERATOR, kind=CaseKind.SUSPICIOUS_ACTIVITY, subject=f"player:{ann}", details={})
    call_back(report(deposit(method(), player=registered("bob")), "completed"))
    for days, left in ((3650, 3), (3660, 1)):
        execute("UPDATE wallet_providercallback SET received_at = now() - make_interval(days => %s)", [days])
        retention.purge("callbacks", by="schedule")
        assert len(fetch("SELECT player_id FROM wallet_providercallback")) == left
    assert fetch("SELECT player_id FROM wallet_providercallback") == [(ann,)]
