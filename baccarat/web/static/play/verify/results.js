// How a check ends otherwise than well.

/** Something differs; `code` says what in the words of both languages, with `values` for its blanks. */
export class Wrong extends Error {
  constructor(code, expected, found, values = {}) {
    super(code);
    Object.assign(this, { code, expected, found, values });
  }
}

/** Something can't be checked with what there is. */
export class NotYet extends Error {
  constructor(code, values = {}) {
    super(code);
    Object.assign(this, { code, values });
  }
}

/** There is nothing of the kind in this round. */
export class Nothing extends Error {
  constructor(code, values = {}) {
    super(code);
    Object.assign(this, { code, values });
  }
}
