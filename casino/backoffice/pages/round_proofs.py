"""The verdict on a round, worked out anew when its page is looked at: from the house's tables, and by its export."""

import json
from dataclasses import replace
from typing import Final

from baccarat.audit.verdict import RoundCheck, RoundVerdict
from baccarat.proofs.checks import MALFORMED, verify
from baccarat.proofs.export import export_round
from baccarat.proofs.results import CheckVerdict as Said
from baccarat.proofs.results import OverallVerdict
from baccarat.storage.models import Round
from casino.backoffice.sections import Piece
from casino.checkpoints.keyring import checkpoint_keyring
from casino.kernel.errors import Refusal

_MARKS: Final = {True: ("good", "holds"), False: ("bad", "broken"), None: ("warn", "not yet")}
_NAME: Final = "Exported round, checked by itself"


def with_export(judged: RoundVerdict, round_: Round) -> RoundVerdict:
    """Add what the check of the exported round says, which players and regulators can make without us."""
    return replace(judged, checks=(*judged.checks, _exported(round_)))


def proofs(judged: RoundVerdict) -> Piece:
    """Show what was checked, each with what came out, under a green or a red verdict."""
    open_ = sum(check.holds is None for check in judged.checks)
    lines = [(check.name, *_MARKS[check.holds], check.explanation) for check in judged.checks]
    values = {"holds": judged.holds, "open": open_, "lines": lines, "count": len(lines)}
    return Piece("Proofs", "admin/baccarat/proofs.html", values)


def _exported(round_: Round) -> RoundCheck:
    try:
        document = export_round(round_=round_.pk, operator=round_.operator_id, viewer=None)
    except Refusal as refusal:
        return RoundCheck(_NAME, holds=None, explanation=f"{refusal.detail}.")
    except MALFORMED as trouble:
        return RoundCheck(_NAME, holds=False, explanation=f"It can't be exported: {trouble}")
    found = verify(json.dumps(document).encode(), keys=[key.hex() for key in checkpoint_keyring().public.values()])
    wrong = [f"{check.name}: {check.text}" for check in found.checks if check.verdict is Said.FAILED]
    if wrong:
        return RoundCheck(_NAME, holds=False, explanation="; ".join(wrong[:5]))
    waits = [f"{check.name}: {check.text}" for check in found.checks if check.verdict is Said.NOT_CHECKABLE]
    count = sum(check.verdict is Said.OK for check in found.checks)
    words = f"{count} checks hold{'; not yet: ' if waits else ''}{'; '.join(waits[:5])}."
    return RoundCheck(_NAME, holds=None if found.verdict is OverallVerdict.PARTLY else True, explanation=words)
