"""What each command refuses, with the sentence that it says; and lines that it prints only in some cases."""

import re
import shlex

import pytest
from shell import done, refused
from small_collections import write_files

FILES = {
    "pets/corpus.jsonl": '{"_id": "a", "title": "Of cats", "text": "the cats sat"}\n{"_id": "b", "text": "dog"}\n',
    "pets/queries.jsonl": '{"_id": "q1", "text": "cat dog"}\n{"_id": "q2", "text": "dog"}\n',
    "pets/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\ta\t2\nq2\tb\t1\n",
    "all.jsonl": '{"_id": "1", "text": "a cat"}\n{"_id": "2", "text": "dog"}\n',
    "qrels": "q1 0 b 1\nq1 0 x 1\nq2 0 c 0\nq3 0 c 2\n",
    "run": "q1 Q0 a 1 3 first\nq1 Q0 b 2 2 first\nq2 Q0 c 1 1 first\n",
    "other": "q1 Q0 b 1 3 second\nq3 Q0 c 2 2 second\n",
    "table.csv": "a line of some prose\n",
    "ada.csv": "query_id,doc_id,relevance\n1,1,2\n1,2,0\n",
    "ben.txt": "1 0 1 1\n",
    "pets.run": "1 Q0 none 2 2 odd\n",
    "eva.txt": "9 0 1 1\n",
    "one.jsonl": '{"_id": "1", "text": "' + " ".join(f"w{n}" for n in range(60)) + '"}\n',
    "tied.jsonl": '{"_id": "1", "text": "cat dog"}\n{"_id": "2", "text": "cat dog dog"}\n',
    "mine.py": "def rank(tf, *, k=1.0):\n    return tf / (tf + k)\n",
    "alike.jsonl": '{"_id": "a", "text": "cat"}\n{"_id": "b", "text": "cat"}\n',
    "asked.tsv": "query_id\ttext\nq1\tcat\nq2\tzebra\n",
    "wanted.txt": "q1 0 a 1\nq2 0 b 0\n",
    "others.csv": "query_id,text\nx7,cat\n",
    "blank.txt": "\n \n",
    "queries.tsv": "query_id\ttext\n7\tcat AND (dog\n",
}

