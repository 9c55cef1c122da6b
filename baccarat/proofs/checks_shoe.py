"""Checks of an exported round's shoe by the casino's own fairness code: commitment, cut, and the cards."""

from datetime import datetime, timedelta
from typing import Any

import msgspec

from baccarat.domain.fairness.commitment import commit
from baccarat.domain.fairness.cut import Contribution, contributed, cut
from baccarat.domain.fairness.openings import Opening, is_opened, root
from baccarat.domain.fairness.shuffle import order
from baccarat.domain.rules.cards import parse, points
from baccarat.proofs.document import Event, Exported, decoded, identity
from baccarat.proofs.results import Nothing, NotYet, Wrong, require


def _committed(exported: Exported) -> tuple[Event, Event | None]:
    """The event that committed to the seed, and the one that fixed the cut.

    Only tables from before shoes were named may have long shoes that were not committed to ahead.
    """
    if not exported.is_long:
        return _naming(exported) or exported.first("RoundOpened"), exported.maybe("BettingClosed")
    started = exported.of_shoe("ShoeStarted")
    if started is None:
        raise Wrong("no event starts the round's shoe", "ShoeStarted", [event.type for event in exported.of_table])
    promise = exported.of_shoe("ShoeCommitted")
    if promise is None and "next_shoe" in (exported.of_table[0].data or {}):
        raise Wrong("an event is missing", "ShoeCommitted", [event.type for event in exported.of_table])
    return promise or started, started


def _naming(exported: Exported) -> Event | None:
    """The opening that named the round's own shoe: the table's, or that of the round before. None where none did.

    Only tables from before shoes were named may have rounds without.
    """
    number = exported.opened.number
    first = next((event for event in exported.of_table if event.type == "TableOpened"), None)
    if first is None:
        raise Wrong("an event is missing", "TableOpened", [event.type for event in exported.of_table])
    before = (event for event in exported.others if event.type == "RoundOpened")
    event = first if number == 1 else next(before, None)
    opening: Any = None if event is None else decoded(event)
    if event is None or opening.next_shoe is None:
        if decoded(first).next_shoe is not None:
            raise Wrong("no event names the round's shoe before it", f"the opening before round {number}", "none")
        return None
    if number > 1 and opening.number != number - 1:
        raise Wrong("the shoe was named by another round", number - 1, opening.number)
    require(opening.next_shoe.shoe, exported.opened.shoe, "another shoe was named for this round")
    return event


def _promised(exported: Exported, promise: Event) -> Any:
    """What that event promises: a commitment, and the shape it is bound to where that was told."""
    said = decoded(promise)
    return said if exported.is_long or promise in exported.of_round else said.next_shoe


def _revealed(exported: Exported) -> str | None:
    for kind in ("RoundSettled", "RoundVoided"):
        for event in exported.all(kind):
            if event.seed is not None:
                return str(event.seed)
    ended = exported.of_shoe("ShoeEnded")
    if ended is not None:
        return str(decoded(ended).seed)
    for event in exported.of_table:
        if event.type == "TableClosed" and event.data is not None:
            for each in decoded(event).seeds:
                if each.shoe == identity(exported):
                    return None if each.seed is None else str(each.seed)
    return None


def commitment(exported: Exported) -> str:
    """Check that the revealed seed opens the commitment, which was told before the first bet."""
    promise, fixed = _committed(exported)
    opened, promised = exported.first("RoundOpened"), _promised(exported, promise)
    told = promised.commitment
    if promise.position > opened.position:
        raise Wrong("the commitment came after the round was opened", opened.position, promise.position)
    for event in (fixed, opened):
        later = None if event is None else getattr(decoded(event), "commitment", None)
        if later is not None:
            require(told, later, "the shoe has two commitments")
    require(told, exported.shoe.commitment, "the commitment is not the recorded one")
    shape = getattr(promised, "shape", None)
    if shape is not None:  # none in events from before it was told
        require(shape, exported.table_rules.shape, "the shoe was committed to for other rules")
    seed, recorded = exported.shoe.seed, _revealed(exported)
    if recorded is not None:
        require(recorded, seed, "the seed is not the one that was revealed")
    if seed is None:
        raise NotYet("the shoe is not played to its end: its seed is still secret")
    require(told, commit(bytes.fromhex(seed)), "the seed does not open the commitment")
    return f"the seed's hash is {told}, told at position {promise.position}{_when(exported, promise)}"


def _when(exported: Exported, promise: Event) -> str:
    if exported.is_long:
        return ", before the first bet"
    if promise in exported.of_round:
        return " with the round's own opening: the commitment came with the round"
    wager = exported.maybe("WagerConfirmed")
    if wager is None:
        return " by the opening before"
    seconds = (_moment(wager) - _moment(promise)) // timedelta(seconds=1)
    return f" by the opening before, {seconds} s before the first wager"


def _moment(event: Event) -> datetime:
    return datetime.fromisoformat(event.recorded_at)


