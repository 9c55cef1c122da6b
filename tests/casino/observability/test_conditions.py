"""The table of conditions and the runbook say the same: sections, in the same order, with the same commands."""

import re

from casino.devstack.home import PROJECT
from casino.observability.conditions import CONDITIONS, anchor

RUNBOOK = (PROJECT / "deploy" / "docs" / "runbook.md").read_text(encoding="utf-8")
PARTS = re.split(r"^### (.+)\n", RUNBOOK.partition("\n## Conditions\n")[2].partition("\n## ")[0], flags=re.MULTILINE)
SECTIONS = dict(zip(PARTS[1::2], PARTS[2::2], strict=True))


def test_every_condition_has_a_section_of_the_runbook_and_every_section_a_condition() -> None:
    assert list(SECTIONS) == list(dict.fromkeys(row.section for row in CONDITIONS.values()))
    headings = [re.sub(r"[^\w\- ]", "", each.lower()) for each in re.findall(r"^#+ (.+)$", RUNBOOK, re.MULTILINE)]
    anchors = [heading.replace(" ", "-") for heading in headings]
    assert [anchors.count(anchor(name)) for name in CONDITIONS] == [1] * len(CONDITIONS)


def test_each_section_has_the_command_that_messages_begin_with() -> None:
    for row in CONDITIONS.values():
        if row.command.startswith(("docker", "manage.py", "psql", "df")):
            words = row.command.partition(";")[0].split()
            command = " ".join(words[:3] if row.section == "Processes" else words)
            assert command in " ".join(SECTIONS[row.section].split()), command


def test_the_runbook_leads_nowhere_but_to_itself() -> None:
    """It is read in the admin, where other documents are not."""
    links = re.findall(r"\]\(([^)]+)\)", RUNBOOK)
    assert links
    assert [link for link in links if not link.startswith("#")] == []
