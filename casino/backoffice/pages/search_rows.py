"""What a search finds: rounds or wagers newest first, page by page from where the last one ended; and payments.

Times are spans of ids, which ascend with time; amounts, players and rounds have indexes; each page reads on from a key.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest

from baccarat.storage.models import Round, Table, Wager
from casino.backoffice import scope
from casino.backoffice.base import as_uuid
from casino.backoffice.filters import first_uuid
from casino.backoffice.pages import baccarat_parts
from casino.backoffice.pages.search_form import Asked, player_id
from casino.crypto import blind_index
from casino.operators.models import Player
from wallet.models import Adjustment, Deposit, Withdrawal

PAGE: Final = 50
MOST_SEATS: Final = 14
MOST_TABLES: Final = 200


def rounds(request: HttpRequest, asked: Asked, *, before: UUID | None) -> Sequence[Any]:
    """Find up to PAGE + 1 rounds, newest first, with ids below `before`."""
    rows = _within(Round.objects.defer("state"), request, asked, "id", before)
    if asked.outcome:
        rows = rows.filter(outcome=asked.outcome)
    return list(baccarat_parts.with_names(rows.order_by("-id"), table=True)[: PAGE + 1])


def wagers(request: HttpRequest, asked: Asked, *, before: UUID | None) -> Sequence[Any]:
    """Find a page of wagers, newest rounds first, of rounds with ids below `before`; rounds come whole."""
    rows = _within(Wager.objects.all(), request, asked, "round_id", before).filter(_staked(asked, "staked"))
    if asked.player:
        rows = rows.filter(player_id__in=_players(request, asked))
    if asked.spot:
        rows = rows.filter(stakes__has_key=asked.spot)
    if asked.outcome:
        rows = rows.filter(Exists(Round.objects.filter(pk=OuterRef("round_id"), outcome=asked.outcome)))
    named = baccarat_parts.with_numbers(baccarat_parts.with_names(rows.order_by("-round_id", "seat"), table=True))
    return list(named[: PAGE + MOST_SEATS])


def payments(request: HttpRequest, asked: Asked) -> Sequence[Any]:
    """Find the newest deposits, withdrawals and adjustments of the player or the amount asked for."""
    found: list[Any] = []
    for model in (Deposit, Withdrawal, Adjustment):
        if not request.user.has_perm(f"wallet.view_{model._meta.model_name}"):  # noqa: SLF001  (Django's own name)
            continue
        rows = _within(model._default_manager.all(), request, asked, "id", None)  # noqa: SLF001
        rows = rows.filter(_staked(asked, "amount"))
        if asked.player:
            rows = rows.filter(player_id__in=_players(request, asked))
        found += rows.order_by("-id")[:PAGE]
    return sorted(found, key=lambda row: row.pk, reverse=True)[:PAGE]


def whole_rounds(found: Sequence[Any]) -> tuple[Sequence[Any], UUID | None]:
    """Cut a page of wagers after its last whole round, and return it with where the next one begins."""
    if len(found) < PAGE + MOST_SEATS:
        return found, None
    last = found[-1].round_id
    kept = [wager for wager in found if wager.round_id != last]
    return kept, kept[-1].round_id


def _within(rows: QuerySet[Any], request: HttpRequest, asked: Asked, key: str, before: UUID | None) -> QuerySet[Any]:
    """Rows of the operators that this person works for, in the span of time, at the tables asked for."""
    rows = scope.within(rows, request)
    if asked.operator is not None:
        rows = rows.filter(operator_id=asked.operator)
    if asked.since is not None:
        rows = rows.filter(**{f"{key}__gte": first_uuid(asked.since)})
    ends = [end for end in (None if asked.until is None else first_uuid(asked.until), before) if end is not None]
    if ends:
        rows = rows.filter(**{f"{key}__lt": min(ends)})
    if asked.table and rows.model in {Round, Wager}:
        rows = rows.filter(table_id__in=_tables(request, asked))
    return rows


def _staked(asked: Asked, column: str) -> Q:
    wanted = Q(currency=asked.currency) if asked.currency else Q()
    if asked.least is not None:
        wanted &= Q(**{f"{column}__gte": asked.least})
    if asked.most is not None:
        wanted &= Q(**{f"{column}__lte": asked.most})
    return wanted


def _players(request: HttpRequest, asked: Asked) -> Iterable[UUID]:
    identity = player_id(asked)
    if identity is not None:
        return [identity]
    theirs = [UUID(key) for key in scope.names(request)]
    return list(
        Player.objects.filter(
            operator_id__in=theirs, reference_index=blind_index.blind_index(asked.player)
        ).values_list("pk", flat=True)
    )


def _tables(request: HttpRequest, asked: Asked) -> Iterable[UUID]:
    identity = as_uuid(asked.table)
    named = Q(name__iexact=asked.table) if identity is None else Q(pk=identity)
    found = scope.within(Table.objects.filter(named), request)
    return list(found.values_list("pk", flat=True)[:MOST_TABLES])
