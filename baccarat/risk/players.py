"""What staff and operators record about a player: notes, tags, how far the identity is verified, and complaints."""

import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, Func, OuterRef, Q, TextField, Window
from django.db.models.functions import RowNumber

from baccarat.risk.detection import set_deadline
from baccarat.risk.models import KycStatus, PlayerNote, PlayerStatus, RiskAlert, Screening
from baccarat.risk.refusals import InvalidPlayerStatus, InvalidScreening, PlayerTextMissing, ReceivedInFuture
from baccarat.risk.rules import RuleKind, rules_for
from casino.compliance import case_entries, cases, complaints
from casino.compliance.models import Case, CaseEntryKind, CaseKind
from casino.crypto import crypto_shredding
from casino.events.ids import new_id
from casino.events.sql import database_now, fetch
from casino.kernel.text import require
from casino.operators.models import Operator
from casino.operators.services import require_player
from wallet.ledger.player_accounts import lock_real_accounts
from wallet.ledger.refusals import UnknownAccount
from wallet.payments import holds
from wallet.payments.gate_facts import Assessment

MAX_TEXT_LENGTH: Final = 4000
MAX_SOURCE_LENGTH: Final = 200
MAX_TAGS: Final = 20
TAG: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,29}", re.ASCII)
LATEST: Final = 10_000
"""Statuses among which tags are listed: there is no index that lists them all."""
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 10))"


def current_status(player: UUID) -> PlayerStatus | None:
    """Return what is known of a player; None if nobody recorded anything."""
    return PlayerStatus.objects.filter(player_id=player).order_by("-pk").first()


def status_of(*, operator: UUID, player: UUID) -> PlayerStatus | None:
    """Return what is known of an operator's player, as `current_status` does. Raises UnknownPlayer."""
    require_player(operator=operator, player=player)
    return current_status(player)


def set_status(
    *, operator: UUID, player: UUID, by: str, kyc: KycStatus | None = None, tags: Collection[str] | None = None
) -> PlayerStatus:
    """Set a player's KYC status, tags or both, and return what is known then. Nothing is added if it is so already.

    What is None stays as it is. Raises UnknownPlayer, InvalidPlayerStatus.
    """
    require_player(operator=operator, player=player)
    named = None if tags is None else sorted(set(tags))
    if (kyc is None and named is None) or not _are_tags(named or []):
        raise InvalidPlayerStatus
    with transaction.atomic():
        last = _lock_status(operator, player)
        kyc_word, tags_known = last.kyc if kyc is None else kyc.value, last.tags if named is None else named
        return _save(last, PlayerStatus(kyc=kyc_word, tags=tags_known, screening=last.screening, by=by))


def set_screening(
    *, operator: UUID, player: UUID, found: Screening, listed: bool, on: date, source: str, by: str
) -> PlayerStatus:
    """Record what a screening found on a day, or that it does not find it any more, and return what is known then.

    Raises UnknownPlayer, InvalidScreening.
    """
    require_player(operator=operator, player=player)
    origin = source.strip()
    if not 1 <= len(origin) <= MAX_SOURCE_LENGTH or "\0" in origin or on > database_now().date():
        raise InvalidScreening
    with transaction.atomic():
        last = _lock_status(operator, player)
        others = {name: facts for name, facts in last.screening.items() if name != found}
        screening = {**others, found.value: {"listed": listed, "on": on.isoformat(), "source": origin}}
        return _save(last, PlayerStatus(kyc=last.kyc, tags=last.tags, screening=screening, by=by))


def _lock_status(operator: UUID, player: UUID) -> PlayerStatus:
    """Lock what is known of a player, and the money that it may hold; return the newest version, or what is unknown."""
    with suppress(UnknownAccount):
        lock_real_accounts(operator=operator, player=player)
    fetch(_LOCK, [str(player)])
    unknown = PlayerStatus(
        operator_id=operator, player_id=player, kyc=KycStatus.UNKNOWN.value, tags=[], screening={}, by=""
    )
    return current_status(player) or unknown


def _save(last: PlayerStatus, new: PlayerStatus) -> PlayerStatus:
    """Add a version unless it says the same; what holds payments now, does so at once."""
    if last.by and (new.kyc, new.tags, new.screening) == (last.kyc, last.tags, last.screening):
        return last
    new.operator_id, new.player_id = last.operator_id, last.player_id
    new.save()
    holds.review_player(operator=new.operator_id, player=new.player_id)
    return current_status(new.player_id) or new


def assess(operator: UUID, player: UUID) -> Assessment:
    """Return what the gate before payouts has to know of a player."""
    status = current_status(player)
    kyc, tags, screening = (KycStatus.UNKNOWN.value, [], {}) if status is None else (
        status.kyc, status.tags, status.screening
    )  # fmt: skip
    listed = tuple(name for name, facts in screening.items() if facts["listed"])
    shared = RiskAlert.objects.filter(operator_id=operator, other_id=player).values_list("case_id", flat=True)
    pairs = Case.objects.filter(~cases.is_resolved(), operator_id=operator, pk__in=shared)
    return Assessment(kyc, listed, tuple(tags), tuple(str(key) for key in pairs.values_list("pk", flat=True)))


