// Notices above the table and for screen readers: problems, low balance, stops, absences, reality checks.

import { icon } from "../art/pieces.js";
import { command, get, NoResponse, Problem, serverNow } from "../core/api.js";
import { h } from "../core/dom.js";
import { tell } from "../core/embedding.js";
import { launch } from "../core/launch.js";
import { storage } from "../core/session.js";
import { toMinor } from "../core/money.js";
import { ownPart } from "../core/table_state.js";
import { playedMinutes } from "../panels/responsible_gaming.js";
import { currentLanguage, day, signedMoney, hasMessage, limitAmount, limitName, minutes, moment, money, describeProblem, spotName, t } from "../messages/index.js";

/** @import { Host } from "../panels/widgets.js" */
/** @import { Game } from "./game.js" */

const DURATION = 9000;

/** @param {string} words */
export const announce = (words) => {
  const live = /** @type {HTMLElement} */ (document.getElementById("live"));
  live.textContent = "";
  requestAnimationFrame(() => {
    live.textContent = words;
  });
};

/** @typedef {[label: string, run: () => unknown]} NoticeAction */

/** The lines above the table; a line replaces the one with the same `key`. */
export class Notices {
  constructor() {
    this.element = h("div", { class: "notices" });
    /** @type {Map<string, {line: HTMLElement, words: string, timer?: number}>} */
    this.open = new Map();
  }

  /**
   * Show a line; `stay` keeps it until it is closed.
   * @param {string} words
   * @param {{key?: string, kind?: "info" | "warning" | "problem", remedy?: string, actions?: NoticeAction[], stay?: boolean, closed?: () => void}} [options] `closed` is called when the player closes it
   */
  show(words, { key = words, kind = "info", remedy = "", actions = [], stay = false, closed = () => undefined } = {}) {
    const old = this.open.get(key);
    if (old?.words === words && stay) return;
    this.remove(key);
    const close = h("button", { type: "button", class: "notice-close", "aria-label": t("close") }, icon("close"));
    close.addEventListener("click", () => {
      this.remove(key);
      closed();
    });
    const line = h("div", { class: `notice ${kind}`, "data-key": key },
      h("p", {}, h("strong", {}, words), remedy ? h("span", {}, ` ${remedy}`) : null),
      actions.map(([label, run]) => h("button", { type: "button", class: "notice-act", onclick: run }, label)), close);
    this.element.prepend(line);
    const timer = stay ? undefined : setTimeout(() => this.remove(key), DURATION);
    this.open.set(key, { line, words, timer });
    if (kind === "problem") /** @type {HTMLElement} */ (document.getElementById("alert")).textContent = `${words} ${remedy}`;
    else announce(`${words} ${remedy}`);
  }

  /**
   * Show why a command was refused.
   * @param {unknown} error
   * @param {NoticeAction[]} [actions]
   */
  showProblem(error, actions = []) {
    const { title, remedy } = describeProblem(error);
    this.show(title, { key: "problem", kind: "problem", remedy, actions });
  }

  /** @param {string} key */
  remove(key) {
    const old = this.open.get(key);
    if (!old) return;
    clearTimeout(old.timer);
    old.line.remove();
    this.open.delete(key);
  }

  /** @param {string} key */
  has(key) {
    return this.open.has(key);
  }
}

/** Whether the service has another release of this page than the one that is open: its parts are named by their contents. */
async function isReplaced() {
  try {
    const page = await (await fetch(location.pathname + location.search, { cache: "no-store", credentials: "omit" })).text();
    return [...document.head.querySelectorAll("script[src], link")].some((part) => !page.includes(part.getAttribute("src") ?? part.getAttribute("href") ?? ""));
  } catch {
    return false; // no answer: looked up when the connection is back again
  }
}

/**
 * Offer the new release of this page, if there is one. A launched page can't be loaded again: its token is only in it.
 * @param {Game} game
 */
export async function offerNewRelease(game) {
  if (!await isReplaced()) return;
  game.notices.show(t("release.new"), { key: "release", stay: true, actions: launch ? [] : [[t("release.load"), () => location.reload()]] });
}

