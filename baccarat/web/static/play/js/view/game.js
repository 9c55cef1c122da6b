// One table on the screen: draws the service's state and sends the player's commands.

import { endSession, get, NoResponse, Problem, wait } from "../core/api.js";
import { h, isTouch, put, set } from "../core/dom.js";
import { tell } from "../core/embedding.js";
import { toDecimal, toMinor } from "../core/money.js";
import { goTo } from "../core/session.js";
import { findBalance, currencyDigits, moneyTypeOf, ownPart, seatsOf, ownStatus } from "../core/table_state.js";
import { TableStream } from "../core/table_stream.js";
import { t } from "../messages/index.js";
import { ChatBox } from "../panels/chat.js";
import { panels } from "../panels/index.js";
import { Actions } from "./actions.js";
import { prefersReducedMotion, RoundAnimation } from "./animation.js";
import { Board, lay } from "./board.js";
import { Caller } from "./caller.js";
import { AutoConfirm } from "./auto_confirm.js";
import { Controls } from "./controls.js";
import { Corner } from "./corner.js";
import { CutContributions } from "./cut.js";
import { Hands } from "./hands.js";
import { Header } from "./header.js";
import { Hint } from "./hint.js";
import { listenToKeys } from "./keys.js";
import { announce, PlayerNotices, Notices, offerNewRelease, showAbsence } from "./notices.js";
import { People } from "./people.js";
import { Position } from "./position.js";
import { Callout, Rounds } from "./rounds.js";
import { HEADLINE } from "./scene.js";
import { Scoreboard } from "./scoreboard.js";
import { Show } from "./show.js";
import { WagerSigner } from "./signing.js";
import { Spots } from "./spots.js";
import { LastCard } from "./squeeze.js";
import { TableUpdates } from "./table_updates.js";

/** @import { Preferences } from "../core/preferences.js" */
/** @import { PendingChip } from "../core/table_state.js" */
/** @import { Panel } from "../panels/index.js" */
/** @import { Frame } from "./board.js" */
/** @import { Receipts } from "./receipts.js" */
/** @import { ShownWager } from "./signing.js" */
/** @import { Sound } from "./sound.js" */

/** @typedef {keyof typeof panels} PanelName */

const SESSION_END_CODES = new Set(["session_taken_over", "session_timed_out", "session_ended", "token_expired"]);

/** How long the balance takes to count up to what was won. */
const COUNT_MILLISECONDS = 400;
/** How long to wait before a module that did not arrive is asked for again. */
const RETRY_MILLISECONDS = 5000;
/** How wide the hands' box must be for its height before the third card lies beside the pair. */
const THIRD_BESIDE = 2.3;

/** The methods that draw the table, in this order: the buttons change with the step, so that none contradicts it. */
const PARTS = /** @type {const} */ (["drawControls", "drawFelt", "drawSpots", "drawHeader", "drawRest", "drawScoreboard", "drawPanel"]);
/** All that is drawn in parts, in its order: what is due again comes before what was left over. */
const ALL = /** @type {const} */ ([...PARTS, "drawBalance"]);
/** @typedef {typeof ALL[number]} Part */
/** After so long a frame draws no further part, so that a slow phone leaves no frame out. */
const FRAME_MILLISECONDS = 4;

/** Load what keeps receipts, again as often as it does not arrive. @returns {Promise<typeof import("./receipts.js")>} */
const importReceipts = () => import("./receipts.js").catch(() => wait(RETRY_MILLISECONDS).then(importReceipts));

