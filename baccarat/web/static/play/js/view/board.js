// Seats and spots. On a wide table of several seats each seat has its own three circles; else the player has three fields.

import { clothWords, drawFelt, oddsOf, WIDE } from "../art/felt.js";
import { drawStack } from "../art/chip.js";
import { h, keeper, put, s, say, set } from "../core/dom.js";
import { digitsOf, SPOTS, totalOf } from "../core/facts.js";
import { decimal, minor } from "../core/money.js";
import { money, short, t } from "../words/index.js";

const RINGS = { player: 0.85, banker: 0.725, tie: 0.6, plate: 0.972 };
const CENTRE = { x: 600, y: 20, rx: 560, ry: 585 };

function at(ring, angle) {
  const turn = (angle * Math.PI) / 180;
  return { x: CENTRE.x + CENTRE.rx * ring * Math.cos(turn), y: CENTRE.y + CENTRE.ry * ring * Math.sin(turn) };
}

function angles(seats) {
  const [first, last] = seats > 7 ? [173, 7] : [161, 19];
  return Array.from({ length: seats }, (_, i) => (seats === 1 ? 90 : first + ((last - first) * i) / (seats - 1)));
}

function arc(ring, [from, to]) {
  const [a, b] = [at(ring, from), at(ring, to)];
  return `M${a.x} ${a.y}A${CENTRE.rx * ring} ${CENTRE.ry * ring} 0 0 0 ${b.x} ${b.y}`;
}

function printedArcs(seats, words) {
  const ends = seats > 7 ? [178, 2] : [170, 10];
  const between = [0.5 * (RINGS.player + RINGS.banker), 0.5 * (RINGS.banker + RINGS.tie), RINGS.tie - 0.07];
  return s("g", { class: "print" }, between.map((ring) => s("path", { d: arc(ring, ends), class: "print-arc" })),
    words.map((line, i) => [s("path", { id: `felt-words-${i}`, d: arc(0.435 + i * 0.058, [135, 45]), class: "unprinted" }),
      s("text", { class: "print-line small" }, s("textPath", { href: `#felt-words-${i}`, startOffset: "50%", "text-anchor": "middle" }, line))]));
}

/** The cloth with its seats. Calls `act.place(spot)`, `act.sit(seat)`, `act.move(seat)`. */
export class Board {
  constructor(act) {
    this.act = act;
    this.element = h("div", { class: "board" });
    this.kept = keeper();
    this.layout = "";
    this.spots = new Map();
    this.plates = new Map();
  }

  /** Lay the table out anew when its rules or the screen's form have changed. */
  arrange(picture, { wide, ring: room }) {
    const { rules, you } = picture;
    const ring = room && rules.seats > 1;
    const layout = `${picture.id} ${wide} ${ring} ${you?.seat ?? 0} ${document.documentElement.lang}`;
    if (layout === this.layout) return;
    this.layout = layout;
    this.ring = ring;
    this.kept = keeper();
    this.spots.clear();
    this.plates.clear();
    const words = clothWords(rules);
    const art = drawFelt({ wide, words: ring || rules.seats > 1 ? "" : words.join(" · "), arcs: ring ? printedArcs(rules.seats, words) : null });
    set(this.element, { class: `board ${wide ? "wide" : "tall"} ${ring ? "ring" : "fields"}${rules.seats > 7 ? " many" : ""}` });
    this.element.replaceChildren(art, ...(ring ? this.ringOfSeats(rules, you) : this.fieldsAndPucks(rules, you)));
  }

  ringOfSeats(rules, you) {
    return angles(rules.seats).map((angle, i) => {
      const seat = i + 1;
      const mine = you?.seat === seat;
      const spots = SPOTS.map((spot) => this.place(this.spot(seat, spot, mine), at(RINGS[spot], angle), WIDE));
      return h("div", { class: `seat${mine ? " mine" : ""}`, role: "group", "aria-label": t("seat.label", { seat }) },
        this.place(this.plate(seat), at(RINGS.plate, angle), WIDE), spots);
    });
  }

  fieldsAndPucks(rules, you) {
    const seat = you?.seat ?? 1;
    const fields = h("div", { class: "field-row", role: "group", "aria-label": t("spots.yours") }, SPOTS.map((spot) => this.spot(seat, spot, Boolean(you), rules)));
    if (rules.seats === 1) return [fields, h("div", { class: "solo" }, this.plate(1))];
    const pucks = h("div", { class: "pucks", role: "group", "aria-label": t("seats.label") },
      Array.from({ length: rules.seats }, (_, i) => this.plate(i + 1)));
    return [fields, pucks];
  }

  place(element, point, size) {
    element.style.setProperty("--x", `${(point.x / size.width) * 100}%`);
    element.style.setProperty("--y", `${(point.y / size.height) * 100}%`);
    return element;
  }

