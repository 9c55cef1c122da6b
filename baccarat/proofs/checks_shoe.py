"""Checks of an exported round's shoe by the casino's own fairness code: commitment, cut, and the cards."""

from datetime import datetime, timedelta
from typing import Any

import msgspec

from baccarat.domain.fairness.commitment import commit
from baccarat.domain.fairness.cut import Contribution, compute_cut, parse_contribution
from baccarat.domain.fairness.openings import CardOpening, is_valid_opening, shoe_root
from baccarat.domain.fairness.shuffle import shuffle
from baccarat.domain.rules.cards import parse, points
from baccarat.proofs.document import ExportedEvent, RoundExport, decode_event, shoe_id
from baccarat.proofs.results import CheckNotApplicable, CheckNotPossible, Mismatch, require_equal


def _committed(exported: RoundExport) -> tuple[ExportedEvent, ExportedEvent | None]:
    """Return the event that committed to the seed, and the one that fixed the cut."""
    if not exported.is_long:
        return _naming(exported), exported.find_event("BettingClosed")
    started = exported.find_shoe_event("ShoeStarted")
    if started is None:
        raise Mismatch(
            "no event starts the round's shoe", "ShoeStarted", [event.type for event in exported.table_events]
        )
    promise = exported.find_shoe_event("ShoeCommitted")
    if promise is None:
        raise Mismatch("an event is missing", "ShoeCommitted", [event.type for event in exported.table_events])
    return promise, started


def _naming(exported: RoundExport) -> ExportedEvent:
    """Return the opening that committed to the round's own shoe: the table's, or that of the round before."""
    number = exported.opened.number
    first = next((event for event in exported.table_events if event.type == "TableOpened"), None)
    if first is None:
        raise Mismatch("an event is missing", "TableOpened", [event.type for event in exported.table_events])
    before = (event for event in exported.other_events if event.type == "RoundOpened")
    event = first if number == 1 else next(before, None)
    opening: Any = None if event is None else decode_event(event)
    if event is None or opening.next_shoe is None:
        raise Mismatch("no event names the round's shoe before it", f"the opening before round {number}", "none")
    if number > 1 and opening.number != number - 1:
        raise Mismatch("the shoe was named by another round", number - 1, opening.number)
    require_equal(opening.next_shoe.shoe, exported.opened.shoe, "another shoe was named for this round")
    return event


def _promised(exported: RoundExport, promise: ExportedEvent) -> Any:
    """Return what that event commits to: a commitment, and the shape it is bound to."""
    said = decode_event(promise)
    return said if exported.is_long else said.next_shoe


def _revealed(exported: RoundExport) -> str | None:
    for kind in ("RoundSettled", "RoundVoided"):
        for event in exported.decode_all(kind):
            if event.seed is not None:
                return str(event.seed)
    ended = exported.find_shoe_event("ShoeEnded")
    if ended is not None:
        return str(decode_event(ended).seed)
    for event in exported.table_events:
        if event.type == "TableClosed" and event.data is not None:
            for each in decode_event(event).seeds:
                if each.shoe == shoe_id(exported):
                    return None if each.seed is None else str(each.seed)
    return None


def check_commitment(exported: RoundExport) -> str:
    """Check that the revealed seed opens the commitment, which was published before the first bet."""
    promise, fixed = _committed(exported)
    opened, promised = exported.require_event("RoundOpened"), _promised(exported, promise)
    told = promised.commitment
    if promise.position > opened.position:
        raise Mismatch("the commitment came after the round was opened", opened.position, promise.position)
    for event in (fixed, opened):
        later = None if event is None else getattr(decode_event(event), "commitment", None)
        if later is not None:
            require_equal(told, later, "the shoe has two commitments")
    require_equal(told, exported.shoe.commitment, "the commitment is not the recorded one")
    require_equal(promised.shape, exported.table_rules.shape, "the shoe was committed to for other rules")
    seed, recorded = exported.shoe.seed, _revealed(exported)
    if recorded is not None:
        require_equal(recorded, seed, "the seed is not the one that was revealed")
    if seed is None:
        raise CheckNotPossible("the shoe is not played to its end: its seed is still secret")
    require_equal(told, commit(bytes.fromhex(seed)), "the seed does not open the commitment")
    return f"the seed's hash is {told}, told at position {promise.position}{_when(exported, promise)}"


def _when(exported: RoundExport, promise: ExportedEvent) -> str:
    if exported.is_long:
        return ", before the first bet"
    wager = exported.find_event("WagerConfirmed")
    if wager is None:
        return " by the opening before"
    seconds = (_moment(wager) - _moment(promise)) // timedelta(seconds=1)
    return f" by the opening before, {seconds} s before the first wager"


def _moment(event: ExportedEvent) -> datetime:
    return datetime.fromisoformat(event.recorded_at)


