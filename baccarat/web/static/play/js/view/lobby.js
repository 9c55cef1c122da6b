// The lobby: the open tables as they are now, the player's account, and the panels that need no table.

import { icon } from "../art/pieces.js";
import { bigRoadMarks, Road } from "../art/roads.js";
import { get, NoResponse, Problem, serverNow } from "../core/api.js";
import { h, put, say, set } from "../core/dom.js";
import { tell } from "../core/embedding.js";
import { launch, logo } from "../core/launch.js";
import { LobbyStream } from "../core/lobby_stream.js";
import { countDecimals } from "../core/money.js";
import { storeToken, storage } from "../core/session.js";
import { specialRules } from "../core/table_state.js";
import { describeProblem, formatNumber, money, t } from "../messages/index.js";
import { depositPart, statementPart, withdrawPart } from "../panels/account.js";
import { panels } from "../panels/index.js";
import { errorText, field, panel } from "../panels/widgets.js";
import { Notices, PlayerNotices } from "./notices.js";
import { initialsOf } from "./people.js";
import { Position } from "./position.js";

/** @import { Preferences } from "../core/preferences.js" */
/** @import { Game } from "./game.js" */
/** @import { NoticeAction } from "./notices.js" */
/** @import { Sound } from "./sound.js" */

/** @typedef {Api["LobbyTable"]} LobbyTable */
/** @typedef {keyof typeof ACCOUNT} AccountPart */
/** @typedef {typeof PANELS[number]} LobbyPanel */

const TICK = 500;
const RELOAD_AFTER = 400;
const SKELETONS = 6;
const PAGES = 10;

/** @type {Record<string, (table: LobbyTable) => boolean>} */
const FILTERS = {
  real: (table) => table.money_types.includes("real"),
  play: (table) => table.money_types.includes("play"),
  free: (table) => table.free_seats.length > 0,
  squeeze: (table) => table.caller,
  no_commission: (table) => table.spots.every((spot) => !spot.commission),
};

/** @param {LobbyTable} table */
const lowest = (table) => Number(table.minimum);

/**
 * Compare by where the player sits, then by the last visit, then by company.
 * @param {LobbyTable} a
 * @param {LobbyTable} b
 */
const byVisit = (a, b) => Number(Boolean(b.you)) - Number(Boolean(a.you)) || (b.last_visited_at ?? "").localeCompare(a.last_visited_at ?? "") || b.players - a.players;

/** @type {Record<string, (a: LobbyTable, b: LobbyTable) => number>} */
const SORTS = {
  recent: byVisit,
  players: (a, b) => b.players - a.players || byVisit(a, b),
  minimum: (a, b) => a.currency.localeCompare(b.currency) || lowest(a) - lowest(b) || byVisit(a, b),
  name: (a, b) => a.name.localeCompare(b.name),
};

const ACCOUNT = { deposit: depositPart, withdraw: withdrawPart, statement: statementPart };
const PANELS = /** @type {const} */ (["history", "limit", "options", "help"]);
/** What shows amounts of one currency. */
const OF_ONE_CURRENCY = new Set(["limit", ...Object.keys(ACCOUNT)]);
/** What a player of this lobby is told at once. */
const TOLD = new Set(["ComplaintAnswered", "RoundVoided"]);

