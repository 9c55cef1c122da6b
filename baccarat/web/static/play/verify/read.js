// The exported file, read strictly: JSON in UTF-8 with integers only and each name once, so that no two readers can
// take it differently; and the one text of a value (RFC 8785) that digests and signatures are over.

import { Wrong } from "./results.js";

const SPACE = /[ \t\n\r]*/y;
const TEXT = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?![0-9.eE])/y;
const WORD = /true|false|null/y;
const DEEPEST = 200;

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  take(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) throw new SyntaxError(`unexpected text at ${this.at}`);
    this.at += found[0].length;
    return found[0];
  }

  /** The next sign after white space, which stays where it is. */
  next() {
    this.take(SPACE);
    return this.text[this.at];
  }

  sign(wanted) {
    if (this.next() !== wanted) throw new SyntaxError(`expected ${wanted} at ${this.at}`);
    this.at += 1;
  }

  string() {
    const text = JSON.parse(this.take(TEXT));
    if (!text.isWellFormed()) throw new SyntaxError("a text holds half a character");
    return text;
  }

  number() {
    const number = Number(this.take(NUMBER));
    if (!Number.isSafeInteger(number)) throw new SyntaxError("a number is too large");
    return number + 0;
  }

  value(depth = 0) {
    if (depth > DEEPEST) throw new SyntaxError("it is nested too deeply");
    const sign = this.next();
    if (sign === "{") return this.object(depth);
    if (sign === "[") return this.list(depth);
    if (sign === '"') return this.string();
    return /[-0-9]/.test(sign ?? "") ? this.number() : JSON.parse(this.take(WORD));
  }

  list(depth) {
    const found = [];
    this.sign("[");
    if (this.next() !== "]") {
      do found.push(this.value(depth + 1)); while (this.comma());
    }
    this.sign("]");
    return found;
  }

  object(depth) {
    const found = Object.create(null);
    this.sign("{");
    if (this.next() !== "}") {
      do this.member(found, depth); while (this.comma());
    }
    this.sign("}");
    return found;
  }

  member(found, depth) {
    if (this.next() !== '"') throw new SyntaxError(`expected a name at ${this.at}`);
    const name = this.string();
    if (name in found) throw new SyntaxError(`${name} stands twice in one object`);
    this.sign(":");
    found[name] = this.value(depth + 1);
  }

  comma() {
    if (this.next() !== ",") return false;
    this.at += 1;
    return true;
  }
}

/** This will read the bytes of a file; throws SyntaxError or TypeError for what is not strict JSON. */
export function read(bytes) {
  const reader = new Reader(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  const found = reader.value();
  if (reader.next() !== undefined) throw new SyntaxError("there is more after the end");
  return found;
}

/** This will write the canonical text of a value: sorted names, no space. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

export const same = (one, other) => one !== undefined && other !== undefined && canonical(one) === canonical(other);

const HEX64 = /^[0-9a-f]{64}$/;
const HEX128 = /^[0-9a-f]{128}$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const text = (value) => typeof value === "string";
const list = (value) => Array.isArray(value);
const object = (value) => typeof value === "object" && value !== null && !list(value);
const orNull = (value) => value === null || object(value);
const number = (value) => typeof value === "number";
const textOrNull = (value) => value === null || text(value);
const moment = (value) => text(value) && MOMENT.test(value);
const hash = (value) => text(value) && HEX64.test(value);
const hashes = (value) => list(value) && value.every(hash);
/** Whether a value is a signature in hex. */
export const isSignature = (value) => text(value) && HEX128.test(value);
const PARTS = {
  format: text, exported_at: moment, round: object, rules: object, shoe: object, events: list, inclusion: list, checkpoint: orNull, keys: list,
};
const EVENT = {
  position: number, id: number, stream: text, version: number, type: text, schema: number, data: orNull, metadata: orNull,
  recorded_at: moment, previous: hash, digest: hash,
};
const SHOE = {
  id: text, decks: number, commitment: text, contributions: list, cut: text, seed: textOrNull, root: textOrNull,
  position: (value) => value === null || number(value), openings: list,
};
const MOST_DECKS = 16;
const PATH = { position: number, path: hashes };
const OPENING = { position: number, card: text, salt: hash, path: hashes };
const KEY = { id: text, public: hash, from: text, until: textOrNull };

function requireFields(found, wanted) {
  const names = object(found) ? Object.keys(found).sort() : [];
  if (names.join() !== Object.keys(wanted).sort().join()) throw new Wrong("file.fields", Object.keys(wanted).sort(), names);
  for (const [name, fits] of Object.entries(wanted)) {
    if (!fits(found[name])) throw new Wrong("file.field", name, found[name] ?? null, { name });
  }
}

/** This will refuse what is not an export of one round at all. */
export function requireShape(document) {
  const format = object(document) ? document.format ?? null : null;
  if (format !== "casino.round.v1") throw new Wrong("file.format", "casino.round.v1", format);
  requireFields(document, PARTS);
  if (!document.events.length) throw new Wrong("file.empty", "events", "none");
  for (const event of document.events) requireFields(event, EVENT);
  requireFields(document.shoe, SHOE);
  for (const decks of [document.rules.decks, document.shoe.decks]) {
    if (!number(decks) || decks < 1 || decks > MOST_DECKS) throw new Wrong("file.field", `1-${MOST_DECKS}`, decks ?? null, { name: "decks" });
  }
  for (const each of document.inclusion) requireFields(each, PATH);
  for (const each of document.shoe.openings) requireFields(each, OPENING);
  for (const each of document.keys) requireFields(each, KEY);
}
