"""The commands audit, replay and rebuild: exit codes and output."""

import json

import django
import pytest
from django.core.management import CommandError, ManagementUtility, call_command

from casino.checkpoints import signing
from casino.events.schema import DIFFERS, NEVER_RECORDED
from casino.events.sql import execute, fetch
from tests.baccarat.audit.playing import tamper
from tests.conftest import as_owner


@pytest.fixture
def manage(played, tmp_path, monkeypatch, capsys):
    """Return a function that runs a command in this process and returns its exit code, output and errors."""
    monkeypatch.setenv("CASINO_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(django, "setup", lambda: None)  # done; again, the log would go to this test's streams for good

    def run(*arguments):
        capsys.readouterr()
        code = 0
        try:
            ManagementUtility(["manage.py", *arguments]).execute()
        except SystemExit as error:
            code = error.code
        return code, *capsys.readouterr()

    return run


def last(output):
    return output.rstrip("\n").splitlines()[-1]


def test_the_audit_saves_the_head_and_reports_a_log_cut_short_later(played, manage, tmp_path):
    rounds, events, entries, head = fetch(
        "SELECT (SELECT count(*) FROM baccarat_round), (SELECT count(*) FROM events_event), "
        "(SELECT count(*) FROM wallet_entry), (SELECT max(position) FROM events_seal)"
    )[0]
    code, output, _ = manage("audit", "--oldest", "3600")
    summary, not_read = output.splitlines()
    assert (code, summary) == (0, f"audit: ok rounds={rounds} events={events} entries={entries} findings=0")
    assert not_read == f"Not looked at: the schema: {NEVER_RECORDED}."
    (file,) = (tmp_path / "heads").iterdir()
    assert json.loads(file.read_text())["position"] == head

    tamper(
        played,
        f"DELETE FROM events_seal WHERE position = {head}",  # noqa: S608  (a number)
        f"DELETE FROM events_chainhead WHERE position = {head}",  # noqa: S608  (a number)
    )
    code, output, errors = manage("audit", "--oldest", "3600", "--json", "--jobs", "2")
    assert errors == "Auditing in one process: more only help from 100000 events on.\n"
    document = json.loads(output)
    assert code == 1
    assert document["verdict"] == "FAILED"
    assert "tail cut" in [finding["what"] for finding in document["findings"]]
    assert json.loads(file.read_text())["position"] == head


def test_an_audit_since_a_checkpoint_is_full_until_a_clean_audit_covers_one(played, manage, settings, tmp_path):
    settings.CHECKPOINT_STORAGE = (tmp_path / "kept").as_uri()
    checkpoint = signing.sign_now()
    code, _, errors = manage("audit", "--oldest", "3600", "--since-checkpoint")
    assert (code, errors) == (0, "Auditing in full: no trusted checkpoint is covered by a clean audit.\n")
    code, again, errors = manage("audit", "--oldest", "3600", "--since-checkpoint")
    assert (code, again.startswith("audit: ok rounds=0 ")) == (0, True)
    summary, not_read = again.splitlines()
    assert summary.endswith(f"findings=0 since={checkpoint.size} (only what changed after it was read)")
    assert not_read.startswith("Not looked at: tables that nothing has happened to")
    assert errors == f"Auditing since checkpoint {checkpoint.size}.\n"


def test_the_verifier_recomputes_all_rounds_up_to_a_checkpoint_on_request(played, manage, settings, tmp_path):
    code, _, errors = manage("audit", "--oldest", "3600", "--verify")
    assert (code, errors) == (2, "CommandError: No trusted checkpoint covers a round.\n")
    settings.CHECKPOINT_STORAGE = (tmp_path / "kept").as_uri()
    signing.sign_now()
    (rounds,) = fetch("SELECT count(*) FROM baccarat_round WHERE phase = 'settled'")[0]
    code, output, _ = manage("audit", "--oldest", "3600", "--verify", "--json")
    verified = json.loads(output)["verified"]
    assert (code, verified["rounds"], verified["findings"]) == (0, rounds, [])


def test_the_audit_prints_findings_as_a_table_and_exits_1(played, manage, tmp_path):
    execute("UPDATE baccarat_wager SET won = won + 1")
    code, output, _ = manage("audit", "--oldest", "3600", "--head-file", str(tmp_path / "head.json"))
    assert code == 1
    count = fetch("SELECT count(*) FROM baccarat_wager")[0][0]
    summary = output.splitlines()[-2]
    assert summary.startswith("audit: FAILED rounds=")
    assert summary.endswith(f" findings={count}")
    assert "row differs" in output
    assert not (tmp_path / "head.json").exists()


def test_the_audit_names_triggers_that_were_left_disabled(played, manage, tmp_path):
    tamper(played)
    code, output, _ = manage("audit", "--oldest", "3600", "--head-file", str(tmp_path / "head.json"))
    assert code == 1
    assert "trigger events_event_refuses" in output
    assert DIFFERS in " ".join(output.split())


def test_an_invalid_head_file_is_refused(played, manage, tmp_path):
    (tmp_path / "head.json").write_text("{}")
    code, output, errors = manage("audit", "--oldest", "3600", "--head-file", str(tmp_path / "head.json"))
    assert (code, output) == (2, "")
    assert "does not contain the head of a log" in errors
    assert "Traceback" not in errors


def test_replay_accepts_table_and_number_and_ends_with_the_verdict(played, manage):
    table, round_, outcome = fetch(
        "SELECT table_id, id, outcome FROM baccarat_round WHERE number = 2 AND rules_label = 'mini@1'"
    )[0]
    code, output, _ = manage("replay", f"{table}#2")
    assert code == 0
    assert last(output) == f"replay: ok, the recorded result is the recomputed one: {outcome}"
    assert "Player's first card:" in output
    code, output, _ = manage("replay", str(round_), "--json")
    document = json.loads(output)
    assert (code, document["round"], document["number"], document["verdict"]) == (0, str(round_), 2, "ok")
    assert document["steps"][0]["event"] == "RoundOpened"


def test_replay_of_a_changed_round_prints_the_difference_and_exits_1(played, manage):
    round_ = fetch("SELECT id FROM baccarat_round WHERE number = 1 AND rules_label = 'overview@1'")[0][0]
    tamper(
        played,
        "UPDATE events_event SET data = jsonb_set(data::jsonb, '{wagers,0,returned}', '123456') "  # noqa: S608  (an id)
        f"WHERE stream = 'round-{round_}' AND type = 'RoundSettled'",
    )
    code, output, _ = manage("replay", str(round_))
    assert code == 1
    assert "payout differs" in output
    assert last(output) == "replay: FAILED findings=1"


@pytest.mark.parametrize("name", ["nonsense", "01900000-0000-7000-8000-000000000000", "{table}#99", "{table}#x"])
def test_replay_of_an_unknown_round_is_refused(played, name):
    table = fetch("SELECT id FROM baccarat_table LIMIT 1")[0][0]
    with pytest.raises(CommandError, match="round"):
        call_command("replay", name.format(table=table))


def test_rebuild_prints_counts_and_the_rows_it_changed(played, manage):
    code, output, _ = manage("rebuild", "--check")
    assert code == 0
    assert last(output).endswith(" differing=0")
    key = fetch("SELECT id FROM baccarat_wager ORDER BY id LIMIT 1")[0][0]
    execute("UPDATE baccarat_wager SET won = won + 1 WHERE id = %s", [key])
    code, output, _ = manage("rebuild", "--check")
    assert code == 1
    assert output.splitlines()[:2] == ["differs: baccarat_wager rows=1", f"  baccarat_wager {key}"]
    code, _, errors = manage("rebuild")
    assert code == 1
    assert "owner" in errors
    with as_owner(played.owner_url):
        code, output, _ = manage("rebuild")
    assert code == 0
    assert last(output).startswith("rebuild: baccarat_table=5 baccarat_duetable=5 baccarat_round=")
