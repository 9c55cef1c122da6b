// Strict parser of exported files: JSON in UTF-8 with integers only and unique names, so that no two readers interpret
// one file differently; and canonical JSON (RFC 8785), over which digests and signatures are computed.

import { CheckFailed } from "./proof.js";

/** @import { ProofDocument } from "./proof.js" */

const SPACE = /[ \t\n\r]*/y;
// eslint-disable-next-line no-control-regex -- JSON forbids control characters within strings
const TEXT = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?![0-9.eE])/y;
const LITERAL = /true|false|null/y;
const MAX_DEPTH = 200;

class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  /** @param {RegExp} pattern */
  take(pattern) {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (!match) throw new SyntaxError(`unexpected text at ${this.at}`);
    this.at += match[0].length;
    return match[0];
  }

  /** Skip white space and return the next character without consuming it. */
  peek() {
    this.take(SPACE);
    return this.text[this.at];
  }

  /** @param {string} character */
  expect(character) {
    if (this.peek() !== character) throw new SyntaxError(`expected ${character} at ${this.at}`);
    this.at += 1;
  }

  string() {
    const text = JSON.parse(this.take(TEXT));
    if (!text.isWellFormed()) throw new SyntaxError("a string has an unpaired surrogate");
    return text;
  }

  number() {
    const number = Number(this.take(NUMBER));
    if (!Number.isSafeInteger(number)) throw new SyntaxError("a number is too large");
    return number + 0;
  }

  /** @returns {unknown} */
  value(depth = 0) {
    if (depth > MAX_DEPTH) throw new SyntaxError("nested too deeply");
    const next = this.peek();
    if (next === "{") return this.object(depth);
    if (next === "[") return this.list(depth);
    if (next === '"') return this.string();
    return /[-0-9]/.test(next ?? "") ? this.number() : JSON.parse(this.take(LITERAL));
  }

  /**
   * @param {number} depth
   * @returns {unknown[]}
   */
  list(depth) {
    /** @type {unknown[]} */
    const items = [];
    this.expect("[");
    if (this.peek() !== "]") {
      do items.push(this.value(depth + 1)); while (this.comma());
    }
    this.expect("]");
    return items;
  }

  /** @param {number} depth */
  object(depth) {
    const fields = Object.create(null);
    this.expect("{");
    if (this.peek() !== "}") {
      do this.member(fields, depth); while (this.comma());
    }
    this.expect("}");
    return fields;
  }

  /**
   * @param {Record<string, unknown>} fields
   * @param {number} depth
   */
  member(fields, depth) {
    if (this.peek() !== '"') throw new SyntaxError(`expected a name at ${this.at}`);
    const name = this.string();
    if (name in fields) throw new SyntaxError(`${name} occurs twice in one object`);
    this.expect(":");
    fields[name] = this.value(depth + 1);
  }

  comma() {
    if (this.peek() !== ",") return false;
    this.at += 1;
    return true;
  }
}

/**
 * Parse the bytes of a file. Throws SyntaxError or TypeError if it is not strict JSON.
 * @param {AllowSharedBufferSource} bytes
 */
export function read(bytes) {
  const reader = new Reader(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  const value = reader.value();
  if (reader.peek() !== undefined) throw new SyntaxError("unexpected text after the end");
  return value;
}

/**
 * Return the canonical JSON of a value: sorted names, no spaces.
 * @param {unknown} value
 * @returns {string}
 */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(/** @type {Record<string, unknown>} */ (value)[name])}`).join(",")}}`;
}

/**
 * @param {unknown} one
 * @param {unknown} other
 */
export const isSame = (one, other) => one !== undefined && other !== undefined && canonical(one) === canonical(other);

const HEX64 = /^[0-9a-f]{64}$/;
const HEX128 = /^[0-9a-f]{128}$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
/**
 * @param {unknown} value
 * @returns {value is string}
 */
const text = (value) => typeof value === "string";
/**
 * @param {unknown} value
 * @returns {value is unknown[]}
 */
const list = (value) => Array.isArray(value);
/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
const object = (value) => typeof value === "object" && value !== null && !list(value);
/** @param {unknown} value */
const orNull = (value) => value === null || object(value);
/**
 * @param {unknown} value
 * @returns {value is number}
 */
const number = (value) => typeof value === "number";
/** @param {unknown} value */
const textOrNull = (value) => value === null || text(value);
/** @param {unknown} value */
const moment = (value) => text(value) && MOMENT.test(value);
/** @param {unknown} value */
const hash = (value) => text(value) && HEX64.test(value);
/** @param {unknown} value */
const hashes = (value) => list(value) && value.every(hash);
/**
 * Whether a value is a signature in hex.
 * @param {unknown} value
 * @returns {value is string}
 */
export const isSignature = (value) => text(value) && HEX128.test(value);
const EXPORT = {
  format: text, exported_at: moment, round: object, rules: object, shoe: object, events: list, inclusion_proofs: list, checkpoint: orNull, cosigned: orNull, keys: list,
};
const EVENT = {
  position: number, id: number, stream: text, version: number, type: text, schema: number, data: orNull, metadata: orNull,
  recorded_at: moment, previous: hash, digest: hash,
};
const SHOE = {
  id: text, decks: number, commitment: text, contributions: list, cut: text, seed: textOrNull, root: textOrNull,
  /** @param {unknown} value */
  shoe_position: (value) => value === null || number(value), openings: list,
};
const MAX_DECKS = 16;
const PATH = { position: number, path: hashes };
const OPENING = { shoe_position: number, card: text, salt: hash, path: hashes };
const COSIGNED = { note: text, consistency: hashes };
const KEY = { id: text, public_key: hash, valid_from: text, valid_until: textOrNull };

/**
 * @param {unknown} value
 * @param {Record<string, (value: unknown) => boolean>} fields
 * @returns {asserts value is Record<string, any>}
 */
function requireFields(value, fields) {
  const record = object(value) ? value : {};
  const names = Object.keys(record).sort();
  if (names.join() !== Object.keys(fields).sort().join()) throw new CheckFailed("file.fields", Object.keys(fields).sort(), names);
  for (const [name, isValid] of Object.entries(fields)) {
    if (!isValid(record[name])) throw new CheckFailed("file.field", name, record[name] ?? null, { name });
  }
}

/**
 * Check the structure of the file. Throws CheckFailed.
 * @param {unknown} document
 * @returns {asserts document is ProofDocument}
 */
export function requireShape(document) {
  const format = object(document) ? document.format ?? null : null;
  if (format !== "casino.round.v1") throw new CheckFailed("file.format", "casino.round.v1", format);
  // Files from before checkpoints were cosigned do not have it.
  if (object(document)) document.cosigned ??= null;
  requireFields(document, EXPORT);
  if (!document.events.length) throw new CheckFailed("file.empty", "events", "none");
  for (const event of document.events) requireFields(event, EVENT);
  requireFields(document.shoe, SHOE);
  for (const decks of [document.rules.decks, document.shoe.decks]) {
    if (!number(decks) || decks < 1 || decks > MAX_DECKS) throw new CheckFailed("file.field", `1-${MAX_DECKS}`, decks ?? null, { name: "decks" });
  }
  for (const each of document.inclusion_proofs) requireFields(each, PATH);
  for (const each of document.shoe.openings) requireFields(each, OPENING);
  if (document.cosigned) requireFields(document.cosigned, COSIGNED);
  for (const each of document.keys) requireFields(each, KEY);
}
