// Votes without reloading: a vote is one request; a page that is out of date is replaced, and the voters are counted live.
// Without this script the buttons and the link to reload do the same, page by page.
const main = document.getElementById("main");
const status = document.getElementById("status");
const part = {headers: {"x-toysearch-part": "main"}};
const place = () => main.querySelector("[data-seen]");
const typed = new Map(); // id of a field → what was typed there; a round of another window may take the fields away for a while
let busy = false;

main.addEventListener("input", (event) => typed.set(event.target.id, event.target.value));

function say(text, shown) {
  status.textContent = text;
  status.classList.toggle("unseen", !shown);
}

async function put(reply) {
  const text = await reply.text();
  if (!reply.ok) throw new Error(new DOMParser().parseFromString(text, "text/html").body.textContent.trim());
  const open = [...main.querySelectorAll("details")].map((each) => each.open);
  const seen = place().dataset.seen, focused = document.activeElement?.id;
  main.innerHTML = text;
  for (const [id, value] of typed) {
    const field = document.getElementById(id);
    if (field) field.value = value;
  }
  if (typed.has(focused)) document.getElementById(focused)?.focus({preventScroll: true});
  if (place().dataset.seen === seen) main.querySelectorAll("details").forEach((each, n) => { each.open = open[n]; });
}

main.addEventListener("submit", async (event) => {
  if (!event.target.matches(".ballot")) return;
  event.preventDefault();
  if (busy) return; // a second tap while the first is on its way
  busy = true;
  const form = event.target, button = event.submitter;
  const pairs = new URLSearchParams(new FormData(form));
  pairs.append(button.name, button.value);
  const number = [...main.querySelectorAll("form.ballot button")].indexOf(button);
  try {
    await put(await fetch(form.getAttribute("action"), {method: "POST", body: pairs, ...part}));
    const again = main.querySelectorAll("form.ballot button")[number];
    if (again) again.focus({preventScroll: true});
    say(document.getElementById("saved").textContent, false);
  } catch (error) {
    say("Not counted: " + error.message, true);
  } finally {
    busy = false;
  }
});

async function follow() {
  if (document.hidden || busy) return;
  try {
    const reply = await fetch(place().dataset.json);
    if (!reply.ok) throw new Error(await reply.text());
    const data = await reply.json();
    if (busy) return; // a vote was given meanwhile, and its answer is newer
    if (place().dataset.seen !== `${data.state} ${data.round ?? ""}`) {
      await put(await fetch(location.pathname, part));
      say(main.querySelector("h1").textContent, false);
    }
    const voters = main.querySelector("[data-voters]");
    if (voters) voters.textContent = data.voters.toLocaleString("en");
    if (!status.classList.contains("unseen") && status.dataset.lost) say("", false);
    delete status.dataset.lost;
  } catch (error) {
    status.dataset.lost = "1";
    say("The server does not answer; this page tries again.", true);
  }
}

setInterval(follow, Number(place().dataset.every));
