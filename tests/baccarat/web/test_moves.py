"""The page's table of moves: what is said, offered and pressed at each moment of play never contradicts itself."""

import json
from typing import Any

from casino.devstack.home import PROJECT
from tests.programs import find, needs
from tests.support.typescript import run

pytestmark = needs("node")

MODULE = PROJECT / "baccarat/web/static/play/js/core/moves.js"
ENGLISH = json.loads((PROJECT / "baccarat/web/static/play/js/messages/en.json").read_text(encoding="utf-8"))


def spot(name: str, **rules: Any) -> dict[str, Any]:
    """Return the rules of a spot that wins with an outcome of its name, unless they say otherwise."""
    lines = [{"when": {"winner": name}, "pays": "1:1"}]
    return {"name": name, "kind": "main", "lines": lines, "minimum": None, "maximum": None, "needs": [], **rules}


LUCKY = {"kind": "side", "lines": [{"when": {"winner": "player", "player_points": 9}, "pays": "20:1"}]}
RULES: dict[str, Any] = {
    "spots": [*map(spot, ("player", "banker", "tie"))], "seats": 1, "turn_seconds": None,
    "minimum": "5.00", "maximum": "300.00", "chips": ["1.00", "5.00", "100.00", "500.00"],
    "may_hurry": True, "minimum_cycle_seconds": 0, "auto_confirm": False,
}  # fmt: skip
TURNS = {**RULES, "seats": 5, "turn_seconds": 15}
ENDED, NOW, OPENS = "2026-01-01T12:00:00Z", "2026-01-01T12:00:02Z", "2026-01-01T12:00:08Z"
LAST = {"id": "last", "phase": "settled", "opened_at": "2026-01-01T11:59:58Z", "ended_at": ENDED, "cards": ["2c"] * 4}
LAST |= {"natural": False, "ceremony": None, "seats": []}
STAKES = [{"spot": "banker", "amount": "25.00"}]
BETS = {"place", "double", "rebet", "rebetDeal", "deal", "newGame", "pass"}


def ask(questions: str, given: object) -> Any:
    """Answer questions about states in JSON by the page's own module."""
    code = f"""
import * as moves from {json.dumps(MODULE.as_uri())};
import * as rules from {json.dumps(MODULE.with_name("table_state.js").as_uri())};
const given = JSON.parse(process.argv[1]), now = Date.parse({json.dumps(NOW)});
console.log(JSON.stringify(({questions})(given)));
"""
    node = find("node") or ""
    return json.loads(run(node, "--input-type=module", "--eval", code, "--", json.dumps(given), cwd=PROJECT))


def table(rules: dict[str, Any] = RULES, *, company: int = 1, **changes: Any) -> dict[str, Any]:
    """Return a table at which the viewer has the first of so many seats."""
    seats = [{"seat": number, "you": number == 1, "skips_show": False} for number in range(1, company + 1)]
    you = {"seat": 1, "game_balance": {"amount": "1000.00"}, "last_wager": STAKES}
    state = {"rules": rules, "seats": seats, "you": you, "round": None, "last_round": None, "betting_opens_at": None}
    return {**state, "stop": None, **changes}


def betting(status: str = "deciding", *stakes: dict[str, str], **changes: Any) -> dict[str, Any]:
    """Return a round in which the viewer's seat has this status and these stakes."""
    part = {"seat": 1, "you": True, "status": status, "wager": None, "stakes": None, "placed": list(stakes)}
    return {"id": "now", "phase": "betting", "deadline_at": OPENS, "ceremony": None, "seats": [part], **changes}


def shown(rules: dict[str, Any] = RULES, **changes: Any) -> dict[str, Any]:
    """Return a table in the show of its last round."""
    return table(rules, last_round=LAST, betting_opens_at=OPENS, **changes)


