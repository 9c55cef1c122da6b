// Movement: along straight lines by the Web Animations API, and none at all for those who asked for none.

const still = matchMedia("(prefers-reduced-motion: reduce)");

export const calm = () => still.matches;

function middle(element) {
  const box = element.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
}

/** Let an element arrive from where another one is; at once when `milliseconds` is 0. */
export async function glide(element, from, milliseconds) {
  if (!milliseconds || !from?.isConnected || !element.animate) return;
  const [start, end] = [middle(from), middle(element)];
  const away = `translate(${start.x - end.x}px, ${start.y - end.y}px) rotate(-14deg) scale(.72)`;
  await ended(element.animate([{ transform: away }, { transform: "none" }], { duration: milliseconds, easing: "cubic-bezier(.2,.7,.25,1)" }));
}

/** Carry a copy of something from one element to another, and take the copy away. */
export async function carry(layer, thing, from, to, milliseconds, delay = 0) {
  if (!milliseconds || !from?.isConnected || !to?.isConnected) return;
  const base = layer.getBoundingClientRect();
  const [start, end] = [middle(from), middle(to)];
  thing.classList.add("flying");
  layer.append(thing);
  const at = (point) => `translate(${point.x - base.left}px, ${point.y - base.top}px) translate(-50%, -50%)`;
  const lift = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 - 26 };
  await ended(thing.animate(
    [{ transform: at(start), opacity: 0.2 }, { transform: at(start), opacity: 1, offset: 0.08 }, { transform: at(lift), opacity: 1 }, { transform: at(end), opacity: 1, offset: 0.94 }, { transform: at(end), opacity: 0 }],
    { duration: milliseconds, delay, easing: "ease-in-out", fill: "both" },
  ));
  thing.remove();
}

async function ended(animation) {
  try {
    await animation.finished;
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}
