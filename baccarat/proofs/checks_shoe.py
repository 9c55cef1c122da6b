"""Checks of an exported round's shoe by the casino's own fairness code: commitment, cut, and the cards."""

from datetime import datetime, timedelta
from typing import Any

import msgspec

from baccarat.domain.fairness.commitment import CardOpening, Drawing, is_valid_opening, shoe_root
from baccarat.domain.fairness.cut import Contribution, parse_contribution
from baccarat.domain.fairness.shuffle import InvalidCardCount, round_seed, shuffle
from baccarat.domain.fairness.terms import Terms, close_cut, digest_cards, encode_contribution
from baccarat.domain.rules.cards import Card, parse, points
from baccarat.domain.rules.recorded import digest_of
from baccarat.domain.tables.events import ShoeCutContributed, ShoeStarted
from baccarat.proofs.checks_closing import check_shoe_closing
from baccarat.proofs.checks_witnesses import links_of_round, links_of_shoe
from baccarat.proofs.document import ExportedEvent, Fields, RoundExport, decode_event, decode_terms, recorded, shoe_id
from baccarat.proofs.results import CheckNotApplicable, CheckNotPossible, Mismatch, require_equal
from casino.crypto import ed25519


def _commitment_and_cut_events(exported: RoundExport) -> tuple[ExportedEvent, ExportedEvent]:
    """Return the event that committed to the seed, and the one that fixed the cut."""
    if not exported.is_long:
        return _committing_opening(exported), _require_terms(exported)[0]
    started = exported.find_shoe_event("ShoeStarted")
    if started is None:
        raise Mismatch(
            "no event starts the round's shoe", "ShoeStarted", [event.type for event in exported.table_events]
        )
    committing_event = exported.find_shoe_event("ShoeCommitted")
    if committing_event is None:
        raise Mismatch("an event is missing", "ShoeCommitted", [event.type for event in exported.table_events])
    return committing_event, started


def taking_event(exported: RoundExport) -> ExportedEvent:
    """Return the event that took the round's links: its own shoe's commitment, or what fixed its terms first.

    The shoe of a table's first round is committed to before the table can have chains.
    """
    is_first = exported.is_long or exported.opened.number == 1
    return _require_terms(exported)[0] if is_first else _committing_opening(exported)


def _require_terms(exported: RoundExport) -> list[ExportedEvent]:
    fixed = exported.terms_events(exported.opened.number)
    if not fixed:
        what = "no event fixes the round's terms"
        raise Mismatch(what, "TermsFixed", [event.type for event in exported.table_events])
    return fixed


def _committing_opening(exported: RoundExport) -> ExportedEvent:
    """Return the event that committed to the round's own shoe: the table's opening, or what was fixed a round ahead."""
    number = exported.opened.number
    first = next((event for event in exported.table_events if event.type == "TableOpened"), None)
    if first is None:
        raise Mismatch("an event is missing", "TableOpened", [event.type for event in exported.table_events])
    events = [first] if number == 1 else exported.terms_events(number - 1)
    committing = [event for event in events if _decode_announcing(event).next_shoe is not None]
    if len(committing) != 1:
        raise Mismatch("not one earlier event commits to the round's shoe", 1, len(committing))
    event, opening = committing[0], _decode_announcing(committing[0])
    require_equal(opening.next_shoe.shoe, exported.opened.shoe, "the commitment is to another shoe")
    return event


def _commitment_data(exported: RoundExport, committing_event: ExportedEvent) -> Any:
    """Return what that event commits to: a commitment, and the shape it is bound to."""
    data = _decode_announcing(committing_event)
    return data if exported.is_long else data.next_shoe


def _decode_announcing(event: ExportedEvent) -> Any:
    """Return the terms that an event fixes, or else its data."""
    return decode_terms(event) or decode_event(event)


def _drawing(exported: RoundExport, committed: Any) -> Drawing:
    """Return what the seed was committed to: the table's shoe of many rounds, or the round's own."""
    number = committed.number if exported.is_long else exported.opened.number
    return Drawing(exported.opened.table, shoe_id(exported), number)


