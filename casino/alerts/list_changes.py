"""On-call lists: one person adds lists and has them told of more; whoever is told less, or anew, takes two persons."""

from dataclasses import asdict
from typing import Final

from casino.alerts import acts, on_call
from casino.alerts.models import Channel, OnCallList, OnCallTarget
from casino.alerts.on_call import ListTerms, TargetAddress
from casino.operators import changes
from casino.operators.changes import ChangeKind
from casino.operators.models import Change, ChangeName

LIST: Final = ChangeName.ON_CALL_LIST
TARGET: Final = ChangeName.ON_CALL_TARGET


def change_list(row: OnCallList, terms: ListTerms, *, by: str) -> Change | None:
    """Change what a list is told of."""
    if not on_call.loosens(row, terms):
        on_call.save_list(terms, row=row, by=by)
        return None
    details = {"list": row.pk, "terms": asdict(terms)}
    told = ", ".join(terms.kinds) or "everything"
    summary = f"Tell the on-call list {terms.name} of {told} from {terms.severity} on, {terms.after_seconds} s later"
    return changes.make(None, LIST, subject=_subject(row), summary=summary, details=details, by=by)


def remove_list(row: OnCallList, *, by: str) -> Change | None:
    """Remove a list with its targets."""
    details = {"list": row.pk, "terms": None}
    return changes.make(
        None, LIST, subject=_subject(row), summary=f"Remove the on-call list {row.name}", details=details, by=by
    )


def add_target(row: OnCallList, *, channel: Channel, where: TargetAddress, by: str) -> Change | None:
    """Have alerts sent to a further address. Raises InvalidWebhookUrl."""
    sealed = on_call.seal_address(where)
    details = {
        "list": row.pk, "channel": channel.value, "key_id": sealed.key_id, "encrypted": sealed.data.hex()
    }  # fmt: skip
    summary = f"Send what the on-call list {row.name} is told to {on_call.label_of(channel, where)} ({channel.label})"
    return changes.make(None, TARGET, subject=_subject(row), summary=summary, details=details, by=by)


def remove_target(target: OnCallTarget, *, by: str) -> Change | None:
    """Send an address no more alerts."""
    row, details = target.on_call_list, {"target": target.pk}
    summary = f"Send nothing more of the on-call list {row.name} to {target}"
    return changes.make(None, TARGET, subject=_subject(row), summary=summary, details=details, by=by)


def register() -> None:
    """Let two persons change who is told."""
    changes.register(ChangeKind(LIST, acts.CHANGE_LIST, _apply_list))
    changes.register(ChangeKind(TARGET, acts.CHANGE_LIST, _apply_target, secret=True))


def _apply_list(change: Change) -> None:
    row = OnCallList.objects.select_for_update().filter(pk=change.details["list"]).first()
    terms = change.details["terms"]
    if row is not None and terms is None:
        on_call.remove_list(row, by=change.requested_by)
    elif row is not None:
        on_call.save_list(ListTerms(**terms), row=row, by=change.requested_by)


def _apply_target(change: Change) -> None:
    details = changes.details_of(change)
    if "target" in details:
        for target in OnCallTarget.objects.select_related("on_call_list").filter(pk=details["target"]):
            on_call.remove_target(target, by=change.requested_by)
        return
    where = on_call.open_address(details["key_id"], bytes.fromhex(details["encrypted"]))
    for row in OnCallList.objects.filter(pk=details["list"]):  # which may be gone since
        on_call.add_target(row, channel=Channel(details["channel"]), where=where, by=change.requested_by)


def _subject(row: OnCallList) -> str:
    return f"on_call_list:{row.pk}"
