"""The verdict on a round, worked out anew when its page is looked at: from the house's tables, and by its export."""

import json
from dataclasses import replace
from typing import Final

from baccarat.audit.verdict import Check, Verdict
from baccarat.proofs.checks import MALFORMED, verify
from baccarat.proofs.export import export
from baccarat.proofs.results import Overall
from baccarat.proofs.results import Verdict as Said
from baccarat.storage.models import Round
from casino.backoffice.sections import Piece
from casino.checkpoints.keyring import ring
from casino.kernel.errors import Refusal

_MARKS: Final = {True: ("good", "holds"), False: ("bad", "broken"), None: ("warn", "not yet")}
_NAME: Final = "Exported round, checked by itself"


def with_export(judged: Verdict, round_: Round) -> Verdict:
    """Add what the check of the exported round says, which players and regulators can make without us."""
    return replace(judged, checks=(*judged.checks, _exported(round_)))


def proofs(judged: Verdict) -> Piece:
    """Show what was checked, each with what came out, under a green or a red verdict."""
    open_ = sum(check.holds is None for check in judged.checks)
    lines = [(check.name, *_MARKS[check.holds], check.words) for check in judged.checks]
    values = {"holds": judged.holds, "open": open_, "lines": lines, "count": len(lines)}
    return Piece("Proofs", "admin/baccarat/proofs.html", values)


def _exported(round_: Round) -> Check:
    try:
        document = export(round_=round_.pk, operator=round_.operator_id, viewer=None)
    except Refusal as refusal:
        return Check(_NAME, holds=None, words=f"{refusal.detail}.")
    except MALFORMED as trouble:
        return Check(_NAME, holds=False, words=f"It can't be exported: {trouble}")
    found = verify(json.dumps(document).encode(), keys=[key.hex() for key in ring().public.values()])
    wrong = [f"{check.name}: {check.text}" for check in found.checks if check.verdict is Said.FAILED]
    if wrong:
        return Check(_NAME, holds=False, words="; ".join(wrong[:5]))
    waits = [f"{check.name}: {check.text}" for check in found.checks if check.verdict is Said.OPEN]
    count = sum(check.verdict is Said.OK for check in found.checks)
    words = f"{count} checks hold{'; not yet: ' if waits else ''}{'; '.join(waits[:5])}."
    return Check(_NAME, holds=None if found.verdict is Overall.PARTLY else True, words=words)
