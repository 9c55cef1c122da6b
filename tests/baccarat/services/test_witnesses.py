"""Rounds at tables with a witness: closed, sent, dealt by its link, and what happens in between."""

import io
import json
import os
import signal
import threading
import time
import zipfile
from collections.abc import Generator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from uuid import UUID

import pytest
from django.conf import settings
from django.core.management import call_command
from pytest_django import DjangoDbBlocker

from baccarat.audit import engine
from baccarat.audit import voiding as audited_voids
from baccarat.audit.verdict import RoundVerdict
from baccarat.domain.fairness.closing import NO_DIGEST
from baccarat.domain.fairness.links import links_of, next_indexes
from baccarat.domain.fairness.shuffle import round_seed, shuffle
from baccarat.domain.fairness.terms import WitnessIndex
from baccarat.domain.rounds import voiding as voiding_decisions
from baccarat.domain.rounds.refusals import NoOpenRound, WitnessesNotReady, WitnessUnavailable
from baccarat.domain.rounds.state import Phase
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.tables.events import ShoeEnded, ShoeStarted
from baccarat.domain.tables.state import OpenClosing
from baccarat.domain.tables.witness_events import ShoeCutClosed, ShoeLinksReleased
from baccarat.proofs import dispute_pack
from baccarat.proofs.export import export_round
from baccarat.queries.round_view import WaitingFor, present_round
from baccarat.queries.voids import VoidCause, voids_by_cause
from baccarat.services import dealing, releasing, table_lifecycle, voiding, witness_chains
from baccarat.storage.models import Round
from casino.backoffice.pages import round_sections
from casino.checkpoints import signing
from casino.checkpoints.cosigning import Cosigning
from casino.events import sealer
from casino.events.store import Metadata
from casino.kernel.canonical_json import canonical
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.witness import client as witness_client
from casino.witness.client import WitnessClient
from casino.witness.statements import Release
from tests.baccarat.services.witnessing import (
    assert_sound,
    cards_by_links,
    pin,
    play,
    play_shoe,
    rounds_of,
    witnessed_table,
)
from tests.casino.witness import running
from tests.casino.witness.running import RunningWitness
from tests.services import Services
from tests.stories.test_attacks_are_named import verdicts
from tests.support import voids
from tests.support.examples import B
from tests.support.house import House, deal_all, fresh_database, until


