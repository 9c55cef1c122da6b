"""Refusals: commands that the rules do not allow. Nothing has changed; the caller learns why and what to do."""

from enum import StrEnum
from typing import ClassVar


class RefusalKind(StrEnum):
    """The kind of a refusal, which the API maps to an HTTP status."""

    INVALID = "invalid"
    CONFLICT = "conflict"
    FORBIDDEN = "forbidden"
    MISSING = "missing"


class Refusal(Exception):
    """Base of all refusals. Subclasses name the reason and are defined beside the rule that raises them.

    `code` is stable and public, `title` says what is wrong, `remedy` what to do about it; `facts` are JSON-ready
    details of this case (the API adds amounts as decimal strings).
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
        """Return sentences that say what is wrong and what to do about it."""
        return f"{self.detail.rstrip('.')}. {self.remedy}"


def all_refusals(base: type[Refusal] = Refusal) -> list[type[Refusal]]:
    """Return every loaded refusal class, ordered by code."""
    by_code: dict[str, type[Refusal]] = {}
    pending = list(base.__subclasses__())
    while pending:
        refusal = pending.pop()
        pending.extend(refusal.__subclasses__())
        if "code" in refusal.__dict__:
            by_code[refusal.code] = refusal
    return [by_code[code] for code in sorted(by_code)]
