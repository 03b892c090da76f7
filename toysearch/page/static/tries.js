// Table of what was tried: kept in this browser for each collection, with notes, and in a file. The means are asked for
// while the table is open. Without this script it is a list of links.
const main = document.getElementById("main"), status = document.getElementById("status");
const quietly = {headers: {"x-toysearch-part": "moving"}}; // what is asked for here does not count as tried
const rows = new Map(), ticked = new Set(), means = new Map(); // rows: model → its row of the table
let asking = false, first;

const panel = () => document.getElementById("tries");
const storage = () => "toysearch tries " + panel().dataset.source;

function tries() { // oldest first
  try { return JSON.parse(localStorage[storage()] ?? "[]"); } catch { return []; }
}

function keep(found) { // a browser that keeps nothing shows those of the server only
  found.sort((a, b) => a.time - b.time);
  try { localStorage[storage()] = JSON.stringify(found); } catch { /* it is full, or closed to pages */ }
  return found;
}

function tell(text) {
  status.textContent = text;
  status.classList.remove("unseen");
}

function made(tag, attributes = {}, ...content) {
  const element = Object.assign(document.createElement(tag), attributes);
  element.append(...content);
  return element;
}

const number = (value) => value.toFixed(4).replace("-", "−");
const signed = (value) => (value < 0 ? "" : "+") + number(value);

function told(seconds) { // the day only if it is not today
  const when = new Date(1000 * seconds), time = when.toLocaleTimeString([], {hour: "2-digit", minute: "2-digit"});
  const day = when.toDateString() === new Date().toDateString() ? "" : when.toLocaleDateString([], {day: "numeric", month: "short"}) + " ";
  return made("time", {dateTime: when.toISOString()}, day + time);
}

function address(view, settings) {
  const found = new URL(panel().dataset.address.replace("/search?", `/${view}?`), location);
  for (const [name, value] of Object.entries(settings)) found.searchParams.set(name, value);
  return found;
}

function rowOf({model, time, note}) {
  const link = made("a", {href: address("search", {model})}, made("code", {}, model));
  if (document.querySelector("#summary code")?.textContent === model) link.ariaCurrent = "true";
  const typed = made("input", {defaultValue: note, maxLength: 200, ariaLabel: `Note on ${model}`, autocomplete: "off"});
  typed.dataset.kept = `note on ${model}`;
  typed.addEventListener("input", () => keep(tries().map((each) => each.model === model ? {...each, note: typed.value} : each)));
  const tick = made("input", {type: "checkbox", ariaLabel: `Compare ${model}`, checked: ticked.has(model)});
  tick.addEventListener("change", () => {
    ticked[tick.checked ? "add" : "delete"](model);
    enable();
  });
  return made("tr", {}, made("td", {}, tick), made("th", {scope: "row"}, link), made("td", {className: "right"}), made("td"),
    made("td", {className: "right"}), made("td", {}, told(time)), made("td", {}, typed));
}

function enable() {
  const chosen = tries().filter(({model}) => ticked.has(model));
  panel().querySelector("button").disabled = chosen.length < 2 || chosen.length > 6;
}

function draw() {
  const place = panel();
  if (!place) return;
  const kept = tries(), names = new Set(kept.map(({model}) => model));
  for (const {dataset: {model, time}} of place.querySelectorAll("li")) {
    if (!names.has(model)) kept.push({model, time: Number(time), note: ""});
  }
  keep(kept);
  if (first !== kept[0]?.model) means.clear(); // each has its change since the first
  first = kept[0]?.model;
  rows.clear();
  for (const each of kept) rows.set(each.model, rowOf(each));
  const {measure} = place.dataset, heads = [["", "Compare"], ["", "setting"], ["right", measure], ["", "95% CI"], ["right", "since the first"], ["", "tried"], ["", "note"]];
  const head = made("tr", {}, ...heads.map(([className, text]) => made("th", {scope: "col", className}, text)));
  head.firstChild.replaceChildren(made("span", {className: "unseen"}, "Compare"));
  const table = made("table", {className: measure ? "" : "unmeasured"}, made("thead", {}, head), made("tbody", {}, ...rows.values()));
  const chosen = made("input", {type: "file", accept: ".json,application/json", hidden: true});
  chosen.addEventListener("change", () => {
    if (chosen.files.length) open(chosen.files[0]);
    chosen.value = ""; // so that the same file can be opened again, once it is mended
  });
  const buttons = [["Compare those ticked", compare], ["Save in a file", save], ["Open a file", () => chosen.click()], ["Forget these", forget]];
  place.querySelector("ul").hidden = true;
  place.querySelector(".wide")?.remove();
  place.querySelector(".others")?.remove();
  const wide = made("div", {className: "wide", tabIndex: 0, role: "group", ariaLabel: "Settings tried"}, table);
  place.append(wide, made("p", {className: "others"}, chosen, ...buttons.map(([text, work]) => {
    const button = made("button", {type: "button", className: "quiet"}, text);
    button.addEventListener("click", work);
    return button;
  })));
  enable();
  fill();
  ask();
}

