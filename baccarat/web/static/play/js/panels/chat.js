// Talk at the table. What players write is put on the page as text alone.

import { command, get, NoAnswer, Problem, put as change } from "../core/api.js";
import { icon } from "../art/icons.js";
import { h, put, say, set } from "../core/dom.js";
import { moment, t, time } from "../words/index.js";
import { form, inWords, panel, Wrong } from "./parts.js";

const LONGEST = 200;
const EVERY = 4000;

function line(game, message) {
  const who = message.you ? t("chat.you") : t("seat.label", { seat: message.seat });
  const report = message.you ? null : h("button", { type: "button", class: "chat-report", title: t("chat.report"), "aria-label": t("chat.report.long", { who }), onclick: (event) => tell(game, message, event.currentTarget) }, icon("flag"));
  return h("li", { class: message.you ? "chat-line mine" : "chat-line" }, h("span", { class: "chat-who" }, who), h("time", {}, time(message.sent_at)), h("p", {}, message.text), report);
}

async function tell(game, message, button) {
  button.disabled = true;
  try {
    await command(`tables/${game.table}/chat/${message.id}/report`, {});
    game.notices.tell(t("chat.reported"), { key: "chat" });
  } catch (error) {
    button.disabled = false;
    game.notices.tell(inWords(error), { key: "chat", kind: "problem" });
  }
}

/** The open panel: what was said, the line to write on, and whether one wants to hear any of it. */
class Talk {
  constructor(game) {
    this.game = game;
    this.signature = "";
    this.list = h("ol", { class: "chat-list", tabindex: "0", "aria-live": "polite", "aria-label": t("menu.chat") });
    this.input = h("input", { type: "text", name: "text", maxlength: LONGEST, autocomplete: "off", "aria-label": t("chat.write"), placeholder: t("chat.write") });
    this.status = h("p", { class: "quiet-words", role: "status" });
    this.form = form(() => this.send(), h("div", { class: "chat-write" }, this.input, h("button", { class: "primary", type: "submit" }, t("chat.send"))));
    this.door = h("button", { type: "button", class: "quiet", onclick: () => this.turn() }, t("chat.shut"));
    this.accuse = h("button", { type: "button", class: "quiet", onclick: () => game.actions.open("report", 0) }, icon("flag"), t("report.title"));
    this.look();
    const timer = setInterval(() => (this.list.isConnected ? document.hidden || this.look() : clearInterval(timer)), EVERY);
  }

  async look() {
    try {
      this.draw(await get(`tables/${this.game.table}/chat?limit=50`));
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
      say(this.status, inWords(error));
    }
  }

  draw(chat) {
    this.open = chat.open;
    const signature = JSON.stringify([chat.items, chat.open]);
    if (signature !== this.signature) {
      this.signature = signature;
      put(this.list, [...chat.items].reverse().map((message) => line(this.game, message)));
      this.list.scrollTop = this.list.scrollHeight;
    }
    set(this.form, { hidden: !chat.can_write });
    say(this.door, t(chat.open ? "chat.shut" : "chat.reopen"));
    say(this.status, standing(chat));
  }

  async send() {
    const text = this.input.value.trim();
    if (!text) throw new Wrong(t("chat.empty"));
    await command(`tables/${this.game.table}/chat`, { text });
    this.input.value = "";
    await this.look();
  }

  async turn() {
    try {
      await change(`tables/${this.game.table}/chat/open`, { open: !this.open });
      await this.look();
    } catch (error) {
      say(this.status, inWords(error));
    }
  }
}

function standing(chat) {
  if (chat.mute) return chat.mute.until ? t("chat.muted", { until: moment(chat.mute.until) }) : t("chat.muted.for_good");
  if (!chat.open) return t("chat.closed");
  if (!chat.can_write) return t("chat.sit");
  return chat.items.length ? "" : t("chat.none");
}

export const chat = {
  make(game) {
    this.talk = new Talk(game);
    return panel(game, t("menu.chat"), this.talk.list, this.talk.status, this.talk.form, h("p", { class: "quiet-words" }, t("chat.rules")), h("div", { class: "side-by-side" }, this.talk.door, this.talk.accuse));
  },

  /** A message came by the stream: it is shown at once where the chat is open, else its button says so. */
  heard(game, event) {
    if (event.type !== "ChatMessageSent") return;
    if (game.open === "chat") this.talk.look();
    else game.header.unread("chat");
  },
};
