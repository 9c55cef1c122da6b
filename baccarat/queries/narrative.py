"""Describes events of tables and rounds in sentences, for staff pages, `manage.py replay` and the audit. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NamedTuple

from baccarat.domain.fairness.links import LinksReleased
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds.forcing import CardsForced
from baccarat.domain.rules.cards import card_name
from baccarat.domain.rules.coups import Coup
from baccarat.domain.rules.deal import IllegalDeal, describe_steps, replay
from baccarat.domain.rules.payouts import SpotResult, StakeResult
from baccarat.domain.rules.spots import spot_title, when_in_words, write_share
from baccarat.domain.rules.table_rules import Commission, CommissionTiming, TableRules
from baccarat.domain.tables import events as te
from baccarat.domain.tables import witness_events as we
from baccarat.domain.tables.kill_switch import PlayResumed, PlayStopped
from casino.kernel import money
from casino.witness.statements import ChainHeader


@dataclass(frozen=True, slots=True)
class NarrativeLine:
    """One sentence, with the version and the type of its event."""

    version: int
    event: str
    text: str


class NarratedTable(NamedTuple):
    """The facts about a table that sentences need, and those of the coup that was dealt."""

    name: str
    rules: TableRules
    coup: Coup | None = None

    def after(self, event: object) -> "NarratedTable":
        """Return the facts once an event is known."""
        if not isinstance(event, e.CardsDealt):
            return self
        try:
            return self._replace(coup=Coup.of(replay(event.cards)))
        except IllegalDeal:
            return self


def narrate(table: NarratedTable, events: Iterable[tuple[int, object]]) -> Iterator[NarrativeLine]:
    """Describe a stream's events, (version, event), in order."""
    for version, event in events:
        table = table.after(event)
        for sentence in sentences(event, table):
            yield NarrativeLine(version, type(event).__name__, sentence)


def sentences(event: object, table: NarratedTable) -> Iterable[str]:
    """Describe one event; one of an unknown type by its name."""
    describe = SENTENCES.get(type(event))
    return (f"{type(event).__name__}.",) if describe is None else describe(event, table)


def _opened(event: e.RoundOpened, table: NarratedTable) -> Iterator[str]:
    seats = ", ".join(str(seat.seat) for seat in event.seats)
    until = "without a time limit" if event.deadline_at is None else f"until {_time(event.deadline_at)}"
    yield f'Round {event.number} of "{table.name}" ({event.rules_label}, {table.rules.currency}).'
    yield f"Betting opened at {_time(event.opened_at)}, {until}, for seats: {seats}."
    if event.commitment is None:
        yield f"It is dealt from the table's shoe {event.shoe}, committed to when that shoe began."
    else:
        yield f"Its shoe {event.shoe} was committed to before the first bet: {event.commitment}."
    if event.contributions:
        given = ", ".join(f"seat {each.seat} {each.contribution}" for each in event.contributions)
        yield f"The shoe was cut by what had been added: {given}."


def _placed(event: e.ChipsPlaced, table: NarratedTable) -> Iterator[str]:
    yield f"Seat {event.seat} placed {_stakes({event.spot: event.amount}, table.rules)}."


def _repeated(event: e.StakesRebet, table: NarratedTable) -> Iterator[str]:
    yield f"Seat {event.seat} placed again: {_stakes(event.stakes, table.rules)}."


def _confirmed(event: e.WagerConfirmed, table: NarratedTable) -> Iterator[str]:
    at, stakes = _time(event.confirmed_at), _stakes(event.stakes, table.rules)
    yield f"Seat {event.seat} confirmed its wager at {at}: {stakes} ({event.money_type} money)."
    for spot, added in event.raised.items():
        minimum = _amount(event.stakes[spot], table.rules)
        yield f"Seat {event.seat} was raised to the minimum of {minimum}: {_stakes({spot: added}, table.rules)} added."


