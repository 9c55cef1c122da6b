"""A witness that is killed, copied back, or asked by many at once never gives a link to two closings."""

import os
import shutil
import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import httpx
import pytest

from casino.witness import statements, store
from casino.witness.client import ChainRefused, Released, Unreleased
from casino.witness.statements import Retirement, RetirementReason
from casino.witness.store import CannotStart, Store
from tests.casino.witness.dying_witness import MOMENTS, run_until
from tests.casino.witness.running import ORIGIN, TABLE, active_chain, item, running, start
from tests.processes import descendants, wait_until

OTHER = b"\x52" * 32


def stop_and_copy(witness, name):
    witness.kill()
    return Path(shutil.copytree(witness.folder, witness.folder.with_name(name)))


def put_back(witness, copy):
    witness.kill()
    shutil.rmtree(witness.folder)
    shutil.copytree(copy, witness.folder)


def restart(witness, *arguments):
    again = start(witness.folder, *arguments)
    again.log = witness.log
    return again


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_at_any_moment_it_gives_the_link_to_one_closing(tmp_path, moment):
    folder = tmp_path / "data"
    witness = start(folder, program=partial(run_until, moment))
    try:
        with witness.client() as client:
            chain = active_chain(witness, client)
            (folder / "die").touch()
            (lost,) = client.release([item(chain, 0)])
            assert (type(lost), lost.code) == (Unreleased, "away")
            witness.process.join(20)
    finally:
        witness.kill()
    (folder / "die").unlink()
    with running(folder, log=witness.log) as again, again.client() as client:
        committed = MOMENTS.keys() - {"request", "check", "inserted", "checked"}
        assert client.chain(chain.header).next_index == int(moment in committed)
        (other,) = client.release([item(chain, 0, OTHER)])
        (first,) = client.release([item(chain, 0)])
        if moment in committed:
            assert (other.code, other.existing) == ("index_used", first)
            assert (first.release.number, first.release.previous) == (1, statements.NO_STATEMENT)
        else:
            assert isinstance(other, Released)
            assert (first.code, first.existing) == ("index_used", other)
        assert httpx.get(again.url).json()["generation"] == 1


def test_of_many_closings_for_one_index_at_once_one_gets_the_link(tmp_path):
    with running(tmp_path / "data") as witness, witness.client() as client, ThreadPoolExecutor(16) as pool:
        chain = active_chain(witness, client)
        for index in range(5):
            asked = [item(chain, index, bytes([each]) * 32) for each in range(16)]
            results = [result for (result,) in pool.map(lambda each: client.release([each]), asked)]
            released = [each for each in results if isinstance(each, Released)]
            assert len(released) == 1
            assert {each.existing for each in results if isinstance(each, Unreleased)} == set(released)


def test_a_restored_copy_retires_its_chains_and_counts_a_new_generation(tmp_path):
    with running(tmp_path / "data") as witness:
        with witness.client() as client:
            chain = active_chain(witness, client)
            client.release([item(chain, 0)])
        copy = stop_and_copy(witness, "copy")
        later = restart(witness)
        with later.client() as client:
            (given,) = client.release([item(chain, 1)])
            assert isinstance(given, Released)
        put_back(later, copy)
        restored = restart(witness)
        try:
            with restored.client() as client:
                assert httpx.get(restored.url).json()["generation"] == 2
                (refused,) = client.release([item(chain, 1, OTHER)])
                assert refused.code == "chain_retired"
                params = {"origin": ORIGIN, "generation": 2}
                (row,) = httpx.get(f"{restored.url}/v1/statements", params=params).json()["statements"]
                retirement = statements.parse_statement(bytes.fromhex(row["statement"]))
                assert isinstance(retirement, Retirement)
                assert (retirement.chain, retirement.reason) == (chain.header.chain, RetirementReason.RESTORED)
                successor = active_chain(restored, client, number=2)
                assert successor.header.generation == 2
                restored.pin()
                (again,) = client.release([item(successor, 0)])
                assert again.release.number == 2
        finally:
            restored.kill()


