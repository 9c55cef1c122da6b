"""Commands in the documents run as printed; their examples, links, paths and names match the code."""

import doctest
import re
import runpy
from argparse import ArgumentParser, _SubParsersAction
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from casino.devstack.home import PROJECT
from casino.reports.definition import report_definitions
from casino.staff import duties
from casino.staff.duties import Act, DutySide, Role
from tests.architecture.source import tracked
from tests.baccarat.api import contract
from tests.nightly.parts import parts
from tests.system.deploy.compose import services

DOCS = PROJECT / "deploy" / "docs"
SETTINGS_SCRIPT = runpy.run_path(str(PROJECT / "deploy" / "variables.py"))
GUIDES = (PROJECT / "README.md", *sorted(DOCS.rglob("*.md")))
PACKAGES = tuple(PROJECT / name / "README.md" for name in ("casino/checkpoints", "wallet", "baccarat/domain/fairness"))
ALL = (*GUIDES, *PACKAGES, PROJECT / "tests" / "README.md")
WALKED = (PROJECT / "README.md", *sorted((DOCS / "integration").glob("*.md")))
"""Documents that a reader follows line by line: every shell block of these is run."""
NOT_RUN = {
    "make play": "it plays for minutes: tests/system/casino/devstack/test_play.py runs it",
    "make test": "it would run this test: .ci/run runs it",
    "make serve": "it never ends: its command, `manage.py up`, is the system that the other lines talk to",
}
WITHOUT_DJANGO = {"healthcheck", "witness"}
"""Commands that manage.py handles before Django is loaded."""
LARGEST_IMAGE = 250_000
REQUIRED_BY_DJANGO = {"management", "migrations", "static", "templates", "templatetags"}


def name_of(path: Path) -> str:
    """Return a document's path, for test ids."""
    return str(path.relative_to(PROJECT))


each_document = pytest.mark.parametrize("document", ALL, ids=name_of)


@dataclass(frozen=True, slots=True)
class Text:
    """A document's fenced blocks with their languages, and its prose: lines outside of blocks and tables."""

    blocks: tuple[tuple[str, str], ...]
    prose: tuple[str, ...]

    def of(self, language: str) -> list[str]:
        return [block for name, block in self.blocks if name == language]


