"""The proof of a round and its dispute pack over HTTP: who gets what, when, and that it holds."""

import io
import json
import zipfile
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.core import signing
from django.test import Client

from baccarat.proofs import dispute_pack, verifier
from baccarat.services import voiding
from casino.checkpoints import records
from casino.checkpoints import signing as checkpoints
from casino.events.store import Metadata
from casino.significant.models import SignificantEvent
from casino.staff.models import AccessLogEntry
from tests.baccarat.api.people import Gambler, Tenant, bet, company, deal_all, sit, tenant
from tests.baccarat.audit.playing import seal
from tests.conftest import Database
from tests.support import voids


@dataclass(frozen=True, slots=True)
class Scene:
    """Alice and Bob bet in rounds of one table; Carol, who plays elsewhere, was in none of them."""

    lucky: Tenant
    alice: Gambler
    carol: Gambler
    settled: str
    voided: str
    running: str
    unsealed: str


@pytest.fixture(scope="module")
def scene(module_database: Database) -> Scene:
    lucky = tenant("lucky")
    table, (alice, bob) = company(lucky, "atlantic_city", "Alice", "Bob")
    rounds = []
    for _ in range(2):
        alice.do(f"tables/{table}/cut", {"contribution": "616c696365"})
        bet(alice, table, banker="100.00")
        bet(bob, table, player="25.00", tie="25.00")
        deal_all()
        rounds.append(lucky.read(f"tables/{table}")["last_round"]["id"])
    settled, voided = rounds
    _void(lucky, voided)
    alice.do(f"tables/{table}/chat", {"text": "Good evening"})
    seal()
    checkpoints.sign_now()
    bet(alice, table, banker="100.00")
    bet(bob, table, tie="25.00")
    deal_all()
    state = lucky.read(f"tables/{table}")
    carol = lucky.player("Carol")
    sit(carol, lucky.table("mini"))
    return Scene(lucky, alice, carol, settled, voided, state["round"]["id"], state["last_round"]["id"])


def _void(lucky: Tenant, round_: str) -> None:
    """One asks, another agrees."""
    one = Metadata(operator=lucky.id, actor="staff:1", causation="", correlation="")
    round_id, operator = UUID(round_), UUID(lucky.id)
    voiding.void(round_=round_id, operator=operator, reason="malfunction", note="The reader failed.", metadata=one)
    voids.confirm(round_id)


def checked(caller: Any, round_: str) -> verifier.Verdict:
    """Return what the verifier says of an exported round to who trusts the published keys."""
    raw = caller.get(f"rounds/{round_}/proof").content
    keys = [key["public_key"] for key in caller.read("log/keys")["items"]]
    return verifier.verify(raw, keys)


def test_the_operator_gets_a_round_that_is_verified_by_the_published_key(scene: Scene) -> None:
    assert checked(scene.lucky, scene.settled)["verdict"] == "uncosigned"
    assert checked(scene.lucky, scene.voided)["verdict"] == "uncosigned"


def test_a_player_gets_the_round_as_the_operator_does_where_nothing_in_it_is_of_the_house(scene: Scene) -> None:
    mine = scene.alice.read(f"rounds/{scene.settled}/proof")
    theirs = scene.lucky.read(f"rounds/{scene.settled}/proof")

    assert {**mine, "exported_at": ""} == {**theirs, "exported_at": ""}
    assert checked(scene.alice, scene.settled)["verdict"] == "uncosigned"


def test_a_player_sees_neither_staff_nor_notes_nor_others_purses_and_is_told_that_they_are_withheld(
    scene: Scene,
) -> None:
    raw = scene.alice.get(f"rounds/{scene.voided}/proof").content.decode()
    result = checked(scene.alice, scene.voided)

    assert "The reader failed." not in raw
    assert "staff-" not in raw
    assert result["verdict"] == "uncosigned"
    withheld = [event["type"] for event in json.loads(raw)["events"] if event["data"] is None]
    assert withheld == ["RoundVoided"]


def test_who_was_not_in_the_round_gets_nothing_of_it(scene: Scene) -> None:
    answer = scene.carol.get(f"rounds/{scene.settled}/proof")

    assert (answer.status_code, answer.json()["code"]) == (403, "not_in_round")


def test_a_round_in_hand_can_not_be_proven_and_tells_no_card(scene: Scene) -> None:
    for caller in (scene.lucky, scene.alice):
        answer = caller.get(f"rounds/{scene.running}/proof")
        assert (answer.status_code, answer.json()["code"]) == (409, "round_not_provable")


