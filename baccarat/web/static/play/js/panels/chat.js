// Chat at the table, and reports to the moderators. Messages are only ever inserted as text.

import { icon } from "../art/pieces.js";
import { command, get, NoResponse, Problem, put as putToApi } from "../core/api.js";
import { h, put, say, set } from "../core/dom.js";
import { moment, t, time } from "../messages/index.js";
import { calledBy } from "../view/people.js";
import { field, form, errorText, panel, InvalidInput } from "./widgets.js";

/** @import { Game } from "../view/game.js" */

const LONGEST_REASON = 500;
const REASONS = ["language", "begging", "cheating", "other"];

/**
 * @param {Game} game
 * @param {HTMLElement} place
 * @param {number} seat
 */
function showSent(game, place, seat) {
  const words = h("p", { tabindex: "-1" }, h("strong", {}, t("report.sent", { seat })));
  put(place, words, h("p", {}, t("report.then")), h("button", { type: "button", class: "primary", onclick: () => game.actions.close() }, t("report.done")));
  words.focus();
}

/**
 * Return the chosen reason and remark, in the player's own language.
 * @param {HTMLFormElement} element
 */
function readReason(element) {
  const fields = new FormData(element);
  const remark = String(fields.get("remark")).trim();
  if (fields.get("why") === "other" && !remark) throw new InvalidInput(t("report.say"));
  return [fields.get("why") === "other" ? "" : t(`report.why.${fields.get("why")}`), remark].filter(Boolean).join(": ");
}

export const report = {
  /** @param {Game} game */
  make(game) {
    const others = game.state.seats.filter((each) => !each.you).map((each) => each.seat).sort((a, b) => a - b);
    const place = h("div", { class: "bounds" });
    const seat = h("select", { name: "seat", id: "report-seat" }, others.map((each) => h("option", { value: each, selected: each === game.detail }, t("seat.label", { seat: each }))));
    const remark = h("textarea", { name: "remark", id: "report-remark", rows: 3, maxlength: LONGEST_REASON - 60 });
    /** @param {HTMLFormElement} element */
    const submit = async (element) => {
      await command(`tables/${game.table}/chat/report-player`, { seat: Number(seat.value), reason: readReason(element) });
      showSent(game, place, Number(seat.value));
    };
    if (others.length) {
      put(place, h("p", { class: "quiet-words" }, t("report.how")), form(submit, field(t("report.whom"), seat),
        h("fieldset", { class: "choices" }, h("legend", {}, t("report.why")), REASONS.map((why, i) => h("label", { class: "choice" }, h("input", { type: "radio", name: "why", value: why, checked: i === 0 }), h("span", {}, t(`report.why.${why}`))))),
        field(t("report.remark"), remark), h("button", { class: "primary", type: "submit" }, t("report.do"))));
    } else put(place, h("p", {}, t("report.nobody")));
    return panel(game, t("report.title"), place);
  },
};

const LONGEST_MESSAGE = 200;
const REFRESH_INTERVAL = 4000;

/**
 * @param {Game} game
 * @param {Api["ChatMessage"]} message
 */
function line(game, message) {
  const who = message.you ? t("chat.you") : calledBy(message.nickname, message.seat);
  /** @type {HTMLButtonElement | null} */
  const report = message.you ? null : h("button", { type: "button", class: "chat-report", title: t("chat.report"), "aria-label": t("chat.report.long", { who }),
    onclick: () => report && reportMessage(game, message, report) }, icon("flag"));
  return h("li", { class: message.you ? "chat-line mine" : "chat-line" }, h("bdi", { class: "chat-who" }, who), h("time", {}, time(message.sent_at)), h("p", { dir: "auto" }, message.text), report);
}

/**
 * @param {Game} game
 * @param {Api["ChatMessage"]} message
 * @param {HTMLButtonElement} button
 */
async function reportMessage(game, message, button) {
  button.disabled = true;
  try {
    await command(`tables/${game.table}/chat/${message.id}/report`, {});
    game.notices.show(t("chat.reported"), { key: "chat" });
  } catch (error) {
    button.disabled = false;
    game.notices.show(errorText(error), { key: "chat", kind: "problem" });
  }
}

