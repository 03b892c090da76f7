// The search page without reloading: moving a slider ranks again, a click on a score bar explains it.
// Without this script the form and the links do the same, page by page.
const form = document.getElementById("search");
const main = document.getElementById("main");
const status = document.getElementById("status");
const part = {headers: {"x-toysearch-part": "main"}};
let asking = false, again = false;

function asked() {
  const pairs = [...new FormData(form)].filter(([, value]) => value !== "");
  return form.getAttribute("action") + "?" + new URLSearchParams(pairs);
}

function fail(text) {
  status.textContent = text;
  status.classList.remove("unseen");
}

async function rank() { // one request at a time; the newest setting follows
  if (asking) { again = true; return; }
  asking = true;
  main.setAttribute("aria-busy", "true");
  try {
    do {
      again = false;
      const reply = await fetch(asked(), part);
      main.innerHTML = await reply.text();
      const address = reply.headers.get("x-toysearch-address");
      if (address) history.replaceState(null, "", address);
      const summary = document.getElementById("summary"), title = main.querySelector("h1");
      if (summary && title) document.title = title.textContent + document.title.slice(document.title.lastIndexOf(" – "));
      status.classList.add("unseen"); // what an earlier failure said is over
      status.textContent = summary ? summary.textContent : main.textContent.trim();
    } while (again);
  } catch (error) {
    fail("The server does not answer: " + error.message);
  } finally {
    asking = false;
    main.removeAttribute("aria-busy");
  }
}

form.addEventListener("input", (event) => {
  if (event.target.type !== "range") return;
  if (event.target.step === "any") event.target.value = Number(event.target.value).toPrecision(3);
  event.target.nextElementSibling.textContent = event.target.value;
  rank();
});

form.addEventListener("change", (event) => {
  if (event.target.id === "q" || event.target.type === "range") return;
  if (event.target.id === "topic") form.elements.q.value = ""; // the words of the topic are searched for
  form.requestSubmit();
});

main.addEventListener("click", async (event) => {
  const link = event.target.closest("a.why");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const place = link.nextElementSibling;
  if (place.firstElementChild) {
    place.replaceChildren();
    link.setAttribute("aria-expanded", "false");
    return;
  }
  place.setAttribute("aria-busy", "true");
  try {
    const reply = await fetch(link.href, part);
    place.innerHTML = await reply.text();
    link.setAttribute("aria-expanded", "true");
    status.classList.add("unseen");
    status.textContent = "explained";
  } catch (error) {
    fail("This score is not explained, because the server does not answer: " + error.message);
  } finally {
    place.removeAttribute("aria-busy");
  }
});