def test_a_round_that_has_no_place_in_the_log_yet_is_asked_for_again(scene: Scene) -> None:
    answer = scene.lucky.get(f"rounds/{scene.unsealed}/proof")

    assert (answer.status_code, answer.json()["code"]) == (409, "round_not_sealed")


def pack_of(scene: Scene, round_: str) -> tuple[str, zipfile.ZipFile]:
    """Create a link to a pack and fetch it without a credential."""
    url = scene.lucky.do(f"rounds/{round_}/dispute-pack", {"hours": 2})["url"]
    answer = Client().get(url)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/zip"
    return url, zipfile.ZipFile(io.BytesIO(answer.content))


def test_a_pack_holds_everything_about_the_round_and_its_manifest_is_signed(scene: Scene) -> None:
    _, pack = pack_of(scene, scene.settled)
    files = {name: pack.read(name) for name in pack.namelist()}
    manifest, signature = json.loads(files["manifest.json"]), json.loads(files["manifest.sig"])

    (key,) = scene.alice.read("dispute-packs/keys")["items"]
    assert signature["key"] == key["public_key"]
    signed = b"casino.pack.v1\n" + files["manifest.json"]
    Ed25519PublicKey.from_public_bytes(bytes.fromhex(key["public_key"])).verify(
        bytes.fromhex(signature["signature"]), signed
    )
    listed = {line["name"]: line["sha256"] for line in manifest["files"]}
    assert listed == {name: sha256(files[name]).hexdigest() for name in listed}
    assert set(files) == {*listed, "SHA256SUMS", "manifest.json", "manifest.sig"}
    assert verifier.verify(files["round.json"])["verdict"] == "unverified"  # nobody gave it a key
    assert files["verifier.py"].startswith(b"#!/usr/bin/env python3")
    assert b"\nNOT COSIGNED: " in files["verification.txt"]
    assert b"Settled as" in files["timeline.txt"]


def test_the_verifier_takes_a_whole_pack_and_names_a_file_that_was_changed_in_it(scene: Scene) -> None:
    _, pack = pack_of(scene, scene.settled)
    files = {name: pack.read(name) for name in pack.namelist()}
    keys = [key["public_key"] for key in scene.lucky.read("log/keys")["items"]]

    manifest = json.loads(files["manifest.json"])
    doubled = json.dumps({**manifest, "files": [manifest["files"][0], *manifest["files"]]}).encode()

    whole = verifier.verify(zipped(files), keys)
    assert whole["verdict"] == "uncosigned"
    assert whole["checks"][0]["name"] == "pack"
    for changed, what in (
        ({**files, "wagers.json": b"[]"}, "wagers.json differs from the manifest"),
        ({**files, "SHA256SUMS": b""}, "SHA256SUMS differs from the manifest"),
        ({**files, "note.txt": b"trust me"}, "the pack's files differ from its manifest"),
        ({**files, "manifest.json": doubled}, "the pack's files differ from its manifest"),
        ({**files, "manifest.json": files["manifest.json"] + b" "}, "the manifest's signature is not by its key"),
        ({"round.json": files["round.json"]}, "the pack can't be read"),
    ):
        result = verifier.verify(zipped(changed), keys)
        assert result["verdict"] == "failed"
        assert result["checks"][0]["text"] == what
    assert verifier.verify(b"PK and no more", keys)["verdict"] == "failed"
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = zipped(files, {"wagers.json": b"[]"})
    assert verifier.verify(twice, keys)["checks"][0]["text"] == "the pack has two files of one name"


