"""A later release, whose rules have one more member with a default: it tells what it finds, plays, and tells again."""

import importlib.util
import json
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, Final
from uuid import UUID

RULES: Final = "baccarat.domain.rules.table_rules"
END: Final = "\n    @property\n    def label"
NEW: Final = "side_bets"


def know_more_rules() -> None:
    """Load the rules' module with one more member of the class, before anything else loads it."""
    spec = importlib.util.find_spec(RULES)
    assert isinstance(spec, ModuleSpec)
    source = Path(str(spec.origin)).read_text(encoding="utf-8")
    assert source.count(END) == 1
    module = sys.modules[RULES] = importlib.util.module_from_spec(spec)
    later = compile(source.replace(END, f"    {NEW}: int = 0\n{END}"), str(spec.origin), "exec")
    exec(later, module.__dict__)  # noqa: S102  (it is our own)


def tell(operator: UUID) -> dict[str, Any]:
    """Return what names rules or follows from them, as this release reads it: all of it, of each table and round."""
    from baccarat.audit import engine  # noqa: PLC0415  (after the rules)
    from baccarat.audit.rebuild import play_projector  # noqa: PLC0415
    from baccarat.proofs import verifier  # noqa: PLC0415
    from baccarat.proofs.export import export_round  # noqa: PLC0415
    from baccarat.proofs.house import trusted_keys  # noqa: PLC0415
    from baccarat.storage import repository  # noqa: PLC0415
    from baccarat.storage.models import Round, RulesVersion, Table  # noqa: PLC0415
    from casino.events.rebuild import check  # noqa: PLC0415

    proofs, keys = {}, trusted_keys()
    for round_ in Round.objects.filter(phase="settled").order_by("id"):
        file = export_round(round_=round_.id, operator=operator, viewer=None)
        raw = json.dumps(file).encode()
        del file["exported_at"]
        proofs[str(round_.id)] = [file, verifier.verify(raw, keys)]
    tables = [repository.read_table(table=each.id, operator=operator) for each in Table.objects.order_by("id")]
    return {
        "findings": list(map(str, engine.run_audit().findings)),
        "rebuilt": list(map(str, check(play_projector()).changed)),
        "rules": {each.id: [each.digest, each.rules] for each in RulesVersion.objects.order_by("id")},
        "in_force": [state.recorded_rules.digest for state in tables],
        "terms": [None if state.terms is None else state.terms.digest for state in tables],
        "proofs": proofs,
    }


def play_on(operator: UUID, table: UUID, player: UUID) -> str:
    """Play a round by the rules in force, and then one by rules that are drafted now; return the first one's rules."""
    from baccarat.services import rules_lifecycle  # noqa: PLC0415
    from casino.events import sealer  # noqa: PLC0415
    from tests.support import rules as waiting_rules  # noqa: PLC0415
    from tests.support.house import House, deal_all  # noqa: PLC0415

    house = House(operator)
    guest = house.guest(table, player)
    guest.deal({"banker": 1000})
    deal_all()
    played_by = house.last(table).require_opened().rules
    version = rules_lifecycle.draft(
        table=table, operator=operator, differences={NEW: 1}, by="staff:1", metadata=house.metadata
    )
    waiting_rules.publish(table, version)
    guest.deal({"banker": 1000})
    deal_all()
    sealer.seal_all()
    return played_by


if __name__ == "__main__":
    know_more_rules()
    import django

    django.setup()
    of, at, by = map(UUID, sys.argv[1:])
    before = tell(of)
    print(json.dumps([before, play_on(of, at, by), tell(of)]))
