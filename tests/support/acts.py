"""What tests set up as if enough persons had agreed, so that the audit finds nothing in it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction

from casino.events import store
from casino.events.ids import new_id
from casino.events.sql import database_now, execute
from casino.events.store import Append, Metadata
from casino.operators import change as lifecycle
from casino.operators import changes
from casino.operators.change import ChangeEvent, ChangeTookEffect, change_stream
from casino.operators.models import ChangeName
from casino.significant import act_log
from casino.significant.act_log import Agreement
from casino.staff import duties

ONE: Final = "staff:1"
OTHER: Final = "staff:2"


@contextmanager
def agreed(
    kind: ChangeName = ChangeName.STAFF_ROLES,
    subject: str = "test",
    *,
    operator: UUID | None = None,
    details: Mapping[str, Any] | None = None,
) -> Iterator[Agreement]:
    """Let all that the block does be one act, on a change of which two persons agree, although its kind does other."""
    about = {"operator": operator, "subject": subject}
    with transaction.atomic():
        now = database_now()
        asked = lifecycle.request(
            new_id(now), **about, kind=kind, summary="As a test needs it", details=dict(details or {}),
            persons=changes.persons_for(kind), by=ONE, at=now,
        )  # fmt: skip
        confirmed = lifecycle.confirm(lifecycle.fold([asked]), by=OTHER, at=now, delay=timedelta())
        _append(0, asked, confirmed)
        agreement = Agreement(asked.change, lifecycle.agreed_by(lifecycle.fold([asked, confirmed])))
        with act_log.as_one(changes.act_of(kind).name, **about, actor=ONE, agreement=agreement):
            yield agreement
        applied = ChangeTookEffect(asked.change, database_now())
        _append(2, applied)
        changes.CHANGES.upsert([changes.change_row(lifecycle.fold([asked, confirmed, applied]))])


def caused_by(agreement: Agreement, operator: UUID) -> Metadata:
    """Return the metadata of what a change does."""
    return Metadata(str(operator), actor=ONE, causation=f"change-{agreement.change}")


def _append(version: int, *events: ChangeEvent) -> None:
    encoded = tuple(map(changes.CHANGE_EVENTS.encode, events))
    stream = change_stream(events[0].change)
    store.append([Append(stream, version, encoded, Metadata("", actor=ONE, causation=stream))])


_PERMIT = """
    INSERT INTO auth_user_user_permissions (user_id, permission_id)
    SELECT %s, permission.id FROM auth_permission permission
      JOIN django_content_type kind ON kind.id = permission.content_type_id
     WHERE kind.app_label || '.' || permission.codename = ANY(%s)
"""


def permit_every_act(user: User) -> None:
    """Let a superuser do every act, which the flag alone does not."""
    execute(_PERMIT, [user.pk, [act.name for act in duties.acts()]])
