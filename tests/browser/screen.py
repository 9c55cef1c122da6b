"""One window with the page in it, in words of the game."""

from typing import Any

from playwright.sync_api import CDPSession, ConsoleMessage, Error, Locator, Page, Request, Response, expect

from tests.browser.house import House

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}
PATIENCE = 20_000
NETWORK = "Failed to load resource"


class Screen:
    """What one player sees at a table, and does."""

    def __init__(self, page: Page, house: House, *, table: str, token: str, form: str) -> None:
        self.page, self.house, self.table, self.token, self.kind = page, house, table, token, form
        self.usual = True
        self._line: CDPSession | None = None
        self.faults: list[str] = []
        self.heard = {
            "console": self._console,
            "pageerror": self._failed,
            "request": self._asked,
            "response": self._answered,
        }
        for event, hear in self.heard.items():
            page.on(event, hear)  # type: ignore[call-overload]
        page.set_default_timeout(PATIENCE)

    def enter(self, *, latency: int, clock: bool) -> None:
        """Go to the table as its player; with `latency` every answer comes late, `clock` can be moved on."""
        if latency:
            self.line(latency=latency)
        if clock:
            self.usual = False
            self.page.clock.install()
        self.page.goto(f"{self.house.base_url}/play/#token={self.token}&table={self.table}")
        expect(self.page.locator(f'.game[data-table="{self.table}"] .board')).to_be_visible(timeout=3 * PATIENCE)

    def answered(self) -> None:
        """Wait until the service has answered everything the player asked for."""
        expect(self.page.locator(".felt[data-waiting]")).to_have_count(0, timeout=PATIENCE)

    def hear_no_more(self) -> None:
        """Leave what the window does from now on to others."""
        for event, hear in self.heard.items():
            self.page.remove_listener(event, hear)

    @staticmethod
    def form(*, phone: bool = False, dark: bool = False, **more: Any) -> dict[str, Any]:
        """The options of a window; movement is left out unless a test asks for it."""
        return {
            "viewport": PHONE if phone else DESKTOP,
            "has_touch": phone,
            "color_scheme": "dark" if dark else "light",
            "reduced_motion": "reduce",
            "locale": "en-GB",
            **more,
        }

    def line(self, *, offline: bool = False, latency: int = 0) -> None:
        """Cut this window's line or mend it, or let every answer come so many milliseconds late."""
        self.usual = False
        conditions = {"offline": offline, "latency": latency, "downloadThroughput": -1, "uploadThroughput": -1}
        if self._line is None:
            self._line = self.page.context.new_cdp_session(self.page)
        self._line.send("Network.emulateNetworkConditions", conditions)

    def _failed(self, error: Error) -> None:
        self.faults.append(f"error: {error}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and NETWORK not in message.text:
            self.faults.append(message.text)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self.house.base_url, "data:", "blob:")):
            self.faults.append(f"asked another host: {request.url}")

    def _answered(self, response: Response) -> None:
        if response.status >= 500 or response.status == 404:
            self.faults.append(f"{response.status} {response.url}")

    def require_quiet(self) -> None:
        """Refuse a window that has shown an error."""
        assert self.faults == [], self.faults

    def choose(self, amount: str) -> None:
        """Choose the chip of this many units."""
        self.page.locator(f'.chip-button[data-chip="{amount}.00"]').click()

    def spot(self, name: str) -> Locator:
        """The player's own spot."""
        return self.page.locator(f'button.spot.mine[data-spot="{name}"]')

    def chips_on(self, name: str, seat: int | None = None) -> Locator:
        """The sum that lies on a spot, of any seat."""
        if seat is None:
            return self.spot(name).locator(".stack-sum")
        return self.page.locator(f'.seat[aria-label="Seat {seat}"] .spot.{name} .stack-sum')

    def place(self, spot: str, *amounts: str) -> None:
        """Put chips on a spot, one after the other."""
        for amount in amounts:
            self.choose(amount)
            self.spot(spot).click()

    def act(self, name: str) -> None:
        """Press one of the buttons below the table."""
        self.page.locator(f'[data-act="{name}"]').click()

    def button(self, name: str) -> Locator:
        """One of the buttons below the table."""
        return self.page.locator(f'[data-act="{name}"]')

    def press(self, key: str) -> None:
        """Press a key."""
        self.page.keyboard.press(key)

    def open(self, panel: str) -> Locator:
        """Open what lies beside the table."""
        self.page.locator(f'[data-panel="{panel}"]').click()
        found = self.page.locator(".panel")
        expect(found).to_be_visible()
        return found

    @property
    def bet(self) -> Locator:
        """The total bet."""
        return self.page.locator(".bet-amount")

    @property
    def balance(self) -> Locator:
        """The game balance."""
        return self.page.locator("#game-balance")

    @property
    def notice(self) -> Locator:
        """Lines above the table."""
        return self.page.locator(".notice")

    @property
    def total(self) -> Locator:
        """What the hands add up to, once they lie there."""
        return self.page.locator(".hand .total")

    def see(self, words: str) -> None:
        """Wait for a line above the table that holds these words."""
        expect(self.notice.filter(has_text=words)).to_be_visible(timeout=PATIENCE)

    def lies(self, round_: dict[str, Any]) -> None:
        """Wait until a settled round lies on the screen as the house has it."""
        expect(self.total.first).to_have_text(str(round_["player_hand"]["total"]), timeout=PATIENCE)
        expect(self.total.last).to_have_text(str(round_["banker_hand"]["total"]), timeout=PATIENCE)
        count = len(round_["cards"])
        expect(self.page.locator(".hands .card.shown")).to_have_count(count)
