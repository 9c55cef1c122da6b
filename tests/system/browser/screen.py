"""A window with the table page."""

from typing import Any

from playwright.sync_api import (
    CDPSession,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    Request,
    Response,
    ViewportSize,
    expect,
)

from tests.system.browser.house import House

DESKTOP = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=360, height=740)
TIMEOUT = 20_000
NETWORK = "Failed to load resource"


class Screen:
    """What one player sees and does at a table."""

    def __init__(self, page: Page, house: House, *, table: str, token: str, form: str) -> None:
        self.page, self.house, self.table, self.token, self.kind = page, house, table, token, form
        self.usual = True
        self._network: CDPSession | None = None
        self.errors: list[str] = []
        self.listeners = {
            "console": self._record_message,
            "pageerror": self._record_error,
            "request": self._record_request,
            "response": self._record_response,
        }
        for event, hear in self.listeners.items():
            page.on(event, hear)  # type: ignore[call-overload]
        page.set_default_timeout(TIMEOUT)

    def enter(self, *, latency: int, clock: bool) -> None:
        """Open the table as its player, optionally with delayed responses or a clock that tests advance."""
        if latency:
            self.set_network(latency=latency)
        if clock:
            self.usual = False
            self.page.clock.install()
        self.page.goto(f"{self.house.base_url}/play/#token={self.token}&table={self.table}")
        board = self.page.locator(f'.game[data-table="{self.table}"] .board')
        change = self.page.locator(".change-player")  # in a window that another player has used
        expect(board.or_(change)).to_be_visible(timeout=3 * TIMEOUT)
        if change.is_visible():
            change.click()
        expect(board).to_be_visible(timeout=3 * TIMEOUT)

    def answered(self) -> None:
        """Wait until the service has answered all commands."""
        expect(self.page.locator(".felt[data-waiting]")).to_have_count(0, timeout=TIMEOUT)

    def stop_listening(self) -> None:
        """Stop recording errors of this window."""
        for event, hear in self.listeners.items():
            self.page.remove_listener(event, hear)

    @staticmethod
    def form(*, phone: bool = False, dark: bool = False, **more: Any) -> dict[str, Any]:
        """Return the options of a window, by default without animation."""
        return {
            "viewport": PHONE if phone else DESKTOP,
            "has_touch": phone,
            "color_scheme": "dark" if dark else "light",
            "reduced_motion": "reduce",
            "locale": "en-GB",
            **more,
        }

    def set_network(self, *, offline: bool = False, latency: int = 0) -> None:
        """Set this window offline or online, or delay every response by milliseconds."""
        self.usual = False
        conditions = {"offline": offline, "latency": latency, "downloadThroughput": -1, "uploadThroughput": -1}
        if self._network is None:
            self._network = self.page.context.new_cdp_session(self.page)
        self._network.send("Network.emulateNetworkConditions", conditions)

    def _record_error(self, error: Error) -> None:
        self.errors.append(f"error: {error}")

    def _record_message(self, message: ConsoleMessage) -> None:
        if message.type == "error" and NETWORK not in message.text:
            self.errors.append(message.text)

    def _record_request(self, request: Request) -> None:
        if not request.url.startswith((self.house.base_url, *self.house.witnesses, "data:", "blob:")):
            self.errors.append(f"requested another host: {request.url}")

    def _record_response(self, response: Response) -> None:
        if response.status >= 500 or response.status == 404:
            self.errors.append(f"{response.status} {response.url}")

    def require_no_errors(self) -> None:
        """Assert that the window has recorded no error."""
        assert self.errors == [], self.errors

    def choose(self, amount: str) -> None:
        """Select the chip of this value."""
        self.page.locator(f'.chip-button[data-chip="{amount}.00"]').click()

    def spot(self, name: str) -> Locator:
        """Find the player's own spot."""
        return self.page.locator(f'button.spot.mine[data-spot="{name}"]')

    def chips_on(self, name: str, seat: int | None = None) -> Locator:
        """Find the sum on a spot of the player or another seat."""
        if seat is None:
            return self.spot(name).locator(".stack-sum")
        return self.page.locator(f'.seat[aria-label="Seat {seat}"] .spot[data-spot="{name}"] .stack-sum')

    def place(self, spot: str, *amounts: str) -> None:
        """Place chips on a spot, one after the other."""
        for amount in amounts:
            self.choose(amount)
            self.spot(spot).click()

    def act(self, name: str) -> None:
        """Click one of the buttons below the table."""
        self.page.locator(f'[data-act="{name}"]').click()

    def button(self, name: str) -> Locator:
        """Find one of the buttons below the table."""
        return self.page.locator(f'[data-act="{name}"]')

    def press(self, key: str) -> None:
        """Press a key."""
        self.page.keyboard.press(key)

    def open(self, panel: str) -> Locator:
        """Open a panel beside the table, from the menu that smaller frames fold away."""
        if self.page.locator(".to-more").is_visible():
            self.page.locator(".to-more").click()
        self.page.locator(f'button[data-panel="{panel}"]').click()
        panel_locator = self.page.locator(".panel")
        expect(panel_locator).to_be_visible()
        expect(panel_locator.locator("[aria-busy]")).to_have_count(0, timeout=TIMEOUT)
        return panel_locator

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
        """The notices above the table."""
        return self.page.locator(".notice")

    @property
    def total(self) -> Locator:
        """The totals of the hands."""
        return self.page.locator(".hand .total")

    def expect_notice(self, words: str) -> None:
        """Wait for a notice that contains this text."""
        expect(self.notice.filter(has_text=words)).to_be_visible(timeout=TIMEOUT)

    def expect_round(self, round_: dict[str, Any]) -> None:
        """Wait until the screen shows the hands of a settled round."""
        expect(self.total.first).to_have_text(str(round_["player_hand"]["total"]), timeout=TIMEOUT)
        expect(self.total.last).to_have_text(str(round_["banker_hand"]["total"]), timeout=TIMEOUT)
        count = len(round_["cards"])
        expect(self.page.locator(".hands .card.shown")).to_have_count(count)