def zipped(*all_files: dict[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as pack:
        for files in all_files:
            for name, content in files.items():
                pack.writestr(name, content)
    return archive.getvalue()


def test_the_money_in_a_pack_is_the_rounds_and_adds_up(scene: Scene) -> None:
    _, pack = pack_of(scene, scene.settled)
    wagers, entries = json.loads(pack.read("wagers.json")), json.loads(pack.read("entries.json"))

    assert [wager["staked"] for wager in wagers] == ["100.00", "50.00"]
    assert [entry["kind"] for entry in entries][:2] == ["wager", "wager"]
    for entry in entries:
        assert sum(int(posting["amount"].replace(".", "")) for posting in entry["postings"]) == 0
    assert b"Good evening" not in b"".join(pack.read(name) for name in pack.namelist())


def test_a_pack_tells_who_saw_what_and_what_compliance_was_told(scene: Scene) -> None:
    AccessLogEntry.objects.create(user_id=7, subject=f"round:{scene.settled}", path="/admin/")
    url, _ = pack_of(scene, scene.settled)  # making and fetching it are events about the round themselves
    pack = zipfile.ZipFile(io.BytesIO(Client().get(url).content))
    seen, told = json.loads(pack.read("seen.json")), json.loads(pack.read("significant.json"))

    assert [line["at"] for line in seen] == sorted(line["at"] for line in seen)
    assert {line["saw"] for line in seen if line["who"] == "everyone at the table"} >= {"the cards", "the result"}
    assert {line["who"] for line in seen if line["by"].startswith("session:")} >= {f"player:{scene.alice.id}"}
    assert [line["by"] for line in seen if line["who"] == "staff:7"] == ["the administration"]
    assert f"player:{scene.carol.id}" not in {line["who"] for line in seen}
    assert {line["kind"] for line in told} == {"dispute_pack_shared", "dispute_pack_downloaded"}
    assert "reason" not in told[0]


def test_making_and_fetching_a_link_is_kept(scene: Scene) -> None:
    url, _ = pack_of(scene, scene.voided)
    assert Client().get(url).status_code == 200, "fetched again within the hour, which adds nothing"

    kept = SignificantEvent.objects.filter(subject=f"round:{scene.voided}", kind__startswith="dispute_pack_").order_by(
        "id"
    )
    assert [each.kind for each in kept] == ["dispute_pack_shared", "dispute_pack_downloaded"]
    (actor,) = {each.actor for each in kept}
    assert actor.startswith("operator:")
    assert kept[1].address == "127.0.0.1"


def test_a_link_that_was_changed_or_has_expired_leads_nowhere(scene: Scene) -> None:
    url, _ = pack_of(scene, scene.settled)
    claim = {"round": scene.settled, "operator": scene.lucky.id, "by": "x", "until": 1}
    over = signing.dumps(claim, salt=dispute_pack.LINK_SALT)
    other = signing.dumps({**claim, "until": 2**40}, salt="another purpose")

    for path in (
        f"{url[:-1]}{'A' if url[-1] != 'A' else 'B'}",
        *(f"{url.rpartition('/')[0]}/{t}" for t in (over, other)),
    ):
        answer = Client().get(path)
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_dispute_pack")


def test_packs_and_links_outlive_a_change_of_the_secret_key(scene: Scene, settings: Any) -> None:
    url, pack = pack_of(scene, scene.settled)
    old = json.loads(pack.read("manifest.sig"))["key"]
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 50, [settings.SECRET_KEY]

    again = Client().get(url)
    new = json.loads(zipfile.ZipFile(io.BytesIO(again.content)).read("manifest.sig"))["key"]
    assert new != old
    assert dispute_pack.public_keys() == [new, old]
    settings.SECRET_KEY_FALLBACKS, settings.PACK_PUBLIC_KEYS = [], [old]
    assert dispute_pack.public_keys() == [new, old], "the operator keeps the public key of a secret that is gone"
    assert Client().get(url).status_code == 404


def test_there_is_no_link_to_a_round_in_hand_or_of_another_operator(scene: Scene) -> None:
    assert scene.lucky.post(f"rounds/{scene.running}/dispute-pack").json()["code"] == "round_not_provable"
    assert tenant("golden").post(f"rounds/{scene.settled}/dispute-pack").json()["code"] == "unknown_round"


@pytest.mark.usefixtures("database")
def test_who_asks_for_a_proof_soon_gets_a_checkpoint_at_the_next_look_and_no_other_is_signed(lucky: Tenant) -> None:
    table = lucky.table("mini")
    alice = lucky.player("Alice")
    sit(alice, table)
    seal()
    first = checkpoints.sign_now()
    assert first is not None
    bet(alice, table, banker="10.00")
    deal_all()
    seal()
    proof = f"rounds/{alice.read('rounds')['items'][0]['id']}/proof"

    alice.read(proof)
    assert checkpoints.sign_if_due() == 0, "nobody waits"
    assert alice.read(proof, soon="true")["checkpoint"] == first.note
    assert checkpoints.sign_if_due() == 1
    assert alice.read(proof, soon="true")["checkpoint"] == records.latest().note != first.note

    seal()
    assert checkpoints.sign_if_due() == 0, "the proof is whole"
    assert alice.get(proof, soon="maybe").json()["code"] == "not_a_boolean"
