// One table on the screen: what the service says is drawn, what the player does is sent. The service's word stands.

import { get, news, NoAnswer, Problem } from "../core/api.js";
import { h, put, set } from "../core/dom.js";
import { balance, digitsOf, netOf, partOf, possible, seatsOf, standing } from "../core/facts.js";
import { Live } from "../core/live.js";
import { decimal, minor } from "../core/money.js";
import { goTo } from "../core/session.js";
import { change, money, t } from "../words/index.js";
import { panels } from "../panels/index.js";
import { Actions } from "./actions.js";
import { tellAway } from "./away.js";
import { Board } from "./board.js";
import { Caller } from "./caller.js";
import { Care } from "./care.js";
import { Callout } from "./callout.js";
import { Controls } from "./controls.js";
import { heldBalance, tellRaised, watchFunds } from "./means.js";
import { Hands } from "./hands.js";
import { Header } from "./header.js";
import { listenToKeys } from "./keys.js";
import { announce, Notices } from "./notices.js";
import { Show } from "./show.js";

const OVER = new Set(["session_taken_over", "session_timed_out", "session_ended", "token_expired"]);
const FRESH = 25_000;
const NARROW = 760;
const FORM = 1200 / 640;

/** The game at one table until `leave()`. */
export class Game {
  constructor(table, { preferences, sound, onOver }) {
    Object.assign(this, { table, preferences, sound, onOver });
    this.picture = null;
    this.wallet = null;
    this.link = "away";
    this.seen = null;
    this.last = null;
    this.replaying = null;
    this.open = null;
    this.knownAt = 0;
    this.entered = new Promise((done) => { this.tellEntered = done; });
    this.notices = new Notices();
    this.care = new Care(this);
    this.actions = new Actions(this);
    this.build();
    this.live = new Live(table, {
      table: (picture, askedAt) => this.looked(picture, askedAt),
      event: (event) => panels.chat?.heard?.(this, event),
      wallet: (wallet) => this.purse(wallet),
      state: (word) => this.linked(word),
      back: (position) => tellAway(this, position),
      refused: (problem) => this.refused(problem),
      bye: (code) => OVER.has(code) && news.emit("over", new Problem({ code, title: t(`bye.${code}`) }, 401)),
      hurry: () => standing(this.picture ?? { you: null }) === "confirmed",
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
    this.element = h("div", { class: "game" }, this.header.element, this.notices.element,
      h("main", { class: "middle" }, this.felt, this.panel), this.controls.element);
    this.show = new Show({
      root: this.felt, hands: this.hands, board: this.board, layer: this.layer, sound: this.sound,
      chips: () => this.picture.rules.chips.map(minor), digits: () => digitsOf(this.picture),
      call: (round) => this.call(round), caption: (words) => this.callout.caption(words), changed: () => this.draw(),
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

  /** This will take what a look at the table showed, unless it was asked for before something that is known by now. */
  looked(picture, askedAt) {
    if (this.actions.busy()) return;
    if (askedAt < this.knownAt) return void this.live.look();
    this.knownAt = askedAt;
    this.take(picture);
  }

  /** This will take the table as a command's answer draws it; false for an old answer, given again. */
  answered(picture) {
    this.knownAt = Date.now();
    if (Date.parse(picture.server_time) < Date.parse(this.picture.server_time)) return false;
    this.take(picture);
    return true;
  }

  take(picture) {
    const before = this.picture;
    this.picture = { ...before, ...picture };
    if (!before) this.enter();
    else this.follow(before);
    this.draw();
  }

  /** The first sight of the table: the last round lies there as it ended, and is not called again. */
  enter() {
    const last = this.picture.last_round;
    this.seen = last?.id ?? "none";
    if (last?.phase === "settled" && !partOf(this.picture.round)?.wager) {
      this.hands.show(last);
      this.hands.past(t("hands.last"));
    }
    if (standing(this.picture) === "confirmed") announce(t("restored.wager"));
    watchFunds(this);
    this.tellEntered();
  }

  follow(before) {
    const { last_round: last, round } = this.picture;
    if (last && last.id !== this.seen) {
      this.seen = last.id;
      if (last.phase === "settled") this.present(last);
      else if (last.phase === "voided") this.notices.tell(t("round.voided", { number: last.number }), { kind: "warning", stay: true, key: "void" });
    }
    if (round && round.id !== before.round?.id && standing(this.picture) === "deciding") {
      announce(t("announce.open", { number: round.number }));
      if (!this.show.on && this.picture.rules.turn_seconds === null) this.hands.clear();
    }
    const mine = partOf(round);
    if (mine?.raised && !partOf(before.round)?.raised) tellRaised(this, mine);
    if (mine?.standing === "timed_out" && partOf(before.round)?.standing === "deciding") this.notices.tell(t("message.timed_out"), { kind: "warning" });
    watchFunds(this);
  }

  /** A settled round is shown from its first card, or just laid out when it is old news. */
  async present(round) {
    this.stopReplay();
    const age = Date.parse(this.picture.server_time) - Date.parse(round.ended_at);
    const instant = this.preferences.values.instant || !this.preferences.animated || age > FRESH || document.hidden;
    const mine = partOf(round);
    this.last = { round, raised: mine?.raised };
    if (mine?.raised && !this.notices.kept.has("raised")) tellRaised(this, mine);
    await this.show.run(round, { instant });
    if (mine?.standing === "timed_out") this.notices.tell(t("message.timed_out"), { kind: "warning", key: "timed_out" });
    watchFunds(this);
    this.refreshPurse();
    this.draw();
  }

  async replay(round) {
    if (standing(this.picture) === "deciding" && this.picture.rules.turn_seconds !== null) announce(t("replay.turn"));
    this.replaying = round;
    this.draw();
    await this.show.run(round, { instant: false });
    this.draw();
  }

  stopReplay() {
    if (!this.replaying) return;
    this.replaying = null;
    this.show.hurry();
    const last = this.picture.last_round;
    if (last?.phase === "settled") this.hands.show(last);
    else this.hands.clear();
    this.callout.hide();
    this.draw();
  }

  call(round) {
    const words = t(`call.${round.outcome}`, { player: round.player_hand.total, banker: round.banker_hand.total });
    const mine = partOf(round);
    const net = netOf(mine);
    const result = mine?.result ? change(decimal(net, digitsOf(this.picture)), round.currency) : "";
    if (!this.show.quiet) this.callout.show(round, words, result, net);
    this.sound.say(words);
    const taken = mine?.result && minor(mine.result.commission) > 0n ? t(mine.result.commission_deferred ? "result.owed" : "result.commission", { amount: money(mine.result.commission, round.currency) }) : "";
    announce([words, result && t("result.net", { amount: result }), taken].filter(Boolean).join(". "));
  }

  async refreshPurse() {
    try {
      this.purse(await get("me/balances"));
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
    }
  }

  purse(wallet) {
    this.wallet = wallet;
    this.draw();
  }

  account() {
    return balance(this.wallet, "account", this.picture.you?.book ?? this.picture.books[0]);
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
    return this.show.round ?? (this.replaying ? this.replaying : this.picture.round);
  }

  draw() {
    if (!this.picture) return;
    const { pending, selected } = this.actions;
    const { clientWidth: width, clientHeight: height } = this.felt;
    const lying = width > height * 1.15;
    this.board.arrange(this.picture, { wide: lying, ring: lying && Math.min(width, height * FORM) >= NARROW });
    set(this.felt, { "aria-label": t("felt.label"), "data-step": this.show.step });
    const round = this.drawn();
    const paying = ["paying", "paid"].includes(this.show.step);
    const seats = seatsOf(this.picture, round).map((seat) => (this.show.step === "paid" && this.show.round ? { ...seat, stakes: {} } : seat));
    this.board.draw(this.picture, this.replaying && !this.show.on ? seats.map((seat) => ({ ...seat, stakes: {} })) : seats, {
      pending: this.show.on ? [] : pending, can: possible(this.picture, pending), paying: paying || Boolean(this.replaying && !this.show.on),
    });
    this.controls.draw(this.picture, { pending, selected: this.actions.chosen(selected), show: this.show, replaying: this.replaying });
    this.header.draw(this.picture, { wallet: this.wallet, held: heldBalance(this), link: this.link, open: this.open });
    this.caller.draw(this.picture);
    this.drawPanel();
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