def _require_revealed(exported: RoundExport) -> None:
    """Check that seeds are those that events reveal, which may be withheld; and that none reveals a secret one."""
    by_round, by_shoe = _seeds_of_round(exported), _seeds_of_shoe(exported)
    withheld = any(event.data is None for event in exported.events)
    known = [(exported.shoe.seed, by_shoe), (exported.shoe.round_seed, by_round)]
    for seed, revealed in known if exported.draws_by_round else [(exported.shoe.seed, by_round | by_shoe)]:
        if revealed - {seed} or not (seed is None or revealed or withheld):
            raise Mismatch("the seed differs from the revealed one", sorted(revealed), seed)


def _seeds_of_round(exported: RoundExport) -> set[str]:
    ends = exported.find_event("RoundSettled"), exported.find_event("RoundVoided")
    seeds = [decode_event(event).seed for event in ends if event is not None and event.data is not None]
    return {str(seed) for seed in seeds if seed is not None}


def _seeds_of_shoe(exported: RoundExport) -> set[str]:
    ended = exported.find_shoe_event("ShoeEnded")
    seeds = [] if ended is None else [decode_event(ended).seed]
    for event in exported.table_events:
        if event.type == "TableClosed":
            seeds += [each.seed for each in decode_event(event).seeds if each.shoe == shoe_id(exported)]
    return {str(seed) for seed in seeds if seed is not None}


def check_commitment(exported: RoundExport) -> str:
    """Check that the revealed seed opens the commitment, which was published before the first bet."""
    committing_event, cut_event = _commitment_and_cut_events(exported)
    opened, committed = exported.require_event("RoundOpened"), _commitment_data(exported, committing_event)
    commitment = committed.commitment
    if committing_event.position > opened.position:
        raise Mismatch("the commitment came after the round was opened", opened.position, committing_event.position)
    for later in (recorded(cut_event), recorded(opened)):
        if later.get("commitment") is not None:
            require_equal(commitment, later["commitment"], "the shoe has two commitments")
    require_equal(commitment, exported.shoe.commitment, "the commitment differs from the recorded one")
    shape = msgspec.to_builtins(exported.table_rules.shape)
    require_equal(_recorded_shape(exported, committing_event, committed), shape, "the commitment is for other rules")
    seed = exported.shoe.seed
    _require_revealed(exported)
    if exported.draws_by_round:
        _check_round_seed(exported)
    if seed is None:
        own = "the round's seed opens its commitment; " if exported.shoe.round_seed else ""
        raise CheckNotPossible(f"{own}the shoe's seed is secret until the shoe ends")
    opened_by_seed = _drawing(exported, committed).commit(bytes.fromhex(seed))
    require_equal(commitment, opened_by_seed, "the seed does not open the commitment")
    position, time = committing_event.position, _time_before_bets(exported, committing_event)
    return f"the seed's hash is {commitment}, published at position {position}{time}"


def _check_round_seed(exported: RoundExport) -> None:
    """Check that the seed by which a round draws its cards opens its commitment, and follows from its shoe's."""
    if exported.shoe.round_seed is None:
        return
    seed, number = bytes.fromhex(exported.shoe.round_seed), exported.opened.number
    opened_by_seed = Drawing(exported.opened.table, shoe_id(exported), number).commit(seed)
    require_equal(exported.round_commitment, opened_by_seed, "the round's seed does not open its commitment")
    if exported.shoe.seed is not None:
        due = round_seed(bytes.fromhex(exported.shoe.seed), number)
        require_equal(due.hex(), seed.hex(), "the round's seed does not follow from the shoe's")


def _recorded_shape(exported: RoundExport, committing_event: ExportedEvent, committed: Any) -> Fields:
    """Return the shape that a commitment is bound to; newer ones to a round's own shoe name its decks alone."""
    data = recorded(committing_event)
    shoe = data if exported.is_long else (data.get("next_terms") or data).get("next_shoe", {})
    shape: Fields = shoe.get("shape") or msgspec.to_builtins(committed.shape)
    return shape


