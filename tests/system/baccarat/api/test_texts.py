# ruff: noqa: RUF001 - these are other scripts than the Latin one
"""Any text at any entrance of the API is taken and shown as it is normalised, or refused with a code.

The entrances come from the API's document, so that a new one is tried by itself.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import normalize
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from casino.kernel.text import TextTooLong, UnfitText, clean
from tests.baccarat.api import contract
from tests.baccarat.api.contract import resolved
from tests.baccarat.api.test_isolation import STRANGER, Scene, call, set_up
from tests.conftest import Database
from tests.operations import PLAYER, PROVIDER, ROWS
from tests.support.depth import examples
from tests.support.scripts import NAMES, SENTENCES
from tests.wallet.payments.counter import use_provider

COUNTED: Final = "as people count them"
"""Says of a field that people write it."""
CURIOUS: Final = (
    "aé\u0301 \u00a0\u3000\u200b\u200c\u200d\u202e\u2068\u3164\u2800\n\r\t\0عیک\u094d🏳\ufe0f🌈👩👧\u1100\ud800"
)
TEXTS: Final = (
    st.sampled_from((*NAMES, *SENTENCES)) | st.text(max_size=30) | st.text(st.sampled_from(CURIOUS), max_size=12)
)
REFUSED: Final = {
    "malformed_json", "field_invalid", "field_too_long", "message_not_printable", "message_too_long",
}  # fmt: skip
CALLERS: Final = {"operatorKey": "lucky", "playerToken": "alice"}


@dataclass(frozen=True, slots=True)
class Entrance:
    """A field of a request that takes text of no fixed form; `is_human` if people write it."""

    operation: str
    path: tuple[str, ...]
    is_human: bool

    def send(self, scene: Scene, text: str) -> Any:
        """Call the operation with its example, in which this field has a text."""
        operation = contract.named(self.operation)
        body = (operation.request_examples() or [{}])[0]
        change: Any = text
        for depth in range(len(self.path) - 1, 0, -1):
            around = body
            for name in self.path[:depth]:
                around = (around.get(name) if isinstance(around, dict) else None) or {}
            change = {**around, self.path[depth]: change}
        caller = next((getattr(scene, CALLERS[each]) for each in ROWS[self.operation].callers & {*CALLERS}), STRANGER)
        ids = scene.ids()
        known = {name: ids[name] for name in operation.body_ids() if name in ids}
        if "reference" in body:
            known["reference"] = uuid4().hex
        return call(caller, operation, ids, change={**known, self.path[0]: change})

    def __str__(self) -> str:
        return f"{self.operation}:{'.'.join(self.path)}"


def entrances() -> Iterator[Entrance]:
    """Yield those of players first, as later ones ban them; messages of payment providers take any text."""
    taken = [each for each in contract.operations() if PROVIDER not in ROWS[each.name].by]
    for operation in sorted(taken, key=lambda each: PLAYER not in ROWS[each.name].by):
        for content in operation.document.get("requestBody", {}).get("content", {}).values():
            for path, field in text_fields(content["schema"]):
                yield Entrance(operation.name, path, COUNTED in field.get("description", ""))


def text_fields(schema: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield where objects have text that is no id, time, choice or pattern."""
    schema = resolved(schema)
    for part in (*schema.get("allOf", ()), *schema.get("oneOf", ()), *schema.get("anyOf", ())):
        yield from text_fields(part, path)
    for name, field in schema.get("properties", {}).items():
        yield from text_fields(field, (*path, name))
    if path and "string" in schema.get("type", "") and not schema.keys() & {"format", "enum", "pattern", "const"}:
        yield path, schema


ENTRANCES: Final = tuple(entrances())


@pytest.fixture(scope="module")
def scene(module_database: Database) -> Generator[Scene]:
    with pytest.MonkeyPatch.context() as patch:
        use_provider(patch)
        yield set_up()


def shown(part: Any, name: str) -> Iterator[str]:
    """Yield the texts under a name anywhere in an answer."""
    match part:
        case dict():
            for key, inner in part.items():
                yield from [inner] if key == name and isinstance(inner, str) else shown(inner, name)
        case list():
            for inner in part:
                yield from shown(inner, name)


@pytest.mark.parametrize("entrance", ENTRANCES, ids=str)
@settings(max_examples=examples(12), deadline=None, suppress_health_check=list(HealthCheck))
@given(text=TEXTS)
@example(text="残高\u3000不足")
@example(text="علی\u200cرضا")
@example(text="Bravo\u00a0!")
@example(text="\u3164")
@example(text="a\u202eb")
@example(text="\ud800")
@example(text="\0")
@example(text="x" * 50_000)
def test_any_text_is_shown_as_it_is_normalised_or_refused_with_a_code(
    scene: Scene, entrance: Entrance, text: str
) -> None:
    answer = entrance.send(scene, text)

    assert answer.status_code < 500
    if answer.status_code >= 400:
        assert answer.json()["code"]
    if not entrance.is_human:
        return
    try:
        cleaned = clean(text, limit=10_000, multiline=True)
    except (TextTooLong, UnfitText):
        assert answer.json()["code"] in REFUSED, answer.content.decode()
        return
    if answer.status_code < 300:
        assert_shown(answer, entrance, cleaned)


def assert_shown(answer: Any, entrance: Entrance, cleaned: str) -> None:
    """Assert that an answer has the text of an entrance as it was cleaned, if it repeats it at all."""
    told = {*shown(answer.json() if answer.content else {}, entrance.path[-1])}
    assert not (told and cleaned) or told & {cleaned, cleaned.replace("\n", " ")}


OPEN: Final = ("registerPlayer:nickname", "openTable:name", "createDepositMethod:name", "requestAdjustment:note",
               "requestAdjustment:message", "fileComplaint:text", "addPlayerNote:text")  # fmt: skip


@pytest.mark.parametrize("entrance", [each for each in ENTRANCES if str(each) in OPEN], ids=str)
def test_names_and_sentences_in_every_script_are_taken(scene: Scene, entrance: Entrance) -> None:
    for each in scene.lucky.read("chat/filter-words")["items"]:  # what the entrance of filtered words was given
        scene.lucky.post("chat/filter-words/remove", {"word": each["word"]})
    for text in (*NAMES, *SENTENCES):
        if len(text) < 40 or "name" not in entrance.path[-1]:
            answer = entrance.send(scene, text)
            assert answer.status_code < 300, answer.content.decode()
            assert_shown(answer, entrance, normalize("NFC", text))


def test_the_entrances_are_those_that_people_write_at() -> None:
    human = {str(each) for each in ENTRANCES if each.is_human}
    assert {*OPEN, "launchPlayer:player.nickname", "sendChatMessage:text", "mutePlayer:note"} <= human
    assert len(human) >= 40
