"""The operator export: everything that its tables did, as CSV, and nothing of another operator."""

import csv
import json
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from baccarat.domain.rules.wagers import Spot
from casino.events import sealer
from casino.events.records import METADATA
from casino.events.sql import fetch
from casino.operators import services
from tests.support.house import House, deal_all


def test_an_operator_export_has_everything_of_one_operator_and_nothing_of_another(db: None, tmp_path: Path) -> None:
    one, other = house_of("one"), house_of("two")
    for house in (one, other):
        house.seated(house.table("mini")).deal({Spot.BANKER: 500})
    deal_all()
    sealer.seal_all()
    today = timezone.now().date()
    file = tmp_path / "all.zip"
    call_command("export_operator", "one", str(today), str(today.replace(year=today.year + 1)), str(file))
    with zipfile.ZipFile(file) as archive:
        files = {name: list(csv.DictReader(StringIO(archive.read(name).decode()))) for name in archive.namelist()}
        assert str(other.operator) not in "".join(archive.read(name).decode() for name in archive.namelist())
    rounds = fetch("SELECT id::text, cards FROM baccarat_round WHERE operator_id = %s", [one.operator])
    assert [(row["id"], row["cards"]) for row in files["rounds.csv"]] == rounds
    assert [row["staked"] for row in files["wagers.csv"]] == ["500"]
    log = f"SELECT count(*) FROM events_event AS event WHERE {METADATA}->>'operator' = %s"  # noqa: S608  (a constant)
    assert [(len(files["events.csv"]),)] == fetch(log, [str(one.operator)])
    assert all(json.loads(row["metadata"])["operator"] == str(one.operator) for row in files["events.csv"])
    postings = (
        "SELECT count(*) FROM wallet_posting p JOIN wallet_account a ON a.id = p.account_id WHERE a.operator_id = %s"
    )
    assert [(len(files["postings.csv"]),)] == fetch(postings, [one.operator])
    assert all(
        int(row["balance_before"]) + int(row["amount"]) == int(row["balance_after"]) for row in files["postings.csv"]
    )
    with pytest.raises(CommandError):
        call_command("export_operator", "nobody", str(today), str(today), str(file))


def house_of(slug: str) -> House:
    return House(operator=services.create_operator(slug=slug, name=slug, currencies=["EUR"], sandbox=True).id)
