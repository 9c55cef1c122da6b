"""The rules of a table, name by name, as the API gives them and in words."""

from collections.abc import Mapping
from typing import Any, Final

from baccarat.domain.rules.table_rules import TableRules
from baccarat.queries.rules_view import present_rules
from casino.backoffice import html

_TAKEN: Final = {"settlement": "taken at settlement", "deferred": "taken when the shoe ends or the player leaves"}


def facts(rules: TableRules) -> list[tuple[str, object]]:
    """List every rule with its value; amounts are of the table's currency, which is among them."""
    return [(name.replace("_", " ").capitalize(), _plain(value)) for name, value in present_rules(rules).items()]


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return _commission(value)
    if isinstance(value, list):
        return ", ".join(str(part) for part in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return html.NOTHING if value is None else str(value).replace("_", " ")


def _commission(value: Mapping[str, Any]) -> str:
    rounded = f"rounded to {value['rounding']}" if value["rounding"] else "exact"
    return f"{value['rate']} of the win, {rounded}, {_TAKEN[value['timing']]}"