@pytest.fixture
def house(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[House]:
    """Yield an operator on a database of its own, because each test has a witness of its own."""
    with fresh_database(services, django_db_blocker):
        yield House()


def test_a_round_is_closed_sent_and_dealt_by_the_links_of_its_witness(house: House, witness: RunningWitness) -> None:
    table = witnessed_table(house)
    ann = house.seated(table)
    play(house, ann, rounds=4)
    played = [house.round(key) for key in rounds_of(house, table)][:4]
    indexes = [each.index for round_ in played for each in round_.require_opened().witnesses]
    assert indexes == [0, 1, 2, 3]  # from the table's first round on
    last = played[-1]
    assert house.names(last)[-4:] == ["BettingClosed", "LinksReleased", "CardsDealt", "RoundSettled"]
    assert cards_by_links(last) == last.cards
    assert house.state(table).open_closings == ()
    assert_sound(house, table)


def test_the_house_trusts_its_own_witness_so_that_page_and_pack_of_a_good_round_are_green(
    house: House, witness: RunningWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = witnessed_table(house)
    ann = house.seated(table)
    play(house, ann, rounds=4)
    settled = house.last(table).require_opened().round
    sealer.seal_all()
    monkeypatch.setattr(settings, "CHECKPOINT_STORAGE", "")
    signing.sign_now()
    play(house, ann, rounds=1)
    sealer.seal_all()
    cosigning = Cosigning(witness_client.configured_client())
    until(lambda: cosigning.run_once() > 0)  # once the lease of the one before has ended

    pack = dispute_pack.build_pack(round_=settled, operator=house.operator)
    with zipfile.ZipFile(io.BytesIO(pack.content)) as files:
        verification = files.read("verification.txt").decode()
    (shown,) = round_sections.with_export(RoundVerdict((), None), Round.objects.get(pk=settled)).checks

    assert "\nVERIFIED: " in verification
    assert shown.holds is True
    for text in (verification, shown.explanation):
        assert f"cosigned by {witness.address.cosigner.name} at " in text
        assert "you do not trust" not in text


def test_a_lapsed_round_uses_its_link_too_while_the_next_is_open(house: House, witness: RunningWitness) -> None:
    table = witnessed_table(house)
    ann = house.seated(table)
    play(house, ann, rounds=3)
    ann.pass_turn()
    deal_all()
    lapsed = house.round(rounds_of(house, table)[3])
    assert (lapsed.phase, len(lapsed.releases)) == (Phase.LAPSED, 1)
    play(house, ann, rounds=1)
    assert_sound(house, table)


def test_a_round_that_is_voided_while_betting_is_open_uses_its_link_too(house: House, witness: RunningWitness) -> None:
    table = witnessed_table(house)
    ann, ben = house.company(table, 2)
    play(house, ann, ben, rounds=3)
    ann.deal({B: 2500})
    running_round = house.in_hand(table).require_opened().round
    voiding.void(round_=running_round, operator=house.operator, reason="malfunction", note="Cards fell", metadata=STAFF)
    until(lambda: dealing.release_due() > 0)
    voided = house.round(running_round)
    assert (voided.phase, len(voided.releases)) == (Phase.VOIDED, 1)
    play(house, ann, ben, rounds=1)
    assert_sound(house, table)


def test_a_round_that_waits_for_its_link_is_voided_by_two_persons_and_gets_it_later(
    house: House, witness: RunningWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = witnessed_table(house)
    ann = house.seated(table)
    play(house, ann, rounds=3)
    before = house.game(ann)
    ann.deal({B: 2500})
    with monkeypatch.context() as silent:
        silent.setattr(releasing.PendingClosings, "ask", lambda *_: None)  # the process dies before it asks
        deal_all()
    waiting = house.in_hand(table).require_opened().round
    voiding.void(round_=waiting, operator=house.operator, reason="malfunction", note="Cards fell", metadata=STAFF)
    assert house.round(waiting).phase is Phase.CLOSED
    with pytest.raises(ChangeNeedsSecondPerson):
        voids.confirm(waiting, by=STAFF.actor)
    voids.confirm(waiting)
    assert house.game(ann) == before
    until(lambda: dealing.release_due() > 0)
    voided = house.round(waiting)
    assert (voided.phase, len(voided.releases)) == (Phase.VOIDED, 1)
    play(house, ann, rounds=1)
    assert_sound(house, table)


def test_a_round_without_a_link_after_the_limit_is_void_and_its_link_shows_later_what_would_have_been(
    house: House, witness: RunningWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = witnessed_table(house)
    ann = house.seated(table)
    play(house, ann, rounds=3)
    before = house.game(ann)
    ann.deal({B: 2500})
    with monkeypatch.context() as silent:
        silent.setattr(releasing.PendingClosings, "ask", lambda *_: None)  # the process dies before it asks
        silent.setattr(settings, "PERSONAL_KEYS", "")  # a worker has none
        deal_all()
        waiting = house.in_hand(table).require_opened().round
        assert dealing.release_due() == 0
        assert house.state(table).round == waiting
        for module in (voiding, voiding_decisions, audited_voids):
            monkeypatch.setattr(module, "ANSWER_LIMIT", timedelta(seconds=0.1))
        until(lambda: house.state(table).round != waiting or dealing.release_due() > 0)
    voided = house.round(waiting)
    assert (voided.phase, voided.releases, house.game(ann)) == (Phase.VOIDED, (), before)
    assert voided.voided is not None
    assert (voided.voided.requested_by, voided.voided.approved_by) == ("system:witnesses", None)
    (voids,) = voids_by_cause(house.state(table))
    assert (voids.cause, voids.rounds, voids.unconfirmed, voids.unknown) == (VoidCause.WITNESS, 1, 1, 1)
    until(lambda: dealing.release_due() > 0)
    assert len(house.round(waiting).releases) == 1
    (voids,) = voids_by_cause(house.state(table))
    assert (voids.unconfirmed, voids.after_release, voids.unknown) == (0, 0, 0)
    play(house, ann, rounds=1)
    assert_sound(house, table)
    monkeypatch.setattr(audited_voids, "ANSWER_LIMIT", timedelta(seconds=45))
    assert [each.kind for each in engine.run_audit(max_wait=3600).findings] == ["void without approval"]


def test_a_table_takes_no_seat_before_its_witness_has_made_its_chain(house: House, witness: RunningWitness) -> None:
    table = house.table("atlantic_city")
    before = house.state(table)
    with pytest.raises(WitnessesNotReady) as refused:
        house.seated(table)
    assert refused.value.facts == {"wanted": 1, "ready": 0}
    assert house.state(table) == before

    pin()
    assert witness_chains.open_chains(height=8) > 0
    witness_chains.wait_for_chains(table=table, operator=house.operator)
    play(house, house.seated(table), rounds=1)
    (round_,) = rounds_of(house, table)[:1]
    (first,) = house.round(round_).require_opened().witnesses
    assert (first.index, cards_by_links(house.round(round_))) == (0, house.round(round_).cards)
    assert_sound(house, table)
    proof = canonical(export_round(round_=round_, operator=house.operator, viewer=None))
    assert {verdict for verdict, _ in verdicts(proof, [], {})} == {"unverified"}  # which nobody signed yet


def test_a_table_that_was_played_at_without_a_witness_takes_no_wager_before_it_has_a_chain(
    house: House, witness: RunningWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = house.table("atlantic_city")
    with monkeypatch.context() as without:
        without.setattr(settings, "TABLE_WITNESSES", 0)
        ann = house.seated(table)
        play(house, ann, rounds=1)
    with pytest.raises(WitnessesNotReady):
        ann.deal({B: 2500})
    pin()
    assert witness_chains.open_chains(height=8) > 0
    play(house, ann, rounds=3)
    assert house.round(rounds_of(house, table)[3]).require_opened().witnesses
    assert_sound(house, table)


def test_a_witness_that_is_away_holds_up_the_cards_and_nothing_else(
    house: House, witness: RunningWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, other = witnessed_table(house), house.table("atlantic_city")
    monkeypatch.setattr(settings, "TABLE_WITNESSES", 0)  # the other table has none
    ann, ben = house.seated(table), house.seated(other)
    play(house, ann, rounds=3)
    witness.kill()
    ann.deal({B: 2500})
    deal_all()
    waiting = house.in_hand(table)
    assert (waiting.phase, waiting.awaits_links(), waiting.cards) == (Phase.CLOSED, True, ())
    rules = rules_for("mini", currency="EUR")
    assert present_round(waiting, viewer=None, rules=rules).waiting_for is WaitingFor.WITNESS
    play(house, ben, rounds=2)
    again = running.start(witness.folder, port=witness.port)
    try:
        pin()
        until(lambda: dealing.release_due() > 0)
        dealt = house.round(waiting.require_opened().round)
        assert (dealt.phase, cards_by_links(dealt)) == (Phase.SETTLED, dealt.cards)
        assert present_round(dealt, viewer=None, rules=rules).waiting_for is None
        assert_sound(house, table)
    finally:
        again.kill()


def test_a_slow_witness_delays_the_cards_and_changes_nothing(house: House, witness: RunningWitness) -> None:
    table = witnessed_table(house)
    ann = house.seated(table)
    play(house, ann, rounds=3)
    round_ = house.in_hand(table).require_opened().round
    ann.deal({B: 2500})
    os.killpg(witness.process.pid, signal.SIGSTOP)
    again = threading.Timer(1.5, os.killpg, [witness.process.pid, signal.SIGCONT])
    again.start()
    try:
        deal_all()
        until(lambda: house.round(round_).phase is Phase.SETTLED or dealing.release_due() > 0)
    finally:
        again.join()
    dealt = house.round(round_)
    assert (dealt.phase, cards_by_links(dealt)) == (Phase.SETTLED, dealt.cards)
    asked = [place.index for key in rounds_of(house, table) for place in house.round(key).require_opened().witnesses]
    assert asked == list(range(len(asked)))  # a repeated request used no other index
    assert_sound(house, table)


def test_no_wager_is_taken_once_a_witness_is_silent_for_more_than_five_seconds(
    house: House, witness: RunningWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, other = witnessed_table(house), house.table("atlantic_city")
    monkeypatch.setattr(settings, "TABLE_WITNESSES", 0)  # the other table has none
    ann, ben = house.seated(table), house.seated(other)
    play(house, ann, rounds=3)
    silent_since = time.time() - 6
    monkeypatch.setattr(WitnessClient, "away_since", lambda *_: silent_since)  # as after six seconds of silence
    before = house.state(table)
    with pytest.raises(WitnessUnavailable) as refused:
        ann.deal({B: 2500})
    assert refused.value.facts == {"since": datetime.fromtimestamp(silent_since, UTC)}
    assert house.state(table) == before
    play(house, ben, rounds=1)
    monkeypatch.setattr(WitnessClient, "away_since", lambda *_: time.time() - 1)
    ann.deal({B: 2500})


def test_no_wager_is_taken_while_an_older_closing_waits_for_more_than_five_seconds(
    house: House, witness: RunningWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = witnessed_table(house)
    ann = house.seated(table)
    play(house, ann, rounds=3)
    monkeypatch.setattr(releasing.PendingClosings, "ask", lambda *_: None)  # the process dies before it asks
    ann.pass_turn()
    deal_all()
    (waiting,) = house.state(table).open_closings
    monkeypatch.setattr(releasing, "MAX_SILENCE_SECONDS", 0.0)
    with pytest.raises(WitnessUnavailable) as refused:
        ann.deal({B: 2500})
    assert refused.value.facts == {"since": waiting.closed_at}


@pytest.mark.parametrize("step", ["before the request", "before the links are stored"])
def test_a_worker_that_dies_leaves_a_closing_that_the_next_one_completes(
    house: House, witness: RunningWitness, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    table = witnessed_table(house)
    ann = house.seated(table)
    play(house, ann, rounds=3)
    ann.deal({B: 2500})
    at = (releasing.PendingClosings, "ask") if step == "before the request" else (dealing, "_deal_with_links")
    with monkeypatch.context() as dying:
        dying.setattr(*at, _die)
        with pytest.raises(Died):
            deal_all()
    waiting = house.in_hand(table)
    assert waiting.awaits_links()
    assert dealing.deal_due() == 0
    until(lambda: dealing.release_due() > 0)
    dealt = house.round(waiting.require_opened().round)
    assert dealt.closing == waiting.closing
    assert cards_by_links(dealt) == dealt.cards
    assert_sound(house, table)


def test_two_workers_with_the_same_links_deal_once(house: House, witness: RunningWitness) -> None:
    table = witnessed_table(house)
    ann = house.seated(table)
    play(house, ann, rounds=3)
    closings: list[dict[UUID, tuple[OpenClosing, ...]]] = []
    ann.deal({B: 2500})
    with pytest.MonkeyPatch.context() as holding:
        holding.setattr(releasing.PendingClosings, "ask", lambda _, waiting: closings.append(dict(waiting)))
        deal_all()
    links = [_links(closings[0]) for _ in range(2)]
    assert links[0] == links[1]
    assert dealing._deal_with_links([table], links[0], deals=True) == 1
    assert dealing._deal_with_links([table], links[1], deals=True) == 0
    assert_sound(house, table)


@pytest.mark.parametrize("fixed_order", [True, False])
def test_a_long_shoe_starts_by_a_link_and_each_of_its_rounds_uses_one(
    house: House, witness: RunningWitness, fixed_order: bool
) -> None:
    table = witnessed_table(house, "big_table", decks=1, cut_cards_from_end=30, fixed_order=fixed_order)
    ann = house.seated(table)
    until(lambda: dealing.release_due() == 0 and house.state(table).shoe is not None)
    play_shoe(house, ann)
    play_shoe(house, ann)
    events = [event for _, _, event in house.events(table)]
    closed = [event for event in events if isinstance(event, ShoeCutClosed)]
    released = [event for event in events if isinstance(event, ShoeLinksReleased)]
    started = [event for event in events if isinstance(event, ShoeStarted)]
    ended = [event for event in events if isinstance(event, ShoeEnded)]
    assert len(ended) == 2
    assert len(closed) >= 2
    assert NO_DIGEST not in {each.closing.sealed_head for each in closed}
    assert [each.shoe for each in closed] == [each.shoe for each in started]
    assert [each.closing for each in started] == [None] * len(started)
    rounds = [house.round(key) for key in rounds_of(house, table)]
    used = [each.index for round_ in rounds for each in round_.require_opened().witnesses]
    used += [each.index for shoe in closed for each in shoe.witnesses]
    assert sorted(used) == list(range(len(used)))
    kept = StringIO()
    call_command("witness_statements", stdout=kept)
    listed = [json.loads(line) for line in kept.getvalue().splitlines() if '"statement"' in line]
    given = [Release.parse(bytes.fromhex(each["statement"])).index for each in listed]
    assert sorted(given) == sorted(used)[: len(given)]
    assert len(given) >= len(used) - 1
    for close, release, start, end in zip(closed, released, started, ended, strict=False):
        seed, cut = bytes.fromhex(end.seed), bytes.fromhex(start.cut)
        order = shuffle(seed, cut=cut, decks=1, links=links_of(close.witnesses, release.releases))
        assert start.turned_card == order[0]
        out = [order[0]]
        dealt = [round_ for round_ in rounds if round_.require_opened().shoe == start.shoe and round_.cards]
        assert dealt
        for round_ in dealt:
            at, opened = round_.shoe_position or 0, round_.require_opened()
            own, links = round_seed(seed, opened.number), links_of(opened.witnesses, round_.releases)
            drawn = shuffle(own, cut=cut, decks=1, first=len(round_.cards), links=links, out=out)
            assert (order[at : at + len(round_.cards)] if fixed_order else drawn) == round_.cards
            assert round_.seed == (None if fixed_order else own.hex())
            out += round_.cards
    assert_sound(house, table)


@pytest.mark.parametrize("step", ["before the request", "before the links are stored"])
def test_a_worker_that_dies_leaves_a_shoe_that_the_next_one_starts(
    house: House, witness: RunningWitness, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    table = witnessed_table(house, "big_table")
    ann = house.seated(table)
    at = (releasing.PendingClosings, "ask") if step == "before the request" else (dealing, "_deal_with_links")
    with monkeypatch.context() as dying:
        dying.setattr(*at, _die)
        with pytest.raises(Died):
            dealing.release_due()
    waiting = house.state(table)
    assert (waiting.shoe, waiting.round, len(waiting.open_closings)) == (None, None, 1)
    with pytest.raises(NoOpenRound):
        ann.deal({B: 2500})
    until(lambda: dealing.release_due() > 0)
    assert dealing.release_due() == 0
    shoe = house.state(table).shoe
    assert shoe is not None
    assert len(shoe.links) == 1
    play(house, ann, rounds=1)
    assert_sound(house, table)


def test_a_table_that_closes_before_its_shoe_starts_still_uses_the_link(house: House, witness: RunningWitness) -> None:
    table = witnessed_table(house, "big_table")
    house.seated(table)
    table_lifecycle.close_table(table=table, operator=house.operator, reason="Renovation", metadata=STAFF)
    assert house.state(table).closed
    until(lambda: dealing.release_due() > 0)
    assert house.state(table).open_closings == ()
    assert isinstance(house.events(table)[-1][2], ShoeLinksReleased)
    assert_sound(house, table)


def test_a_used_up_chain_is_followed_by_its_successor(house: House, witness: RunningWitness) -> None:
    table = witnessed_table(house)
    ann = house.seated(table)
    play(house, ann, rounds=2)
    (chain,) = house.state(table).chains
    assert not witness_chains.needs_chain(house.state(table), chain.release_key, 1)
    almost = replace(chain, next_index=chain.size - 2)
    assert witness_chains.needs_chain(replace(house.state(table), chains=(almost,)), chain.release_key, 1)
    successor = replace(chain, chain="aa" * 32, next_index=0)
    assert not witness_chains.needs_chain(replace(house.state(table), chains=(almost, successor)), chain.release_key, 1)
    assert next_indexes((almost, successor)) == (WitnessIndex(chain.chain, chain.size - 2),)
    assert next_indexes((successor,)) == (WitnessIndex(successor.chain, 0),)


STAFF = Metadata(operator="", actor="staff:1", causation="")


class Died(BaseException):
    """The worker was killed here."""


def _links(closings: Mapping[UUID, tuple[OpenClosing, ...]]) -> releasing.Links:
    """Ask for what these closings wait for, and return all links."""
    asked, links = releasing.PendingClosings(), {}
    asked.ask(closings)
    while asked.is_waiting():
        links.update(asked.take(1.0).links)
    return links


def _die(*_: object, **__: object) -> None:
    raise Died
