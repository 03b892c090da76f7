"""The pages of measures and models: a typeset formula, an example worked by toysearch itself, curves, and facts.

Everything that changes with the code is computed when the site is built; formulas.toml adds what no registry knows.
"""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from curves import Curve, figure
from latex2mathml.converter import convert

import toysearch
from toysearch.base import without_notes
from toysearch.evaluation.measures.measure import MEASURES, measure_facts, measure_form
from toysearch.laboratory import expressed_data, expressed_text
from toysearch.models.composed_models import COMPOSED, STAGES, WRAPPERS
from toysearch.models.model import Model, public_name, value_text
from toysearch.models.registry import MODELS
from toysearch.models.weight_curve import weight_curve

FORMULAS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("formulas.toml").read_text(encoding="utf-8")
)
SECTIONS = ("Formula", "Worked by hand", "Curve", "Range", "When it misleads", "Papers", "Names in other tools")
QUERY = "removing a tick"
DOCUMENT = "p057"
RANKING = "3 0 2 U 1 0"
JUDGED = "3 2 2 1 1 0 0 0"
DEPTH = 20


def measure_pages() -> dict[str, str]:
    """Name → page of each measure."""
    return {name: _measure_page(name) for name in MEASURES}


def model_pages() -> dict[str, str]:
    """Name → page of each model, wrapper, and model of vectors."""
    return {name: _model_page(name) for name in [*MODELS, *COMPOSED]}


def mathml(tex: str) -> str:
    """A formula as one line of MathML; the letters of a word stand together."""
    markup = convert(tex, display="block")
    letters = re.compile(r'(?:<mi mathvariant="\w+">[^<]</mi>){2,}')
    return letters.sub(lambda word: f"<mi>{re.sub('<[^>]*>', '', word[0])}</mi>", markup)


def formula(tex: str) -> str:
    """A formula on a line of its own."""
    return f'<div class="formula" tabindex="0">{mathml(tex)}</div>\n'


def _page(title: str, summary: str, contents: dict[str, str]) -> str:
    assert all(contents[section].strip() for section in SECTIONS), title
    parts = [f"# {title}\n\n{summary}\n"]
    parts += [f"\n## {section}\n\n{contents[section].strip()}\n" for section in SECTIONS]
    return "".join(parts)


# Measures


def _measure_page(name: str) -> str:
    definition, facts, entry = MEASURES[name], measure_facts(name), FORMULAS["measures"][name]
    measure = _example(name)
    typed = toysearch.typed_ranking(RANKING, judged=JUDGED)
    value = toysearch.evaluate(typed.run, typed.qrels, measure)
    why = toysearch.explain_measure(typed.run, typed.qrels, value, measure, "typed")
    worked = (
        f"The ranking has the grades `{RANKING}` (U: unjudged), and the judgments are `{JUDGED}`:\n\n"
        f"```text\n{why.arithmetic}\n```\n\n"
        f'`toysearch score "{RANKING}" --judged "{JUDGED}" --explain "{measure}"` shows it rank by rank.'
    )
    labels = ("range", "perfect ranking", "order", "cutoff", "undefined", "over all queries")
    span = [f"- {label}: {facts[label]}" for label in labels]
    if definition.parameters:
        span += ["", "| parameter | default | takes | what it is |", "| --- | --- | --- | --- |"]
        for key, parameter in definition.parameters.items():
            cells = (f"`{key}`", parameter.shown_default, parameter.takes, parameter.description)
            span.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    names = "\n".join(f"- {tool}: {theirs}" for tool, theirs in entry.get("names", {}).items())
    others = facts["other names"]
    read = "toysearch knows no other name of it." if others == "none" else f"toysearch also reads {others}."
    return _page(
        name,
        f"`{measure_form(name)}`: {definition.description}.",
        {
            "Formula": f"{formula(entry['tex'])}\nAs `toysearch measures {name}` writes it: `{facts['formula']}`. The "
            "letters are those of [all measures](../measures.md).",
            "Worked by hand": worked,
            "Curve": _measure_curves(name),
            "Range": "\n".join(span),
            "When it misleads": entry["misleads"],
            "Papers": f"{facts['source']}.",
            "Names in other tools": f"{names}\n\n{read}",
        },
    )


def _example(name: str, cutoff: int = 5) -> str:
    """A measure with what it needs: a size of the collection, a cutoff, a level of recall."""
    definition = MEASURES[name]
    needed = "(N=100)" if "N" in definition.needs else ""
    ends = {"needed": f"@{cutoff}", "recall": "@0.4"}
    return f"{name}{needed}{ends.get(definition.cutoff, '')}"


def _measure_curves(name: str) -> str:
    """The measure against the rank of a single relevant document, and against the number of relevant ones."""
    measure = _example(name, 10)
    incomplete = MEASURES[name].family == "incomplete" or name in ("RBPres", "EUres")
    other = "U" if incomplete else "I"
    values = _values(other)[measure]
    curves = [
        Curve("rank of the only relevant document", range(1, DEPTH + 1), values[:DEPTH]),
        Curve("relevant documents at the top, of 20", range(DEPTH + 1), values[DEPTH:]),
    ]
    kind = "unjudged" if incomplete else "judged not relevant"
    return f"{figure(measure, curves)}\n`{measure}` of {DEPTH} documents; those that are not relevant are {kind}."