def _timed_out(event: e.SeatTimedOut, _table: NarratedTable) -> Iterator[str]:
    yield f"Seat {event.seat} did not act within its turn and sits this round out; nothing is taken."


def _withdrawn(event: e.SeatLeftRound, _table: NarratedTable) -> Iterator[str]:
    yield f"Seat {event.seat} left or moved before confirming; its chips are returned."


def _links_released(event: LinksReleased | we.ShoeLinksReleased, _table: NarratedTable) -> Iterator[str]:
    for each in event.releases:
        yield f"The witness of chain {each.chain} gave out its link against the closing: {each.link}."


def _handed_out(event: e.CardsHandedOut, _table: NarratedTable) -> Iterator[str]:
    yield f"The Player's two cards went face down to seat {event.seat}, the highest Player wager."
    yield f"Seat {event.seat} could look at them until {_time(event.until)}."


def _looked(event: e.CardsLookedAt, _table: NarratedTable) -> Iterator[str]:
    yield f"Seat {event.seat} looked at the cards at {_time(event.looked_at)}."
    yield f"It had until {_time(event.until)} to hand them back."


def _handed_back(event: e.CardsHandedBack, _table: NarratedTable) -> Iterator[str]:
    at = _time(event.handed_back_at)
    if event.by is e.HandedBackBy.PLAYER:
        yield f"Seat {event.seat} handed the cards back at {at}."
    else:
        yield f"The time of seat {event.seat} was over, and the Caller took the cards back at {at}."


def _turned(event: e.HandTurned, _table: NarratedTable) -> Iterator[str]:
    yield f"The Caller turned the {event.side.capitalize()}'s hand over: {' '.join(event.cards)}."


def _dealt(event: e.CardsDealt, table: NarratedTable) -> Iterator[str]:
    yield f"Cards from place {event.shoe_position} of the shoe on: {' '.join(event.cards)}."
    try:
        yield from [step.text for step in describe_steps(replay(event.cards))]
    except IllegalDeal as illegal:
        yield f"No legal deal: {illegal}"
    if event.next_terms is not None:
        yield from _terms_fixed(event.next_terms, table)


def _settled(event: e.RoundSettled, table: NarratedTable) -> Iterator[str]:
    natural = ", a natural" if event.natural else ""
    yield f"Settled as {event.outcome}: Player {event.player_total}, Banker {event.banker_total}{natural}."
    if event.betting_opens_at > event.settled_at:
        yield f"The deal was shown until {_time(event.betting_opens_at)}, before betting on the next round."
    for wager in event.wagers:
        for result in wager.results:
            yield f"Seat {wager.seat}: {_result(result, table)}"
        yield f"Seat {wager.seat} gets {_amount(wager.returned, table.rules)} for {_amount(wager.staked, table.rules)}."
        if wager.deferred and wager.commission:
            commission = _amount(wager.commission, table.rules)
            yield f"{commission} is set aside for commission in the rack of seat {wager.seat}."


def _result(result: SpotResult, table: NarratedTable) -> str:
    rules, spot = table.rules, table.rules.spot(result.spot)
    line = None if spot is None or table.coup is None else spot.line(table.coup)
    stake = f"{_amount(result.stake, rules)} on {spot_title(result.spot)}"
    why = f" as {when_in_words(line)}" if line is not None and line.when else ""
    if result.result is StakeResult.LOSE:
        return f"{stake} lost."
    if result.result is StakeResult.PUSH:
        return f"{stake} pushed{why}: the stake is returned."
    odds = f" at {line.pays}" if line is not None and line.pays is not None else ""
    won = f"{stake} won {_amount(result.won, rules)}{odds}{why}"
    if spot is None or spot.commission is None:
        return f"{won}."
    return f"{won}; {_commission(result, rules, spot.commission)}."


