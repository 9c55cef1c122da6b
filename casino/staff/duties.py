"""Duties: what somebody may do, on which side, and how many persons it takes at a live operator. Pure.

Each app declares its acts in `acts.py` and registers them in `AppConfig.ready()`. Roles, pages of the admin, kinds of
changes and documents derive from them. Duties are separated after GLI-19 B.2.3 and B.8.2.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import Final

ANY_SCOPE: Final = "any"
"""The scope of what every key may do."""
TO_LOOSEN: Final = "to loosen"
"""For what an act takes one more person, if it is a control that one person tightens."""


class DutySide(StrEnum):
    """The side of an act. Nobody may hold acts of two sides, except that `any` joins each."""

    DO = "do"
    APPROVE = "approve"
    OVERSEE = "oversee"
    ADMINISTER = "administer"
    ANY = "any"
    """Stopping, tightening, reading out, writing down: what gives no power over money, cards, identity or traces."""


class Role(StrEnum):
    """Names of the built-in roles, which are names of groups."""

    COMPLIANCE = "compliance"
    FLOOR_MANAGER = "floor_manager"
    DUTY_MANAGER = "duty_manager"
    CASHIER = "cashier"
    APPROVER = "approver"
    SUPPORT = "support"
    ADMINISTRATOR = "administrator"


class Signed(StrEnum):
    """Where a person has to sign what a key does: nowhere, at live operators, or at all."""

    NEVER = ""
    LIVE = "live"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that somebody may do.

    `name` is the permission of staff, `app.codename` as Django names it. `scope` is what a key needs to do it over
    HTTP, where it may also need a signed person (`assertion`). `persons` is how many have to agree at a live operator;
    `one_more` says when it takes one more. A `delayed` one takes effect after CHANGE_DELAY_HOURS. `event` is the
    kind of significant event, `tells` who is told. Without roles, keys do it, and without a scope superusers.
    """

    name: str
    what: str
    side: DutySide
    roles: tuple[Role, ...] = ()
    _: KW_ONLY
    scope: str | None = None
    assertion: Signed = Signed.NEVER
    persons: int = 1
    one_more: str = ""
    delayed: bool = False
    event: str = ""
    tells: str = ""

    @property
    def holders(self) -> str:
        """Name who holds it: roles, keys alone, or superusers alone."""
        return ", ".join(self.roles) or ("superusers" if self.scope is None else "keys")


_acts: Final[dict[str, Act]] = {}


def register(*acts: Act) -> None:
    """Add acts to the policy."""
    for act in acts:
        if _acts.setdefault(act.name, act) != act:
            raise AssertionError(f"{act.name} is another act already")


def acts() -> tuple[Act, ...]:
    """List the acts, by name."""
    return tuple(_acts[name] for name in sorted(_acts))


def find(name: str) -> Act:
    """Return an act by its name. Raises LookupError: what is no act, nobody may do."""
    if name not in _acts:
        raise LookupError(f"{name} is no act: declare who may do it, on which side, in the acts.py of its app")
    return _acts[name]


def apart(functions: Iterable[str]) -> Mapping[DutySide, Sequence[str]]:
    """Return the functions of each side if there are several sides, which nobody may join; else nothing."""
    by_side: dict[DutySide, list[str]] = {}
    for act in _sided(functions):
        by_side.setdefault(act.side, []).append(act.name)
    return {side: sorted(by_side[side]) for side in DutySide if side in by_side} if len(by_side) > 1 else {}


def describe(by_side: Mapping[DutySide, Sequence[str]]) -> str:
    """Say which functions are on which side."""
    return "; ".join(f"{side}: {', '.join(names)}" for side, names in by_side.items())


def _sided(functions: Iterable[str]) -> Iterator[Act]:
    known = (_acts[name] for name in functions if name in _acts)
    return (act for act in known if act.side is not DutySide.ANY)
