"""Write what repeats the table of settings (casino/variables.py): `make settings`, after each change of the table.

In YAML, the lines of variables after CASINO_ENV or CASINO_PROCESS, or in a secret after those of all, are replaced.
"""

import re
import sys
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path

DEPLOY = Path(__file__).resolve().parent
sys.path.insert(0, str(DEPLOY.parent))

from casino.variables import CONTAINERS, PROCESSES, TABLE, Number, Variable  # noqa: E402

HANDED_ON = [each for each in TABLE if each.deployed and not each.fixed]
IN_CLUSTER = {"CHECKPOINT_STORAGE": "https://objects.example.com/casino-checkpoints"}
"""Examples of the cluster, where pods have no folder of a host."""
LINES = rf"(?: *(?:- \{{ name: )?(?:{'|'.join(each.name for each in HANDED_ON)})[:,] .*\n)*"
TABLE_HEAD = "| variable | default | meaning |\n|---|---|---|\n"


def of(process: str) -> list[Variable]:
    """Return what only some processes read, this one among them; for an empty one, what all read."""
    return [each for each in HANDED_ON if (process in each.of if process else not each.of)]


def example(variable: Variable) -> str:
    return variable.example or variable.default_in(production=True) or ""


def meaning(variable: Variable) -> str:
    parts = [
        f"secret of {', '.join(f'`{process}`' for process in variable.of)}" if variable.secret and variable.of else "",
        f"`{variable.default_in(production=True)}` in production" if variable.fixed else "",
        variable.says,
        str(variable.kind) if isinstance(variable.kind, Number) else "",
    ]
    return "; ".join(filter(None, parts))


def row(variable: Variable) -> str:
    production = variable.default_in(production=True)
    default = "required" if production is None else f"`{production}`" if production else "none"
    if production is not None and production != variable.default:
        default += f"; in development {f'`{variable.default}`' if variable.default else 'none'}"
    return f"| `{variable.name}` | {default} | {meaning(variable)} |\n"


def composed(variable: Variable) -> str:
    default = variable.default_in(production=True)
    value = f"${{{variable.name}:?set it in .env}}" if default is None else f'"${{{variable.name}:-{default}}}"'
    return f"{variable.name}: {value}"


def entry(variable: Variable) -> str:
    return f"- {{ name: {variable.name}, value: {quoted(variable)} }}"


def quoted(variable: Variable) -> str:
    return f'"{IN_CLUSTER.get(variable.name) or example(variable)}"'


def rewritten(text: str, after: str, lines: Iterable[str]) -> str:
    """Replace the lines of variables after a line, which must be there once."""
    indent = " " * (len(after) - len(after.lstrip()))
    made = "".join(f"{indent}{line}\n" for line in lines)
    text, count = re.subn(f"^({after}\n){LINES}", lambda match: match[1] + made, text, flags=re.MULTILINE)
    if count != 1:
        raise ValueError(f"There are {count} lines {after!r}.")
    return text


def example_file(_: str) -> str:
    lines = ["# Copy to .env, fill in, keep it out of version control and readable by you alone (chmod 600 .env).", ""]
    for variable in (*HANDED_ON, *CONTAINERS):
        sentence = re.sub(r"\[(.+?)\]\(.+?\)", r"\1", meaning(variable))
        lines += textwrap.wrap(sentence, 118, initial_indent="# ", subsequent_indent="# ")
        lines += [f"#   {variable.how}"] * bool(variable.how)
        lines.append(f"{variable.name}={example(variable)}")
    return "\n".join(lines) + "\n"


def compose(text: str) -> str:
    text = rewritten(text, "    CASINO_ENV: production", map(composed, of("")))
    for process in PROCESSES:
        text = rewritten(text, f"      CASINO_PROCESS: {process}", map(composed, of(process)))
    return text


def cluster_config(text: str) -> str:
    return rewritten(text, "  CASINO_ENV: production", (f"{each.name}: {quoted(each)}" for each in of("")))


def cluster_processes(text: str) -> str:
    for process in PROCESSES:
        own = [each for each in of(process) if not each.secret]
        text = rewritten(text, f"            - {{ name: CASINO_PROCESS, value: {process} }}", map(entry, own))
    return text


def cluster_secrets(text: str) -> str:
    for process in PROCESSES:
        own = [each for each in of(process) if each.secret]
        head = f"  name: casino-{process}\n  namespace: casino\nstringData:(?:\n  (?:DATABASE|REDIS)_URL: .*)*"
        text = rewritten(text, head, (f'{each.name}: ""' for each in own))
    return text


def reference(text: str) -> str:
    first, settings, containers = re.split(f"(?<={re.escape(TABLE_HEAD)})(?:\\|.*\n)*", text)
    return "".join([first, *map(row, TABLE), settings, *map(row, CONTAINERS), containers])


FILES: dict[str, Callable[[str], str]] = {
    ".env.example": example_file,
    "compose.yaml": compose,
    "kubernetes/config.yaml": cluster_config,
    "kubernetes/processes.yaml": cluster_processes,
    "kubernetes/secrets.example.yaml": cluster_secrets,
    "docs/operations.md": reference,
}
"""What is made of a file's text, by the file."""

if __name__ == "__main__":
    for name, made in FILES.items():
        file = DEPLOY / name
        file.write_text(made(file.read_text(encoding="utf-8")), encoding="utf-8")