def _commission(result: SpotResult, rules: TableRules, commission: Commission) -> str:
    """Describe a commission: rate, exact amount, rounding, result, and when it is taken."""
    exact = Fraction(result.won * commission.rate.numerator, commission.rate.denominator)
    rate = write_share(commission.rate)
    unit = commission.rounding
    if unit is None:
        rounding = "half up to the minor unit"
    else:
        chip = _amount(rules.chips[0], rules)
        rounding = f"up to {write_share(unit)} of the lowest chip ({chip})"
    when = "set aside until the shoe ends" if commission.timing is CommissionTiming.DEFERRED else "taken at once"
    charged = _amount(result.commission, rules)
    return f"commission {rate} is exactly {_exact(exact, rules)}, rounded {rounding}: {charged}, {when}"


def _exact(minor: Fraction, rules: TableRules) -> str:
    """Format an exact amount: as money in whole minor units, else in minor units with their fraction."""
    if minor.denominator == 1:
        return _amount(minor.numerator, rules)
    return f"{minor.numerator}/{minor.denominator} minor units"


def _lapsed(event: e.RoundLapsed, _table: NarratedTable) -> Iterator[str]:
    yield f"The round lapsed at {_time(event.lapsed_at)}: {event.reason.replace('_', ' ')}. No card was dealt."


def _suspended(event: e.RoundSuspended, _table: NarratedTable) -> Iterator[str]:
    yield f"The round could not be dealt and was suspended at {_time(event.suspended_at)}: {event.reason}."


def _resumed(event: e.RoundResumed, _table: NarratedTable) -> Iterator[str]:
    yield f"{event.by} returned the round to be dealt at {_time(event.resumed_at)}."


def _voided(event: e.RoundVoided, table: NarratedTable) -> Iterator[str]:
    approval = "" if event.approved_by is None else f", and {event.approved_by} agreed"
    yield f"{event.requested_by} voided the round{approval}, at {_time(event.voided_at)} ({event.reason}): {event.note}"
    if event.burned_count:
        yield f"{event.burned_count} cards were burned from the shoe, as a player had seen two of them."
    for seat in event.seats:
        staked, returned = _amount(seat.staked, table.rules), _amount(seat.returned, table.rules)
        yield f"Seat {seat.seat} gets its stake of {staked} back and gives back {returned}."
        if seat.commission:
            yield f"Seat {seat.seat} is charged no commission: {_amount(seat.commission, table.rules)} undone."
        if seat.owed or seat.forgiven:
            owed, forgiven = _amount(seat.owed, table.rules), _amount(seat.forgiven, table.rules)
            yield f"Seat {seat.seat} had spent some of it: {owed} is owed, {forgiven} forgiven."


def _stakes(stakes: Mapping[str, int], rules: TableRules) -> str:
    return ", ".join(f"{_amount(stake, rules)} on {spot_title(spot)}" for spot, stake in stakes.items())


def _amount(minor: int, rules: TableRules) -> str:
    return money.format_amount(minor, rules.currency)


def _time(moment: Any) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S.%f}"[:-3] + " UTC"


def _with_currency(minor: int, rules: TableRules) -> str:
    return f"{_amount(minor, rules)} {rules.currency}"


# -- tables -------------------------------------------------------------------------------------------------------


def _table_opened(event: te.TableOpened, _table: NarratedTable) -> Iterator[str]:
    yield f"Table “{event.name}” opened with the rules of {event.rules.decoded.label}."
    if event.next_shoe is not None:
        yield f"For its first round, shoe {event.next_shoe.shoe} is committed to: {event.next_shoe.commitment}."


def _left(event: te.SeatLeft, table: NarratedTable) -> Iterator[str]:
    returned, after = _with_currency(event.returned, table.rules), _after_commission(event, table)
    yield f"The player left seat {event.seat} with {returned} of {event.money_type} money{after}."


