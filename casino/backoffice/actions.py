"""Row actions: methods of an admin page that change one row, each with a permission, which is an act, and a form."""

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Final

from django.db import transaction
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html
from casino.backoffice.forms import RowForm
from casino.events.store import Metadata
from casino.observability.logging import request_id
from casino.operators import memberships, notices
from casino.operators.models import Change
from casino.staff import duties

Applies = Callable[[HttpRequest, Any], bool]
WAITS: Final = "Requested; another person has to confirm it."
_ATTRIBUTE: Final = "row_action"


@dataclass(frozen=True, slots=True)
class SecretAnswer:
    """What an action returns that makes a secret: it is in the answer to this request, and nowhere else.

    `message` is shown beside it and recorded, so the secret is not part of it.
    """

    message: str
    secret: str | SafeString
    advice: str = "Copy it now: it can't be shown again."


@dataclass(frozen=True, slots=True)
class RowAction:
    """Declares a method `(request, row, data) -> message` an action on a row, at `<id>/<name>/`.

    One that makes a secret returns SecretAnswer instead of a message.

    Its form is shown on the page of each row that it `applies` to: at the end, or where the page puts it if it is
    `placed`. The form of an action without fields is a button; `question` is shown before it is sent.
    """

    label: str
    _: KW_ONLY
    permission: str
    name: str = ""
    title: str = ""
    form: type[RowForm] = RowForm
    help_text: str = ""
    tone: str = "plain"
    question: str = ""
    applies: Applies = lambda _request, _row: True
    placed: bool = False
    method: str = ""

    def __post_init__(self) -> None:
        """Require a duty. Raises LookupError."""
        duties.find(self.permission)

    def __call__(self, method: Any) -> Any:
        """Decorate a method."""
        name = method.__name__
        action = replace(self, name=self.name or name, title=self.title or self.label, method=name)
        setattr(method, _ATTRIBUTE, action)
        return method


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
    return Metadata(
        operator=str(operator or ""),
        actor=memberships.staff_actor(request.user),
        causation=causation,
        correlation=correlation,
        request=request_id(request),
    )


def done_or_waits(change: Change | None, done: str) -> str:
    """Say that something is done, or that another person has to confirm it."""
    return done if change is None else WAITS


def hand_over(request: HttpRequest, title: str, owner: str, assign: Callable[..., object]) -> str:
    """Give what has this title to an owner, who is told, else to the user; the service takes `owner` and `by`."""
    by = memberships.staff_actor(request.user)
    owner = owner or by
    with transaction.atomic():
        assign(owner=owner, by=by)
        if owner != by:
            text = f"{notices.name_of(by)} asks you to decide it. It is in your inbox in the admin."
            notices.tell([owner], subject=f"Handed over to you: {title}", text=text, closing="")
    return f"Handed over to {html.with_logins(owner)}."


def staff_context(request: HttpRequest, row: Any, **correlation: str) -> dict[str, Any]:
    """Return the keyword arguments `operator`, `by` and `metadata` of services that staff call for a row."""
    metadata = staff_metadata(request, row.operator_id, **correlation)
    return {"operator": row.operator_id, "by": memberships.staff_actor(request.user), "metadata": metadata}