def read(path: Path) -> Text:
    """Split a document into blocks and prose."""
    pieces = re.split(r"^```(.*)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    fences, outside = pieces[1::2], pieces[::4]
    blocks = tuple(zip(fences[::2], (block.lstrip("\n") for block in pieces[2::4]), strict=True))
    lines = "\n".join(outside).splitlines()
    return Text(blocks, tuple(line for line in lines if not line.startswith(("|", "    "))))


def command_of(line: str) -> str:
    """Return a shell line without its comment."""
    return line.partition(" #")[0].strip()


def test_commands_not_run_here_are_run_elsewhere():
    printed = {command_of(line) for path in WALKED for block in read(path).of("sh") for line in block.splitlines()}
    assert NOT_RUN.keys() <= printed
    ci = (PROJECT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert {command for command, reason in NOT_RUN.items() if ".ci/run" in reason} <= set(ci)
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^serve:\n(?:\t.*\n)*\t.* manage\.py up ", makefile, re.MULTILINE)


@each_document
def test_every_python_example_prints_what_it_says(document):
    for number, block in enumerate(read(document).of("python")):
        name = f"{name_of(document)}[{number}]"
        example = doctest.DocTestParser().get_doctest(block, {}, name, str(document), 0)
        assert example.examples, f"{name} has no >>>"
        assert doctest.DocTestRunner().run(example).failed == 0


def test_the_readme_is_short():
    assert len((PROJECT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


@each_document
def test_no_line_of_prose_is_too_long(document):
    assert [line for line in read(document).prose if len(line) > 120] == []


def anchors(path: Path) -> set[str]:
    """Return the anchors of a document's headings."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_document
def test_every_relative_link_has_a_target(document):
    for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = (document.parent / path).resolve() if path else document
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


def test_every_image_is_used_and_small():
    used = {target for path in GUIDES for target in re.findall(r"!\[.+\]\((.+)\)", path.read_text(encoding="utf-8"))}
    images = list((DOCS / "images").iterdir())
    assert {Path(target).name for target in used} == {image.name for image in images}
    assert [image.name for image in images if image.stat().st_size >= LARGEST_IMAGE] == []


def folder_map() -> dict[str, set[str]]:
    """Parse the README's folder map: the folders named below each folder."""
    block = (PROJECT / "README.md").read_text(encoding="utf-8").partition("## The folders\n")[2].partition("\n## ")[0]
    folders_of: dict[str, set[str]] = {"": set()}
    at: list[tuple[int, str]] = [(-1, "")]
    for line in block.strip("\n").splitlines():
        depth = len(line) - len(line.lstrip())
        at = [(before, folder) for before, folder in at if before < depth]
        above = at[-1][1]
        names = re.match(r"\s*((?:[a-z_]+/ ?)+)", line)
        assert names, line
        folders = names[1].replace("/", "").split()
        folders_of.setdefault(above, set()).update(f"{above}/{name}".lstrip("/") for name in folders)
        if len(folders) == 1:
            at.append((depth, f"{above}/{folders[0]}".lstrip("/")))
            inner = re.findall(r"([a-z_]+)/(?=[\s]|$)", line[names.end() :])
            if inner:
                folders_of[at[-1][1]] = {f"{at[-1][1]}/{name}" for name in inner}
    return folders_of


def packages(folder: str) -> set[str]:
    """Return the packages directly below a folder, without those that Django requires."""
    below = (PROJECT / folder).iterdir()
    return {
        str(each.relative_to(PROJECT))
        for each in below
        if each.is_dir() and each.name not in REQUIRED_BY_DJANGO and any(each.glob("*.py"))
    }


def test_the_folder_map_matches_the_tree():
    folders = folder_map()
    assert folders.pop("") == {path.split("/")[0] for path in tracked() if "/" in path and not path.startswith(".")}
    assert folders.keys() >= {"casino", "wallet", "baccarat", "baccarat/domain"}
    for folder in ("casino", "wallet", "baccarat", "baccarat/domain"):
        assert folders[folder] == packages(folder), folder


@each_document
def test_every_path_exists(document):
    text = document.read_text(encoding="utf-8")
    for path in re.findall(r"`((?:casino|wallet|baccarat|tests|deploy|\.ci)/[\w./-]+)", text):
        assert (PROJECT / path).exists(), path


@each_document
def test_every_command_and_option_exists(document):
    for command, rest in re.findall(r"manage\.py ([a-z_-]+)([^`|\n#]*)", document.read_text(encoding="utf-8")):
        if command not in WITHOUT_DJANGO:
            assert command in get_commands(), command
            known = load_command_class(get_commands()[command], command).create_parser("manage.py", command)
            options = set(re.findall(r"--[a-z-]+", rest))
            assert options <= options_of(known), (command, options)


def options_of(parser: ArgumentParser) -> set[str]:
    """Return the options of a command and of its subcommands."""
    own = {option for action in parser._actions for option in action.option_strings}
    below = [action.choices for action in parser._actions if isinstance(action, _SubParsersAction)]
    return own.union(*(options_of(each) for choices in below for each in choices.values()))


@each_document
def test_every_target_of_make_exists(document):
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE)) | {part.name for part in parts()}
    made = set(re.findall(r"`make ([\w-]+)", document.read_text(encoding="utf-8")))
    assert made - targets == set()


@each_document
def test_every_api_path_is_documented(document):
    known = {f"{operation.method.upper()} {operation.path}" for operation in contract.operations()}
    named = re.findall(r"\b(GET|POST|PUT|DELETE) (/[\w/{}-]+)", document.read_text(encoding="utf-8"))
    for method, path in named:
        whole = path if path.startswith("/api/v1/") else f"/api/v1{path}"
        assert f"{method} {whole}" in known or path in {"/livez", "/readyz", "/healthz", "/metrics"}, f"{method} {path}"


def first_cells(document: Path, heading: str) -> list[str]:
    """Return the first cell of each row of the table below a heading."""
    section = document.read_text(encoding="utf-8").partition(f" {heading}\n")[2]
    rows = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert rows, heading
    return [cell.strip().strip("`") for cell in re.findall(r"^\|([^|]*)\|", rows[0], re.MULTILINE)][2:]


@pytest.mark.parametrize("name", SETTINGS_SCRIPT["FILES"])
def test_what_repeats_the_table_of_settings_is_what_make_settings_writes(name: str):
    text = (PROJECT / "deploy" / name).read_text(encoding="utf-8")
    assert SETTINGS_SCRIPT["FILES"][name](text) == text


def test_the_listed_processes_are_those_of_compose():
    assert set(first_cells(DOCS / "operations.md", "Processes")) == services().keys() - {"migrate", "settings"}


def duty_row(act: Act) -> str:
    """Return an act as the table of duties has it."""
    key = "no" if act.scope is None else f"`{act.scope}`" + (", a person" if act.assertion else "")
    persons = f"{act.persons}, {act.persons + 1} {act.one_more}" if act.one_more else str(act.persons)
    cells = (
        act.what, act.side, act.holders, key,
        f"{persons}, a day later" if act.delayed else persons, f"`{act.event}`" if act.event else "no",
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def test_the_table_of_duties_is_that_of_the_code():
    order = list(DutySide)
    acts = sorted(duties.acts(), key=lambda act: (order.index(act.side), act.name))
    table = "\n".join(map(duty_row, acts))
    assert f"\n|---|---|---|---|---|---|\n{table}\n\n## Four eyes\n" in (DOCS / "compliance.md").read_text(
        encoding="utf-8"
    )


def test_the_listed_roles_and_reports_are_those_of_the_code():
    assert first_cells(DOCS / "compliance.md", "Roles") == [role.value for role in Role]
    assert set(first_cells(DOCS / "compliance.md", "Reports")) == set(report_definitions())