@cache
def _values(other: str) -> dict[str, list[float]]:
    """Each measure for a relevant document at each rank, then for each number of relevant documents at the top."""
    rankings = [("".join("R" if rank == place else other for rank in range(DEPTH)), 1) for place in range(DEPTH)]
    rankings += [("R" * count + other * (DEPTH - count), DEPTH) for count in range(DEPTH + 1)]
    runs, qrels = {}, {}
    for number, (signs, relevant) in enumerate(rankings):
        typed = toysearch.typed_ranking(signs, relevant=relevant)
        runs[str(number)] = dict(typed.run["typed"])
        qrels[str(number)] = typed.qrels["typed"]
    run = toysearch.Run.from_dict(runs)
    with without_notes():
        evaluation = toysearch.evaluate(
            run, toysearch.Qrels.from_dict(qrels), [_example(name, 10) for name in MEASURES]
        )
    return {
        str(measure): [evaluation.per_query[str(number)][str(measure)] for number in range(len(rankings))]
        for measure in evaluation.measures
    }


# Models


@cache
def _index() -> toysearch.Index:
    """Companions with its fields apart, with positions and topics, so that every model can be explained."""
    collection = toysearch.load("companions")
    analyzer = toysearch.Analyzer.for_language("english")
    return toysearch.Index.build(collection, analyzer, fields=collection.searched_fields, positions=True, lsa=50)


def _model_page(name: str) -> str:
    entry = FORMULAS["models"][name]
    spelled = {"lsa": "lsa:50", ">>": "bm25 >> lsa:50"}
    model = f"{name}(bm25)" if name in {*WRAPPERS, *STAGES} else spelled.get(name, name)
    summary, papers = _summary(name)
    pieces = [formula(entry["tex"])] if "tex" in entry else []
    if name in ("dense", "impact", "learned"):  # they rank by files of the user
        worked = (
            f"{COMPOSED[name].formula} It needs files of your own, as in `toysearch search my-index "
            f"\"tick\" --model '{COMPOSED[name].example}'`, and `--explain` shows the parts of each score."
        )
        curve = "A score of this model is that of your files, so there is no curve to draw in advance."
    else:
        searcher = toysearch.Searcher(_index(), model)
        terms = searcher.terms(QUERY)
        why = toysearch.explain(searcher, terms, DOCUMENT)
        pieces += _code(expressed_data(why, searcher, terms))
        rank = 1 + [hit.doc_id for hit in searcher.search(QUERY, k=400)].index(DOCUMENT)
        lines = "\n".join(expressed_text(rank, why, searcher, terms))
        worked = (
            f"Document {DOCUMENT} of companions for the query *{QUERY}*:\n\n```text\n{lines.strip()}\n```\n\n"
            f"`toysearch explain companions {DOCUMENT} --query \"{QUERY}\" --model '{model}'` explains it further."
        )
        curve = _weight_curves(MODELS[name]) if name in MODELS else _score_curve(name, searcher)
    return _page(
        name,
        summary,
        {
            "Formula": "\n".join(pieces),
            "Worked by hand": worked,
            "Curve": curve,
            "Range": f"Scores: {entry['range']}.\n\n{_parameters(name)}",
            "When it misleads": entry["misleads"],
            "Papers": papers,
            "Names in other tools": "\n".join(f"- {tool}: {alias}" for tool, alias in entry["names"].items()),
        },
    )


def _summary(name: str) -> tuple[str, str]:
    """What a model is, and its sources."""
    if name in COMPOSED:
        composed = COMPOSED[name]
        return f"`{composed.form}`: {composed.summary} {composed.formula}", composed.source
    text = inspect.getdoc(MODELS[name]) or ""
    head = re.split(r"\n\n(?=Parameters\n-|References\n-)", text)[0]
    papers = re.search(r"References\n-+\n(.*?)(?:\n\n|\Z)", text, re.DOTALL)
    assert papers is not None, name
    escaped = re.sub(r"``([^`]*)``", r"`\1`", head).replace("|", "\\|").replace("*", "\\*")
    return escaped, "- " + papers[1].strip().replace(".\n", ".\n- ")


def _parameters(name: str) -> str:
    """The parameters of a model as a table."""
    if name in COMPOSED:
        rows = [(setting.name, setting.default, setting.range) for setting in COMPOSED[name].settings]
    else:
        rows = [
            (public_name(parameter), value_text(default), span)
            for parameter, _, default, span in MODELS[name].describe_parameters()
        ]
    if not rows:
        return "It has no parameter."
    lines = ["| parameter | default | range |", "| --- | --- | --- |"]
    return "\n".join(
        [*lines, *(f"| `{parameter}` | {default or '–'} | {span or '–'} |" for parameter, default, span in rows)]
    )


