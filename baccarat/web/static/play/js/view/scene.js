// Where hands, seats and spots lie on the felt: pure geometry, in hundredths of the felt's height ("units").

import { backedBy, spotsOf } from "../core/table_state.js";

/** @typedef {{ x: number, y: number, width: number, height: number }} Box A rectangle by its centre. */
/** @typedef {{ angle: number, plate: Box, spots: Record<string, Box>, all: Box | null }} SeatPlace `all` replaces the spots where they would be too small. */
/** @typedef {Box & { card: number, third: "beside" | "below" }} HandsBox Both hands with their headline; `card` is a card's width. */
/** @typedef {{ width: number, hands: HandsBox, rim: { x: number, y: number, rx: number, ry: number }, lines: number[], seats: SeatPlace[] }} Scene `lines`: where words are printed on the cloth. */

const TOP = 10.5;
/** The height of the names of the hands, and of the call between them. */
export const HEADLINE = 9.5;
const PLATE = { width: 88, height: 46 };
/** The felt's height in pixels from which plates grow with it, and how far they do. */
const LARGE = { from: 820, most: 1.45 };
const MIN_SPOT = 30;
const GAP = 0.9;
/** How far inside the rim the cloth begins. */
const CLOTH = 3.5;
/** How much smaller a side bet is than a main spot where they lie side by side. */
const SIDE = 0.8;
/** What the search aims at: cards of this width and spots of this diameter. */
const WISHED = { card: 18, spot: 7 };
/** The room of both hands in widths of a card, with the third card sideways beside the pair or across its lower end. */
const THIRD = { beside: { width: 6.95, height: 1.42 }, below: { width: 4.45, height: 2.06 } };
const BETWEEN = 5;
const LINE = 4.2;
/** How far the words of the first line and of the second reach from the middle. */
const LINE_REACHES = [20, 31];

/**
 * Lay the felt out for `seats` seats of which `yours` is the viewer's (0 for none), each with these spots.
 * @param {{ seats: number, yours: number, spots: Api["Spot"][], width: number, height: number }} frame in pixels
 * @returns {Scene | null} null where the seats do not fit around the table
 */
export function layoutScene({ seats, yours, spots, width, height }) {
  const unit = height / 100;
  const wide = width / unit;
  const scale = Math.min(LARGE.most, Math.max(1, height / LARGE.from));
  const plate = { width: (PLATE.width * scale) / unit, height: (PLATE.height * scale) / unit };
  const rim = { x: wide / 2, y: 8, rx: wide / 2 - plate.width / 2 - 1, ry: 91 - plate.height / 2 };
  const sides = spots.filter(({ kind }) => kind === "side");
  let best = null;
  for (const { together, beside } of waysToLay(sides)) {
    for (let spot = seats > 7 ? 8 : 10; spot * unit >= MIN_SPOT; spot -= 0.5) {
      const places = placeSeats(seats, { rim, plate, spots, spot, together, beside, yours });
      if (overlapping(places) || places.some((place) => sides.some(({ name }) => !fits(place.all ?? place.spots[name], place, rim)))) continue;
      const hands = largestHands(places, wide, rim);
      const score = hands ? Math.min(hands.card / WISHED.card, spot / WISHED.spot) * (together ? 0.75 : 1) : 0;
      if (hands && score > (best?.score ?? 0)) best = { score, hands, places };
    }
  }
  if (!best) return null;
  return { width: wide, rim, hands: best.hands, lines: freeLines(best.hands, best.places), seats: best.places };
}

/**
 * The ways to lay spots that are tried: those of other seats together in one or not, side bets beside the main spots or
 * further in.
 * @param {Api["Spot"][]} sides
 */
const waysToLay = (sides) => [false, true].flatMap((together) => (sides.length ? [true, false] : [false]).map((beside) => ({ together, beside })));

/**
 * @param {number} card
 * @param {"beside" | "below"} third
 * @param {number} wide
 * @returns {HandsBox}
 */
function handsBox(card, third, wide) {
  const room = THIRD[third];
  const height = HEADLINE + room.height * card + 2;
  return { card, third, x: wide / 2, y: TOP + height / 2, width: room.width * card + BETWEEN, height };
}

/**
 * Return where up to two lines of words fit under the hands.
 * @param {HandsBox} hands
 * @param {SeatPlace[]} places
 */
function freeLines(hands, places) {
  const boxes = places.flatMap(boxesOf);
  const top = hands.y + hands.height / 2 + LINE;
  return LINE_REACHES.flatMap((reach, i) => {
    const y = top + i * LINE;
    return boxes.some((box) => Math.abs(box.x - hands.x) < reach + box.width / 2 && Math.abs(box.y - y) < (box.height + 1.4 * LINE) / 2) ? [] : [y];
  });
}

/**
 * @param {SeatPlace[]} places
 * @param {number} wide
 * @param {Scene["rim"]} rim
 */
function largestHands(places, wide, rim) {
  const boxes = places.flatMap(boxesOf);
  for (let card = 24; card > 4; card -= 0.5) {
    for (const third of /** @type {const} */ (["beside", "below"])) {
      const hands = handsBox(card, third, wide);
      if (inside(hands, rim) && !boxes.some((box) => overlap(box, hands))) return hands;
    }
  }
  return null;
}

/** @typedef {{ rim: Scene["rim"], plate: { width: number, height: number }, spots: Api["Spot"][], spot: number, together: boolean, beside: boolean }} Sizes */
/**
 * @param {number} seats
 * @param {Sizes & { yours: number }} sizes
 */
function placeSeats(seats, sizes) {
  if (seats === 1) return [singleSeat(sizes)];
  const first = seats > 7 ? 175 : 104 + 7.3 * seats;
  return anglesOf(seats, first, sizes.rim).map((angle, i) => placeSeat(angle, { ...sizes, together: sizes.together && sizes.yours !== i + 1 }));
}

