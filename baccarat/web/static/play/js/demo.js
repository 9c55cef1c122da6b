// The door of a demo, where visitors choose whom to play as. Loaded where nobody is signed in.

import { NoResponse, Problem, send } from "./core/api.js";
import { h } from "./core/dom.js";
import { describeProblem, t } from "./messages/index.js";

/** @import { NamedKeys } from "./core/session.js" */
/** @typedef {{id: string, name: string}} DemoPlayer */

const ROOT = new URL("./", document.baseURI);

/**
 * Return the players to try the demo with, or null where there is no demo.
 * @returns {Promise<DemoPlayer[] | null>}
 */
export async function listPlayers() {
  try {
    return (await send("GET", "demo", { root: ROOT })).players;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/**
 * @param {DemoPlayer[]} players
 * @param {(token: string, who: {player: string, nickname: string}, named: NamedKeys | null) => void} signInAs
 */
export function demoPlayers(players, signInAs) {
  const status = h("p", { role: "alert" });
  /** @param {DemoPlayer} player */
  const choose = async (player) => {
    try {
      const { token, casino: by, proof_keys: keys } = await send("POST", "demo", { root: ROOT, body: { player: player.id } });
      signInAs(token, { player: player.id, nickname: player.name }, keys.length ? { by, keys } : null);
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
      status.textContent = describeProblem(error).title;
    }
  };
  return h("main", { class: "door" }, h("h1", {}, t("title")), h("p", {}, t("door.demo")),
    h("ul", { class: "door-players" }, players.map((player) => h("li", {},
      h("button", { type: "button", class: "door-player", onclick: () => choose(player) }, h("span", { class: "door-face", "aria-hidden": "true" }, player.name[0]), t("door.as", { name: player.name }))))),
    status, h("p", { class: "door-note" }, t("door.pin")));
}