TABLE = """
corpora shwo
  Error: unknown command 'shwo'; did you mean 'show'? Commands: show, get
analyze text --analyser english
  Error: No such option '--analyser'; did you mean '--analyzer'?
score 'R I' --formula tf
  Error: No such option '--formula'; toysearch score -h lists the options
report pets --model bm25 --model jaccard
  Error: name the file of the page, such as -o report.html, or give --json
report run -o a.html
  Error: run is a run; give the judgments: toysearch report --qrels QRELS run
report pets --chart pie --model bm25 -o a.svg
  Error: Invalid value for '--chart': 'pie' is not one of 'pr', 'queries', 'depth'.
report --chart pr -o a.svg
  Error: Missing argument 'COLLECTION | RUN...', as in: toysearch report companions --model bm25
    --model bm25:b=0.4 -o report.html
report pets --model bm25 --chart pr
  Error: name the file of the chart, such as -o pr.svg
report pets --model bm25 -o a.html --depth 3
  Error: No such option '--depth': toysearch eval --hardest lists queries
robustness cat-dog-parrot --all
  Error: No such option '--all': --format csv has an example of each input
report pets --model bm25 -o a.html --no-robustness
  Error: No such option '--no-robustness': leave it out; toysearch robustness measures it
index pets -o x.idx --values year
  toysearch: unknown field of the documents 'year'. Fields of the documents: title, text
index pets
  Error: Missing option '-o' / '--output', as in: toysearch index cat-dog-parrot -o pets.idx
index pets -o x --analyzer plain:char_ngrams=many
  toysearch: an analyzer's char_ngrams is a length or a range of lengths such as 1-2, not 'many'
textbook means -1 5
  toysearch: a geometric mean needs numbers of at least 0, and -1 is negative
textbook means x
  Error: 'x' is not a number; an example: toysearch textbook means 60 20
textbook means 1,2 3
  Error: expected 2 to 26 lists of one length, such as 1,1000 10,100; found 1,2 3
textbook means 1,2 0,3
  Error: expected lists of numbers above 0, two or more of them; found 1,2 0,3
judge pool
  Error: Missing argument 'RUN...', as in: toysearch judge pool mine.run theirs.run
judge pool run --texts cranfield
  Error: --texts and --judges apply to the sheet: give -o FILE too
judge pool pets.run -o other.csv --texts pets
  toysearch: pets lacks 1 documents of the pool, such as 'none': is this the collection that was ranked?
judge agree ada.csv
  Error: agreement needs two judges, and there is one: ada; give more files, or their columns: --judges NAMES
judge agree ada.csv ben.txt --judges ada,carla
  toysearch: unknown judge 'carla'. Judges: ada, ben
judge merge ada.csv --to log --rule mean
  Error: --rule and --decisions make one grade of several; --to log keeps the judges apart
judge merge ada.csv -o ben.txt
  toysearch: 'ben.txt' already exists and is not replaced, because people made the judgments; choose another name,
    or give --force
compare
  Error: Missing argument 'COLLECTION | RUN...', as in: toysearch compare companions --model tfidf
    --model bm25 --model bm25:b=0.4
compare pets --model bm25
  Error: a comparison needs at least two systems, found 1; repeat --model
compare run
  Error: run is a run; give the judgments and another one: toysearch compare --qrels QRELS run OTHER
compare --qrels qrels run other --baseline frist
  toysearch: unknown baseline 'frist'; did you mean 'first'? Baselines: first, second
compare --qrels qrels run other --agreement --tsv
  Error: --agreement is a separate table, but tsv holds only one; choose another --format
compare --qrels absent run other -m APP
  toysearch: unknown measure 'APP'; did you mean 'AP'?
fuse run other --method rrf:normalise=sum -o fused.run
  toysearch: rrf has no setting 'normalise'. Settings of rrf: k
fuse run other --json -o fused.run
  Error: --format json is for the list of methods; for -o, the ending .json, .csv or .tsv chooses the format
fuse run other --weights '1;2' -o fused.run
  Error: --weights takes a number for each run, such as 0.7,0.3; found '1;2'
eval
  Error: Missing argument 'COLLECTION | RUN... QRELS', as in: toysearch eval companions --model bm25
    --model cosine:idf=smooth
eval run
  Error: run is a run; give the judgments after it: toysearch eval run QRELS
eval run run
  Error: none of run, run holds judgments (query iteration doc_id grade); name them with --qrels
eval run table.csv
  toysearch: table.csv: expected judgments (query iteration doc_id grade; or a table whose header names query_id,
    doc_id and relevance; or JSON) or a collection, and found neither
eval run qrels --explain AP
  Error: --explain needs --query-id: the query whose value to explain
eval run qrels --explain --query-id q1
  Error: --explain needs a measure, as in --explain AP --query-id 1
eval run qrels --query-id q1
  Error: --query-id needs --explain: the measure whose value to explain
eval run qrels --explain AP --query-id q9
  toysearch: unknown query 'q9'. Queries evaluated: q1, q2, q3
eval run qrels --explain AP --query-id q1 --ties average
  Error: --explain explains one order of the documents; it cannot be combined with a value over all orders of ties
eval run qrels --bounds --max-rel 1
  toysearch: bounds(max_rel=1): a judgment has the grade 2; max_rel is the top of the scale, 2 or more
eval run qrels --max-rel 3
  Error: --max-rel goes with --bounds
eval run qrels --bounds --worst 1
  Error: --worst has no effect beside --bounds: leave it out
eval run qrels --bounds --by length
  Error: --by has no effect beside --bounds: leave it out
eval run qrels --bounds --undefined nan
  Error: --undefined has no effect beside --bounds: leave it out
eval run qrels --bounds --convention textbook
  Error: --convention has no effect beside --bounds: leave it out
eval run qrels --bounds --ties bounds
  Error: --bounds needs one order of the documents: leave out --ties bounds
eval run qrels --bounds --format trec_eval
  Error: --format trec_eval prints the official measures of trec_eval: leave out --bounds, or print another form, such
    as --tsv
eval run qrels --convention all --bounds
  Error: give --convention all or --bounds, not both
eval run qrels --convention all --per-query
  Error: --per-query has no effect beside --convention all: leave it out
eval run qrels --convention all --ties average
  Error: --convention all needs one order of the documents: leave out --ties average
eval run qrels --format trec_eval -m map
  Error: --format trec_eval prints the official measures of trec_eval: leave out --measures, or print another form, such
    as --tsv
diff pets --model bm25
  Error: give two models to compare, not 1: --model A --model B
diff run
  Error: run is a run; give a second one and the judgments: diff RUN RUN QRELS
diff run other
  Error: none of run, other holds judgments (query iteration doc_id grade); name them with --qrels
diff pets.idx --model bm25 --model dice
  toysearch: pets.idx has no judgments to score against; give some: --qrels QRELS, or make them: --known-items sentence
explain pets --query cat
  Error: give one DOC_ID, or two to compare, not 0
explain pets --query cat --doc a --doc a --doc b
  Error: give one DOC_ID, or two to compare, not 3
explain pets --query cat --doc a --doc a
  toysearch: 'a' is given twice; name two documents, or one
explain pets --doc a
  Error: give one query, either its text by --query or its id by --query-id
explain pets --query cat --query-id q1 --doc a
  Error: give one query, either its text by --query or its id by --query-id
explain pets --query-id z --doc a
  toysearch: collection 'pets' has no query 'z'; its 2 queries run from 'q1' to 'q2'
explain pets.idx --query-id q1 --doc b
  toysearch: pets.idx is an index and holds no queries; give its text by --query, or --queries FILE
robustness pets --only lenght
  toysearch: unknown property 'lenght'; did you mean 'length'? Properties: semantic, rare, corpus, length, spelling
learn pets --learner forest --features bm25
  toysearch: unknown learner 'forest'. Learners: logistic, boosting
verify pets --model bm25l
  Error: No such option '--model': leave it out: the models of verify are fixed
verify pets --known-items sentence
  Error: No such option '--known-items': leave it out: verify compares scores, which need no judgments
verify pets --sample 9
  Error: No such option '--sample': --queries 1,2 takes only some queries, by their ids
tune pets --grid =1
  toysearch: --grid '=1' names no parameter; an example: --grid k1=0.2:3:0.2
tune pets --grid b --grid b=1
  toysearch: --grid names b twice; give all its values at once
tune pets --grid b -o run
  Error: No such option '-o': --json > FILE keeps all settings with their values
tune pets --formula tf --grid b
  toysearch: unknown parameter of formula:tf or choice of the analysis 'b'. What can be tried: analyzer, language,
    tokens, stop, stem, html, fold_accents, cjk, numbers, min_length, max_length, ngrams, char_ngrams
show pets.idx --ranks 1-2 --term cat
  Error: --ranks is for the whole index, not for a term or a document
show pets.idx --ranks 3
  toysearch: ranks are given as the first and the last one, such as 1-1000, not '3'
show pets.idx --term 'cats sat'
  toysearch: 'cats sat' is 2 terms in this index (cat, sat); show one at a time
show pets.idx --term the
  toysearch: 'the' is not a term of this index: its analyzer removes it
show pets.idx --doc a --term cats
  Error: choose one of --term, --doc and --complete
models --curve tf
  Error: --curve needs the NAME of a model, or a --formula
models bm25 --at dl=3
  Error: --at gives the other statistics of a --curve; give --curve too
models bm25 --curve tf --at dl=x
  toysearch: --at: 'dl=x' is not of the form NAME=VALUE; an example: dl=100,N=1000
models bm25 --curve tf --at df=20,N=10
  toysearch: df 20 cannot be above N 10 in any posting
models '0.5*bm25 + 0.5*tfidf' --curve tf
  toysearch: '0.5*bm25 + 0.5*tfidf' adds scores and has no weight itself; name its models separately
models bm25 tfidf
  Error: only one model can be explained at a time; several need --curve
search pets train --formula tf --model bm25
  Error: give one model, by --model or by --formula
search pets train --set k=1
  Error: --set gives values to names in a --formula; parameters of a model are written bm25:b=0.4
search pets train --formula tf --set k=1
  toysearch: --set k: no formula has the name k
search pets train --formula 'tf*k' --set k=1 --set k=2
  toysearch: --set gives k twice: 1 and 2
search pets train --formula 'tf*k' --set k=x
  toysearch: k of formula:tf*k must be a number, not 'x'
search pets cats --formula 'tf*9**9**9**9'
  toysearch: model 'formula:tf*9**9**9**9' gives inf for the term 'cats' in document 'a' (tf=2); every weight must
    be a finite number
search pets cat --fields title,text --model bm25f:brand=1
  toysearch: unknown field 'brand'. Fields: title, text; an example for this index: bm25f:title=1,text=1; other
    fields are searched if they are named: --fields A,B
search pets cat --split train
  Error: --split: only with --query-id; otherwise the queries and judgments of a collection are not
    read
search pets
  Error: give a query, or --query-id with the id of a query of the collection
search pets cat --query-id q1
  Error: give a query or --query-id, not both
search pets cat --explain --tsv
  Error: --explain needs a table or JSON; other formats cannot hold it
search pets.idx --query-id 1
  toysearch: pets.idx is an index and holds no queries; give --queries FILE with --query-id 1
run all.jsonl --queries queries.tsv -o - --query-mode strict
  toysearch: query '7': '(' has no partner: cat AND (dog ^
query 'C++ "x' --query-mode strict
  toysearch: the quotation mark has no partner: C++ "x ^
query 'date:>1990' pets --query-mode strict
  toysearch: unknown field 'date'. Fields: title, text: date:>1990 ^
query 'a AND b' --textbook
  Error: --textbook reads postings and terms; give an index or a collection after the query
query 'a AND b' pets --textbook --tsv
  Error: --textbook has no rows; it is shown with --format table or json
similar
  Error: Missing argument 'SOURCE'; --texts A B compares two texts without one.
similar pets
  Error: give exactly one of DOC_ID, --matrix with several ids, --above with a similarity, or --term with a word
similar pets a --above 0.5
  Error: give exactly one of DOC_ID, --matrix with several ids, --above with a similarity, or --term with a word
similar pets --above 0.5 --explain
  Error: --explain goes with a DOC_ID, in a table or in JSON
similar pets a --groups
  Error: --groups goes with --above
similar pets --matrix a,b,a,b,a,b,a,b,a,b,a
  toysearch: a table has room for 10 documents, not for 11; use --json, --tsv or --format csv
similar pets --term 'big cat' --model lsa:2
  toysearch: --term big cat: expected one word, and the analyzer makes 2 terms of it
similar pets --term cat --model bm25
  toysearch: terms are compared by latent topics, not by 'bm25'; an example: lsa:100
similar --texts a b --weights tfidf
  Error: the idf of --weights tfidf is that of a SOURCE, which only these weights need: toysearch similar SOURCE
    --texts A B --weights tfidf
similar pets a --texts a b --weights tfidf
  Error: --texts compares two texts alone: leave out DOC_ID
similar --texts a b --model dice
  Error: --texts compares two texts alone: leave out --model
similar pets a --weights tf
  Error: --weights goes with --texts
index pets.idx -o x
  toysearch: 'pets.idx' is already an index; name the collection to build it from
convert pets.idx --to trec -o x
  toysearch: 'pets.idx' is an index, which holds no queries; name the collection that it was built from
convert pets --to trek -o x
  toysearch: unknown layout 'trek'; did you mean 'trec'? Layouts: beir, trec, jsonl
add pets.idx pets.idx
  toysearch: 'pets.idx' is an index; name the collection that should be added to 'pets.idx'
add nothing pets
  toysearch: nothing: there is no such folder; toysearch index SOURCE -o nothing makes one
delete nothing 1
  toysearch: nothing: there is no such folder; toysearch index SOURCE -o nothing makes one
delete pets.idx
  Error: expected the doc_ids of the documents to delete, or a file that names them (--from)
delete pets.idx --from blank.txt
  toysearch: blank.txt holds no doc_id; expected one on each line
robustness all.jsonl
  toysearch: all.jsonl has no judgments to score against; give some: --qrels QRELS, or make them: --known-items sentence
robustness pets.idx --model bm25f --queries pets --qrels pets
  toysearch: 'pets.idx' is an index; name its collection, whose fields are known
eval run qrels --query-fields title --columns id=key
  Error: --columns, --query-fields: only with one COLLECTION; run files are scored as they are
eval pets.idx --queries others.csv --qrels qrels
  toysearch: none of the 1 query of 'pets.idx' is judged: their ids are such as 'x7', the judged ids such as 'q1';
    ids must be equal as texts
eval pets --qrels ben.txt
  toysearch: none of the 2 queries of 'pets' is judged: their ids are such as 'q1', the judged ids such as '1'; ids
    must be equal as texts
eval pets.idx --qrels qrels
  toysearch: pets.idx has no queries; give some: --queries FILE, or a collection that has some
eval run qrels --queries others.csv
  toysearch: none of the 1 query of 'qrels' is judged: their ids are such as 'x7', the judged ids such as 'q1'; ids
    must be equal as texts
run pets.idx -o -
  toysearch: pets.idx has no queries to rank; give some with --queries FILE
run pets.idx --queries qrels -o -
  toysearch: qrels holds judgments; expected queries, each with an id and a text
eval run qrels --threshold 3
  toysearch: threshold: no judgment has a grade of 3 or above, the highest is 2; nothing could be relevant
    (--undefined nan says so query by query)
models bm25-okapi --curve tf
  toysearch: bm25-okapi computes average_idf from a whole collection; give it a value: --at average_idf=5
similar pets --above 0.5 --model bm25
  toysearch: near duplicates are found by cosine, dice or jaccard, not by 'bm25': their similarity must be symmetric
"""


