"""What tests set up as if enough persons had agreed, so that the audit finds nothing in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

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
def agreed(kind: ChangeName = ChangeName.STAFF_ROLES, subject: str = "test") -> Iterator[Agreement]:
    """Let all that the block does be one act, on a change of which two persons agree, although its kind does other."""
    with transaction.atomic():
        now = database_now()
        asked = lifecycle.request(
            new_id(now), operator=None, kind=kind, subject=subject, summary="As a test needs it", details={},
            persons=changes.persons_for(kind), by=ONE, at=now,
        )  # fmt: skip
        confirmed = lifecycle.confirm(lifecycle.fold([asked]), by=OTHER, at=now, delay=timedelta())
        _append(0, asked, confirmed)
        act = changes.act_of(kind).name
        agreement = Agreement(asked.change, lifecycle.agreed_by(lifecycle.fold([asked, confirmed])))
        with act_log.as_one(act, operator=None, subject=subject, actor=ONE, agreement=agreement):
            yield agreement
        applied = ChangeTookEffect(asked.change, database_now())
        _append(2, applied)
        changes.CHANGES.upsert([changes.change_row(lifecycle.fold([asked, confirmed, applied]))])


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
