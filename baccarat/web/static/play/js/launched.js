// The page as the operator's site opened it: trades the launch's code, shows the way back, and carries out what the page
// that frames it asks for. Loaded for launches only.

import { del, get, isTemporary, newKey, NoResponse, onRefusal, post, Problem, serverNow } from "./core/api.js";
import { h, put } from "./core/dom.js";
import { embedded, origin, SOURCE, tell, VERSION } from "./core/embedding.js";
import { launch, logo } from "./core/launch.js";
import { goTo, storage, tableInAddress, token } from "./core/session.js";
import { describeProblem, LANGUAGES, loadLanguage, t } from "./messages/index.js";

/** @import { Sound } from "./view/sound.js" */

/** @typedef {Record<string, {text: string, data: Record<string, string>}>} Messages each message's data: names and types, with ? if optional */
/** @typedef {{version: number, in: Messages, out: Messages}} Catalogue */
/** @typedef {Record<string, (data: any) => unknown>} Handlers */
/** @typedef {{app: HTMLElement, sound: Sound, view: () => {refreshBalances?: () => Promise<void>} | null, arrive: (token: string, how: {confirmed: boolean}) => Promise<unknown>, retry: (again: () => unknown) => Promise<void>, signOut: () => unknown}} Page what the entry point lends */

const MAX_ID = 100;
const WARN_SECONDS = 120;
const MAX_TIMEOUT = 2 ** 31 - 1;
const LIMITS = ["play_limit_reached", "over_own_table_limit"];

