"""Change golden files at random, repair and sign what was changed, and compare what the verifiers say of it.

The repair is that of a forger who knows the format: as long as a check says which value it expected, that value is
written. So the changes get past digests, signatures and sums, to the checks of rules.
"""

import contextlib
import copy
import json
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, Final

from baccarat.proofs import verifier
from tests.baccarat.proofs.changes import LIST_CHANGES, Path, at, change_value, is_used, kind_of, leaves, lists
from tests.baccarat.proofs.forging import (
    GOLDEN,
    LOG,
    Document,
    cosign,
    encode,
    golden,
    is_cosigned,
    reseal,
    resign,
    witness_keys,
)
from tests.baccarat.proofs.page import HAS_NODE, page_request, verify_on_page
from tests.baccarat.proofs.php import HAS_PHP, request, verify_all

BASES: Final = sorted(str(file.relative_to(GOLDEN).with_suffix("")) for file in GOLDEN.rglob("*.json"))
KEY: Final = str(golden("mini")["keys"][0]["public_key"])
NUMBERS: Final = (0, 1, -1, 2, 255, 256, 2**31, 2**32, 2**53 - 1, 2**53)
"""Numbers at the ends of what fits somewhere."""
LONGEST_LOG: Final = 10_000
REPAIRS: Final = 12
BATCH: Final = 40


@dataclass(frozen=True, slots=True)
class Case:
    """A changed file, the keys that its reader trusts, and what the reader requires."""

    name: str
    raw: bytes
    keys: list[str]
    policy: dict[str, Any] = field(default_factory=dict)


def changed_lists(how: str, *, signed: bool = False) -> list[Case]:
    """Return a file for each kind of list in the golden files, with that list changed, and perhaps signed again.

    What signing again undoes is left out.
    """
    cases: dict[str, Case | None] = {}
    for base in BASES:
        original = golden(base)
        for path in lists(original):
            kind, items = kind_of(original, path), at(original, path)
            if kind in cases or (signed and not is_used(original, path)):
                continue
            changed = copy.deepcopy(items)
            LIST_CHANGES[how](changed)
            if changed == items:
                continue
            document, before = copy.deepcopy(original), copy.deepcopy(original)
            LIST_CHANGES[how](at(document, path))
            if signed:
                sign(document)
                sign(before)
            keys = [LOG, KEY, *witness_keys(original)]
            cases[kind] = Case(f"{kind} {how} in {base}", encode(document), keys) if document != before else None
    return [case for case in cases.values() if case]


def make_case(seed: str) -> Case:
    """Return the case of a seed."""
    random = Random(seed)
    base = random.choice(BASES)
    document, places = golden(base), _places(base)
    keys = [LOG, KEY, *witness_keys(document)]
    for _ in range(random.choice((3, 3, 6, 12))):
        path = random.choice(random.choice(random.choice(places)))
        changed = copy.deepcopy(document)
        with contextlib.suppress(LookupError, TypeError):  # an earlier change may have taken the place away
            _change(changed, path, random)
        if random.random() < 0.02 or _is_well_formed(changed):
            document = changed
    if random.random() < 0.9:
        document = _repair(document, keys, repairs=random.choice((0, REPAIRS, REPAIRS)))
    witness = [each for each in keys[2:] if "+" not in each]
    policy = random.choice(({}, {"require_signed": True}, {"witness_keys": [*witness[:1]]}, {"witness_keys": [LOG]}))
    return Case(f"{seed} of {base}", encode(document), keys, policy)


def _is_well_formed(document: Document) -> bool:
    try:
        verifier.require_shape(document)
    except verifier.CheckFailed:
        return False
    return True


@cache
def _places(base: str) -> list[list[list[Path]]]:
    """Return the paths of values, and those of lists, each by what is there: each kind of place is as likely."""
    document, kinds = golden(base), []
    for found in (leaves, lists):
        alike: dict[str, list[Path]] = {}
        for path in found(document):
            if is_used(document, path):
                alike.setdefault(kind_of(document, path), []).append(path)
        kinds.append(list(alike.values()))
    return kinds


def _change(document: Document, path: Path, random: Random) -> None:
    value = at(document, path)
    if isinstance(value, list) and value and random.random() < 0.9:
        random.shuffle(value) if random.random() < 0.1 else random.choice(list(LIST_CHANGES.values()))(value)
        return
    holder = at(document, path[:-1])
    if isinstance(path[-1], str) and random.random() < 0.03:
        del holder[path[-1]]
        return
    changed = _other(value, document, random)
    if random.random() < 0.5 and isinstance(value, (int, str)) and value not in (0, 1, "", True, False):
        _replace(document, value, changed)
    else:
        holder[path[-1]] = copy.deepcopy(changed)


