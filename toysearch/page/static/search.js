// The search page without reloading: moving a slider ranks again, a click on a score bar explains it.
const form = document.getElementById("search");
const main = document.getElementById("main");
const status = document.getElementById("status");
const part = {headers: {"x-toysearch-part": "main"}};
const moving = {headers: {"x-toysearch-part": "moving"}}; // values on the way are not counted as tried
let line = Promise.resolve(), waits = false, settled = true, rest; // waits: whether a ranking stands in the line
const here = new URL(location), tried = new URL(main.querySelector("a[rel=bookmark]")?.href ?? location).searchParams.get("tried");
if (tried) { // whoever is sent the address sees the same intervals
  here.searchParams.set("tried", tried);
  history.replaceState(null, "", here);
}
let shown = location.pathname + location.search;

function asked(pairs) {
  return form.getAttribute("action") + "?" + new URLSearchParams([...pairs].filter(([, value]) => value !== ""));
}

function keep(pairs) { // what the results are of is what the form returns to
  for (const field of form.elements) {
    const value = pairs.get(field.name) ?? "";
    for (const option of field.options ?? []) option.defaultSelected = option.value === value;
    if (field.matches("input:not([type=hidden])")) field.defaultValue = value;
  }
}

function restore() { // the form shows what the results are of
  form.reset();
  for (const output of form.querySelectorAll("output")) output.textContent = output.previousElementSibling.value;
}

function inTurn(work) { // one request at a time, so that no answer overwrites a later one
  return line = line.then(work);
}

function fail(text) {
  status.textContent = text;
  status.classList.remove("unseen");
}

const still = matchMedia("(prefers-reduced-motion: reduce)");

function places() { // where each document of the ranking stands on the screen
  return new Map([...main.querySelectorAll("[data-doc]")].map((hit) => [hit.dataset.doc, hit.getBoundingClientRect().top]));
}

function glide(before) { // documents move from their old places to their new ones
  if (still.matches || !before.size) return;
  for (const [doc, top] of places()) {
    const hit = main.querySelector(`[data-doc="${CSS.escape(doc)}"]`);
    const from = before.get(doc);
    if (from === top) continue;
    const start = from === undefined ? {opacity: 0} : {transform: `translateY(${from - top}px)`};
    hit.animate([start, {}], {duration: 250, easing: "ease-out"});
  }
}

let from; // the rank of each document before a slider was moved

function ranks() {
  return new Map([...main.querySelectorAll(".hits > [data-doc]")].map((hit, rank) => [hit.dataset.doc, rank]));
}

function tellMoves() { // by how many ranks each document has moved; the mark fades
  for (const [doc, rank] of ranks()) {
    const up = from.get(doc) - rank;
    if (up === 0) continue;
    const mark = document.createElement("span");
    mark.className = up < 0 ? "moved lost" : "moved won";
    mark.textContent = up < 0 ? "▼" + -up : up > 0 ? "▲" + up : "▲ new";
    mark.addEventListener("animationend", () => mark.remove());
    main.querySelector(`[data-doc="${CSS.escape(doc)}"] .facts`).append(mark);
  }
}

function kept(name) {
  return main.querySelector(`[data-kept="${CSS.escape(name)}"]`);
}

async function renew(html) { // the new ranking, with what was open and what was being typed
  const before = places(), focused = document.activeElement?.dataset?.kept;
  const open = [...main.querySelectorAll("details[data-kept][open]")].map((each) => each.dataset.kept);
  const explained = new Map();
  for (const link of main.querySelectorAll('a.why[aria-expanded="true"]')) {
    explained.set(link.dataset.kept, link.nextElementSibling);
  }
  const typed = [...main.querySelectorAll("input[data-kept]")].filter((field) => field.value !== field.defaultValue);
  const scrolled = main.querySelector("[data-scrolled]")?.scrollTop;
  main.innerHTML = html;
  loadTries();
  main.dispatchEvent(new Event("renewed"));
  for (const field of typed) kept(field.dataset.kept)?.replaceWith(field);
  if (scrolled) main.querySelector("[data-scrolled]")?.scrollTo(0, scrolled);
  for (const name of open) kept(name)?.setAttribute("open", "");
  const asked = [];
  for (const [name, old] of explained) {
    const link = kept(name);
    if (!link) continue;
    link.nextElementSibling.replaceChildren(...old.childNodes); // until its new numbers come
    link.setAttribute("aria-expanded", "true");
    asked.push(explain(link));
  }
  mark();
  const compared = document.getElementById("summary")?.dataset.compare, heading = document.querySelector("header a[href*='/compare']");
  if (compared && heading) heading.href = compared;
  if (from) tellMoves();
  if (focused) kept(focused)?.focus({preventScroll: true});
  glide(before);
  point()?.scrollIntoView({block: "nearest"});
  await Promise.all(asked);
}