def _released(event: te.SeatReleased, table: NarratedTable) -> Iterator[str]:
    turns = "turn" if event.missed == 1 else "turns"
    reason = {
        te.SeatReleaseReason.MISSED_ROUNDS: f"{event.missed} {turns} ran out in a row",
        te.SeatReleaseReason.DISCONNECTED: "the player is gone",
        te.SeatReleaseReason.TABLE_CLOSED: "the table closes",
    }[event.reason]
    yield f"Seat {event.seat} was released: {reason}, last seen at {_time(event.last_seen_at)}."
    returned = _with_currency(event.returned, table.rules)
    yield f"{returned} of {event.money_type} money went back to the account{_after_commission(event, table)}."


def _after_commission(event: te.SeatLeft | te.SeatReleased, table: NarratedTable) -> str:
    collected = event.commission_collected
    return f", after {_with_currency(collected, table.rules)} of commission that was set aside" if collected else ""


def _terms_fixed(event: te.TermsFixed | e.NextTerms, _table: NarratedTable) -> Iterator[str]:
    digest = f": {event.digest}" if isinstance(event, te.TermsFixed) else ""
    yield f"The terms of round {event.number} were fixed{digest}."
    if event.next_shoe is not None:
        yield f"For the round after it, shoe {event.next_shoe.shoe} is committed to: {event.next_shoe.commitment}."


def _shoe_started(event: te.ShoeStarted, _table: NarratedTable) -> Iterator[str]:
    yield f"Shoe {event.number} was shuffled, as committed to before."
    if event.contributions:
        seats = ", ".join(str(each.seat) for each in event.contributions)
        yield f"It was cut by the contributions of these seats: {seats}."
    if event.turned_card is not None:
        yield f"The {card_name(event.turned_card)} was turned over and {event.burned_count} more cards burned."


def _shoe_ended(event: te.ShoeEnded, table: NarratedTable) -> Iterator[str]:
    collected = _with_currency(sum(owed.amount for owed in event.collected), table.rules)
    yield f"The shoe ended after {event.cards_dealt} cards. Commission collected: {collected}. Its seed is revealed."


def _table_closed(event: te.TableClosed, _table: NarratedTable) -> Iterator[str]:
    yield f"The table was closed by {event.by}: “{event.reason}”."
    if event.seeds:
        revealed = sum(each.seed is not None for each in event.seeds)
        yield f"{revealed} of {len(event.seeds)} secret seeds revealed."


def _stopped(event: PlayStopped, _table: NarratedTable) -> Iterator[str]:
    yield f"Play was stopped ({event.scope}) by {event.by}: “{event.reason}”. Players read: “{event.player_message}”"


def _drafted(event: te.RulesDrafted, _table: NarratedTable) -> Iterator[str]:
    yield f"Rules {event.rules.decoded.label} were drafted by {event.by}."
    notes = {"Reason": event.reason, "Acknowledged": event.acknowledgement}
    yield from (f"{title}: “{text}”" for title, text in notes.items() if text)


def _published(event: te.RulesPublished, _table: NarratedTable) -> Iterator[str]:
    label, start = event.rules.decoded.label, event.effective_from.replace("_", " ")
    yield f"Rules {label} by {event.drafted_by} were published by {event.by}, effective from the {start}."


def _sentence(build: Callable[[Any, TableRules], str]) -> Callable[[Any, NarratedTable], Iterable[str]]:
    """Describe an event in one sentence."""
    return lambda event, table: (build(event, table.rules),)


