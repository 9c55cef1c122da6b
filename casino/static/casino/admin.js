// Actions ask before they are done. Without scripts they are done at once, as any form is.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset.question;
  if (question && !window.confirm(question)) event.preventDefault();
});