/**
 * Show by how much stakes were raised to the minimum.
 * @param {Game} game
 * @param {Api["RoundSeat"]} part
 */
export function showRaisedStakes(game, part) {
  const { currency } = game.state;
  const words = (part.raised ?? []).map((each) => t("raised.spot", { spot: spotName(each.spot), amount: money(each.amount, currency) })).join(", ");
  game.notices.show(t("raised", { what: words }), { key: "raised", kind: "info" });
}

/**
 * Show the low-balance notice with the available funding options, or remove it.
 * @param {Game} game
 */
export function updateLowBalance(game) {
  const low = game.state.you?.low_balance;
  if (!low || ownPart(game.state.round)?.wager) return game.notices.remove("funds");
  if (!game.notices.open.has("funds")) tell("funds.short", { table: game.table });
  const options = low.funding_options.filter((option) => option.available && option.when === "now");
  game.notices.show(t("funds.low", { minimum: money(low.minimum.amount, low.minimum.currency) }), {
    key: "funds", kind: "warning", stay: true,
    actions: options.map(({ type }) => [t(`funding.${type}`), () => game.actions.open("cash", type)]),
  });
}

/**
 * Say of a round, or of the last one while none is open, that its cards were chosen.
 * @param {Game} game
 */
export function updateForced(game) {
  const { round, last_round: last } = game.state;
  if (!(round ?? last)?.forced) return game.notices.remove("forced");
  game.notices.show(t("forced"), { key: "forced", kind: "warning", stay: true });
}

/**
 * Show why play at the table is stopped, or remove the notice.
 * @param {Game} game
 */
export function updateStop(game) {
  const { stop } = game.state;
  if (!stop) return game.notices.remove("stopped");
  game.notices.show(t("stopped"), { key: "stopped", kind: "warning", stay: true, remedy: stop.player_message });
}

/**
 * Show rounds settled and seats released since a position in the log.
 * @param {Game} game
 * @param {string} after
 */
export async function showAbsence(game, after) {
  try {
    const { absence } = await game.show.get(`recovery?after=${after}`);
    for (const result of absence?.results ?? []) showAbsenceResult(game, result);
    for (const seat of absence?.seats_released ?? []) showReleasedSeat(game, seat);
  } catch (error) {
    if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
  }
}

/**
 * @param {Game} game
 * @param {Api["AbsenceResult"]} result
 */
function showAbsenceResult(game, { rounds, net }) {
  if (rounds) game.notices.show(t("absence.rounds", { n: rounds, net: signedMoney(net.amount, net.currency) }), { key: "absence" });
}

/**
 * @param {Game} game
 * @param {Api["SeatReleased"]} seat
 */
function showReleasedSeat(game, { seat, returned }) {
  const amount = signedMoney(returned.amount, returned.currency);
  game.notices.show(t("absence.released", { seat, amount }), { key: "released", kind: "warning", stay: true });
  game.refreshBalances();
}

const MAX_TIMEOUT = 2 ** 31 - 1;

/** @param {unknown} error */
function nothingIfRefused(error) {
  if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
  return null;
}

/** @param {string} path */
const getOrNull = (path) => get(path).catch(nothingIfRefused);

const STILL = new Set(["cooling_off", "excluded", "excluded_permanently", "blocked"]);

/**
 * Return the translated text of a notice's kind, followed by its message.
 * @param {Api["Notice"]} notice
 */
function noticeText({ kind, details: { amount, owed, limit, round, until, complaint }, message }) {
  const values = {
    amount: amount ? money(amount.amount, amount.currency) : "",
    round,
    until: until ? day(until) : "",
    ...(limit ? { name: limitName(limit), limit: limitAmount(limit.limit, limit.unit) } : {}),
  };
  const own = complaint?.texts[currentLanguage()];
  const what = own ?? (hasMessage(`notice.${kind}`) ? t(`notice.${kind}`, values) : "");
  const debt = owed && toMinor(owed.amount) > 0n ? t("notice.owed", { amount: money(owed.amount, owed.currency) }) : "";
  const due = complaint && until ? t("notice.answer_by", { until: day(until) }) : "";
  const body = complaint?.dispute_body ? t("notice.dispute_body", complaint.dispute_body) : "";
  return [what, debt, STILL.has(kind) ? t("pause.still") : "", message, due, body].filter(Boolean).join(" ");
}

