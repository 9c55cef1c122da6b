"""An anticipated refusal: the rules say no, nothing has changed, the caller is told what to do."""

from enum import StrEnum
from typing import ClassVar


class RefusalKind(StrEnum):
    """Why a command is refused; the edge of the system translates it (HTTP: to a status)."""

    INVALID = "invalid"
    CONFLICT = "conflict"
    FORBIDDEN = "forbidden"
    MISSING = "missing"


class Refusal(Exception):
    """Base of all refusals. Subclasses name the reason and stand beside the rule that raises them.

    `code` is stable and public, `title` says what is wrong, `remedy` says what to do about it; `facts` are
    JSON-ready details of this one case (amounts in decimal strings are added at the edge).
    """

    code: ClassVar[str] = "refused"
    kind: ClassVar[RefusalKind] = RefusalKind.CONFLICT
    title: ClassVar[str] = "The request was refused"
    remedy: ClassVar[str] = "Read the detail and send a corrected request."

    def __init__(self, detail: str = "", **facts: object) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.facts = facts

    def message(self) -> str:
        """Say in sentences what is wrong and what to do about it, for people."""
        return f"{self.detail.rstrip('.')}. {self.remedy}"


def all_refusals(base: type[Refusal] = Refusal) -> list[type[Refusal]]:
    """List every refusal class that is loaded, each once, in order of its code."""
    found: dict[str, type[Refusal]] = {}
    pending = list(base.__subclasses__())
    while pending:
        refusal = pending.pop()
        pending.extend(refusal.__subclasses__())
        if "code" in refusal.__dict__:
            found[refusal.code] = refusal
    return [found[code] for code in sorted(found)]