def test_a_copy_that_was_restored_with_its_counter_is_found_out_by_what_a_client_holds(tmp_path):
    with running(tmp_path / "data") as witness:
        counter = witness.folder.with_name("data.generation")
        with witness.client() as client:
            chain = active_chain(witness, client)
            client.release([item(chain, 0)])
            copy, counted = stop_and_copy(witness, "copy"), counter.read_bytes()
            later = restart(witness)
            with later.client() as other:
                (given,) = other.release([item(chain, 1)])
            put_back(later, copy)
            counter.write_bytes(counted)
            restored = restart(witness)
            try:
                with restored.client() as holder:
                    holder.remember(chain, given)
                    (refused,) = holder.release([item(chain, 1, OTHER)])
                    assert refused.code == "witness_restored"
                    (refused,) = holder.release([item(chain, 1, OTHER)])
                    assert refused.code == "chain_retired"
                    assert httpx.get(restored.url).json()["generation"] == 2
            finally:
                restored.kill()


def test_without_its_counter_it_does_not_start_unless_it_is_called_restored(tmp_path):
    with running(tmp_path / "data") as witness:
        with witness.client() as client:
            chain = active_chain(witness, client)
        witness.kill()
        witness.folder.with_name("data.generation").unlink()
        with pytest.raises(AssertionError, match="--restored"):
            restart(witness)
        restored = restart(witness, "--restored")
        try:
            with restored.client() as client:
                assert client.chain(chain.header).state == "retired"
        finally:
            restored.kill()


def test_a_serving_process_that_dies_alone_is_replaced_and_knows_everything(tmp_path):
    with running(tmp_path / "data") as witness, witness.client() as client:
        chain = active_chain(witness, client)
        (first,) = client.release([item(chain, 0)])
        serving = descendants(witness.process.pid)
        assert serving
        for pid, _ in serving:
            os.kill(pid, signal.SIGKILL)
        assert wait_until(lambda: client.release([item(chain, 0)]) == [first], seconds=40)
        assert isinstance(client.release([item(chain, 1)])[0], Released)


def test_two_witnesses_never_share_a_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "LOCK_SECONDS", 0.2)
    with running(tmp_path / "data") as witness, pytest.raises(CannotStart, match="Another witness"):
        Store(witness.folder, name="witness.test/w1")


def test_a_house_behind_its_chain_learns_the_next_index_and_retires_it(tmp_path):
    with running(tmp_path / "data") as witness:
        with witness.client() as client:
            chain = active_chain(witness, client)
            client.release([item(chain, index) for index in range(5)])
        with witness.client() as restored_house:
            assert restored_house.chain(chain.header).next_index == 5
            (refused,) = restored_house.release([item(chain, 2, OTHER)])
            assert refused.code == "index_used"
            assert restored_house.retire_chain(chain.header).state == "retired"
            last = restored_house.last_chain_number(witness.address, origin=ORIGIN, table=TABLE)
            with pytest.raises(ChainRefused):
                restored_house.create_chain(witness.address, origin=ORIGIN, table=TABLE, number=last, height=9)
            active_chain(witness, restored_house, number=last + 1)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE statement SET body = CAST(replace(hex(body), '51', '52') AS BLOB)",
        "UPDATE statement SET signature = zeroblob(64)",
        "UPDATE chain SET secret = zeroblob(32)",
        "UPDATE chain SET block_roots = zeroblob(32)",
    ],
)
def test_what_was_changed_in_its_store_does_not_verify(tmp_path, statement):
    with running(tmp_path / "data") as witness:
        with witness.client() as client:
            chain = active_chain(witness, client, height=9)
            assert isinstance(client.release([item(chain, 0)])[0], Released)
        witness.kill()
        database = sqlite3.connect(witness.folder / "witness.sqlite3")
        database.execute("DROP TRIGGER statement_update")
        database.execute(statement)
        database.commit()
        database.close()
        again = restart(witness)
        try:
            with again.client() as client:
                results = [*client.release([item(chain, 0)]), *client.release([item(chain, 1)])]
            assert any(isinstance(each, Unreleased) for each in results)
            assert {each.code for each in results if isinstance(each, Unreleased)} <= {
                "invalid_answer",
                "storage_failed",
            }
        finally:
            again.kill()


def test_a_chain_of_another_witness_is_unknown_to_this_one(tmp_path):
    with running(tmp_path / "one") as one, running(tmp_path / "two") as two:
        with one.client() as client:
            chain = active_chain(one, client)
        two.pin()
        with two.client() as client:
            foreign = replace(chain, header=replace(chain.header, release_key=two.address.release_key))
            (refused,) = client.release([item(foreign, 0)])
            assert refused.code == "unknown_chain"
