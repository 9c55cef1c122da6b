"""Checks of an exported round's play by the casino's own rules engine: rules, hands, wagers, payouts, a void."""

from collections.abc import Iterable
from typing import Any

from baccarat.domain.rounds.events import SeatSettled, WagerConfirmed
from baccarat.domain.rounds.signed_wager import wager_id
from baccarat.domain.rules.deal import IllegalDeal, replay
from baccarat.domain.rules.payouts import Settlement, settle
from baccarat.domain.rules.recorded import digest_of
from baccarat.domain.rules.table_rules import SpotsPerRound, TableRules, UnderMinimumPolicy
from baccarat.proofs.document import Fields, RoundExport, decode_event
from baccarat.proofs.results import CheckNotApplicable, CheckNotPossible, Mismatch, require_equal
from casino.kernel.money import MoneyType

THIRD_CARD_RULES = "punto_banco"
RULES_EVENTS = frozenset({"TableOpened", "RulesTookEffect"})


def check_rules(exported: RoundExport) -> str:
    """Check that the rules in the file are those in the log at the round's opening."""
    start = exported.require_event("RoundOpened")
    rules = [
        event
        for event in exported.table_events
        if event.type in RULES_EVENTS and event.data and event.position < start.position
    ]
    if not rules or rules[0].type != "TableOpened":
        raise Mismatch(
            "no event contains the table's rules", "TableOpened", [event.type for event in exported.table_events]
        )
    recorded = (rules[-1].data or {})["rules"]
    wanted = {**recorded["values"], "third_cards": THIRD_CARD_RULES}
    for name in sorted({*wanted, *exported.rules}):
        if name not in wanted or name not in exported.rules:
            raise Mismatch(f"the rules differ: {name}", wanted.get(name), exported.rules.get(name))
        require_equal(wanted[name], exported.rules[name], f"the rules differ: {name}")
    digest, name = digest_of(recorded["values"]), exported.table_rules.label
    require_equal(digest, recorded["digest"], "the rules have another digest")
    opened = exported.opened
    require_equal((digest, name), (opened.rules, opened.rules_label), "the round was opened under other rules")
    return f"{name}, {digest}, as recorded in the log"


def check_record(exported: RoundExport) -> str:
    """Check that the summary agrees with the events."""
    voided, settled, dealt = (exported.find_event(kind) for kind in ("RoundVoided", "RoundSettled", "CardsDealt"))
    if voided is None and settled is None:
        raise Mismatch("the round has not ended", "RoundSettled or RoundVoided", exported.round_events[-1].type)
    opened = exported.require_event("RoundOpened").data or {}
    ended, cards = (settled and settled.data) or {}, (dealt and dealt.data) or {}
    wanted = {
        "id": opened["round"],
        **{name: opened[name] for name in ("table", "operator", "number", "rules", "rules_label", "opened_at")},
        "currency": exported.rules["currency"],
        "phase": "settled" if voided is None else "voided",
        "shoe_position": cards.get("shoe_position"),
        "cards": cards.get("cards", []),
        **{name: ended.get(name) for name in _ENDING},
    }
    _require_fields(wanted, exported.round, "the summary differs")
    shoe = {"id": opened["shoe"], "decks": exported.rules["decks"], "shoe_position": cards.get("shoe_position")}
    if not exported.draws_by_round:
        shoe |= {"round_seed": None, "dealt": []}
    _require_fields(shoe, {name: getattr(exported.shoe, name) for name in shoe}, "the shoe's summary differs")
    return f"round {opened['number']} of table {opened['table']}: {ended.get('outcome') or 'no outcome'}"


_ENDING = ("settled_at", "outcome", "player_total", "banker_total", "natural")


def _require_fields(wanted: Fields, actual: Fields, what: str) -> None:
    for name in sorted({*wanted, *actual}):
        if name not in wanted or name not in actual:
            raise Mismatch(f"{what}: {name}", wanted.get(name), actual.get(name))
        require_equal(wanted[name], actual[name], f"{what}: {name}")


