"""A migration only expands the database, so that the release before runs on; what it used is removed a release later.

django-migration-linter judges the statements of every migration but those that create an app's tables.
"""

import gzip
import json
import re
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest
from django.apps import AppConfig, apps
from django_migration_linter import MigrationLinter
from django_migration_linter.sql_analyser import PostgresqlAnalyser
from django_migration_linter.sql_analyser.base import Check, CheckMode, CheckType

from casino.devstack.home import PROJECT

DOCS: Final = PROJECT / "deploy" / "docs"
CONTRACTIONS: Final[dict[str, str]] = {}
"""Names of migrations that remove what the release before does not use any more, each with that release."""
CONTRACTING: Final = ("DROP_COLUMN", "DROP_TABLE")
"""What only they may do."""

OLD = """
from django.db import migrations, models

class Migration(migrations.Migration):
    initial = True
    operations = [
        migrations.CreateModel("Chip", [("id", models.BigAutoField(primary_key=True)), ("colour", models.TextField())]),
    ]
"""
NEW = """
from django.db import migrations, models

class Migration(migrations.Migration):
    dependencies = [("late", "0001_initial")]
    operations = [{operation}]
"""


class Analyser(PostgresqlAnalyser):
    """Refuses constraints, too, for which PostgreSQL reads the whole table under a lock."""

    migration_checks = [
        *PostgresqlAnalyser.migration_checks,
        Check(
            code="ADD_CONSTRAINT",
            fn=lambda sql, **_: re.search("ADD CONSTRAINT .* (CHECK|FOREIGN KEY)", sql) and "NOT VALID" not in sql,
            message="ADDING a constraint without NOT VALID",
            mode=CheckMode.ONE_LINER,
            type=CheckType.ERROR,
        ),
    ]


def refused(*labels: str, allowed: tuple[str, ...] = (), **names: list[str]) -> int:
    """Return how many migrations of these apps the linter refuses."""
    linter = MigrationLinter(
        include_apps=labels,
        analyser_string="postgresql",
        ignore_initial_migrations=True,
        all_warnings_as_errors=True,
        exclude_migration_tests=allowed,
        **names,
    )
    linter.sql_analyser_class = Analyser
    linter.lint_all_migrations()
    return int(linter.nb_erroneous)


def own_labels() -> list[str]:
    """Return the apps of this project."""
    ours = [PROJECT / name for name in ("casino", "wallet", "baccarat")]
    return [each.label for each in apps.get_app_configs() if any(Path(each.path).is_relative_to(name) for name in ours)]


@pytest.mark.usefixtures("database")  # some statements can't be asked for within a transaction
def test_every_migration_leaves_the_release_before_running() -> None:
    names = {path.stem for path in PROJECT.glob("*/**/migrations/0*.py")}
    assert CONTRACTIONS.keys() <= names
    published = json.loads(gzip.decompress((DOCS / "events.json.gz").read_bytes()))
    if f"## {published['version']} (not released)" in (DOCS / "changelog.md").read_text(encoding="utf-8"):
        pytest.skip("no release came before")
    assert refused(*own_labels(), ignore_name=[*CONTRACTIONS, *published["migrations"]]) == 0
    assert refused(*own_labels(), ignore_name=list(names - CONTRACTIONS.keys()), allowed=CONTRACTING) == 0


@pytest.fixture
def late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """Install an app `late`; return the folder of its migrations."""
    folder = tmp_path / "late" / "migrations"
    folder.mkdir(parents=True)
    for path in (folder / "__init__.py", folder.parent / "__init__.py"):
        path.touch()
    (folder / "0001_initial.py").write_text(OLD, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    config = AppConfig.create("late")
    config.apps, config.models = apps, {}
    apps.app_configs["late"] = config  # not by INSTALLED_APPS, for which every app would register its parts again
    apps.clear_cache()
    yield folder
    del apps.app_configs["late"]
    apps.clear_cache()
    for name in [name for name in sys.modules if name.partition(".")[0] == "late"]:
        del sys.modules[name]


@pytest.mark.usefixtures("db")
@pytest.mark.parametrize(
    ("operation", "wrong"),
    [
        ('migrations.AddField("Chip", "note", models.TextField(null=True))', 0),
        ('migrations.AddField("Chip", "note", models.TextField(db_default=""))', 0),
        ('migrations.CreateModel("Stack", [("id", models.BigAutoField(primary_key=True))])', 0),
        ('migrations.AddField("Chip", "note", models.TextField(default=""))', 1),
        ('migrations.AlterField("Chip", "colour", models.IntegerField())', 1),
        ('migrations.RemoveField("Chip", "colour")', 1),
        ('migrations.RenameField("Chip", "colour", "color")', 1),
        ('migrations.DeleteModel("Chip")', 1),
        ('migrations.AlterModelTable("Chip", "chips")', 1),
        ('migrations.AddIndex("Chip", models.Index(fields=["colour"], name="chip_colour"))', 1),
        ('migrations.AddConstraint("Chip", models.UniqueConstraint(fields=["colour"], name="chip_colour"))', 1),
        ('migrations.AddConstraint("Chip", models.CheckConstraint(condition=models.Q(colour="red"), name="red"))', 1),
        ('migrations.RunSQL("ALTER TABLE late_chip DROP COLUMN colour")', 1),
    ],
)  # fmt: skip
def test_what_the_release_before_could_not_run_beside_is_refused(late: Path, operation: str, wrong: int) -> None:
    (late / "0002_next.py").write_text(NEW.format(operation=operation), encoding="utf-8")
    assert refused("late") == wrong
