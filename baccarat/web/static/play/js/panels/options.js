// Preferences, theme and language.

import { h } from "../core/dom.js";
import { storage } from "../core/session.js";
import { currentLanguage, languageName, LANGUAGES, loadLanguage, t } from "../messages/index.js";
import { errorText, panel } from "./widgets.js";

/** @import { Host } from "./widgets.js" */

const SWITCHES = /** @type {const} */ (["sound", "voice", "animation", "squeeze", "instant", "full_screen", "show_nickname", "keys"]);

/**
 * @param {Host} host
 * @param {HTMLElement} fault
 * @param {string} name
 * @param {string | boolean | number} value
 */
async function change(host, fault, name, value) {
  try {
    await host.preferences.change(name, value);
  } catch (error) {
    fault.textContent = errorText(error);
  }
  host.draw();
}

/**
 * @param {Host} host
 * @param {HTMLElement} fault
 * @param {string} name
 * @param {boolean} on
 */
function toggle(host, fault, name, on) {
  const box = h("input", { type: "checkbox", role: "switch", checked: on, name, onchange: () => change(host, fault, name, box.checked) });
  return h("label", { class: "switch" }, box,
    h("span", { class: "switch-track", "aria-hidden": "true" }), h("span", { class: "switch-words" }, t(`option.${name}`), note(name)));
}

/** @param {string} name */
const note = (name) => (["animation", "keys", "squeeze", "show_nickname"].includes(name) ? h("small", {}, t(`option.${name}.note`)) : null);

/**
 * @param {Host} host
 * @param {HTMLElement} fault
 * @param {string} name
 * @param {readonly string[]} values
 * @param {string} now
 */
function choose(host, fault, name, values, now) {
  return h("fieldset", { class: "segments" }, h("legend", {}, t(`option.${name}`)), values.map((value) =>
    h("label", { class: "segment" }, h("input", { type: "radio", name, value, checked: value === now, onchange: () => change(host, fault, name, value) }), h("span", {}, t(`option.${name}.${value}`)))));
}

/**
 * @param {Host} host
 * @param {HTMLElement} fault
 * @param {number} now
 */
function volume(host, fault, now) {
  const slider = h("input", { type: "range", name: "volume", min: 0, max: 1, step: 0.1, value: now, onchange: async () => {
    await change(host, fault, "volume", slider.valueAsNumber);
    host.sound.play("chip");
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
  /** @param {Host} host */
  make(host) {
    const values = host.preferences.all;
    const fault = h("p", { class: "form-fault", role: "alert" });
    return panel(host, t("menu.options"),
      SWITCHES.filter((name) => name !== "instant" || host.game?.state.rules.may_hurry !== false).map((name) => toggle(host, fault, name, values[name])),
      choose(host, fault, "style", ["modern", "classic"], values.style),
      choose(host, fault, "theme", ["system", "light", "dark"], values.theme),
      volume(host, fault, values.volume), language(fault), fault);
  },
};
