"""A payment that compliance holds, as its player, a cashier and compliance see it in the browser."""

import re
from collections.abc import Callable, Generator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django import DjangoDbBlocker

from baccarat.risk import detection
from casino.devstack.system import HOST
from casino.events import sealer
from casino.operators import sessions
from casino.staff.duties import Role
from tests.baccarat.streaming.listening import Web
from tests.services import Services
from tests.support.house import fresh_database
from tests.support.office import open_office
from tests.support.payouts import pay_unplayed
from tests.system.browser.test_back_office import Desk, Visitor, hire
from tests.wallet.payments.counter import SECRET, URL, method, report, use_provider
from wallet.ledger import player_accounts as wallet
from wallet.models import Withdrawal
from wallet.payments import deposits, holds
from wallet.payments.gate import HoldTerms

NEUTRAL = "{} is held and waits for approval."
TELLING = ("case", "compliance", "frozen", "money laundering", "suspici", "hold")
"""What no page may say to its player, in lower case."""

OUTSIDE = re.compile("Your session is over|Please come in through your casino")
"""What a page says whose session has ended, before and after it has noticed."""


@pytest.fixture(scope="module")
def desk(
    services: Services, django_db_blocker: DjangoDbBlocker, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Desk]:
    """Run a web server for an operator, whose player Olga has deposited 1500.00 and never bet."""
    with pytest.MonkeyPatch.context() as patch, fresh_database(services, django_db_blocker) as database:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # Playwright runs its loop in this thread
        use_provider(patch)
        office = open_office()
        pay_unplayed(office.operator.id, second=200_000, holds=HoldTerms())
        olga = wallet.register_player(
            operator=office.operator.id, reference="olga", nickname="Olga", currency="EUR",
            metadata=office.house.metadata,
        )  # fmt: skip
        card = method(office.operator.id, fee_fixed=0, fee_ppm=0)
        deposit = deposits.request(
            operator=office.operator.id, player=olga.id, currency="EUR", method=card.id, amount=150_000,
            metadata=office.house.metadata,
        )  # fmt: skip
        deposits.apply(report(deposit, "completed", amount=150_000), provider="sandbox")
        for role in (Role.CASHIER, Role.COMPLIANCE):
            hire(role)
        provider = {"PAYMENT_PROVIDERS": f"sandbox={URL}", "PAYMENT_SECRETS": f"sandbox={SECRET}"}
        with Web(database, log=tmp_path_factory.mktemp("desk") / "web.log", **provider) as web:
            yield Desk(replace(office, player=olga), f"http://{HOST}:{web.port}", browser)


@pytest.fixture
def enter(desk: Desk) -> Generator[Callable[[Role], Visitor]]:
    """Return `enter(role)`, which opens the front page as a member of staff with this role."""
    yield desk.enter
    while desk.pages:
        desk.pages.pop().context.close()


def ask_for(page: Page, amount: str) -> None:
    """Ask for a withdrawal on the player's page, which says that it waits, and nothing of why."""
    page.get_by_role("button", name="Withdraw").click()
    dialog = page.locator("dialog.lobby-account")
    dialog.get_by_role("textbox", name="Amount").fill(amount.replace(",", ""))
    dialog.get_by_role("button", name="Request the withdrawal").click()
    expect(dialog).to_contain_text(NEUTRAL.format(f"€{amount}"))
    tells_nothing(page)
    dialog.get_by_role("button", name="Close").click()


def tells_nothing(page: Page) -> None:
    said = page.locator("body").inner_text().lower()
    assert not [word for word in TELLING if word in said]


def notice_what_happened() -> None:
    """Run the risk rules, and the gate for what they found, as the system does every few seconds."""
    sealer.seal_all()
    detection.watch()
    holds.watch()


def of_amount(amount: int) -> Withdrawal:
    return Withdrawal.objects.get(amount=amount)


def open_hold(visitor: Visitor, amount: str) -> None:
    """Open the held payment of this amount from the menu."""
    visitor.go("Held payments")
    row = visitor.page.locator("#result_list tr", has_text=amount)
    visitor.click(row.locator("a[href*='/wallet/hold/']").first)


def test_a_payment_is_held_released_and_another_rejected_and_its_player_frozen_and_not_told_why(
    desk: Desk, page: Page, enter: Callable[[Role], Visitor]
) -> None:
    olga = desk.office.player
    token = sessions.open_session(operator=olga.operator_id, player=olga.id, seconds=3600).token
    page.goto(f"{desk.url}/play/#token={token}")
    ask_for(page, "1,450.00")
    notice_what_happened()
    assert of_amount(145_000).status == "held"

    cashier = enter(Role.CASHIER)
    cashier.go("Withdrawals")
    cashier.click(cashier.link_to("wallet/withdrawal"))
    cashier.sees("waits for compliance", "Before money leaves")
    for name in ("Approve", "Reject", "Release"):
        expect(cashier.page.get_by_role("button", name=name, exact=True)).to_have_count(0)

    compliance = enter(Role.COMPLIANCE)
    open_hold(compliance, "1450.00")
    compliance.sees("Before money leaves", "open case", "too little staked", "Still to be staked for its deposits")
    compliance.press("Release")
    compliance.sees("Released; it goes on.")
    cashier.page.reload()
    cashier.press("Approve")
    assert of_amount(145_000).status == "approved"

    ask_for(page, "40.00")
    compliance = enter(Role.COMPLIANCE)
    open_hold(compliance, "40.00")
    compliance.press("Reject")
    assert of_amount(4_000).status == "held", "a reason is asked for"
    compliance.type("Reason, for staff", "Mules.")
    compliance.press("Reject")
    compliance.sees("the money is back on the player's account", "Mules.")
    assert of_amount(4_000).status == "rejected"

    ask_for(page, "45.00")
    compliance = enter(Role.COMPLIANCE)
    compliance.go("Inbox")
    compliance.sees("player Olga")
    compliance.click(compliance.link_to("operators/player"))
    compliance.press("Freeze the account")
    compliance.type("Reason", "Asked for by the police.")
    compliance.press("Freeze")
    compliance.sees("The account is frozen.", "Held payments")
    assert of_amount(4_500).status == "held"
    page.reload()
    expect(page.get_by_role("heading", name=OUTSIDE)).to_be_visible()
    tells_nothing(page)
