"""Write anew what the frozen rounds come to: `python -m tests.support.make_frozen_rounds`.

Only where the rules of the game are meant to change: the file says what they were. Tables, actions and cards stay.
"""

import json
from itertools import pairwise
from pathlib import Path

from tests.support.frozen_rounds import Document, play

FILE = Path(__file__).parents[1] / "stories" / "frozen_rounds.jsonl"


def evenings() -> list[list[Document]]:
    """Return the lines of each evening: the table, a line for each round, and the end."""
    lines: list[Document] = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    begins = [number for number, line in enumerate(lines) if "evening" in line]
    return [lines[begin:end] for begin, end in pairwise([*begins, len(lines)])]


def main() -> None:
    """Play every evening of the file, and put what it comes to in its place."""
    lines = []
    for table, *rounds, _ in evenings():
        *results, end = play(table["evening"], rounds)
        lines += [table, *({**given, "result": result} for given, result in zip(rounds, results, strict=True))]
        lines.append({"end": end})
    FILE.write_text("".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
