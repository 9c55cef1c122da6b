// Where the page begins: who plays, and what is on the screen, the lobby or a table.

import { demo, news, NoAnswer, Problem } from "./core/api.js";
import { h, put } from "./core/dom.js";
import { Preferences } from "./core/preferences.js";
import { forgetToken, goTo, keepToken, tableInAddress, takeToken, token } from "./core/session.js";
import { wait } from "./core/signals.js";
import { Game } from "./view/game.js";
import { Lobby } from "./view/lobby.js";
import { Sound } from "./view/sound.js";
import { chooseLanguage, known, plainly, t } from "./words/index.js";

const app = document.getElementById("app");
let shown = null;
let preferences = new Preferences();
const sound = new Sound(() => preferences.values);

function show(view) {
  shown?.leave?.();
  shown = view;
  put(app, view?.element ?? null);
  view?.start?.();
}

async function route() {
  if (!token()) return door();
  const table = tableInAddress();
  if (table) {
    preferences = await new Preferences().load();
    show(new Game(table, { preferences, sound }));
  } else show(new Lobby({ onExit: door }));
}

/** Without a token: in a demo one chooses whom to play as, elsewhere one is told where tokens come from. */
async function door() {
  shown?.leave?.();
  shown = null;
  let players = null;
  try {
    players = (await demo.list()).players;
  } catch (error) {
    if (error instanceof NoAnswer) return retry();
    if (!(error instanceof Problem)) throw error;
  }
  put(app, players?.length ? demoDoor(players) : closedDoor());
}

async function retry() {
  put(app, message(t("link.lost"), ""));
  await wait(1500);
  door();
}

const message = (title, words) => h("main", { class: "door" }, h("h1", {}, title), h("p", {}, words));
const closedDoor = () => message(t("door.closed"), t("door.closed.how"));

function demoDoor(players) {
  const fault = h("p", { role: "alert" });
  const choose = async (player) => {
    try {
      const entered = await demo.enter(player.id);
      keepToken(entered.token);
      route();
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
      fault.textContent = plainly(error).title;
    }
  };
  return h("main", { class: "door" }, h("h1", {}, t("title")), h("p", {}, t("door.demo")),
    h("ul", { class: "door-players" }, players.map((player) => h("li", {},
      h("button", { type: "button", class: "door-player", onclick: () => choose(player) }, h("span", { class: "door-face", "aria-hidden": "true" }, player.name[0]), t("door.as", { name: player.name }))))),
    fault, h("p", { class: "door-note" }, t("door.pin")));
}

/** A session that is over is said so in plain words, with the way back in. */
function over(problem) {
  if (!token()) return;
  forgetToken();
  shown?.leave?.();
  shown = null;
  const words = known(`end.${problem.code}`) ? t(`end.${problem.code}`) : plainly(problem).title;
  put(app, h("main", { class: "door" }, h("h1", {}, t("over")), h("p", { role: "alert" }, words),
    h("button", { type: "button", class: "primary", onclick: () => { goTo(null); route(); } }, t("over.again"))));
}

news.on("over", over);
chooseLanguage();
takeToken();
addEventListener("hashchange", () => {
  takeToken();
  route();
});
document.addEventListener("casino:language", route);
route();

