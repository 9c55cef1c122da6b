"""The tasks of people on duty: each is done in few clicks from the front page, without a typed id.

A click is a press of a button or a link, or of what unfolds a form. Where the browser asks once more, staff agree.
The clicks of each task are shown at the end, beside those that it took in November 2026.
"""

import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django import DjangoDbBlocker

from baccarat.risk import detection
from baccarat.storage.models import Round, RulesVersion
from casino.devstack.system import HOST
from casino.events import sealer
from casino.operators.models import Operator, StaffMembership
from casino.staff import addresses
from casino.staff.duties import Role
from tests.baccarat.risk.test_detection import Till
from tests.baccarat.streaming.listening import Web
from tests.casino.backoffice.test_rules import act, filled_in
from tests.services import Services
from tests.support.house import fresh_database
from tests.support.office import Office, open_office, staff
from tests.support.payouts import pay_unplayed
from tests.support.rules import publish
from tests.wallet.payments.counter import SECRET, URL, call_back, method, report, use_provider
from wallet import notices
from wallet.ledger import player_accounts as wallet
from wallet.models import Adjustment, Withdrawal
from wallet.payments import callbacks, deposits, withdrawals

PASSWORD: Final = "a-long-password"
DESKTOP: Final = 1440
PHONE: Final = 390
TASKS: Final[Mapping[str, tuple[str, tuple[int, ...]]]] = {
    "find a disputed round": ("3", (3,)),
    "void a round": ("3 + 4", (3, 2)),
    "exclude a player": ("3", (4,)),
    "find who deposited most in a week": ("2", (3,)),
    "open a complaint, answer it, read the answer": ("2 + 12", (4, 4, 4)),
    "adjust an account": ("5 + 2", (5, 2)),
    "pay a withdrawal above the policy's amount": ("2 + 2", (2, 2)),
    "resolve a difference": ("3", (3,)),
    "change rules": ("5 + 4", (4, 2)),
    "stop all gaming on a phone, and resume": ("3 + 2", (2, 2, 3)),
}
"""The clicks that each task took its people in November 2026, and the most that it may take now."""
ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}|[0-9a-f]{12}")


@dataclass
class Visitor:
    """A member of staff at the front page, whose clicks are counted."""

    page: Page
    most: int = 4
    clicks: int = 0

    def click(self, *path: Locator) -> None:
        """Click these, one after the other."""
        for locator in path:
            locator.click()
            self.clicks += 1

    def go(self, *names: str) -> None:
        """Click links by their names: in the page if it has them, else in the menu."""
        for name in names:
            links = self.page.get_by_role("link", name=name)
            inside = self.page.locator("#content-main, #changelist").get_by_role("link", name=name)
            self.click((inside if inside.count() else links).first)

    def link_to(self, kind: str) -> Locator:
        """Return the first link to the page of something of this kind, such as baccarat/round."""
        return self.page.locator(f"a[href*='/admin/{kind}/'][href*='/change/']:visible").first

    def type(self, label: str, text: str) -> None:
        """Fill in a field."""
        assert not ID.search(text), "nobody types an id"
        self.page.get_by_label(label).and_(self.page.locator(":visible")).first.fill(text)

    def press(self, name: str) -> None:
        """Press a visible button, or unfold what has this title."""
        buttons = self.page.get_by_role("button", name=name, exact=True).or_(
            self.page.locator("summary").get_by_text(name, exact=True)
        )
        self.click(buttons.and_(self.page.locator(":visible")).first)

    def send(self) -> None:
        """Press the button of the form that is unfolded."""
        self.click(self.page.locator("details[open] button[type=submit]:visible").first)

    def choose(self, field: str, **option: Any) -> None:
        """Choose an option of a field."""
        self.page.get_by_label(field).and_(self.page.locator(":visible")).first.select_option(**option)

    def find_player(self, reference: str) -> None:
        """Open the page of a player by the operator's reference."""
        self.type("Id, number, reference or nickname", reference)
        self.press("Search")
        self.click(self.link_to("operators/player"))

    def waiting(self, text: str) -> Locator:
        """Return what waits in the inbox and says this."""
        return self.page.locator("article.c-waiting", has_text=text)

    def decide(self, text: str, button: str) -> None:
        """Open the inbox and press a button of what says this; it is gone then."""
        self.go("Inbox")
        self.click(self.waiting(text).get_by_role("button", name=button, exact=True).first)
        expect(self.waiting(text)).to_have_count(0)

    def sees(self, *texts: str) -> None:
        """Check that the page says this, after few clicks."""
        for text in texts:
            expect(self.page.get_by_text(text).and_(self.page.locator(":visible")).first).to_be_visible()
        assert self.clicks <= self.most


