// Preferences, theme and language.

import { h } from "../core/dom.js";
import { storage } from "../core/session.js";
import { currentLanguage, languageName, LANGUAGES, loadLanguage, t } from "../messages/index.js";
import { errorText, panel } from "./widgets.js";

/** @import { Game } from "../view/game.js" */

const SWITCHES = /** @type {const} */ (["sound", "voice", "animation", "squeeze", "instant", "full_screen", "show_nickname", "keys"]);

/**
 * @param {Game} game
 * @param {HTMLElement} fault
 * @param {string} name
 * @param {string | boolean | number} value
 */
async function change(game, fault, name, value) {
  try {
    await game.preferences.change(name, value);
  } catch (error) {
    fault.textContent = errorText(error);
  }
  game.draw();
}

/**
 * @param {Game} game
 * @param {HTMLElement} fault
 * @param {string} name
 * @param {boolean} on
 */
function toggle(game, fault, name, on) {
  const box = h("input", { type: "checkbox", role: "switch", checked: on, name, onchange: () => change(game, fault, name, box.checked) });
  return h("label", { class: "switch" }, box,
    h("span", { class: "switch-track", "aria-hidden": "true" }), h("span", { class: "switch-words" }, t(`option.${name}`), note(name)));
}

/** @param {string} name */
const note = (name) => (["animation", "keys", "squeeze", "show_nickname"].includes(name) ? h("small", {}, t(`option.${name}.note`)) : null);

/**
 * @param {Game} game
 * @param {HTMLElement} fault
 * @param {string} name
 * @param {readonly string[]} values
 * @param {string} now
 */
function choose(game, fault, name, values, now) {
  return h("fieldset", { class: "segments" }, h("legend", {}, t(`option.${name}`)), values.map((value) =>
    h("label", { class: "segment" }, h("input", { type: "radio", name, value, checked: value === now, onchange: () => change(game, fault, name, value) }), h("span", {}, t(`option.${name}.${value}`)))));
}

/**
 * @param {Game} game
 * @param {HTMLElement} fault
 * @param {number} now
 */
function volume(game, fault, now) {
  const slider = h("input", { type: "range", name: "volume", min: 0, max: 1, step: 0.1, value: now, onchange: async () => {
    await change(game, fault, "volume", slider.valueAsNumber);
    game.sound.play("chip");
  } });
  return h("label", { class: "field" }, h("span", { class: "field-label" }, t("option.volume")), slider);
}

/** @param {HTMLElement} fault */
function language(fault) {
  const choice = h("select", { name: "language" }, LANGUAGES.map((tag) => h("option", { value: tag, lang: tag, selected: tag === currentLanguage() }, languageName(tag))));
  choice.addEventListener("change", async () => {
    try {
      await loadLanguage(choice.value);
    } catch (error) {
      fault.textContent = errorText(error);
      return;
    }
    storage.set("language", choice.value);
    document.dispatchEvent(new Event("casino:language"));
  });
  return h("label", { class: "field" }, h("span", { class: "field-label" }, t("option.language")), choice);
}

export const options = {
  /** @param {Game} game */
  make(game) {
    const values = game.preferences.all;
    const fault = h("p", { class: "form-fault", role: "alert" });
    return panel(game, t("menu.options"),
      SWITCHES.filter((name) => name !== "instant" || game.state.rules.may_hurry).map((name) => toggle(game, fault, name, values[name])),
      choose(game, fault, "style", ["modern", "classic"], values.style),
      choose(game, fault, "theme", ["system", "light", "dark"], values.theme),
      volume(game, fault, values.volume), language(fault), fault);
  },
};
