// Work that takes longer than a second has a sign with a button that stops it; the server ends a search that nobody waits for.
// Without this script the browser's own sign and button do the same.
const works = new Set();

function working(stop) { // → what ends the sign
  const sign = document.getElementById("working"), wait = setTimeout(() => { sign.hidden = false; }, 1000);
  works.add(stop);
  return () => {
    clearTimeout(wait);
    works.delete(stop);
    sign.hidden ||= !works.size;
  };
}

document.querySelector("#working button").addEventListener("click", () => works.forEach((stop) => stop()));

window.addEventListener("beforeunload", () => { // another page is asked for; this one stays until its answer comes
  const busy = document.getElementById("main"), search = document.getElementById("search");
  const ended = working(() => {
    window.stop();
    end();
    search?.dispatchEvent(new Event("stopped"));
  });
  function end() {
    ended();
    busy.removeAttribute("aria-busy");
  }
  busy.setAttribute("aria-busy", "true");
  window.addEventListener("pageshow", end, {once: true}); // the browser shows the kept page again
});
