"""Kill switches and versions of rules: the author of a draft never publishes it."""

import json
import tomllib
from html import unescape
from typing import Any

import pytest
from django import forms
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from baccarat.domain.rules.table_rules import FIELDS, LABELS
from baccarat.domain.tables.kill_switch import PlayIsStopped, RulesAreStopped, TableIsStopped
from baccarat.domain.tables.refusals import CloseReasonInvalid, RulesUnchanged, VersionReasonMissing
from baccarat.storage import rules_versions
from baccarat.storage.models import KillSwitch, Round, RulesVersion
from casino.backoffice.pages.rules_form import DraftForm
from casino.operators.models import Change, Operator
from casino.operators.services import create_operator
from casino.significant.models import SignificantEvent
from tests.support.office import Office, open_office, page_of, staff
from tests.support.rules import waiting

AGREE = ("baccarat.change_killswitch", "baccarat.stop_gaming", "operators.change_change", "operators.view_change")
SEE = ("baccarat.view_table", "baccarat.view_rulesversion", "baccarat.view_killswitch")
MODEL = "baccarat_rulesversion"


@pytest.fixture
def office(db: None) -> Office:
    return open_office()


def body(client: Client, page: str) -> str:
    return unescape(client.get(page).content.decode())


def actor(name: str) -> str:
    return f"staff:{User.objects.get(username=name).pk}"


def act(client: Client, name: str, row: Any, **fields: str) -> str:
    """Send a form and return the message that staff see."""
    model = f"baccarat_{row._meta.model_name}"
    answer = client.post(reverse(f"admin:{model}_{name}", args=[row.pk.replace("/", "_2F")]), fields, follow=True)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def filled_in(version: RulesVersion, **changes: str) -> dict[str, str]:
    """Return the form of a draft: the rules in force with changes."""
    fields = DraftForm(request=HttpRequest(), row=version).fields
    values = {
        name: str(field.initial)
        for name, field in fields.items()
        if field.initial is not None and field.initial is not False
    }
    return {**values, "change_reason": "Asked for by the players.", **changes}


def toml(version: RulesVersion, **odds: str) -> str:
    """Return the text of the spots of the rules in force, with other odds on Tie or another commission."""
    text = filled_in(version)["spots"]
    return text.replace('"8:1"', f'"{odds.get("tie", "8:1")}"').replace('"5/100"', f'"{odds.get("rate", "5/100")}"')


def test_one_person_drafts_and_another_reads_the_odds_and_publishes(office: Office) -> None:
    table = office.single.guest.table
    maker = staff(*SEE, "baccarat.draft_rules", name="maker")
    checker = staff(*SEE, "baccarat.publish_rules", "operators.change_change", name="checker")
    first = RulesVersion.objects.get(table_id=table)

    unreasoned = filled_in(first, minimum="10.00", change_reason=" ")
    assert "This field is required." in act(maker, "draft", first, **unreasoned)
    assert "Enter a whole number" in act(maker, "draft", first, **filled_in(first, decks="many"))
    refused = act(maker, "draft", first, **filled_in(first, spots=toml(first, tie="6:1")))
    assert "We accept that Tie returns 66.6092%, less than our floor of 75.0000%." in refused
    assert "Drafted version 2" in act(
        maker, "draft", first, **filled_in(first, spots=toml(first, tie="9:1", rate="4/100"), minimum="10.00")
    )

    draft = RulesVersion.objects.get(table_id=table, version=2)
    shown = body(checker, page_of(MODEL, draft.pk))
    for words in (
        "Minimum: 5.00 EUR becomes 10.00 EUR.",
        "Tie: pays 8:1 if winner is tie becomes pays 9:1 if winner is tie.",
        "less 5/100 commission, exact, taken from the payout becomes",
        "pays 9:1 if winner is tie (9.5156%)",
        "4/100 commission, exact, taken from the payout",
        "Return on Tie: 85.6404% becomes 95.1560%.",
        "95.1560%",
        "Asked for by the players.",
    ):
        assert words in shown
    assert "Waiting for another person" in body(maker, page_of(MODEL, draft.pk))
    confirm = reverse("admin:operators_change_confirm", args=[waiting(table, 2)])
    assert maker.post(confirm).status_code == 403
    checker.post(confirm)
    table_page = body(checker, page_of("baccarat_table", table))
    assert "published" in table_page
    assert "Asked for by the players." in table_page
    published = SignificantEvent.objects.get(kind="rules_published")
    assert published.reason == "Asked for by the players."