export class Lobby {
  /** @param {{preferences: Preferences, sound: Sound, onExit: () => void}} options */
  constructor({ preferences, sound, onExit }) {
    this.preferences = preferences;
    this.sound = sound;
    this.onExit = onExit;
    /** @type {Game | null} */
    this.game = null;
    /** @type {AccountPart | LobbyPanel | null} */
    this.open = null;
    /** @type {LobbyTable[] | null} */
    this.tables = null;
    /** @type {Map<string, {signature: string, element: HTMLElement}>} */
    this.cards = new Map();
    const stored = /** @type {{filters?: string[], sort?: string, currency?: string}} */ (storage.get("lobby", {}));
    /** @type {Set<string>} */
    this.filters = new Set((stored.filters ?? []).filter((name) => name in FILTERS));
    this.sort = stored.sort && stored.sort in SORTS ? stored.sort : "recent";
    this.wanted = "";
    this.list = h("ul", { class: "lobby-tables", "aria-busy": "true" }, [...Array(SKELETONS).keys()].map(() => h("li", { class: "lobby-skeleton", "aria-hidden": "true" })));
    this.balances = h("div", { class: "lobby-balances" });
    /** The currencies of the player's accounts. @type {string[]} */
    this.currencies = [];
    /** The decimals of each currency. @type {Map<string, number>} */
    this.decimals = new Map();
    /** The currency of the tables that are shown, "" for all. */
    this.shown = stored.currency ?? "";
    this.choice = h("select", { name: "currency", hidden: true, "aria-label": t("lobby.currency"), onchange: () => { this.shown = this.choice.value; this.remember(); this.draw(); } });
    /** The currency of the panel that is open. */
    this.chosen = "";
    this.panelChoice = h("select", { name: "account-currency", onchange: () => { this.chosen = this.panelChoice.value; this.makePanel(); } });
    this.panelCurrency = field(t("lobby.currency"), this.panelChoice);
    this.panel = h("div", { class: "panel" });
    this.status = h("p", { class: "lobby-status", role: "status" });
    this.dialog = h("dialog", { class: "lobby-account", onclose: () => { this.open = null; put(this.panel); } }, this.panelCurrency, this.panel);
    this.notices = new Notices();
    /** @type {PlayerNotices} */
    this.playerNotices = new PlayerNotices(this);
    this.position = new Position(this);
    this.chips = Object.keys(FILTERS).map((name) => h("button", { type: "button", class: "filter", "data-filter": name, "aria-pressed": String(this.filters.has(name)), onclick: () => this.toggle(name) }, t(`lobby.filter.${name}`)));
    this.search = h("input", { type: "search", name: "search", autocomplete: "off", placeholder: t("lobby.search"), "aria-label": t("lobby.search"), oninput: () => { this.wanted = this.search.value.trim().toLocaleLowerCase(); this.draw(); } });
    this.sorting = h("select", { name: "sort", "aria-label": t("lobby.sort"), onchange: () => { this.sort = this.sorting.value; this.remember(); this.draw(); } },
      Object.keys(SORTS).map((name) => h("option", { value: name, selected: name === this.sort }, t(`lobby.sort.${name}`))));
    const { nickname } = /** @type {{nickname?: string}} */ (storage.get("player", {}));
    this.acts = /** @type {AccountPart[]} */ (Object.keys(ACCOUNT)).map((name) => h("button", { type: "button", class: name === "deposit" ? "primary" : "quiet", "data-account": name, onclick: () => this.openPanel(name) }, t(`lobby.${name}`)));
    const menu = PANELS.map((name) => h("button", { type: "button", class: "menu-button", "data-panel": name, "aria-label": t(`menu.${name}`), onclick: () => this.openPanel(name) }, icon(name), h("span", {}, t(`menu.${name}`))));
    /** @type {HTMLElement} */
    this.element = h("main", { class: "lobby" },
      h("header", { class: "lobby-head" }, logo(), h("h1", {}, t("title")),
        nickname ? h("p", { class: "lobby-who" }, h("span", { class: "lobby-face", "aria-hidden": "true" }, initialsOf(nickname)), h("bdi", {}, nickname)) : null, this.balances, this.position.element,
        h("div", { class: "lobby-acts" }, this.acts), h("nav", { class: "lobby-menu", "aria-label": t("menu.label") }, menu),
        h("button", { type: "button", class: "quiet lobby-exit", "aria-label": t("lobby.exit"), title: t("lobby.exit"), onclick: () => this.exit() }, icon("leave"))),
      h("div", { class: "lobby-tools", role: "search" }, this.search, h("div", { class: "filters", role: "group", "aria-label": t("lobby.filter") }, this.chips), this.choice, this.sorting),
      this.notices.element, this.status, this.list, this.dialog);
    this.stream = new LobbyStream({
      changed: () => this.reloadSoon(),
      balances: (balances) => this.showBalances(balances),
      event: ({ type }) => void (TOLD.has(type) && this.playerNotices.showUnread()),
    });
    this.timer = 0;
    this.reloading = 0;
    this.onVisible = () => this.reloadSoon();
  }

