"""Play the rounds of the golden files: all five presets, long shoes, voids and changed rules."""

import json
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings

from baccarat.domain.rounds.forcing import SCENARIOS, Scenario
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.table_rules import Commission, CommissionTiming, Ratio
from baccarat.domain.tables.witness_events import ReplacementReason
from baccarat.proofs.export import export_round
from baccarat.services import betting, ceremony, dealing, forcing, rules_lifecycle, voiding, witness_chains
from casino.checkpoints import cosigning, signing
from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from casino.witness.client import configured_client
from tests.baccarat.audit.playing import OPERATOR, Seated, deal, play, seal, sit
from tests.baccarat.services.witnessing import pin
from tests.support import rules as waiting_rules
from tests.support import voids
from tests.support.signatures import sign_contribution, sign_wager
from tests.support.spots import LUCKY_NINE, spots_of

STAFF = tuple(
    Metadata(operator=str(OPERATOR), actor=f"staff:{number}", causation="", correlation="") for number in (1, 2)
)


@dataclass(frozen=True, slots=True)
class ExportedRound:
    """A round to be exported for a viewer, None for the operator."""

    round: UUID
    viewer: UUID | None = None

    def export(self) -> dict[str, object]:
        """Return the file as a document."""
        return export_round(round_=self.round, operator=OPERATOR, viewer=self.viewer)


def last(seated: Seated) -> UUID:
    """Return the table's newest round that has ended."""
    rows = fetch(
        "SELECT id FROM baccarat_round WHERE table_id = %s AND phase IN ('settled', 'voided')"
        " ORDER BY number DESC LIMIT 1",
        [seated.table],
    )
    round_: UUID = rows[0][0]
    return round_


def running(seated: Seated) -> UUID:
    """Return the table's current round."""
    round_: UUID = fetch("SELECT round_id FROM baccarat_table WHERE id = %s", [seated.table])[0][0]
    return round_


def history() -> dict[str, dict[str, object]]:
    """Play, seal and sign everything, and return each export by the name of its file."""
    settings.CHECKPOINT_STORAGE = ""
    exported = {"no-checkpoint-yet": _just_played().export()}
    rounds = {
        **_presets(),
        **_long_shoes(),
        **_long_shoes("fixed-order", fixed_order=True),
        **_voids(),
        "rules-of-a-later-version": _under_other_rules(),
        "lucky-nine": _lucky_nine(),
    }
    seal()
    signing.sign_now()
    exported["younger-than-the-checkpoint"] = _just_played().export()
    return {**exported, **{name: each.export() for name, each in rounds.items()}}


def history_with_witness() -> dict[str, dict[str, object]]:
    """Play at a table with a witness: a settled round with signatures, and one voided while betting was open."""
    settings.CHECKPOINT_STORAGE = ""
    settled, voided = (sit("atlantic_city", players=2) for _ in range(2))
    pin()
    short_shoe = sit("big_table", players=2, decks=1, cut_cards_from_end=30)
    fixed_order = sit("big_table", players=2, decks=1, cut_cards_from_end=30, fixed_order=True)
    rounds = {"settled": ExportedRound(_signed(settled, rounds=3)), "voided": ExportedRound(_signed_void(voided))}
    _play_shoes(short_shoe, 1)
    rounds["shoe-ended"] = ExportedRound(_signed_in_shoe(short_shoe))
    _play_shoes(short_shoe, 1)
    rounds["shoe-running"] = ExportedRound(_signed_in_shoe(short_shoe))
    _play_shoes(fixed_order, 1)
    rounds["fixed-order"] = ExportedRound(_signed_in_shoe(fixed_order))
    seal()
    signing.sign_now()
    return {name: each.export() for name, each in rounds.items()}


def cosigned_round() -> dict[str, object]:
    """Play at a table with a witness until it has cosigned a checkpoint that covers the round."""
    settings.CHECKPOINT_STORAGE = ""
    seated, cosigner = sit("atlantic_city", players=2), cosigning.Cosigning(configured_client())
    seal()
    cosigner.run_once()
    round_ = _signed(seated, rounds=3)
    seal()
    cosigner.run_once()
    return ExportedRound(round_).export()


def forced_rounds() -> dict[str, dict[str, object]]:
    """Play rounds with chosen cards: with a shoe of its own, and in a long shoe that goes on, and in one that ends."""
    settings.CHECKPOINT_STORAGE, settings.FORCED_CARDS = "", True
    mini, caller = sit("mini"), sit("big_table", players=2, caller=True)
    short_shoe = sit("big_table", players=2, decks=1, cut_cards_from_end=30)
    rounds = {"settled": ExportedRound(_forced(mini, Scenario.SIX_CARD_TIE))}
    handed_out = force_cards(caller, Scenario.PLAYER_NATURAL)
    caller.bet(banker=2500, player=5000)
    deal()
    ceremony.hand_back(actor=caller.guests[0])
    deal()
    rounds["shoe-running"] = ExportedRound(handed_out)
    rounds["shoe-ended"] = ExportedRound(_forced(short_shoe, Scenario.BANKER_DRAWS_ON_SIX))
    play(short_shoe, banker=2500)
    rounds["after-it"] = ExportedRound(last(short_shoe))
    _play_shoes(short_shoe, 1)
    seal()
    signing.sign_now()
    return {name: each.export() for name, each in rounds.items()}


