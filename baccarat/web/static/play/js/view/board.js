// Seats and their chips: a half-moon of seats where there is room, a row of seats on phones.

/** @import { Actions } from "./actions.js" */
/** @import { Available } from "../core/moves.js" */
/** @import { PendingChip, SeatView } from "../core/table_state.js" */
/** @import { Box, Scene, SeatPlace } from "./scene.js" */
/** @import { Spots } from "./spots.js" */

import { clothWords, drawDealer, drawFelt, rackOf } from "../art/felt.js";
import { h, put, say, set, tapped } from "../core/dom.js";
import { toDecimal, toMinor } from "../core/money.js";
import { backedBy, currencyDigits, totalStake } from "../core/table_state.js";
import { chipText, money, spotLetter, spotName, t } from "../messages/index.js";
import { initialsOf, nameOfSeat } from "./people.js";
import { layoutScene } from "./scene.js";
import { SpotChips } from "./spots.js";

/** @typedef {{ kind: "ring" | "row", width: number, height: number, third: "beside" | "below" }} Frame the felt's size in pixels, how seats are to lie on it, and third cards where the hands' box is the style sheet's */
/** @typedef {{ element: HTMLElement, chips: SpotChips }} DrawnSpot */
/** @typedef {{ element: HTMLButtonElement, number: HTMLElement, name: HTMLElement, note: HTMLElement, chips: SpotChips }} Plate */

/** What no spot is called. */
const ALL = "";
const NARROWEST = 1.22;
const WIDEST = 2.2;

/** The felt with its seats; `spots` are the player's own panels beside it. */
export class Board {
  /**
   * @param {Actions} act
   * @param {Spots} spots
   */
  constructor(act, spots) {
    this.act = act;
    this.panels = spots;
    this.element = h("div", { class: "board" });
    this.aside = h("ul", { class: "aside", "aria-label": t("aside.label") });
    this.layout = "";
    this.marked = "";
    this.yours = 0;
    /** @type {Api["Spot"][]} */
    this.rules = [];
    /** @type {Scene | null} */
    this.scene = null;
    /** @type {Map<string, DrawnSpot>} */
    this.spots = new Map();
    /** @type {Map<number, Plate>} */
    this.plates = new Map();
  }

  /**
   * Lay the table out again if its rules, the viewer's seat or the felt's size have changed; return true if so.
   * @param {Api["Table"]} state
   * @param {Frame} frame
   */
  arrange(state, { kind, width, height }) {
    const { rules, you } = state;
    const aspect = Math.min(WIDEST, Math.max(NARROWEST, width / height));
    const high = Math.floor(Math.min(height, width / aspect));
    const layout = `${state.id} ${kind} ${kind === "ring" ? `${high} ${aspect.toFixed(2)}` : ""} ${you?.seat ?? 0} ${document.documentElement.lang} ${JSON.stringify(rules.spots)}`;
    if (layout === this.layout) return false;
    this.layout = layout;
    this.yours = you?.seat ?? 0;
    this.rules = rules.spots;
    this.spots.clear();
    this.plates.clear();
    const scene = kind === "ring" ? layoutScene({ seats: rules.seats, yours: this.yours, spots: rules.spots, width: high * aspect, height: high }) : null;
    this.scene = scene;
    set(this.element, { class: `board ${scene ? "ring" : "row"}`, "data-seats": rules.seats });
    if (scene) this.element.replaceChildren(drawFelt(scene, clothWords(rules)), lay(this.aside, rackOf(scene), scene), ...scene.seats.map((place, i) => this.seat(place, i + 1, scene)));
    else this.drawRow(rules.seats);
    return true;
  }

  /**
   * @param {SeatPlace} place
   * @param {number} seat
   * @param {Scene} scene
   */
  seat(place, seat, scene) {
    const own = seat === this.yours;
    /** @type {[Api["Spot"] | null, Box][]} */
    const boxes = place.all ? [[null, place.all]] : this.rules.map((spot) => [spot, place.spots[spot.name]]);
    return h("div", { class: `seat${own ? " mine" : ""}`, role: "group", "aria-label": t("seat.label", { seat }) },
      lay(this.plate(seat), place.plate, scene), boxes.map(([spot, box]) => lay(this.spot(seat, spot, own), box, scene)));
  }