LINES = """
query cat pets.idx --textbook
  note: the query has no operator, phrase or pattern to work out
show pets.idx --term Cats
  note: 'Cats' is indexed as 'cat'
show one.idx
  Heaps' law: the vocabulary of a single document does not grow
  cf • law, ranks 1 to 60 + terms
score 'R R I I' --explain AP
  note: AP needs all relevant documents (--relevant N or --judged GRADES); the value shown holds if all relevant
    documents are in the ranking
eval run other qrels --hardest 2 -m RR
  The queries that no system answers well
eval run qrels -m RR --per-query --tsv
  system query_id RR
judge agree ada.csv ben.txt eva.txt
  note: Fleiss' kappa needs pairs that all have judged, and there are none
textbook means 1,1000 10,100 20,20
  The geometric mean of ratios is the ratio of the geometric means, so the systems keep their order, and their
    distances, whichever of them counts as 1. The other two means do not.
textbook means 60 20
  Why F takes the harmonic mean: a system that returns the whole collection has recall 1 and, where one document in
    1000 is relevant, precision 0.001.
  The arithmetic mean of the two is 0.5005, and never below 0.5 however large the collection is; the geometric is
    0.0316; the harmonic, 0.0020, is at most twice the lower of the two: neither can make up for the other.
textbook means 0 5
  harmonic 0 where a number is 0 0.000000
demo
  cat-dog-parrot: 4 documents. BM25 ranks them for 'train cat':
  bm25       1.0000  0.7981 … 1.0000            0.8865
  companions: 400 documents. Is BM25 better than the cosine of tf-idf?
  Next, with a folder of your own texts:
models mine.py:rank
  (its function has no docstring)
models lm-dirichlet
  Besides the weight
search bare.idx dog
  1 2 0.3151 (the index holds no text)
similar all.jsonl --above 0.9
  no two documents are so similar
similar all.jsonl 1
  no document shares a term with it
robustness cat-dog-parrot --only semantic
  not measured: related words only (no thesaurus is given)
  not measured: other forms of all words (no stemmer is known (language: none))
explain all.jsonl --query 'cat unheard' --doc 2
  document 2 is not ranked: it contains no query term (cat), which no parameter of a model can change
explain all.jsonl --query unheard --doc 2
  document 2 is not ranked, and no other is, for this query: no document holds unheard
explain tied.jsonl --query cat --doc 2 -k 1 --model overlap
  1 and 2 have equal scores, and 1 comes first in the collection, under overlap
explain tied.jsonl --query 'cat dog' --doc 1 --model smart:Lnu.ltc
  not examined: weights (a text)
eval alike.jsonl --queries asked.tsv --qrels wanted.txt -m AP
  3 notes on queries and ties: --notes prints them
"""