def test_spots_are_written_in_toml_or_json_and_what_is_wrong_is_told_by_its_path(office: Office) -> None:
    maker = staff(*SEE, "baccarat.draft_rules", name="maker")
    first = RulesVersion.objects.get(table_id=office.single.guest.table)
    told = act(maker, "draft", first, **filled_in(first, spots="[[spots]]\nname = 5\nlines = [{ pays = 8 }]"))
    assert "spots[0].name must be text." in told
    assert "spots[0].lines[0].pays must be text." in told
    for text in ("spots = [", '{"spots": ['):
        assert "This is neither JSON nor TOML" in act(maker, "draft", first, **filled_in(first, spots=text))
    side = (
        '\n[[spots]]\nname = "side"\nkind = "side"\nneeds = ["dragon"]\nlines = [{ when = { luck = 1 }, push = true }]'
    )
    told = act(maker, "draft", first, **filled_in(first, spots=toml(first) + side))
    assert "spots[3].needs names dragon, which is no other spot here." in told
    assert "spots[3].lines[0].when.luck is no fact of a coup" in told
    assert RulesUnchanged.title in act(maker, "draft", first, **filled_in(first))
    written = [{**spot, "maximum": "50.00"} for spot in tomllib.loads(toml(first))["spots"]]
    assert "Drafted version 2" in act(maker, "draft", first, **filled_in(first, spots=json.dumps(written)))
    shown = body(maker, page_of(MODEL, RulesVersion.objects.get(table_id=first.table_id, version=2).pk))
    assert "5.00 to 50.00" in shown
    assert "at most 50.00 EUR" in shown


def test_every_field_of_rules_is_in_the_form_with_its_bounds(office: Office) -> None:
    version = RulesVersion.objects.get(table_id=office.single.guest.table)
    form = DraftForm(request=HttpRequest(), row=version)
    assert form.groups.keys() == FIELDS.keys() - LABELS - {"shuffle"}
    seats = form.fields["seats"]
    assert isinstance(seats, forms.IntegerField)
    assert (seats.min_value, seats.max_value, seats.required) == (1, 14, True)
    assert form.fields["turn_seconds"].help_text == "Empty: turns have no limit."
    assert not form.fields["turn_seconds"].required
    again = DraftForm(filled_in(version), request=HttpRequest(), row=version)
    assert again.is_valid()
    assert again.cleaned_data["changes"] == {}


def test_a_draft_is_discarded_by_its_author_and_rules_are_retired_with_a_reason(office: Office) -> None:
    table = office.single.guest.table
    rights = ("baccarat.draft_rules", "baccarat.publish_rules", "baccarat.stop_play", "operators.change_change")
    both = staff(*SEE, *rights, name="both")
    first = RulesVersion.objects.get(table_id=table)
    act(both, "draft", first, **filled_in(first, turn_seconds="30"))
    draft = RulesVersion.objects.get(table_id=table, version=2)
    both.post(reverse("admin:operators_change_confirm", args=[waiting(table, 2)]))
    assert RulesVersion.objects.get(pk=draft.pk).status == "draft"
    assert "Discarded mini@2" in act(both, "discard", draft)
    assert VersionReasonMissing.title in act(both, "retire", first, reason="")
    assert "Retired mini@1" in act(both, "retire", first, reason="Printed wrong.")


def test_a_table_is_stopped_from_its_page_and_resumed_from_the_kill_switchs(office: Office) -> None:
    table = office.single.guest.table
    boss = staff(*SEE, "baccarat.stop_play", name="boss")
    stop = reverse("admin:baccarat_table_stop", args=[table])
    assert "Stop this table" in body(boss, page_of("baccarat_table", table))
    boss.post(stop, {"reason": "The camera is down.", "player_message": "Back at nine."})

    with pytest.raises(TableIsStopped), transaction.atomic():
        office.single.new_game()
    switch = KillSwitch.objects.get(subject=str(table))
    assert "Back at nine." in body(boss, page_of("baccarat_table", table))
    assert "The camera is down." in body(boss, reverse("admin:baccarat_killswitch_changelist"))
    assert "Play resumes" in act(boss, "resume", switch, reason="It is back.")
    office.single.new_game()


