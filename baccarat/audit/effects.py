"""Events that are the effect of a change on which several persons agreed: which change, as far as the event tells."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from baccarat.domain.rounds.events import RoundVoided
from baccarat.domain.rounds.voiding import BY_LIMIT
from baccarat.domain.tables.events import RulesPublished, TableOpened
from baccarat.domain.tables.kill_switch import StopLifted, stop_id
from baccarat.domain.tables.witness_events import ReplacementReason, WitnessChainsReplaced
from baccarat.services.table_lifecycle import takes_two
from baccarat.storage.models import Table
from casino.compliance.erasure import PlayerErased
from casino.operators.change_audit import Effect
from casino.operators.models import ChangeName
from wallet.adjustments.events import AdjustmentPosted
from wallet.funding.events import FundingChanged
from wallet.payments.events import HoldReleased, WithdrawalApproved
from wallet.responsible_gaming.events import PlayerUnfrozen, PlayMoneyCapSet, SelfExclusionEnded

FindChange = Callable[[Any, str], Effect | None]
"""Returns the change of an event in a stream, None if it can be that of none."""
_ADJUSTED: Final = ("money_type", "currency", "direction", "amount", "reason", "note", "message")


def _erased(event: PlayerErased, _: str) -> Effect:
    details = {"reason": event.reason.value, "overrides_retention": event.overrides_retention}
    whose, by = f"player:{event.player}", event.agreed_by
    return Effect(ChangeName.ERASURE, whose, details, by, operator=event.operator, change=event.change)


def _adjusted(event: AdjustmentPosted, _: str) -> Effect:
    details = {"player": str(event.player), **{name: getattr(event, name) for name in _ADJUSTED}}
    details |= {"as_debt": True} if event.owed else {}
    kind = ChangeName.RELEASE_CREDIT if event.released_by else ChangeName.ADJUSTMENT
    details |= {"approved_by": event.approved_by} if event.released_by else {}
    by = (event.requested_by, *(event.released_by or (event.approved_by,)))
    return Effect(kind, f"player:{event.player}", details, by, operator=event.operator, change=event.adjustment)


def _approved(event: WithdrawalApproved, _: str) -> Effect:
    by, subject = event.approved_by, f"withdrawal:{event.withdrawal}"
    return Effect(ChangeName.WITHDRAWAL, subject, {}, by, needed=len(by) > 1)


def _released(event: HoldReleased, _: str) -> Effect:
    return Effect(ChangeName.RELEASE_PAYMENT, None, {"hold": str(event.hold)}, event.by, needed=len(event.by) > 1)


def _unfrozen(event: PlayerUnfrozen, _: str) -> Effect:
    details = {"player": str(event.player)}
    return Effect(ChangeName.UNFREEZE, f"player:{event.player}", details, event.by, operator=event.operator)


def _readmitted(event: SelfExclusionEnded, _: str) -> Effect:
    subject, details = f"player:{event.player}", {"player": str(event.player)}
    return Effect(ChangeName.END_EXCLUSION, subject, details, operator=event.operator, if_live=True)


def _funded(event: FundingChanged, _: str) -> Effect:
    details = {
        "funding": event.funding.value,
        "wallet_url": event.wallet_url,
        "conformance": event.conformance,
        "profile": event.profile.value,
    }
    return Effect(ChangeName.FUNDING, f"operator:{event.operator}", details, operator=event.operator, if_live=True)


def _capped(event: PlayMoneyCapSet, _: str) -> Effect:
    subject, details = f"operator:{event.operator}", {"currency": event.currency, "cap": event.cap}
    return Effect(ChangeName.PLAY_MONEY_CAP, subject, details, operator=event.operator, if_live=True)


def _opened(event: TableOpened, _: str) -> Effect:
    return Effect(
        ChangeName.OPEN_TABLE,
        f"table:{event.table}",
        {"name": event.name, "rules": event.rules.values},
        operator=event.operator,
        needed=takes_two(event.rules.decoded, event.money_types),
        if_live=True,
    )


def _published(event: RulesPublished, stream: str) -> Effect:
    table = stream.removeprefix("table-")
    details = {"table": table, "version": event.version}
    return Effect(ChangeName.RULES, f"rules:{table}/{event.version}", details, (event.drafted_by, event.by))


def _replaced(event: WitnessChainsReplaced, stream: str) -> Effect:
    """Return the change of a witness's replacement, unless the house replaces one by itself, for such a reason."""
    table = Table.objects.get(pk=stream.removeprefix("table-"))
    return Effect(
        ChangeName.REPLACE_WITNESS,
        None,
        {"reason": event.reason.value},
        operator=table.operator_id,
        needed=event.reason not in {ReplacementReason.AWAY, ReplacementReason.RETIRED},
        if_live=True,
        at=event.replaced_at,
    )


def _voided(event: RoundVoided, stream: str) -> Effect | None:
    if event.requested_by == BY_LIMIT:  # as may follow a change of the table
        return None
    subject, details = stream.replace("-", ":", 1), {"reason": event.reason.value, "note": event.note}
    persons, needed = (event.requested_by, event.approved_by or ""), event.approved_by is not None
    return Effect(ChangeName.VOID, subject, details, persons, needed=needed)


def _resumed(event: StopLifted, _: str) -> Effect:
    """Return the change of a stop; whether it needed one, its own audit says."""
    terms = {"scope": event.scope.value, "subject": event.subject, "reason": event.reason, "rank": event.rank.value}
    return Effect(
        ChangeName.RESUME_PLAY,
        f"stop:{stop_id(event.scope, event.subject)}",
        {**terms, "order": event.regulator_order},
        (event.by, *event.agreed_by),
        change=event.change,
        needed=event.change is not None,
    )


EFFECTS: Final[Mapping[str, FindChange]] = {
    kind.__name__: find
    for kind, find in (
        (AdjustmentPosted, _adjusted),
        (FundingChanged, _funded),
        (HoldReleased, _released),
        (PlayMoneyCapSet, _capped),
        (PlayerErased, _erased),
        (PlayerUnfrozen, _unfrozen),
        (RoundVoided, _voided),
        (RulesPublished, _published),
        (SelfExclusionEnded, _readmitted),
        (StopLifted, _resumed),
        (TableOpened, _opened),
        (WithdrawalApproved, _approved),
        (WitnessChainsReplaced, _replaced),
    )
}
