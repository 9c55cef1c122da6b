"""The live stream of a player over a real web server."""

from casino.events import sealer
from tests.baccarat.api.people import Tenant, bet, company, deal_all
from tests.baccarat.live.listening import Web


def test_a_stream_begins_with_a_snapshot_and_goes_on_with_what_happens(web: Web, lucky: Tenant) -> None:
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    sealer.seal_all()
    with web.listen(alice) as stream:
        stream.until(lambda s: s.of("snapshot"))
        assert stream.answer.headers["content-type"] == "text/event-stream"
        (snapshot,) = stream.of("snapshot")
        shown = alice.read(f"tables/{table}")
        (picture,) = snapshot["tables"]
        assert {**picture, "server_time": None} == {**shown, "server_time": None}
        assert snapshot["wallet"] == alice.read("me/balances")
        bet(alice, table, player="50.00", tie="25.00")
        bet(bob, table, banker="25.00")
        deal_all()
        stream.until_type(
            "WagerConfirmed", "WagerConfirmed", "BettingClosed", "CardsDealt", "RoundSettled", "RoundOpened"
        )
        mine, other = [data["data"] for data in stream.of("event") if data["type"] == "WagerConfirmed"]
        assert (mine["player"], mine["stakes"]) == (alice.id, {"player": "50.00", "tie": "25.00"})
        assert "player" not in other
        stream.until(lambda s: s.of("wallet") and s.of("wallet")[-1] == alice.read("me/balances"))