def test_a_floor_manager_closes_a_table_permanently_from_its_page(office: Office) -> None:
    table = office.single.guest.table
    boss = staff(*SEE, "baccarat.close_table", name="boss")
    page, close = page_of("baccarat_table", table), reverse("admin:baccarat_table_close", args=[table])
    assert "Close this table permanently" in body(boss, page)
    assert "Close this table permanently" not in body(staff(*SEE, name="looker"), page)
    assert CloseReasonInvalid.title in body_after(boss, close, reason=" ")
    assert "Closed permanently" in body_after(boss, close, reason="Worn out")
    assert "This table is closed permanently" in body(boss, page)


def test_a_test_rounds_cards_are_chosen_on_a_sandbox_operators_table_only(office: Office, settings: Settings) -> None:
    table = office.single.guest.table
    tester, page = (
        staff(*SEE, "baccarat.view_round", "baccarat.draft_rules", name="tester"),
        page_of("baccarat_table", table),
    )
    force, offered = reverse("admin:baccarat_table_force", args=[table]), "Choose the cards of a test round"
    assert offered not in body(tester, page)
    settings.FORCED_CARDS = True
    assert offered not in body(tester, page)
    body_after(tester, force, scenario="six_card_tie")
    assert not Round.objects.filter(table_id=table, forced=True).exists()

    Operator.objects.filter(pk=office.single.guest.operator).update(sandbox=True)
    assert offered in body(tester, page)
    assert "The cards of the open round are chosen." in body_after(tester, force, scenario="six_card_tie")
    round_ = Round.objects.get(table_id=table, forced=True)
    assert "Test round: its cards were chosen" in body(tester, page_of("baccarat_round", round_.pk))


def body_after(client: Client, address: str, **said: str) -> str:
    return client.post(address, said, follow=True).content.decode()


def test_only_staff_of_all_operators_stop_all_gaming_and_nobody_stops_another_operators_table(office: Office) -> None:
    throw = reverse("admin:baccarat_killswitch_throw")
    mine = staff(*SEE, "baccarat.stop_play", name="mine", works_for="nobody")
    watcher = staff(*SEE, name="watcher")
    assert watcher.get(throw).status_code == 403
    assert 'value="gaming"' not in body(mine, throw)
    for target in ("gaming", f"table:{office.single.guest.table}"):
        told = mine.post(throw, {"target": target, "reason": "x"}, follow=True)
        assert "is not one of the available choices" in told.content.decode()
    assert KillSwitch.objects.count() == 0


def test_who_stops_rules_chooses_them_by_label_and_digest_and_sees_at_which_tables(office: Office) -> None:
    table = office.single.guest.table
    boss = staff(*SEE, "baccarat.stop_play", "baccarat.stop_gaming", name="boss")
    mine = staff(*SEE, "baccarat.stop_play", name="mine", works_for="nobody")
    version = RulesVersion.objects.get(table_id=table)
    throw, target = reverse("admin:baccarat_killswitch_throw"), f"rules:{version.digest}"
    reached = [each for each in rules_versions.reaches() if each.digest == version.digest]
    others = RulesVersion.objects.filter(digest=version.digest).count() - 1
    named = f"mini@1 ({version.digest[:12]})"
    assert str(reached[0]) == f"{named} at A table{f' and {others} more' if others else ''}"
    assert f'<option value="{target}">{reached[0]}</option>' in body(boss, throw)
    assert str(reached[0]) in body(boss, page_of(MODEL, version.pk))
    assert 'value="rules:' not in body(mine, throw)

    assert f"Stopped: {target}" in body_after(boss, throw, target=target, reason="The tie pays too much.")
    assert named in body(boss, reverse("admin:baccarat_killswitch_changelist"))
    with pytest.raises(RulesAreStopped), transaction.atomic():
        office.single.new_game()


def test_a_duty_manager_stops_all_gaming_from_any_page_and_every_page_says_so(office: Office) -> None:
    boss = staff(*SEE, "baccarat.stop_play", "baccarat.stop_gaming", name="boss")
    throw = reverse("admin:baccarat_killswitch_throw")
    for page in (reverse("admin:index"), page_of("baccarat_table", office.single.guest.table)):
        assert f'{throw}?target=gaming"' in body(boss, page)
    assert '<option value="gaming" selected>' in body(boss, f"{throw}?target=gaming")
    assert f'<option value="operator:{office.operator.id}">lucky</option>' in body(boss, throw)

    assert "Stopped: gaming" in body_after(boss, throw, target="gaming", reason="Smoke in the hall.", player_message="")
    with pytest.raises(PlayIsStopped), transaction.atomic():
        office.single.new_game()
    watcher = staff(*SEE, name="watcher")
    assert "All gaming is stopped" in body(watcher, reverse("admin:index"))
    Operator.objects.update(sandbox=True)
    switch = KillSwitch.objects.get(pk="gaming")
    assert "Play resumes" in act(boss, "resume", switch, reason="It was toast.")
    assert "All gaming is stopped" not in body(watcher, reverse("admin:index"))
    assert "Stop all gaming" not in body(watcher, reverse("admin:index"))


