"""The judge of money: the published verifier recomputes what a fault in the house's own arithmetic would hide."""

from dataclasses import replace

import pytest

from baccarat.audit import engine, rules_versions, traces
from baccarat.domain import postings
from baccarat.domain.rounds import dealing
from baccarat.domain.rules import payouts, recorded
from baccarat.proofs import judge
from casino.checkpoints import records, signing
from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from tests.baccarat.audit.playing import play, seal, sit, tamper
from tests.baccarat.audit.test_voids import settled_rounds, void
from wallet.ledger.accounts import AccountKind

DECKS = 7
"""Of rules that are recorded in no other test of this process."""


@pytest.fixture
def judged(played, settings, tmp_path):
    """Yield a function that signs a checkpoint and returns the kinds and places of what the judge finds."""
    settings.CHECKPOINT_STORAGE = (tmp_path / "kept").as_uri()
    forget()

    def run():
        seal()
        signing.sign_now()
        report = judge.audit_sample(records.latest(), since=0)
        assert report.rounds
        return [(each.kind, each.location) for each in report.findings]

    yield run
    forget()


def forget():
    """Clear what the audit keeps of settlements, and of digests."""
    traces._settlements.cache_clear()
    recorded.record.cache_clear()


def settle_otherwise(monkeypatch, change):
    """Change what a win comes to where rounds are settled, and where the audit settles them again."""

    def settle(rules, stakes, coup):
        due = payouts.settle(rules, stakes, coup)
        results = tuple(change(each) if each.won else each for each in due.results)
        sums = {name: sum(getattr(each, name) for each in results) for name in ("won", "commission", "returned")}
        return due._replace(results=results, **sums)

    for module in (dealing, traces):
        monkeypatch.setattr(module, "settle", settle)


def overpay(monkeypatch):
    settle_otherwise(monkeypatch, lambda each: replace(each, won=each.won + 1, returned=each.returned + 1))
    return "payouts"


def charge_less(monkeypatch):
    def change(each):
        half = each.commission // 2
        return replace(each, commission=half, returned=each.returned + each.commission - half)

    settle_otherwise(monkeypatch, change)
    return "commission"


def post_elsewhere(monkeypatch):
    built = postings._wager_settled

    def build(wager, accounts):
        for each in built(wager, accounts):
            is_bank = each.account.kind is AccountKind.BANK
            yield replace(each, account=accounts.house(AccountKind.COMMISSION, wager.money_type)) if is_bank else each

    monkeypatch.setattr(postings, "_wager_settled", build)
    return "RoundSettled"


def digest_otherwise(monkeypatch):
    true = recorded.digest_of

    def digest(values):
        return true(values)[::-1] if values["decks"] == DECKS else true(values)

    for module in (recorded, rules_versions):
        monkeypatch.setattr(module, "digest_of", digest)
    return "rules"


@pytest.mark.parametrize("mutate", [overpay, charge_less, post_elsewhere, digest_otherwise])
def test_a_mutation_of_the_houses_arithmetic_is_found_by_the_judge_alone(judged, monkeypatch, mutate):
    (before,) = fetch("SELECT max(id) FROM events_event")[0]
    what = mutate(monkeypatch)
    seated = sit("mini", decks=DECKS)
    while not fetch("SELECT FROM baccarat_round WHERE table_id = %s AND outcome = 'banker'", [seated.table]):
        play(seated, 1, banker=2500, player=1000)
    found = judged()
    assert any(what in place for _, place in found), found
    replayed = {each.location for each in engine.run_audit(max_wait=3600).findings}  # of rounds before the mutation
    assert replayed.isdisjoint(
        f"event {key}" for (key,) in fetch("SELECT id FROM events_event WHERE id > %s", [before])
    )
    rounds = fetch("SELECT id::text FROM baccarat_round WHERE table_id = %s", [seated.table])
    assert not any(key in place for (key,) in rounds for place in replayed)


def test_untouched_rounds_of_all_kinds_are_verified(judged):
    """Voids before and after the cards, commission that waits, real money."""
    play(sit("mini", money_type=MoneyType.REAL), 2, banker=2500)
    void(settled_rounds("mini")[-1])
    void(settled_rounds("atlantic_city")[-1])
    assert judged() == []
    checkpoint = records.latest()
    (every,) = fetch("SELECT count(*) FROM baccarat_round WHERE phase IN ('settled', 'voided')")[0]
    report = judge.audit_all(checkpoint, since=0)
    assert (report.rounds, report.findings) == (every, ())


def test_money_on_another_account_is_found_though_the_entry_balances(played, judged):
    (entry, account, other), *_ = fetch(
        "SELECT entry_id, one.account_id, other.id FROM wallet_posting AS one JOIN wallet_entry ON cause = entry_id "
        "JOIN wallet_account AS own ON own.id = one.account_id JOIN wallet_account AS other "
        "ON other.kind = own.kind AND other.id <> own.id AND other.money_type = own.money_type "
        "WHERE wallet_entry.kind = 'settlement' AND own.kind = 'game' LIMIT 1"
    )
    tamper(
        played,
        f"UPDATE wallet_posting SET account_id = '{other}', sequence = sequence + 500 "  # noqa: S608  (ids)
        f"WHERE entry_id = {entry} AND account_id = '{account}'",
    )
    assert [(kind, f"event {entry}" in place) for kind, place in judged()] == [(judge.OTHERWISE, True)]


def test_a_sample_has_every_kind_void_and_first_round_and_is_drawn_by_the_checkpoint(played, judged, monkeypatch):
    monkeypatch.setattr(judge, "SAMPLE", {"least": 1, "one_in": 10**6, "of_each": 1, "first": 0})
    void(settled_rounds("overview")[0])
    judged()
    checkpoint = records.latest()
    chosen = judge._chosen(checkpoint, 0)
    presets = fetch(
        "SELECT DISTINCT preset FROM baccarat_round AS round JOIN baccarat_table AS own ON own.id = table_id "
        "WHERE round.id = ANY (%s)",
        [chosen],
    )
    (voided,) = fetch("SELECT id FROM baccarat_round WHERE phase = 'voided'")[0]
    assert len(presets) == 5
    assert voided in chosen
    assert len(chosen) <= 7
    others = {tuple(judge._chosen(replace(checkpoint, root=bytes([byte]) * 32), 0)) for byte in range(8)}
    assert len(others) > 1
    monkeypatch.setattr(judge, "SAMPLE", {"least": 0, "one_in": 10**6, "of_each": 0, "first": 1})
    first = fetch("SELECT DISTINCT ON (rules) id, phase FROM baccarat_round ORDER BY rules, id")
    assert {key for key, phase in first if phase in {"settled", "voided"}} <= set(judge._chosen(checkpoint, 0))
