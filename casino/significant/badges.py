"""What waits of significant events, for the admin's side bar."""

from typing import Final

from casino.admin.waiting import Waiting
from casino.significant.models import Unacknowledged

unacknowledged: Final = Waiting("significant.view_significantevent", Unacknowledged.objects.all)
"""Significant events that nobody has acknowledged."""