STOP = {"scope": "table", "player_message": "Stopped", "since": ENDED}
STATES = {
    "idle": table(),
    "idle with turns": table(TURNS),
    "show alone": shown(),
    "show alone with turns": shown(TURNS),
    "show in company": shown(TURNS, company=2),
    "show that nobody may hurry": shown({**RULES, "may_hurry": False}),
    "least cycle": table({**RULES, "minimum_cycle_seconds": 5}, last_round=LAST),
    "nothing placed": table(TURNS, round=betting()),
    "placed": table(TURNS, round=betting("deciding", *STAKES)),
    "placed alone": table(round=betting("deciding", *STAKES)),
    "placed where the page confirms": table({**TURNS, "auto_confirm": True}, round=betting("deciding", *STAKES)),
    "confirmed": table(TURNS, round=betting("confirmed")),
    "passed": table(TURNS, round=betting("passed")),
    "timed out": table(TURNS, round=betting("timed_out")),
    "waiting": table(TURNS, round=betting("left")),
    "closed": table(TURNS, round=betting("passed", phase="closed")),
    "suspended": table(TURNS, round=betting("confirmed", phase="closed", suspended=True)),
    "witness": table(TURNS, round=betting("confirmed", phase="closed", waiting_for="witness")),
    "the first long shoe waits": table(TURNS, terms=None),
    "stopped": table(stop=STOP),
    "stopped in company": shown(TURNS, company=2, stop=STOP),
    "stopped with chips": table(TURNS, stop=STOP, round=betting("deciding", *STAKES)),
    "stopped with a wager": table(TURNS, stop=STOP, round=betting("confirmed")),
    "watching": table(TURNS, you=None, round=betting(), stop=None),
}
MOMENTS = """given => Object.fromEntries(Object.entries(given).map(([name, state]) => {
    const moment = moves.momentOf(state, now);
    return [name, { moment, can: moves.movesAt(state, now), words: moves.MOMENTS[moment].words }];
}))"""
WAITS = """given => Object.fromEntries(["sending", "unsure", "confirming"].map((wait) => [wait, {
    moment: moves.momentOf(given, now, { [wait]: true }), can: moves.movesAt(given, now, { [wait]: true }),
}]))"""


def test_what_is_said_and_what_may_be_done_agree_at_every_moment() -> None:
    answers = ask(MOMENTS, STATES)
    assert {name: answer["moment"] for name, answer in answers.items()} == {
        "idle": "idle_alone", "idle with turns": "idle", "show alone": "idle_alone", "show alone with turns": "idle",
        "show in company": "show", "show that nobody may hurry": "show", "least cycle": "show",
        "nothing placed": "bet", "placed": "deal", "placed alone": "deal_alone",
        "placed where the page confirms": "deal_auto", "confirmed": "confirmed", "passed": "passed",
        "timed out": "timed_out", "waiting": "waiting", "closed": "closed", "suspended": "suspended",
        "witness": "witness", "the first long shoe waits": "witness", "stopped": "stopped",
        "stopped in company": "stopped", "stopped with chips": "stopped",
        "stopped with a wager": "confirmed", "watching": "out",
    }  # fmt: skip
    inviting = {"idle", "idle_alone", "bet", "deal", "deal_alone", "deal_auto"}
    for name, answer in answers.items():
        offered = {move for move, may in answer["can"].items() if may}
        assert (answer["moment"] in inviting) is ("place" in offered), name
        assert answer["moment"] in inviting or not offered & BETS, name
        assert answer["words"] in ENGLISH, name
    moments = {"message.pause", "message.closed", "stopped"}
    assert not [name for name, answer in answers.items() if answer["can"]["place"] and answer["words"] in moments]


def test_while_a_deal_is_not_answered_nothing_else_may_be_done() -> None:
    for wait, answer in ask(WAITS, STATES["placed"]).items():
        assert answer["moment"] == wait
        assert not any(answer["can"].values()), wait