/** A message that can't be carried out, for a reason with a code. */
class Unanswerable extends Error {
  /** @param {string} code */
  constructor(code) {
    super(code);
    this.code = code;
  }
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @param {Page} page */
export async function prepare(page) {
  if (embedded) await answerParent(page);
  /**
   * Say that there is no session any more, and offer the way back to the operator's site.
   * @param {string} code
   * @param {string} title
   * @param {string} words
   */
  const end = (code, title, words) => {
    clearTimeout(timer);
    tell("session.ended", { code });
    put(page.app, h("main", { class: "door" }, logo(), h("h1", {}, title), h("p", { role: "alert" }, words),
      (launch?.return_url || embedded) && h("a", { class: "primary way-back", href: launch?.return_url ?? "#", target: "_top", onclick: goBack }, t("door.back"))));
  };
  /**
   * Trade the launch's code for a session, and go where the launch leads. The key lets this browser repeat the trade.
   * @param {string} code
   * @param {{confirmed: boolean, key?: string}} how
   * @returns {Promise<void>}
   */
  const enter = async (code, { confirmed, key = newKey() }) => {
    try {
      const session = /** @type {Api["LaunchedSession"]} */ (await post("sessions/launch", { code }, { bearer: null, key }));
      if (session.launch.table && !tableInAddress()) goTo(session.launch.table, { silently: true });
      await page.arrive(session.token, { confirmed });
      watchExpiry(session.expires_at);
    } catch (error) {
      if (isTemporary(error)) return page.retry(() => enter(code, { confirmed, key }));
      if (!(error instanceof Problem)) throw error;
      const { title, remedy } = describeProblem(error);
      end(error.code, title, remedy);
    }
  };
  /**
   * Sign in whom this browser knows, and ask anybody else first: anybody can send the address of their own launch. A
   * page that a site of the operator frames was opened there.
   * @param {string} code
   */
  const welcome = (code) => {
    const next = launch?.player;
    const last = /** @type {{player: string} | null} */ (storage.get("player", null));
    if (window.parent !== window || !launch || !next || last?.player === next.player) return enter(code, { confirmed: false });
    const names = { name: next.nickname, casino: launch.casino };
    put(page.app, h("main", { class: "door" }, logo(), h("h1", {}, t("door.change", names)), h("p", { role: "alert" }, t("door.launch", names)),
      h("button", { type: "button", class: "primary", onclick: () => enter(code, { confirmed: true }) }, t("door.as", names)),
      h("button", { type: "button", class: "quiet stay-out", onclick: () => end("session_closed", t("over"), t("door.closed.how")) }, t("door.stay"))));
  };
  return { welcome, end };
}

/**
 * Answer every message of the framing page: `ack` once its handler has carried it out, else `error`.
 * @param {Page} page
 */
async function answerParent(page) {
  const response = await fetch(new URL("core/embedding.json", import.meta.url));
  const catalogue = /** @type {Catalogue} */ (await response.json());
  const handlers = handlersFor(page);
  addEventListener("message", (event) => {
    if (event.source !== window.parent || event.origin !== origin || event.data?.source !== SOURCE) return;
    answer(event.data, catalogue.in, handlers);
  });
  onRefusal(({ code, document }) => {
    const { limit_type, period } = /** @type {Record<string, unknown>} */ (document);
    if (LIMITS.includes(code)) tell("limit.reached", { code, limit_type, period });
    else tell("error", { code });
  });
  new ResizeObserver(() => tell("resized", { width: page.app.scrollWidth, height: page.app.scrollHeight })).observe(page.app);
}

/**
 * @param {any} message
 * @param {Messages} known
 * @param {Handlers} handlers
 */
async function answer(message, known, handlers) {
  const id = typeof message.id === "string" && message.id.length <= MAX_ID ? message.id : null;
  try {
    const code = faultOf(message, known);
    if (code) throw new Unanswerable(code);
    await handlers[message.type](message.data ?? {});
    tell("ack", { id });
  } catch (error) {
    if (error instanceof Problem || error instanceof Unanswerable) tell("error", { id, code: error.code });
    else if (error instanceof NoResponse) tell("error", { id, code: "no_answer" });
    else throw error;
  }
}

/**
 * Return what is wrong with a message, or null.
 * @param {any} message
 * @param {Messages} known
 */
function faultOf(message, known) {
  if (message.v !== VERSION) return "unknown_version";
  if (!Object.hasOwn(known, String(message.type))) return "unknown_type";
  const fields = known[message.type].data;
  const data = message.data ?? {};
  if (typeof data !== "object" || Object.keys(data).some((name) => !Object.hasOwn(fields, name))) return "unknown_field";
  for (const [name, type] of Object.entries(fields)) {
    const optional = type.endsWith("?");
    const missing = data[name] === undefined || data[name] === null;
    if (missing ? !optional : typeof data[name] !== type.replace("?", "")) return "field_invalid";
  }
  return null;
}

/**
 * What the framing page can ask for.
 * @param {Page} page
 */
const handlersFor = ({ app, sound, view, signOut }) => ({
  /** @param {{code: string}} data */
  "session.renew": ({ code }) => renewSession(code),
  "balance.refresh": () => view()?.refreshBalances?.(),
  pause: () => { app.inert = sound.paused = true; },
  resume: () => { app.inert = sound.paused = false; },
  /** @param {{muted: boolean}} data */
  mute: ({ muted }) => { sound.muted = muted; },
  /** @param {{tag: string}} data */
  language: async ({ tag }) => {
    if (!LANGUAGES.includes(tag.slice(0, 2).toLowerCase())) throw new Unanswerable("unknown_language");
    await loadLanguage(tag);
    document.dispatchEvent(new Event("casino:language"));
  },
  /** @param {{table?: string}} data */
  "table.open": ({ table }) => goTo(table ?? null),
  exit: async () => {
    if (token()) await del("sessions/current");
    signOut();
  },
});

/**
 * Warn before this moment; a session that was renewed meanwhile by the operator's server is asked for first.
 * @param {string} expiresAt
 */
function watchExpiry(expiresAt) {
  clearTimeout(timer);
  const left = Date.parse(expiresAt) - serverNow();
  timer = setTimeout(() => warn(expiresAt), Math.min(MAX_TIMEOUT, Math.max(0, left - WARN_SECONDS * 1000)));
}

/** @param {string} expected */
async function warn(expected) {
  try {
    const session = /** @type {Api["SessionExpiry"]} */ (await get("sessions/current"));
    if (Date.parse(session.expires_at) > Date.parse(expected)) return watchExpiry(session.expires_at);
  } catch (error) {
    if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
  }
  tell("session.expiring", { seconds: Math.max(0, Math.round((Date.parse(expected) - serverNow()) / 1000)) });
}

/** @param {string} code */
async function renewSession(code) {
  const session = /** @type {Api["SessionExpiry"]} */ (await post("sessions/renew", { code }));
  watchExpiry(session.expires_at);
}

/**
 * Leave a framed page to its parent, which knows what surrounds it.
 * @param {Event} event
 */
function goBack(event) {
  if (!embedded) return;
  event.preventDefault();
  tell("exit.wanted", { return_url: launch?.return_url });
}