def _other(value: Any, document: Document, random: Random) -> Any:
    """Return another value: one like it, one at the end of a range, of another type, or one from elsewhere."""
    kind = random.random()
    if kind < 0.4:
        return change_value(value)
    if kind < 0.44:
        return random.choice(({}, [], None, True, "", str(value), 1))
    if isinstance(value, int) and kind < 0.6:
        return random.choice((*NUMBERS, -value, value * 1000, value - 1))
    if isinstance(value, str) and kind < 0.48:
        return random.choice((value.upper(), value + value, value[:-1], value + "\n", f" {value}"))
    alike = [at(document, path) for path in leaves(document)]
    alike = [each for each in alike if type(each) is type(value)]
    if isinstance(value, str):
        alike = [each for each in alike if len(each) == len(value)]
    return random.choice(alike) if alike else change_value(value)


def _replace(value: Any, old: Any, new: Any) -> bool:
    """Replace a value wherever it stands; return whether it did."""
    replaced = False
    for name, each in list(value.items() if isinstance(value, dict) else enumerate(value)):
        if type(each) is type(old) and each == old:
            value[name] = copy.deepcopy(new)
            replaced = True
        elif isinstance(each, (dict, list)):
            replaced = _replace(each, old, new) or replaced
    return replaced


def _repair(document: Document, keys: list[str], *, repairs: int) -> Document:
    """Return the file signed again, with what checks expect in the place of what they found."""
    for _ in range(1 + repairs):
        sign(document)
        failed = [each for each in verifier.verify(encode(document), keys)["checks"] if each["verdict"] == "failed"]
        repaired = document
        for each in failed:
            changed = copy.deepcopy(repaired)
            if _write(changed, each["found"], each["expected"]) and _is_well_formed(changed):
                repaired = changed
        if repaired is document:
            break
        document = repaired
    return document


def sign(document: Document) -> None:
    """Seal, sign and cosign a file anew, as far as there is anything to sign."""
    with contextlib.suppress(LookupError, TypeError, ValueError, AttributeError, OverflowError, struct.error):
        # what is malformed has no digest
        reseal(document)
        if document["checkpoint"] and max(each["position"] for each in document["events"]) < LONGEST_LOG:
            was_cosigned = is_cosigned(document)
            resign(document)
            if was_cosigned:
                cosign(document)


def _write(document: Document, found: str, expected: str) -> bool:
    """Write the value that a check expected in the place of the one that it found."""
    values = [
        (old, new) for old in _values(found) for new in _values(expected) if type(old) is type(new) and old != new
    ]
    return any(_replace(document, old, new) for old, new in values)


def _values(text: str) -> Iterator[Any]:
    yield text
    try:
        yield json.loads(text)
    except ValueError:
        return


def disagreements(cases: Iterable[Case], *, wanted: str = "") -> dict[str, str]:
    """Return what the verifiers say of each case, by its name, of which they do not say the same, or not the wanted."""
    given = list(cases)
    said: dict[str, list[Any]] = {
        "verifier.py": [of_python(verifier.verify(each.raw, each.keys, **each.policy)) for each in given],
    }
    if HAS_NODE:
        requests = (page_request(each.raw, keys=each.keys, **each.policy) for each in given)
        said["page"] = [of_page(each) for each in verify_on_page(requests)]
    found = {}
    by_php = (
        verify_all([request(each.raw, keys=each.keys, **each.policy) for each in given])
        if HAS_PHP
        else [None] * len(given)
    )
    for case, php, *verdicts in zip(given, by_php, *said.values(), strict=True):
        summary = {
            name: verdict if verdict[0] != "failed" else "failed" for name, verdict in zip(said, verdicts, strict=True)
        }
        verdict, as_of, chooser, published, caveats, _ = verdicts[0]
        expected = (verifier.STATUS.get(verdict, 0), as_of, chooser, published, caveats)
        if php is not None and (php.status, php.as_of, php.could_choose, php.published, php.caveats) != expected:
            summary["php"] = [php.status, php.as_of, php.could_choose, php.published, php.caveats, php.checks]
        if len({json.dumps(each) for each in summary.values()}) > 1 or wanted not in ("", verdict):
            found[case.name] = json.dumps(summary, indent=1)
    return found


Said = tuple[str, dict[str, Any] | None, str | None, bool | None, list[str], dict[str, str]]
"""The verdict, what it is as of, who could have chosen, whose rules, its caveats' codes, and each check's verdict."""


def of_python(result: verifier.Verdict) -> Said:
    named = {each["name"]: each["verdict"] for each in result["checks"]}
    return (
        result["verdict"],
        result["as_of"],
        result["could_choose"],
        result["rules"] and result["rules"]["published"],
        [each["code"] for each in result["caveats"]],
        named,
    )


def of_page(result: dict[str, Any]) -> Said:
    whose = result["could_choose"], result["published"]
    return result["verdict"], result["as_of"], *whose, result["caveats"], result["checks"]
