// Actions ask before they are done. Without scripts they are done at once, as any form is.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset.question;
  if (question && !window.confirm(question)) event.preventDefault();
});

// A refused form is shown where it is on the page, which may be far below.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelector(".c-wrong")?.scrollIntoView({ block: "center" });
});

// A round to step through. Without scripts all of its steps and cards are shown, as at its end.
document.addEventListener("DOMContentLoaded", () => {
  for (const replay of document.querySelectorAll("[data-replay]")) stepThrough(replay);
});

function stepThrough(replay) {
  const bar = replay.querySelector(".c-replay-bar");
  const steps = [...replay.querySelectorAll(".c-moments li")];
  const slider = bar.querySelector("input");
  const play = bar.querySelector("[data-go=play]");
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  let still = true; // the page opens at the end, without a move
  let timer = 0;

  function show(place) {
    const at = Math.max(1, Math.min(steps.length, place));
    const now = steps[at - 1];
    slider.value = at;
    bar.querySelector("output").textContent = `${at} of ${steps.length}`;
    steps.forEach((step, index) => {
      step.classList.toggle("c-now", index === at - 1);
      step.classList.toggle("c-later", index >= at);
    });
    for (const hand of replay.querySelectorAll("[data-hand]")) {
      const shown = Number(now.dataset[hand.dataset.hand]);
      [...hand.querySelectorAll(".c-card")].forEach((card, index) => card.classList.toggle("c-away", index >= shown));
    }
    replay.classList.toggle("c-running", at < steps.length);
    const list = now.parentElement;
    list.scrollTo({ top: now.offsetTop - list.clientHeight / 2, behavior: still ? "auto" : "smooth" });
    still = calm;
    if (at === steps.length) stop();
  }

  function stop() {
    window.clearInterval(timer);
    timer = 0;
    play.textContent = "Replay";
  }

  function run() {
    if (timer) return stop();
    if (Number(slider.value) >= steps.length) show(1);
    play.textContent = "Pause";
    timer = window.setInterval(() => show(Number(slider.value) + 1), 1200);
  }

  const go = {
    first: () => show(1),
    back: () => show(Number(slider.value) - 1),
    forward: () => show(Number(slider.value) + 1),
    last: () => show(steps.length),
  };
  bar.addEventListener("click", (event) => {
    const wanted = event.target.dataset.go;
    if (wanted === "play") return run();
    if (wanted) { stop(); go[wanted](); }
  });
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  bar.hidden = steps.length === 0;
  if (steps.length) show(steps.length);
}

// A bar leads to the page of its day; the table below each plot has the same links for keyboards and screen readers.
document.addEventListener("click", (event) => {
  const canvas = event.target.closest?.("canvas[data-links]");
  const chart = canvas && window.Chart?.getChart(canvas);
  const points = chart ? chart.getElementsAtEventForMode(event, "index", { intersect: false }, false) : [];
  if (points.length) window.location.assign(JSON.parse(canvas.dataset.links)[points[0].index]);
});
