// Loads the page again when something that it starts with did not arrive: a busy server refuses some requests for a moment.
"use strict";

const LONGEST_PAUSE = 30_000;
let failed = false;

function loadAgain() {
  if (failed) return;
  failed = true;
  const attempts = (history.state?.attempts ?? 0) + 1; // survives the reload, and needs no storage
  history.replaceState({ attempts }, "");
  const status = document.querySelector(".boot");
  if (status) status.textContent = "The page could not be loaded. Trying again …";
  setTimeout(() => location.reload(), Math.min(1000 * 2 ** (attempts - 1), LONGEST_PAUSE));
}

const nothingShown = () => document.querySelector("#app > .boot") !== null;
/** @param {EventTarget | null} target */
const isResource = (target) => target instanceof HTMLScriptElement || target instanceof HTMLLinkElement;

// Errors of resources do not bubble, but are captured. A module script reports those of everything that it imports.
window.addEventListener("error", ({ target }) => (isResource(target) || nothingShown()) && loadAgain(), true);
window.addEventListener("unhandledrejection", () => nothingShown() && loadAgain());
