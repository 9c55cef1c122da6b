// The phase of play at a table, from its state and the server's time alone. Draws nothing.

/** @typedef {"stopped" | "suspended" | "idle" | "betting" | "closed" | "ceremony" | "deal" | "result" | "pause"} PhaseName */
/** @typedef {{phase: PhaseName, until: number | null, seconds: number | null}} Phase */
/** @typedef {{start: number, result: number, pause: number, end: number}} ShowTimes */

/** Parts of a show at normal speed, in milliseconds; a show of another length is scaled to it. */
const BEFORE_CARDS = 400;
const CARD = 660;
const THIRD_CARD = 760;
const NATURAL = 700;
const CEREMONY = 700;
const RESULT = 2750;
const PAUSE = 800;

/**
 * Return when a settled round's show begins, turns to the result, to the pause, and ends: milliseconds since the epoch.
 * @param {Api["Round"]} round
 * @param {string} bettingOpensAt
 * @returns {ShowTimes}
 */
export function showTimes(round, bettingOpensAt) {
  const start = Date.parse(round.ended_at ?? bettingOpensAt);
  const end = Date.parse(bettingOpensAt);
  const cards = 4 * CARD + (round.cards.length - 4) * THIRD_CARD;
  const deal = BEFORE_CARDS + cards + (round.natural ? NATURAL : 0) + (round.ceremony ? CEREMONY : 0);
  const scale = (end - start) / (deal + RESULT + PAUSE);
  return { start, result: end - (RESULT + PAUSE) * scale, pause: end - PAUSE * scale, end };
}

/**
 * Return the phase of a table, when it ends (null without a time) and the whole seconds left of it.
 * @param {Api["Table"]} state
 * @param {number} now the server's time, in milliseconds since the epoch
 * @returns {Phase}
 */
export function phaseOf(state, now) {
  const { phase, until } = state.round ? phaseOfRound(state, state.round, now) : phaseBetweenRounds(state, now);
  return { phase, until, seconds: until === null ? null : Math.max(0, Math.ceil((until - now) / 1000)) };
}

/**
 * @param {Api["Table"]} state
 * @param {Api["Round"]} round
 * @param {number} now
 * @returns {{phase: PhaseName, until: number | null}}
 */
function phaseOfRound(state, round, now) {
  if (round.suspended) return { phase: "suspended", until: null };
  if (round.phase === "betting") {
    const until = round.deadline_at ? Date.parse(round.deadline_at) : null;
    if (!round.seats.some((seat) => seat.status === "deciding") || (until !== null && now >= until)) return { phase: "closed", until: null };
    return state.stop ? { phase: "stopped", until: null } : { phase: "betting", until };
  }
  const { ceremony } = round;
  if (round.phase === "closed" && ceremony && ceremony.handed_back === null) return { phase: "ceremony", until: Date.parse(ceremony.until) };
  return { phase: "closed", until: null };
}

/**
 * @param {Api["Table"]} state
 * @param {number} now
 * @returns {{phase: PhaseName, until: number | null}}
 */
function phaseBetweenRounds(state, now) {
  const { betting_opens_at: opens, last_round: last } = state;
  if (opens && last?.phase === "settled") {
    const { result, pause, end } = showTimes(last, opens);
    if (now < result) return { phase: "deal", until: result };
    if (now < pause) return { phase: "result", until: pause };
    if (now < end) return { phase: "pause", until: end };
  }
  if (state.stop) return { phase: "stopped", until: null };
  // The show is over, and the round that the service opens by itself is on its way.
  if (opens && state.rules.turn_seconds !== null) return { phase: "pause", until: Date.parse(opens) };
  return { phase: "idle", until: null };
}