def _time_before_bets(exported: RoundExport, committing_event: ExportedEvent) -> str:
    if exported.is_long:
        return ", before the first bet"
    wager = exported.find_event("WagerConfirmed")
    if wager is None:
        return " one round ahead"
    seconds = (_recorded_at(wager) - _recorded_at(committing_event)) // timedelta(seconds=1)
    return f" one round ahead, {seconds} s before the first wager"


def _recorded_at(event: ExportedEvent) -> datetime:
    return datetime.fromisoformat(event.recorded_at)


def check_cut(exported: RoundExport) -> str:
    """Recompute the cut from the contributions between the commitment and the first card."""
    committing_event, cut_event = _commitment_and_cut_events(exported)
    contributions = _contributions(exported, committing_event, cut_event)
    committed = _commitment_data(exported, committing_event)
    computed = close_cut(
        commitment=committed.commitment, contributions=contributions, witnesses=exported.shoe_witnesses
    ).hex()
    listed = msgspec.to_builtins(contributions)
    places = [("exported", msgspec.to_builtins(exported.shoe))]
    places += [("recorded", cut_event.data or {})] if exported.is_long else []
    for where, data in places:
        given = [{"public_key": "", **each} for each in data["contributions"]]
        require_equal(listed, given, f"the {where} contributions differ from those in the log")
        require_equal(computed, data["cut"], f"the {where} cut does not result from the contributions")
    repeated: list[Any] = [] if exported.is_long else listed  # a round's events repeat none of a long shoe
    opening = msgspec.to_builtins(exported.opened.contributions)
    require_equal(repeated, list(opening), "the opening's contributions differ from those in the log")
    if exported.is_long:
        check_shoe_closing(exported, cut_event, committed)
    if not listed:
        return f"{computed}, as nobody contributed"
    seats = ", ".join(str(each.seat) for each in contributions)
    return f"{computed}, from the contributions of seats {seats} before the first card"


def check_terms(exported: RoundExport) -> str:
    """Check that the round opened on terms fixed before it, that name its table, rules, shoe and cut."""
    opened_event, opened = exported.require_event("RoundOpened"), exported.opened
    events = _require_terms(exported)
    if events[-1].position > opened_event.position:
        raise Mismatch("the terms were fixed after betting opened", opened_event.position, events[-1].position)
    first, fixed = _decode_announcing(events[0]), _decode_announcing(events[-1])
    dealt = exported.find_event("CardsDealt")
    wanted: dict[str, Any] = {
        "table": str(opened.table),
        "number": opened.number,
        "shoe": str(opened.shoe),
        "rules": digest_of({name: value for name, value in exported.rules.items() if name != "third_cards"}),
        "commitment": exported.round_commitment,
        "cut": exported.shoe.cut,
        "witnesses": list(msgspec.to_builtins(exported.opened.witnesses)),
    }
    if dealt is not None:
        wanted["next_place"] = decode_event(dealt).shoe_position
    if not exported.is_long:
        if any((event.data or {}).get("place") for event in events):
            raise Mismatch("the terms of a round's own shoe have a place", None, fixed.place)
        following = None if first.next_shoe is None else first.next_shoe.commitment
        wanted |= {"next_place": 0, "cards": digest_cards(()), "next_commitment": following}
    if exported.draws_by_round:
        wanted["cards"] = digest_cards(exported.shoe.dealt)
    data = events[-1].data or {}
    if any((event.data or {}).get("place") != data.get("place") for event in events):
        raise Mismatch("the terms differ: place", (events[0].data or {}).get("place"), data.get("place"))
    stated = data.get("digest")
    terms = wanted | msgspec.to_builtins(fixed.place or {})
    digest = msgspec.convert(terms, Terms).digest()
    for where, value in (("recorded", digest if stated is None else stated), ("opening's", opened.terms)):
        require_equal(digest, value, f"the {where} digest is not of these terms")
    for name, value in wanted.items():
        require_equal(value, terms[name], f"the terms differ: {name}")
    return f"{digest}, fixed at position {events[-1].position}, before betting opened"


