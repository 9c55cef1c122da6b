"""Decisions on a table's rules: draft, publish, reject, put into effect, retire. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from baccarat.domain.rules import versions
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables import commands as c
from baccarat.domain.tables import rules_events as e
from baccarat.domain.tables import rules_refusals as r
from baccarat.domain.tables.refusals import PlayerEdgeNotAccepted, PlayMoneyNotOffered, TableIsClosed
from baccarat.domain.tables.rules_state import RulesDraft
from baccarat.domain.tables.state import TableState
from casino.kernel.money import MoneyType

MAX_REASON_LENGTH: Final = 500
Events = Sequence[e.VersionEvent]


def require_acknowledged(rules: TableRules, *, floor: int, acknowledgement: str, edge_accepted: bool = False) -> None:
    """Check that an operator has acknowledged what the rules require for real money.

    Raises PlayerEdgeNotAccepted, ReturnUnderFloor if nothing was typed, otherwise AcknowledgementDiffers,
    AcknowledgementNotNeeded.
    """
    if versions.is_acknowledged(rules, floor=floor, acknowledgement=acknowledgement):
        return
    sentence, warnings = (
        versions.acknowledgement_sentence(rules, floor=floor),
        versions.return_warnings(rules, floor=floor),
    )
    if acknowledgement.strip():
        raise r.AcknowledgementDiffers(sentence=sentence) if sentence else r.AcknowledgementNotNeeded
    edges = [doubt.spot for doubt in warnings if doubt.player_edge]
    if edges and not edge_accepted:
        raise PlayerEdgeNotAccepted(spots=edges, sentence=sentence)
    under = [doubt.spot for doubt in warnings if not doubt.player_edge]
    if under:
        raise r.ReturnUnderFloor(f"The acknowledgement is: {sentence}", spots=under, sentence=sentence)


def draft(command: c.DraftRules, state: TableState) -> Events:
    """Draft rules as a new version for the table."""
    ruled = state.current_rules_lifecycle()
    if ruled.draft is not None:
        raise r.DraftPending(version=ruled.draft.rules.version)
    rules = replace(command.rules, version=ruled.latest_version + 1)
    latest = ruled.in_force if ruled.pending is None else ruled.pending.rules
    if versions.plays_alike(latest, rules) and not ruled.retired:
        raise r.RulesUnchanged
    _require_fitting(rules, state)
    if MoneyType.REAL in state.require_opened().money_types:
        require_acknowledged(rules, floor=command.floor, acknowledgement=command.acknowledgement)
    drafted = e.RulesDrafted(
        version=rules.version,
        rules=rules,
        returns=versions.theoretical_returns(rules),
        return_floor=command.floor,
        acknowledgement=command.acknowledgement,
        by=command.by,
        at=command.now,
    )
    return (drafted,)


def publish(command: c.PublishRules, state: TableState) -> Events:
    """Publish the draft with another person's approval."""
    waiting = _waiting(command.version, state)
    if command.by == waiting.by:
        raise r.RulesNeedSecondPerson
    _require_fitting(waiting.rules, state)
    if MoneyType.REAL in state.require_opened().money_types and command.floor is not None:
        _require_told(waiting, floor=command.floor)
    due = effective_from(state, waiting.rules)
    if due is not e.EffectiveFrom.NEXT_ROUND and state.current_rules_lifecycle().retired:
        raise r.RetiredRulesCannotWait
    return (
        e.RulesPublished(
            version=command.version,
            rules=waiting.rules,
            effective_from=due,
            drafted_by=waiting.by,
            by=command.by,
            at=command.now,
        ),
    )


def _require_told(waiting: RulesDraft, *, floor: int) -> None:
    """Check that the draft's acknowledgement still covers its returns if the floor was raised since."""
    accepted = {doubt.spot for doubt in versions.return_warnings(waiting.rules, floor=waiting.floor)}
    new = [doubt.spot for doubt in versions.return_warnings(waiting.rules, floor=floor) if doubt.spot not in accepted]
    if new:
        wanted = versions.acknowledgement_sentence(waiting.rules, floor=floor)
        raise r.ReturnUnderFloor(
            f"The floor is higher than when this was drafted: {wanted}", spots=new, sentence=wanted
        )


def effective_from(state: TableState, rules: TableRules) -> e.EffectiveFrom:
    """Return what rules must wait for once published.

    Raises CommittedShoeConflict if the next shoe was committed to with the shape of pending rules and these rules have
    another.
    """
    bound = state.committed_shape()
    if bound is not None and rules.shape != bound:
        if bound != state.rules.shape:
            raise r.CommittedShoeConflict
        return e.EffectiveFrom.NEW_SHOE
    late = state.shoe is not None and versions.waits_for_shoe(state.rules, rules)
    return e.EffectiveFrom.NEXT_SHOE if late else e.EffectiveFrom.NEXT_ROUND


def reject(command: c.RejectRules, state: TableState) -> Events:
    """Reject the draft, or withdraw it as its author."""
    _waiting(command.version, state)
    return (e.RulesRejected(command.version, _reason(command.reason), command.by, command.now),)


def put_into_effect(command: c.PutRulesIntoEffect, state: TableState) -> Events:
    """Put published rules into effect from the next round, unless they wait for a shoe."""
    waiting = state.current_rules_lifecycle().pending
    if waiting is None or not state.pending_rules_are_due():
        return ()
    rules = waiting.rules
    return (e.RulesTookEffect(rules.version, rules, state.rounds + 1, command.now),)


def retire(command: c.RetireRules, state: TableState) -> Events:
    """Retire the rules in force: running rounds conclude, and no round opens under them again."""
    if state.current_rules_lifecycle().retired:
        raise r.RulesAreRetired
    if command.version != state.rules.version:
        raise r.VersionNotInForce(in_force=state.rules.version)
    return (e.RulesRetired(command.version, _reason(command.reason), command.by, command.now),)


def _waiting(version: int, state: TableState) -> RulesDraft:
    draft = state.current_rules_lifecycle().draft
    if draft is None or draft.rules.version != version:
        raise r.UnknownDraft
    return draft


def _require_fitting(rules: TableRules, state: TableState) -> None:
    if state.closed:
        raise TableIsClosed
    if rules.shuffle is not state.rules.shuffle:
        raise r.ShuffleIsFixed
    if MoneyType.PLAY in state.require_opened().money_types and not rules.play_money:
        raise PlayMoneyNotOffered
    beyond = [seat.seat for seat in state.seats if seat.seat > rules.seats]
    if beyond:
        raise r.SeatsAreTaken(seats=beyond)


def _reason(text: str) -> str:
    reason = text.strip()
    if not reason or len(reason) > MAX_REASON_LENGTH:
        raise r.VersionReasonMissing
    return reason


DECIDE: Final[dict[type, Callable[[Any, TableState], Events]]] = {
    c.DraftRules: draft,
    c.PublishRules: publish,
    c.RejectRules: reject,
    c.PutRulesIntoEffect: put_into_effect,
    c.RetireRules: retire,
}
