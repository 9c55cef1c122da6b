"""A desk with history of everything: each table about an operator or its players has a row with the operator's mark.

A new table gets its row without a word here, as long as its columns can be filled by their types.
"""

import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from uuid import UUID, uuid4

from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection, models
from django.utils import timezone

from baccarat.risk import detection, networks, players
from casino.compliance import case_entries, cases
from casino.compliance.models import Case, CaseEntryKind
from casino.crypto import crypto_shredding
from casino.events import sealer
from casino.events.sql import execute
from casino.kernel.money import format_amount
from casino.operators.models import Operator, Player, StaffMembership
from casino.reports import generation
from casino.reports.intervals import between
from casino.reports.models import ReportDestination, SavedReport
from casino.significant import notes, recorder
from casino.significant.models import SignificantEvent
from casino.significant.recorder import SignificantEventKind
from tests.support.acts import agreed
from tests.support.office import Office, open_office
from wallet.ledger import player_accounts
from wallet.models import Discrepancy, DiscrepancyNote

ADDRESS: Final = "192.0.2.0/24"
"""The network that players of all houses share."""
APPS: Final = ("casino.", "baccarat.", "wallet.")
NOT_MARKED: Final = frozenset({
    "api.idempotentrequest", "crypto.personalkey", "wallet.operatorfunding", "wallet.playerrestrictions",
    "feed.feedhead", "feed.feeditem", "baccarat.table", "baccarat.round", "baccarat.wager", "wallet.account",
    "wallet.entry", "events.event", "operators.player", "operators.operator", "operators.staffmembership",
    "baccarat.rulesversion", "operators.apikey", "baccarat.playerpreferences", "risk.playernetwork",
    "operators.streamticket", "baccarat.duetable", "operators.staffsubject", "staff.staffidentity",
    "chat.chatreportclosure", "compliance.case", "compliance.erasurecopy", "operators.playerban", "operators.playerpin",
    "reports.report", "reports.reportdestination", "risk.activity", "risk.playerpair", "significant.significantevent",
    "significant.unacknowledged", "wallet.balance",
})  # fmt: skip
"""Tables that services fill below, and those that no page shows."""
OVERRIDES: Final[Mapping[str, Mapping[str, Any]]] = {
    "baccarat.killswitch": {"scope": "player", "active": True, "rank": "operator"},
    "baccarat.sitting": {"money_type": "real", "seat": 1},
    "chat.chatreport": {"reason": "insult"},
    "chat.moderationaction": {"kind": "PlayerMuted", "reason": "insult"},
    "compliance.playerexport": {"ready_at": None},
    "feed.webhookdelivery": {"delivered_at": None, "number": 1},
    "feed.webhookendpoint": {"status": "active", "types": []},
    "operators.change": {"kind": "end_exclusion", "status": "requested", "effective_at": None, "persons": 2},
    "operators.launch": {"used_at": None, "used_by": None},
    "operators.playersession": {"ended_at": None, "ended_reason": ""},
    "reports.savedreport": {"name": "revenue", "period": "day"},
    "risk.riskalert": {"kind": "stake_sum", "currency": "EUR"},
    "risk.riskrule": {"kind": "stake_sum", "jurisdiction": ""},
    "risk.playerstatus": {"kyc": "pending", "screening": {}},
    "wallet.adjustment": {"direction": "credit", "money_type": "real", "reason": "complaint", "approved_by": "staff:0"},
    "wallet.depositmethod": {"fee_fixed": 0, "fee_ppm": 0},
    "wallet.deposit": {"status": "completed", "fee": 0, "debt_created": 0},
    "wallet.discrepancy": {"kind": "payout", "type": "missing_ours", "status": "open", "our_status": "paid"},
    "wallet.hold": {"status": "open", "ended_at": None, "causes": "kyc_failed", "decided_by": "", "owner": None},
    "wallet.remotetransaction": {"kind": "debit", "status": "accepted", "concerns_id": None, "rollback_id": None},
    "wallet.transfer": {"direction": "in", "money_type": "real", "everything": False},
    "wallet.withdrawal": {"status": "requested", "fee": 0, "approvals_required": 1},
}
"""What the types of columns do not tell."""


