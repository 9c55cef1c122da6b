"""Which reports there are: settings.REPORTS names each by a dotted path, as they live in the parts they are about."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from django.conf import settings
from django.utils.module_loading import import_string

from casino.reports.definition import Definition
from casino.reports.refusals import UnknownReport


@lru_cache(maxsize=1)
def definitions() -> Mapping[str, Definition]:
    """Return every report there is by its name, in the order of the settings."""
    loaded: list[Definition] = [import_string(path) for path in settings.REPORTS]
    return MappingProxyType({each.name: each for each in loaded})


def find(name: str) -> Definition:
    """Return one report. Raises UnknownReport."""
    found = definitions().get(name)
    if found is None:
        raise UnknownReport(f"{name[:40]!r} is none of {', '.join(definitions())}.")
    return found