SENTENCES: Final[Mapping[type, Callable[[Any, NarratedTable], Iterable[str]]]] = {
    e.RoundOpened: _opened,
    e.ChipsPlaced: _placed,
    e.PlacementUndone: _sentence(lambda event, _: f"Seat {event.seat} took its last placement back."),
    e.ChipsCleared: _sentence(lambda event, _: f"Seat {event.seat} cleared its chips off the table."),
    e.StakesRebet: _repeated,
    e.WagerConfirmed: _confirmed,
    e.SeatPassed: _sentence(lambda event, _: f"Seat {event.seat} passed."),
    e.SeatTimedOut: _timed_out,
    e.SeatLeftRound: _withdrawn,
    CardsForced: _sentence(lambda event, _: f"The cards were chosen, as a test: {' '.join(event.cards)}."),
    e.BettingClosed: _sentence(lambda event, _: f"Betting closed at {_time(event.closed_at)}."),
    LinksReleased: _links_released,
    e.CardsHandedOut: _handed_out,
    e.CardsLookedAt: _looked,
    e.CardsHandedBack: _handed_back,
    e.HandTurned: _turned,
    e.CardsDealt: _dealt,
    e.RoundSettled: _settled,
    e.RoundLapsed: _lapsed,
    e.RoundSuspended: _suspended,
    e.RoundResumed: _resumed,
    e.RoundVoided: _voided,
    te.TableOpened: _table_opened,
    te.SeatTaken: _sentence(
        lambda event, rules: (
            f"Seat {event.seat} taken with {_with_currency(event.buy_in, rules)} of {event.money_type} money."
        )
    ),
    te.SeatChanged: _sentence(lambda event, _: f"The player of seat {event.from_seat} moved to seat {event.to_seat}."),
    te.Rebought: _sentence(
        lambda event, rules: (
            f"Seat {event.seat} bought in for {_with_currency(event.amount, rules)} more of {event.money_type} money."
        )
    ),
    te.SeatLeft: _left,
    te.SeatReleased: _released,
    te.ShowSkipRequested: _sentence(
        lambda event, _: f"Seat {event.seat} asked at {_time(event.requested_at)} to skip the show of the last deal."
    ),
    te.ShowEnded: _sentence(
        lambda event, _: f"The show of the last deal ended at {_time(event.ended_at)}; no round could open."
    ),
    te.ShoeCommitted: _sentence(
        lambda event, _: f"Shoe {event.number}, the next one, was committed to: {event.commitment}."
    ),
    te.ShoeCutContributed: _sentence(
        lambda event, _: f"Seat {event.seat} added {event.contribution} to the cut of the next shoe."
    ),
    we.ShoeCutClosed: _sentence(lambda event, _: f"The next shoe's cut was closed: {event.closing.digest}."),
    we.ShoeLinksReleased: _links_released,
    te.TermsFixed: _terms_fixed,
    we.WitnessChainOpened: _sentence(
        lambda event, _: f"A witness made a chain: {ChainHeader.parse(bytes.fromhex(event.header)).chain.hex()}."
    ),
    we.WitnessChainsReplaced: _sentence(
        lambda event, _: f"A witness was replaced ({event.reason}): chain {event.successor} follows on its links."
    ),
    te.ShoeStarted: _shoe_started,
    te.ShoeEnded: _shoe_ended,
    te.ShoeRevealed: _sentence(
        lambda event, _: f"The seed of the shoe of the void round {event.round} is readable again: {event.seed}."
    ),
    PlayStopped: _stopped,
    PlayResumed: _sentence(lambda event, _: f"Play was resumed ({event.scope}) by {event.by}: “{event.reason}”"),
    te.RulesDrafted: _drafted,
    te.RulesRejected: _sentence(
        lambda event, _: f"The draft of version {event.version} was rejected by {event.by}: “{event.reason}”"
    ),
    te.RulesPublished: _published,
    te.RulesTookEffect: _sentence(
        lambda event, _: f"Rules {event.rules.decoded.label} took effect with round {event.first_round}."
    ),
    te.RulesRetired: _sentence(
        lambda event, _: f"The rules of version {event.version} were retired by {event.by}: “{event.reason}”"
    ),
    te.TableClosureAnnounced: _sentence(
        lambda event, _: f"The table is about to close permanently, by {event.by}: “{event.reason}”"
    ),
    te.TableClosed: _table_closed,
}
