"""Transactions with operators' own wallets: debits with their rollbacks, credits and corrections."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from django.contrib import admin
from django.db.models import DateTimeField, IntegerField, Q, QuerySet, TextField
from django.db.models.expressions import RawSQL
from django.http import HttpRequest
from django.utils import timezone

from casino.backoffice import game, html
from casino.backoffice.columns import TransactionAdmin, column, money_column, status_column, time_column
from casino.backoffice.filters import brand_filter, case_filter, enum_filter, operator_filter, since_by_uuid
from casino.backoffice.sections import Section
from wallet.models import RemoteTransaction
from wallet.remote.events import TransactionKind
from wallet.remote.state import ENDED, RemoteStatus

_TONES: Final = {
    RemoteStatus.REQUESTED: "warn",
    RemoteStatus.ACCEPTED: "good",
    RemoteStatus.REFUSED: "bad",
    RemoteStatus.ROLLING_BACK: "warn",
}
_KINDS: Final = {
    **{kind.value: (kind.value.capitalize(), Q(kind=kind)) for kind in TransactionKind},
    "rollback": ("Rollback", Q(rollback_id__isnull=False)),
}
_DUE: Final = "(SELECT {} FROM wallet_remote_due WHERE transaction_id = wallet_remote.id)"


def _kind(row: RemoteTransaction) -> str:
    return row.kind if row.rollback_id is None else f"{row.kind} and rollback"


def _age(row: Any) -> str | None:
    """Return how long an open transaction has been waiting for its answer."""
    if row.waits_since is None:
        return None
    return str(timedelta(seconds=int((timezone.now() - row.waits_since).total_seconds())))


def _answer(row: Any) -> str | None:
    """Return what the wallet said last: its reference, the code of its refusal, or what was wrong with its answer."""
    if row.status not in ENDED:
        return row.last_error or None
    if row.status == RemoteStatus.ROLLED_BACK:
        return f"{row.reference} taken back".strip() if row.found else "no such debit"
    return row.code or row.reference or None


@admin.register(RemoteTransaction)
class RemoteTransactionAdmin(TransactionAdmin):
    """What operators' own wallets were asked for, newest first. Found by id, or by that of its player or round."""

    names = ("player",)
    list_display = (
        *("short_id", "kind_", "status_", "amount_", "attempts_", "age", "answer"),
        *("operator", "player", "round", "requested"),
    )
    list_filter = (
        case_filter("kind", _KINDS),
        enum_filter(RemoteStatus),
        operator_filter(),
        brand_filter("player_id"),
        since_by_uuid(),
    )
    search_fields = ("pk", "player_id", "round_id")
    search_help_text = "id of the transaction, of a player or of a round"
    annotations = {
        "attempts": RawSQL(_DUE.format("attempts"), [], IntegerField(null=True)),  # noqa: S611  (no parameters)
        "waits_since": RawSQL(_DUE.format("since"), [], DateTimeField(null=True)),  # noqa: S611
        "last_error": RawSQL(_DUE.format("error"), [], TextField(null=True)),  # noqa: S611
    }
    kind_ = column("kind", _kind)
    status_ = status_column(_TONES)
    amount_ = money_column("amount", "amount")
    attempts_ = column("tries", lambda row: None if row.attempts is None else str(row.attempts))
    age = column("waiting for", _age)
    answer = column("last answer", _answer)
    round = column("round", game.round_link)
    requested = time_column("requested_at", "requested", fine=True)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return game.with_round_numbers(super().get_queryset(request))

    def sections(self, _request: HttpRequest, obj: RemoteTransaction) -> Sequence[Section]:
        concerns = html.NOTHING if obj.concerns_id is None else html.page("remote", obj.concerns_id, "its debit")
        facts = self.facts(
            obj,
            *("kind_", "status_", "amount_", "attempts_", "age", "answer"),
            ("Reference in the operator's wallet", obj.reference or None),
            ("Code of the refusal", obj.code or None),
            ("Rolled back because of", obj.reason.replace("_", " ") or None),
            ("Rollback", html.NOTHING if obj.rollback_id is None else html.code(obj.rollback_id)),
            ("Corrects", concerns),
            *("operator", "player", "table", "round"),
            ("Wager", html.code(obj.wager_id)),
            "requested",
            ("Answer due", html.moment(obj.answer_by, fine=True)),
            ("Ended", html.moment(obj.ended_at, fine=True)),
            ("Log", html.event_log(f"remote-{obj.pk}")),
            "pk",
        )
        return [facts]
