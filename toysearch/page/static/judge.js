// Judging without reloading, and by keys: a grade is one request, and the page says so if it was not saved.
// Without this script the buttons do the same, page by page.
const main = document.getElementById("main");
const status = document.getElementById("status");
let saving = false;

async function send(form, button) {
  if (saving) return; // a second key while the first is on its way is no grade for the next document
  saving = true;
  const pairs = new URLSearchParams(new FormData(form));
  if (button && button.name) pairs.append(button.name, button.value);
  try {
    const reply = await fetch(form.getAttribute("action"), {method: "POST", body: pairs, headers: {"x-toysearch-part": "main"}});
    const text = await reply.text();
    if (!reply.ok) throw new Error(new DOMParser().parseFromString(text, "text/html").body.textContent.trim());
    const marks = document.getElementById("marks");
    const marked = marks && marks.checked;
    main.innerHTML = text;
    if (marked && document.getElementById("marks")) document.getElementById("marks").checked = true;
    history.replaceState(null, "", reply.headers.get("x-toysearch-address"));
    status.classList.add("unseen");
    status.textContent = document.getElementById("progress").textContent;
    main.focus({preventScroll: true});
    scrollTo(0, 0);
  } catch (error) {
    status.textContent = "Not saved: " + error.message;
    status.classList.remove("unseen");
  } finally {
    saving = false;
  }
}

main.addEventListener("submit", (event) => {
  event.preventDefault();
  send(event.target, event.submitter);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches("input:not([type=checkbox])")) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter") { event.preventDefault(); event.target.blur(); } // the grade is a key of its own
    return;
  }
  if (event.key === "r") {
    const reason = document.getElementById("reason");
    if (reason) { event.preventDefault(); reason.focus(); }
    return;
  }
  const chosen = main.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (chosen) { event.preventDefault(); chosen.click(); }
});