  start() {
    this.reload();
    this.stream.start();
    this.playerNotices.start();
    this.position.start();
    document.addEventListener("visibilitychange", this.onVisible);
    this.timer = setInterval(() => this.tick(), TICK);
  }

  leave() {
    this.stream.stop();
    this.playerNotices.stop();
    this.position.stop();
    document.removeEventListener("visibilitychange", this.onVisible);
    clearInterval(this.timer);
    clearTimeout(this.reloading);
    this.dialog.close();
  }

  exit() {
    storeToken(null);
    this.leave();
    this.onExit();
  }

  /** Read the lobby again after a moment: one request for all changes of that moment. */
  reloadSoon() {
    if (this.reloading || document.hidden) return;
    this.reloading = setTimeout(() => {
      this.reloading = 0;
      this.reload();
    }, RELOAD_AFTER);
  }

  async reload() {
    try {
      this.tables = await readTables();
      this.draw();
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
      const { title, remedy } = describeProblem(error);
      say(this.status, `${title} ${remedy}`);
      if (!this.tables) put(this.list, this.emptyState(t("lobby.unavailable"), t("again"), () => this.reload()));
    }
  }

  async refreshBalances() {
    this.showBalances(await get("me/balances"));
  }

  /** @param {Api["Balances"]} balances */
  showBalances(balances) {
    tell("balance.changed", { balances: balances.items });
    const held = balances.items.filter(({ account }) => account === "account");
    this.currencies = [...new Set(held.map(({ balance }) => balance.currency))].sort();
    for (const { balance } of held) this.decimals.set(balance.currency, countDecimals(balance.amount));
    this.position.refresh();
    put(this.balances, /** @type {const} */ (["real", "play"]).map((money_type) => h("p", { class: "lobby-balance" }, h("small", {}, t(`money_type.${money_type}`)),
      held.filter((each) => each.money_type === money_type).sort((a, b) => a.balance.currency.localeCompare(b.balance.currency)).map(({ balance }) => h("strong", { "data-currency": balance.currency }, money(balance.amount, balance.currency))))));
    this.drawCurrencies();
  }

  /** Offer the currencies of tables and accounts, if there are several. */
  drawCurrencies() {
    const offered = [...new Set([...this.currencies, ...(this.tables ?? []).map((table) => table.currency)])].sort();
    if (!offered.includes(this.shown)) this.shown = "";
    set(this.choice, { hidden: offered.length < 2 });
    if (this.choice.dataset.offered === offered.join()) return;
    this.choice.dataset.offered = offered.join();
    put(this.choice, ["", ...offered].map((code) => h("option", { value: code, selected: code === this.shown }, code || t("lobby.currency.all"))));
  }

  /** The currency of what is open, of the position and of reality checks. */
  get currency() {
    const { currencies } = this;
    return [this.chosen, this.shown, launch?.currency, this.tables?.[0]?.currency].find((code) => code && currencies.includes(code)) ?? currencies[0] ?? "";
  }

  get digits() {
    return this.decimals.get(this.currency) ?? 2;
  }

  /** @returns {NoticeAction[]} */
  get ways() {
    return [];
  }

  /** Nothing here is shown before its time. @param {string} path */
  read(path) {
    return get(path);
  }

  refresh() {
    return this.reload();
  }