def check_hands(exported: RoundExport) -> str:
    """Deal the cards again by the third-card table."""
    if exported.find_event("CardsDealt") is None:
        raise CheckNotApplicable("no card was dealt")
    settled = decode_event(exported.require_event("RoundSettled"))
    try:
        dealt = replay(decode_event(exported.require_event("CardsDealt")).cards)
    except IllegalDeal as illegal:
        raise Mismatch("the rules would have dealt other cards", "a legal deal", str(illegal)) from illegal
    require_equal(THIRD_CARD_RULES, exported.rules["third_cards"], "the third-card rule has another name")
    for name in _ENDING[1:]:
        require_equal(getattr(dealt, name), getattr(settled, name), f"the result differs: {name}")
    for turned in exported.decode_all("HandTurned"):
        hand = getattr(dealt, str(turned.side))[:2]
        require_equal(hand, turned.cards, f"the {turned.side} hand that was turned over differs")
    player, banker = (f"{' '.join(cards)} is" for cards in (dealt.player, dealt.banker))
    return f"Player {player} {dealt.player_total}, Banker {banker} {dealt.banker_total}: {dealt.outcome}"


def _confirmed(exported: RoundExport) -> dict[int, WagerConfirmed]:
    wagers: dict[int, WagerConfirmed] = {}
    for wager in exported.decode_all("WagerConfirmed"):
        if wager.seat in wagers:
            raise Mismatch("a seat confirmed two wagers", "one wager of a seat", wager.seat)
        wagers[wager.seat] = wager
    return wagers


def check_wagers(exported: RoundExport) -> str:
    """Check wagers against seats and limits, and that each is settled once with its confirmed stakes."""
    seats = {seat.seat: (seat.player, seat.money_type) for seat in exported.opened.seats}
    confirmed = _confirmed(exported)
    if not confirmed and exported.find_event("BettingClosed") is not None:
        raise Mismatch("betting was closed without a wager", "a wager", "none")
    for number, wager in sorted(confirmed.items()):
        if seats.get(number) != (wager.player, wager.money_type):
            raise Mismatch(f"seat {number} is not in the round with this wager", seats.get(number), wager.player)
        named = wager_id(exported.opened.round, number)
        require_equal(named, wager.wager, f"the wager of seat {number} has another id")
        _require_limits(exported.table_rules, wager)
    if exported.find_event("RoundSettled") is None:
        return f"wagers, none of them settled: {len(confirmed)}"
    settled = decode_event(exported.require_event("RoundSettled")).wagers
    _require_seats(confirmed, settled, "the settled wagers are not the confirmed ones")
    for wager in settled:
        own = confirmed[wager.seat]
        stakes = {line.spot: line.stake for line in wager.results}
        wanted = (own.wager, own.player, own.money_type, dict(own.stakes), sum(own.stakes.values()))
        what = f"seat {wager.seat} is settled with a different wager"
        require_equal(wanted, (wager.wager, wager.player, wager.money_type, stakes, wager.staked), what)
    return f"wagers within the limits, settled as confirmed: {len(confirmed)}"


def _require_seats(confirmed: dict[int, WagerConfirmed], lines: Iterable[Any], what: str) -> None:
    require_equal(sorted(confirmed), sorted(line.seat for line in lines), what)


def _require_limits(rules: TableRules, wager: WagerConfirmed) -> None:
    stakes = wager.stakes
    if wager.money_type is MoneyType.PLAY and not rules.play_money:
        raise Mismatch(f"seat {wager.seat} bets play money", "real", "play")
    if not stakes or (rules.spots_per_round is SpotsPerRound.ONE and len(stakes) > 1):
        raise Mismatch(f"seat {wager.seat} bets on a wrong number of spots", rules.spots_per_round, dict(stakes))
    for spot, stake in sorted(stakes.items()):
        if not rules.minimum <= stake <= rules.maximum:
            what = f"seat {wager.seat} has a stake outside the limits on {spot}"
            raise Mismatch(what, [rules.minimum, rules.maximum], stake)
    for spot, more in sorted(wager.raised.items()):
        if (
            rules.under_minimum is not UnderMinimumPolicy.RAISE
            or stakes.get(spot) != rules.minimum
            or more > stakes[spot]
        ):
            what = f"seat {wager.seat} is not raised to the minimum"
            raise Mismatch(what, rules.minimum, stakes.get(spot))