function fill() { // the means that are known, all on one scale
  const known = [...means.values()].filter(Boolean);
  const low = Math.min(...known.map(({mean, half}) => mean - half)), high = Math.max(...known.map(({mean, half}) => mean + half));
  for (const [model, row] of rows) {
    const found = means.get(model), [, , mean, interval, change] = row.children;
    mean.textContent = found ? number(found.mean) : means.has(model) || !panel().dataset.measure ? "–" : "…";
    interval.replaceChildren(...(found ? [drawn(found, low, high)] : []));
    change.textContent = found?.change === undefined ? "" : signed(found.change);
    change.className = "right" + (found?.shown ? found.better ? " won" : " lost" : "");
    change.title = Number.isFinite(found?.low) ? `${signed(found.low)} to ${signed(found.high)}` : "";
  }
}

function drawn({mean, half}, low, high) { // the mean and its interval, beside the mean of the first
  const x = (value) => 4 + 112 * (value - low) / (high - low || 1), path = (d, kind) => {
    const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
    line.setAttribute("d", d);
    line.setAttribute("class", kind);
    return line;
  };
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), reference = means.get(first);
  svg.setAttribute("viewBox", "0 0 120 20");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", half ? `${number(mean - half)} to ${number(mean + half)}` : number(mean));
  if (reference) svg.append(path(`M${x(reference.mean)} 0v20`, "reference"));
  if (half) svg.append(path(`M${x(mean - half)} 7v6m0-3H${x(mean + half)}m0-3v6`, "interval"));
  svg.append(path(`M${x(mean)} 4v12`, "mean"));
  return svg;
}

async function measured(settings) { // → the first measure of a comparison; undefined if it is refused
  const reply = await fetch(address("compare.json", {...settings, measure: panel().dataset.measure, topic: "", q: ""}), quietly);
  return reply.ok ? (await reply.json()).overall?.measures[0] : undefined;
}

const valueOf = (found, letter) => ({mean: found.means[letter], half: found.halves[letter] ?? 0});

async function ask() { // for one mean after the other, those of all settings that are in the table
  if (asking || !panel()?.dataset.measure || !panel().parentElement.open) return;
  asking = true;
  try {
    for (let model; (model = [...rows.keys()].reverse().find((each) => !means.has(each))) !== undefined;) {
      const since = first, found = model === since ? undefined : await measured({a: since, b: model});
      const alone = found ?? await measured({a: model});
      if (since !== first) continue; // another file was opened meanwhile
      if (found) {
        const {difference: change, low, high} = found.pairs[0], shown = low > 0 || high < 0;
        means.set(since, valueOf(found, "a"));
        means.set(model, {...valueOf(found, "b"), change, low, high, shown, better: change > 0 === (found.better !== "lower")});
      } else means.set(model, alone && valueOf(alone, "a"));
      if (panel()) fill();
    }
  } catch (error) {
    tell("The means are not known, because the server does not answer: " + error.message);
  } finally {
    asking = false;
  }
}

function compare() {
  const chosen = tries().filter(({model}) => ticked.has(model)).map(({model}, place) => ["abcdef"[place], model]);
  const asked = new URLSearchParams([...chosen, ["measure", panel().dataset.measure]]); // over all queries
  location.href = panel().dataset.address.replace(/search\?.*/, `compare?${asked}`);
}

function save() {
  const {source, measure} = panel().dataset, found = tries().map((each) => ({...each, ...means.get(each.model)}));
  const text = JSON.stringify({format: "toysearch tries", source, measure, tries: found}, null, 1) + "\n";
  const link = made("a", {href: URL.createObjectURL(new Blob([text], {type: "application/json"})), download: `tries-${source}.json`});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}

async function open(file) { // its rows join those that are here; of a note on both sides, the one here stays
  const {source} = panel().dataset;
  let found;
  try { found = JSON.parse(await file.text()); } catch { /* it is no JSON */ }
  const valid = ({model, time, note}) => typeof model === "string" && Number.isFinite(time) && typeof note === "string";
  if (found?.format !== "toysearch tries" || !found.tries?.every?.(valid)) return tell(`${file.name} is not a file of tries: choose one that “Save in a file” has written.`);
  if (found.source !== source) return tell(`${file.name} has tries on ${found.source}, and these are on ${source}: open it there.`);
  const joined = new Map(found.tries.map(({model, time, note}) => [model, {model, time, note}]));
  for (const each of tries()) {
    const other = joined.get(each.model) ?? each;
    joined.set(each.model, {model: each.model, time: Math.min(each.time, other.time), note: each.note || other.note});
  }
  keep([...joined.values()]);
  draw();
  tell(`${file.name}: ${found.tries.length} tries are in the table.`);
}

function forget() {
  if (!confirm("Forget these tries and their notes in this browser? Those that the server counts stay in the list.")) return;
  keep([]);
  ticked.clear();
  draw();
}

main.addEventListener("renewed", draw);
main.addEventListener("toggle", ask, true);
window.addEventListener("storage", draw); // another tab has tried something
draw();
