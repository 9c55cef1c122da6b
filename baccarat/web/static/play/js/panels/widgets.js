// Building blocks of panels: frame, forms with error texts, inputs for amounts and PINs.

import { icon } from "../art/pieces.js";
import { NoResponse, Problem } from "../core/api.js";
import { h, put, say } from "../core/dom.js";
import { describeProblem, t } from "../messages/index.js";

/** @import { Children } from "../core/dom.js" */
/** @import { Preferences } from "../core/preferences.js" */
/** @import { NoticeAction, Notices, PlayerNotices } from "../view/notices.js" */
/** @import { Sound } from "../view/sound.js" */
/** @import { Game } from "../view/game.js" */

/**
 * @typedef {object} Host what a panel opens beside: a table, or the lobby
 * @property {Game | null} game the table
 * @property {string} currency
 * @property {number} digits the decimals of that currency
 * @property {HTMLElement} element
 * @property {HTMLElement} panel
 * @property {string | null} open the panel that is open
 * @property {Notices} notices
 * @property {PlayerNotices} playerNotices
 * @property {Preferences} preferences
 * @property {Sound} sound
 * @property {(path: string) => Promise<any>} read GET what may follow from a result, and return it once that is seen
 * @property {() => unknown} refresh read again what a limit or a break has changed
 * @property {() => void} draw
 * @property {(name: "limit") => void} openPanel
 * @property {() => void} closePanel
 * @property {NoticeAction[]} ways what a reality check offers beside going on, and the limits
 */

/**
 * Return a panel's content under its title, with a close button.
 * @param {Host} host
 * @param {string} title
 * @param {...Children} content
 */
export function panel(host, title, ...content) {
  return [
    h("div", { class: "panel-head" }, h("h2", { tabindex: "-1" }, title),
      h("button", { type: "button", class: "panel-close", "aria-label": t("close"), onclick: () => host.closePanel() }, icon("close"))),
    h("div", { class: "panel-body" }, content),
  ];
}

/**
 * @param {string} label
 * @param {Element} input
 * @param {string | null} [note]
 */
export function field(label, input, note = null) {
  return h("label", { class: "field" }, h("span", { class: "field-label" }, label), input, note ? h("span", { class: "field-note" }, note) : null);
}

/**
 * Create a form; an error thrown by `submit` is shown below it.
 * @param {(form: HTMLFormElement) => Promise<void>} submit
 * @param {...Children} content
 */
export function form(submit, ...content) {
  const fault = h("p", { class: "form-fault", role: "alert" });
  /** @param {Event} event */
  const send = async (event) => {
    event.preventDefault();
    const buttons = [...element.querySelectorAll("button")];
    say(fault, "");
    for (const button of buttons) button.disabled = true;
    try {
      await submit(element);
    } catch (error) {
      say(fault, errorText(error));
    }
    for (const button of buttons) button.disabled = false;
  };
  const element = h("form", { class: "form", novalidate: true, onsubmit: send }, content, fault);
  return element;
}

/**
 * Return a refusal as one line of text; throw any other error again.
 * @param {unknown} error
 */
export function errorText(error) {
  if (error instanceof InvalidInput) return error.message;
  if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
  const { title, remedy } = describeProblem(error);
  return [title, remedy].filter(Boolean).join(" · ");
}

/** Input that can't be sent; its message is shown to the player. */
export class InvalidInput extends Error {}

/** @param {Record<string, unknown>} [attributes] */
export const amountInput = (attributes = {}) => h("input", { type: "text", inputmode: "decimal", autocomplete: "off", required: true, ...attributes });

/**
 * Create buttons that fill an amount in; `offer()` replaces them.
 * @param {HTMLInputElement} amount
 */
export function presets(amount) {
  const element = h("div", { class: "presets", role: "group", "aria-label": t("sit.presets") });
  /** @param {string} value */
  const fill = (value) => {
    amount.value = value;
    amount.dispatchEvent(new Event("input"));
  };
  /** @param {[value: string, words: string][]} each */
  const offer = (each) => put(element, each.map(([value, words]) => h("button", { type: "button", class: "preset", onclick: () => fill(value) }, words)));
  return { element, offer };
}

/**
 * Create a PIN input; `read()` returns the PIN and clears the input, "" if none is required.
 * @param {{id: string, required?: boolean}} options
 */
export function pinInput({ id, required = true }) {
  const element = h("input", { type: "password", name: "pin", id, inputmode: "numeric", autocomplete: "off", required });
  const read = () => {
    const pin = element.value;
    element.value = "";
    if ((required || pin) && !/^\d{4,12}$/.test(pin)) throw new InvalidInput(t("form.pin"));
    return pin;
  };
  return { element, read };
}

/**
 * Return an element that is filled when the promise resolves, and shows the error if it rejects.
 * @template T
 * @param {Promise<T>} promise
 * @param {(value: T) => Children} draw
 */
export function whenLoaded(promise, draw) {
  const place = h("div", { class: "later", "aria-busy": "true" }, h("p", { class: "quiet-words" }, t("loading")));
  promise.then((value) => put(place, draw(value)))
    .catch((error) => place.replaceChildren(h("p", { class: "form-fault", role: "alert" }, errorText(error))))
    .finally(() => place.removeAttribute("aria-busy"));
  return place;
}