@dataclass(frozen=True)
class Desk:
    """A house, the word and the amount that mark all that is its own, and a member of staff of it alone."""

    office: Office
    word: str
    amount: int
    colleague: User
    player: Player
    other: Player

    @property
    def operator(self) -> UUID:
        return self.office.operator.pk

    def traces(self, text: str) -> set[str]:
        """Return what a text says of this house: its word, its amount, or the ends of its ids."""
        lower = text.lower()
        amount = rf"(?<![0-9a-f])(?:{self.amount // 100}\.{self.amount % 100:02}|{self.amount})(?![0-9a-f])"
        named = {self.word.lower()} if self.word.lower() in lower else set()
        return named | set(re.findall(amount, lower)) | (self.ids & set(_END_OF_ID.findall(lower)))

    @cached_property
    def ids(self) -> set[str]:
        """The ends of the ids in rows of this house, by which pages name what has no name."""
        owned = {self.operator}
        for model in apps.get_models():
            columns = {field.attname: field.get_internal_type() for field in model._meta.fields}
            ids = [name for name, kind in columns.items() if kind == "UUIDField"]
            if model.__module__.startswith(APPS) and "operator_id" in columns and ids:
                for row in model._default_manager.filter(operator_id=self.operator).values_list(*ids):
                    owned.update(each for each in row if each is not None)
        return {str(each)[-12:] for each in owned}


_END_OF_ID: Final = re.compile(r"[0-9a-f]{12}(?![0-9a-f])")


def open_desk(slug: str, word: str, amount: int) -> Desk:
    """Open a house whose players, tables and rows all have this word in their names, and this amount."""
    office = open_office(slug)
    Operator.objects.filter(pk=office.operator.pk).update(name=f"{word} House")
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE baccarat_table SET name = %s WHERE operator_id = %s", [f"{word} room", office.operator.pk]
        )
    # The numbers of staff by whom fixtures act are low ones.
    number = 1000 + User.objects.count()
    colleague = User.objects.create_user(f"{word.lower()}-colleague", is_staff=True, id=number)
    StaffMembership.objects.create(user=colleague, operator=office.operator)
    registered = [
        player_accounts.register_player(
            operator=office.operator.pk,
            reference=f"{word}-{number}",
            nickname=f"{word} {number}",
            currency="EUR",
            metadata=office.house.metadata,
        )
        for number in (1, 2)
    ]
    desk = Desk(office, word, amount, colleague, *registered)
    _use_services(desk)
    with agreed(operator=desk.operator):
        for model in apps.get_models():
            is_ours = model.__module__.startswith(APPS) and model._meta.label_lower not in NOT_MARKED
            if is_ours and _is_about_a_house(model):
                _mark(model, desk)
    _write_down(desk)
    return desk


def _is_about_a_house(model: type[models.Model]) -> bool:
    names = {field.attname for field in model._meta.fields}
    return bool(names & {"operator_id", "player_id", "operators", "endpoint_id"})


def _mark(model: type[models.Model], desk: Desk) -> None:
    label = model._meta.label_lower
    values = {
        field.attname: _value(field, desk)
        for field in model._meta.fields
        if not field.primary_key or field.get_internal_type() in {"UUIDField", "TextField", "BinaryField"}
    }
    values |= OVERRIDES.get(label, {})
    if label == "baccarat.killswitch":
        values |= {"id": f"player:{desk.player.pk}", "subject": str(desk.player.pk)}
    if label == "risk.riskalert":
        values["case_id"] = Case.objects.get(operator_id=desk.operator, kind="suspicious_activity").pk
    model(**values).save(force_insert=True)


_STAFF: Final = re.compile("by|owner|actor|author|.*_by")


