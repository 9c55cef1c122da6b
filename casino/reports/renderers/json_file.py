"""JSON: the document as it was kept, so that its SHA-256 is the one on record."""

from typing import Final

from casino.reports.renderers.base import Renderer

JSON: Final = Renderer("json", "application/json", None)
