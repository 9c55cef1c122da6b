"""A dishonest house with an honest witness, 500 rounds for each thing that it tries, and 2,000 at night.

What it aims at happens as often as by chance, or the verdict or the player's page names it, or `--compare` does. The
same attempts at a table without a witness succeed. Seeds, secrets and keys are fixed, so that each run is the same.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import pytest

from baccarat.domain.fairness.links import statement_of
from casino.kernel.findings import Finding
from casino.witness import compare
from casino.witness.compare import Source
from casino.witness.statements import ChainHeader, ClosingKind
from tests.support.aimed_rounds import (
    PLAYER_KEY,
    SHILL_KEY,
    TABLE,
    AimedRound,
    committed,
    contribution,
    is_chance,
)
from tests.support.depth import deep
from tests.support.local_witness import LocalWitness, open_witness, released

ROUNDS: Final = deep(500, 2000)
TRIES: Final = 16
MINUTE: Final = 60_000
Aim = Callable[[int, Random, ChainHeader | None, str], AimedRound]
Change = Callable[[AimedRound, Random], AimedRound]


@pytest.fixture
def witness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[LocalWitness]:
    witness = open_witness(tmp_path / "witness", monkeypatch)
    yield witness
    witness.witness.store.close()


@pytest.fixture
def header(witness: LocalWitness) -> ChainHeader:
    return witness.chain(TABLE)


class Honest(NamedTuple):
    """Rounds that were played as they should be, with signed wagers, and what the witness shows of them."""

    header: ChainHeader
    rounds: Sequence[AimedRound]
    shown: Source


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Generator[Honest]:
    with pytest.MonkeyPatch.context() as patch:
        witness = open_witness(tmp_path_factory.mktemp("honest") / "witness", patch)
        header, chance = witness.chain(TABLE), Random("honest")
        opened = [committed(number, chance.randbytes(32), header) for number in range(1, ROUNDS + 1)]
        rounds = played(opened, chance, witness)
        assert not any(each.objections(header) for each in rounds)
        assert is_chance(hits(rounds), ROUNDS)
        yield Honest(header, rounds, shown_by(witness))
        witness.witness.store.close()


def best(candidates: Iterable[AimedRound], guess: str) -> AimedRound:
    """Return the first round that ends as the house wants it by a guessed link, else the last."""
    for round_ in candidates:
        if round_.hits(guess):
            return round_
    return round_


def ground_seed(number: int, chance: Random, header: ChainHeader | None, guess: str) -> AimedRound:
    """Choose a seed before committing to it, against a player who bets by habit and contributes nothing."""
    return best((committed(number, chance.randbytes(32), header) for _ in range(TRIES)), guess)


def invented_contribution(number: int, chance: Random, header: ChainHeader | None, guess: str) -> AimedRound:
    """Choose a contribution in the name of a player who gives none."""
    round_ = committed(number, chance.randbytes(32), header)
    return best((round_.contribute(contribution(chance, seat=2)) for _ in range(TRIES)), guess)


def last_shill(number: int, chance: Random, header: ChainHeader | None, guess: str) -> AimedRound:
    """Have an accomplice speak last, who knows the seed and the player's contribution."""
    round_ = committed(number, chance.randbytes(32), header)
    round_ = round_.contribute(contribution(chance, seat=1, public_key=PLAYER_KEY))
    last = (contribution(chance, seat=2, public_key=SHILL_KEY) for _ in range(TRIES))
    return best(map(round_.contribute, last), guess)


def played(rounds: Sequence[AimedRound], chance: Random, witness: LocalWitness) -> list[AimedRound]:
    """Take the bets, close the rounds, and deal them by the links of the witness."""
    closed = [closed_round(each, chance, witness) for each in rounds]
    return dealt(closed, witness)


def closed_round(round_: AimedRound, chance: Random, witness: LocalWitness, *, signed: bool = True) -> AimedRound:
    round_ = round_ if round_.kept else round_.bet(chance.randbytes(32), signed=signed)
    return round_.close(blind=chance.randbytes(32), closed_ms=witness.now[0])


def dealt(closed: Sequence[AimedRound], witness: LocalWitness) -> list[AimedRound]:
    results = witness.release([each.request() for each in closed])
    return [each.dealt(released(result)) for each, result in zip(closed, results, strict=True)]


def hits(rounds: Iterable[AimedRound]) -> int:
    return sum(each.hit for each in rounds)


