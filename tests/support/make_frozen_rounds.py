"""Write tests/stories/frozen_rounds.jsonl anew: `python -m tests.support.make_frozen_rounds`.

Only where the rules of the game are meant to change: the file says what they were.
"""

import hashlib
import json
import random
from pathlib import Path

from casino.kernel.money import exponent
from tests.support.frozen_rounds import Document, play

FILE = Path(__file__).parents[1] / "stories" / "frozen_rounds.jsonl"
ROUNDS = 100
CURRENCIES = ("EUR", "JPY")
SEATS = {
    "overview": (1,),
    "atlantic_city": (1, 2, 3, 4, 5),
    "mini": (1,),
    "classic": (1,),
    "big_table": (1, 2, 5, 8, 13, 14),
}
SHOES = {"big_table": 3}
"""How many seeds are enough; elsewhere there is one for each round."""
CUTS = {"big_table": 0.05}
"""How often a seat contributes: to a long shoe only so many times."""
AMOUNTS = {"atlantic_city": (*range(1, 60), 100, 225, 300), "big_table": (*range(25, 500, 25), 1000, 4975, 5000)}
ANY_AMOUNT = (*range(5, 60), 99, 100, 225, 299, 300)


def evening(preset: str, number: int) -> tuple[Document, list[Document]]:
    """Choose players, seats, money, seeds, contributions and wagers, the same each time."""
    chance = random.Random(f"{preset} {number}")
    seats = {str(seat): ("real", "play")[(seat + number + 1) % 2] for seat in SEATS[preset]}
    currency = CURRENCIES[number]
    seeds = [
        hashlib.sha256(f"{preset} {number} {shoe}".encode()).hexdigest() for shoe in range(SHOES.get(preset, ROUNDS))
    ]
    rounds = []
    for _ in range(ROUNDS):
        cutting = [seat for seat in seats if chance.random() < CUTS.get(preset, 0.6)]
        betting = [seat for seat in seats if chance.random() < 0.75] or [chance.choice(list(seats))]
        cut = {seat: chance.randbytes(chance.randint(1, 32)).hex() for seat in cutting}
        wagers = {seat: wager(chance, preset, 10 ** exponent(currency)) for seat in betting}
        rounds.append({"cut": cut, "wagers": wagers})
    return {"preset": preset, "currency": currency, "seats": seats, "seeds": seeds}, rounds


def wager(chance: random.Random, preset: str, unit: int) -> dict[str, int]:
    """Choose one spot or several, and an amount for each that chips can make up."""
    spots = chance.sample("PBT", 1 if preset == "classic" else chance.choice((1, 1, 2, 3)))
    return {spot: unit * chance.choice(AMOUNTS.get(preset, ANY_AMOUNT)) for spot in spots}


def main() -> None:
    """Write the file: for each evening a line, then one for each round, then one for the end."""
    lines = []
    for preset in SEATS:
        for number in range(len(CURRENCIES)):
            table, rounds = evening(preset, number)
            *results, end = play(table, rounds)
            lines.append({"evening": table})
            lines += [{**given, "result": result} for given, result in zip(rounds, results, strict=True)]
            lines.append({"end": end})
    FILE.write_text("".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
