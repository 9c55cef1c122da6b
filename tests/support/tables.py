"""Tables with rules of their own, which two persons agree on at a live operator."""

from typing import Any
from uuid import UUID

from baccarat.domain.rules.presets import rules_for
from baccarat.services import table_lifecycle
from baccarat.storage.models import RulesVersion
from casino.events.store import Metadata
from casino.operators import changes


def open_table(*, metadata: Metadata, **terms: Any) -> UUID:
    """Open a table as one person does, or as two where they have to agree, and return its id."""
    rules = rules_for(terms["preset"], currency=terms["currency"], **terms["overrides"])
    if not table_lifecycle.needs_change(operator=terms["operator"], rules=rules, money_types=terms["money_types"]):
        return table_lifecycle.open_table(**terms, metadata=metadata)
    rest = {"acknowledgement": "", "listed": True, "brands": (), **terms}
    change = changes.confirm(table_lifecycle.request_table(by="staff:1", **rest).pk, by="staff:2")
    return table_lifecycle.table_of(change)


def digest_of(table: UUID | str, version: int = 1) -> str:
    """Return the digest that names a version of a table's rules."""
    return RulesVersion.objects.get(table_id=table, version=version).digest
