// One table on the screen: what the service says is drawn, what the player does is sent. The service's word stands.

import { get, news, NoAnswer, Problem } from "../core/api.js";
import { h, put, set } from "../core/dom.js";
import { balance, digitsOf, possible, seatsOf, statusOf } from "../core/facts.js";
import { Live } from "../core/live.js";
import { minor } from "../core/money.js";
import { goTo } from "../core/session.js";
import { t } from "../words/index.js";
import { panels } from "../panels/index.js";
import { Actions } from "./actions.js";
import { tellAway } from "./away.js";
import { Board } from "./board.js";
import { Caller } from "./caller.js";
import { Care } from "./care.js";
import { Callout } from "./callout.js";
import { Controls } from "./controls.js";
import { Cutting } from "./cutting.js";
import { Hands } from "./hands.js";
import { Header } from "./header.js";
import { listenToKeys } from "./keys.js";
import { heldBalance } from "./means.js";
import { announce, Notices } from "./notices.js";
import { Rounds } from "./rounds.js";
import { Show } from "./show.js";
import { Sight } from "./sight.js";

const OVER = new Set(["session_taken_over", "session_timed_out", "session_ended", "token_expired"]);
const NARROW = 760;
const FORM = 1200 / 640;

/** The game at one table until `leave()`. */
export class Game {
  constructor(table, { preferences, sound, onOver }) {
    Object.assign(this, { table, preferences, sound, onOver });
    this.picture = null;
    this.balances = null;
    this.link = "away";
    this.open = null;
    this.entered = new Promise((done) => { this.tellEntered = done; });
    this.notices = new Notices();
    this.care = new Care(this);
    this.actions = new Actions(this);
    this.cutting = new Cutting(this);
    this.sight = new Sight(this);
    this.rounds = new Rounds(this);
    this.build();
    this.live = new Live(table, {
      table: (picture, askedAt) => this.sight.looked(picture, askedAt),
      event: (event) => panels.chat?.heard?.(this, event),
      balances: (balances) => this.showBalances(balances),
      state: (word) => this.linked(word),
      back: (position) => tellAway(this, position),
      refused: (problem) => this.refused(problem),
      end: (code) => OVER.has(code) && news.emit("over", new Problem({ code, title: t(`end.${code}`) }, 401)),
      hurry: () => statusOf(this.picture ?? { you: null }) === "confirmed",
    });
  }

  build() {
    this.hands = new Hands();
    this.callout = new Callout();
    this.caller = new Caller(this);
    this.board = new Board(this.actions);
    this.layer = h("div", { class: "layer", "aria-hidden": "true" });
    this.felt = h("section", { class: "felt", oncontextmenu: (event) => this.withdraw(event), onclick: () => this.show.on && this.show.hurry() },
      h("div", { class: "stage" }, this.board.element, this.hands.element, this.callout.element, this.caller.element, this.layer));
    this.controls = new Controls(this.actions, announce);
    this.header = new Header(this.actions);
    this.panel = h("aside", { class: "panel", hidden: true });
    this.element = h("div", { class: "game", "data-table": this.table }, this.header.element, this.notices.element,
      h("main", { class: "middle" }, this.felt, this.panel), this.controls.element);
    this.show = new Show({
      root: this.felt, hands: this.hands, board: this.board, layer: this.layer, sound: this.sound,
      chips: () => this.picture.rules.chips.map(minor), digits: () => digitsOf(this.picture),
      call: (round) => this.rounds.call(round), caption: (words) => this.callout.caption(words), changed: () => this.draw(),
    });
    this.stopKeys = listenToKeys(this);
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.felt);
  }

  start() {
    this.live.start();
    this.refreshPurse();
    this.care.start();
    return this;
  }

  leave() {
    this.live.stop();
    this.care.stop();
    this.stopKeys();
    this.resized.disconnect();
    this.controls.countdown.stop();
    this.show.hurry();
    this.element.remove();
  }

  async refreshPurse() {
    try {
      this.showBalances(await get("me/balances"));
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
    }
  }

  showBalances(balances) {
    this.balances = balances;
    this.draw();
  }

  account() {
    return balance(this.balances, "account", this.picture.you?.money_type ?? this.picture.money_types[0]);
  }

  linked(word) {
    if (word === this.link) return;
    const back = this.link === "away" && this.picture;
    this.link = word;
    if (word === "away") this.notices.tell(t("link.lost"), { key: "link", kind: "warning", stay: true });
    else {
      this.notices.drop("link");
      if (back && this.wasAway) announce(t("link.back"));
    }
    this.wasAway = word === "away";
    this.draw();
  }

  refused(problem) {
    if (problem.status === 401) return;
    if (problem.status === 404 && !this.picture) goTo(null);
    else this.notices.problem(problem);
  }

  withdraw(event) {
    event.preventDefault();
    if (possible(this.picture, this.actions.pending).clear) this.actions.run("clear");
  }

  /** The round whose chips lie on the cloth: the one that is shown, else the one in hand. */
  drawn() {
    return this.show.round ?? this.rounds.replaying ?? this.picture.round;
  }

  draw() {
    if (!this.picture) return;
    const { selected, pending } = this.actions;
    const { replaying } = this.rounds;
    this.drawCloth(pending, replaying && !this.show.on);
    this.controls.draw(this.picture, { pending, selected: this.actions.chosen(selected), show: this.show, replaying });
    this.header.draw(this.picture, { balances: this.balances, held: heldBalance(this), link: this.link, open: this.open });
    this.caller.draw(this.picture);
    this.drawPanel();
  }

  /** Chips lie on their spots until they are paid and taken home; after a replay only the results stay. */
  drawCloth(pending, replayed) {
    const { clientWidth: width, clientHeight: height } = this.felt;
    const { on, step, round } = this.show;
    const lying = width > height * 1.15;
    this.board.arrange(this.picture, { wide: lying, ring: lying && Math.min(width, height * FORM) >= NARROW });
    set(this.felt, { "aria-label": t("felt.label"), "data-step": step, "data-waiting": this.actions.waiting || null });
    const home = replayed || (step === "paid" && round);
    const seats = seatsOf(this.picture, this.drawn()).map((seat) => (home ? { ...seat, stakes: {} } : seat));
    this.board.draw(this.picture, seats, {
      pending: on ? [] : pending, can: possible(this.picture, pending), paying: replayed || ["paying", "paid"].includes(step),
    });
  }

  drawPanel() {
    if (this.shownPanel === this.open) return void (this.open && panels[this.open].draw?.(this, this.panel));
    this.shownPanel = this.open;
    this.panel.hidden = !this.open;
    this.element.dataset.panel = this.open ?? "";
    put(this.panel, this.open ? panels[this.open].make(this) : null);
    if (this.open) this.panel.querySelector("h2")?.focus();
  }
}