def the_cut(exported: Exported) -> str:
    """Work the cut out again from the contributions given between the commitment and the first card."""
    promise, fixed = _committed(exported)
    if fixed is None:
        if exported.shoe.contributions or exported.shoe.cut:
            raise Wrong("a cut is told that was never fixed", "", exported.shoe.cut)
        raise Nothing("betting never closed, so no cut was fixed")
    given = _given(exported, promise, fixed)
    computed = cut(identity(exported), given).hex()
    listed = [{"seat": each.seat, "contribution": each.contribution} for each in given]
    for where, found in (("recorded", fixed.data or {}), ("exported", msgspec.to_builtins(exported.shoe))):
        contributions = found.get("contributions", [])
        require(listed, contributions, f"the {where} contributions are not those that were given")
        require(computed, found.get("cut", ""), f"the {where} cut is not that of the contributions")
    if not listed:
        return "nobody contributed, so the cut is empty"
    seats = ", ".join(str(each.seat) for each in given)
    return f"{computed}, from what seats {seats} contributed before the first card"


def _given(exported: Exported, promise: Event, fixed: Event) -> list[Contribution]:
    """What each seat contributed last, by seat."""
    kind, events = ("ShoeCutGiven", exported.of_table) if exported.is_long else ("CutGiven", exported.of_round)
    last: dict[int, Contribution] = {}
    for event in events:
        if event.type != kind or event.data is None or event.data.get("shoe", exported.shoe.id) != exported.shoe.id:
            continue
        if not promise.position < event.position < fixed.position:
            what = "a contribution came outside its time"
            raise Wrong(what, [promise.position, fixed.position], event.position)
        said = decoded(event)
        last[said.seat] = Contribution(said.seat, contributed(said.contribution).hex())
    return [last[seat] for seat in sorted(last)]


def cards(exported: Exported) -> str:
    """Check the cards dealt at their places: by the seed and the cut, or opened against the shoe's root."""
    started = _committed(exported)[1] if exported.is_long else None
    start = None if started is None else decoded(started)
    told = None if start is None else start.root
    if told != exported.shoe.root:
        raise Wrong("the root is not the recorded one", told, exported.shoe.root)
    if exported.maybe("CardsDealt") is None:
        _require_opened(exported, {})
        raise Nothing("no card was dealt")
    dealt = decoded(exported.first("CardsDealt"))
    wanted = dict(enumerate(dealt.cards, dealt.position))
    if start is not None and start.turned is not None:
        wanted[0] = start.turned
        require(points(start.turned) or 10, start.burned, "the burned cards are not as many as the turned card says")
        if dealt.position <= start.burned:
            raise Wrong("cards were dealt that had been burned", f"places after {start.burned}", dealt.position)
    _require_opened(exported, wanted)
    ways = []
    if exported.shoe.openings:
        ways.append(_opened(exported, wanted))
    if exported.shoe.seed is not None:
        ways.append(_seeded(exported, exported.shoe.seed, wanted))
    if not ways:
        raise NotYet("the shoe's seed is still secret, and no cards of it are opened")
    return f"{' '.join(dealt.cards)} at place {dealt.position} of the shoe: {' and '.join(ways)}"


def _require_opened(exported: Exported, wanted: dict[int, Any]) -> None:
    """No card is opened that this round did not take, and none twice: what is shown is checked."""
    places = sorted(each.position for each in exported.shoe.openings)
    if set(places) - wanted.keys() or len(set(places)) != len(places):
        raise Wrong("cards are opened that this round did not take", sorted(wanted), places)


def _opened(exported: Exported, wanted: dict[int, Any]) -> str:
    told, decks = exported.shoe.root, exported.table_rules.decks
    if told is None:
        raise Wrong("cards are opened against no root", "a root", None)
    opened = {each.position: each for each in exported.shoe.openings}
    for place, card in sorted(wanted.items()):
        if place not in opened:
            raise Wrong("a card is not opened", f"an opening of place {place}", sorted(opened))
        one = opened[place]
        require(card, one.card, f"the card opened at place {place} is another one")
        opening = Opening(position=place, card=parse(card), salt=one.salt, path=tuple(one.path))
        if not is_opened(opening, decks=decks, root=told):
            raise Wrong(f"the card at place {place} is not in the shoe's tree", told, "a path that leads elsewhere")
    return "opened against the root told before the shoe's first bet"


def _seeded(exported: Exported, digits: str, wanted: dict[int, Any]) -> str:
    seed, fixed = bytes.fromhex(digits), bytes.fromhex(exported.shoe.cut)
    decks = exported.table_rules.decks
    shoe = order(seed, cut=fixed, decks=decks)
    for place, card in sorted(wanted.items()):
        if list(shoe[place : place + 1]) != [card]:
            raise Wrong(f"the card at place {place} is not the shoe's", shoe[place : place + 1], card)
    if exported.shoe.root is not None:
        require(root(seed, cut=fixed, decks=decks), exported.shoe.root, "the root is not that of the shoe")
    return "worked out from the seed and the cut"
