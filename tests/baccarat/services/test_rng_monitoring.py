"""The randomness report on what was really played; an unfair history is recorded once, and ends with exit code 1."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command

from baccarat import tasks
from baccarat.management.plots import HISTOGRAM_BINS
from baccarat.services import rng_monitoring, rng_statistics
from casino.events.sql import execute, fetch
from tests.support.examples import B
from tests.support.house import House, deal_all

ALWAYS_BANKER = """
INSERT INTO baccarat_round (id, table_id, operator_id, number, rules, rules_label, currency, phase, opened_at, cards,
                            outcome, wagers)
SELECT gen_random_uuid(), table_id, operator_id, 1000 + extra, rules, rules_label, currency, phase, opened_at, cards,
       'banker', 1
  FROM baccarat_round, generate_series(1, 200) AS extra WHERE table_id = %s AND number = 1
"""


def test_what_was_played_is_tested_and_an_unfair_history_is_recorded_once(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of a hundred fair histories one is out of the usual band. None is out of this one, and the unfair one still is.
    monkeypatch.setattr(rng_statistics, "SIGNIFICANCE", 1e-9)
    table = house.table("classic")
    ann = house.seated(table)
    for _ in range(4):
        ann.new_game()
        ann.place(B, 500)
        ann.deal()
        deal_all()
    history = rng_monitoring.load_history()
    played = fetch("SELECT id FROM baccarat_round WHERE table_id = %s ORDER BY id", [table])
    rounds = [house.round(key) for (key,) in played]
    assert [shoe[:4] for shoe in history.sample.shoes] == [round_.cards[:4] for round_ in rounds]
    assert list(history.sample.outcomes) == [(6, round_.outcome) for round_ in rounds]
    assert history.newest == rounds[-1].require_opened().round

    plot = tmp_path / "rng.svg"
    call_command("rng_report", "--plot", str(plot))
    assert "rng_report: ok shoes=4 rounds=4" in capsys.readouterr().out
    drawn = ElementTree.parse(plot).getroot()  # noqa: S314  (our own file)
    assert "".join(drawn.itertext()).count("Player: ") == 1
    assert len(drawn.findall("{*}rect")) > 52 * HISTOGRAM_BINS

    execute(ALWAYS_BANKER, [table])
    tasks.test_rng()
    for _ in range(2):
        with pytest.raises(CommandError):
            call_command("rng_report", "--json")
    (told, _) = capsys.readouterr().out.split("}\n{")
    assert '"verdict": "FAILED"' in told
    ((reason, after),) = fetch(
        "SELECT reason, after::text FROM significant_significantevent WHERE kind = 'rng_out_of_band'"
    )
    assert "shares of outcomes" in reason
    assert json.loads(after)["rounds"] == 204
