"""Refusals: commands that the rules do not allow. Nothing has changed; the caller learns why and what to do."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple, NewType

Amount = NewType("Amount", int)
"""A fact in minor units of the fact `currency`, which answers show as a decimal string."""


class Fault(NamedTuple):
    """A place such as `spots[1].name`, a code, and what is wrong: the end of a sentence that the place begins."""

    field: str
    code: str
    sentence: str


class RefusalKind(StrEnum):
    """The kind of a refusal, which the API maps to an HTTP status."""

    INVALID = "invalid"
    CONFLICT = "conflict"
    FORBIDDEN = "forbidden"
    MISSING = "missing"
    GONE = "gone"
    UNAVAILABLE = "unavailable"


class Refusal(Exception):
    """Base of all refusals. Subclasses name the reason and are defined beside the rule that raises them.

    `code` is stable and public, and made of the class's name unless it has another; the kind is the base's: a conflict,
    or one of those below. `title` says what is wrong, `remedy` what to do about it; `facts` are JSON-ready details of
    this case (the API adds amounts as decimal strings). `fact_types` declares them: one that may be None may also be
    absent. `faults` are what is wrong with single fields of the request's `member`.
    """

    code: ClassVar[str] = "refused"
    kind: ClassVar[RefusalKind] = RefusalKind.CONFLICT
    title: ClassVar[str] = "The request was refused"
    remedy: ClassVar[str] = "Read the detail and send a corrected request."
    fact_types: ClassVar[Mapping[str, Any]] = {}
    member: ClassVar[str] = ""
    """The member of a request that `faults` are about."""
    faults: Sequence[Fault] = ()

    def __init_subclass__(cls) -> None:
        """Make the code of a class that has a title: the others are bases."""
        if "title" in vars(cls) and "code" not in vars(cls):
            cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(self, detail: str = "", **facts: object) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.facts = facts

    def message(self) -> str:
        """Return sentences that say what is wrong and what to do about it."""
        return f"{self.detail.rstrip('.')}. {self.remedy}"


class Invalid(Refusal):
    """What was sent is not right."""

    kind = RefusalKind.INVALID


class Forbidden(Refusal):
    """Who asks may not do this."""

    kind = RefusalKind.FORBIDDEN


class Missing(Refusal):
    """There is no such thing."""

    kind = RefusalKind.MISSING


class Gone(Refusal):
    """There is no such thing any more."""

    kind = RefusalKind.GONE


class Unavailable(Refusal):
    """This can't be done now."""

    kind = RefusalKind.UNAVAILABLE


class CommittedRefusal(Refusal):
    """A refusal that changes something, so its transaction is committed and its response stored."""


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
