"""The reports that there are. Apps register theirs in AppConfig.ready()."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from casino.reports.definition import ReportDefinition
from casino.reports.refusals import UnknownOperatorReport

_definitions: Final[dict[str, ReportDefinition]] = {}


def register(*definitions: ReportDefinition) -> None:
    _definitions.update((definition.name, definition) for definition in definitions)


def report_definitions() -> Mapping[str, ReportDefinition]:
    """Return every report by its name."""
    return MappingProxyType(_definitions)


def find_definition(name: str) -> ReportDefinition:
    """Raises UnknownOperatorReport."""
    definition = _definitions.get(name)
    if definition is None:
        raise UnknownOperatorReport(f"{name[:40]!r} is none of {', '.join(_definitions)}.")
    return definition