const EXPLAINED = "#explained=";

function mark() { // the address, and the permanent one, say which scores are explained
  const names = [...main.querySelectorAll('a.why[aria-expanded="true"]')].map((link) => encodeURIComponent(link.dataset.kept));
  const end = names.length ? EXPLAINED + names.join(",") : "";
  history.replaceState(null, "", shown + end);
  for (const link of main.querySelectorAll("a[rel=bookmark]:not(.explained *)")) link.href = link.pathname + link.search + end;
}

async function explain(link) {
  const reply = await fetch(link.href, part), html = await reply.text();
  if (!link.isConnected || link.getAttribute("aria-expanded") !== "true") return;
  const place = link.nextElementSibling, open = [...place.querySelectorAll("[open] > summary")].map((each) => each.textContent);
  place.innerHTML = html;
  for (const each of place.querySelectorAll("summary")) each.parentElement.open ||= open.includes(each.textContent);
}

function rank() { // the newest setting follows
  if (!waits) inTurn(() => { waits = false; return ranked(); });
  waits = true;
}

async function ranked(walked) { // of the form, or of the address to which a walk through the queries leads
  const pairs = new FormData(form), left = settled, leaving = new AbortController(), ended = working(() => leaving.abort());
  main.setAttribute("aria-busy", "true");
  try {
    const reply = await fetch(walked ?? asked(pairs), {...(settled ? part : moving), signal: leaving.signal});
    const html = await reply.text(), address = reply.headers.get("x-toysearch-address");
    if (location.pathname + location.search !== shown) return; // that page is being loaded
    if (address) history[walked ? "pushState" : "replaceState"](null, "", address);
    shown = location.pathname + location.search;
    keep(pairs);
    await renew(html);
    if (left) from = undefined;
    const summary = document.getElementById("summary"), title = main.querySelector("h1");
    if (summary && title) document.title = title.textContent + document.title.slice(document.title.lastIndexOf(" – "));
    status.classList.add("unseen");
    status.textContent = (walked ? main.querySelector("h2") : summary || main).textContent.trim();
  } catch (error) {
    restore();
    fail(leaving.signal.aborted ? "Stopped." : "The server does not answer: " + error.message);
  } finally {
    ended();
    main.removeAttribute("aria-busy");
  }
}

async function walk(rel) { // to the query before or after; each key waits for the page of the one before it
  const link = main.querySelector(`.walk a[rel=${rel}]`);
  if (!link) return;
  form.elements.topic.value = new URL(link.href).searchParams.get("topic");
  form.elements.q.value = "";
  await ranked(link.href);
}

async function rate(pairs, place, fields) { // a grade, a thumb or a note; the same search follows, as it is now
  pairs.set("search", shown);
  try {
    const reply = await fetch(place, {method: "POST", body: pairs, ...part}), text = await reply.text();
    if (!reply.ok) throw new Error(new DOMParser().parseFromString(text, "text/html").body.textContent.trim());
    if (location.pathname + location.search !== shown) return;
    for (const field of fields) field.defaultValue = field.value; // it is saved: nothing is left to keep
    await renew(text);
    status.classList.add("unseen");
    status.textContent = pairs.get("action") === "note" ? "noted" : document.getElementById("summary").textContent;
  } catch (error) {
    fail("Not saved: " + error.message);
  }
}

window.addEventListener("popstate", () => {
  if (location.pathname + location.search !== shown) location.reload();
});

window.addEventListener("pageshow", (event) => { // a page that the browser has kept as somebody left it
  if (event.persisted) restore();
});
form.addEventListener("stopped", restore); // another page was asked for

form.addEventListener("input", (event) => {
  if (event.target.type !== "range") return;
  if (event.target.step === "any") event.target.value = Number(event.target.value).toPrecision(3);
  event.target.nextElementSibling.textContent = event.target.value;
  if (settled) from = ranks();
  settled = false;
  clearTimeout(rest);
  rest = setTimeout(() => { settled = true; rank(); }, 500); // the value at which it is left counts
  rank();
});

