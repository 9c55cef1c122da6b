// Strict parser of exported files: JSON in UTF-8 with integers only and unique names, so that no two readers interpret
// one file differently; and canonical JSON (RFC 8785), over which digests and signatures are computed.


const SPACE = /[ \t\n\r]*/y;
// eslint-disable-next-line no-control-regex -- JSON forbids control characters within strings
const TEXT = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?![0-9.eE])/y;
const LITERAL = /true|false|null/y;
const MAX_DEPTH = 64;

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
    if (!text.isWellFormed() || text.includes("\0")) throw new SyntaxError("a string has an unpaired surrogate, or U+0000");
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