  /** @param {number} seats */
  drawRow(seats) {
    const plates = Array.from({ length: seats }, (_, i) => this.plate(i + 1));
    const row = h("div", { class: "seat-row", role: "group", "aria-label": t("seats.label"), vars: { "--columns": String(Math.min(7, seats)) } }, plates);
    this.element.replaceChildren(drawDealer(), this.aside, row);
  }

  /** Bring the viewer's seat into view where the row of seats has to be swiped. */
  centreOwn() {
    const own = this.plates.get(this.yours)?.element;
    const row = own?.closest(".seat-row");
    if (own && row) row.scrollLeft = own.offsetLeft - (row.clientWidth - own.offsetWidth) / 2;
  }

  /**
   * A circle on the felt, of one spot or of all. The player's own can be clicked as well as the panel, which is what
   * keyboards and screen readers use.
   * @param {number} seat
   * @param {Api["Spot"] | null} spot
   * @param {boolean} own
   */
  spot(seat, spot, own) {
    const chips = new SpotChips();
    const letter = h("span", { class: "spot-name", "aria-hidden": "true" }, spot ? spotLetter(spot.name) : "");
    const place = own && spot ? tapped(() => this.act.place(spot.name)) : null;
    const looks = spot ? { "data-spot": spot.name, "data-kind": spot.kind, "data-backs": backedBy(spot) } : {};
    const element = h("div", { class: "spot circle", ...looks, role: "img", onclick: place }, letter, chips.element);
    this.spots.set(`${seat} ${spot?.name ?? ALL}`, { element, chips });
    return element;
  }

  /** @param {number} seat */
  plate(seat) {
    const number = h("span", { class: "plate-number", "aria-hidden": "true" }, String(seat));
    const name = h("bdi", { class: "plate-name" });
    const note = h("span", { class: "plate-note" });
    const chips = new SpotChips({ single: true });
    const element = h("button", { type: "button", class: "plate", onclick: () => this.act.seat(seat) }, number, name, note, chips.element);
    this.plates.set(seat, { element, number, name, note, chips });
    return element;
  }

  /**
   * Draw chips, statuses and results of all seats.
   * @param {Api["Table"]} state
   * @param {SeatView[]} seats
   * @param {{ pending: PendingChip[], can: Available, paying: boolean, winnings: boolean }} step
   */
  draw(state, seats, { pending, can, paying, winnings }) {
    const digits = currencyDigits(state);
    const chips = state.rules.chips.map(toMinor);
    this.drawAside(state);
    for (const seat of seats) {
      const units = this.scene ? 0n : totalStake(seat.stakes);
      this.drawPlate(state, seat, { can, sum: units > 0n ? chipText(toDecimal(units, digits)) : "" });
      if (!this.scene) this.plates.get(seat.seat)?.chips.draw({ units, chips, digits, seed: seat.seat });
      for (const spot of [...this.rules.map(({ name }) => name), ALL]) {
        const drawn = this.spots.get(`${seat.seat} ${spot}`);
        if (drawn) this.drawSpot(drawn, { state, seat, spot, coming: seat.you ? comingTo(spot, pending) : 0n, chips, digits, paying, winnings });
      }
    }
  }

  /** Lay a marker into the dealer's rack for each seat that has set commission aside. @param {Api["Table"]} state */
  drawAside(state) {
    const marked = state.seats.filter((seat) => toMinor(seat.commission_set_aside) > 0n);
    const wanted = marked.map((seat) => `${seat.seat} ${seat.you} ${seat.commission_set_aside}`).join();
    if (wanted === this.marked) return;
    this.marked = wanted;
    put(this.aside, marked.map(({ seat, you, commission_set_aside }) => {
      const words = `${t("seat.label", { seat })}: ${t("seat.aside", { amount: chipText(commission_set_aside) })}`;
      return h("li", { class: "marker", "data-own": you, title: words }, h("span", { role: "img", "aria-label": words }, String(seat)));
    }));
  }

