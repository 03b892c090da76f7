// A number in an explanation and its place in the formula light up together.
for (const kind of ["mouseover", "mouseout"]) {
  document.addEventListener(kind, (event) => {
    const quantity = event.target.closest?.("[data-quantity]");
    if (!quantity) return;
    const alike = `[data-quantity="${CSS.escape(quantity.dataset.quantity)}"]`;
    for (const each of quantity.closest(".worked").querySelectorAll(alike)) {
      each.classList.toggle("lit", kind === "mouseover");
    }
  });
}