@dataclass
class Desk:
    """A running back office, and whom to open it as."""

    office: Office
    url: str
    browser: Browser
    pages: list[Page] = field(default_factory=list)
    done: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def finish(self, task: str, *visitors: Visitor) -> None:
        """Note how many clicks a task took its people, and check that these are few."""
        self.done[task] = tuple(each.clicks for each in visitors)
        _, most = TASKS[task]
        assert all(clicks <= limit for clicks, limit in zip(self.done[task], most, strict=True)), self.done[task]

    def enter(self, role: Role, *, name: str = "", width: int = DESKTOP, most: int = 4) -> Visitor:
        """Log in as a member of staff with this role."""
        page = self.browser.new_context(viewport={"width": width, "height": 900}, locale="en-GB").new_page()
        self.pages.append(page)
        page.goto(f"{self.url}/admin/login/")
        page.get_by_label("Username").fill(name or role.value)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url("**/admin/")
        visitor = Visitor(page, most)
        page.on("dialog", lambda dialog: dialog.accept())
        return visitor


@pytest.fixture(scope="module")
def desk(
    services: Services,
    django_db_blocker: DjangoDbBlocker,
    browser: Browser,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Generator[Desk]:
    """Run a web server over an operator's evening: with play, payments, and rules that were changed."""
    with pytest.MonkeyPatch.context() as patch, fresh_database(services, django_db_blocker) as database:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # Playwright runs its loop in this thread
        use_provider(patch)
        office = open_office()
        change_rules(office)
        for amount in (90_000, 80_000, 70_000):
            Till(office.operator.id).deposit(office.player.id, amount, timezone.now())
        sealer.seal_all()
        detection.watch()
        let_bea_pay(office)
        for role in Role:
            hire(role)
        hire(Role.CASHIER, name="second")
        hire(Role.DUTY_MANAGER, name="night")
        provider = {"PAYMENT_PROVIDERS": f"sandbox={URL}", "PAYMENT_SECRETS": f"sandbox={SECRET}"}
        with Web(database, log=tmp_path_factory.mktemp("desk") / "web.log", **provider) as web:
            desk = Desk(office, f"http://{HOST}:{web.port}", browser)
            yield desk
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        show(desk.done)


def show(done: Mapping[str, tuple[int, ...]]) -> None:
    """Print the clicks of each task that was done, beside those of November 2026."""
    print()
    for task, clicks in done.items():
        before, _ = TASKS[task]
        print(f"{task + ':':50} {before:>8} clicks, now {' + '.join(map(str, clicks))}")


@pytest.fixture
def enter(desk: Desk) -> Generator[Callable[..., Visitor]]:
    """Return `enter(role)`, which opens the front page as a member of staff with this role."""
    yield desk.enter
    while desk.pages:
        desk.pages.pop().context.close()


def hire(role: Role, password: str = PASSWORD, *, name: str = "") -> None:
    name = name or role.value
    user = User.objects.create_user(name, f"{name}@example.com", password, is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    addresses.record_confirmed(user)
    StaffMembership.objects.bulk_create(StaffMembership(user=user, operator=each) for each in Operator.objects.all())


def let_bea_pay(office: Office) -> None:
    """Let Bea wait for a withdrawal above the policy's amount, and the provider report more than she deposits."""
    pay_unplayed(office.operator.id, second=100_000)
    bea, _ = (
        wallet.register_player(
            operator=office.operator.id, reference=name, nickname=name, currency="EUR", metadata=office.house.metadata
        )
        for name in ("bea", "cid")
    )
    card = method(office.operator.id, fee_fixed=0, fee_ppm=0)
    who: dict[str, Any] = {
        "operator": office.operator.id, "player": bea.id, "currency": "EUR", "method": card.id,
        "metadata": office.house.metadata,
    }  # fmt: skip
    paid, differing = (deposits.request(amount=amount, **who) for amount in (150_000, 5_000))
    deposits.apply(report(paid, "completed", amount=150_000), provider="sandbox")
    withdrawals.request(amount=120_000, **who)
    call_back(report(differing, "completed", amount=6_000))
    callbacks.apply_waiting()


def change_rules(office: Office) -> None:
    table, see = office.single.guest.table, ("baccarat.view_table", "baccarat.view_rulesversion")
    first = RulesVersion.objects.get(table_id=table)
    act(staff(*see, "baccarat.draft_rules", name="maker"), "draft", first, **filled_in(first, minimum="10.00"))
    checker = User.objects.create_user("checker", "checker@example.com", PASSWORD, is_staff=True)
    publish(table, 2, by=f"staff:{checker.pk}")


def test_a_player_disputes_a_round(desk: Desk, enter: Callable[..., Visitor]) -> None:
    support = enter(Role.SUPPORT)
    support.find_player(desk.office.player.reference)
    support.click(support.link_to("baccarat/round"))
    support.sees("Replay", "Ledger")
    desk.finish("find a disputed round", support)


def test_a_round_is_voided_by_two_persons_and_found_among_the_voids_of_the_month(
    desk: Desk, enter: Callable[..., Visitor]
) -> None:
    round_: Any = desk.office.settled(desk.office.single)
    manager = enter(Role.FLOOR_MANAGER)
    manager.click(manager.page.locator(f"a[href*='{round_.pk}']:visible").first)
    manager.go("Void this round")
    manager.page.get_by_label("Reason").and_(manager.page.locator(":visible")).first.select_option("malfunction")
    manager.type("Explanation", "The shoe jammed.")
    manager.press("Void this round")
    manager.sees("another member of staff has to agree")

    approver = enter(Role.APPROVER)
    approver.decide("The shoe jammed.", "Confirm")
    approver.sees("it is in effect")
    assert Round.objects.get(pk=round_.pk).phase == "voided"
    desk.finish("void a round", manager, approver)

    compliance = enter(Role.COMPLIANCE)
    compliance.go("Voids of the last 30 days")
    compliance.sees("1 round")
    assert compliance.page.locator(f"a[href*='{round_.pk}']").count()


def test_a_player_is_excluded_at_once(desk: Desk, enter: Callable[..., Visitor]) -> None:
    compliance = enter(Role.COMPLIANCE)
    compliance.find_player("cid")
    compliance.press("Exclude this player")
    compliance.choose("Who excludes", label="The house")
    compliance.choose("Kind", label="Exclusion, permanent")
    compliance.type("Reason, for staff", "A letter.")
    compliance.send()
    compliance.sees("The player is excluded from deposits and play permanently, by the house.")
    desk.finish("exclude a player", compliance)


def test_who_deposited_most_in_a_week(desk: Desk, enter: Callable[..., Visitor]) -> None:
    compliance = enter(Role.COMPLIANCE)
    compliance.go("Players", "Player figures")
    compliance.choose("Players by", label="Deposited")
    compliance.choose("within", label="Last 7 days")
    compliance.press("Show")
    compliance.sees("2400.00")
    assert compliance.link_to("operators/player").inner_text() == "Alice"
    desk.finish("find who deposited most in a week", compliance)


def test_a_complaint_is_answered_and_whoever_opened_it_reads_the_answer(
    desk: Desk, enter: Callable[..., Visitor]
) -> None:
    player, said = desk.office.player, "The third card came late."
    support = enter(Role.SUPPORT)
    support.find_player(player.reference)
    support.press("Open a complaint")
    support.type("Complaint, in the player's words", said)
    support.send()
    support.sees("Opened a complaint.")

    compliance = enter(Role.COMPLIANCE)
    compliance.go("Cases")
    compliance.click(compliance.page.get_by_role("link", name=said).first)
    compliance.press("Write, answer, resolve")
    compliance.choose("Step", label="Resolve: rejected")
    compliance.type("For staff: what was found, or why", "It came in time.")
    compliance.send()
    compliance.sees("Resolved; the player is told.")
    assert notices.count_unread(operator=player.operator_id, player=player.pk)

    author = enter(Role.SUPPORT)
    author.go("Cases")
    author.click(author.page.get_by_role("link", name=said).first)
    author.sees("It came in time.")
    desk.finish("open a complaint, answer it, read the answer", support, compliance, author)


def test_an_account_is_adjusted_by_two_persons(desk: Desk, enter: Callable[..., Visitor]) -> None:
    cashier = enter(Role.CASHIER, most=5)
    cashier.go("Players")
    search = cashier.page.get_by_placeholder("the operator's reference")
    search.fill("bea")
    search.press("Enter")
    cashier.click(cashier.link_to("operators/player"))
    real = cashier.page.locator("tr", has_text="real")
    cashier.click(real.locator("a[href*='/admin/wallet/account/'][href$='/change/']:visible").first)
    unfold = cashier.page.locator("summary", has_text="Adjust this account")
    if unfold.count():
        cashier.click(unfold)
    cashier.choose("Direction", label="Credit the player")
    cashier.type("Amount in EUR", "12,50")
    cashier.choose("Reason", value="complaint")
    cashier.type("Explanation, for staff", "A late payout.")
    cashier.press("Request the adjustment")
    cashier.sees("another")

    approver = enter(Role.APPROVER)
    approver.decide("A late payout.", "Confirm")
    assert Adjustment.objects.get().amount == 1_250
    desk.finish("adjust an account", cashier, approver)


def test_a_withdrawal_above_the_policys_amount_is_paid_by_two_persons(
    desk: Desk, enter: Callable[..., Visitor]
) -> None:
    withdrawal = Withdrawal.objects.get()
    cashier = enter(Role.CASHIER)
    cashier.go("Inbox")
    cashier.click(cashier.waiting("1200.00").get_by_role("button", name="Approve", exact=True))
    cashier.sees("another person has to confirm it")
    second = enter(Role.CASHIER, name="second")
    second.decide("1200.00", "Confirm")
    withdrawal.refresh_from_db()
    assert withdrawal.status == "approved"
    desk.finish("pay a withdrawal above the policy's amount", cashier, second)


def test_a_difference_is_resolved_with_its_cause(desk: Desk, enter: Callable[..., Visitor]) -> None:
    compliance = enter(Role.COMPLIANCE)
    compliance.go("Inbox")
    difference = compliance.waiting("Discrepancy: ")
    compliance.click(difference.locator("summary", has_text="Resolve"))
    compliance.page.get_by_label("Resolution").and_(compliance.page.locator(":visible")).first.select_option(index=1)
    compliance.type("Explanation", "The provider corrected it.")
    compliance.send()
    expect(difference).to_have_count(0)
    desk.finish("resolve a difference", compliance)


def test_rules_are_drafted_and_published_by_two_persons(desk: Desk, enter: Callable[..., Visitor]) -> None:
    manager = enter(Role.FLOOR_MANAGER)
    manager.go("Rules")
    manager.click(manager.page.locator("#result_list tr", has_text="in force").get_by_role("link", name="mini@1"))
    manager.press("Draft other rules")
    manager.type("Minimum", "15.00")
    manager.type("Reason for the change", "Asked for by the floor.")
    manager.send()
    manager.sees("another person has to confirm it")

    approver = enter(Role.APPROVER)
    approver.decide("Publish version 3", "Confirm")
    table = desk.office.single.guest.table
    assert RulesVersion.objects.filter(table_id=table).latest("version").decided_by
    desk.finish("change rules", manager, approver)


def test_all_gaming_is_stopped_on_a_phone_and_resumes(desk: Desk, enter: Callable[..., Visitor]) -> None:
    visitor = enter(Role.DUTY_MANAGER, width=PHONE)
    visitor.go("Stop all gaming")
    visitor.type("Reason", "A drill.")
    visitor.press("Stop")
    visitor.sees("All gaming is stopped")

    other = enter(Role.DUTY_MANAGER, width=PHONE)
    other.go("See the stop")
    other.type("Reason", "The drill is over.")
    other.press("Resume")
    other.sees("another person has to confirm it")

    night = enter(Role.DUTY_MANAGER, name="night", width=PHONE)
    night.click(night.page.get_by_text("dock_to_right").and_(night.page.locator(":visible")).first)
    night.decide("Resume play", "Confirm")
    expect(night.page.get_by_role("link", name="Stop all gaming")).to_be_visible()
    desk.finish("stop all gaming on a phone, and resume", visitor, other, night)