const ACCESS_EVERY = 60_000;

/** Shows reality checks when they are due, the player's unread notices, and what the casino did to their access. */
export class PlayerNotices {
  /** @param {Host} host */
  constructor(host) {
    this.host = host;
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.watch = undefined;
  }

  start() {
    this.schedule();
    this.showUnread();
    this.showSessions();
    this.showPin();
    this.watch = setInterval(() => this.showPin(), ACCESS_EVERY);
  }

  stop() {
    clearTimeout(this.timer);
    clearInterval(this.watch);
  }

  /** Show that the casino requested a new PIN, as long as that waits. */
  async showPin() {
    const status = /** @type {Api["PinStatus"] | null} */ (await getOrNull("me/pin"));
    if (!status?.replaced_at) return this.host.notices.remove("pin");
    this.host.notices.show(t("pin.waits", { when: moment(status.replaced_at) }), {
      key: "pin", kind: "warning", stay: true, remedy: t("pin.waits.how"), actions: [[t("pin.keep"), () => this.host.openPanel("limit")]],
    });
  }

  /** Show that the casino opened a session that this browser doesn't know, since the last one that it knows. */
  async showSessions() {
    const list = /** @type {Api["MySessionList"] | null} */ (await getOrNull("me/sessions"));
    const current = list?.items.find((each) => each.current);
    if (!list || !current) return;
    const name = `session.${storage.get("player", { player: "" }).player}`;
    const known = /** @type {string} */ (storage.get(name, ""));
    const other = known && list.items.find((each) => each.opened_by_casino && !each.current && each.started_at > known);
    storage.set(name, current.started_at);
    if (!other) return;
    this.host.notices.show(t("sessions.other", { when: moment(other.started_at) }), {
      key: "sessions", kind: "warning", stay: true, actions: [[t("reality_check.read"), () => this.host.notices.remove("sessions")]],
    });
  }

  /** Schedule the next reminder, at least `least` milliseconds ahead: one just shown must not repeat because of clock skew. */
  async schedule(least = 1000) {
    const status = await getOrNull("me/reality-check");
    clearTimeout(this.timer);
    if (!status?.reminder) return;
    const left = Date.parse(status.reminder.due_at) - serverNow();
    this.timer = setTimeout(() => this.showRealityCheck(), Math.min(MAX_TIMEOUT, Math.max(least, left)));
    this.host.element.dataset.reminder = status.reminder.due_at;
  }

  async showRealityCheck() {
    const status = await this.host.read(`me/reality-check?currency=${this.host.currency}`).catch(nothingIfRefused);
    this.schedule(60_000);
    if (!status?.session) return;
    const { session } = status;
    tell("reality_check.due");
    const values = { n: session.minutes, played: minutes(playedMinutes(session)), net: signedMoney(session.net.amount, session.net.currency) };
    this.host.notices.show(t("reality_check.reality", values), {
      key: "reality", kind: "warning", stay: true,
      actions: [[t("reality_check.go_on"), () => this.host.notices.remove("reality")], [t("menu.limit"), () => this.host.openPanel("limit")], ...this.host.ways],
    });
  }

  async showUnread() {
    const status = await this.host.read("notices?unread=true&limit=3").catch(nothingIfRefused);
    for (const notice of status?.items ?? []) {
      this.host.notices.show(noticeText(notice), {
        key: notice.id, stay: true, actions: [[t("reality_check.read"), () => this.read(notice)]],
      });
    }
  }

  /** @param {Api["Notice"]} notice */
  async read(notice) {
    this.host.notices.remove(notice.id);
    try {
      await command(`notices/${notice.id}/read`, {});
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
      this.host.notices.showProblem(error);
    }
  }
}
