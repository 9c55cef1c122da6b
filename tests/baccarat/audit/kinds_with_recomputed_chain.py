"""Kinds of tampering with events, after which the whole chain is computed again."""

from tests.baccarat.audit.attacker import WITH_RECOMPUTED_CHAIN, kind


@kind(WITH_RECOMPUTED_CHAIN)
def a_stake_changed(attacker):
    event, stream, version, _ = attacker.event("mini", 1, "WagerConfirmed")
    attacker.change(event, lambda data: data["stakes"].update(banker=3000))
    return "closing differs", f"{stream.replace('-', ' ', 1)}, version {version + 1}"


@kind(WITH_RECOMPUTED_CHAIN)
def a_payout_raised(attacker):
    event, stream, version, _ = attacker.event("overview", 1, "RoundSettled")
    attacker.change(event, lambda data: data["wagers"][0].update(returned=data["wagers"][0]["returned"] + 100))
    return ("payout differs", f"{stream.replace('-', ' ', 1)}, version {version}"), (
        "entry moves something else",
        f"event {event}",
    )


@kind(WITH_RECOMPUTED_CHAIN)
def a_commission_lowered(attacker):
    event, stream, version, _ = attacker.event("mini", 2, "RoundSettled")
    attacker.change(event, lambda data: data["wagers"][0].update(commission=data["wagers"][0]["commission"] - 1))
    return "commission differs", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(WITH_RECOMPUTED_CHAIN)
def a_changed_outcome(attacker):
    event, stream, version, _ = attacker.event("classic", 1, "RoundSettled")
    attacker.change(event, lambda data: data.update(outcome="tie" if data["outcome"] != "tie" else "player"))
    return "outcome differs", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(WITH_RECOMPUTED_CHAIN)
def a_card_swapped(attacker):
    event, stream, version, _ = attacker.event("atlantic_city", 1, "CardsDealt")
    suits = {"c": "d", "d": "h", "h": "s", "s": "c"}
    attacker.change(event, lambda data: data["cards"].__setitem__(0, data["cards"][0][0] + suits[data["cards"][0][1]]))
    return "cards are not the shoe's", f"{stream.replace('-', ' ', 1)}, version {version + 1}"


@kind(WITH_RECOMPUTED_CHAIN)
def a_decision_without_its_cards(attacker):
    event, *_ = attacker.event("classic", 2, "CardsDealt")
    return "transaction torn", attacker.move(event)


@kind(WITH_RECOMPUTED_CHAIN)
def a_seed_swapped(attacker):
    event, stream, version, _ = attacker.event("overview", 2, "RoundSettled")
    attacker.change(event, lambda data: data.update(seed="ab" * 32))
    return "seed does not open the commitment", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(WITH_RECOMPUTED_CHAIN)
def a_commitment_swapped(attacker):
    event, stream, *_ = attacker.event("classic", 2, "RoundOpened")
    attacker.change(event, lambda data: data.update(commitment="cd" * 32))
    return "seed does not open the commitment", stream.replace("-", " ", 1)


@kind(WITH_RECOMPUTED_CHAIN)
def another_commitment_for_the_next_round(attacker):
    event = attacker.first_terms("overview")
    _, following, *_ = attacker.event("overview", 2, "RoundOpened")
    attacker.change(event, lambda data: data["next_shoe"].update(commitment="ce" * 32))
    return "shoe differs from the committed one", following.replace("-", " ", 1)


@kind(WITH_RECOMPUTED_CHAIN)
def a_round_dealt_from_another_shoe_than_committed_to(attacker):
    event, stream, *_ = attacker.event("atlantic_city", 2, "RoundOpened")
    attacker.change(event, lambda data: data.update(shoe=data["round"]))
    return "shoe differs from the committed one", stream.replace("-", " ", 1)


@kind(WITH_RECOMPUTED_CHAIN)
def a_round_without_a_commitment_to_the_next_shoe(attacker):
    event, stream = attacker.terms("mini")
    attacker.change(event, lambda data: data.update(next_terms=None))
    return "terms differ", stream.replace("-", " ", 1)


@kind(WITH_RECOMPUTED_CHAIN)
def terms_under_other_rules(attacker):
    event, stream, *_ = attacker.event("atlantic_city", 2, "RoundOpened")
    attacker.change(event, lambda data: data.update(terms="ab" * 32))
    return "terms differ", stream.replace("-", " ", 1)


@kind(WITH_RECOMPUTED_CHAIN)
def a_contribution_invented_after_the_terms(attacker):
    event, stream, *_ = attacker.event("overview", 2, "RoundOpened")
    invented = [{"seat": 1, "contribution": "aa"}]
    attacker.change(event, lambda data: data.update(contributions=invented))
    return "cut differs from the contributions", stream.replace("-", " ", 1)


@kind(WITH_RECOMPUTED_CHAIN)
def a_first_shoe_of_another_number_of_decks(attacker):
    event, stream = attacker.row(
        "SELECT id, stream FROM events_event "
        "WHERE type = 'TableOpened' AND data #>> '{rules,values,preset}' = 'classic'"
    )
    attacker.change(event, lambda data: data["next_shoe"]["shape"].update(decks=8))
    return "shoe composition differs from its commitment", f"{stream.replace('-', ' ', 1)}, version 1"


@kind(WITH_RECOMPUTED_CHAIN)
def a_wager_left_out_of_the_settlement(attacker):
    event, stream, version, _ = attacker.event("atlantic_city", 2, "RoundSettled")
    attacker.change(event, lambda data: data["wagers"].pop())
    return "wager not settled", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(WITH_RECOMPUTED_CHAIN)
def a_changed_place_in_the_shoe(attacker):
    event, stream, version, _ = attacker.event("big_table", 1, "CardsDealt")
    attacker.change(event, lambda data: data.update(shoe_position=data["shoe_position"] + 1))
    return "place in the shoe differs", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(WITH_RECOMPUTED_CHAIN)
def a_wager_moved_after_the_deadline(attacker):
    event, stream, version, _ = attacker.event("big_table", 2, "WagerConfirmed")
    attacker.change(event, lambda data: data.update(confirmed_at="2099-01-01T00:00:00Z"))
    return "wager confirmed late", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(WITH_RECOMPUTED_CHAIN)
def a_shoe_of_another_number_of_decks_than_committed_to(attacker):
    event, stream = attacker.row("SELECT id, stream FROM events_event WHERE type = 'ShoeCommitted' ORDER BY id LIMIT 1")
    attacker.change(event, lambda data: data["shape"].update(decks=2))
    return "shoe composition differs from its commitment", stream.replace("-", " ", 1)


@kind(WITH_RECOMPUTED_CHAIN)
def a_deposit_raised_in_the_log(attacker):
    event, stream, version, _ = attacker.row(
        "SELECT id, stream, version, 0 FROM events_event WHERE type = 'DepositCompleted'"
    )
    attacker.change(event, lambda data: data.update(amount=data["amount"] + 10_000))
    return ("payment differs from its request", f"{stream} version {version}"), (
        "entry moves something else",
        f"event {event}",
    )


@kind(WITH_RECOMPUTED_CHAIN)
def the_whole_chain_recomputed(attacker):
    assert attacker.row("SELECT count(*) FROM events_seal")[0]
    return "log differs from its checkpoint", "checkpoint "
