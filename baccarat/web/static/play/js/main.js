// The page's entry point: signs the player in, then shows the lobby or a table.

import { get, onSessionEnd, NoResponse, Problem, wait } from "./core/api.js";
import { h, put } from "./core/dom.js";
import { tell } from "./core/embedding.js";
import { launch, takeLaunchCode } from "./core/launch.js";
import { Preferences } from "./core/preferences.js";
import { goTo, storage, storeToken, tableInAddress, takeOfferedToken, token } from "./core/session.js";
import { hasMessage, loadLanguage, describeProblem, t } from "./messages/index.js";
import { Game } from "./view/game.js";
import { Lobby } from "./view/lobby.js";
import { Sound } from "./view/sound.js";

/** @import { NamedKeys } from "./core/session.js" */

const app = /** @type {HTMLElement} */ (document.getElementById("app"));
/** @type {View | null} */
let view = null;
let preferences = new Preferences();
const sound = new Sound(() => preferences);

/** @param {View} next */
function show(next) {
  leaveView();
  view = next;
  put(app, next.element);
  next.start();
  if (next instanceof Game) tell("table.entered", { table: next.table });
  tell("ready");
}

function leaveView() {
  view?.leave();
  if (view instanceof Game) tell("table.left", { table: view.table });
  view = null;
}

/** @typedef {{player: string, nickname: string}} SignedIn who is signed in, or was last, in this browser */

/**
 * Sign in by the token that the address offers, if it is of the player who was signed in last in this browser.
 * Anybody can send a link with their own token, so the visitor confirms another player's, unless that is done.
 */
async function arrive(offered = takeOfferedToken(), { confirmed = false } = {}) {
  if (!offered) return route();
  try {
    const next = /** @type {SignedIn} */ (await get("preferences", { bearer: offered }));
    const last = /** @type {SignedIn | null} */ (storage.get("player", null));
    if (!confirmed && last && last.player !== next.player) return askToChange(offered, next, last);
    signInAs(offered, next);
  } catch (error) {
    if (error instanceof NoResponse) return retry(() => arrive(offered, { confirmed }));
    if (!(error instanceof Problem)) throw error;
    if (!token()) storeToken(offered);  // its end is explained by the next request
    route();
  }
}

/**
 * @param {string} value
 * @param {SignedIn} who
 * @param {NamedKeys | null} [named]
 */
function signInAs(value, { player, nickname }, named = null) {
  storeToken(value, named);
  storage.set("player", { player, nickname });
  route();
}

/**
 * @param {string} offered
 * @param {SignedIn} next
 * @param {SignedIn} last
 */
function askToChange(offered, next, last) {
  leaveView();
  const names = { name: next.nickname, other: last.nickname };
  put(app, h("main", { class: "door" }, h("h1", {}, t("door.change", names)), h("p", { role: "alert" }, t("door.change.how", names)),
    h("button", { type: "button", class: "primary", onclick: route }, t("door.stay")),
    h("button", { type: "button", class: "change-player", onclick: () => signInAs(offered, next) }, t("door.as", names))));
}

async function route() {
  if (!token()) return signIn();
  const table = tableInAddress();
  preferences = await new Preferences().load();
  if (!token()) return; // the session is over, as the page says by now
  show(table ? new Game(table, { preferences, sound }) : new Lobby({ preferences, sound, onExit: signIn }));
}

/**
 * Without a token: let the visitor pick a demo player, or explain that the casino opens this page.
 * @returns {Promise<void>}
 */
async function signIn() {
  leaveView();
  if (launched) return launched.end("session_closed", t("over"), t("door.closed.how"));
  let players = null;
  const { demoPlayers, listPlayers } = await import("./demo.js");
  try {
    players = await listPlayers();
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error;
    return retry(signIn);
  }
  put(app, players?.length ? demoPlayers(players, signInAs) : signInNeeded());
}

/** @param {() => void} again */
async function retry(again) {
  put(app, textPage(t("connection.lost"), ""));
  await wait(1500);
  again();
}

/**
 * @param {string} title
 * @param {string} words
 */
const textPage = (title, words) => h("main", { class: "door" }, h("h1", {}, title), h("p", {}, words));
const signInNeeded = () => textPage(t("door.closed"), t("door.closed.how"));

/**
 * End the session, and offer the way back.
 * @returns {Promise<void>}
 */
function signOut() {
  storeToken(null);
  return signIn();
}

/** @typedef {Game | Lobby} View what is on the screen: the lobby, or a table */

/**
 * Explain why the session is over, with a button that signs in again.
 * @param {Problem} problem
 */
function showSessionEnd(problem) {
  if (!token()) return;
  storeToken(null);
  leaveView();
  const words = hasMessage(`end.${problem.code}`) ? t(`end.${problem.code}`) : describeProblem(problem).title;
  if (launched) return launched.end(problem.code, t("over"), words);
  put(app, h("main", { class: "door" }, h("h1", {}, t("over")), h("p", { role: "alert" }, words),
    h("button", { type: "button", class: "primary", onclick: () => { goTo(null); route(); } }, t("over.again"))));
}

onSessionEnd(showSessionEnd);
await loadLanguage();
const code = takeLaunchCode();
const offered = takeOfferedToken();
const launched = launch || code ? await (await import("./launched.js")).prepare({ app, sound, view: () => view, arrive, retry, signOut }) : null;
addEventListener("hashchange", () => arrive());
document.addEventListener("casino:language", route);
if (code) launched?.welcome(code);
else arrive(offered);