def _code(explanation: dict[str, Any]) -> list[str]:
    """The lines of the code of a model, typeset."""
    term = next((part for part in explanation["parts"] if part.get("kind") == "term"), {})
    lines = [*explanation.get("expressions", []), *term.get("expressions", [])]
    for part in explanation["parts"]:
        if part.get("kind") != "term":
            lines += part.get("expressions", [])
    equations = [tex for line in lines if (tex := _typeset(line["name"], line["formula"]))]
    return ["As the code of the model computes it:\n", *map(formula, dict.fromkeys(equations))] if equations else []


def _weight_curves(model: Model) -> str:
    at = {"average_idf": 5.0} if model.name == "bm25-okapi" else {}
    curves = []
    for along, words in (("tf", "tf, occurrences"), ("dl", "dl, length in terms"), ("df", "df, documents")):
        points = weight_curve(model, along, at)
        curves.append(Curve(words, points.values, points.weights, logarithmic=along != "tf"))
    return (
        f"{figure(f'weight of a term under {model.name}', curves)}\n"
        "One statistic changes; the others are tf 2, dl 100, df 14, N 1400, avgdl 100. "
        f"`toysearch models {model.name} --curve tf` prints the points."
    )


def _score_curve(name: str, searcher: toysearch.Searcher) -> str:
    """The scores of the first documents, with those of BM25 for comparison."""
    curves = []
    for label, ranker in ((str(searcher.model), searcher), ("bm25", toysearch.Searcher(_index(), "bm25"))):
        scores = [hit.score for hit in ranker.search(QUERY, k=DEPTH)]
        curves.append(Curve(f"rank under {label}", np.arange(1, len(scores) + 1), scores))
    return (
        f"{figure(f'score by rank under {name}', curves)}\nScores of the first documents of companions for *{QUERY}*."
    )


# Expressions as TeX

GREEK = {"mu": r"\mu", "lambda": r"\lambda", "delta": r"\delta", "epsilon": r"\epsilon", "alpha": r"\alpha"}
GREEK |= {"beta": r"\beta", "pi": r"\pi", "LOG2E": r"\log_2 e"}
FUNCTIONS = {"ln": r"\ln", "log2": r"\log_2", "exp": r"\exp", "log": r"\log", "min": r"\min", "max": r"\max"}


def _typeset(name: str, text: str) -> str | None:
    """An equation of an explanation as TeX; None for what is no expression."""
    for sign, python in {"·": "*", "−": "-", "²": "**2", "√(": "sqrt(", "^": "**", "Σ ": "SUM *"}.items():
        text = text.replace(sign, python)
    text = re.sub(r"\blambda\b", "lambda_", re.sub(r"(?<=\d)(?=[a-z])", "*", text))
    try:
        return f"{_name(name)} = {_tex(ast.parse(text, mode='eval').body)}"
    except (SyntaxError, NotImplementedError):
        return None


def _name(name: str) -> str:
    plain = name.removesuffix("_")
    if plain in GREEK:
        return GREEK[plain]
    letters = re.fullmatch(r"([a-zA-Z])(\d)?", plain)
    if letters:
        return plain if not letters[2] else f"{letters[1]}_{letters[2]}"
    word = plain.replace("_", r"\text{-}")
    return rf"\mathit{{{word}}}"


def _tex(node: ast.expr, level: int = 0) -> str:
    """An expression as TeX; brackets where a part binds weaker than its surroundings."""
    match node:
        case ast.Constant(value=float() | int() as value):
            return r"\ln 2" if value == 0.693147 else f"{value:g}"
        case ast.Name(id="SUM"):
            return r"\sum"
        case ast.Name(id=name):
            return _name(name)
        case ast.Call(func=ast.Name(id="sqrt"), args=[inside]):
            return rf"\sqrt{{{_tex(inside)}}}"
        case ast.Call(func=ast.Name(id=function), args=arguments) if function in FUNCTIONS:
            return rf"{FUNCTIONS[function]} \left( {', '.join(map(_tex, arguments))} \right)"
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _bracketed(f"-{_tex(operand, 2)}", level > 1)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return rf"\frac{{{_tex(left)}}}{{{_tex(right)}}}"
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return f"{{{_tex(left, 3)}}}^{{{_tex(right)}}}"
        case ast.BinOp(left=ast.Name(id="SUM"), op=ast.Mult(), right=right):
            return rf"\sum {_tex(right, 2)}"
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _bracketed(rf"{_tex(left, 2)} \cdot {_tex(right, 2)}", level > 2)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _bracketed(f"{_tex(left, 1)} + {_tex(right, 1)}", level > 1)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _bracketed(f"{_tex(left, 1)} - {_tex(right, 2)}", level > 1)
    raise NotImplementedError(ast.dump(node))


def _bracketed(text: str, needed: bool) -> str:
    return rf"\left( {text} \right)" if needed else text


def pages() -> Iterator[tuple[str, str, str]]:
    """The folder, name and text of each page."""
    for name, text in measure_pages().items():
        yield "measures", name, text
    for name, text in model_pages().items():
        yield "models", name, text