/** The game at one table until `leave()`. */
export class Game {
  /**
   * @param {string} table
   * @param {{preferences: Preferences, sound: Sound}} with_
   */
  constructor(table, { preferences, sound }) {
    this.table = table;
    this.preferences = preferences;
    this.sound = sound;
    this.show = new Show(this);
    /** The table as the service has it. Null until it is loaded; nothing is drawn and no command is sent before. */
    this.latest = /** @type {Api["Table"]} */ (/** @type {unknown} */ (null));
    /** @type {Api["Balances"] | null} what the service told last, which is shown when it may be seen */
    this.told = null;
    /** @type {Api["Balances"] | null} */
    this.balances = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.payoutTimer = undefined;
    /** @type {"streaming" | "polling" | "offline"} */
    this.connection = "offline";
    this.wasOffline = false;
    /** When the service last told the table and its money. @type {Date | null} */
    this.knownAt = null;
    /** @type {string | null} */
    this.held = null;
    /** @type {{ from: bigint, since: number } | null} */
    this.counting = null;
    /** The frame in which what is due is drawn, 0 for none. */
    this.frame = 0;
    /** @type {Set<Part>} */
    this.due = new Set();
    /** @type {Frame | null} */
    this.room = null;
    /** @type {PanelName | null} */
    this.open = null;
    /** @type {PanelName | null | undefined} */
    this.shownPanel = null;
    /** @type {string | number | null} */
    this.detail = null;
    /** @type {() => void} */
    this.resolveEntered = () => undefined;
    /** @type {Promise<void>} */
    this.entered = new Promise((done) => { this.resolveEntered = done; });
    this.notices = new Notices();
    /** @type {PlayerNotices} */
    this.playerNotices = new PlayerNotices(this);
    this.actions = new Actions(this);
    this.cut = new CutContributions(this);
    this.signer = new WagerSigner(this);
    /** @type {Promise<Receipts> | null} */
    this.receipts = null;
    /** The contribution whose receipt was looked at last. */
    this.contributed = "";
    this.updates = new TableUpdates(this);
    this.rounds = new Rounds(this);
    this.callout = new Callout();
    this.hands = new Hands(this.callout.element);
    this.caller = new Caller(this);
    this.spots = new Spots((spot) => this.actions.place(spot));
    this.board = new Board(this.actions, this.spots);
    this.lastCard = new LastCard(sound);
    this.stage = h("div", { class: "stage" }, this.board.element, this.hands.box, this.caller.element, this.lastCard.element);
    this.layer = h("div", { class: "layer", "aria-hidden": "true" });
    this.felt = h("main", { class: "felt", tabindex: "-1", onclick: () => this.state.rules.may_hurry && this.animation.finish() },
      this.stage);
    for (const element of [this.felt, this.spots.element]) {
      element.addEventListener("contextmenu", (event) => this.clearBets(event));
    }
    this.controls = new Controls(this.actions, announce);
    this.autoConfirm = new AutoConfirm(this);
    this.header = new Header(this.actions);
    this.position = new Position(this);
    this.corner = new Corner(this);
    this.hint = new Hint(this);
    this.header.element.append(this.corner.element);
    this.scoreboard = new Scoreboard(this);
    this.chat = new ChatBox(this);
    this.people = new People(this);
    this.panel = h("aside", { class: "panel", hidden: true });
    this.element = h("div", { class: "game", "data-table": this.table },
      this.header.element, this.felt, this.people.element, this.notices.element, this.scoreboard.element, h("section", { class: "chat-column", "aria-label": t("menu.chat") }, this.chat.element), this.spots.element, this.controls.element, this.panel, this.layer);
    this.animation = new RoundAnimation({
      hands: this.hands, lastCard: this.lastCard, board: this.board, layer: this.layer, sound: this.sound,
      chips: () => this.state.rules.chips.map(toMinor), digits: () => currencyDigits(this.state), lengths: () => this.state.rules.show_milliseconds,
      call: (round) => this.rounds.call(round),
      caption: (words) => this.callout.caption(words), closed: () => !this.actions.available().place, changed: () => this.draw(), ended: (round) => this.show.end(round),
    });
    this.stopKeys = listenToKeys(this);
    this.resized = new ResizeObserver(() => this.measure());
    this.resized.observe(this.felt);
    this.resized.observe(this.hands.box);
    /** A hidden tab gets no frames: what is being shown there ends, and nothing is queued for its return. */
    this.onVisibility = () => document.hidden && this.animation.finish();
    document.addEventListener("visibilitychange", this.onVisibility);
    this.stream = new TableStream(table, {
      table: (state, askedAt) => this.updates.applyFetched(state, askedAt),
      event: (event) => this.receive(event),
      balances: (balances) => this.receiveBalances(balances),
      connection: (status) => this.showConnection(status),
      resumed: (position) => showAbsence(this, position),
      refused: (problem) => this.refused(problem),
      end: (code) => void (SESSION_END_CODES.has(code) && endSession(new Problem({ code, title: t(`end.${code}`) }, 401))),
      isUrgent: () => Boolean(this.state) && ownStatus(this.state) === "confirmed",
    });
  }