  /**
   * @param {DrawnSpot} drawn
   * @param {{ state: Api["Table"], seat: SeatView, spot: string, coming: bigint, chips: bigint[], digits: number, paying: boolean, winnings: boolean }} what
   */
  drawSpot(drawn, { state, seat, spot, coming, chips, digits, paying, winnings }) {
    const units = spot === ALL ? totalStake(seat.stakes) : seat.stakes[spot] ?? 0n;
    const results = paying ? seat.part?.result?.spots.filter((each) => spot === ALL || each.spot === spot) ?? [] : [];
    const won = results.filter((each) => each.result === "win").reduce((total, each) => total + toMinor(each.won), 0n);
    drawn.chips.draw({ units, coming, won: winnings ? won : 0n, seed: seat.seat, chips, digits });
    const amount = money(toDecimal(units + coming, digits), state.currency);
    const name = spot === ALL ? t("spot.every") : spotName(spot);
    set(drawn.element, {
      "data-result": won > 0n ? "win" : results[0]?.result ?? false,
      "data-status": seat.part?.status ?? false,
      "aria-label": t(units + coming > 0n ? "spot.with" : "spot.empty", { seat: seat.seat, spot: name, amount }),
    });
  }

  /**
   * @param {Api["Table"]} state
   * @param {SeatView} seat
   * @param {{ can: Available, sum: string }} with_ `sum` is what lies on the plate
   */
  drawPlate(state, seat, { can, sum }) {
    const plate = this.plates.get(seat.seat);
    if (!plate) return;
    const { element, number, name, note } = plate;
    const nickname = nameOfSeat(state, seat.seat);
    const { taken, part } = seat;
    const free = !taken;
    const sitting = free && (!state.you || can.move);
    say(name, free ? t(state.you ? "seat.move" : "seat.sit") : seat.you ? t("seat.you") : nickname ?? t("seat.other"));
    say(number, nickname && !seat.you ? initialsOf(nickname) : String(seat.seat));
    const aside = taken && toMinor(taken.commission_set_aside) > 0n ? chipText(taken.commission_set_aside) : "";
    const does = part && !free ? t(`status.${part.status}`) : taken && state.round ? t("status.waiting") : "";
    say(note, aside || does);
    set(element, {
      "data-free": free, "data-you": seat.you, "data-status": part?.status ?? false, "data-aside": Boolean(aside),
      disabled: free ? !sitting : seat.you,
      title: free || seat.you ? false : t("seat.report"),
      "aria-label": plateLabel(state, seat, [name.textContent, sum, note.textContent, aside && does && `· ${does}`, aside && `· ${t("seat.aside", { amount: aside })}`]),
    });
  }

  /**
   * Find the element of a seat's spot: its circle, the player's own panel, else its plate.
   * @param {number} seat
   * @param {string} spot
   */
  find(seat, spot) {
    const circle = this.spots.get(`${seat} ${spot}`) ?? this.spots.get(`${seat} ${ALL}`);
    return circle?.element ?? (seat === this.yours ? this.panels.find(spot) : null) ?? this.home(seat);
  }

  /** @param {number} seat */
  home(seat) {
    return this.plates.get(seat)?.element ?? null;
  }
}

/**
 * @param {string} spot
 * @param {PendingChip[]} pending
 */
const comingTo = (spot, pending) => pending.filter((chip) => chip.spot === spot).reduce((total, chip) => total + chip.units, 0n);

/**
 * Place an element on the felt; its diameter is for circles.
 * @template {HTMLElement} E
 * @param {E} element
 * @param {Box} box
 * @param {Scene} scene
 */
export function lay(element, box, scene) {
  const position = { "--x": `${(box.x / scene.width) * 100}%`, "--y": `${box.y}%`, "--w": `${box.width}cqb`, "--h": `${box.height}cqb` };
  for (const [name, value] of Object.entries(position)) element.style.setProperty(name, value);
  return element;
}

/**
 * Name a plate with the words on it, in their order: who controls by voice says what is to be seen.
 * @param {Api["Table"]} state
 * @param {SeatView} seat
 * @param {(string | null)[]} seen
 */
function plateLabel(state, { seat, taken, you }, seen) {
  const words = taken ? seen : [t(state.you ? "seat.move.long" : "seat.sit.long")];
  return [`${t("seat.label", { seat })}:`, ...words, taken && !you ? `(${t("seat.report")})` : ""].filter(Boolean).join(" ");
}
