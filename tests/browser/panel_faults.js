() => {
  // Lists what leaves the open panel, is cut off in it or is smaller than a finger.
  const root = document.querySelector(".panel");
  const frame = root.getBoundingClientRect();
  const name = (element) => `${element.tagName} ${element.className?.baseVal ?? element.className} "${element.textContent.trim().slice(0, 30)}"`;
  const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const faults = [];
  if (frame.left < -1 || frame.right > innerWidth + 1 || frame.top < -1 || frame.bottom > innerHeight + 1) faults.push("the panel leaves the page");
  for (const element of root.querySelectorAll(":not(svg, svg *, .columns, .columns *, .unseen, .round-card, .round-card *)")) {
    if (!seen(element)) continue;
    const box = element.getBoundingClientRect();
    if (box.left < frame.left - 1 || box.right > frame.right + 1) faults.push(`${name(element)} leaves the panel`);
    if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth && getComputedStyle(element).overflowX !== "visible") faults.push(`${name(element)} is cut off`);
  }
  for (const control of root.querySelectorAll("button, a, input, select, textarea, summary")) {
    const target = control.closest("label:not(.field)") ?? control;
    const { width, height } = target.getBoundingClientRect();
    if (seen(target) && Math.min(width, height) < 43.5) faults.push(`${name(target)} is only ${width.toFixed()} by ${height.toFixed()}`);
  }
  return faults;
}
