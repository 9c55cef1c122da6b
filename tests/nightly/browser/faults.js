() => {
  // Lists what overlaps something else on the table page, leaves its frame, is cut off or is smaller than a finger.
  const faults = [];
  const swipedAway = (element) => {  // seats that are a swipe away
    const [plate, row] = [element.closest(".plate"), element.closest(".seat-row")].map((each) => each?.getBoundingClientRect());
    return Boolean(plate && row) && (plate.left < row.left - 1 || plate.right > row.right + 1);
  };
  const seen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.getClientRects().length > 0 && !swipedAway(element);
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  const name = (element) => `${element.className?.baseVal ?? element.className} "${element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 30)}"`;
  const text = (box) => [box.left, box.top, box.right, box.bottom].map(Math.round).join(" ");
  const groups = {
    hand: all(".hands .card").filter((card) => !card.getAnimations().length), headline: all(".hand-name"), call: all(".callout, .caller"), chips: all(".circle .stack, .panel-spot .stack"),
    seat: all(".plate"), control: all(".controls button, .panel-spot, .message, .timer, .bet"), dealer: all(".tray, .shoe, .discard"),
    scoreboard: all(".game > .scoreboard"), header: all(".header"),
  };
  const items = Object.entries(groups).flatMap(([group, elements]) => elements.map((element) => ({ group, element, box: element.getBoundingClientRect() })));
  const meant = (a, b) => a.element.contains(b.element) || b.element.contains(a.element)
    || (a.group === "hand" && b.group === "hand" && a.element.closest(".hand") === b.element.closest(".hand"))
    || [a, b].every((item) => item.element.closest(".tray, .shoe, .discard"));
  items.forEach((a, i) => items.slice(i + 1).forEach((b) => {
    const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
    const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    if (across > 1 && down > 1 && !meant(a, b)) faults.push(`${a.group} ${name(a.element)} overlaps ${b.group} ${name(b.element)}: ${text(a.box)} / ${text(b.box)}`);
  }));
  for (const { group, element, box } of items) {
    if (group === "hand" && Math.max(box.width, box.height) < 40) faults.push(`${name(element)} is too small to read: ${text(box)}`);
    const frame = element.closest(".felt")?.getBoundingClientRect() ?? { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    if (box.left < frame.left - 1 || box.top < frame.top - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1) {
      faults.push(`${group} ${name(element)} leaves its frame: ${text(box)} / ${text(frame)}`);
    }
  }
  const written = [];
  const words = document.createTreeWalker(document.querySelector(".game"), NodeFilter.SHOW_TEXT);
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    const parent = node.parentElement;
    if (!node.textContent.trim() || !seen(parent) || parent.closest("svg, .layer, .scoreboard, .chat-column, .panel, .notices, .table-name, .table-facts")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    for (const [other, theirs] of written) {
      const across = Math.min(box.right, theirs.right) - Math.max(box.left, theirs.left);
      const down = Math.min(box.bottom, theirs.bottom) - Math.max(box.top, theirs.top);
      if (across > 1 && down > 4) faults.push(`"${node.textContent.trim()}" is written over "${other}": ${text(box)} / ${text(theirs)}`);
    }
    written.push([node.textContent.trim(), box]);
    for (let element = parent; element && !element.matches(".game"); element = element.parentElement) {
      const cuts = getComputedStyle(element).overflowX !== "visible" || element.matches("button, .plate, .panel-spot, .callout");
      const frame = element.getBoundingClientRect();
      if (cuts && (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 3 || box.bottom > frame.bottom + 3)) {
        faults.push(`"${node.textContent.trim()}" is cut by ${name(element)}: ${text(box)} / ${text(frame)}`);
        break;
      }
    }
  }
  for (const button of all(".game button, .game a")) {
    const box = button.getBoundingClientRect();
    if (button.closest(".header") && (box.left < -1 || box.right > innerWidth + 1)) faults.push(`${name(button)} leaves the page: ${text(box)}`);
    if (!button.closest(".panel, .notices, .scoreboard, .chat-column") && Math.min(box.width, box.height) < 43.5) faults.push(`${name(button)} is only ${box.width.toFixed()} by ${box.height.toFixed()}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  if (document.documentElement.scrollHeight > innerHeight) faults.push("the page scrolls down");
  return faults;
}