def rows(table: str) -> list[tuple[str, list[str]]]:
    """The commands with what they say; a line that is indented by more belongs to the one before it."""
    found = re.findall(r"^(\S.*)\n((?:  .*\n)+)", table, flags=re.MULTILINE)
    return [
        (command, [flat(said) for said in re.split(r"^  (?! )", block, flags=re.M)[1:]]) for command, block in found
    ]


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = write_files(tmp_path_factory.mktemp("refused"), **FILES)
    done("index", folder / "pets", "-o", folder / "pets.idx", "--language", "english")
    done("index", folder / "one.jsonl", "-o", folder / "one.idx")
    done("index", folder / "all.jsonl", "-o", folder / "bare.idx", "--no-text")
    return folder


@pytest.mark.parametrize(("command", "said"), [pytest.param(*row, id=row[0]) for row in rows(TABLE)])
def test_it_is_refused_with_a_sentence(folder, monkeypatch, command, said):
    monkeypatch.chdir(folder)
    message = re.sub(r"\AUsage: .*\nTry .*\n\n", "", refused(*shlex.split(command)))
    assert [flat(message)] == said


@pytest.mark.parametrize(("command", "said"), [pytest.param(*row, id=row[0]) for row in rows(LINES)])
def test_the_line_is_printed(folder, monkeypatch, command, said):
    monkeypatch.chdir(folder)
    lines = [flat(line) for line in done(*shlex.split(command)).output.splitlines()]
    assert [line for line in said if line not in lines] == []
