"""Models for Django, which looks for them here; they are defined in `storage`."""

from baccarat.storage.models import *
