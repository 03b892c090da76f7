// The search of the documentation: BM25F as toysearch computes it, over the sections of all pages.
//
// INDEX is made by build.py: fields, [name, weight, b, lengths in terms, their mean]; k1; postings, term → [sections, the
// tfs in each field]; words, word → term, which is empty for a stop word; documents, [address, title, first words, page].
// The ranking is that of
//     toysearch docs QUERY

"use strict";

const SHOWN = 20;

const sum = (values) => values.reduce((total, value) => total + value, 0);

const ENDING = /^(e?s|e?d|ings?|ers?|ly|al|ally|ically|ations?|ments?|[ae]nces?|ions?|ness|e)$/;

/** The term of a word in a form that no page has: its longest beginning that is a term, before a common ending. */
function stemmed(word, index) {
  for (let end = word.length - 1; end > 1; end -= 1) {
    const term = word.slice(0, end);
    if (Object.hasOwn(index.postings, term) && ENDING.test(word.slice(end))) return term;
  }
  return undefined;
}

const reversed = (text) => [...text].reverse().join("");

const common = (first, second) => {
  let length = 0;
  while (length < first.length && first[length] === second[length]) length += 1;
  return length;
};

/** Whether one slip of the fingers turns a word into what was typed. */
function isSlip(typed, word) {
  const start = common(typed, word);
  const [first, second] = [typed, word].map((text) => reversed(text.slice(start)));
  const end = common(first, second);
  const [left, right] = [first.slice(end), second.slice(end)];
  const shorter = Math.min(typed.length, word.length);
  if (!start || /^\d+$/.test(typed)) return false;
  if (left.length === 2 && left === reversed(right)) return shorter >= 4;
  if (left.length + right.length === 1) return shorter >= 6;
  return left.length === 1 && right.length === 1 && shorter >= 8;
}

/** The word of most sections that a slip turns into what was typed; a word of a section may show a slip. */
function nearest(typed, index) {
  const df = (word) => index.postings[index.words[word]]?.[0].length ?? 0;
  const sorted = (word) => [...word].sort().join("");
  const good = df(typed) ? (word) => df(word) >= 20 && sorted(word) === sorted(typed) : (word) => df(word) > 1;
  return Object.keys(index.words).filter((word) => isSlip(typed, word) && good(word))
    .reduce((best, word) => (best === undefined || df(word) > df(best) ? word : best), undefined);
}

const named = (text) => `_${text.replace(/[^\p{L}\p{N}_]+/gu, "_")}_`;

/** The terms of a query, each once, with how often it stands there, and what to say of its words. */
function analyzed(query, index) {
  const terms = new Map(), ignored = [], unknown = [], words = [], known = [];
  let mended = false;
  const count = (term) => terms.set(term, (terms.get(term) ?? 0) + 1);
  const typed = query.toLowerCase();
  for (let word of typed.match(/[\p{L}\p{N}_]+/gu) ?? []) {
    let term = Object.hasOwn(index.words, word) ? index.words[word] : stemmed(word, index);
    if (term === undefined || index.postings[term]?.[0].length === 1) {
      const near = nearest(word, index);
      if (near !== undefined) [word, term, mended] = [near, index.words[near], true];
    }
    words.push(word);
    if (term === undefined) unknown.push(word);
    else if (term === "") ignored.push(word);
    else {
      count(term);
      known.push(word);
    }
  }
  const options = typed.match(/(?<![\p{L}\p{N}_-])--?[a-z][\p{L}\p{N}_-]*/gu) ?? [];
  const names = options.length ? options : [words.join(" "), known.join(" ")];
  for (const name of new Set(names.map(named))) {
    if (Object.hasOwn(index.words, name)) count(index.words[name]);
  }
  const remarks = {"searched for": mended ? [words.join(" ")] : [], "stop words": ignored, "on no page": unknown};
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
    const idf = Math.log(1 + (N - df + 0.5) / (df + 0.5));
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
    return `${term}: ${share.toFixed(4)} = ${qtf} × idf ${idf.toFixed(4)} × tf ${total.toFixed(4)} / (tf + k1); ${places}; df ${df}`;
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