/** Spread seats over the rim at equal distances along it. @param {number} seats @param {number} first @param {Scene["rim"]} rim */
function anglesOf(seats, first, rim) {
  const steps = 180;
  const span = 2 * first - 180;
  const points = Array.from({ length: steps + 1 }, (_, i) => at(rim, first - (span * i) / steps));
  const lengths = [0];
  for (let i = 1; i <= steps; i++) lengths.push(lengths[i - 1] + Math.hypot(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y));
  return Array.from({ length: seats }, (_, seat) => {
    const wanted = (lengths[steps] * seat) / (seats - 1);
    const i = lengths.findIndex((length) => length >= wanted - 1e-9);
    return first - (span * i) / steps;
  });
}

/** @param {Scene["rim"]} rim @param {number} angle */
function at(rim, angle) {
  const turn = (angle * Math.PI) / 180;
  return { x: rim.x + rim.rx * Math.cos(turn), y: rim.y + rim.ry * Math.sin(turn) };
}

/**
 * Place a seat's plate on the rim and its spots inwards from it, in the rules' order: Player, Banker, Tie.
 * @param {number} angle
 * @param {Sizes} sizes
 * @returns {SeatPlace}
 */
function placeSeat(angle, { rim, plate, spots, spot, together, beside }) {
  const from = at(rim, angle);
  const away = { x: rim.x - from.x, y: rim.y + rim.ry * 0.12 - from.y };
  const far = Math.hypot(away.x, away.y);
  const [dx, dy] = [away.x / far, away.y / far];
  const edge = Math.min(plate.width / 2 / Math.max(Math.abs(dx), 1e-9), plate.height / 2 / Math.max(Math.abs(dy), 1e-9));
  /** @param {number} i @param {number} [column] @returns {Box} */
  const inwards = (i, column = 0) => {
    const distance = edge + GAP + spot / 2 + 1.2 + i * (spot + GAP);
    const across = (dx < 0 ? -1 : 1) * column * (spot + GAP);
    return { x: from.x + dx * distance - dy * across, y: from.y + dy * distance + dx * across, width: spot, height: spot };
  };
  const [mains, sides] = [spots.filter(({ kind }) => kind === "main"), spots.filter(({ kind }) => kind === "side")];
  const laid = [...mains.map(({ name }, i) => [name, inwards(i)]), ...sides.map(({ name }, i) => [name, beside ? inwards(i, 1) : inwards(mains.length + i)])];
  return { angle, plate: { ...from, ...plate }, spots: Object.fromEntries(laid), all: together ? inwards(0) : null };
}

/**
 * At a table with one seat the main spots lie side by side, and the side bets over them: at the ends, or in a row.
 * @param {Sizes} sizes
 * @returns {SeatPlace}
 */
function singleSeat({ rim, plate, spots, spot, beside }) {
  const size = spot * 1.7;
  const y = rim.y + rim.ry - plate.height / 2 - size / 2 - 3;
  const [mains, sides] = [spotsOf({ spots }).filter(({ kind }) => kind === "main"), spots.filter(({ kind }) => kind === "side")];
  /** @param {number} i @param {number} [scale] @returns {Box} */
  const laid = (i, scale = 1) => ({ x: rim.x + i * size * 1.5, y: y - (scale < 1 ? size : 0), width: size * scale, height: size * scale });
  let [left, right] = [mains.length / 2, mains.length / 2];
  /** @param {Api["Spot"]} side */
  const end = (side) => {
    const hand = backedBy(side);
    return hand === "banker" || (hand !== "player" && right < left) ? right++ : -left++;
  };
  const over = sides.map((side, i) => [side.name, laid(beside ? end(side) : (i - (sides.length - 1) / 2) * SIDE, SIDE)]);
  const row = mains.map(({ name }, i) => [name, laid(i - (mains.length - 1) / 2)]);
  return { angle: 90, plate: { x: rim.x, y: rim.y + rim.ry, ...plate }, spots: Object.fromEntries([...row, ...over]), all: null };
}

/** Whether the lower corners of a box lie on the cloth. @param {Box} box @param {Scene["rim"]} rim */
function inside(box, rim) {
  const [dx, dy] = [(Math.abs(box.x - rim.x) + box.width / 2) / (rim.rx - CLOTH), (box.y + box.height / 2 - rim.y) / (rim.ry - CLOTH)];
  return dx * dx + dy * dy < 1;
}

/** Whether a circle lies on the cloth, apart from its seat's plate. @param {Box} circle @param {SeatPlace} place @param {Scene["rim"]} rim */
function fits(circle, { plate }, rim) {
  const [dx, dy] = [Math.abs(circle.x - plate.x) - plate.width / 2, Math.abs(circle.y - plate.y) - plate.height / 2];
  const across = circle.width * Math.SQRT1_2;
  return inside({ ...circle, width: across, height: across }, rim) && Math.hypot(Math.max(0, dx), Math.max(0, dy)) > circle.width / 2;
}

/** @param {SeatPlace} place */
const boxesOf = ({ plate, spots, all }) => [plate, ...(all ? [all] : Object.values(spots))];

/** @param {SeatPlace[]} places */
function overlapping(places) {
  const boxes = places.map(boxesOf);
  return boxes.some((mine, i) => boxes.some((theirs, j) => j > i && mine.some((box) => theirs.some((other) => overlap(box, other)))));
}

/** @param {Box} a @param {Box} b */
function overlap(a, b) {
  return Math.abs(a.x - b.x) < (a.width + b.width) / 2 + 0.3 && Math.abs(a.y - b.y) < (a.height + b.height) / 2 + 0.3;
}
