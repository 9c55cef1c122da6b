// The keyboard at the table, from the table of moves: Enter deals, Space presses what has the focus, other keys as printed.

import { toMinor } from "../core/money.js";
import { ACTIONS, spotKeys } from "../core/moves.js";
import { offeredChips } from "../core/table_state.js";
import { spotName, t } from "../messages/index.js";

/** @import { ActionName } from "../core/moves.js" */
/** @import { Game } from "./game.js" */

const NOT_BEFORE_LOADING = new Set(["enter", "r"]);
const FIELDS = "input, textarea, select, [contenteditable]";
/** What Enter presses if the player came to it by keys: everything but the table's own controls, while there is something to deal. */
const PRESSABLE = "button, a, summary";
const TABLE = ".spot, .chip-button";
const ACTION = "[data-act]";

/**
 * List the keys and what they do, as the help prints them.
 * @param {Api["TableRules"]} rules
 */
export function printedKeys(rules) {
  const actions = Object.entries(ACTIONS).map(([name, [key]]) => [key.length === 1 ? key.toUpperCase() : key, t(`key.${name}`)]);
  const spots = [...spotKeys(rules)].map(([key, spot]) => [key.toUpperCase(), t("key.spot", { spot: spotName(spot) })]);
  return [[`1–${Math.min(9, offeredChips(rules).length)}`, t("key.chip")], ...spots, ...actions, [t("key.space.name"), t("key.space")], ["?", t("key.help")], ["Esc", t("key.close")]];
}

/**
 * Return what a key says: on a layout without Latin letters, or whose digits need Shift, what is printed in its place.
 * @param {KeyboardEvent} event
 */
function nameOf({ key, code, shiftKey }) {
  const name = key.toLowerCase();
  if (key === "?" || /^[a-z0-9]$/.test(name)) return name;
  const [, printed] = /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(code) ?? [];
  const named = /^[a-z]{2,}$/.test(name) && name !== "process"; // Enter, Tab, ArrowUp; an input method says Process
  return printed && !named && !shiftKey ? printed.toLowerCase() : name;
}

/** @param {KeyboardEvent} event @param {string} selector */
const isOn = (event, selector) => event.target instanceof Element && event.target.closest(selector) !== null;

/**
 * Listen to the keyboard until the returned function is called.
 * @param {Game} game
 */
export function listenToKeys(game) {
  /** The key that acted last: held down, it does not press the button that has the focus either. */
  let acted = "";
  /** Whether the player came to what has the focus by Tab, not by a click or by closing a panel. */
  let reached = false;
  const pointed = () => { reached = false; };
  /** @param {KeyboardEvent} event */
  const pressed = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.repeat) return void (event.key === acted && event.preventDefault());
    acted = "";
    if (event.key === "Tab") reached = true;
    if (event.key === "Escape" && game.open) {
      reached = false;
      return game.actions.close();
    }
    if (isOn(event, FIELDS)) return;
    if (!game.preferences.local.keys) return;
    if (!game.state) queueKey(game, event);
    else if (act(game, nameOf(event), event, reached)) {
      acted = event.key;
      event.preventDefault();
    }
  };
  addEventListener("pointerdown", pointed, { capture: true, passive: true });
  addEventListener("keydown", pressed);
  return () => {
    removeEventListener("pointerdown", pointed, { capture: true });
    removeEventListener("keydown", pressed);
  };
}

/**
 * Queue keys pressed before the table is loaded, except those that bet.
 * @param {Game} game
 * @param {KeyboardEvent} event
 */
function queueKey(game, event) {
  if (!NOT_BEFORE_LOADING.has(nameOf(event))) game.entered.then(() => act(game, nameOf(event), event, false));
}

/**
 * Do what a key says; return false where it is the browser's.
 * @param {Game} game
 * @param {string} name
 * @param {KeyboardEvent} event
 * @param {boolean} reached
 */
function act(game, name, event, reached) {
  const { actions } = game;
  const { rules } = game.state;
  if (name === "enter") return enter(game, event, reached);
  const action = /** @type {[ActionName, readonly string[]][]} */ (Object.entries(ACTIONS)).find(([, keys]) => keys.some((key) => key.toLowerCase() === name));
  const spot = spotKeys(rules).get(name);
  const chip = /^[1-9]$/.test(name) && offeredChips(rules)[Number(name) - 1];
  if (name === "x") actions.hurry();
  else if (action) actions.run(action[0]);
  else if (spot) game.state.you && actions.place(spot);
  else if (chip) actions.select(toMinor(chip));
  else if (name === "?") actions.open("help");
  else return false;
  return true;
}

/**
 * Confirm the dialog in front, or deal, whatever was clicked last. What Tab has reached beside the table is pressed as
 * usual, and so is a button of the table while there is nothing to deal.
 * @param {Game} game
 * @param {KeyboardEvent} event
 * @param {boolean} reached
 */
function enter(game, event, reached) {
  if (isOn(event, ".panel, dialog, .notice")) return confirm(event);
  const { actions } = game;
  if (reached && isOn(event, PRESSABLE) && !isOn(event, TABLE) && !(isOn(event, ACTION) && actions.available().deal)) return false;
  actions.run("deal");
  return true;
}

/** Confirm a dialog by its only form, from where Enter does nothing by itself. @param {KeyboardEvent} event */
function confirm(event) {
  if (isOn(event, PRESSABLE)) return false;
  const forms = /** @type {Element} */ (event.target).closest(".panel, dialog")?.querySelectorAll("form") ?? [];
  if (forms.length !== 1 || forms[0].querySelector(".danger")) return false;
  forms[0].requestSubmit();
  return true;
}
