"""Chat moderation: permissions, operators and records."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from baccarat.chat.models import ChatMessage, ChatReport, ChatReportClosure, FilterWord, ModerationAction
from baccarat.chat.refusals import FilterWordNotYours
from casino.events.sql import fetch
from tests.baccarat.api.people import Gambler, Tenant, tenant
from tests.baccarat.chat.test_services import alice, bob, code, lucky, say, table
from tests.support.office import page_of, staff, superuser

pytestmark = pytest.mark.django_db
__all__ = ["alice", "bob", "lucky", "table"]
SEES = ("chat.view_chatmessage", "chat.view_chatreport", "chat.view_moderationaction", "chat.view_filterword")


@pytest.fixture
def golden() -> Tenant:
    return tenant("golden")


@pytest.fixture
def report(alice: Gambler, bob: Gambler, table: str) -> ChatReport:
    message = say(alice, table, "<script>alert(1)</script>").json()["id"]
    return ChatReport.objects.get(pk=bob.do(f"tables/{table}/chat/{message}/report", {"reason": "Markup"})["id"])


def do(client: Client, model: str, name: str, row: Any, **fields: str) -> Any:
    return client.post(reverse(f"admin:chat_{model}_{name}", args=[row.pk]), fields, follow=True)


def said(answer: Any) -> str:
    return " ".join(str(message) for message in answer.context["messages"])


def test_a_moderator_mutes_from_a_report_and_closes_it(
    lucky: Tenant, alice: Gambler, table: str, report: ChatReport
) -> None:
    moderator = staff(*SEES, "chat.moderate", works_for=lucky.slug)
    assert (
        said(do(moderator, "chatreport", "mute", report, reason="spam", minutes="10", note="Markup"))
        == "Muted in all chats."
    )
    assert code(say(alice, table, "Hello")) == (403, "player_is_muted")
    do(moderator, "chatreport", "close", report, outcome="action_taken", note="Muted")
    assert ChatReportClosure.objects.get().by == ModerationAction.objects.get().by
    assert ModerationAction.objects.get().by.startswith("staff:")
    assert "closed" in said(do(moderator, "chatreport", "close", report, outcome="dismissed"))
    assert "may write" in said(do(moderator, "chatreport", "unmute", report))
    assert say(alice, table, "Hello").status_code == 201


def test_a_message_is_shown_as_escaped_text(lucky: Tenant, report: ChatReport) -> None:
    root = superuser()
    for model, row in (("chat_chatreport", report.pk), ("chat_chatmessage", report.message_id)):
        page = root.get(page_of(model, row)).content.decode()
        assert "&lt;script&gt;alert(1)" in page
        assert "<script>alert(1)" not in page


def test_viewing_muting_and_banning_need_separate_permissions(lucky: Tenant, report: ChatReport) -> None:
    looker, moderator = staff(*SEES, name="looker"), staff(*SEES, "chat.moderate", name="moderator")
    assert do(looker, "chatreport", "mute", report, reason="spam").status_code == 403
    assert do(looker, "chatreport", "close", report, outcome="dismissed").status_code == 403
    assert do(moderator, "chatreport", "ban", report, reason="spam").status_code == 403
    assert b"Mute" not in looker.get(page_of("chat_chatreport", report.pk)).content
    assert not ModerationAction.objects.exists()


def test_staff_of_another_operator_see_and_do_nothing(lucky: Tenant, golden: Tenant, report: ChatReport) -> None:
    other = staff(*SEES, "chat.moderate", "chat.ban_player", works_for=golden.slug)
    assert do(other, "chatreport", "mute", report, reason="spam").status_code in {403, 404}
    for model in (ChatMessage, ChatReport):
        page = other.get(reverse(f"admin:chat_{model._meta.model_name}_changelist"))
        assert list(page.context["cl"].result_list) == []
    assert not ModerationAction.objects.exists()


def test_a_player_is_banned_and_unbanned(lucky: Tenant, alice: Gambler, report: ChatReport) -> None:
    moderator = staff(*SEES, "chat.ban_player", works_for=lucky.slug)
    do(moderator, "chatmessage", "ban", ChatMessage.objects.get(), reason="cheating", minutes="")
    assert code(alice.get("me/balances")) == (401, "session_ended_by_ban")
    assert "come in again" in said(do(moderator, "moderationaction", "unban", ModerationAction.objects.get()))
    assert lucky.post(f"players/{alice.id}/sessions", {}).status_code == 201


@pytest.mark.parametrize(
    "fields", [{"reason": "boredom"}, {"reason": "spam", "minutes": "ten"}, {"reason": "spam", "minutes": "0"}]
)
def test_an_invalid_form_does_nothing(lucky: Tenant, report: ChatReport, fields: dict[str, str]) -> None:
    answer = do(superuser(), "chatreport", "mute", report, **fields)
    assert said(answer) == "Please correct the errors below."
    assert 'class="c-wrong"' in answer.content.decode()
    assert not ModerationAction.objects.exists()


def test_shared_words_are_changed_only_by_staff_of_all_operators(lucky: Tenant, alice: Gambler) -> None:
    call_command("masked_words", add=["darn"])
    lucky.do("chat/filter-words", {"word": "heck"})
    all_operators, own = FilterWord.objects.get(operator_id=None), FilterWord.objects.exclude(operator_id=None).get()
    clerk = staff(*SEES, "chat.edit_filter_words", works_for=lucky.slug)
    assert FilterWordNotYours.title in said(do(clerk, "filterword", "drop", all_operators))
    assert "masked from now on" in said(do(clerk, "filterword", "list", own, word="drat"))
    assert "no longer" in said(do(clerk, "filterword", "drop", own))
    assert "no longer" in said(do(superuser(), "filterword", "drop", all_operators))
    assert sorted(FilterWord.objects.values_list("word", flat=True)) == ["drat"]
    actors = fetch(
        "SELECT DISTINCT split_part(metadata->>'actor', ':', 1) FROM events_event WHERE stream LIKE 'chat-filter-%%'"
    )
    assert {actor for (actor,) in actors} == {"command", "operator", "staff"}


def test_the_command_lists_adds_and_removes(lucky: Tenant, alice: Gambler, table: str, capsys: Any) -> None:
    call_command("masked_words", first=True)
    call_command("masked_words", first=True, add=["darn"], remove=["fuck"])
    listed = capsys.readouterr().out.split()
    assert "darn" in listed
    assert listed.count("fuck") == 2
    assert say(alice, table, "Sch3isse, sh!t").json()["text"] == "********, ****"
    with pytest.raises(CommandError, match="There is no operator"):
        call_command("masked_words", operator="nobody")
    with pytest.raises(CommandError, match="not on the list"):
        call_command("masked_words", remove=["nonsense"])
