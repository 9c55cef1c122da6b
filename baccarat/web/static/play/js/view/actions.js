// The player's commands: sent one after the other, with chips shown on the table until they are answered.

import { command, NoResponse, Problem, serverNow } from "../core/api.js";
import { tell } from "../core/embedding.js";
import { launch } from "../core/launch.js";
import { toDecimal, toMinor } from "../core/money.js";
import { goTo, namedKeys } from "../core/session.js";
import { MOMENTS, momentOf, movesAt, placedChips } from "../core/moves.js";
import { currencyDigits, offeredChips, ownPart, ownStatus, staysAtCasino } from "../core/table_state.js";
import { money, spotName, t } from "../messages/index.js";
import { lacksNamedWitness } from "./named_witnesses.js";
import { announce } from "./notices.js";

/** @import { Move } from "../core/moves.js" */
/** @import { PendingChip } from "../core/table_state.js" */
/** @import { Game, PanelName } from "./game.js" */
/** @import { NoticeAction } from "./notices.js" */

const ONCE = new Set(["deal", "rebetDeal", "pass", "skip", "newGame", "leave", "handBack"]);
const AT_RISK = new Set(["deal", "rebetDeal"]);
/** The commands that place chips or confirm them. */
const BETS = new Set(["place", "rebet", "double", "deal"]);

/** @typedef {{name: string, chips: PendingChip[]}} Entry a command that is not answered yet, with the chips it would place */

/** Runs commands one after the other. `chips` of an entry are shown on the table until it is answered. */
export class CommandQueue {
  /**
   * `changed` is called when an entry is added or done, `idle` when the queue is empty.
   * @param {{changed: () => void, idle: () => void}} handlers
   */
  constructor({ changed, idle }) {
    this.changed = changed;
    this.idle = idle;
    /** @type {Entry[]} */
    this.entries = [];
    /** @type {Promise<unknown>} */
    this.last = Promise.resolve();
  }

  get chips() {
    return this.entries.flatMap((entry) => entry.chips);
  }

  get length() {
    return this.entries.length;
  }

  /**
   * Call `act(entry)` after the entries before it. An action of ONCE that already waits is not added again.
   * @param {string} name
   * @param {(entry: Entry) => unknown} act
   * @param {PendingChip[]} [chips]
   * @returns {Promise<any>} what `act` returned, or null
   */
  add(name, act, chips = []) {
    if (ONCE.has(name) && this.entries.some((entry) => entry.name === name)) return Promise.resolve(null);
    const entry = { name, chips };
    this.entries.push(entry);
    this.last = this.last.then(() => this.run(entry, act));
    this.changed();
    return this.last;
  }

  /** Drop waiting deals after a refusal: the player meant to deal with what was refused on the table. */
  dropRisky() {
    this.entries = this.entries.filter((entry, i) => i === 0 || !AT_RISK.has(entry.name));
  }

  /**
   * @param {Entry} entry
   * @param {(entry: Entry) => unknown} act
   */
  async run(entry, act) {
    if (!this.entries.includes(entry)) return null;
    try {
      return await act(entry);
    } catch (error) {
      reportError(error);
      return null;
    } finally {
      this.entries.splice(this.entries.indexOf(entry), 1);
      this.changed();
      if (!this.entries.length) this.idle();
    }
  }
}

/** @type {Partial<Record<Move, string>>} */
const PATHS = { skip: "skip-show", newGame: "new-game" };

const BUSY_LIMIT = 3000;
/** How long after a deal was sent the page says that it does not know yet whether it was taken. */
const UNSURE_AFTER = 4000;

