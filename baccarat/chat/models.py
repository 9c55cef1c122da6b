"""Tables of chats.

Messages, reports, closures and moderation actions hold personal texts: they are kept beside the log and never change.
PlayerModeration and FilterWord are projections of the log. ClosedChat is a player's own choice.
"""

from django.contrib.postgres.indexes import BrinIndex
from django.db import models


class ChatMessage(models.Model):
    """A message: `text` as it was written, `displayed_text` as players see it. Ids ascend with time."""

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    table_id = models.UUIDField()
    seat = models.IntegerField()
    player_id = models.UUIDField()
    text = models.TextField()
    displayed_text = models.TextField()
    salt = models.BinaryField()
    sent_at = models.DateTimeField()

    class Meta:
        verbose_name = "chat message"
        indexes = [
            models.Index(fields=["table_id", "-id"], name="chat_message_table"),
            models.Index(fields=["player_id", "-sent_at"], name="chat_message_player"),
            models.Index(fields=["operator_id", "-id"], name="chat_message_operator"),
            BrinIndex(fields=["sent_at"], name="chat_message_sent", autosummarize=True, pages_per_range=16),
        ]

    def __str__(self) -> str:
        return f"message {self.id}"


class ChatReport(models.Model):
    """A player's report of another one, for one message or in general."""

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    table_id = models.UUIDField()
    seat = models.IntegerField()
    player_id = models.UUIDField()
    reporter_id = models.UUIDField()
    message_id = models.UUIDField(null=True)
    reason = models.TextField()
    salt = models.BinaryField()
    reported_at = models.DateTimeField()

    class Meta:
        verbose_name = "chat report"
        constraints = [
            models.UniqueConstraint(
                fields=["reporter_id", "message_id"],
                condition=models.Q(message_id__isnull=False),
                name="chat_report_once",
            )
        ]
        indexes = [
            models.Index(fields=["operator_id", "-id"], name="chat_report_operator"),
            models.Index(fields=["reporter_id", "-reported_at"], name="chat_report_reporter"),
            models.Index(fields=["player_id", "-id"], name="chat_report_player"),
        ]
        permissions = [("moderate", "Can close reports, mute and unmute"), ("ban_player", "Can ban players")]

    def __str__(self) -> str:
        return f"report {self.id}"


class ChatReportClosure(models.Model):
    """The outcome of a report; a report without one is open."""

    report_id = models.UUIDField(primary_key=True)
    outcome = models.TextField()
    note = models.TextField()
    salt = models.BinaryField()
    by = models.TextField()
    closed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"closure of {self.report_id}"


class ModerationAction(models.Model):
    """A mute, ban, or the end of one."""

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    player_id = models.UUIDField()
    kind = models.TextField()
    reason = models.TextField(null=True)
    until = models.DateTimeField(null=True)
    note = models.TextField()
    salt = models.BinaryField()
    by = models.TextField()
    acted_at = models.DateTimeField()

    class Meta:
        verbose_name = "moderator action"
        verbose_name_plural = "moderator actions"
        indexes = [
            models.Index(fields=["player_id", "-id"], name="chat_action_player"),
            models.Index(fields=["operator_id", "-id"], name="chat_action_operator"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class PlayerModeration(models.Model):
    """A player's last mute and ban, after `version` events of the player's stream."""

    player_id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    version = models.IntegerField()
    mute_reason = models.TextField(null=True)
    muted_until = models.DateTimeField(null=True)
    ban_reason = models.TextField(null=True)
    banned_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"moderation of {self.player_id}"


class FilterWord(models.Model):
    """A word that is masked, in the chats of one operator or, where it is null, of all."""

    id = models.TextField(primary_key=True)
    operator_id = models.UUIDField(null=True)
    word = models.TextField()
    normalized = models.TextField()
    added_at = models.DateTimeField()

    class Meta:
        verbose_name = "filter word"
        indexes = [models.Index(fields=["normalized"], name="chat_filter_word_normalized")]
        permissions = [("edit_filter_words", "Can add and remove filter words")]

    def __str__(self) -> str:
        return self.word


class ClosedChat(models.Model):
    """A player closed the chat of a table. The key is `{table}/{player}`."""

    id = models.TextField(primary_key=True)
    closed_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.id