def check_cut(exported: RoundExport) -> str:
    """Recompute the cut from the contributions between the commitment and the first card."""
    promise, fixed = _committed(exported)
    if fixed is None:
        if exported.shoe.contributions or exported.shoe.cut:
            raise Mismatch("a cut is told that was never fixed", "", exported.shoe.cut)
        raise CheckNotApplicable("betting never closed, so no cut was fixed")
    given = _given(exported, promise, fixed)
    computed = compute_cut(shoe_id(exported), given).hex()
    listed = [{"seat": each.seat, "contribution": each.contribution} for each in given]
    for where, found in (("recorded", fixed.data or {}), ("exported", msgspec.to_builtins(exported.shoe))):
        contributions = found.get("contributions")
        require_equal(listed, contributions, f"the {where} contributions are not those that were given")
        require_equal(computed, found.get("cut"), f"the {where} cut is not that of the contributions")
    if not listed:
        return "nobody contributed, so the cut is empty"
    seats = ", ".join(str(each.seat) for each in given)
    return f"{computed}, from what seats {seats} contributed before the first card"


def _given(exported: RoundExport, promise: ExportedEvent, fixed: ExportedEvent) -> list[Contribution]:
    """Return each seat's last contribution."""
    kind, events = (
        ("ShoeCutContributed", exported.table_events) if exported.is_long else ("CutContributed", exported.round_events)
    )
    last: dict[int, Contribution] = {}
    for event in events:
        if event.type != kind or event.data is None or event.data.get("shoe", exported.shoe.id) != exported.shoe.id:
            continue
        if not promise.position < event.position < fixed.position:
            what = "a contribution came outside its time"
            raise Mismatch(what, [promise.position, fixed.position], event.position)
        said = decode_event(event)
        last[said.seat] = Contribution(said.seat, parse_contribution(said.contribution).hex())
    return [last[seat] for seat in sorted(last)]


def check_cards(exported: RoundExport) -> str:
    """Check the cards dealt at their positions: by the seed and the cut, or by proofs against the shoe's root."""
    started = _committed(exported)[1] if exported.is_long else None
    start = None if started is None else decode_event(started)
    told = None if start is None else start.root
    if told != exported.shoe.root:
        raise Mismatch("the root is not the recorded one", told, exported.shoe.root)
    if exported.find_event("CardsDealt") is None:
        _require_opened(exported, {})
        raise CheckNotApplicable("no card was dealt")
    dealt = decode_event(exported.require_event("CardsDealt"))
    wanted = dict(enumerate(dealt.cards, dealt.position))
    if start is not None and start.turned_card is not None:
        wanted[0] = start.turned_card
        require_equal(
            points(start.turned_card) or 10,
            start.burned_count,
            "the burned cards are not as many as the turned card says",
        )
        if dealt.position <= start.burned_count:
            raise Mismatch(
                "cards were dealt that had been burned", f"places after {start.burned_count}", dealt.position
            )
    _require_opened(exported, wanted)
    ways = []
    if exported.shoe.openings:
        ways.append(_opened(exported, wanted))
    if exported.shoe.seed is not None:
        ways.append(_seeded(exported, exported.shoe.seed, wanted))
    if not ways:
        raise CheckNotPossible("the shoe's seed is still secret, and no cards of it are opened")
    return f"{' '.join(dealt.cards)} at place {dealt.position} of the shoe: {' and '.join(ways)}"


def _require_opened(exported: RoundExport, wanted: dict[int, Any]) -> None:
    """Check that the file opens only cards that this round took, each once."""
    places = sorted(each.position for each in exported.shoe.openings)
    if set(places) - wanted.keys() or len(set(places)) != len(places):
        raise Mismatch("cards are opened that this round did not take", sorted(wanted), places)


def _opened(exported: RoundExport, wanted: dict[int, Any]) -> str:
    told, decks = exported.shoe.root, exported.table_rules.decks
    if told is None:
        raise Mismatch("cards are opened against no root", "a root", None)
    opened = {each.position: each for each in exported.shoe.openings}
    for place, card in sorted(wanted.items()):
        if place not in opened:
            raise Mismatch("a card is not opened", f"an opening of place {place}", sorted(opened))
        one = opened[place]
        require_equal(card, one.card, f"the card opened at place {place} is another one")
        opening = CardOpening(shoe_position=place, card=parse(card), salt=one.salt, path=tuple(one.path))
        if not is_valid_opening(opening, decks=decks, root=told):
            raise Mismatch(f"the card at place {place} is not in the shoe's tree", told, "a path that leads elsewhere")
    return "opened against the root told before the shoe's first bet"


def _seeded(exported: RoundExport, digits: str, wanted: dict[int, Any]) -> str:
    seed, fixed = bytes.fromhex(digits), bytes.fromhex(exported.shoe.cut)
    decks = exported.table_rules.decks
    shoe = shuffle(seed, cut=fixed, decks=decks)
    for place, card in sorted(wanted.items()):
        if list(shoe[place : place + 1]) != [card]:
            raise Mismatch(f"the card at place {place} is not the shoe's", shoe[place : place + 1], card)
    if exported.shoe.root is not None:
        require_equal(shoe_root(seed, cut=fixed, decks=decks), exported.shoe.root, "the root is not that of the shoe")
    return "worked out from the seed and the cut"