/** The messages, the input, and the switch that closes the chat for this player: beside the table, or in a panel. */
export class ChatBox {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    this.signature = "";
    this.list = h("ol", { class: "chat-list", tabindex: "0", "aria-live": "polite", "aria-label": t("menu.chat") });
    this.input = h("input", { type: "text", name: "text", maxlength: LONGEST_MESSAGE, autocomplete: "off", "aria-label": t("chat.write"), placeholder: t("chat.write") });
    this.status = h("p", { class: "quiet-words", role: "status" });
    this.form = form(() => this.send(), h("div", { class: "chat-write" }, this.input, h("button", { class: "primary", type: "submit" }, t("chat.send"))));
    this.openButton = h("button", { type: "button", class: "chat-tool", onclick: () => this.toggle() });
    this.reportButton = h("button", { type: "button", class: "chat-tool", "aria-label": t("report.title"), title: t("report.title"), onclick: () => game.actions.open("report", 0) }, icon("flag"));
    this.element = h("div", { class: "chat-box" },
      h("div", { class: "chat-head" }, h("h2", {}, t("menu.chat")), h("div", { class: "chat-tools" }, this.reportButton, this.openButton)),
      this.list, this.status, this.form);
    const timer = setInterval(() => (this.element.isConnected ? document.hidden || this.refresh() : clearInterval(timer)), REFRESH_INTERVAL);
  }

  /** Whether the layout shows it. */
  get visible() {
    return this.element.offsetParent !== null;
  }

  async refresh() {
    if (!this.visible) return;
    try {
      this.draw(await get(`tables/${this.game.table}/chat?limit=50`));
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
      say(this.status, errorText(error));
    }
  }

  /** @param {Api["Chat"]} chat */
  draw(chat) {
    this.open = chat.open;
    const signature = JSON.stringify([chat.items, chat.open]);
    if (signature !== this.signature) {
      this.signature = signature;
      put(this.list, [...chat.items].reverse().map((message) => line(this.game, message)));
      this.list.scrollTop = this.list.scrollHeight;
    }
    set(this.form, { hidden: !chat.can_write });
    const words = t(chat.open ? "chat.shut" : "chat.reopen");
    set(this.openButton, { "aria-label": words, title: words });
    put(this.openButton, icon(chat.open ? "chat_off" : "chat"));
    set(this.list, { hidden: !chat.open });
    say(this.status, statusText(chat));
  }

  async send() {
    const text = this.input.value.trim();
    if (!text) throw new InvalidInput(t("chat.empty"));
    await command(`tables/${this.game.table}/chat`, { text });
    this.input.value = "";
    await this.refresh();
  }

  async toggle() {
    try {
      await putToApi(`tables/${this.game.table}/chat/open`, { open: !this.open });
      await this.refresh();
    } catch (error) {
      say(this.status, errorText(error));
    }
  }
}

/** @param {Api["Chat"]} chat */
function statusText(chat) {
  if (chat.mute) return chat.mute.until ? t("chat.muted", { until: moment(chat.mute.until) }) : t("chat.muted.for_good");
  if (!chat.open) return t("chat.closed");
  if (!chat.can_write) return t("chat.sit");
  return chat.items.length ? "" : t("chat.none");
}

/** @type {ChatBox | null} */
let opened = null;

export const chat = {
  /** @param {Game} game */
  make(game) {
    opened = new ChatBox(game);
    requestAnimationFrame(() => opened?.refresh());
    return panel(game, t("menu.chat"), opened.element, h("p", { class: "quiet-words" }, t("chat.rules")));
  },

  /**
   * Show a message from the stream at its seat and in the chat, or mark the menu's button as unread.
   * @param {Game} game
   * @param {Api["LiveEvent"]} event
   */
  receive(game, event) {
    if (event.type !== "ChatMessageSent") return;
    game.people.speak(/** @type {Parameters<typeof game.people.speak>[0]} */ (/** @type {unknown} */ (event.data)));
    if (game.chat.visible) game.chat.refresh();
    else if (game.open === "chat") opened?.refresh();
    else game.header.unread("chat");
  },
};
