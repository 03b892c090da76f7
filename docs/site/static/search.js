// The search of the documentation: BM25 as toysearch computes it, over the sections of all pages.
//
// INDEX is made by build.py: N, the number of sections; dl, their lengths in terms; postings, term → [sections, tfs];
// words, word → term, which is empty for a stop word; documents, [address, title, first words]. The numbers are those of
//     toysearch search _static/sections.jsonl "QUERY" --analyzer english

"use strict";

const K1 = 1.2, B = 0.75, SHOWN = 20;

const sum = (values) => values.reduce((total, value) => total + value, 0);

/** The terms of a query, each once, with how often it stands there; the stop words; the words that no page has. */
function analyzed(query, index) {
  const terms = new Map(), ignored = [], unknown = [];
  for (const word of query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []) {
    if (!Object.hasOwn(index.words, word)) unknown.push(word);
    else if (index.words[word] === "") ignored.push(word);
    else terms.set(index.words[word], (terms.get(index.words[word]) ?? 0) + 1);
  }
  return {terms, ignored, unknown};
}

/** The sections with a term of the query, best first: {document, score, shares}, equal scores in the order of pages. */
function search(query, index) {
  const avgdl = sum(index.dl) / index.N;
  const results = new Map();
  for (const [term, qtf] of analyzed(query, index).terms) {
    const [documents, frequencies] = index.postings[term];
    const df = documents.length;
    const idf = Math.log(1 + (index.N - df + 0.5) / (df + 0.5));
    documents.forEach((document, position) => {
      const tf = frequencies[position], dl = index.dl[document];
      const share = qtf * idf * tf / (tf + K1 * (1 - B + B * dl / avgdl));
      const result = results.get(document) ?? {document, score: 0, shares: []};
      result.score += share;
      result.shares.push({term, qtf, tf, dl, df, idf, share});
      results.set(document, result);
    });
  }
  return [...results.values()].sort((first, second) => second.score - first.score || first.document - second.document);
}

/** How a score comes about, a line per term. */
function explanation({score, shares}) {
  const lines = shares.map(({term, qtf, tf, dl, df, idf, share}) =>
    `${term}: ${share.toFixed(4)} = ${qtf} × idf ${idf.toFixed(4)} × tf ${tf} / (${tf} + k1·(1 − b + b·dl/avgdl)), dl ${dl}, df ${df}`);
  return [`BM25 ${score.toFixed(4)}, k1 = ${K1}, b = ${B}`, ...lines].join("\n");
}

/** An element with attributes and children. */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  made.append(...children);
  return made;
}

/** Show the results of the query in the address. */
function show(root) {
  const query = new URLSearchParams(location.search).get("q") ?? "";
  document.querySelectorAll("input[name=q]").forEach((field) => { field.value = query; });
  const place = document.getElementById("results");
  if (!query.trim()) return;
  const {ignored, unknown} = analyzed(query, INDEX);
  const results = search(query, INDEX);
  const count = `${results.length} section${results.length === 1 ? "" : "s"}`;
  const notes = [ignored.length ? `; stop words: ${ignored.join(", ")}` : "", unknown.length ? `; on no page: ${unknown.join(", ")}` : ""];
  place.append(element("p", {role: "status"}, count + notes.join("")));
  const list = element("ol", {class: "results"});
  for (const result of results.slice(0, SHOWN)) {
    const [address, title, text] = INDEX.documents[result.document];
    const explained = explanation(result);
    const score = element("details", {}, element("summary", {title: explained}, result.score.toFixed(4)),
      element("pre", {}, explained));
    list.append(element("li", {}, element("a", {href: root + address}, title), element("p", {}, text), score));
  }
  place.append(list);
}
