// What the player does. Commands go out one after the other; chips lie on the table while they are on their way.

import { command, NoAnswer, Problem } from "../core/api.js";
import { digitsOf, possible, standing } from "../core/facts.js";
import { decimal, minor } from "../core/money.js";
import { goTo } from "../core/session.js";
import { money, t } from "../words/index.js";
import { announce } from "./notices.js";

const PATHS = { undo: "undo", clear: "clear", rebet: "rebet", rebetDeal: "rebet-and-deal", deal: "deal", pass: "pass", newGame: "new-game", leave: "leave" };

const PATIENCE = 3000;

/** `run(name)`, `place(spot)`, `select(chip)`, `seat(number)`, `open(panel)` of one game. */
export class Actions {
  constructor(game) {
    this.game = game;
    this.selected = null;
    this.pending = [];
    this.queue = Promise.resolve();
    this.waiting = 0;
    this.answeredAt = 0;
    this.sentAt = 0;
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

  /** This will forget chips on their way once nothing is under way any more. */
  settle() {
    if (this.waiting === 0) this.pending = [];
  }

  /** While a command is on its way a look at the table may hold it already, beside the chips that are shown as coming. */
  busy() {
    return this.waiting > 0 && Date.now() - this.sentAt < PATIENCE;
  }

  send(path, body, coming = []) {
    this.sentAt = Date.now();
    this.pending.push(...coming);
    this.waiting += 1;
    this.queue = this.queue.then(() => this.deliver(path, body, coming));
    this.game.draw();
    return this.queue;
  }

  async deliver(path, body, coming) {
    const { game } = this;
    let answer = null;
    try {
      answer = await command(`tables/${game.table}/${path}`, body);
      game.notices.drop("problem");
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
      if (error.status !== 401) game.notices.problem(error, this.waysOut(error));
    }
    this.waiting -= 1;
    this.pending = this.pending.filter((each) => !coming.includes(each));
    if (answer) {
      this.answeredAt = Date.now();
      game.take(answer);
    }
    if (!answer || this.waiting === 0) game.live.look();
    game.draw();
    return answer;
  }

  waysOut(error) {
    if (!["insufficient_funds", "under_minimum"].includes(error.code)) return [];
    return [[t("cash.rebuy"), () => this.open("cash", "rebuy")]];
  }

  async place(spot) {
    const { game } = this;
    await game.show.cut();
    game.stopReplay();
    const can = possible(game.picture, this.pending);
    if (!can.place) return void announce(t(`message.${standing(game.picture)}`));
    const units = this.chosen();
    this.freshCloth();
    game.sound.chip();
    const amount = decimal(units, digitsOf(game.picture));
    announce(t("announce.placed", { amount: money(amount, game.picture.currency), spot: t(`spot.${spot}`) }));
    this.send("place", { spot, amount, currency: game.picture.currency }, [{ spot, units }]);
  }

  /** Before the first chip of a round the last one's cards are cleared away. */
  freshCloth() {
    const { game } = this;
    game.callout.hide();
    if (standing(game.picture) === "idle") game.hands.clear();
    else if (game.hands.shown) game.hands.past(t("hands.last"));
  }

  async run(name) {
    const { game } = this;
    await game.show.cut();
    game.stopReplay();
    const can = possible(game.picture, this.pending);
    if (!can[name]) return;
    if (["rebet", "rebetDeal", "newGame"].includes(name)) this.freshCloth();
    if (name.startsWith("rebet")) game.sound.chips();
    if (name === "newGame") game.hands.clear();
    const again = name.startsWith("rebet") ? game.picture.you.last_wager : [];
    const answer = await this.send(PATHS[name], {}, again.map(({ spot, amount }) => ({ spot, units: minor(amount) })));
    if (answer && name === "leave") {
      game.refreshPurse();
      game.notices.tell(t("left"), { key: "left" });
    }
  }

  seat(seat) {
    const { game } = this;
    if (game.picture.you) this.send("change-seat", { seat });
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
