// The search of the front page: over the documentation as one types, and, once asked to, over the companions by
// toysearch itself in Python for browsers. Neither is loaded before it is used.

"use strict";

{
  const front = document.getElementById("front-search");
  const {pyodide: ADDRESS, root: ROOT} = front.dataset;
  const field = front.querySelector("input[type=search]");
  const note = document.getElementById("front-note");
  const list = document.getElementById("front-results");
  const SHOWN = 5, PAUSE = 150;
  const loading = {};
  let engine = null, waiting = 0;

  const made = (name, words, attributes = {}) => {
    const one = Object.assign(document.createElement(name), {textContent: words});
    Object.entries(attributes).forEach(([key, value]) => one.setAttribute(key, value));
    return one;
  };

  const say = (words) => { note.textContent = words; };

  const inTab = () => front.querySelector("input[value=companions]").checked;

  /** Run a script of the site, once. */
  const script = (name) => loading[name] ??= new Promise((done, failed) => {
    const tag = made("script", "", {src: `${ROOT}_static/${name}`});
    tag.onload = done;
    tag.onerror = () => failed(new Error(`${name} could not be loaded`));
    document.head.append(tag);
  });

  /** Show results: {title, href or not, score, passage, explanation as text or as a table}. */
  const show = (results) => list.replaceChildren(...results.map(({title, href, score, passage, explanation, table}) => {
    const result = made("li", "");
    const why = made("details", "");
    why.append(made("summary", score, {"aria-label": `Score ${score}: why?`}));
    if (table) why.insertAdjacentHTML("beforeend", table); // the engine has escaped it
    else why.append(made("pre", explanation, {tabindex: "0"}));
    result.append(href ? made("a", title, {href}) : made("strong", title), made("p", passage), why);
    return result;
  }));

  const ofPages = async (query) => {
    await script("search-index.js");
    await script("search.js");
    const results = search(query, INDEX), best = results.length > SHOWN ? `, the best ${SHOWN} shown` : "";
    show(results.slice(0, SHOWN).map((result) => {
      const [address, title, passage] = INDEX.documents[result.document];
      return {title, passage, href: ROOT + address, score: result.score.toFixed(4), explanation: explanation(result, INDEX)};
    }));
    say(`${results.length} page${results.length === 1 ? "" : "s"}${best}${analyzed(query, INDEX).notes}`);
  };

  const ofCompanions = (query) => {
    const {hits, notes} = JSON.parse(engine(query, SHOWN));
    show(hits);
    say(notes.join("; ") || `The best ${hits.length} of 400 documents, by toysearch in this tab`);
  };

  /** Python for browsers with toysearch; null if it cannot be loaded, and then a sentence says so. */
  const started = async () => {
    try {
      say("Loading Python for browsers: a dozen megabytes, once …");
      const {loadPyodide} = await import(`${ADDRESS}pyodide.mjs`);
      const pyodide = await loadPyodide({indexURL: ADDRESS});
      await pyodide.loadPackage("numpy");
      say("Indexing 400 documents in this tab …");
      await script("engine.js");
      const bytes = Uint8Array.from(atob(ENGINE), (letter) => letter.charCodeAt(0));
      pyodide.unpackArchive(bytes, "zip", {extractDir: "/engine"});
      await pyodide.runPythonAsync("import sys\nsys.path.insert(0, '/engine')\nimport in_the_tab");
      return pyodide.pyimport("in_the_tab").answer;
    } catch (error) {
      console.info(error);
      list.replaceChildren();
      say(`The engine is not here: Python for browsers comes from ${new URL(ADDRESS).host}, which could not be reached. ` +
        "The documentation can be searched without it, and an installed toysearch needs no network.");
      return null;
    }
  };

  /** Answer what is in the box; the engine is loaded only if `asked` to. */
  const answer = async (asked) => {
    const tab = inTab();
    front.querySelectorAll("[data-in]").forEach((part) => {
      part.hidden = part.dataset.in !== (tab ? "companions" : "pages");
    });
    if (tab && !engine) {
      if (!asked) {
        list.replaceChildren();
        if (!loading.engine) say("");
        return;
      }
      engine = await (loading.engine ??= started());
      if (!engine) {
        loading.engine = null;
        return;
      }
    }
    const query = field.value.trim();
    if (!query) {
      list.replaceChildren();
      say("");
    } else if (tab) ofCompanions(query);
    else await ofPages(query);
  };

  front.hidden = false;
  front.addEventListener("submit", (event) => { event.preventDefault(); answer(true); });
  front.addEventListener("change", (event) => { if (event.target.type === "radio") answer(false); });
  field.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(answer, PAUSE, false); });
  front.querySelectorAll("[data-query]").forEach((example) => example.addEventListener("click", () => {
    field.value = example.dataset.query;
    answer(true);
  }));
}
