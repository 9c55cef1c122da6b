// The keyboard: zero repeats the last bet, as it always has; the rest is listed in the help panel.

import { minor } from "../core/money.js";

export const KEYS = [
  ["0", "rebet"], ["1–5", "chip"], ["P", "player"], ["T", "tie"], ["B", "banker"], ["Enter", "deal"], ["R", "rebetDeal"],
  ["U", "undo"], ["C", "clear"], ["S", "pass"], ["N", "newGame"], ["Space", "hurry"], ["?", "help"], ["Esc", "close"],
];
const ACTIONS = { 0: "rebet", r: "rebetDeal", u: "undo", backspace: "undo", c: "clear", delete: "clear", s: "pass", n: "newGame" };
const BLIND = new Set(["enter", "r"]);
const SPOTS = { p: "player", t: "tie", b: "banker" };

/** Listen until the function it returns is called. */
export function listenToKeys(game) {
  const pressed = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.key === "Escape" && game.open) return game.actions.close();
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    if (!game.preferences.local.keys) return;
    if (!game.picture) later(game, event);
    else if (act(game, event.key, event)) event.preventDefault();
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}

/** Keys pressed before the table was seen are done in their order when it is; but nobody bets on what is not seen. */
function later(game, event) {
  if (!BLIND.has(event.key.toLowerCase())) game.entered.then(() => act(game, event.key, event));
}

function act(game, key, event) {
  const { actions } = game;
  const name = key.toLowerCase();
  if (name in ACTIONS) actions.run(ACTIONS[name]);
  else if (name in SPOTS) game.picture.you && actions.place(SPOTS[name]);
  else if (key === "?") actions.open("help");
  else if (/^[1-9]$/.test(key) && game.picture.rules.chips[key - 1]) actions.select(minor(game.picture.rules.chips[key - 1]));
  else if (key === "Enter" && !event.target.closest?.("button, a, summary")) actions.run("deal");
  else if (key === " " && game.show.on && !event.target.closest?.("button, a, summary")) game.show.hurry();
  else return false;
  return true;
}
