// ← and → lead to the slide before and after the one that is shown. No letter here needs an escape in XML.
addEventListener("keydown", (event) => {
  const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
  if (!step || event.target.closest("pre, table, .formula") || event.altKey || event.ctrlKey || event.metaKey) return;
  const slides = [...document.querySelectorAll("section")];
  const shown = slides.findLastIndex((slide) => innerHeight / 2 > slide.getBoundingClientRect().top);
  slides[shown + step]?.scrollIntoView();
});
