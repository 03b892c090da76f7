// The search of the documentation: BM25F as toysearch computes it, over the sections of all pages.
//
// INDEX is made by build.py: fields, [name, weight, b, lengths in terms, their mean]; k1; postings, term → [sections, the
// tfs in each field]; words, word → term, which is empty for a stop word; documents, [address, title, first words, page].
// The ranking is that of
//     toysearch docs QUERY

"use strict";

const SHOWN = 20;

const sum = (values) => values.reduce((total, value) => total + value, 0);

const OPTION = /(?<![\p{L}\p{N}_-])--?[a-z][\p{L}\p{N}_-]*/gu;

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

const reversed = (text) => [...text].reverse().join("");

const common = (first, second) => {
  let length = 0;
  while (length < first.length && first[length] === second[length]) length += 1;
  return length;
};

/** Whether one slip of the fingers turns a word into what was typed. */
function isSlip(typed, word) {
  if (typed[0] !== word[0] || Math.abs(typed.length - word.length) > 1) return false;
  const start = common(typed, word);
  const [first, second] = [typed, word].map((text) => reversed(text.slice(start)));
  const end = common(first, second);
  const [left, right] = [first.slice(end), second.slice(end)];
  const shorter = Math.min(typed.length, word.length);
  if (/^\d+$/.test(typed)) return false;
  if (left.length === 2 && left === reversed(right)) return shorter >= 4;
  if (left.length + right.length === 1) return shorter >= 6;
  return left.length === 1 && right.length === 1 && shorter >= 8;
}

const dfOf = (term, index) => index.postings[term]?.[0].length ?? 0;

/** The first of the words for which a number is highest. */
const highest = (words, number) => words.reduce((best, word) => (number(word) > number(best) ? word : best), words[0]);

/** The word of most sections that a slip turns into what was typed; a word of a section may show a slip. */
function nearest(typed, index) {
  const df = (word) => dfOf(index.words[word], index);
  const sorted = (word) => [...word].sort().join("");
  const good = df(typed) ? (word) => df(word) >= 20 && sorted(word) === sorted(typed) : (word) => df(word) > 1;
  return highest(Object.keys(index.words).filter((word) => isSlip(typed, word) && good(word)), df);
}

const termOf = (word, index) => (Object.hasOwn(index.words, word) ? index.words[word] : stemmed(word, index));

/** A word, or the one that was meant if a slip made it, with its term; undefined if no page has either. */
function knownWord(word, index) {
  const term = termOf(word, index);
  if (term !== undefined && dfOf(term, index) !== 1) return [[word, term]];
  const near = nearest(word, index);
  if (near !== undefined) return [[near, index.words[near]]];
  return term === undefined ? undefined : [[word, term]];
}

/** The two words of the pages that were typed as one: box plot of boxplot. */
function twoWords(word, index) {
  const pairs = [];
  for (let end = 3; end < word.length - 2; end += 1) pairs.push([word.slice(0, end), word.slice(end)]);
  const term = (part) => (Object.hasOwn(index.words, part) ? index.words[part] : "");
  const least = (pair) => Math.min(...pair.map((part) => dfOf(term(part), index)));
  const best = highest(pairs.filter((pair) => pair.every(term)), least);
  return best !== undefined && least(best) > 1 ? best.map((part) => [part, term(part)]) : undefined;
}

/** The word of the pages that begins like another, by seven letters or more. */
function sameBeginning(word, index) {
  const words = Object.keys(index.words).filter((other) => index.words[other] && other[0] === word[0]);
  const most = words.reduce((best, other) => Math.max(best, common(word, other)), 0);
  const alike = most < 7 ? [] : words.filter((other) => common(word, other) === most);
  const best = highest(alike, (other) => dfOf(index.words[other], index));
  return best === undefined ? undefined : [[best, index.words[best]]];
}

/** The parts of a name of a program, MoreLikeThis or get_scores, if the pages have one of them. */
function partsOf(typed, index) {
  const parts = typed.replace(/(?<=[^\P{L}A-Z]|\p{N})(?=[A-Z])|_/gu, " ").toLowerCase().trim().split(/\s+/);
  const known = parts.map((part) => knownWord(part, index));
  return known.some(Boolean) ? known.flatMap((found, place) => found ?? [[parts[place], undefined]]) : undefined;
}

/** What a typed word stands for: words of the pages with their terms; undefined if there are none. */
function meant(typed, index) {
  const word = typed.toLowerCase();
  return knownWord(word, index) ?? partsOf(typed, index) ?? twoWords(word, index) ?? sameBeginning(word, index);
}

/** Each two, three and four words that stand together. */
const together = (words) => [2, 3, 4].flatMap((n) =>
  words.slice(0, Math.max(0, words.length - n + 1)).map((_, start) => words.slice(start, start + n).join(" ")));

const named = (text) => `_${text.replace(/[^\p{L}\p{N}_]+/gu, "_")}_`;

/** The terms of a query, each once, with its weight, and what to say of its words. */
function analyzed(query, index) {
  const terms = new Map(), ignored = [], unknown = [], words = [], known = [];
  const N = index.documents.length;
  let mended = false;
  const count = (term, share) => {
    const weight = share / Math.sqrt(rarity(dfOf(term, index), N)); // a rare word cannot outweigh the rest
    terms.set(term, (terms.get(term) ?? 0) + weight);
  };
  const typed = query.toLowerCase();
  for (const one of query.match(new RegExp(`${OPTION.source}|[\\p{L}\\p{N}_]+`, "gu")) ?? []) {
    const isOption = one.startsWith("-"), low = one.toLowerCase();
    const found = isOption ? low.match(/[\p{L}\p{N}_]+/gu).map((word) => [word, termOf(word, index)]) : meant(one, index);
    if (found === undefined) unknown.push(low);
    for (const [word, term] of found ?? [[low, undefined]]) {
      mended ||= !isOption && word !== low;
      words.push(word);
      if (term === "") ignored.push(word);
      else if (term !== undefined) {
        count(term, /^\d+$/.test(word) ? 0.3 : 1);
        known.push(word);
      }
    }
  }
  const options = typed.match(OPTION) ?? [];
  const names = new Map();
  if (!options.length) [...together(words), ...together(known)].forEach((name) => names.set(named(name), 0.5));
  (options.length ? options : [words.join(" "), known.join(" ")]).forEach((name) => names.set(named(name), 3));
  for (const [name, share] of names) {
    if (Object.hasOwn(index.words, name)) count(index.words[name], share);
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
