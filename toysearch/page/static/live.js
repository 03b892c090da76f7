// The part of a page that changes by itself is asked for again and again; the rest, such as a form that somebody is
// filling in, stays. Without this script the page says the same when it is loaded again.
const status = document.getElementById("status");

async function look() {
  const live = document.getElementById("live");
  try {
    const reply = document.hidden ? null : await fetch(location, {headers: {"x-toysearch-part": "main"}});
    if (reply && reply.ok) show(live, new DOMParser().parseFromString(await reply.text(), "text/html").getElementById("live"));
  } catch { /* the server is away: the next look may find it */ }
  wait();
}

function show(live, found) {
  if (live.innerHTML === found.innerHTML && live.dataset.wait === found.dataset.wait) return;
  const within = live.contains(document.activeElement), said = live.dataset.said;
  live.replaceWith(found);
  if (within) found.focus({preventScroll: true});
  if (found.dataset.said !== said) status.textContent = found.dataset.said;
}

function wait() {
  const pause = Number(document.getElementById("live").dataset.wait);
  if (pause) setTimeout(look, pause);
}

wait();
