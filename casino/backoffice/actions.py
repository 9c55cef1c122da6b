"""Row actions: methods of an admin page that change one row, each with a permission and a form."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest

from casino.backoffice.forms import RowForm
from casino.events.store import Metadata
from casino.observability.request_id import request_id
from casino.operators import memberships

Perform = Callable[[Any, HttpRequest, Any, dict[str, Any]], str]
Applies = Callable[[HttpRequest, Any], bool]
_ATTRIBUTE: Final = "row_action"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowAction:
    """A row action: the method, its permission, and its form."""

    name: str
    permission: str
    label: str
    title: str
    form: type[RowForm]
    help_text: str
    tone: str
    question: str
    applies: Applies
    placed: bool
    method: str


def row_action(
    label: str,
    *,
    permission: str,
    name: str = "",
    title: str = "",
    form: type[RowForm] = RowForm,
    help_text: str = "",
    tone: str = "plain",
    question: str = "",
    applies: Applies = lambda _request, _row: True,
    placed: bool = False,
) -> Callable[[Perform], Perform]:
    """Declare a method `(request, row, data) -> message` a row action, at `<id>/<name>/`.

    Its form is at the end of each page whose row `applies`; if it is `placed`, the page places it itself.
    """

    def declare(method: Any) -> Any:
        action = RowAction(
            name=name or method.__name__,
            permission=permission,
            label=label,
            title=title or label,
            form=form,
            help_text=help_text,
            tone=tone,
            question=question,
            applies=applies,
            placed=placed,
            method=method.__name__,
        )
        setattr(method, _ATTRIBUTE, action)
        return method

    return declare


def row_actions(page: type) -> Iterator[RowAction]:
    """Yield the row actions of a page's class, its bases' first, in the order of their definition."""
    declared: dict[str, RowAction | None] = {}
    for owner in reversed(page.__mro__):
        for name, member in vars(owner).items():
            if name in declared or hasattr(member, _ATTRIBUTE):
                declared[name] = getattr(member, _ATTRIBUTE, None)
    return (action for action in declared.values() if action is not None)


def staff_metadata(request: HttpRequest, operator: object, *, causation: str = "", correlation: str = "") -> Metadata:
    """Return the metadata of events that a member of staff causes."""
    request_name = request_id(request)
    return Metadata(
        operator=str(operator or ""),
        actor=memberships.staff_actor(request.user),
        causation=causation,
        correlation=correlation or request_name,
        request=request_name,
    )
