"""Tables whose witness is lost, restored, or at its chain's end: what is void, and what follows."""

from collections.abc import Generator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django import DjangoDbBlocker, Settings

from baccarat.audit import engine
from baccarat.audit import voiding as audited_voids
from baccarat.domain.fairness.terms import WitnessIndex
from baccarat.domain.rounds import voiding as voiding_decisions
from baccarat.domain.rounds.refusals import RoundIsRunning
from baccarat.domain.rounds.state import Phase
from baccarat.domain.rules.presets import PRESETS
from baccarat.domain.tables.witness_events import ReplacementReason, WitnessChainOpened, WitnessChainsReplaced
from baccarat.queries.voids import VoidCause, voids_by_cause
from baccarat.services import dealing, voiding, witness_chains
from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.operators import changes
from casino.operators.change_audit import ALONE
from casino.operators.memberships import shell_actor
from casino.operators.models import Change, Operator
from casino.witness.addresses import WitnessAddress
from casino.witness.client import configured_client
from casino.witness.statements import ChainHeader
from tests.baccarat.services.witnessing import (
    assert_sound,
    company_of_witnesses,
    pin,
    play,
    rounds_of,
    witnessed_table,
)
from tests.casino.witness import running
from tests.casino.witness.running import RunningWitness
from tests.services import Services
from tests.support.acts import agreed
from tests.support.depth import deep
from tests.support.examples import B
from tests.support.house import House, deal_all, fresh_database, until

STAFF = Metadata(operator="", actor="staff:1", causation="")