@pytest.mark.parametrize("aim", [ground_seed, invented_contribution, last_shill])
def test_what_is_chosen_before_the_link_is_known_hits_as_often_as_chance(
    witness: LocalWitness, header: ChainHeader, aim: Aim
) -> None:
    """The house knows the seed, and guesses the link: here it takes the newest that it has seen."""
    chance, guess, rounds = Random(aim.__name__), "00" * 32, list[AimedRound]()
    for start in range(0, ROUNDS, 250):
        aimed = [aim(number, chance, header, guess) for number in range(start + 1, start + 251)]
        rounds += played(aimed, chance, witness)
        guess = rounds[-1].release.link
    assert len(rounds) == ROUNDS
    assert not any(each.objections(header) for each in rounds)
    assert is_chance(hits(rounds), ROUNDS)


@pytest.mark.parametrize("aim", [ground_seed, invented_contribution, last_shill])
def test_the_same_choices_succeed_without_a_witness(aim: Aim) -> None:
    chance = Random(aim.__name__)
    count = sum(aim(number, chance, None, "").hits() for number in range(1, 201))
    assert count > 190
    assert not is_chance(count, 200)


def other_contribution(round_: AimedRound, chance: Random) -> AimedRound:
    """Put another contribution of the player who gave none in the cut."""
    return replace(round_, contributions=()).contribute(contribution(chance, seat=2))


def other_commitment(round_: AimedRound, chance: Random) -> AimedRound:
    """Say that another seed was committed to before the bet."""
    other = committed(round_.number, chance.randbytes(32), None)
    return replace(round_, seed=other.seed, commitment=other.commitment)


def other_seed(round_: AimedRound, chance: Random) -> AimedRound:
    """Show another seed under the commitment that was shown."""
    return replace(round_, seed=chance.randbytes(32))


def other_link(round_: AimedRound, chance: Random) -> AimedRound:
    """Say that the witness gave out another link."""
    return replace(round_, release=replace(round_.release, link=chance.randbytes(32).hex()))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (other_contribution, {"terms", "wager", "closing"}),
        (other_commitment, {"terms", "wager", "closing"}),
        (other_seed, {"commitment"}),
        (other_link, {"witnesses"}),
    ],
)
def test_what_is_chosen_after_the_bet_or_the_link_is_named(honest: Honest, change: Change, named: set[str]) -> None:
    """The house changes what was fixed before until the round ends as it wants, and then the closing, to match."""
    chance = Random(change.__name__)
    changed = [each if each.hit else changed_until_hit(each, change, chance) for each in honest.rounds]
    assert hits(changed) == ROUNDS
    for round_, before in zip(changed, honest.rounds, strict=True):
        if round_ is not before:
            assert round_.objections(honest.header) == named
            if "closing" in named:
                closed_again = replace(round_, closing=round_.computed_closing())
                assert closed_again.objections(honest.header) == named - {"closing"} | {"witnesses"}


def changed_until_hit(round_: AimedRound, change: Change, chance: Random) -> AimedRound:
    while True:
        changed = change(round_, chance)
        if changed.hits(changed.release.link):
            return replace(changed, cards=changed.draw(changed.release.link))


def predicted(header: ChainHeader, chance: Random, witness: LocalWitness, *, signed: bool) -> list[AimedRound]:
    """Have links given out for closings with bets that are expected, and let in the bets of rounds that hit."""
    rounds = []
    for number in range(1, ROUNDS + 1):
        shown = committed(number, chance.randbytes(32), header)
        rounds.append(closed_round(shown, chance, witness, signed=signed))
    early = dealt(rounds, witness)
    return [each.bet(chance.randbytes(32), signed=signed) if each.hit else each for each in early]


def test_a_closing_that_was_predicted_is_named_where_the_wager_is_signed(
    witness: LocalWitness, header: ChainHeader
) -> None:
    """The nonce of the wager was not known: neither the early closing nor one made now goes with the statement."""
    rounds = [each for each in predicted(header, Random(1), witness, signed=True) if each.hit]
    assert all(each.objections(header) == {"closing"} for each in rounds)
    assert all(replace(each, closing=each.computed_closing()).objections(header) == {"witnesses"} for each in rounds)


