// Small line drawings for buttons.

import { s } from "../core/dom.js";

const PATHS = {
  stats: "M4 20V10M10 20V4M16 20v-8M22 20H2",
  chat: "M4 5h16v11H10l-5 4v-4H4z",
  history: "M12 7v5l4 2M4.5 9a8 8 0 1 1-.5 4M4 4v5h5",
  options: "M4 7h10M18 7h2M4 17h2M10 17h10M14 4v6M8 14v6",
  help: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.6v.4",
  cash: "M3 7h18v10H3zM12 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM6 10v4M18 10v4",
  lobby: "M4 11l8-7 8 7M6 10v10h12V10",
  close: "M6 6l12 12M18 6L6 18",
  plus: "M12 5v14M5 12h14",
  limit: "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM8.5 12l2.5 2.5 4.5-5",
  leave: "M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9",
  fair: "M12 4v16M7 20h10M5 7h14M5 7l-3 7h6zM19 7l-3 7h6z",
  flag: "M6 21V4h11l-2 4 2 4H6",
  play: "M8 5l11 7-11 7z",
};

/** Draw an icon; what it means is said by the button that holds it. */
export function icon(name) {
  return s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, s("path", { d: PATHS[name] }));
}