  /** The table as it is to be seen now: what follows from a result waits for its presentation. */
  get state() {
    return this.show.seen(this.latest);
  }

  get game() {
    return this;
  }

  get currency() {
    return this.state.currency;
  }

  get digits() {
    return currencyDigits(this.state);
  }

  /** @returns {import("./notices.js").NoticeAction[]} */
  get ways() {
    return [[t("menu.leave"), () => this.actions.run("leave")]];
  }

  /** @param {string} path */
  read(path) {
    return this.show.get(path);
  }

  refresh() {
    return this.stream.refresh();
  }

  /** @param {PanelName} name */
  openPanel(name) {
    this.actions.open(name);
  }

  closePanel() {
    this.actions.close();
  }

  start() {
    this.stream.start();
    this.entered.then(() => this.loadReceipts());
    this.refreshBalances();
    this.playerNotices.start();
    this.entered.then(() => this.position.start());
    this.entered.then(() => this.loadLimit());
    this.chat.refresh();
    return this;
  }

  leave() {
    this.stream.stop();
    this.receipts?.then((receipts) => receipts.stop());
    this.playerNotices.stop();
    this.position.stop();
    this.stopKeys();
    this.resized.disconnect();
    cancelAnimationFrame(this.frame);
    document.removeEventListener("visibilitychange", this.onVisibility);
    this.people.leave();
    this.controls.stop();
    this.autoConfirm.stop();
    this.animation.finish();
    this.element.remove();
  }

  /** Learn the player's own limit on a spot; without it a bet beyond it is refused in words. */
  async loadLimit() {
    try {
      this.actions.takeLimit(await get(`me/table-limit?currency=${this.currency}`));
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
    }
  }

  loadReceipts() {
    this.receipts ??= importReceipts().then(({ Receipts }) => new Receipts(this));
    return this.receipts;
  }

  /**
   * @param {Api["Receipt"] | null} receipt
   * @param {ShownWager} shown
   */
  takeReceipt(receipt, shown) {
    this.loadReceipts().then((receipts) => receipts.take(receipt, shown));
  }

  /** @param {Api["Round"]} round */
  takePayout(round) {
    if (ownPart(round)?.result) this.loadReceipts().then((receipts) => receipts.takePayout(round));
  }

  /** Take the receipt of a contribution once, as the table shows it. */
  takeContribution() {
    const { you, next_shoe: shoe } = this.state;
    const given = shoe?.contributions.find((each) => each.seat === you?.seat);
    const seen = given && `${shoe?.commitment} ${given.contribution}`;
    if (!seen || seen === this.contributed) return;
    this.contributed = seen;
    this.loadReceipts().then((receipts) => receipts.takeContribution(this.state, this.cut.sent));
  }

  /** @param {Api["LiveEvent"]} event */
  receive(event) {
    panels.chat.receive(this, event);
    if (event.type === "ComplaintAnswered") this.playerNotices.showUnread();
    if (event.type === "RoundVoided") this.showVoid(event);
    if (event.type === "RoundSettled") this.show.settled().then(() => tell("round.settled", { table: event.table, round: event.round }));
    if (event.type === "WagerConfirmed" && event.data.player) tell("wager.confirmed", { table: event.table, round: event.round });
  }

  /** Show that a round was voided, which may have been paid before. @param {Api["LiveEvent"]} event */
  showVoid({ round, data }) {
    const seats = /** @type {{player?: string}[]} */ (data.seats);
    this.tellVoid(/** @type {number} */ (data.number), seats.some(({ player }) => player));
    if (round === this.state?.last_round?.id && !this.animation.running) this.hands.clear();
    if (this.open === "history") this.shownPanel = undefined;
    this.scoreboard.refresh();
    this.draw();
  }

