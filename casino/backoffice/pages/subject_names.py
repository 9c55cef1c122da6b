"""What pages call a player, a table, a round, a payment, where all that is at hand is `kind:<id>`."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db.models import F, OuterRef, Subquery

from baccarat.storage.models import Round, Table
from casino.backoffice.base import as_uuid
from casino.backoffice.context import may_see
from casino.backoffice.pages.operators import nicknames
from casino.backoffice.paging import CountedList
from casino.kernel import money
from casino.operators.models import Operator
from wallet.models import Adjustment, Deposit, DepositMethod, Withdrawal

Ids = Collection[UUID]


def named(subjects: Collection[str]) -> dict[str, str]:
    """Name what these subjects speak of, as far as who looks may see it: a query or two for each kind."""
    wanted: defaultdict[str, set[UUID]] = defaultdict(set)
    for subject in subjects:
        kind, _, identity = subject.partition(":")
        found = as_uuid(identity)
        if found is not None:
            wanted[kind].add(found)
    return {
        f"{kind}:{identity}": name
        for kind, ask in _NAMES.items()
        if wanted[kind] and may_see(settings.ADMIN_PAGES[kind])
        for identity, name in ask(wanted[kind]).items()
    }


class SwitchList(CountedList):
    """A list of switches, each with the name of what it stops."""

    def get_results(self, request: Any) -> None:
        """Fetch the page, and all names on it at once."""
        super().get_results(request)
        name_switches(self.result_list)


def name_switches(switches: Iterable[Any]) -> None:
    """Give switches the names of their subjects, which stand in their ids; those without one keep the id."""
    told = list(switches)
    known = named({switch.pk for switch in told})
    for switch in told:
        switch.named = known.get(switch.pk, switch.subject)


def _players(ids: Ids) -> Mapping[UUID, str]:
    return {player: f"player {name}" for player, name in nicknames(list(ids)).items()}


def _tables(ids: Ids) -> Mapping[UUID, str]:
    return {key: f"table {name}" for key, name in Table.objects.filter(id__in=ids).values_list("id", "name")}


def _rounds(ids: Ids) -> Mapping[UUID, str]:
    table = Subquery(Table.objects.filter(id=OuterRef("table_id")).values("name")[:1])
    rows = Round.objects.filter(id__in=ids).annotate(table=table).values_list("id", "number", "table")
    return {key: f"round {number} at {name}" for key, number, name in rows}


def _operators(ids: Ids) -> Mapping[UUID, str]:
    return {key: f"operator {slug}" for key, slug in Operator.objects.filter(id__in=ids).values_list("id", "slug")}


def _methods(ids: Ids) -> Mapping[UUID, str]:
    rows = DepositMethod.objects.filter(method_id__in=ids).order_by("version").values_list("method_id", "name")
    return {key: f"deposit method {name}" for key, name in rows}


def _amounts(word: str, model: type[Adjustment | Deposit | Withdrawal]) -> Callable[[Ids], Mapping[UUID, str]]:
    def ask(ids: Ids) -> Mapping[UUID, str]:
        rows = model._default_manager.filter(id__in=ids).values_list("id", F("amount"), "currency")  # noqa: SLF001  (Django's own name)
        return {key: f"{word} of {money.format_amount(amount, currency)} {currency}" for key, amount, currency in rows}

    return ask


_NAMES: Final[Mapping[str, Callable[[Ids], Mapping[UUID, str]]]] = {
    "player": _players,
    "table": _tables,
    "round": _rounds,
    "operator": _operators,
    "method": _methods,
    "adjustment": _amounts("adjustment", Adjustment),
    "deposit": _amounts("deposit", Deposit),
    "withdrawal": _amounts("withdrawal", Withdrawal),
}
