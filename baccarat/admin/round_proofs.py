"""The verdict on a round, worked out anew whenever its page is looked at."""

from typing import Final

from baccarat.audit.verdict import Verdict
from casino.admin.sections import Piece

_MARKS: Final = {True: ("good", "holds"), False: ("bad", "broken"), None: ("warn", "not yet")}


def proofs(judged: Verdict) -> Piece:
    """This will show what was checked, each with what came out, under a green or a red verdict."""
    open_ = sum(check.holds is None for check in judged.checks)
    lines = [(check.name, *_MARKS[check.holds], check.words) for check in judged.checks]
    values = {"holds": judged.holds, "open": open_, "lines": lines, "count": len(lines)}
    return Piece("Proofs", "admin/baccarat/proofs.html", values)