def test_a_floor_manager_of_an_operator_lifts_none_of_the_platforms_stops_of_it(office: Office) -> None:
    create_operator(slug="elsewhere", name="Elsewhere", currencies=["EUR"], sandbox=False)
    boss = staff(*SEE, "baccarat.stop_play", "baccarat.change_killswitch", "operators.view_player", name="boss")
    own = staff(*SEE, "baccarat.stop_play", name="own", works_for="lucky")
    table, player = office.single.guest.table, office.player.pk
    named = {"reason": "Ordered by the regulator.", "player_message": "", "order": "MGA/2031/7"}
    for page, target in ((None, f"operator:{office.operator.id}"), (None, f"table:{table}"), ("player", player)):
        throw = reverse("admin:baccarat_killswitch_throw")
        address = throw if page is None else reverse("admin:operators_player_stop", args=[player])
        boss.post(address, {"target": target, **named})
    switches = list(KillSwitch.objects.order_by("scope"))
    assert [(each.scope, each.rank) for each in switches] == [
        (scope, "regulator") for scope in ("operator", "player", "table")
    ]

    for switch in switches:
        assert 'name="reason"' not in body(own, page_of("baccarat_killswitch", switch.pk))
        act(own, "resume", switch, reason="We think otherwise.", order="MGA/2031/7")
        act(boss, "resume", switch, reason="Without an order.")
        assert KillSwitch.objects.get(pk=switch.pk).active
    chief = staff(*SEE, *AGREE, name="chief")
    lower = staff(*SEE, *AGREE, name="lower", works_for="lucky")
    for switch in switches:
        assert "another person has to confirm" in act(boss, "resume", switch, reason="Withdrawn.", order="MGA/2031/8")
        change = Change.objects.get(subject=f"stop:{switch.pk}")
        confirm = reverse("admin:operators_change_confirm", args=[change.pk])
        assert "carry out orders of a regulator" in body_after(lower, confirm)
        assert KillSwitch.objects.get(pk=switch.pk).active
        assert "it is in effect" in body_after(chief, confirm)
        row = KillSwitch.objects.get(pk=switch.pk)
        lifted = (row.active, row.by, row.agreed_by, row.rank, row.regulator_order)
        assert lifted == (False, actor("boss"), actor("chief"), "regulator", "MGA/2031/8")


def test_play_of_all_operators_resumes_when_two_of_the_platforms_staff_agree(office: Office) -> None:
    create_operator(slug="elsewhere", name="Elsewhere", currencies=["EUR"], sandbox=False)
    boss, chief = (staff(*SEE, *AGREE, "baccarat.stop_play", name=name) for name in ("boss", "chief"))
    one = staff(*SEE, *AGREE, "baccarat.stop_play", name="one", works_for="lucky")
    body_after(boss, reverse("admin:baccarat_killswitch_throw"), target="gaming", reason="Smoke.", player_message="")
    switch = KillSwitch.objects.get()

    assert "another person has to confirm" in act(boss, "resume", switch, reason="It was toast.")
    change = reverse("admin:operators_change_confirm", args=[Change.objects.get(kind="resume_play").pk])
    for who in (boss, one):
        who.post(change)
        assert KillSwitch.objects.get().active
    assert "it is in effect" in body_after(chief, change)
    assert not KillSwitch.objects.get().active


def test_who_works_for_some_operators_stops_none_of_the_others(office: Office) -> None:
    create_operator(slug="elsewhere", name="Elsewhere", currencies=["EUR"], sandbox=False)
    mine = staff(*SEE, "baccarat.stop_play", "baccarat.stop_gaming", name="mine", works_for="lucky")
    assert "Stop all gaming" not in body(mine, reverse("admin:index"))
    throw = reverse("admin:baccarat_killswitch_throw")
    assert 'value="gaming"' not in body(mine, throw)
    assert "elsewhere" not in body(mine, throw)