  spot(seat, spot, mine, rules = null) {
    const name = h("span", { class: "spot-name" }, spot === "tie" && !rules ? String(seat) : t(`spot.${spot}`));
    const pays = rules ? h("span", { class: "spot-pays" }, t("spot.pays", { odds: oddsOf(rules, spot) })) : null;
    const chips = h("span", { class: "spot-chips" });
    const result = h("span", { class: "spot-result" });
    const element = mine
      ? h("button", { type: "button", class: `spot ${spot} mine`, "data-spot": spot, onclick: () => this.act.place(spot) }, name, pays, chips, result)
      : h("div", { class: `spot ${spot}`, role: "img" }, name, pays, chips, result);
    this.spots.set(`${seat} ${spot}`, { element, chips, result, mine });
    return element;
  }

  plate(seat) {
    const name = h("span", { class: "plate-name" });
    const note = h("span", { class: "plate-note" });
    const element = h("button", { type: "button", class: "plate", onclick: () => this.act.seat(seat) }, h("span", { class: "plate-number", "aria-hidden": "true" }, String(seat)), name, note);
    this.plates.set(seat, { element, name, note });
    return element;
  }

  /** Draw chips, statuses and results of all seats. */
  draw(picture, seats, { pending, can, paying }) {
    const { rules } = picture;
    const digits = digitsOf(picture);
    const chips = rules.chips.map(minor);
    for (const seat of seats) {
      this.drawPlate(picture, seat, can);
      for (const spot of SPOTS) {
        const drawn = this.spots.get(`${seat.seat} ${spot}`);
        if (drawn && (this.ring || seat.you || (rules.seats === 1))) this.drawSpot(drawn, { picture, seat, spot, digits, chips, pending, can, paying });
      }
    }
    if (!this.ring && !picture.you && rules.seats > 1) this.emptyFields();
  }

  emptyFields() {
    for (const spot of SPOTS) this.spots.get(`1 ${spot}`)?.chips.replaceChildren();
  }

  drawSpot(drawn, { picture, seat, spot, digits, chips, pending, can, paying }) {
    const coming = seat.you ? pending.filter((each) => each.spot === spot).reduce((total, each) => total + each.units, 0n) : 0n;
    const units = (seat.stakes[spot] ?? 0n) + coming;
    const key = `${seat.seat} ${spot}`;
    const amount = decimal(units, digits);
    const label = money(amount, picture.currency);
    put(drawn.chips, units > 0n ? this.kept(key, String(units), () => drawStack(units, chips, digits, short(amount))) : null);
    const result = paying ? seat.part?.result?.spots.find((each) => each.spot === spot) : null;
    set(drawn.element, {
      "data-result": result?.result ?? false,
      "data-status": seat.part?.status ?? false,
      "data-coming": coming > 0n,
      "aria-label": t(units > 0n ? "spot.with" : "spot.empty", { seat: seat.seat, spot: t(`spot.${spot}`), amount: label }),
      "aria-disabled": drawn.mine && !can.place,
    });
    say(drawn.result, result ? resultWords(result) : "");
  }

  drawPlate(picture, seat, can) {
    const { element, name, note } = this.plates.get(seat.seat);
    const { taken, part } = seat;
    const free = !taken;
    const sitting = free && (!picture.you || can.move);
    say(name, free ? t(picture.you ? "seat.move" : "seat.sit") : seat.you ? t("seat.you") : t("seat.other"));
    const stake = totalOf(seat.stakes);
    const digits = digitsOf(picture);
    const owed = taken && minor(taken.commission_owed) > 0n ? t("seat.owes", { amount: short(taken.commission_owed) }) : "";
    const does = part && !free ? t(`status.${part.status}`) : taken && picture.round ? t("status.waiting") : "";
    const words = !this.ring && stake > 0n && !seat.you ? short(decimal(stake, digits)) : does;
    say(note, [words, owed].filter(Boolean).join(" · "));
    set(element, {
      "data-free": free, "data-you": seat.you, "data-status": part?.status ?? false, "data-owes": Boolean(owed),
      disabled: free ? !sitting : seat.you,
      title: free || seat.you ? false : t("seat.report"),
      "aria-label": plateLabel(picture, seat, name.textContent, note.textContent),
    });
  }

  /** Find where something of a seat is on the screen: its spot, else its plate. */
  find(seat, spot) {
    return this.spots.get(`${seat} ${spot}`)?.element ?? this.plates.get(seat)?.element ?? null;
  }

  home(seat) {
    return this.plates.get(seat)?.element ?? null;
  }
}

function plateLabel(picture, { seat, taken, you }, name, note) {
  const does = taken ? name : t(picture.you ? "seat.move.long" : "seat.sit.long");
  const words = [`${t("seat.label", { seat })}: ${does}`, note, taken && !you ? `(${t("seat.report")})` : ""];
  return words.filter(Boolean).join(" ");
}

function resultWords(result) {
  if (result.result === "win") {
    const taken = minor(result.commission) > 0n ? ` − ${short(result.commission)}` : "";
    return `+${short(result.win)}${taken}`;
  }
  return result.result === "push" ? t("result.push") : "";
}

