// The search of the documentation: BM25F as toysearch computes it, over the sections of all pages.
//
// INDEX is made by build.py: fields, [name, weight, b, lengths in terms, their mean]; k1; postings, term → [sections, the
// tfs in each field]; words, word → term, which is empty for a stop word; documents, [address, title, first words, page].
// The ranking is that of
//     toysearch docs QUERY

"use strict";

const SHOWN = 20;

const sum = (values) => values.reduce((total, value) => total + value, 0);

const rarity = (df, N) => Math.log(1 + (N - df + 0.5) / (df + 0.5));

const ENDING = /^(e?s|e?d|ings?|ers?|ly|al|ally|ically|ations?|ments?|[ae]nces?|ions?|ness|e)$/;

/** The term of a word in a form that no page has: its longest beginning that is a term, before a common ending. */
function stemmed(word, index) {
  for (let end = word.length - 1; end > 1; end -= 1) {
    const term = word.slice(0, end);
    if (Object.hasOwn(index.postings, term) && ENDING.test(word.slice(end))) return term;
  }
  return undefined;
}

/** The terms of a query, each with its frequency, and what to say of its words. */
function analyzed(query, index) {
  const terms = new Map(), ignored = [], unknown = [];
  const words = query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [], name = `_${words.join("_")}_`;
  for (const word of [...words, name]) {
    const term = Object.hasOwn(index.words, word) ? index.words[word] : stemmed(word, index);
    if (term === "") ignored.push(word);
    else if (term === undefined) { if (word !== name) unknown.push(word); }
    else terms.set(term, (terms.get(term) ?? 0) + 1);
  }
  const remarks = {"stop words": ignored, "on no page": unknown};
  const notes = Object.entries(remarks).filter(([, said]) => said.length).map(([head, said]) => `; ${head}: ${said.join(", ")}`);
  return {terms, notes: notes.join("")};
}

/** How often a term stands in a section, by fields: a weight each, and less in a long field. */
function weighted(frequencies, section, fields) {
  return sum(fields.map(([, weight, b, lengths, mean], field) =>
    weight * frequencies[field] / (1 - b + b * lengths[section] / mean)));
}

/** The best section of each page, best first: {document, score, shares}, equal scores in the order of pages. */
function search(query, index) {
  const N = index.documents.length, results = new Map();
  for (const [term, qtf] of analyzed(query, index).terms) {
    const [documents, ...counts] = index.postings[term];
    const df = documents.length;
    const idf = rarity(df, N);
    documents.forEach((document, position) => {
      const tf = counts.map((field) => field[position]), total = weighted(tf, document, index.fields);
      const share = qtf * idf * total / (index.k1 + total);
      const result = results.get(document) ?? {document, score: 0, shares: []};
      result.score += share;
      result.shares.push({term, qtf, tf, total, df, idf, share});
      results.set(document, result);
    });
  }
  const ranked = [...results.values()].sort((first, second) => second.score - first.score || first.document - second.document);
  const pages = new Set();
  return ranked.filter(({document}) => {
    const page = index.documents[document][3];
    return !pages.has(page) && pages.add(page);
  });
}

/** How a score comes about, a line per term. */
function explanation({score, shares}, index) {
  const lines = shares.map(({term, qtf, tf, total, df, idf, share}) => {
    const places = index.fields.map(([name], field) => `${tf[field]} in ${name}`).join(", ");
    return `${term}: ${share.toFixed(4)} = weight ${qtf.toFixed(4)} × idf ${idf.toFixed(4)} × tf ${total.toFixed(4)} / (tf + k1); ${places}; df ${df}`;
  });
  const weights = index.fields.map(([name, weight, b]) => `${name} ${weight} (b ${b})`).join(", ");
  return [`BM25F ${score.toFixed(4)}, k1 = ${index.k1}, weights: ${weights}`, ...lines].join("\n");
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
  const results = search(query, INDEX);
  const count = `${results.length} page${results.length === 1 ? "" : "s"}`;
  place.append(element("p", {role: "status"}, count + analyzed(query, INDEX).notes));
  const list = element("ol", {class: "results"});
  for (const result of results.slice(0, SHOWN)) {
    const [address, title, text] = INDEX.documents[result.document];
    const explained = explanation(result, INDEX);
    const score = element("details", {}, element("summary", {title: explained}, result.score.toFixed(4)),
      element("pre", {}, explained));
    list.append(element("li", {}, element("a", {href: root + address}, title), element("p", {}, text), score));
  }
  place.append(list);
}