/** What the player can do in one game. */
export class Actions {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    /** @type {bigint | null} */
    this.selected = null;
    this.picked = false;
    this.queue = new CommandQueue({ changed: () => game.draw(), idle: () => this.refreshIfSent() });
    this.sentAt = 0;
    this.sent = false;
    /** Whether a wager waits for the casino's own wallet. */
    this.confirming = false;
    /** The rounds before a deal that has no answer, until the service has told what became of it. @type {{ round?: string, last?: string } | null} */
    this.unanswered = null;
    /** Whether a deal waits for its answer for long. */
    this.late = false;
    /** The player's own limit on a spot. @type {bigint | null} */
    this.limit = null;
  }

  /** Chips shown on the table that the service has not accepted yet. */
  get pending() {
    return this.queue.chips;
  }

  /** The number of commands that are not answered yet. */
  get waiting() {
    return this.queue.length;
  }

  /** What the page waits for, with the chips that are shown. */
  get waits() {
    const sending = this.queue.entries.some(({ name }) => AT_RISK.has(name));
    const unsure = this.unanswered !== null || (sending && (this.late || this.game.connection === "offline"));
    return { pending: this.pending, sending, unsure, confirming: this.confirming, limit: this.limit };
  }

  /** @param {Api["TableLimit"]} limit */
  takeLimit({ limit }) {
    this.limit = limit && toMinor(limit.amount);
    this.game.draw();
  }

  /** The moment of play, from which buttons, spots, keys and words follow. */
  moment() {
    return momentOf(this.game.state, serverNow(), this.waits);
  }

  /** What the player can do now, with the chips that are shown. */
  available() {
    return movesAt(this.game.state, serverNow(), this.waits);
  }

  /** Whether the service would be asked for this now, once the commands before it are answered. @param {Move} move */
  offered(move) {
    return movesAt(this.game.state, serverNow())[move];
  }

  /** Whether a wager waits for the casino's own wallet, and the player is told that nothing can change until then. */
  locked() {
    if (this.confirming) this.game.notices.show(t("wallet.locked"), { key: "locked" });
    return this.confirming;
  }

  selectedChip() {
    const chips = offeredChips(this.game.state.rules).map(toMinor);
    if (this.selected === null || !chips.includes(this.selected)) {
      this.selected = chips.find((chip) => chip >= toMinor(this.game.state.rules.minimum)) ?? chips[0];
    }
    return this.selected;
  }

  /** @param {bigint} units */
  select(units) {
    this.selected = units;
    this.picked = true;
    this.game.draw();
  }

  /** True while a fetched state might already hold a command whose chips are still shown as pending. */
  busy() {
    return this.waiting > 0 && Date.now() - this.sentAt < BUSY_LIMIT;
  }

  /**
   * @param {string} path
   * @param {object} body
   */
  send(path, body) {
    return this.queue.add(path, (entry) => this.deliver(entry, path, body));
  }

  /**
   * Send a command and apply its answer, so that the next one in the queue sees its effect.
   * @param {Entry} entry
   * @param {string} path
   * @param {object} body
   */
  async deliver(entry, path, body) {
    const { game } = this;
    this.sentAt = Date.now();
    this.sent = true;
    this.confirming = path === "deal" && staysAtCasino(game.state);
    if (this.confirming) game.draw();
    let answer = null;
    let current = false;
    if (BETS.has(path) && await this.refuseUnwitnessed()) {
      entry.chips = [];
      this.queue.dropRisky();
      return null;
    }
    const before = { round: game.latest.round?.id, last: game.latest.last_round?.id };
    const late = path === "deal" ? setTimeout(() => this.setLate(true), UNSURE_AFTER) : undefined;
    try {
      answer = await command(`tables/${game.table}/${path}`, body);
      game.notices.remove("problem");
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
      current = error instanceof NoResponse;
      if (current && path === "deal") this.unanswered = before;
      this.queue.dropRisky();
      if (error instanceof NoResponse || error.status !== 401) game.notices.showProblem(error, this.remedies(error));
    }
    clearTimeout(late);
    this.setLate(false);
    entry.chips = [];
    this.confirming = false;
    game.notices.remove("locked");
    this.sentAt = 0;
    if (answer) current = game.updates.applyAnswer(answer);
    if (!current) await game.stream.refresh();
    return answer;
  }

  /** Whether no witness that the operator named stands for the terms: no bet is placed then, and the player is told. */
  async refuseUnwitnessed() {
    const { game } = this;
    const lacking = await lacksNamedWitness(game.state.terms).catch(() => true);
    if (lacking) game.notices.show(t("witness.unnamed", { name: namedKeys()?.by }), { key: "unnamed", kind: "problem" });
    else game.notices.remove("unnamed");
    return lacking;
  }

  /** @param {boolean} late */
  setLate(late) {
    if (this.late === late) return;
    this.late = late;
    this.game.draw();
  }

  /** Tell what became of a deal that had no answer, from what the service has told since. */
  settleUnanswered() {
    const before = this.unanswered;
    if (!before) return;
    this.unanswered = null;
    const { round, last_round: last } = this.game.latest;
    const taken = ownPart(round)?.wager ?? (last?.id !== before.last && ownPart(last)?.wager);
    this.game.notices.remove("problem");
    this.game.notices.show(t(taken ? "unsure.taken" : "unsure.not_taken"), { key: "unsure", kind: taken ? "info" : "warning" });
  }

  /** Refresh the table after a run of commands: fetched states were ignored meanwhile. */
  refreshIfSent() {
    if (this.sent) this.game.stream.refresh();
    this.sent = false;
  }

  /**
   * @param {Problem | NoResponse} error
   * @returns {NoticeAction[]}
   */
  remedies(error) {
    if (error instanceof NoResponse || error.code !== "insufficient_funds") return [];
    return [[t("cash.rebuy"), () => this.open("cash", "rebuy")]];
  }

  /**
   * Place the chip that is selected now, even if another is selected before its turn comes.
   * @param {string} spot
   */
  place(spot) {
    if (this.locked()) return null;
    const { game } = this;
    const chip = { spot, units: this.selectedChip() };
    const visible = !game.animation.running && this.available().place;
    if (visible) this.showChip(chip);
    return this.queue.add("place", (entry) => this.sendChip(entry, chip, visible), visible ? [chip] : []);
  }

  /**
   * @param {Entry} entry
   * @param {PendingChip} chip
   * @param {boolean} visible
   */
  async sendChip(entry, chip, visible) {
    const { game } = this;
    if (this.offered("place")) await this.finishAnimation();
    if (!this.offered("place")) return void announce(t(MOMENTS[momentOf(game.state, serverNow())].words));
    entry.chips = [chip];
    if (!visible) this.showChip(chip);
    return this.deliver(entry, "place", { spot: chip.spot, amount: this.amountOf(chip), currency: game.state.currency });
  }

  /**
   * Show and announce a chip on its spot.
   * @param {PendingChip} chip
   */
  showChip(chip) {
    const { game } = this;
    this.clearLastRound();
    game.sound.play("chip");
    announce(t("announce.placed", { amount: money(this.amountOf(chip), game.state.currency), spot: spotName(chip.spot) }));
    game.draw();
  }

  /** @param {PendingChip} chip */
  amountOf(chip) {
    return toDecimal(chip.units, currencyDigits(this.game.state));
  }

  /** End the animation or replay of another round. */
  async finishAnimation() {
    await this.game.animation.finishQuietly();
    this.game.rounds.stopReplay();
  }

  /** Clear the last round's cards away before the first chip of a new one. */
  clearLastRound() {
    const { game } = this;
    game.callout.hide();
    if (ownStatus(game.state) === "idle") game.hands.clear();
    else if (game.hands.shown) game.hands.dim(t("hands.last"));
  }

  /** Show the result now, and ask to skip the show where others watch it too. */
  hurry() {
    if (!this.game.state.rules.may_hurry) return;
    this.game.animation.finish();
    if (this.available().skip) this.run("skip");
  }

  /** @param {Move} name */
  run(name) {
    if (this.locked()) return null;
    return this.queue.add(name, (entry) => this.perform(entry, name), this.available()[name] ? this.chipsOf(name, this.pending) : []);
  }

  /**
   * Return the chips that an action places.
   * @param {Move} name
   * @param {PendingChip[]} pending
   * @returns {PendingChip[]}
   */
  chipsOf(name, pending) {
    const { state } = this.game;
    if (name.startsWith("rebet")) return (state.you?.last_wager ?? []).map(({ spot, amount }) => ({ spot, units: toMinor(amount) }));
    if (name !== "double") return [];
    return Object.entries(placedChips(state, pending)).map(([spot, units]) => ({ spot, units }));
  }

  /**
   * @param {Entry} entry
   * @param {Move} name
   */
  async perform(entry, name) {
    const { game } = this;
    if (!this.offered(name)) return null; // and what is shown goes on
    await this.finishAnimation();
    if (!this.offered(name)) return null;
    if (["rebet", "rebetDeal", "newGame"].includes(name)) this.clearLastRound();
    if (name.startsWith("rebet") || name === "double") game.sound.play("chips");
    if (name === "newGame") game.hands.clear();
    const answer = await this.sendAction(entry, name);
    if (answer && name === "leave") {
      game.refreshBalances();
      game.notices.show(t("left"), { key: "left" });
    }
    return answer;
  }

  /**
   * Send an action. "Rebet & deal" is sent as two commands, because a deal is signed and carries a contribution.
   * @param {Entry} entry
   * @param {Move} name
   */
  async sendAction(entry, name) {
    if (name !== "deal" && name !== "rebetDeal") return this.deliver(entry, PATHS[name] ?? name, {});
    const placed = name === "deal" || await this.deliver(entry, "rebet", {});
    if (!placed) return placed;
    const { cut, signer } = this.game;
    const shown = await signer.shownWager();
    const answer = await this.deliver(entry, "deal", { ...await cut.forDeal(), ...(shown.signature && { signature: shown.signature }) });
    if (answer) this.game.takeReceipt(answer.receipt, shown);
    return answer;
  }

  /** @param {number} seat */
  seat(seat) {
    const { game } = this;
    const occupant = game.state.seats.find((each) => each.seat === seat);
    if (occupant) this.open("report", seat);
    else if (!game.state.you) this.open("sit", seat);
    else if (!this.locked()) this.send("change-seat", { seat });
  }

  /**
   * @param {PanelName} panel
   * @param {string | number | null} [detail]
   */
  open(panel, detail = null) {
    const { game } = this;
    game.detail = detail;
    game.shownPanel = detail === null ? game.shownPanel : undefined;
    game.open = game.open === panel && detail === null ? null : panel;
    if (game.open === "cash") tell("cashier.wanted", { cashier_url: launch?.cashier_url });
    game.draw();
  }

  close() {
    const { game } = this;
    /** @type {HTMLElement | null} */
    const opener = game.element.querySelector(`[data-panel="${game.open}"]`);
    game.open = null;
    game.draw();
    (opener ?? game.felt).focus();
  }

  lobby() {
    goTo(null);
  }
}
