"""Which reports there are: settings.REPORTS names each by a dotted path, as they live in the parts they are about."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from django.conf import settings
from django.utils.module_loading import import_string

from casino.reports.definition import ReportDefinition
from casino.reports.refusals import UnknownOperatorReport


@lru_cache(maxsize=1)
def report_definitions() -> Mapping[str, ReportDefinition]:
    """Return every report there is by its name, in the order of the settings."""
    loaded: list[ReportDefinition] = [import_string(path) for path in settings.REPORTS]
    return MappingProxyType({each.name: each for each in loaded})


def find_definition(name: str) -> ReportDefinition:
    """Return one report. Raises UnknownReport."""
    found = report_definitions().get(name)
    if found is None:
        raise UnknownOperatorReport(f"{name[:40]!r} is none of {', '.join(report_definitions())}.")
    return found
