"""What a table allows to be done with its rules. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from baccarat.domain.rules import versions
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables import commands as c
from baccarat.domain.tables import rules_events as e
from baccarat.domain.tables import rules_refusals as r
from baccarat.domain.tables.refusals import PlayerEdgeNotAccepted, PlayMoneyNotOffered, TableIsClosed
from baccarat.domain.tables.rules_state import Draft
from baccarat.domain.tables.state import TableState
from casino.kernel.money import Book

LONGEST_REASON: Final = 500
Events = Sequence[e.VersionEvent]


def require_acknowledged(rules: TableRules, *, floor: int, words: str, edge_accepted: bool = False) -> None:
    """Check that an operator has said what rules need to be said for real money.

    Raises PlayerEdgeNotAccepted, ReturnUnderFloor where nothing was said, else AcknowledgementDiffers,
    AcknowledgementNotNeeded.
    """
    if versions.is_acknowledged(rules, floor=floor, words=words):
        return
    wanted, found = versions.sentence(rules, floor=floor), versions.doubts(rules, floor=floor)
    if words.strip():
        raise r.AcknowledgementDiffers(sentence=wanted) if wanted else r.AcknowledgementNotNeeded
    edges = [doubt.spot for doubt in found if doubt.players_edge]
    if edges and not edge_accepted:
        raise PlayerEdgeNotAccepted(spots=edges, sentence=wanted)
    under = [doubt.spot for doubt in found if not doubt.players_edge]
    if under:
        raise r.ReturnUnderFloor(f"The acknowledgement is: {wanted}", spots=under, sentence=wanted)


def draft(command: c.DraftRules, state: TableState) -> Events:
    """Judge proposed rules as a new version of the table's."""
    ruled = state.ruling()
    if ruled.draft is not None:
        raise r.DraftWaits(version=ruled.draft.rules.version)
    rules = replace(command.rules, version=ruled.highest + 1)
    latest = ruled.in_force if ruled.next is None else ruled.next.rules
    if versions.is_same(latest, rules) and not ruled.withdrawn:
        raise r.RulesUnchanged
    _require_fitting(rules, state)
    if Book.REAL in state.facts().books:
        require_acknowledged(rules, floor=command.floor, words=command.acknowledgement)
    drafted = e.RulesDrafted(
        version=rules.version,
        rules=rules,
        returns=versions.returns(rules),
        floor=command.floor,
        acknowledgement=command.acknowledgement,
        by=command.by,
        at=command.now,
    )
    return (drafted,)


def publish(command: c.PublishRules, state: TableState) -> Events:
    """Let another person agree to the draft."""
    waiting = _waiting(command.version, state)
    if command.by == waiting.by:
        raise r.RulesNeedAnother
    _require_fitting(waiting.rules, state)
    if Book.REAL in state.facts().books and command.floor is not None:
        _require_told(waiting, floor=command.floor)
    waits_for = waits(state, waiting.rules)
    if waits_for is not e.Waits.NEXT_ROUND and state.ruling().withdrawn:
        raise r.WithdrawnTableCannotWait
    return (
        e.RulesPublished(
            version=command.version,
            rules=waiting.rules,
            waits_for=waits_for,
            drafted_by=waiting.by,
            by=command.by,
            at=command.now,
        ),
    )


def _require_told(waiting: Draft, *, floor: int) -> None:
    """What returns less than a floor that was raised since was not acknowledged with the draft."""
    told = {doubt.spot for doubt in versions.doubts(waiting.rules, floor=waiting.floor)}
    new = [doubt.spot for doubt in versions.doubts(waiting.rules, floor=floor) if doubt.spot not in told]
    if new:
        wanted = versions.sentence(waiting.rules, floor=floor)
        raise r.ReturnUnderFloor(
            f"The floor is higher than when this was drafted: {wanted}", spots=new, sentence=wanted
        )


def waits(state: TableState, rules: TableRules) -> e.Waits:
    """Tell what rules have to wait for once they are published.

    Raises ShoeIsBound where the next shoe was committed to with the shape of rules that wait, and these have another.
    """
    bound = state.bound_shape()
    if bound is not None and rules.shape != bound:
        if bound != state.rules.shape:
            raise r.ShoeIsBound
        return e.Waits.NEW_SHOE
    late = state.shoe is not None and versions.waits_for_shoe(state.rules, rules)
    return e.Waits.NEXT_SHOE if late else e.Waits.NEXT_ROUND


def reject(command: c.RejectRules, state: TableState) -> Events:
    """Let anybody who may decide refuse the draft, or its maker take it back."""
    _waiting(command.version, state)
    return (e.RulesRejected(command.version, _reason(command.reason), command.by, command.now),)


def take_effect(command: c.RulesTakeEffect, state: TableState) -> Events:
    """Let published rules hold from the next round on, unless they wait for a shoe."""
    waiting = state.ruling().next
    if waiting is None or not state.next_rules_are_due():
        return ()
    rules = waiting.rules
    return (e.RulesTookEffect(rules.version, rules, state.rounds + 1, command.now),)


def decommission(command: c.DecommissionRules, state: TableState) -> Events:
    """Withdraw the rules in force: what is in hand concludes, and no round opens by them any more."""
    if state.ruling().withdrawn:
        raise r.RulesWithdrawn
    if command.version != state.rules.version:
        raise r.VersionNotInForce(in_force=state.rules.version)
    return (e.RulesDecommissioned(command.version, _reason(command.reason), command.by, command.now),)


def _waiting(version: int, state: TableState) -> Draft:
    found = state.ruling().draft
    if found is None or found.rules.version != version:
        raise r.UnknownDraft
    return found


def _require_fitting(rules: TableRules, state: TableState) -> None:
    if state.closed:
        raise TableIsClosed
    if rules.shuffle is not state.rules.shuffle:
        raise r.ShuffleIsFixed
    if Book.PLAY in state.facts().books and not rules.play_money:
        raise PlayMoneyNotOffered
    beyond = [seat.seat for seat in state.seats if seat.seat > rules.seats]
    if beyond:
        raise r.SeatsAreTaken(seats=beyond)


def _reason(given: str) -> str:
    words = given.strip()
    if not words or len(words) > LONGEST_REASON:
        raise r.VersionReasonMissing
    return words


DECIDE: Final[dict[type, Callable[[Any, TableState], Events]]] = {
    c.DraftRules: draft,
    c.PublishRules: publish,
    c.RejectRules: reject,
    c.RulesTakeEffect: take_effect,
    c.DecommissionRules: decommission,
}