  /**
   * Tell that a round was voided: its players by their notice, which says what came back.
   * @param {number} number
   * @param {boolean} own
   */
  tellVoid(number, own) {
    if (own) this.playerNotices.showUnread();
    else this.notices.show(t("round.voided", { number }), { kind: "warning", stay: true, key: "void" });
  }

  async refreshBalances() {
    try {
      await this.receiveBalances(await get("me/balances"));
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
    }
  }

  /** Show balances, unless newer ones came while they waited for a result to be seen. @param {Api["Balances"]} balances */
  async receiveBalances(balances) {
    this.told = balances;
    await this.show.settled();
    if (this.told === balances) this.showBalances(balances);
  }

  /** @param {Api["Balances"]} balances */
  showBalances(balances) {
    const owed = this.returning();
    this.balances = balances;
    clearTimeout(this.payoutTimer);
    if (this.returning()) this.payoutTimer = setTimeout(() => this.refreshBalances(), 2000);
    else if (owed) this.notices.show(t("wallet.paid"), { key: "paid" });
    tell("balance.changed", { balances: balances.items });
    if (this.latest) this.position.refresh();
    this.draw();
  }

  /** Return whether money is on its way to the casino's own wallet. */
  returning() {
    return (this.balances?.items ?? []).some(({ account, balance }) => account === "returning" && toMinor(balance.amount) > 0n);
  }

  account() {
    return findBalance(this.balances, "account", moneyTypeOf(this.state), this.state.currency);
  }

  /** @param {"streaming" | "polling" | "offline"} status */
  showConnection(status) {
    if (status === this.connection) return;
    const returned = this.connection === "offline" && this.state;
    this.connection = status;
    if (status === "offline") this.notices.show(t("connection.lost"), { key: "link", kind: "warning", stay: true });
    else {
      this.notices.remove("link");
      if (returned && this.wasOffline) {
        announce(t("connection.back"));
        offerNewRelease(this);
      }
    }
    this.wasOffline = status === "offline";
    this.draw();
  }

  /** @param {Problem} problem */
  refused(problem) {
    if (problem.status === 401) return;
    if (problem.status === 404 && !this.state) goTo(null);
    else this.notices.showProblem(problem);
  }

  /** @param {Event} event */
  clearBets(event) {
    event.preventDefault();
    if (!isTouch(event) && this.actions.available().clear) this.actions.run("clear");
  }

  /** Return the round whose chips are on the cloth: the one animated or replayed, else the current one. */
  shownRound() {
    return this.animation.round ?? this.rounds.replaying ?? this.state.round;
  }

  /**
   * Draw parts of the table in the next frames, however often they change until then. A hidden tab draws nothing.
   * @param {readonly Part[]} parts
   */
  draw(parts = PARTS) {
    for (const part of parts) this.due.add(part);
    this.frame ||= requestAnimationFrame(() => this.drawDue());
  }

  /** Draw what is due until the frame's time is used up, and the rest in the next one. */
  drawDue() {
    this.frame = 0;
    if (!this.state) return;
    const end = performance.now() + FRAME_MILLISECONDS;
    for (const part of ALL.filter((each) => this.due.has(each))) { // what a part makes due again is for the next frame
      if (performance.now() > end) return this.draw([]);
      this.due.delete(part);
      this[part]();
    }
  }

  drawNow() {
    if (!this.state) return;
    this.due.clear();
    for (const part of PARTS) this[part]();
  }

  drawControls() {
    const { actions, animation, rounds } = this;
    set(this.element, { "data-step": animation.step });
    this.controls.draw(this.state, { pending: actions.pending, selected: actions.selectedChip(), animation, replaying: rounds.replaying });
  }

  /** Draw the seats' chips on their spots until they are paid out; after a replay only the results stay. */
  drawFelt() {
    this.arrange();
    set(this.element, { "data-alone": this.state.rules.seats === 1 });
    set(this.felt, { "aria-label": t("felt.label"), "data-waiting": this.actions.waiting || null });
    this.board.draw(this.state, this.shownSeats(), this.shownChips());
  }

