"""Decisions on a table's rules: draft, publish, reject, put into effect, retire. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from baccarat.domain.rules import versions
from baccarat.domain.rules.odds import largest_win
from baccarat.domain.rules.recorded import record
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables import events as e
from baccarat.domain.tables import refusals as r
from baccarat.domain.tables.state import RulesDraft, TableState
from casino.kernel.money import MoneyType

MAX_REASON_LENGTH: Final = 500
Events = Sequence[e.VersionEvent]


def require_allowed(rules: TableRules, *, floor: int, acknowledgement: str, edge_accepted: bool = False) -> None:
    """Check that the rules are allowed for real money, and that an operator has acknowledged what they require.

    Raises OddsTooHigh, WinTooLarge, PlayerEdgeNotAccepted, ReturnUnderFloor if nothing was typed, otherwise
    AcknowledgementDiffers, AcknowledgementNotNeeded.
    """
    over = versions.spots_over_odds(rules)
    if over:
        raise r.OddsTooHigh(
            spots=list(over), highest_odds={spot: str(versions.highest_odds(spot)) for spot in rules.spot_names}
        )
    win, highest = largest_win(rules), versions.highest_win(rules.currency)
    if win > highest:
        raise r.WinTooLarge(largest_win=win, highest_win=highest, currency=rules.currency)
    if versions.is_acknowledged(rules, floor=floor, acknowledgement=acknowledgement):
        return
    sentence = versions.acknowledgement_sentence(rules, floor=floor)
    warnings = versions.return_warnings(rules, floor=floor)
    if acknowledgement.strip():
        raise r.AcknowledgementDiffers(required_acknowledgement=sentence) if sentence else r.AcknowledgementNotNeeded
    edges = [warning.spot for warning in warnings if warning.player_edge]
    if edges and not edge_accepted:
        raise r.PlayerEdgeNotAccepted(spots=edges, required_acknowledgement=sentence)
    under = [warning.spot for warning in warnings if not warning.player_edge]
    if under:
        raise r.ReturnUnderFloor(f"The acknowledgement is: {sentence}", spots=under, required_acknowledgement=sentence)


def draft_rules(
    state: TableState, *, rules: TableRules, floor: int, acknowledgement: str, reason: str, by: str, at: datetime
) -> Events:
    """Propose rules as a new version for the table.

    `floor` is the operator's return floor, `acknowledgement` the sentence typed, `by` the author.
    """
    lifecycle = state.current_rules_lifecycle()
    if lifecycle.draft is not None:
        raise r.DraftPending(version=lifecycle.draft.rules.decoded.version)
    rules = replace(rules, version=lifecycle.latest_version + 1)
    latest = lifecycle.in_force if lifecycle.pending is None else lifecycle.pending.rules
    if versions.plays_alike(latest.decoded, rules) and not lifecycle.retired:
        raise r.RulesUnchanged
    _require_fitting(rules, state)
    if MoneyType.REAL in state.require_opened().money_types:
        require_allowed(rules, floor=floor, acknowledgement=acknowledgement)
    return (
        e.RulesDrafted(
            version=rules.version,
            rules=record(rules),
            returns=versions.theoretical_returns(rules),
            return_floor=floor,
            acknowledgement=acknowledgement,
            reason=reason.strip(),
            by=by,
            at=at,
        ),
    )


def publish_rules(state: TableState, *, version: int, by: str, at: datetime, floor: int | None = None) -> Events:
    """Publish the draft, on which two persons agreed.

    `floor` is the operator's current return floor, None to keep the one the draft was checked against.
    """
    draft = _require_draft(version, state)
    _require_fitting(draft.rules.decoded, state)
    if MoneyType.REAL in state.require_opened().money_types and floor is not None:
        _require_still_acknowledged(draft, floor=floor)
    effective = effective_from(state, draft.rules.decoded)
    if effective is not e.EffectiveFrom.NEXT_ROUND and state.current_rules_lifecycle().retired:
        raise r.RetiredRulesCannotWait
    return (
        e.RulesPublished(
            version=version,
            rules=draft.rules,
            effective_from=effective,
            drafted_by=draft.by,
            by=by,
            at=at,
        ),
    )


def _require_still_acknowledged(draft: RulesDraft, *, floor: int) -> None:
    """Check that the draft's acknowledgement still covers its returns if the floor was raised since."""
    rules = draft.rules.decoded
    accepted = {warning.spot for warning in versions.return_warnings(rules, floor=draft.floor)}
    new = [warning.spot for warning in versions.return_warnings(rules, floor=floor) if warning.spot not in accepted]
    if new:
        sentence = versions.acknowledgement_sentence(rules, floor=floor)
        raise r.ReturnUnderFloor(
            f"The floor is higher than when this was drafted: {sentence}", spots=new, required_acknowledgement=sentence
        )


def effective_from(state: TableState, rules: TableRules) -> e.EffectiveFrom:
    """Return what rules must wait for once published.

    Raises CommittedShoeConflict if the last shoe was committed to with the shape of pending rules and these rules have
    another.
    """
    committed = [shoe.shape for shoe in state.committed_shoes()]
    if any(shape != rules.shape for shape in committed):
        if committed[-1] not in (state.rules.shape, rules.shape):
            raise r.CommittedShoeConflict
        return e.EffectiveFrom.NEW_SHOE
    waits = state.shoe is not None and versions.waits_for_shoe(state.rules, rules)
    return e.EffectiveFrom.NEXT_SHOE if waits else e.EffectiveFrom.NEXT_ROUND


def reject_rules(state: TableState, *, version: int, reason: str, by: str, at: datetime) -> Events:
    """Drop the draft, which is not published."""
    _require_draft(version, state)
    return (e.RulesRejected(version, _require_reason(reason), by, at),)


def put_rules_into_effect(state: TableState, *, at: datetime) -> Events:
    """Put published rules that are due into effect from the next round, unless they wait for a shoe."""
    pending = state.current_rules_lifecycle().pending
    if pending is None or not state.pending_rules_are_due():
        return ()
    rules = pending.rules
    return (e.RulesTookEffect(rules.decoded.version, rules, state.rounds + 1, at),)


def retire_rules(state: TableState, *, version: int, reason: str, by: str, at: datetime) -> Events:
    """Retire the rules in force, which must have this version.

    Running rounds conclude, and no round opens under them again.
    """
    if state.current_rules_lifecycle().retired:
        raise r.RulesAreRetired
    if version != state.rules.version:
        raise r.VersionNotInForce(in_force=state.rules.version)
    return (e.RulesRetired(version, _require_reason(reason), by, at),)


def _require_draft(version: int, state: TableState) -> RulesDraft:
    draft = state.current_rules_lifecycle().draft
    if draft is None or draft.rules.decoded.version != version:
        raise r.UnknownDraft
    return draft


def _require_fitting(rules: TableRules, state: TableState) -> None:
    if state.closed:
        raise r.TableIsClosed
    if rules.shuffle is not state.rules.shuffle:
        raise r.ShuffleIsFixed
    if MoneyType.PLAY in state.require_opened().money_types and not rules.play_money:
        raise r.PlayMoneyNotOffered
    occupied = [seat.seat for seat in state.seats if seat.seat > rules.seats]
    if occupied:
        raise r.SeatsAreTaken(seats=occupied)


def _require_reason(text: str) -> str:
    reason = text.strip()
    if not reason or len(reason) > MAX_REASON_LENGTH:
        raise r.VersionReasonMissing
    return reason
