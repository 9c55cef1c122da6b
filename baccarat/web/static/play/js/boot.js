// Loads the page again when a module or a style sheet did not arrive: a busy server refuses some requests for a moment.
"use strict";

const LONGEST_PAUSE = 30_000;
let failed = false;

// Errors of resources do not bubble, but are captured. A module script reports those of everything that it imports.
window.addEventListener(
  "error",
  ({ target }) => {
    if (failed || !(target instanceof HTMLScriptElement || target instanceof HTMLLinkElement)) return;
    failed = true;
    const attempts = (history.state?.attempts ?? 0) + 1; // survives the reload, and needs no storage
    history.replaceState({ attempts }, "");
    const status = document.querySelector(".boot");
    if (status) status.textContent = "The page could not be loaded. Trying again …";
    setTimeout(() => location.reload(), Math.min(1000 * 2 ** (attempts - 1), LONGEST_PAUSE));
  },
  true,
);
