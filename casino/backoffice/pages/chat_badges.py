"""What waits of chats, for the admin's side bar."""

from typing import Final

from django.db.models import Exists, OuterRef

from baccarat.chat.models import ChatReportClosure, ChatReport
from casino.backoffice.badges import Waiting

reports: Final = Waiting(
    "chat.view_chatreport",
    lambda: ChatReport.objects.filter(~Exists(ChatReportClosure.objects.filter(pk=OuterRef("pk")))),
)
"""Reports that wait for a moderator."""
