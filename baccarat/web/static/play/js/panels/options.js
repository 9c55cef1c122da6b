// Preferences: those of the player, and those of this browser.

import { h } from "../core/dom.js";
import { memory } from "../core/session.js";
import { chooseLanguage, LANGUAGES, languageNow, t } from "../words/index.js";
import { inWords, panel } from "./parts.js";

const SWITCHES = ["sound", "voice", "animation", "instant", "full_screen"];

async function change(game, fault, name, value) {
  try {
    await game.preferences.change(name, value);
  } catch (error) {
    fault.textContent = inWords(error);
  }
  if (name === "full_screen") fullScreen(value);
  game.draw();
}

function fullScreen(wanted) {
  const going = wanted ? document.documentElement.requestFullscreen?.() : document.fullscreenElement && document.exitFullscreen();
  going?.catch?.(() => undefined);
}

function toggle(game, fault, name, on) {
  return h("label", { class: "switch" }, h("input", { type: "checkbox", role: "switch", checked: on, name, onchange: (event) => change(game, fault, name, event.target.checked) }),
    h("span", { class: "switch-track", "aria-hidden": "true" }), h("span", { class: "switch-words" }, t(`option.${name}`), note(name)));
}

const note = (name) => (["animation", "keys"].includes(name) ? h("small", {}, t(`option.${name}.note`)) : null);

function choose(game, fault, name, values, now) {
  return h("fieldset", { class: "segments" }, h("legend", {}, t(`option.${name}`)), values.map((value) =>
    h("label", { class: "segment" }, h("input", { type: "radio", name, value, checked: value === now, onchange: () => change(game, fault, name, value) }), h("span", {}, t(`option.${name}.${value}`)))));
}

function language() {
  const pick = (event) => {
    memory.set("language", event.target.value);
    chooseLanguage(event.target.value);
    document.dispatchEvent(new Event("casino:language"));
  };
  return h("label", { class: "field" }, h("span", { class: "field-label" }, t("option.language")),
    h("select", { name: "language", onchange: pick }, Object.entries(LANGUAGES).map(([tag, name]) => h("option", { value: tag, lang: tag, selected: tag === languageNow() }, name))));
}

export const options = {
  make(game) {
    const { values, local } = game.preferences;
    const fault = h("p", { class: "form-fault", role: "alert" });
    return panel(game, t("menu.options"),
      SWITCHES.map((name) => toggle(game, fault, name, values[name])),
      choose(game, fault, "style", ["modern", "classic"], values.style),
      choose(game, fault, "theme", ["system", "light", "dark"], local.theme),
      toggle(game, fault, "keys", local.keys), language(), fault);
  },
};
