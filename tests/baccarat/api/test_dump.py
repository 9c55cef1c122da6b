"""A dump of a played database holds no personal text, link or credential in plain text.

Nor does what other processes make of it: the operator's feed, significant events, players' exports.
"""

import os
import subprocess
import uuid

from baccarat.compliance import subscriber
from baccarat.services import voiding
from casino.compliance import data_exports
from casino.devstack import postgres
from casino.events import sealer
from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.feed import writer
from tests.baccarat.api.people import Gambler, Tenant, bet, deal_all, sit
from tests.conftest import Database

NAMES = ("Zephyrine", "Quillon")
REFERENCES = ("customer-zephyrine-4711", "customer-quillon-4712")
PIN = "739164"
SPOKEN = ("my number is 0171 5550199", "ask for Quillon at the desk", "rude about my sister")
NOTES = (
    "She lost her mother last week", "Dear guest of ours, sorry", "Phoned her on Monday", "Voided for Zephyrine",
    "Stopped while her bank looks into it", "Please call us about your card", "Quillon phoned in tears",
)  # fmt: skip


def dump(database: Database) -> str:
    command = [postgres.installation() / "bin" / "pg_dump", "--dbname", database.owner_url, "--inserts"]
    result = subprocess.run(command, env={**postgres.ENVIRONMENT}, capture_output=True, text=True, check=True)  # noqa: S603
    return result.stdout


def register(lucky: Tenant, name: str, reference: str) -> Gambler:
    player = lucky.do("players", {"reference": reference, "nickname": name})["id"]
    lucky.fund(player, "500.00")
    lucky.do(f"players/{player}/pin", {"pin": PIN})
    return Gambler(lucky.do(f"players/{player}/sessions", {"ttl_seconds": 600})["token"], player)


def test_a_dump_of_a_played_database_holds_no_personal_text_in_plain_text(
    lucky: Tenant, module_database: Database
) -> None:
    alice, bob = (register(lucky, name, reference) for name, reference in zip(NAMES, REFERENCES, strict=True))
    table = lucky.table(
        "big_table", rules={"turn_seconds": 3600, "chips": ["5.00"], "minimum": "5.00", "maximum": "50.00", "seats": 3}
    )
    at = f"tables/{table}"
    for seat, player in enumerate((alice, bob), 1):
        sit(player, table, seat, buy_in="100.00")
    for betting in ((alice,), (alice, bob)):  # who sits down during a round bets from the next one on
        for player in betting:
            bet(player, table, banker="10.00")
        deal_all()
    sealer.seal_all()
    said = alice.do(f"{at}/chat", {"text": SPOKEN[0]})["id"]
    bob.do(f"{at}/chat", {"text": SPOKEN[1]})
    bob.do(f"{at}/chat/{said}/report", {"reason": SPOKEN[2]})
    lucky.do(f"players/{alice.id}/mute", {"reason": "other", "minutes": 5, "note": NOTES[2]})
    asked = {"player": alice.id, "direction": "credit", "amount": "5.00", "currency": "EUR", "money_type": "real"}
    texts = {"reason": "complaint", "note": NOTES[0], "message": NOTES[1]}
    adjustment = lucky.do("adjustments", {**asked, **texts}, person="ann")["id"]
    lucky.do(f"changes/{adjustment}/confirm", person="ben")
    round_ = alice.read(at)["last_round"]["id"]
    link = lucky.do(f"rounds/{round_}/dispute-pack", {"hours": 2})["url"]
    ticket = alice.do("stream/tickets")["ticket"]
    metadata = Metadata(operator=lucky.id, actor="desk:ann", causation="", correlation="")
    voiding.void(
        round_=uuid.UUID(round_), operator=uuid.UUID(lucky.id), reason="other", note=NOTES[3], metadata=metadata
    )
    for player in (alice, bob):
        player.do(f"{at}/leave")
    alice.do("me/pin", {"old_pin": PIN, "new_pin": "482915"})
    lucky.do(
        f"players/{bob.id}/exclusions", {"kind": "self_exclusion", "months": 6, "set_by": "player", "note": NOTES[6]}
    )
    stop = {"scope": "player", "subject": alice.id, "reason": NOTES[4], "player_message": NOTES[5]}
    lucky.do("stops", stop)
    launch = lucky.do("launches", {"player": {"reference": REFERENCES[0]}, "currency": "EUR"})
    alice.do("me/data-exports")
    assert data_exports.generate_due() == 1
    sealer.seal_all()
    while writer.write_new_items():
        pass
    assert subscriber.record_new_events() > 0
    written = "SELECT count(*) FROM feed_feeditem", "SELECT count(*) FROM significant_significantevent"
    assert all(fetch(statement)[0][0] for statement in written)

    text = dump(module_database)

    assert alice.id in text, "the dump is of this database"
    credentials = alice.credential, bob.credential, lucky.credential, ticket, launch["url"].rpartition("=")[2]
    secrets = (*NAMES, *REFERENCES, *SPOKEN, *NOTES, f"'{PIN}'", f'"{PIN}"', *credentials, link.rpartition("/")[2])
    assert [secret for secret in secrets if secret in text or os.fsencode(secret).hex() in text] == []
