"""What a house says of its witnesses' links is compared with what the witness shows."""

import json
from collections.abc import Generator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import DjangoDbBlocker, Settings

from baccarat.services import dealing, voiding
from casino.events.sql import fetch
from casino.witness import compare
from tests.baccarat.services.test_witnesses import STAFF, play, rounds_of
from tests.baccarat.services.witnessing import pin, witnessed_table, witnessing
from tests.services import Services
from tests.support.examples import B
from tests.support.house import House, deal_all, fresh_database, until


@pytest.fixture
def house(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[House]:
    with fresh_database(services, django_db_blocker):
        yield House()


def test_a_house_that_says_all_agrees_with_its_witness_and_one_that_withholds_a_link_does_not(
    house: House, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with witnessing(tmp_path / "witness", settings, monkeypatch) as witness:
        table = witnessed_table(house)
        ann = house.seated(table)
        play(house, ann, rounds=4)
        ann.pass_turn()
        deal_all()
        voided = house.in_hand(table).require_opened().round
        voiding.void(round_=voided, operator=house.operator, reason="malfunction", note="Cards fell", metadata=STAFF)
        until(lambda: dealing.release_due() > 0)
        ann.deal({B: 2500})
        until(lambda: len(rounds_of(house, table)) > 7)
        pin()
        lines = said()
        statements = [each for each in lines if "statement" in each]
        assert sorted(each["result"] for each in statements if each["result"] != "settled") == ["lapsed", "voided"]

        shown, kept = compare.read_source(witness.url, origin=""), written(tmp_path, lines)
        assert compare.compare(shown, kept) == []
        assert list(kept.describe_results()) == [f"table {table}: 1 lapsed, {len(statements) - 2} settled, 1 voided"]

        later = fetch("SELECT extract(epoch FROM now())::float8 + 3600")[0][0]
        missing = written(tmp_path, [each for each in lines if each is not statements[1]])
        kinds = {each.kind for each in compare.compare(shown, missing, now=later)}
        assert compare.ONE_SIDED in kinds


def said() -> list[dict[str, object]]:
    """Return what the house says, without the round that runs."""
    output = StringIO()
    call_command("witness_statements", stdout=output)
    return [json.loads(line) for line in output.getvalue().splitlines()]


def written(folder: Path, lines: list[dict[str, object]]) -> compare.Source:
    file = folder / "kept.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return compare.read_source(str(file), origin="")
