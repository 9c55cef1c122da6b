// What panels are made of: a head that can be closed, forms that say what is wrong, amounts as people type them.

import { NoAnswer, Problem } from "../core/api.js";
import { icon } from "../art/icons.js";
import { h, say } from "../core/dom.js";
import { plainly, t } from "../words/index.js";

/** Make a panel's content under its title, with the way to close it. */
export function panel(game, title, ...content) {
  return [
    h("div", { class: "panel-head" }, h("h2", { tabindex: "-1" }, title),
      h("button", { type: "button", class: "panel-close", "aria-label": t("close"), onclick: () => game.actions.close() }, icon("close"))),
    h("div", { class: "panel-body" }, content),
  ];
}

/** Make a labelled field. */
export function field(label, input, note = null) {
  return h("label", { class: "field" }, h("span", { class: "field-label" }, label), input, note ? h("span", { class: "field-note" }, note) : null);
}

/** Make a form whose `submit` is waited for; what it throws is said in plain words beneath. */
export function form(submit, ...content) {
  const fault = h("p", { class: "form-fault", role: "alert" });
  const send = async (event) => {
    event.preventDefault();
    const buttons = [...element.querySelectorAll("button")];
    say(fault, "");
    for (const button of buttons) button.disabled = true;
    try {
      await submit(element);
    } catch (error) {
      say(fault, inWords(error));
    }
    for (const button of buttons) button.disabled = false;
  };
  const element = h("form", { class: "form", novalidate: true, onsubmit: send }, content, fault);
  return element;
}

/** Put what went wrong into one line; what is no refusal is a fault of ours and goes on. */
export function inWords(error) {
  if (error instanceof Wrong) return error.message;
  if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
  const { title, remedy } = plainly(error);
  return [title, remedy].filter(Boolean).join(" · ");
}

/** Something typed that can't be meant. */
export class Wrong extends Error {}

export const amountInput = (attributes = {}) => h("input", { type: "text", inputmode: "decimal", autocomplete: "off", required: true, ...attributes });

/** Make a field for a PIN; `read()` takes what was typed and leaves nothing, "" where none is needed. */
export function pinInput({ id, required = true }) {
  const element = h("input", { type: "password", name: "pin", id, inputmode: "numeric", autocomplete: "off", required });
  const read = () => {
    const given = element.value;
    element.value = "";
    if ((required || given) && !/^\d{4,12}$/.test(given)) throw new Wrong(t("form.pin"));
    return given;
  };
  return { element, read };
}

/** Link to the page that checks a round; the new window plays on under the same token. */
export function checkLink(round, number) {
  return h("a", { class: "quiet check", href: `verify/?round=${round}`, target: "_blank", rel: "opener", "aria-label": t("fair.check.long", { number }) }, t("fair.check"));
}

/** Make a place that fills itself when its promise comes true, and says so when it does not. */
export function later(promise, draw) {
  const place = h("div", { class: "later", "aria-busy": "true" }, h("p", { class: "quiet-words" }, t("loading")));
  promise.then((value) => place.replaceChildren(...[draw(value)].flat(Infinity).filter(Boolean)))
    .catch((error) => place.replaceChildren(h("p", { class: "form-fault", role: "alert" }, inWords(error))))
    .finally(() => place.removeAttribute("aria-busy"));
  return place;
}
