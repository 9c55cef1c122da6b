"""Small faults put into the code one at a time, which tests have to notice. Pure."""

import ast
import difflib
import functools
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

AREAS: Final = {
    "rules": ("baccarat/domain/rules",),
    "rounds": ("baccarat/domain/rounds", "baccarat/domain/tables"),
    "wallet": ("wallet",),
    "permissions": ("casino/operators", "casino/staff"),
}
"""As many mutants are drawn of each."""
LEFT_OUT: Final = {"migrations", "management", "models", "apps", "tasks", "retention_sql"}
"""What is declared to the database and to Django, which migrations and commands would have to follow."""
COMPARISONS: Final[Mapping[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
SUMS: Final[Mapping[type[ast.operator], type[ast.operator]]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}
QUIET: Final = ("log", "logger", "dataclass", "field(", "lru_cache", "super().__init__")
"""Calls, by their beginning, whose absence or arguments nobody has to notice."""
BOUNDS: Final = {"max_length"}
"""Arguments that may be one more or less."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A file, the lines of the statement that differs, and the whole text before and after."""

    file: str
    lines: range
    before: str
    after: str

    @property
    def diff(self) -> str:
        """What differs, as a unified diff."""
        lines = (text.splitlines() for text in (self.before, self.after))
        return "\n".join(difflib.unified_diff(*lines, self.file, self.file, n=2, lineterm=""))

    @property
    def change(self) -> str:
        """What differs without its place: the lines before, and after."""
        return "\n".join(line for line in self.diff.splitlines()[2:] if line[0] in "-+")


def sources(root: Path, area: str) -> Iterator[Path]:
    """Yield the modules of an area."""
    for folder in AREAS[area]:
        for path in sorted((root / folder).rglob("*.py")):
            if LEFT_OUT.isdisjoint((*path.relative_to(root).parts[:-1], path.stem)):
                yield path


def drawn(root: Path, area: str, chance: Random) -> Iterator[Mutant]:
    """Yield mutants of an area without end, of larger modules more often."""
    paths = list(sources(root, area))
    sizes = [path.stat().st_size for path in paths]
    while True:
        (path,) = chance.choices(paths, sizes)
        if every := mutants(path, root):
            yield chance.choice(every)


def _constants(folder: Path) -> dict[str, list[str]]:
    """Return the names that a folder's modules use of each class of constants, such as Scope."""
    found = defaultdict[str, set[str]](set)
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if _is_constant(node):
                found[node.value.id].add(node.attr)  # type: ignore[attr-defined]
    return {name: sorted(members) for name, members in found.items()}


def _is_constant(node: ast.AST) -> bool:
    """Return whether this reads as Scope.PLAY does."""
    of = node.value if isinstance(node, ast.Attribute) else None
    return isinstance(of, ast.Name) and of.id[0].isupper() and not of.id.isupper() and node.attr.isupper()  # type: ignore[attr-defined]


@functools.cache
def mutants(path: Path, root: Path) -> tuple[Mutant, ...]:
    """Return every mutant of a module."""
    return tuple(_mutants(path, root))


def _mutants(path: Path, root: Path) -> Iterator[Mutant]:
    text = path.read_bytes()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for statement, node, new in _faults(ast.parse(text), _constants(path.parent)):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        after = text[:begin] + new.encode() + text[end:]
        yield Mutant(str(path.relative_to(root)), _lines(statement), text.decode(), after.decode())


def _lines(statement: ast.stmt) -> range:
    body = getattr(statement, "body", None)
    return range(statement.lineno, body[0].lineno if body else (statement.end_lineno or statement.lineno) + 1)


def _faults(tree: ast.Module, known: Mapping[str, list[str]]) -> Iterator[tuple[ast.stmt, ast.stmt | ast.expr, str]]:
    """Yield the statement, the node in it and what replaces its text."""
    for statement, node in _walk(tree, tree):
        if isinstance(node, ast.stmt):
            yield from ((statement, node, each) for each in _of_statement(node))
        else:
            yield from ((statement, node, f"({each})") for each in _of_expression(node, known))
        match node:
            case ast.If(test=ast.Name() | ast.Attribute() | ast.Call() as test):
                yield statement, test, f"(not {ast.unparse(test)})"


def _walk(node: ast.AST, statement: ast.AST) -> Iterator[tuple[ast.stmt, ast.stmt | ast.expr]]:
    """Yield what may be replaced, with its statement: no annotation, no text, no call that is quiet."""
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            quiet = isinstance(child, ast.Call | ast.Expr) and ast.unparse(child).startswith(QUIET)
            quiet = quiet or (isinstance(child, ast.keyword) and child.arg in BOUNDS)
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr | ast.pattern) or quiet:
                continue
            inside = child if isinstance(child, ast.stmt) else statement
            if isinstance(child, ast.stmt | ast.expr):
                yield inside, child  # type: ignore[misc]
            yield from _walk(child, inside)


def _of_statement(node: ast.stmt) -> list[str]:
    match node:
        case ast.Expr(ast.Call()) | ast.Raise():
            return ["pass"]
        case ast.Return(ast.expr() as value) if not isinstance(value, ast.Constant):
            return ["return None"]
        case ast.AugAssign(target, ast.Add() | ast.Sub() as sign, value):
            return [ast.unparse(ast.AugAssign(target, SUMS[type(sign)](), value))]
    return []


def _of_expression(node: ast.expr, known: Mapping[str, list[str]]) -> Iterator[str]:
    match node:
        case ast.Compare(left, [first, *more], others):
            yield ast.unparse(ast.Compare(left, [COMPARISONS[type(first)](), *more], others))
        case ast.BoolOp(sign, values):
            yield ast.unparse(ast.BoolOp(ast.Or() if isinstance(sign, ast.And) else ast.And(), values))
        case ast.UnaryOp(ast.Not(), operand):
            yield ast.unparse(operand)
        case ast.IfExp(test, one, other):
            yield ast.unparse(ast.IfExp(test, other, one))
        case ast.BinOp(left, ast.Add() | ast.Sub() as sign, right):
            yield ast.unparse(ast.BinOp(left, SUMS[type(sign)](), right))
        case ast.Constant(bool() as value):
            yield str(not value)
        case ast.Constant(int() as value):
            yield from (str(value + 1), str(value - 1))
        case ast.Attribute(ast.Name(of), name) if _is_constant(node) and len(known[of]) > 1:
            members = known[of]
            yield f"{of}.{members[(members.index(name) + 1) % len(members)]}"