def _contributions(
    exported: RoundExport, committing_event: ExportedEvent, cut_event: ExportedEvent
) -> list[Contribution]:
    """Return each seat's last contribution."""
    closed = exported.find_shoe_event("ShoeCutClosed") if exported.is_long else None
    end = cut_event.position if closed is None else closed.position
    last: dict[int, Contribution] = {}
    for event in (*exported.round_events, *exported.table_events):
        if event.type != "ShoeCutContributed":
            continue
        if not committing_event.position < event.position < end:
            what = "a contribution is too early or too late"
            raise Mismatch(what, [committing_event.position, end], event.position)
        data = decode_event(event)
        signature = data.signature
        if signature is not None and not _is_signed(exported, committing_event, data):
            raise Mismatch("a contribution is not signed by its player", data.seat, signature.signature)
        key = "" if signature is None else signature.public_key
        last[data.seat] = Contribution(data.seat, parse_contribution(data.contribution).hex(), key)
    return [last[seat] for seat in sorted(last)]


def _is_signed(exported: RoundExport, committing_event: ExportedEvent, contributed: ShoeCutContributed) -> bool:
    """Return whether a contribution is signed by its player, with the links to come that it could know."""
    signature = contributed.signature
    if signature is None:
        return False
    public_key = bytes.fromhex(signature.public_key)
    signed = encode_contribution(
        table=exported.opened.table,
        commitment=_commitment_data(exported, committing_event).commitment,
        witnesses=() if exported.is_long else exported.opened.witnesses,
        seat=contributed.seat,
        contribution=contributed.contribution,
    )
    return public_key[:1] == b"\x01" and ed25519.is_signed_for_all(
        signed, bytes.fromhex(signature.signature), public=public_key[1:]
    )


def check_cards(exported: RoundExport) -> str:
    """Check the cards dealt at their positions: by the seed and the cut, or by proofs against the shoe's root."""
    started = _commitment_and_cut_events(exported)[1] if exported.is_long else None
    start = None if started is None else decode_event(started)
    root = None if start is None else start.root
    if root != exported.shoe.root:
        raise Mismatch("the root differs from the recorded one", root, exported.shoe.root)
    if start is not None and (root is None) is not exported.draws_by_round:
        raise Mismatch("a shoe has a root where its order is fixed, and only there", not exported.draws_by_round, root)
    if exported.find_event("CardsDealt") is None:
        _require_exact_openings(exported, {})
        raise CheckNotApplicable("no card was dealt")
    dealt = decode_event(exported.require_event("CardsDealt"))
    if exported.find_event("CardsForced") is not None:
        _require_exact_openings(exported, {})
        require_equal(
            decode_event(exported.require_event("CardsForced")).cards, dealt.cards, "the cards are not the chosen ones"
        )
        raise CheckNotApplicable(f"{' '.join(dealt.cards)} were chosen, as a test: they are not those of the shoe")
    cards_by_place = dict(enumerate(dealt.cards, dealt.shoe_position))
    if start is not None:
        cards_by_place |= _turned_card(exported, start, dealt.shoe_position)
    if start is not None and exported.draws_by_round:
        way = _check_drawn(exported, start, dealt.cards, dealt.shoe_position)
        return f"{' '.join(dealt.cards)} at place {dealt.shoe_position} of the shoe: {way}"
    _require_exact_openings(exported, cards_by_place)
    methods = []
    if exported.shoe.openings or (root is not None and exported.shoe.seed is None):
        methods.append(_check_openings(exported, cards_by_place))
    if exported.shoe.seed is not None:
        methods.append(_check_against_seed(exported, exported.shoe.seed, cards_by_place))
    if not methods:
        raise CheckNotPossible("the shoe's seed is still secret, and no cards are opened")
    return f"{' '.join(dealt.cards)} at place {dealt.shoe_position} of the shoe: {' and '.join(methods)}"


def _turned_card(exported: RoundExport, start: ShoeStarted, place: int) -> dict[int, Card]:
    """Return the card that was turned over at the start of a long shoe, at its place, if its rules burn cards."""
    if not exported.table_rules.burn or start.turned_card is None:
        wanted = (exported.table_rules.burn, None, 0)
        require_equal(wanted, (False, start.turned_card, start.burned_count), "cards were burned by another rule")
        return {}
    burned = points(start.turned_card) or 10
    require_equal(burned, start.burned_count, "the number of burned cards does not follow from the turned card")
    if place <= burned:
        raise Mismatch("burned cards were dealt", f"places after {burned}", place)
    return {0: start.turned_card}


