"""The product's source, parsed once."""

import ast
import functools
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parent.parent.parent
APPS = ("baccarat", "casino", "wallet")


class Module(NamedTuple):
    path: str
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        return self.text.count("\n")

    @property
    def name(self) -> str:
        return self.path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


@functools.cache
def tracked() -> tuple[str, ...]:
    """List the files that git knows, or every file where this is no clone."""
    listing = subprocess.run(["git", "ls-files"], cwd=PROJECT, capture_output=True, text=True, check=False)  # noqa: S607
    if listing.returncode == 0 and listing.stdout:
        return tuple(path for path in listing.stdout.splitlines() if (PROJECT / path).exists())
    paths = (path.relative_to(PROJECT) for path in PROJECT.rglob("*") if path.is_file())
    return tuple(str(path) for path in paths if not any(part.startswith((".", "__pycache__")) for part in path.parts))


@functools.cache
def modules(*folders: str) -> tuple[Module, ...]:
    """Parse all Python files below the folders, migrations excepted."""
    return tuple(
        _module(path)
        for path in tracked()
        if path.endswith(".py") and path.split("/", 1)[0] in folders and "/migrations/" not in path
    )


@functools.cache
def _module(path: str) -> Module:
    text = (PROJECT / path).read_text(encoding="utf-8")
    return Module(path, text, ast.parse(text))


def public_definitions(module: Module) -> Iterator[str]:
    """Yield names of public classes and functions, of methods too, and of public constants."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield node.name
    for node in module.tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and not target.id.startswith("_"):
            yield target.id
