"""What waits of chats, for the admin's side bar."""

from typing import Final

from django.db.models import Exists, OuterRef

from baccarat.chat.models import Closing, Report
from casino.backoffice.badges import Waiting

reports: Final = Waiting(
    "chat.view_report", lambda: Report.objects.filter(~Exists(Closing.objects.filter(pk=OuterRef("pk"))))
)
"""Reports that wait for a moderator."""
