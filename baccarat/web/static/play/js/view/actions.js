// What the player does. Commands go out one after the other; chips lie on the table while they are on their way.

import { command, NoAnswer, Problem } from "../core/api.js";
import { digitsOf, possible, statusOf } from "../core/facts.js";
import { decimal, minor } from "../core/money.js";
import { goTo } from "../core/session.js";
import { money, t } from "../words/index.js";
import { Line } from "./line.js";
import { announce } from "./notices.js";

const PATHS = { undo: "undo", clear: "clear", rebet: "rebet", pass: "pass", newGame: "new-game", leave: "leave" };

const PATIENCE = 3000;

/** `run(name)`, `place(spot)`, `select(chip)`, `seat(number)`, `open(panel)` of one game. */
export class Actions {
  constructor(game) {
    this.game = game;
    this.selected = null;
    this.line = new Line({ changed: () => game.draw(), done: () => this.done() });
    this.sentAt = 0;
    this.sent = false;
  }

  /** Chips that are shown on the table and not there yet. */
  get pending() {
    return this.line.coming;
  }

  /** How many commands are not answered yet. */
  get waiting() {
    return this.line.waiting;
  }

  chosen() {
    const chips = this.game.picture.rules.chips.map(minor);
    if (this.selected === null || !chips.includes(this.selected)) {
      this.selected = chips.find((chip) => chip >= minor(this.game.picture.rules.minimum)) ?? chips[0];
    }
    return this.selected;
  }

  select(units) {
    this.selected = units;
    this.game.draw();
  }

  /** While a command is on its way a look at the table may hold it already, beside the chips that are shown as coming. */
  busy() {
    return this.waiting > 0 && Date.now() - this.sentAt < PATIENCE;
  }

  send(path, body) {
    return this.line.join(path, (entry) => this.deliver(entry, path, body));
  }

  /** Send a command and take its answer; what comes next is judged by a table that holds it. */
  async deliver(entry, path, body) {
    const { game } = this;
    this.sentAt = Date.now();
    this.sent = true;
    let answer = null;
    let known = false;
    try {
      answer = await command(`tables/${game.table}/${path}`, body);
      game.notices.drop("problem");
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
      known = error instanceof NoAnswer;
      this.line.refused();
      if (error.status !== 401) game.notices.problem(error, this.waysOut(error));
    }
    entry.coming = [];
    this.sentAt = 0;
    if (answer) known = game.sight.answered(answer);
    if (!known) await game.live.look();
    return answer;
  }

  /** Looks were passed over while commands were on their way. */
  done() {
    if (this.sent) this.game.live.look();
    this.sent = false;
  }

  waysOut(error) {
    if (!["insufficient_funds", "under_minimum"].includes(error.code)) return [];
    return [[t("cash.rebuy"), () => this.open("cash", "rebuy")]];
  }

  /** The chip is the one that is chosen now, whatever is chosen before its turn comes. */
  place(spot) {
    const { game } = this;
    const chip = { spot, units: this.chosen() };
    const seen = !game.show.on && possible(game.picture, this.pending).place;
    if (seen) this.lay(chip);
    return this.line.join("place", (entry) => this.put(entry, chip, seen), seen ? [chip] : []);
  }

  async put(entry, chip, seen) {
    const { game } = this;
    await this.clearTheWay();
    if (!possible(game.picture, []).place) return void announce(t(`message.${statusOf(game.picture)}`));
    entry.coming = [chip];
    if (!seen) this.lay(chip);
    return this.deliver(entry, "place", { spot: chip.spot, amount: this.amountOf(chip), currency: game.picture.currency });
  }

  /** Show and tell that a chip goes to a spot. */
  lay(chip) {
    const { game } = this;
    this.freshCloth();
    game.sound.chip();
    announce(t("announce.placed", { amount: money(this.amountOf(chip), game.picture.currency), spot: t(`spot.${chip.spot}`) }));
    game.draw();
  }

  amountOf(chip) {
    return decimal(chip.units, digitsOf(this.game.picture));
  }

  /** What is being shown of another round is brought to its end. */
  async clearTheWay() {
    await this.game.show.cut();
    this.game.rounds.stopReplay();
  }

  /** Before the first chip of a round the last one's cards are cleared away. */
  freshCloth() {
    const { game } = this;
    game.callout.hide();
    if (statusOf(game.picture) === "idle") game.hands.clear();
    else if (game.hands.shown) game.hands.past(t("hands.last"));
  }

  run(name) {
    const { picture } = this.game;
    const again = name.startsWith("rebet") && possible(picture, this.pending)[name] ? picture.you.last_wager : [];
    return this.line.join(name, (entry) => this.act(entry, name), again.map(({ spot, amount }) => ({ spot, units: minor(amount) })));
  }

  async act(entry, name) {
    const { game } = this;
    await this.clearTheWay();
    if (!possible(game.picture, [])[name]) return null;
    if (["rebet", "rebetDeal", "newGame"].includes(name)) this.freshCloth();
    if (name.startsWith("rebet")) game.sound.chips();
    if (name === "newGame") game.hands.clear();
    const answer = await this.carryOut(entry, name);
    if (answer && name === "leave") {
      game.refreshPurse();
      game.notices.tell(t("left"), { key: "left" });
    }
    return answer;
  }

  /** A deal takes the player's contribution to the cut along; so the last wager is first laid, then dealt. */
  async carryOut(entry, name) {
    if (name !== "deal" && name !== "rebetDeal") return this.deliver(entry, PATHS[name], {});
    const laid = name === "deal" || await this.deliver(entry, "rebet", {});
    return laid && this.deliver(entry, "deal", this.game.cutting.forDeal());
  }

  seat(seat) {
    const { game } = this;
    const taken = game.picture.seats.find((each) => each.seat === seat);
    if (taken) this.open("report", seat);
    else if (game.picture.you) this.send("change-seat", { seat });
    else this.open("sit", seat);
  }

  open(panel, detail = null) {
    const { game } = this;
    game.detail = detail;
    game.shownPanel = detail === null ? game.shownPanel : undefined;
    game.open = game.open === panel && detail === null ? null : panel;
    game.draw();
  }

  close() {
    const { game } = this;
    const opener = game.element.querySelector(`[data-panel="${game.open}"]`);
    game.open = null;
    game.draw();
    opener?.focus?.();
  }

  lobby() {
    goTo(null);
  }
}
