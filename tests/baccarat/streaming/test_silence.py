"""The live stream tells nobody that money is held or an account frozen, whatever the cause."""

import json
import re
from uuid import UUID

import pytest

from baccarat.streaming.notifications import LiveEventBuilder
from casino.events import sealer, subscriptions
from tests.baccarat.api.people import Tenant
from tests.baccarat.api.test_holds import CAUSES, CONTROLS, again, method_of, review_all, waiting
from tests.baccarat.streaming.listening import PATIENCE, Listener, Web
from tests.baccarat.streaming.test_stream import note, notes
from tests.support.depth import deep
from tests.wallet.payments.counter import use_provider
from wallet.payments import holds


def said(stream: Listener) -> list[str]:
    """Return the messages of a stream without ids and times."""
    texts = [f"{message.event} {json.dumps(message.data)}" for message in stream.messages if message.event]
    plain = [re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "id", text) for text in texts]
    plain = [re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "time", text) for text in plain]
    return [re.sub(r'"position": "[^"]+"', '"position"', text) for text in plain]


@pytest.mark.parametrize("cause", deep(["open_case", "frozen", "daily_wins"], list(CAUSES)))
def test_a_players_stream_is_the_same_whatever_holds_the_money_or_nothing_does(
    web: Web, lucky: Tenant, monkeypatch: pytest.MonkeyPatch, cause: str
) -> None:
    use_provider(monkeypatch)
    review_all(lucky, played_ppm=0, tags=("watch",))
    method, table = method_of(lucky), lucky.table("mini")
    (bob, _), (alice, hers) = waiting(lucky, method, "Bob"), waiting(lucky, method, "Alice")
    sealer.seal_all()
    before = subscriptions.head()
    with web.listen(alice, table=table) as mine, web.listen(bob, table=table) as other:
        for stream in (mine, other):
            stream.until(lambda s: s.of("snapshot"))
        if cause in CONTROLS:
            CONTROLS[cause](lucky, bob)
        CAUSES[cause](lucky, alice)
        holds.watch()
        assert holds.open_hold_of(UUID(hers)) is not None
        if cause == "frozen":  # its session ends, as one does that the player ends
            bob.send("delete", "sessions/current")
            assert mine.over.wait(PATIENCE)
            assert other.over.wait(PATIENCE)
        else:
            note(table, "later")
            sealer.seal_all()
            for stream in (mine, other):
                stream.until(lambda s: notes(s) == ["later"])
        assert said(mine) == said(other)
    sealer.seal_all()
    live = LiveEventBuilder().build(subscriptions.read_sealed(before, 1000))
    # Balances are sent a moment after an event that names their player.
    shown = [sum(each.moves_money and player.id in each.players for each in live) for player in (alice, bob)]
    assert shown[0] == shown[1]
    with web.listen(again(lucky, alice), table=table) as mine, web.listen(again(lucky, bob), table=table) as other:
        for stream in (mine, other):
            stream.until(lambda s: s.of("snapshot"))
        assert said(mine)[0] == said(other)[0]
