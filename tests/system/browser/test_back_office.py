"""The questions of people on duty: each is answered in at most four clicks from the front page, without a typed id.

A click is a press of a button or a link, or of what unfolds a form. Where the browser asks once more, staff agree.
"""

import re
from collections.abc import Callable, Generator
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
from tests.support.rules import publish

PASSWORD: Final = "a-long-password"
ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}|[0-9a-f]{12}")


@dataclass
class Visitor:
    """A member of staff at the front page, whose clicks are counted."""

    page: Page
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
        return self.page.locator(f"a[href*='/admin/{kind}/'][href$='/change/']:visible").first

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

    def sees(self, *texts: str) -> None:
        """Check that the page says this, after at most four clicks."""
        for text in texts:
            expect(self.page.get_by_text(text).and_(self.page.locator(":visible")).first).to_be_visible()
        assert self.clicks <= 4


@dataclass
class Desk:
    """A running back office, and whom to open it as."""

    office: Office
    url: str
    browser: Browser
    pages: list[Page] = field(default_factory=list)

    def enter(self, role: Role) -> Visitor:
        """Log in as a member of staff with this role."""
        page = self.browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB").new_page()
        self.pages.append(page)
        page.goto(f"{self.url}/admin/login/")
        page.get_by_label("Username").fill(role.value)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url("**/admin/")
        visitor = Visitor(page)
        page.on("dialog", lambda dialog: dialog.accept())
        return visitor


@pytest.fixture(scope="module")
def desk(
    services: Services, django_db_blocker: DjangoDbBlocker, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Desk]:
    """Run a web server over an operator's evening: with play, deposits, and rules that were changed."""
    with pytest.MonkeyPatch.context() as patch, fresh_database(services, django_db_blocker) as database:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # Playwright runs its loop in this thread
        office = open_office()
        change_rules(office)
        for amount in (90_000, 80_000, 70_000):
            Till(office.operator.id).deposit(office.player.id, amount, timezone.now())
        sealer.seal_all()
        detection.watch()
        for role in Role:
            hire(role)
        with Web(database, log=tmp_path_factory.mktemp("desk") / "web.log") as web:
            yield Desk(office, f"http://{HOST}:{web.port}", browser)


@pytest.fixture
def enter(desk: Desk) -> Generator[Callable[[Role], Visitor]]:
    """Return `enter(role)`, which opens the front page as a member of staff with this role."""
    yield desk.enter
    while desk.pages:
        desk.pages.pop().context.close()


def hire(role: Role, password: str = PASSWORD) -> None:
    user = User.objects.create_user(role.value, f"{role}@example.com", password, is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    addresses.record_confirmed(user)
    StaffMembership.objects.bulk_create(StaffMembership(user=user, operator=each) for each in Operator.objects.all())


def change_rules(office: Office) -> None:
    table, see = office.single.guest.table, ("baccarat.view_table", "baccarat.view_rulesversion")
    first = RulesVersion.objects.get(table_id=table)
    act(staff(*see, "baccarat.draft_rules", name="maker"), "draft", first, **filled_in(first, minimum="10.00"))
    checker = User.objects.create_user("checker", "checker@example.com", PASSWORD, is_staff=True)
    publish(table, 2, by=f"staff:{checker.pk}")


def test_a_player_disputes_a_round(desk: Desk, enter: Callable[[Role], Visitor]) -> None:
    visitor = enter(Role.COMPLIANCE)
    visitor.type("Id, number or reference", desk.office.player.reference)
    visitor.press("Search")
    visitor.click(visitor.link_to("operators/player"))
    visitor.click(visitor.link_to("baccarat/round"))
    visitor.sees("Replay", "Dispute pack")


def test_a_round_is_voided_by_two_persons_and_found_among_the_voids_of_the_month(
    desk: Desk, enter: Callable[[Role], Visitor]
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
    approver.go("Inbox")
    approver.sees("The shoe jammed.", "What it does")
    approver.press("Confirm")
    approver.sees("it is in effect")
    assert Round.objects.get(pk=round_.pk).phase == "voided"

    compliance = enter(Role.COMPLIANCE)
    compliance.go("Voids of the last 30 days")
    compliance.sees("1 round")
    assert compliance.page.locator(f"a[href*='{round_.pk}']").count()


def test_all_gaming_is_stopped_and_resumes(enter: Callable[[Role], Visitor]) -> None:
    visitor = enter(Role.DUTY_MANAGER)
    visitor.go("Stop all gaming")
    visitor.type("Reason", "A drill.")
    visitor.press("Stop")
    visitor.sees("All gaming is stopped")

    other = enter(Role.DUTY_MANAGER)
    other.go("Its page")
    other.type("Reason", "The drill is over.")
    other.press("Resume")
    other.sees("playing")