def test_a_predicted_closing_over_unsigned_wagers_is_not_named_but_the_rounds_that_were_not_wanted_are_seen(
    witness: LocalWitness, header: ChainHeader
) -> None:
    """The stated exception: the verdict says that an early closing is not excluded. Each miss has a link, too."""
    rounds = predicted(header, Random(2), witness, signed=False)
    let_in = [each for each in rounds if each.hit]
    assert not any(each.objections(header) for each in let_in)
    house = said(header, ((each, "settled" if each.hit else "voided", 0) for each in rounds))
    assert contradictions(shown_by(witness), house) == []
    assert statistics(house) == [f"{len(let_in)} settled", f"{ROUNDS - len(let_in)} voided after their links"]
    assert is_chance(len(let_in), ROUNDS)
    silent = said(header, ((each, "settled", 0) for each in let_in))
    assert [each.kind for each in contradictions(shown_by(witness), silent)] == [compare.ONE_SIDED] * (
        ROUNDS - len(let_in)
    )


def test_rounds_that_are_voided_because_they_miss_are_counted(honest: Honest) -> None:
    house = said(honest.header, ((each, "settled" if each.hit else "voided", 0) for each in honest.rounds))
    wanted = hits(honest.rounds)
    assert contradictions(honest.shown, house) == []
    assert statistics(house) == [f"{wanted} settled", f"{ROUNDS - wanted} voided after their links"]


def test_rounds_without_an_answer_or_with_a_late_link_are_named_one_by_one(
    witness: LocalWitness, header: ChainHeader
) -> None:
    """Of each five rounds one is never ended, one is ended late, one's link was asked for late."""
    chance, rounds = Random(4), list[AimedRound]()
    for start in range(0, ROUNDS, 250):
        opened = [committed(number, chance.randbytes(32), header) for number in range(start + 1, start + 251)]
        closed = [closed_round(each, chance, witness) for each in opened]
        witness.wait(MINUTE // 2)
        late = [replace(each, closed_ms=each.closed_ms - 2 * MINUTE * (each.number % 5 == 2)) for each in closed]
        late = [replace(each, closing=each.computed_closing()) for each in late]
        rounds += dealt(late, witness)
    endings = {0: ("settled", 2 * MINUTE), 1: (None, None)}
    house = said(header, ((each, *endings.get(each.number % 5, ("settled", 0))) for each in rounds))
    kinds = [each.kind for each in contradictions(shown_by(witness), house)]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        compare.NO_RESULT: 2 * ROUNDS // 5,
        compare.LATE: ROUNDS // 5,
    }


def test_answers_withheld_before_the_closing_are_blind(witness: LocalWitness, header: ChainHeader) -> None:
    """The house refuses wagers of rounds that seem to miss: those that are left, and those that lapse, are chance."""
    chance, guess, rounds = Random(5), "00" * 32, list[AimedRound]()
    for start in range(0, ROUNDS, 250):
        opened = [committed(number, chance.randbytes(32), header) for number in range(start + 1, start + 251)]
        closed = [
            closed_round(each, chance, witness)
            if each.hits(guess)
            else each.close(blind=chance.randbytes(32), closed_ms=witness.now[0], kind=ClosingKind.LAPSED)
            for each in opened
        ]
        rounds += dealt(closed, witness)
        guess = rounds[-1].release.link
    answered = [each for each in rounds if each.kind is ClosingKind.PLAYED]
    lapsed = [each for each in rounds if each.kind is ClosingKind.LAPSED]
    assert not any(each.objections(header) for each in rounds)
    assert is_chance(hits(answered), len(answered))
    assert is_chance(hits(lapsed), len(lapsed))


def said(header: ChainHeader, rounds: Iterable[tuple[AimedRound, str | None, int | None]]) -> Source:
    """Return what a house says of its rounds: results, and how many ms after the link they ended."""
    house = Source("house", is_witness=False)
    house.headers[header.chain] = header
    for round_, result, ended in rounds:
        (place,), release = round_.witnesses, round_.release
        data = statement_of(release, index=place.index, kind=round_.kind, digest=round_.closing.digest)
        ended_ms = None if ended is None else release.time_ms + ended
        more = {"result": result, "closed_ms": round_.closed_ms, "ended_ms": ended_ms}
        house.add({"statement": data.hex(), "signature": release.signature, **more})
    return house


def shown_by(witness: LocalWitness) -> Source:
    """Return what the witness shows to everybody."""
    source = Source("witness", is_witness=True)
    for line in witness.lines():
        source.add(line)
    return source


def contradictions(shown: Source, house: Source) -> list[Finding]:
    """Compare an hour after the last statement."""
    last = max(statement.time_ms for statement, _ in shown.statements)
    return compare.compare(shown, house, now=last / 1000 + 3600)


def statistics(house: Source) -> list[str]:
    """Return the public statistics of the only table."""
    (line,) = house.describe_results()
    return line.removeprefix(f"table {TABLE}: ").split(", ")
