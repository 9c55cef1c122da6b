() => {
  // Lists what leaves the open panel, is cut off in it, is written over or is smaller than a finger.
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
  const written = [];
  const words = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    if (!node.textContent.trim() || !seen(node.parentElement) || node.parentElement.closest("svg, .unseen, .columns, .chat-list, .round-card, option")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    for (const [other, theirs] of written) {
      const across = Math.min(box.right, theirs.right) - Math.max(box.left, theirs.left);
      const down = Math.min(box.bottom, theirs.bottom) - Math.max(box.top, theirs.top);
      if (across > 1 && down > 4) faults.push(`"${node.textContent.trim()}" is written over "${other}"`);
    }
    written.push([node.textContent.trim(), box]);
  }
  for (const control of root.querySelectorAll("button, a, input, select, textarea, summary")) {
    const target = control.closest("label:not(.field)") ?? control;
    const { width, height } = target.getBoundingClientRect();
    if (seen(target) && Math.min(width, height) < 43.5) faults.push(`${name(target)} is only ${width.toFixed()} by ${height.toFixed()}`);
  }
  return faults;
}