let typing; // the words of the documents that begin like what is typed are offered below the field, if it has a list
if (form.elements.q.list) form.elements.q.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(async () => {
    const typed = form.elements.q.value, words = form.elements.q.list;
    const address = form.getAttribute("action").replace(/search$/, "completion.json");
    const reply = typed ? await fetch(address + "?" + new URLSearchParams({q: typed})).catch(() => null) : null;
    const rows = reply?.ok ? (await reply.json()).completions : [];
    if (typed === form.elements.q.value) words.replaceChildren(...rows.map(({text}) => new Option("", text)));
  }, 100);
});

form.addEventListener("change", (event) => {
  if (event.target.id === "q" || event.target.type === "range") return;
  if (event.target.id === "topic") form.elements.q.value = ""; // the words of the topic are searched for
  form.requestSubmit();
});

main.addEventListener("submit", (event) => { // a grade or a note; the case and the measures follow
  const {name, value} = event.submitter ?? {}, given = name === "action" ? value : "grade";
  if (given === "begin" || given === "end" || !event.target.matches(".rate, .note-form")) return;
  event.preventDefault();
  const pairs = new URLSearchParams(new FormData(event.target));
  if (name) pairs.append(name, value);
  inTurn(() => rate(pairs, event.target.getAttribute("action"), event.target.querySelectorAll("input")));
});

main.addEventListener("click", async (event) => {
  const link = event.target.closest("a.why, .walk a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (link.rel) return inTurn(() => walk(link.rel));
  const place = link.nextElementSibling;
  if (link.getAttribute("aria-expanded") === "true") {
    place.replaceChildren();
    link.setAttribute("aria-expanded", "false");
    return mark();
  }
  place.setAttribute("aria-busy", "true");
  link.setAttribute("aria-expanded", "true");
  mark();
  try {
    await explain(link);
    status.classList.add("unseen");
    status.textContent = "explained";
  } catch (error) {
    link.setAttribute("aria-expanded", "false");
    fail("This score is not explained, because the server does not answer: " + error.message);
  } finally {
    place.removeAttribute("aria-busy");
  }
});

function loadTries() { // the table of what was tried has a script of its own, for those who have tried something
  const panel = kept("tries");
  let tried = panel?.querySelector("li + li");
  try { tried ||= localStorage["toysearch tries " + document.getElementById("tries").dataset.source]; } catch { /* it keeps nothing */ }
  if (!tried) return;
  panel.hidden = false;
  import("/static/tries.js").catch((error) => fail("The table of tries is not here, because the server does not answer: " + error.message));
}

loadTries();
main.addEventListener("click", (event) => {
  if (!event.target.matches('[href="#tries"]')) return;
  event.preventDefault(); // the address keeps what is explained
  kept("tries").open = true;
  kept("tries").firstElementChild.focus();
});

document.querySelector(".tip .close")?.addEventListener("click", (event) => { // and it stays closed
  event.preventDefault();
  document.cookie = "toysearch-tip=closed; path=/; max-age=31536000; samesite=lax";
  if (new URLSearchParams(location.search).has("tip")) {
    shown = event.target.pathname + event.target.search;
    mark();
  }
  event.target.parentElement.remove();
});

function current() { // the document that a key grades: the one with the focus, else the first without a grade
  const hits = [...main.querySelectorAll(".hits > li:has([form=rate])")];
  return hits.find((hit) => hit.contains(document.activeElement)) ?? hits.find((hit) => !hit.querySelector("[form=rate][aria-pressed=true]"));
}

function point() {
  const hit = current();
  for (const each of main.querySelectorAll(".hits > li")) each.classList.toggle("current", each === hit);
  return hit;
}

point();
main.addEventListener("focusin", point);

document.addEventListener("keydown", (event) => { // ← and → lead through the queries of a comparison, digits are grades
  if (event.target.closest("input, select, textarea, pre, .wide") || event.ctrlKey || event.metaKey || event.altKey) return;
  const rel = {ArrowLeft: "prev", ArrowRight: "next"}[event.key];
  if (rel) inTurn(() => walk(rel));
  if (!event.repeat) (event.key === "u" ? kept("undo") : /^\d$/.test(event.key) ? current()?.querySelector(`[form=rate][value^="${event.key} "]`) : null)?.click();
});

if (matchMedia("(min-width: 40rem)").matches) form.querySelector(".systems")?.setAttribute("open", ""); // there is room

if (location.hash.startsWith(EXPLAINED)) for (const name of location.hash.slice(EXPLAINED.length).split(",")) {
  const link = kept(decodeURIComponent(name)); // what an address of this page had open
  link?.closest("details")?.setAttribute("open", "");
  if (link?.matches("a.why")) link.click();
}
