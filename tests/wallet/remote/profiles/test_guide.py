"""The guide says what each profile takes as definite, and the code takes just that."""

import re
from dataclasses import replace
from typing import Any, Final

from casino.devstack.home import PROJECT
from tests.wallet.remote.profiles.test_messages import BET, DEBIT
from wallet.remote.events import TransactionKind
from wallet.remote.profiles import hub88
from wallet.remote.state import AcceptedAnswer, NoAnswer, RefusedAnswer, UnclearAnswer

GUIDE: Final = (PROJECT / "deploy/docs/integration/wallet-profiles.md").read_text(encoding="utf-8")
WIN: Final = replace(DEBIT, kind=TransactionKind.CREDIT, concerns=BET)


def section(title: str) -> str:
    return GUIDE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def of_hub88(status: str, order: Any = DEBIT) -> Any:
    return hub88.Hub88().read_item({"status": status}, order).answer


def test_the_guide_has_each_status_of_hub88_with_its_word() -> None:
    rows = re.findall(r"^\| (`RS_.*?) \| (.*?) \|$", section("Hub88"), re.MULTILINE)
    words = {status: text for names, text in rows for status in re.findall(r"`(RS_\w+)`", names)}
    assert set(words) == {"RS_OK", *hub88._REFUSED}
    for status, text in words.items():
        word = re.match(r"`(\w+)`", text)
        expected = RefusedAnswer(word[1]) if word else AcceptedAnswer(str(BET))
        assert of_hub88(status) == expected, status
    assert type(of_hub88("RS_ERROR_UNKNOWN")) is NoAnswer
    assert type(of_hub88("RS_ERROR_ANY_OTHER")) is UnclearAnswer


def test_the_guide_has_what_ends_a_repeated_win_and_a_rollback_of_hub88() -> None:
    row = re.search(r"^\| `hub88` \| .* \| (.*) \| (.*) \| (.*) \|$", section("What is definite"), re.MULTILINE)
    assert row is not None
    win, again, rollback = (set(re.findall(r"`(RS_\w+)`", cell)) for cell in row.groups())
    known = {"RS_OK", *hub88._REFUSED}
    repeated, undo = replace(WIN, repeated=True), replace(WIN, reason=hub88.RollbackReason.ROUND_VOID)
    for order, named in ((WIN, win), (repeated, again), (undo, rollback)):
        assert {each for each in known if isinstance(of_hub88(each, order), AcceptedAnswer)} == named