def forced_with_witness() -> dict[str, object]:
    """Play a round with chosen cards at a table with a witness, after one that the witness's link decided."""
    settings.CHECKPOINT_STORAGE, settings.FORCED_CARDS = "", True
    seated = sit("atlantic_city", players=2)
    pin()
    _signed(seated, rounds=1)
    round_ = force_cards(seated, Scenario.SIX_CARD_TIE)
    assert _signed(seated, rounds=1) == round_
    seal()
    signing.sign_now()
    return ExportedRound(round_).export()


def force_cards(seated: Seated, scenario: Scenario) -> UUID:
    """Choose the cards of the table's next round, and return it."""
    cards = SCENARIOS[scenario]
    return forcing.force(table=seated.table, operator=OPERATOR, sandbox=True, cards=cards, metadata=STAFF[0])


def _forced(seated: Seated, scenario: Scenario) -> UUID:
    round_ = force_cards(seated, scenario)
    play(seated, banker=2500, tie=2500)
    return round_


def history_with_replaced_witness() -> dict[str, dict[str, object]]:
    """Play on after a table's witness was replaced: a round that was passed over, and one dealt by the other's link."""
    settings.CHECKPOINT_STORAGE = ""
    seated = sit("atlantic_city", players=2)
    pin()
    shoe = sit("big_table", players=2)
    _signed(seated, rounds=3)
    _signed(shoe, rounds=1)
    lost, follows = configured_client().addresses
    for table in (seated.table, shoe.table):
        witness_chains.replace(
            table=table,
            operator=OPERATOR,
            release_key=lost.release_key.hex(),
            address=follows,
            reason=ReplacementReason.PLANNED,
            metadata=STAFF[0],
            height=8,
        )
    passed_over = last(seated)
    pin()
    rounds = {"passed-over": ExportedRound(passed_over), "replaced": ExportedRound(_signed(seated, rounds=1))}
    rounds["replaced-in-shoe"] = ExportedRound(_signed(shoe, rounds=1))
    seal()
    signing.sign_now()
    return {name: each.export() for name, each in rounds.items()}


def _signed_in_shoe(seated: Seated) -> UUID:
    """Play a round of the next long shoe, once its witness has given out the link for it."""
    deal()
    return _signed(seated, rounds=1)


def _signed_void(seated: Seated) -> UUID:
    """Void a round before its betting closed; the witness gives out its link for that closing, too."""
    _signed(seated, rounds=3)
    betting = running(seated)
    Seated(seated.table, seated.guests[:1]).bet(banker=2500)
    _void(betting)
    while not dealing.release_due():
        fetch("SELECT pg_sleep(0.1)")
    return betting


def _just_played() -> ExportedRound:
    """Play a round and seal it."""
    seated = sit("mini")
    play(seated, banker=1000)
    seal()
    return ExportedRound(last(seated))


def _presets() -> dict[str, ExportedRound]:
    """Play a round of each preset with a shoe per round, cut by some of its players."""
    mini = sit("mini")
    for _ in range(2):  # the cards of the first commit to the shoe of the third
        _cut(mini)
        play(mini, banker=1000)
    atlantic_city = sit("atlantic_city", players=2)
    _cut(atlantic_city)
    play(atlantic_city, banker=100)
    return {
        "overview": ExportedRound(_until("banker", sit("overview"), banker=1100, tie=500)),
        "mini": ExportedRound(_until("player", mini, banker=2500, player=1000)),
        "classic": ExportedRound(_first("banker", "classic", banker=500)),
        "atlantic-city": ExportedRound(_until("banker", atlantic_city, banker=100, player=30_000)),
        "signed": ExportedRound(_signed(sit("atlantic_city", players=2), rounds=2)),
    }


def _signed(seated: Seated, *, rounds: int) -> UUID:
    """Play rounds in which one of two players signs the wager, and before it the contribution to its cut."""
    for _ in range(rounds):
        _cut(seated)
        for number, guest in enumerate(seated.guests, 1):
            signature = sign_wager(guest, {"banker": 2500}, play_money=True) if number == 1 else None
            betting.deal(actor=guest, stakes={"banker": 2500}, currency="EUR", signature=signature)
        deal()
    return last(seated)


