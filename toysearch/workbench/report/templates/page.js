// Draws the charts at the width of their frames, and makes wide tables scrollable by keyboard.
const actions = {export: true, source: false, compiled: false, editor: false};
const options = {renderer: "svg", ast: true, actions, i18n: {CLICK_TO_VIEW_ACTIONS: "Save this chart"}};
const least = 140; // pixels between the axes, below which a chart scrolls

async function draw(place) {
  const chart = JSON.parse(document.getElementById(place.dataset.chart).textContent);
  const {view} = await vegaEmbed(place, chart, options);
  place.querySelector("summary").setAttribute("aria-label", "Save this chart");
  const signal = chart.spec ? "child_width" : "width";
  let fitted = 0;
  const fit = async () => {
    const style = getComputedStyle(place);
    const room = place.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    if (room <= 0 || room === fitted) return; // folded, or as before
    fitted = room;
    for (let round = 0; round < 3; round++) { // the margins depend on the width
      const left = Math.floor(room) - Math.ceil(place.querySelector("svg.marks").getAttribute("width"));
      if (!left) break;
      await view.signal(signal, Math.max(least, view.signal(signal) + left)).resize().runAsync();
    }
  };
  await fit();
  new ResizeObserver(fit).observe(place);
}

function scrollable() {
  for (const box of document.querySelectorAll(".wide")) {
    const wider = box.scrollWidth > box.clientWidth;
    if (!wider) {
      for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
      continue;
    }
    const caption = box.querySelector("caption");
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", caption ? caption.textContent : "table");
  }
}

for (const place of document.querySelectorAll("[data-chart]")) {
  draw(place).catch((error) => {
    place.textContent = "This chart could not be drawn: " + error.message;
    console.error(error);
  });
}
scrollable();
addEventListener("resize", scrollable);
document.addEventListener("toggle", scrollable, true);
