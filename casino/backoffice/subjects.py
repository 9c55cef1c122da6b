"""Names of players, tables, rounds and payments for pages that have only `kind:<id>`."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db.models import F, OuterRef, Q, Subquery
from django.utils.safestring import SafeString

from baccarat.domain.tables.kill_switch import StopScope, stop_id
from baccarat.storage.models import Round, RulesVersion, Table
from casino.backoffice import html
from casino.backoffice.base import as_uuid
from casino.backoffice.scope import may_view, mine
from casino.crypto import blind_index, crypto_shredding
from casino.kernel import money
from casino.kernel.text import isolate
from casino.operators.models import Operator, Player
from casino.reports.definition import find_definition
from casino.reports.models import Report
from wallet.models import Adjustment, Deposit, DepositMethod, Hold, RemoteTransaction, Transfer, Withdrawal

Ids = Collection[UUID]
Names = Mapping[str, str]
"""The names of subjects such as round:<id>; those without a name are left out."""


def subject_names(subjects: Iterable[str]) -> Names:
    """Name these subjects, as far as the reader may see them: a query or two for each kind."""
    ids: defaultdict[str, set[UUID]] = defaultdict(set)
    for subject in subjects:
        kind, _, identity = subject.partition(":")
        key = as_uuid(identity)
        if key is not None:
            ids[kind].add(key)
    return {
        f"{kind}:{identity}": name
        for kind, load in _LOADERS.items()
        if ids[kind] and may_view(html.PAGES[kind])
        for identity, name in load(ids[kind]).items()
    }


def subject_link(subject: str, names: Names) -> SafeString | str:
    """Link to the page of a subject, by its name if it has one."""
    kind, colon, identity = subject.partition(":")
    if kind == "staff" and identity.isdigit():
        return html.page("staff", identity, html.with_logins(subject))
    text = kind.replace("_", " ")
    key = as_uuid(identity)
    if not colon or key is None:
        return f"{text} {identity}" if colon else text
    return html.page(kind, identity, names.get(subject) or f"{text} {html.short(key)}")


def name_kill_switches(switches: Iterable[Any]) -> None:
    """Give switches the names of their subjects; those without one keep the id."""
    rows = list(switches)
    names = {**subject_names({each.pk for each in rows}), **_rules({each.subject for each in rows})}
    for switch in rows:
        switch.subject_name = names.get(switch.pk, switch.subject)


def _rules(digests: Collection[str]) -> Names:
    """Name rules by what people call them and the beginning of their digest, but not the tables that have them."""
    rows = RulesVersion.objects.filter(digest__in=digests).values_list("digest", "label").distinct()
    return {stop_id(StopScope.RULES, digest): f"{label} ({digest[:12]})" for digest, label in rows}


def players_named(text: str) -> Q:
    """Return the condition that players have this reference, exactly, or this nickname in whatever spelling."""
    indexes = blind_index.blind_indexes(reference=text, nickname=text)
    return Q(reference_index=indexes.reference) | Q(nickname_index=indexes.nickname)


def nicknames(players: Sequence[UUID]) -> Mapping[UUID, str]:
    """Return players' nicknames by id, in two queries; those of no operator of the reader's are left out."""
    rows = list(mine(Player.objects.filter(id__in=set(players))).values_list("id", "nickname"))
    names = crypto_shredding.decrypt_many([nickname for _, nickname in rows])
    return {player: name or "" for (player, _), name in zip(rows, names, strict=True)}


def player_link(player: UUID, names: Mapping[UUID, str]) -> SafeString | str:
    """Link to the page of a player by the nickname that `nicknames` found."""
    return html.page("player", player, names.get(player, html.short(player)))


def _players(ids: Ids) -> Mapping[UUID, str]:
    return {player: f"player {isolate(name)}" for player, name in nicknames(list(ids)).items()}


def _tables(ids: Ids) -> Mapping[UUID, str]:
    return {
        key: f"table {isolate(name)}" for key, name in mine(Table.objects.filter(id__in=ids)).values_list("id", "name")
    }


def _rounds(ids: Ids) -> Mapping[UUID, str]:
    table = Subquery(Table.objects.filter(id=OuterRef("table_id")).values("name")[:1])
    rows = mine(Round.objects.filter(id__in=ids)).annotate(table=table).values_list("id", "number", "table")
    return {key: f"round {number} at {isolate(name)}" for key, number, name in rows}


def _operators(ids: Ids) -> Mapping[UUID, str]:
    rows = mine(Operator.objects.filter(id__in=ids), "id").values_list("id", "slug")
    return {key: f"operator {slug}" for key, slug in rows}


def _reports(ids: Ids) -> Mapping[UUID, str]:
    rows = mine(Report.objects.filter(id__in=ids)).values_list("id", "name", "label")
    return {key: f"report {find_definition(name).title}, {label}" for key, name, label in rows}


def _methods(ids: Ids) -> Mapping[UUID, str]:
    rows = mine(DepositMethod.objects.filter(method_id__in=ids)).order_by("version")
    return {key: f"deposit method {isolate(name)}" for key, name in rows.values_list("method_id", "name")}


def _amounts(
    kind: str, model: type[Adjustment | Deposit | Hold | Withdrawal | Transfer | RemoteTransaction]
) -> Callable[[Ids], Mapping[UUID, str]]:
    def load(ids: Ids) -> Mapping[UUID, str]:
        rows = mine(model._default_manager.filter(id__in=ids))  # noqa: SLF001  (Django's own name)
        amounts = rows.values_list("id", F("amount"), "currency")
        return {
            key: f"{kind} of {money.format_amount(amount, currency)} {currency}" for key, amount, currency in amounts
        }

    return load


_LOADERS: Final[Mapping[str, Callable[[Ids], Mapping[UUID, str]]]] = {
    "player": _players,
    "table": _tables,
    "round": _rounds,
    "operator": _operators,
    "method": _methods,
    "report": _reports,
    "adjustment": _amounts("adjustment", Adjustment),
    "deposit": _amounts("deposit", Deposit),
    "withdrawal": _amounts("withdrawal", Withdrawal),
    "payment": _amounts("withdrawal", Withdrawal),
    "hold": _amounts("hold", Hold),
    "transfer": _amounts("transfer", Transfer),
    "remote": _amounts("wallet transaction", RemoteTransaction),
}