  /** @param {AccountPart | LobbyPanel} name */
  async openPanel(name) {
    this.open = name;
    this.chosen = "";
    if (name === "deposit" || name === "withdraw") tell("cashier.wanted", { cashier_url: launch?.cashier_url });
    put(this.panel, panel(this, this.titleOf(name), h("p", { class: "quiet-words", "aria-busy": "true" }, t("loading"))));
    set(this.panelCurrency, { hidden: true });
    if (!this.dialog.open) this.dialog.showModal();
    try {
      if (OF_ONE_CURRENCY.has(name)) this.showBalances(await get("me/balances"));
      if (this.open === name) this.makePanel();
    } catch (error) {
      put(this.panel, panel(this, this.titleOf(name), h("p", { class: "form-fault", role: "alert" }, errorText(error))));
    }
  }

  /** @param {AccountPart | LobbyPanel} name */
  titleOf(name) {
    return t(name in ACCOUNT ? "menu.cash" : `menu.${name}`);
  }

  /** Make the open panel in one currency, which can be changed if the player has several. */
  makePanel() {
    const { open, currencies, currency } = this;
    if (!open) return;
    set(this.panelCurrency, { hidden: currencies.length < 2 || !OF_ONE_CURRENCY.has(open) });
    put(this.panelChoice, currencies.map((code) => h("option", { value: code, selected: code === currency }, code)));
    put(this.panel, open in ACCOUNT ? panel(this, this.titleOf(open), ACCOUNT[/** @type {AccountPart} */ (open)](this, currency)) : panels[/** @type {LobbyPanel} */ (open)].make(this));
    this.panel.querySelector("h2")?.focus();
  }

  closePanel() {
    this.dialog.close();
  }

  /** @param {string} name */
  toggle(name) {
    if (!this.filters.delete(name)) this.filters.add(name);
    this.remember();
    this.draw();
  }

  remember() {
    storage.set("lobby", { filters: [...this.filters], sort: this.sort, currency: this.shown });
  }

  clearFilters() {
    this.filters.clear();
    this.search.value = this.wanted = this.shown = this.choice.value = "";
    this.remember();
    this.draw();
    this.search.focus();
  }

  draw() {
    const { tables } = this;
    if (!tables) return;
    const elsewhere = tables.some(({ funding }) => funding === "seamless"); // the casino's own cashier has the money
    for (const button of this.acts) set(button, { hidden: elsewhere && button.dataset.account !== "statement" });
    for (const chip of this.chips) set(chip, { "aria-pressed": String(this.filters.has(chip.dataset.filter ?? "")) });
    this.drawCurrencies();
    const matching = tables.filter((table) => (table.you || ((!this.shown || table.currency === this.shown) && [...this.filters].every((name) => FILTERS[name](table)))) && (!this.wanted || `${table.name} ${t(`preset.${table.preset}`)}`.toLocaleLowerCase().includes(this.wanted)));
    set(this.list, { "aria-busy": false });
    say(this.status, tables.length && matching.length < tables.length ? t("lobby.matching", { n: matching.length, all: formatNumber(tables.length) }) : "");
    if (!tables.length) return put(this.list, this.emptyState(t("lobby.none"), t("again"), () => this.reload()));
    if (!matching.length) return put(this.list, this.emptyState(t("lobby.no_match"), t("lobby.clear"), () => this.clearFilters()));
    put(this.list, matching.sort(SORTS[this.sort]).map((table) => this.cardOf(table)));
    this.tick();
  }

  /**
   * @param {string} words
   * @param {string} way
   * @param {() => void} go
   */
  emptyState(words, way, go) {
    return h("li", { class: "lobby-empty" }, h("p", {}, words), h("button", { type: "button", class: "primary", onclick: go }, way));
  }

  /**
   * Return a table's card, made again if the table has changed.
   * @param {LobbyTable} table
   */
  cardOf(table) {
    const signature = JSON.stringify(table);
    const cached = this.cards.get(table.id);
    if (cached?.signature === signature) return cached.element;
    const element = card(table);
    this.cards.set(table.id, { signature, element });
    return element;
  }

