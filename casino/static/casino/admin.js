// Actions ask before they are done. Without scripts they are done at once, as any form is.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset.question;
  if (question && !window.confirm(question)) event.preventDefault();
});

// The side bar draws a box for every number there may be: one without a number is nothing.
document.addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll("a span[class*='min-w-[18px]']")) {
    if (box.textContent.trim() === "") box.remove();
  }
});