  drawSpots() {
    const own = this.shownSeats().find((seat) => seat.you);
    this.spots.draw(this.state, this.shownRound(), { part: own?.part ?? null, stakes: own?.stakes ?? {}, ...this.shownChips() });
  }

  drawHeader() {
    this.header.draw(this.state, { balances: this.balances, amount: this.balanceNow(), connection: this.connection, knownAt: this.knownAt, open: this.open });
  }

  drawBalance() {
    this.header.drawBalance(this.state, this.balanceNow());
  }

  drawRest() {
    this.corner.draw();
    this.hint.draw();
    this.caller.draw(this.state);
  }

  drawScoreboard() {
    this.scoreboard.draw();
  }

  /** Whether the results of a replayed round stay on the table. */
  get replayed() {
    return this.rounds.replaying !== null && !this.animation.running;
  }

  shownSeats() {
    const { step, round } = this.animation;
    const cleared = this.replayed || (step === "paid" && round !== null);
    return seatsOf(this.state, this.shownRound()).map((seat) => (cleared ? { ...seat, stakes: {} } : seat));
  }

  shownChips() {
    const { running, step } = this.animation;
    const { pending } = this.actions;
    return {
      pending: running ? [] : pending, can: this.actions.available(),
      paying: this.replayed || ["collecting", "paying", "paid"].includes(step), winnings: step === "paying",
    };
  }

  /** Return the balance to show, which is counted up to once winnings are paid out; null without one. */
  balanceNow() {
    const amount = this.state.you?.game_balance.amount ?? null;
    const { step } = this.animation;
    if (!this.show.unpaid && this.held !== null && step === "paid" && !prefersReducedMotion()) this.counting = { from: toMinor(this.held), since: performance.now() };
    this.held = this.show.unpaid ? amount : null;
    if (step !== "paid" || !this.counting || amount === null) return amount;
    const share = Math.min(1, (performance.now() - this.counting.since) / COUNT_MILLISECONDS);
    if (share === 1) this.counting = null;
    else this.draw(["drawBalance"]);
    const to = toMinor(amount);
    const from = this.counting?.from ?? to;
    return toDecimal(from + ((to - from) * BigInt(Math.round(share * 1000))) / 1000n, currencyDigits(this.state));
  }

  /** Measure the felt when its size has changed; the style sheet says whether seats lie around the table or in a row. */
  measure() {
    const { clientWidth: width, clientHeight: height } = this.felt;
    const { clientWidth: wide, clientHeight: high } = this.hands.box;
    const kind = getComputedStyle(this.element).getPropertyValue("--seats").trim() === "ring" ? "ring" : "row";
    this.room = width && height ? { kind, width, height, third: wide > high * THIRD_BESIDE ? "beside" : "below" } : null;
    this.drawNow();
    this.board.centreOwn();
  }

  /** Lay the felt out for its size. */
  arrange() {
    if (!this.room) return;
    const changed = this.board.arrange(this.state, this.room);
    const { scene } = this.board;
    if (changed) {
      set(this.stage, { class: `stage ${scene ? "ring" : "row"}` });
      if (scene) this.stage.style.setProperty("--aspect", String(scene.width / 100));
      for (const element of [this.hands.box, this.caller.element, this.lastCard.element]) {
        if (scene) lay(element, scene.hands, scene).style.setProperty("--headline", `${HEADLINE}cqb`);
        else element.removeAttribute("style");
      }
      this.board.centreOwn();
    }
    set(this.hands.box, { "data-third": scene ? scene.hands.third : this.room.third });
  }

  drawPanel() {
    const panel = /** @type {Panel | null} */ (this.open && panels[this.open]);
    if (this.shownPanel === this.open) return panel?.draw?.(this);
    this.shownPanel = this.open;
    this.panel.hidden = !this.open;
    this.element.dataset.panel = this.open ?? "";
    put(this.panel, panel?.make(this));
    if (this.open) this.panel.querySelector("h2")?.focus();
  }
}
