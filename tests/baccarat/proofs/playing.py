"""Play the rounds of the golden files: all five presets, long shoes, voids and changed rules."""

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings

from baccarat.domain.rules.table_rules import Commission, CommissionTiming, Ratio
from baccarat.domain.rules.wagers import Spot
from baccarat.proofs.export import export_round
from baccarat.services import betting, ceremony, rules_lifecycle, voiding
from casino.checkpoints import signing
from casino.events.sql import fetch
from casino.events.store import Metadata
from tests.baccarat.audit.playing import OPERATOR, Seated, deal, play, seal, sit
from tests.support.signatures import sign_wager

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
    rounds = {**_presets(), **_long_shoes(), **_voids(), "rules-of-a-later-version": _under_other_rules()}
    seal()
    signing.sign_now()
    exported["younger-than-the-checkpoint"] = _just_played().export()
    return {**exported, **{name: each.export() for name, each in rounds.items()}}


def _just_played() -> ExportedRound:
    """Play a round and seal it."""
    seated = sit("mini")
    play(seated, banker=1000)
    seal()
    return ExportedRound(last(seated))


def _presets() -> dict[str, ExportedRound]:
    """Play a round of each preset with a shoe per round, cut by some of its players."""
    mini = sit("mini")
    play(mini, banker=1000)  # its opening commits to the shoe of the next round
    return {
        "overview": ExportedRound(_until("banker", sit("overview"), banker=1100, tie=500)),
        "mini": ExportedRound(_until("player", mini, banker=2500, player=1000)),
        "classic": ExportedRound(_first("banker", "classic", banker=500)),
        "atlantic-city": ExportedRound(_until("banker", sit("atlantic_city", players=2), banker=100, player=30_000)),
        "signed": ExportedRound(_signed()),
    }


def _signed() -> UUID:
    """Play a round in which one of two players signs the wager."""
    seated = sit("atlantic_city", players=2)
    for number, guest in enumerate(seated.guests, 1):
        signature = sign_wager(seated.table, {Spot.BANKER: 2500}, play_money=True) if number == 1 else None
        betting.deal(actor=guest, stakes={Spot.BANKER: 2500}, currency="EUR", signature=signature)
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
        betting.contribute_to_cut(actor=guest, contribution=f"{number:02x}" * (3 + number))


def _long_shoes() -> dict[str, ExportedRound]:
    """Play at the big table: a running shoe with the Caller's ceremony, and one played to its end.

    The first shoe starts before anybody can contribute; contributions are for the next one.
    """
    running_shoe = sit("big_table", players=2, caller=True)
    for _ in range(2):
        running_shoe.bet(banker=2500, player=5000)
        deal()
        ceremony.look(actor=running_shoe.guests[0])
        ceremony.hand_back(actor=running_shoe.guests[0])
        deal()
    short_shoe = sit("big_table", players=2, decks=1, cut_cards_from_end=30)
    _play_shoes(short_shoe, 1)
    played = _until("banker", short_shoe, banker=10_000, tie=2500)
    _play_shoes(short_shoe, 2)
    return {"long-shoe-running": ExportedRound(last(running_shoe)), "long-shoe-ended": ExportedRound(played)}


def _under_other_rules() -> ExportedRound:
    """Play by rules that one person drafted and another published, in effect after the first round."""
    seated = sit("mini")
    play(seated, banker=1000)
    rules = {"commission": Commission(Ratio(4, 100), Ratio(1, 2), CommissionTiming.SETTLEMENT)}
    place = {"table": seated.table, "operator": OPERATOR, "metadata": STAFF[0]}
    version = rules_lifecycle.draft(changes=rules, by="staff:1", **place)
    rules_lifecycle.publish(version=version, by="staff:2", **place)
    return ExportedRound(_until("banker", seated, banker=1100))


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
    voiding.approve(round_=paid, operator=OPERATOR, metadata=STAFF[1])
    return {
        "voided-before-the-cards": ExportedRound(betting),
        "voided-after-settlement": ExportedRound(paid),
        "voided-as-its-player-sees-it": ExportedRound(paid, settled.guests[0].player),
    }


def _void(round_: UUID) -> None:
    voiding.void(round_=round_, operator=OPERATOR, reason="malfunction", note="The reader failed.", metadata=STAFF[0])
