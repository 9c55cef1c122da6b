"""The bodies of the operations about chats."""

from typing import Any, Final

from rest_framework import serializers

from baccarat.chat.events import ModerationReason, ReportOutcome
from casino.api.fields import EnumField, FlagField, StrictSerializer, TextField, WholeNumberField

LONGEST_REMARK: Final = 500


class WrittenField(TextField):
    """A message as it is written: its length is judged after normalisation, its characters by the chat's own rules."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_blank=True, trim_whitespace=False, **options)

    def to_internal_value(self, data: Any) -> str:
        """Check that it is text."""
        if not isinstance(data, str):
            self.fail_as_text()
        return str(data)

    def fail_as_text(self) -> None:
        """Refuse what is no text."""
        raise serializers.ValidationError("This must be text.", code="not_a_string")


class MessageRequest(StrictSerializer):
    """Something to say at a table."""

    text = WrittenField(help_text="One line of plain text, 1 to 200 characters after normalisation (NFC).")


class OpenRequest(StrictSerializer):
    """Whether the chat is open."""

    open = FlagField()


class OpenShown(serializers.Serializer[Any]):
    """Whether the chat is open."""

    open = serializers.BooleanField()


class ReportRequest(StrictSerializer):
    """What is wrong with a message."""

    reason = TextField(max_length=LONGEST_REMARK, required=False, allow_blank=True, default="")


class PlayerReportRequest(ReportRequest):
    """What is wrong with the player in a seat."""

    seat = WholeNumberField()


class ReportMade(serializers.Serializer[Any]):
    """The report that was made."""

    report = serializers.UUIDField()


class MessageShown(serializers.Serializer[Any]):
    """A message as players see it: plain text, to be shown as text and never as markup."""

    id = serializers.UUIDField()
    seat = serializers.IntegerField(help_text="Where its writer sat then.")
    you = serializers.BooleanField(help_text="Whether you wrote it.")
    text = serializers.CharField(help_text="Listed words are covered with asterisks.")
    sent_at = serializers.DateTimeField()


class BanShown(serializers.Serializer[Any]):
    """A mute or a removal."""

    until = serializers.DateTimeField(allow_null=True, help_text="Null for good.")
    reason = serializers.CharField()


class ChatShown(serializers.Serializer[Any]):
    """A page of a table's chat, newest first, and how it stands for you."""

    open = serializers.BooleanField(help_text="False where you have closed it.")
    can_write = serializers.BooleanField(help_text="You sit here, have not closed the chat and are not muted.")
    muted = BanShown(allow_null=True)
    items = MessageShown(many=True)
    next = serializers.CharField(allow_null=True)


class BanRequest(StrictSerializer):
    """Why, for how long, and what other staff should know."""

    reason = EnumField(ModerationReason)
    minutes = WholeNumberField(allow_null=True, help_text="1 to 525600, or null for good.")
    note = TextField(max_length=LONGEST_REMARK, required=False, allow_blank=True, default="")


class NoteRequest(StrictSerializer):
    """What other staff should know."""

    note = TextField(max_length=LONGEST_REMARK, required=False, allow_blank=True, default="")


class CloseRequest(NoteRequest):
    """What came of a report."""

    outcome = EnumField(ReportOutcome)


class ConductShown(serializers.Serializer[Any]):
    """What moderators have said last about a player; `until` may have passed."""

    player = serializers.UUIDField()
    muted = BanShown(allow_null=True)
    removed = BanShown(allow_null=True)


class ActShown(serializers.Serializer[Any]):
    """What a moderator did."""

    id = serializers.UUIDField()
    kind = serializers.CharField(help_text="The event: PlayerMuted, PlayerUnmuted, PlayerBanned, PlayerUnbanned.")
    reason = serializers.CharField(allow_null=True)
    until = serializers.DateTimeField(allow_null=True)
    note = serializers.CharField()
    by = serializers.CharField()
    done_at = serializers.DateTimeField()


class ConductPage(ConductShown):
    """What holds for a player, and a page of what moderators did, newest first."""

    items = ActShown(many=True)
    next = serializers.CharField(allow_null=True)


class WrittenShown(serializers.Serializer[Any]):
    """A message as moderators see it."""

    id = serializers.UUIDField()
    table = serializers.UUIDField()
    seat = serializers.IntegerField()
    written = serializers.CharField(help_text="As the player wrote it.")
    shown = serializers.CharField(help_text="As players see it.")
    sent_at = serializers.DateTimeField()


class WrittenPage(serializers.Serializer[Any]):
    """A page of a player's messages, newest first."""

    items = WrittenShown(many=True)
    next = serializers.CharField(allow_null=True)


class ReportShown(serializers.Serializer[Any]):
    """A report as moderators see it."""

    id = serializers.UUIDField()
    table = serializers.UUIDField()
    seat = serializers.IntegerField()
    player = serializers.UUIDField(help_text="Who was reported.")
    reporter = serializers.UUIDField()
    reason = serializers.CharField()
    reported_at = serializers.DateTimeField()
    message = serializers.UUIDField(allow_null=True, help_text="Null where the player was reported as such.")
    written = serializers.CharField(allow_null=True, help_text="The message as it was written.")
    outcome = serializers.CharField(allow_null=True, help_text="dismissed or acted_on; null for one that waits.")
    note = serializers.CharField(allow_null=True)
    closed_by = serializers.CharField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)


class ReportPage(serializers.Serializer[Any]):
    """A page of reports, newest first."""

    items = ReportShown(many=True)
    next = serializers.CharField(allow_null=True)


class ReportQuery(serializers.Serializer[Any]):
    """Which reports are listed."""

    status = serializers.ChoiceField(["open", "all"], default="open")


class WordRequest(StrictSerializer):
    """A word."""

    word = TextField(max_length=40)


class WordShown(serializers.Serializer[Any]):
    """A word that is masked, with its look-alikes."""

    word = serializers.CharField()
    folded = serializers.CharField(help_text="The form in which words are compared.")
    all_operators = serializers.BooleanField(
        help_text="Whether it holds for every operator; those are not yours to remove."
    )
    added_at = serializers.DateTimeField()


class WordsShown(serializers.Serializer[Any]):
    """The words that are masked in an operator's chats."""

    items = WordShown(many=True)
