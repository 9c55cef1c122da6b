"""Audit of the Caller's ceremony: no findings at any step, the same after a rebuild, and described in sentences."""

from dataclasses import replace

from baccarat.audit import engine
from baccarat.audit.rebuild import play_projector
from baccarat.audit.round_replay import replay_round
from baccarat.services import betting, ceremony, voiding
from casino.events.rebuild import check
from casino.events.sql import fetch
from tests.baccarat.audit.playing import METADATA, OPERATOR, deal, seal, sit
from tests.support import voids as staff_voids

WITH_A_CALLER = {"caller": True, "look_seconds": 60, "hand_back_seconds": 60, "decks": 1, "cut_cards_from_end": 14}


def is_consistent():
    """Return whether the audit finds nothing and a rebuild changes nothing."""
    seal()
    return engine.run_audit(max_wait=3600).findings == () and check(play_projector()).changed == ()


def round_of(seated, phase):
    (row,) = fetch(
        "SELECT id FROM baccarat_round WHERE table_id = %s AND phase = %s ORDER BY number DESC LIMIT 1",
        [seated.table, phase],
    )
    return row[0]


def narrate_round(seated, phase):
    replay = replay_round(round_of(seated, phase))
    assert replay.findings == ()
    return [line.text for line in replay.lines]


def test_a_ceremony_has_no_findings_at_any_step_and_is_described(database):
    seated = sit("big_table", players=2, **WITH_A_CALLER)
    ann = seated.guests[0]
    seated.bet(player=2500)
    deal()
    assert is_consistent()
    ceremony.look(actor=ann)
    assert is_consistent()
    assert any("went face down to seat 1" in text for text in narrate_round(seated, "closed"))
    ceremony.hand_back(actor=ann)
    assert is_consistent()
    deal()
    assert is_consistent()
    words = narrate_round(seated, "settled")
    turned = [place for place, text in enumerate(words) if "hand over" in text]
    assert words[turned[0]].startswith("The Caller turned the Player's hand over: ")
    assert words[turned[1]].startswith("The Caller turned the Banker's hand over: ")


def test_voids_after_a_look_burn_a_shoe_of_fixed_order_to_its_end(database):
    seated = sit("big_table", players=2, fixed_order=True, **WITH_A_CALLER)
    ann, ben = seated.guests
    voids = 0
    while fetch("SELECT (state->>'shoes')::int FROM baccarat_table") == [(1,)]:
        voids += 1
        betting.deal(actor=ann, stakes={"player": 2500}, currency="EUR")
        betting.pass_turn(actor=ben)
        deal()
        ceremony.look(actor=ann)
        requester = replace(METADATA, actor="staff:1")
        looked_at = round_of(seated, "closed")
        voiding.void(round_=looked_at, operator=OPERATOR, reason="other", note="x", metadata=requester)
        staff_voids.confirm(looked_at)
        assert voids <= 8  # six cards each, of the 38 before the cut card, and one round more
    assert is_consistent()
    assert "6 cards were burned from the shoe, as a player had seen two of them." in narrate_round(seated, "voided")
