"""Which seats bet at the same time in the desk's history."""

import random
from collections import Counter

from tests.nightly.bench import history


def test_no_seat_is_twice_in_a_lot_and_all_play_equally_often():
    places = [{"table": str(number)} for number in range(2 * history.LOT + 50)]
    lots = list(history.lots(places, 3 * len(places) + 7, random.Random(1)))
    assert all(len({place["table"] for place in lot}) == len(lot) <= history.LOT for lot in lots)
    played = Counter(place["table"] for lot in lots for place in lot)
    assert played.total() == 3 * len(places) + 7
    assert set(played.values()) == {3, 4}