@pytest.fixture
def house(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[House]:
    with fresh_database(services, django_db_blocker):
        yield House()


@pytest.fixture
def company(
    house: House, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Generator[list[RunningWitness]]:
    """Two witnesses, of which tables use the first."""
    folders = [tmp_path / "one", tmp_path / "other"]
    with company_of_witnesses(folders, settings, monkeypatch) as company:
        yield company


@pytest.mark.parametrize("preset", deep(["mini", "big_table"], list(PRESETS)))
def test_a_table_whose_witness_is_lost_goes_on_with_another(
    house: House, company: list[RunningWitness], preset: str
) -> None:
    table = witnessed_table(house, preset)
    ann = house.seated(table)
    until(lambda: dealing.release_due() == 0)
    play(house, ann, rounds=3)
    played = set(rounds_of(house, table)[:3])
    (lost,) = house.state(table).chains
    company[0].kill()
    replace(table)
    (replaced,) = replacements(house, table)
    (chain,) = house.state(table).chains
    opened = [event for _, _, event in house.events(table) if isinstance(event, WitnessChainOpened)][-1]
    assert ([each.chain for each in replaced.ended], replaced.successor) == ([lost.chain], chain.chain)
    assert ChainHeader.parse(bytes.fromhex(opened.header)).chain.hex() == chain.chain
    pin()
    play(house, ann, rounds=4)
    later = [house.round(key) for key in rounds_of(house, table) if key not in played]
    void = [each for each in later if each.phase is Phase.VOIDED]
    assert 1 <= len(void) <= 2
    assert all(not each.confirmed_seats() for each in void)
    used = [place for each in void for place in each.require_opened().witnesses]
    assert used[-1] == WitnessIndex(lost.chain, replaced.ended[0].index - 1)
    dealt = [each for each in later if each.phase is Phase.SETTLED]
    assert len(dealt) == 4
    assert {place.chain for each in dealt for place in each.require_opened().witnesses} == {chain.chain}
    (voids,) = voids_by_cause(house.state(table))
    assert (voids.cause, voids.rounds, voids.unconfirmed) == (VoidCause.WITNESS, len(void), len(void))
    assert_sound(house, table)
    again = running.start(company[0].folder, port=company[0].port)
    try:
        until(lambda: witness_chains.ask_late() > 0)
        (voids,) = voids_by_cause(house.state(table))
        assert (voids.unconfirmed, voids.after_release) == (0, 0)
        assert_sound(house, table)
    finally:
        again.kill()


def test_stakes_of_an_open_round_go_back_when_its_witness_is_replaced(
    house: House, company: list[RunningWitness]
) -> None:
    table = witnessed_table(house)
    ann, ben = house.company(table, 2)
    play(house, ann, ben, rounds=3)
    before = house.game(ann)
    ann.deal({B: 2500})
    stopped = house.in_hand(table).require_opened().round
    company[0].kill()
    replace(table)
    assert (house.round(stopped).phase, house.game(ann)) == (Phase.VOIDED, before)
    pin()
    play(house, ann, ben, rounds=2)
    (voids,) = voids_by_cause(house.state(table))
    assert (voids.rounds, voids.unknown) == (2, 1)
    assert_sound(house, table)


def test_a_round_that_waits_for_links_is_first_void_by_the_limit(
    house: House, company: list[RunningWitness], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = witnessed_table(house)
    ann = house.seated(table)
    play(house, ann, rounds=3)
    company[0].kill()
    ann.deal({B: 2500})
    deal_all()
    waiting = house.in_hand(table).require_opened().round
    with pytest.raises(RoundIsRunning):
        replace(table)
    assert house.in_hand(table).phase is Phase.CLOSED
    shorten_limit(monkeypatch)
    until(lambda: dealing.release_due() > 0)
    assert house.round(waiting).phase is Phase.VOIDED
    replace(table)
    pin()
    play(house, ann, rounds=2)
    assert_sound(house, table)


def test_a_long_shoe_that_waits_for_links_is_discarded_with_its_seed(
    house: House, company: list[RunningWitness]
) -> None:
    table = witnessed_table(house, "big_table")
    company[0].kill()
    ann = house.seated(table)
    waiting = house.state(table).coming_shoe
    assert waiting is not None
    replace(table)
    (replaced,) = replacements(house, table)
    assert replaced.discarded is not None
    assert replaced.discarded.shoe == waiting.shoe
    assert waiting.drawing_at(table).opens(waiting.commitment, bytes.fromhex(replaced.discarded.seed or ""))
    pin()
    until(lambda: dealing.release_due() == 0 and house.state(table).shoe is not None)
    play(house, ann, rounds=3)
    assert_sound(house, table)
    again = running.start(company[0].folder, port=company[0].port)
    try:
        pin()
        until(lambda: witness_chains.ask_late() > 0)
        play(house, ann, rounds=1)
        assert_sound(house, table)
    finally:
        again.kill()


def test_workers_replace_a_witness_that_is_away_for_longer_than_the_limit(
    house: House, company: list[RunningWitness], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = witnessed_table(house)
    ann = house.seated(table)
    play(house, ann, rounds=3)
    assert witness_chains.replace_lost(height=8) == 0
    company[0].kill()
    assert witness_chains.replace_lost(height=8) == 0
    monkeypatch.setattr(witness_chains, "ANSWER_LIMIT", timedelta(0))
    until(lambda: witness_chains.replace_lost(height=8) == 1)
    assert witness_chains.replace_lost(height=8) == 0
    assert witness_chains.open_chains(height=8) == 0
    pin()
    play(house, ann, rounds=2)
    assert_sound(house, table)


def test_a_witness_restored_from_a_copy_goes_on_with_a_new_chain(
    house: House, company: list[RunningWitness], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, witness = witnessed_table(house), company[0]
    ann = house.seated(table)
    play(house, ann, rounds=3)
    witness.kill()
    again = running.start(witness.folder, "--restored", port=witness.port)
    try:
        pin()
        ann.deal({B: 2500})
        deal_all()
        shorten_limit(monkeypatch)
        until(lambda: dealing.release_due() > 0)
        monkeypatch.setattr(witness_chains, "ANSWER_LIMIT", timedelta(0))
        until(lambda: witness_chains.replace_lost(height=8) == 1)
        (replaced,) = replacements(house, table)
        assert replaced.reason is ReplacementReason.RETIRED
        play(house, ann, rounds=3)
        assert_sound(house, table)
    finally:
        again.kill()


def test_a_witness_can_be_used_again_after_it_was_replaced(house: House, company: list[RunningWitness]) -> None:
    table = witnessed_table(house)
    ann = house.seated(table)
    play(house, ann, rounds=3)
    first, second = configured_client().addresses
    for lost, follows in ((first, second), (second, first), (first, second)):
        replace(table, lost, follows)
        play(house, ann, rounds=2)
        assert {each.release_key for each in house.state(table).chains} == {follows.release_key.hex()}
    assert all(house.round(key).releases for key in rounds_of(house, table)[2:-1])
    assert_sound(house, table)


def test_staff_replace_a_witness_by_command_once_for_each_table(
    house: House, company: list[RunningWitness], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(witness_chains.replace, "__kwdefaults__", {"height": 8})
    table, waiting = witnessed_table(house), witnessed_table(house, "mini")
    ann, ben = house.seated(table), house.seated(waiting)
    play(house, ann, rounds=3)
    play(house, ben, rounds=3)
    first, second = configured_client().addresses
    company[0].kill()
    ben.deal({B: 2500})
    deal_all()
    words = ("replace_witness", first.release_key.hex(), second.name)
    with pytest.raises(CommandError):
        call_command(*words, reason="away")
    refused = capsys.readouterr()
    assert f"table {waiting}: " in refused.err
    assert "replaced=1 refused=1" in refused.out
    (replaced,) = replacements(house, table)
    assert (replaced.reason, replacements(house, waiting)) == (ReplacementReason.AWAY, [])
    metadata = fetch("SELECT metadata::text FROM events_event WHERE type = 'WitnessChainsReplaced'")
    assert shell_actor() in metadata[0][0]
    with pytest.raises(CommandError, match="No table"):
        call_command(*words, reason="away", table=table)
    with pytest.raises(CommandError, match="WITNESSES has no"):
        call_command("replace_witness", second.release_key.hex(), "nobody", reason="away")


def test_a_command_replaces_a_live_operators_witness_once_two_persons_have_confirmed(
    house: House, company: list[RunningWitness], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(witness_chains.replace, "__kwdefaults__", {"height": 8})
    with agreed():
        Operator.objects.create(id=house.operator, slug="replaced", name="R", currencies=["EUR"], sandbox=False)
    table = witnessed_table(house)
    play(house, house.seated(table), rounds=2)
    first, second = configured_client().addresses
    words = ("replace_witness", first.release_key.hex(), second.name)
    with pytest.raises(CommandError):
        call_command(*words, reason="planned")
    change = Change.objects.get(kind="replace_witness")
    assert f"Change {change.pk}" in capsys.readouterr().out
    changes.confirm(change.pk, by="staff:1")
    assert Change.objects.get(pk=change.pk).status == "requested"
    changes.confirm(change.pk, by="staff:2")
    with pytest.raises(CommandError):
        call_command(*words, reason="away")
    assert replacements(house, table) == []
    call_command(*words, reason="planned")
    assert [each.reason for each in replacements(house, table)] == [ReplacementReason.PLANNED]
    assert_sound(house, table)


@pytest.mark.parametrize(("reason", "found"), [(ReplacementReason.PLANNED, [ALONE]), (ReplacementReason.AWAY, [])])
def test_a_live_operators_witness_that_one_person_replaced_is_found_unless_the_house_does_so_itself(
    house: House, company: list[RunningWitness], reason: ReplacementReason, found: list[str]
) -> None:
    Operator.objects.create(id=house.operator, slug="replaced", name="R", currencies=["EUR"], sandbox=False)
    table = witnessed_table(house)
    play(house, house.seated(table), rounds=2)
    pin()
    known = {*engine.run_audit(max_wait=3600).findings}
    replace(table, reason=reason)
    pin()
    assert [each.kind for each in engine.run_audit(max_wait=3600).findings if each not in known] == found


def replacements(house: House, table: UUID) -> list[WitnessChainsReplaced]:
    return [event for _, _, event in house.events(table) if isinstance(event, WitnessChainsReplaced)]


def shorten_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (voiding, voiding_decisions, audited_voids):
        monkeypatch.setattr(module, "ANSWER_LIMIT", timedelta(seconds=0.1))


def replace(
    table: UUID,
    lost: WitnessAddress | None = None,
    follows: WitnessAddress | None = None,
    reason: ReplacementReason = ReplacementReason.AWAY,
) -> None:
    """Replace a witness, the first by the second unless others are given."""
    first, second = configured_client().addresses
    (operator,) = [each for at, each in witness_chains.list_tables((lost or first).release_key.hex()) if at == table]
    witness_chains.replace(
        table=table,
        operator=operator,
        release_key=(lost or first).release_key.hex(),
        address=follows or second,
        reason=reason,
        metadata=STAFF,
        height=8,
    )
