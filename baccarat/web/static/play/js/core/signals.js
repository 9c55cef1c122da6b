// One value, many listeners.

/** Make a small emitter: `on(name, listener)` returns how to stop listening. */
export function signals() {
  const listeners = new Map();
  return {
    on(name, listener) {
      if (!listeners.has(name)) listeners.set(name, new Set());
      listeners.get(name).add(listener);
      return () => listeners.get(name).delete(listener);
    },
    emit(name, value) {
      for (const listener of [...(listeners.get(name) ?? [])]) listener(value);
    },
  };
}

/** Wait so many milliseconds. */
export const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
