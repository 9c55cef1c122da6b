"""A usual round's own shoe and its cut: every contribution while it may count, and the cut fixed by just these."""

from uuid import UUID

from baccarat.audit.plain import forms as f
from baccarat.audit.plain.rounds import Given, PlainRound, moment
from baccarat.domain.fairness.cut import Contribution, compute_cut, parse_contribution
from baccarat.domain.rounds.cut import MAX_CUT_CHANGES
from baccarat.domain.rounds.state import Phase


def given(round_: PlainRound, event: f.CutGiven) -> bool:
    """Follow a contribution. Raises MalformedContribution, and then nothing has changed."""
    part, deadline = round_.parts.get(event.seat), round_.deadline_at
    if part is None or part.player != event.player or round_.phase is not Phase.BETTING:
        return False
    at = moment(event.given_at)
    if round_.opened.commitment is None or (deadline is not None and at >= deadline):
        return False
    last = round_.given.get(event.seat)
    times = 1 if last is None else last.times + 1
    if times > MAX_CUT_CHANGES:
        return False
    parse_contribution(event.contribution)
    round_.given[event.seat] = Given(event.contribution, times)
    return True


def is_fixed(round_: PlainRound, event: f.BettingClosed) -> bool:
    """Tell whether the shoe was cut by just what was given until betting closed."""
    if not round_.given:
        return not event.contributions and not event.cut
    due = [(seat, round_.given[seat].contribution) for seat in sorted(round_.given)]
    if due != [(each.seat, each.contribution) for each in event.contributions]:
        return False
    return compute_cut(UUID(round_.opened.shoe), [Contribution(*each) for each in due]).hex() == event.cut
