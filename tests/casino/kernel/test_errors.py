"""A refusal is named once: by its class."""

from casino.kernel.errors import Invalid, Missing, Refusal, RefusalKind, all_refusals


class UnknownUnicorn(Missing):
    title = "There is no such unicorn"
    remedy = "Look for another one."


class UnicornTooLate(Refusal):
    code = "unicorn_late"
    title = "The unicorn came too late"
    remedy = "Call it earlier."


class UnfitUnicorn(Invalid):
    """A base of several: it is no refusal of its own."""


def test_a_refusal_has_the_code_of_its_name_unless_it_has_another_and_the_kind_of_its_base() -> None:
    assert (UnknownUnicorn.code, UnknownUnicorn.kind) == ("unknown_unicorn", RefusalKind.MISSING)
    assert (UnicornTooLate.code, UnicornTooLate.kind) == ("unicorn_late", RefusalKind.CONFLICT)
    known = all_refusals()
    assert {UnknownUnicorn, UnicornTooLate} <= {*known}
    assert UnfitUnicorn not in known
