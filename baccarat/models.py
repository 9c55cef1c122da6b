"""Where Django looks for models; they are in `storage`."""

from baccarat.storage.models import *
