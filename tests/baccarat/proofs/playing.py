"""What the golden files tell: rounds of all five presets, as a house plays them, each ready to be exported."""

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings

from baccarat.domain.rules.table_rules import Commission, CommissionTiming, Ratio
from baccarat.proofs.export import export_round
from baccarat.services import betting, ceremony, cut, rules_lifecycle, voiding
from casino.checkpoints import signing
from casino.events.sql import fetch
from casino.events.store import Metadata
from tests.baccarat.audit.playing import OPERATOR, Seated, deal, play, seal, sit

STAFF = tuple(
    Metadata(operator=str(OPERATOR), actor=f"staff:{number}", causation="", correlation="") for number in (1, 2)
)


@dataclass(frozen=True, slots=True)
class Told:
    """A round to be exported, and whose eyes see it: None for the operator's."""

    round: UUID
    viewer: UUID | None = None

    def export(self) -> dict[str, object]:
        """The file as a document."""
        return export_round(round_=self.round, operator=OPERATOR, viewer=self.viewer)


def last(seated: Seated) -> UUID:
    """The table's newest round that has ended."""
    rows = fetch(
        "SELECT id FROM baccarat_round WHERE table_id = %s AND phase IN ('settled', 'voided')"
        " ORDER BY number DESC LIMIT 1",
        [seated.table],
    )
    found: UUID = rows[0][0]
    return found


def running(seated: Seated) -> UUID:
    """The table's round in hand."""
    found: UUID = fetch("SELECT round_id FROM baccarat_table WHERE id = %s", [seated.table])[0][0]
    return found


def history() -> dict[str, dict[str, object]]:
    """Play everything, seal and sign it, and export it, each round by the name of its file."""
    settings.CHECKPOINT_STORAGE = ""
    exported = {"no-checkpoint-yet": _just_played().export()}
    told = {**_presets(), **_long_shoes(), **_voids(), "rules-of-a-later-version": _under_other_rules()}
    seal()
    signing.sign_now()
    exported["younger-than-the-checkpoint"] = _just_played().export()
    return {**exported, **{name: each.export() for name, each in told.items()}}


def _just_played() -> Told:
    """A round that is sealed and no more."""
    seated = sit("mini")
    play(seated, banker=1000)
    seal()
    return Told(last(seated))


def _presets() -> dict[str, Told]:
    """A settled round of each preset whose shoe is the round's own, cut by some of its players."""
    mini = sit("mini")
    play(mini, banker=1000)  # its opening names the shoe of the round after it
    return {
        "overview": Told(_until("banker", sit("overview"), banker=1100, tie=500)),
        "mini": Told(_until("player", mini, banker=2500, player=1000)),
        "classic": Told(_first("banker", "classic", banker=500)),
        "atlantic-city": Told(_until("banker", sit("atlantic_city", players=2), banker=100, player=30_000)),
    }


def _until(outcome: str, seated: Seated, **stakes: int) -> UUID:
    """Rounds until one ends so."""
    while True:
        _cut(seated)
        play(seated, **stakes)
        if _outcome(last(seated)) == outcome:
            return last(seated)


def _first(outcome: str, preset: str, **stakes: int) -> UUID:
    """First rounds of tables until one ends so."""
    while True:
        seated = sit(preset)
        _cut(seated)
        play(seated, **stakes)
        if _outcome(last(seated)) == outcome:
            return last(seated)


def _outcome(round_: UUID) -> str:
    found: str = fetch("SELECT outcome FROM baccarat_round WHERE id = %s", [round_])[0][0]
    return found


def _cut(seated: Seated) -> None:
    """Those who sit there contribute, each something else; one who sits alone thinks better of it."""
    for number, guest in enumerate(seated.guests, 1):
        if len(seated.guests) == 1:
            betting.new_game(actor=guest)
            cut.contribute(actor=guest, contribution="00" * 32)
        cut.contribute(actor=guest, contribution=f"{number:02x}" * (3 + number))


def _long_shoes() -> dict[str, Told]:
    """The big table: a shoe that goes on, with the Caller's ceremony, and one that is played to its end.

    The first shoe starts before anybody could cut it; what they contribute then is for the next.
    """
    goes_on = sit("big_table", players=2, caller=True)
    for _ in range(2):
        goes_on.bet(banker=2500, player=5000)
        deal()
        ceremony.look(actor=goes_on.guests[0])
        ceremony.hand_back(actor=goes_on.guests[0])
        deal()
    short = sit("big_table", players=2, decks=1, cut_cards_from_end=30)
    _play_shoes(short, 1)
    played = _until("banker", short, banker=10_000, tie=2500)
    _play_shoes(short, 2)
    return {"long-shoe-running": Told(last(goes_on)), "long-shoe-ended": Told(played)}


def _under_other_rules() -> Told:
    """A round by rules that were drafted by one, published by another, and took effect after the first round."""
    seated = sit("mini")
    play(seated, banker=1000)
    rules = {"commission": Commission(Ratio(4, 100), Ratio(1, 2), CommissionTiming.SETTLEMENT)}
    place = {"table": seated.table, "operator": OPERATOR, "metadata": STAFF[0]}
    version = rules_lifecycle.draft(changes=rules, by="staff:1", **place)
    rules_lifecycle.publish(version=version, by="staff:2", **place)
    return Told(_until("banker", seated, banker=1100))


def _play_shoes(seated: Seated, more: int) -> None:
    """Rounds until so many more shoes of the table have ended."""
    asked = "SELECT count(*) FROM events_event WHERE stream = %s AND type = 'ShoeEnded'"
    table = [f"table-{seated.table}"]
    wanted = fetch(asked, table)[0][0] + more
    while fetch(asked, table)[0][0] < wanted:
        _cut(seated)
        play(seated, banker=10_000)


def _voids() -> dict[str, Told]:
    """A round voided before its cards, one after its settlement, and that one as its player sees it."""
    waiting = sit("atlantic_city", players=2)
    betting = running(waiting)
    Seated(waiting.table, waiting.guests[:1]).bet(banker=2500)
    _void(betting)
    settled = sit("mini", players=1)
    paid = _until("banker", settled, banker=2500, player=2500, tie=2500)
    _void(paid)
    voiding.approve(round_=paid, operator=OPERATOR, metadata=STAFF[1])
    return {
        "voided-before-the-cards": Told(betting),
        "voided-after-settlement": Told(paid),
        "voided-as-its-player-sees-it": Told(paid, settled.guests[0].player),
    }


def _void(round_: UUID) -> None:
    voiding.void(round_=round_, operator=OPERATOR, reason="malfunction", note="The reader failed.", metadata=STAFF[0])
