"""Draw shoes on pybaccarat's scoreboards. Runs as a script where that package can be imported.

Input: a JSON list of texts of B, P and T. Output: for each, streak lengths, marks of the three derived boards ("s" same
or red, "C" chop or blue), and the marks that one more B would bring, blank for none.
"""

import json
import sys

from pybaccarat.baccarat import Scoreboard  # type: ignore[import-not-found]


def boards(outcomes):
    big, derived = Scoreboard(0), [Scoreboard(kind) for kind in (1, 2, 3)]
    marks = ["", "", ""]
    for outcome in outcomes.replace("T", ""):
        big.mark(outcome)
        for index, board in enumerate(derived):
            marks[index] += board.get_cs_mark(big.get_array()).strip()
    peek = [board.get_cs_mark(big.get_peek_B_array(big.get_array())) for board in derived]
    return {"lengths": [length for _, length in big.get_array()[1:]], "marks": marks, "peek": peek}


json.dump([boards(outcomes) for outcomes in json.load(sys.stdin)], sys.stdout)