def test_a_show_is_skipped_in_company_where_the_rules_allow_it() -> None:
    slow = shown({**TURNS, "may_hurry": False}, company=2)
    answers = ask(
        MOMENTS, {"company": STATES["show in company"], "slow": slow, "alone": STATES["show alone with turns"]}
    )
    assert {name: answer["can"]["skip"] for name, answer in answers.items()} == {
        "company": True, "slow": False, "alone": False,
    }  # fmt: skip


def test_all_stakes_are_doubled_within_limit_and_balance_or_none() -> None:
    states = {
        name: table(round=betting("deciding", *({"spot": spot, "amount": stake} for spot, stake in stakes.items())))
        for name, stakes in {
            "none": {}, "one": {"banker": "150.00"}, "over the maximum": {"banker": "150.01", "tie": "5.00"},
            "all of the balance": {"banker": "150.00", "player": "150.00", "tie": "150.00"},
        }.items()
    }  # fmt: skip
    states["over the balance"] = {
        **states["one"],
        "you": {**states["one"]["you"], "game_balance": {"amount": "299.99"}},
    }
    answers = ask(MOMENTS, states)
    assert {name: answer["can"]["double"] for name, answer in answers.items()} == {
        "none": False, "one": True, "over the maximum": False, "all of the balance": True, "over the balance": False,
    }  # fmt: skip


def test_a_stake_is_doubled_within_the_limit_of_its_own_spot() -> None:
    rules = {**RULES, "spots": [spot("player"), spot("lucky_nine", **LUCKY, maximum="25.00")]}
    stakes = {"12.50": True, "12.51": False}
    states = {
        amount: table(rules, round=betting("deciding", {"spot": "lucky_nine", "amount": amount})) for amount in stakes
    }
    assert {amount: answer["can"]["double"] for amount, answer in ask(MOMENTS, states).items()} == stakes


def test_the_chips_that_fit_on_any_spot_are_offered() -> None:
    more = {**RULES, "spots": [*RULES["spots"], spot("lucky_nine", **LUCKY, maximum="500.00")]}
    assert ask("given => given.map(rules.offeredChips)", [RULES, more]) == [RULES["chips"][:3], RULES["chips"]]


def test_main_spots_lie_from_the_players_side_to_the_bankers_and_side_bets_after_them() -> None:
    any_pair = spot("either_pair", kind="side", lines=[{"when": {"pairs": [1, 2]}, "pays": "5:1"}])
    lines = [
        {"when": {"winner": "tie"}, "push": True},
        {"when": {"winner": "banker", "banker_points": 6}, "pays": "1:2"},
        {"when": {"winner": "banker"}, "pays": "1:1"},
    ]
    by_six = spot("banker", lines=lines)
    spots = [any_pair, by_six, spot("lucky_nine", **LUCKY), spot("tie"), spot("player")]
    listed = ask("given => rules.spotsOf(given).map((spot) => [spot.name, rules.backedBy(spot)])", {"spots": spots})
    assert listed == [
        ["player", "player"], ["tie", "tie"], ["banker", "banker"], ["either_pair", None], ["lucky_nine", "player"],
    ]  # fmt: skip


def test_every_spot_of_the_rules_and_every_action_has_a_key_of_its_own() -> None:
    more = {**RULES, "spots": [*RULES["spots"], *(spot(name, **LUCKY) for name in ("player_pair", "dragon"))]}
    spots = ask("given => given.map((rules) => [...moves.spotKeys(rules)])", [RULES, more])
    assert spots[0] == [["p", "player"], ["t", "tie"], ["b", "banker"]]
    assert dict(spots[1]).keys() >= {"p", "t", "b"}
    assert sorted(dict(spots[1]).values()) == ["banker", "dragon", "player", "player_pair", "tie"]
    actions = ask("() => Object.values(moves.ACTIONS).flat()", None)
    keys = [*map(str.lower, actions), *dict(spots[1]), *map(str, range(1, 10)), "?"]
    assert len(keys) == len(set(keys))