def _are_tags(tags: Collection[str]) -> bool:
    return len(tags) <= MAX_TAGS and all(TAG.fullmatch(tag) for tag in tags)


def statuses_of(players: Collection[UUID]) -> dict[UUID, PlayerStatus]:
    """Return, by player, what is known of these players; without those of whom nobody recorded anything."""
    rows = PlayerStatus.objects.filter(player_id__in=players).order_by("player_id", "-pk").distinct("player_id")
    return {row.player_id: row for row in rows}


def has_status(*, kyc: KycStatus | None = None, tag: str | None = None) -> Q:
    """Return the condition that a player has this KYC status and this tag, for querysets of players."""
    newer = PlayerStatus.objects.filter(player_id=OuterRef("player_id"), pk__gt=OuterRef("pk"))
    newest = PlayerStatus.objects.filter(~Exists(newer), operator_id=OuterRef("operator_id"), player_id=OuterRef("pk"))
    condition = Q()
    if kyc is KycStatus.UNKNOWN:
        condition &= ~Q(Exists(newest.exclude(kyc=kyc.value)))
    elif kyc is not None:
        condition &= Q(Exists(newest.filter(kyc=kyc.value)))
    return condition if tag is None else condition & Q(Exists(newest.filter(tags__contains=[tag])))


def tags_in_use(operators: Collection[UUID] | None, *, limit: int) -> list[str]:
    """Return the tags of these operators' players, or of all, in order, as far as LATEST statuses name them."""
    rows = PlayerStatus.objects.all() if operators is None else PlayerStatus.objects.filter(operator_id__in=operators)
    latest = PlayerStatus.objects.filter(pk__in=rows.order_by("-pk").values("pk")[:LATEST])
    tags = latest.annotate(tag=Func("tags", function="unnest", output_field=TextField())).values_list("tag", flat=True)
    return list(tags.distinct().order_by("tag")[:limit])


@dataclass(frozen=True, slots=True)
class NumberedNote:
    """A note, decrypted; the notes about a player are numbered from 1."""

    number: int
    text: str
    by: str
    at: datetime


def add_note(*, operator: UUID, player: UUID, text: str, by: str) -> NumberedNote:
    """Add a note about a player. Raises UnknownPlayer, PlayerTextMissing, PersonalDataErased."""
    require_player(operator=operator, player=player)
    words = _text(text)
    with transaction.atomic():
        fetch(_LOCK, [str(player)])  # ids, and so numbers, are in the order of commits
        encrypted = crypto_shredding.get_or_create_cipher(player).encrypt_text(words)
        note = PlayerNote.objects.create(operator_id=operator, player_id=player, text=encrypted, by=by)
        number = PlayerNote.objects.filter(player_id=player).count()
    return NumberedNote(number, words, note.by, note.at)


def notes_of(*, operator: UUID, player: UUID, before: int | None, limit: int) -> list[NumberedNote]:
    """Return the newest notes about an operator's player, as `list_notes` does. Raises UnknownPlayer."""
    require_player(operator=operator, player=player)
    return list_notes(player, before=before, limit=limit)


def list_notes(player: UUID, *, limit: int, before: int | None = None) -> list[NumberedNote]:
    """Return the newest notes about a player: all, or those before the one with this number."""
    notes = PlayerNote.objects.filter(player_id=player).annotate(number=Window(RowNumber(), order_by="pk"))
    rows = list((notes if before is None else notes.filter(number__lt=before)).order_by("-pk")[:limit])
    crypto_shredding.decrypt_rows(rows)
    return [NumberedNote(row.number, row.text, row.by, row.at) for row in rows]


def open_complaint(*, operator: UUID, player: UUID, text: str, by: str, received_at: datetime | None = None) -> UUID:
    """Open a case for a player's complaint, with the time that the law leaves for an answer; return its id.

    Raises UnknownPlayer, PlayerTextMissing, ReceivedInFuture, PersonalDataErased.
    """
    require_player(operator=operator, player=player)
    words, now = _text(text), database_now()
    since = received_at or now
    if since > now:
        raise ReceivedInFuture
    crypto_shredding.get_or_create_cipher(player)  # refuses an erased player
    currency = Operator.objects.get(pk=operator).currency
    with transaction.atomic():
        subject = f"player:{player} complaint {str(new_id(now))[-12:]}"
        details = {"received_at": since.isoformat()}
        case = cases.open_case(operator=operator, kind=CaseKind.COMPLAINT, subject=subject, details=details, by=by)
        if case is None:
            raise LookupError("Two complaints got the same number.")
        case_entries.add_entry(case, operator=operator, kind=CaseEntryKind.NOTE, text=words, by=by)
        terms = rules_for(operator, currency)[RuleKind.COMPLAINT_DEADLINE]
        if terms.enabled:
            set_deadline(case, operator=operator, kind=RuleKind.COMPLAINT_DEADLINE, terms=terms, since=since)
        complaints.receive(case, operator=operator, by=by)
    return case


def _text(text: str) -> str:
    return require(text, limit=MAX_TEXT_LENGTH, refusal=PlayerTextMissing)