def _settlements(exported: RoundExport) -> list[tuple[SeatSettled, Settlement]]:
    """Return every settled wager with its recomputed settlement."""
    if exported.find_event("RoundSettled") is None:
        raise CheckNotApplicable("the round was not settled")
    settled = decode_event(exported.require_event("RoundSettled"))
    rules, settlements = exported.table_rules, []
    for wager in settled.wagers:
        settlement = settle(rules, {line.spot: line.stake for line in wager.results}, settled.outcome)
        by_spot = {line.spot: line for line in settlement.results}
        results = tuple(by_spot[line.spot] for line in wager.results)
        settlements.append((wager, settlement._replace(results=results)))
    return settlements


def check_payouts(exported: RoundExport) -> str:
    """Recompute what each stake won and returned."""
    count = 0
    for wager, recomputed in _settlements(exported):
        for line, expected in zip(wager.results, recomputed.results, strict=True):
            count += 1
            for name in ("result", "won", "returned"):
                require_equal(
                    getattr(expected, name), getattr(line, name), f"seat {wager.seat}, {line.spot}: {name} differs"
                )
        for name in ("won", "returned"):
            require_equal(
                getattr(recomputed, name), getattr(wager, name), f"seat {wager.seat}: the sum of {name} differs"
            )
    return f"stakes paid by the rules: {count}"


def check_commission(exported: RoundExport) -> str:
    """Recompute the commission on each Banker win, and when it is taken."""
    charged = 0
    for wager, recomputed in _settlements(exported):
        for line, expected in zip(wager.results, recomputed.results, strict=True):
            require_equal(expected.commission, line.commission, f"seat {wager.seat}, {line.spot}: commission differs")
        require_equal(recomputed.commission, wager.commission, f"seat {wager.seat}: the sum of commission differs")
        require_equal(
            recomputed.deferred, wager.deferred, f"seat {wager.seat}: commission is taken at a different time"
        )
        charged += recomputed.commission
    commission = exported.table_rules.commission
    if commission is None:
        return "none is charged at this table"
    when = "set aside until the shoe ends" if commission.timing == "deferred" else "taken at once"
    return f"{charged} minor units in all, {when}"


def check_void(exported: RoundExport) -> str:
    """Check that a void gives every stake back and takes back all that was paid."""
    event = exported.find_event("RoundVoided")
    if event is None:
        raise CheckNotApplicable("the round was not voided")
    if event.data is None:
        raise CheckNotPossible("the void is withheld from this reader")
    voided, confirmed = decode_event(event), _confirmed(exported)
    settled = exported.find_event("RoundSettled")
    paid = {} if settled is None else {wager.seat: wager for wager in decode_event(settled).wagers}
    _require_seats(confirmed, voided.seats, "the voided wagers are not the confirmed ones")
    for line in voided.seats:
        own, wager = confirmed[line.seat], paid.get(line.seat)
        held = wager.commission if wager is not None and wager.deferred else 0
        back, fee = (0, 0) if wager is None else (wager.returned, wager.commission)
        expected = (own.wager, own.player, own.money_type, sum(own.stakes.values()), back, fee)
        actual = (line.wager, line.player, line.money_type, line.staked, line.returned, line.commission)
        require_equal(expected, actual, f"seat {line.seat} has a different void")
        if line.from_rack > held:
            raise Mismatch(f"seat {line.seat} gets more from the rack than it holds", held, line.from_rack)
        moved = line.to_game + line.to_account - line.from_game - line.from_account - line.owed - line.forgiven
        require_equal(line.staked - line.returned, moved, f"seat {line.seat} gets a different amount back")
    return f"wagers voided in full: {len(confirmed)}"