def _until(outcome: str, seated: Seated, **stakes: int) -> UUID:
    """Play rounds until one ends with this outcome."""
    while True:
        _cut(seated)
        play(seated, **stakes)
        if _outcome(last(seated)) == outcome:
            return last(seated)


def _first(outcome: str, preset: str, **stakes: int) -> UUID:
    """Play first rounds at new tables until one ends with this outcome."""
    while True:
        seated = sit(preset)
        _cut(seated)
        play(seated, **stakes)
        if _outcome(last(seated)) == outcome:
            return last(seated)


def _outcome(round_: UUID) -> str:
    outcome: str = fetch("SELECT outcome FROM baccarat_round WHERE id = %s", [round_])[0][0]
    return outcome


def _cut(seated: Seated) -> None:
    """Let every player contribute something else; a player alone contributes twice."""
    for number, guest in enumerate(seated.guests, 1):
        if len(seated.guests) == 1:
            betting.new_game(actor=guest)
            betting.contribute_to_cut(actor=guest, contribution="00" * 32)
        contribution = f"{number:02x}" * (3 + number)
        signature = sign_contribution(seated.table, contribution, seat=number) if number == 1 else None
        betting.contribute_to_cut(actor=guest, contribution=contribution, contribution_signature=signature)


def _long_shoes(name: str = "long-shoe", **rules: bool) -> dict[str, ExportedRound]:
    """Play at the big table: a running shoe with the Caller's ceremony, and one played to its end.

    The first shoe starts before anybody can contribute; contributions are for the next one.
    """
    running_shoe = sit("big_table", players=2, caller=True, **rules)
    for _ in range(2):
        running_shoe.bet(banker=2500, player=5000)
        deal()
        ceremony.look(actor=running_shoe.guests[0])
        ceremony.hand_back(actor=running_shoe.guests[0])
        deal()
    short_shoe = sit("big_table", players=2, decks=1, cut_cards_from_end=30, **rules)
    _play_shoes(short_shoe, 1)
    played = _until("banker", short_shoe, banker=10_000, tie=2500)
    _play_shoes(short_shoe, 2)
    return {f"{name}-running": ExportedRound(last(running_shoe)), f"{name}-ended": ExportedRound(played)}


def _under_other_rules() -> ExportedRound:
    """Play by rules that one person drafted and another published, in effect after the first round."""
    seated = sit("mini")
    for _ in range(2):
        _cut(seated)
        play(seated, banker=1000)
    commission = Commission(Ratio(4, 100), Ratio(1, 2), CommissionTiming.SETTLEMENT)
    rules = {"spots": spots_of("mini", commission=commission)}
    place = {"table": seated.table, "operator": OPERATOR, "metadata": STAFF[0]}
    version = rules_lifecycle.draft(differences=rules, by="staff:1", **place)
    waiting_rules.publish(seated.table, version)
    return ExportedRound(_until("banker", seated, banker=1100))


def _lucky_nine() -> ExportedRound:
    """Play at a table with a spot of its own until it wins."""
    spots = (*rules_for("mini", currency="EUR").spots, LUCKY_NINE)
    seated = sit("mini", money_types=(MoneyType.PLAY,), spots=spots)
    while True:
        _cut(seated)
        play(seated, player=2500, lucky_nine=500)
        stream = [f"round-{last(seated)}"]
        ((text,),) = fetch("SELECT data::text FROM events_event WHERE stream = %s AND type = 'RoundSettled'", stream)
        if json.loads(text)["wagers"][0]["won"] > 2500:
            return ExportedRound(last(seated))


def _play_shoes(seated: Seated, more: int) -> None:
    """Play rounds until so many more shoes of the table have ended."""
    statement = "SELECT count(*) FROM events_event WHERE stream = %s AND type = 'ShoeEnded'"
    table = [f"table-{seated.table}"]
    target = fetch(statement, table)[0][0] + more
    while fetch(statement, table)[0][0] < target:
        _cut(seated)
        play(seated, banker=10_000)


def _voids() -> dict[str, ExportedRound]:
    """Void a round before its cards and one after its settlement; return both, and the second as its player sees it."""
    waiting = sit("atlantic_city", players=2)
    betting = running(waiting)
    Seated(waiting.table, waiting.guests[:1]).bet(banker=2500)
    _void(betting)
    settled = sit("mini", players=1)
    paid = _until("banker", settled, banker=2500, player=2500, tie=2500)
    _void(paid)
    voids.confirm(paid, by=STAFF[1].actor)
    return {
        "voided-before-the-cards": ExportedRound(betting),
        "voided-after-settlement": ExportedRound(paid),
        "voided-as-its-player-sees-it": ExportedRound(paid, settled.guests[0].player),
    }


def _void(round_: UUID) -> None:
    voiding.void(round_=round_, operator=OPERATOR, reason="malfunction", note="The reader failed.", metadata=STAFF[0])