def _check_drawn(exported: RoundExport, start: ShoeStarted, cards: tuple[Card, ...], place: int) -> str:
    """Recompute what the round drew from the cards left, by its own seed and links; and the card turned over before."""
    _require_exact_openings(exported, {})
    shoe, decks, turned = exported.shoe, exported.table_rules.decks, start.turned_card
    cut, dealt = bytes.fromhex(shoe.cut), [parse(card) for card in shoe.dealt]
    if place < len(dealt) + start.burned_count:
        raise Mismatch("more cards are out than places", place, len(dealt) + start.burned_count)
    if turned is not None and dealt[:1] != [turned]:
        raise Mismatch("the first card that was out is not the turned card", turned, dealt[:1])
    if turned is not None and shoe.seed is not None:
        first = shuffle(bytes.fromhex(shoe.seed), cut=cut, decks=decks, first=1, links=links_of_shoe(exported))
        require_equal(first, (turned,), "the turned card differs from the shoe's")
    if shoe.round_seed is None:
        raise CheckNotPossible("the round's seed is still secret")
    seed, links = bytes.fromhex(shoe.round_seed), links_of_round(exported)
    try:
        due = shuffle(seed, cut=cut, decks=decks, first=len(cards), links=links, out=dealt)
    except InvalidCardCount as error:
        raise Mismatch("more cards are out than the shoe has", decks, str(error)) from error
    require_equal(due, cards, "the cards differ from those that the round draws")
    by = ", the cut and the witnesses' links" if links else " and the cut"
    return f"drawn from what {len(dealt)} cards left, by the round's seed{by}"


def _require_exact_openings(exported: RoundExport, cards_by_place: dict[int, Any]) -> None:
    """Check that the file opens only cards of this round, each once."""
    places = sorted(each.shoe_position for each in exported.shoe.openings)
    if set(places) - cards_by_place.keys() or len(set(places)) != len(places):
        raise Mismatch("the file opens cards that this round did not use", sorted(cards_by_place), places)


def _check_openings(exported: RoundExport, cards_by_place: dict[int, Any]) -> str:
    root, decks = exported.shoe.root, exported.table_rules.decks
    if root is None:
        raise Mismatch("cards are opened without a root", "a root", None)
    opened = {each.shoe_position: each for each in exported.shoe.openings}
    for place, card in sorted(cards_by_place.items()):
        if place not in opened:
            raise Mismatch("a card is not opened", f"an opening of place {place}", sorted(opened))
        require_equal(card, opened[place].card, f"the card opened at place {place} differs")
        salt, path = opened[place].salt, tuple(opened[place].path)
        opening = CardOpening(shoe_position=place, card=parse(card), salt=salt, path=path)
        if not is_valid_opening(opening, decks=decks, root=root):
            raise Mismatch(f"the card at place {place} is not in the shoe's tree", root, "a path that leads elsewhere")
    return "opened against the root published before the shoe's first bet"


def _check_against_seed(exported: RoundExport, seed_hex: str, cards_by_place: dict[int, Any]) -> str:
    seed, cut = bytes.fromhex(seed_hex), bytes.fromhex(exported.shoe.cut)
    decks = exported.table_rules.decks
    links = links_of_shoe(exported)
    shoe = shuffle(seed, cut=cut, decks=decks, links=links)
    for place, card in sorted(cards_by_place.items()):
        if list(shoe[place : place + 1]) != [card]:
            raise Mismatch(f"the card at place {place} differs from the shoe's order", shoe[place : place + 1], card)
    if exported.shoe.root is not None:
        require_equal(
            shoe_root(seed, cut=cut, decks=decks, links=links),
            exported.shoe.root,
            "the root differs from that of the shoe",
        )
    return (
        "recomputed from the seed, the cut and the witnesses' links"
        if links
        else "recomputed from the seed and the cut"
    )