  /** Draw the phases and their seconds. */
  tick() {
    for (const table of this.tables ?? []) {
      const ring = this.cards.get(table.id)?.element.querySelector(".lobby-phase");
      if (ring instanceof HTMLElement) drawPhase(ring, table);
    }
  }
}

/** Read all pages of the lobby: one request for up to a hundred tables. */
async function readTables() {
  /** @type {LobbyTable[]} */
  const tables = [];
  let path = "lobby?limit=100";
  for (let pages = 0; pages < PAGES; pages++) {
    const page = /** @type {Api["LobbyPage"]} */ (await get(path));
    tables.push(...page.items);
    if (!page.next) break;
    path = `lobby?limit=100&cursor=${encodeURIComponent(page.next)}`;
  }
  return tables;
}

/**
 * @param {HTMLElement} ring
 * @param {LobbyTable} table
 */
function drawPhase(ring, table) {
  const left = table.deadline_at ? (Date.parse(table.deadline_at) - serverNow()) / 1000 : 0;
  const betting = table.phase === "betting" && (table.deadline_at === null || left > 0);
  const showing = !table.phase && table.betting_opens_at !== null && Date.parse(table.betting_opens_at) > serverNow();
  const phase = showing ? "dealing" : betting ? "betting" : table.phase && table.phase !== "betting" ? "dealing" : table.phase ? "closed" : "open";
  const seconds = betting && table.turn_seconds && left <= table.turn_seconds ? Math.ceil(left) : null;
  set(ring, { "data-phase": phase });
  ring.style.setProperty("--left", seconds === null || !table.turn_seconds ? "1" : String(Math.max(0, left / table.turn_seconds)));
  const [figure, words] = /** @type {HTMLElement[]} */ ([...ring.children]);
  say(figure, seconds === null ? "" : String(seconds));
  say(words, t(`lobby.phase.${phase}`));
}

/** @param {LobbyTable} table */
function card(table) {
  const limits = t("table.limits", { minimum: money(table.minimum, table.currency), maximum: money(table.maximum, table.currency) });
  const labels = specialRules(table).filter((key) => key !== "exact").map((key) => h("li", {}, t(`lobby.label.${key}`)));
  const free = table.free_seats.length;
  const way = table.you ? t("lobby.back") : free ? t("lobby.sit") : t("lobby.watch");
  return h("li", { class: `lobby-table ${table.preset}`, "data-table": table.id, "data-yours": Boolean(table.you) },
    h("a", { href: `#table=${encodeURIComponent(table.id)}` },
      h("span", { class: "lobby-road" }, new Road("big_road").draw(bigRoadMarks(table.big_road)), table.totals.hands ? null : h("span", { class: "lobby-no-hands" }, t("stats.none"))),
      h("span", { class: "lobby-title" }, h("strong", { class: "lobby-name" }, table.name), h("span", { class: "lobby-preset" }, t(`preset.${table.preset}`))),
      h("span", { class: "lobby-phase" }, h("span", { class: "lobby-ring" }), h("span", { class: "lobby-phase-words" })),
      h("span", { class: "lobby-line" }, h("strong", { class: "lobby-limits" }, limits),
        h("span", { class: "lobby-players" }, table.seats === 1 ? t("lobby.alone") : t("lobby.players", { players: formatNumber(table.players), seats: formatNumber(table.seats) }))),
      h("ul", { class: "lobby-labels" }, table.you ? null : h("li", { class: free ? "free" : "full" }, t(free ? "lobby.free" : "lobby.full", { n: free })), table.money_types.map((money_type) => h("li", { class: money_type }, t(`money_type.${money_type}`))), labels),
      h("span", { class: table.you ? "lobby-go primary" : "lobby-go" }, way)));
}