def _value(field: Any, desk: Desk) -> Any:
    """Fill a column by its name, else by its type."""
    name, kind, word = field.attname, field.get_internal_type(), desk.word
    by_name = {
        "operator_id": desk.operator, "player_id": desk.player.pk, "other_id": desk.other.pk,
        "reporter_id": desk.other.pk, "user_id": desk.colleague.pk, "table_id": desk.office.single.guest.table,
        "operators": [desk.operator], "currency": "EUR", "version": 1, "their_currency": "EUR", "time_zone": "UTC",
        "round_id": desk.office.settled(desk.office.single).pk, "brand_id": None, "balance": desk.amount,
        "subject": f"player:{desk.player.pk}", "url": f"https://{word.lower()}.example",
        "issuer": f"https://{word.lower()}.example",
    }  # fmt: skip
    by_type = {
        "UUIDField": uuid4(), "BooleanField": False, "DateTimeField": timezone.now(), "JSONField": {"word": word},
        "DateField": timezone.now().date(), "ArrayField": [word.lower()], "GenericIPAddressField": "192.0.2.7",
        "BinaryField": hashlib.sha256(f"{word}{name}".encode()).digest(), "BigIntegerField": desk.amount,
        "SlugField": f"{word.lower()}-{name}", "IntegerField": 1, "SmallIntegerField": 1,
    }  # fmt: skip
    if name in by_name:
        return by_name[name]
    if _STAFF.fullmatch(name) and kind in {"TextField", "CharField"}:
        return f"staff:{desk.colleague.pk}"
    if field.is_relation:
        rows = field.related_model._default_manager.order_by("-pk")
        return (rows.filter(operator_id=desk.operator) if _is_about_a_house(field.related_model) else rows)[0].pk
    return by_type.get(kind, f"{word}-{name}"[: field.max_length])


def _use_services(desk: Desk) -> None:
    """Let money move, a case and a complaint be opened, a report be made, and both players share a network."""
    operator, by, word = desk.operator, f"staff:{desk.colleague.pk}", desk.word
    desk.office.house.credit(desk.player.pk, desk.amount)
    staked = format_amount(desk.amount, "EUR")
    details = {"rule": "stake_sum", "other": str(desk.other.pk), "staked": staked, "currency": "EUR"}
    case = detection.open_case_about(desk.player.pk, operator=operator, details=details, rules={})
    evidence = f"round:{desk.office.settled(desk.office.single).pk}"
    note: dict[str, Any] = {"kind": CaseEntryKind.NOTE, "text": f"{word} wrote", "evidence": evidence}
    case_entries.add_entry(case, operator=operator, by=by, **note)
    cases.assign_case(case, operator=operator, owner=by, by=by)
    complaint = players.open_complaint(operator=operator, player=desk.player.pk, text=f"{word} complains", by=by)
    cases.resolve_case(complaint, operator=operator, resolution=f"{word} explained", by=by)
    recorder.record(
        kind=SignificantEventKind.LARGE_WIN,
        operator=operator,
        subject=f"player:{desk.player.pk}",
        actor=by,
        reason=f"{word} won",
        amount=desk.amount,
        currency="EUR",
    )
    for event in SignificantEvent.objects.filter(operator_id=operator):
        notes.add_note(event.pk, by=by, note=f"{word} noted")
    sealer.seal_all()
    detection.watch()
    interval = between(since=desk.office.operator.created_at, until=timezone.now(), zone="UTC")
    generation.generate_report(operator=operator, name="revenue", interval=interval, by=by)
    for player in (desk.player, desk.other):
        shared = [player.pk, networks.digest(ADDRESS)]
        execute("INSERT INTO risk_playernetwork (player_id, network) VALUES (%s, %s)", shared)


def _write_down(desk: Desk) -> None:
    """Write where another row is written about."""
    by, word = f"staff:{desk.colleague.pk}", desk.word
    text = crypto_shredding.encrypt_text(desk.player.pk, f"{word} wrote")
    discrepancy = Discrepancy.objects.get(operator_id=desk.operator)
    DiscrepancyNote.objects.create(discrepancy_id=discrepancy.pk, actor=by, note=text, created_at=timezone.now())
    ReportDestination.objects.create(
        saved_report=SavedReport.objects.get(operators=[desk.operator]), address=f"{word}@example.com", format="csv"
    )


def texts_of(content: bytes) -> str:
    """Return what a file says: the members of a ZIP, the streams of a PDF, or the text itself."""
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return "\n".join(f"{name}\n{texts_of(archive.read(name))}" for name in archive.namelist())
    if content.startswith(b"%PDF"):
        return "\n".join(_inflated(part.strip(b"\r\n")) for part in content.split(b"stream"))
    return content.decode("utf-8", errors="replace")


def _inflated(stream: bytes) -> str:
    try:
        return zlib.decompress(stream).decode("latin-1")
    except zlib.error:
        return ""
