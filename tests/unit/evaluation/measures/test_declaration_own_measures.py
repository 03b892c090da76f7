"""Measures of the user: functions in a file or in Python, evaluated, explained, compared and tuned like all others."""

import os

import numpy as np
import pytest
from shell import done, every_command, refusal

import toysearch
from toysearch import ToysearchError, evaluate, explain_measure
from toysearch.base import Qrels, Run
from toysearch.evaluation.measures.declaration import DECLARED, declared
from toysearch.evaluation.measures.definition import Parameter, Piece, Terms
from toysearch.evaluation.measures.measure import MEASURES, Measure, defined_measure

MINE = '''
import toysearch


def useful(grades, k):
    """The share of the first documents of grade 2."""
    return sum(grades >= 2) / (k or len(grades) or 1)


def dcg(grades, *, base=2.0):
    import numpy as np

    return grades / (np.log(np.arange(len(grades)) + 2) / np.log(base))


@toysearch.measure(better="lower", description="how many documents are not relevant")
def noise(hits):
    return float((~hits).sum())


def broken(grades):
    return 1 / 0


def strange(title):
    return 0
'''
RUN = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}, "2": {"c": 1.0, "a": 0.5}}
QRELS = {"1": {"a": 2, "b": 1, "d": 2}, "2": {"a": 3, "c": 0}}


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    before = dict(DECLARED)
    for name in before.keys() - MEASURES.keys():
        del DECLARED[name]
    yield tmp_path
    DECLARED.clear()
    DECLARED.update(before)


def test_a_function_in_a_file_is_a_measure(mine):
    found = evaluate(RUN, qrels=QRELS, measures="mine.py:useful@2 mine.py:dcg DCG mine.py:dcg(base=4)@2 mine.py:noise")
    first, second = found.per_query.values()
    assert first["mine.py:useful@2"] == second["mine.py:useful@2"] == 0.5
    assert first["mine.py:dcg"] == pytest.approx(first["DCG"])
    assert second["mine.py:dcg(base=4)@2"] == pytest.approx(2 * second["DCG"])
    assert (first["mine.py:noise"], second["mine.py:noise"]) == (1, 1)
    assert found.worst("mine.py:noise")[0] == ("1", 1)
    assert [str(measure) for measure in found.measures][3] == "mine.py:dcg(base=4)@2"


def test_in_python_by_a_decorator_and_as_a_lambda(mine):
    @toysearch.measure
    def patient(grades, *, p=0.9):
        return grades * p ** np.arange(len(grades))

    assert evaluate(RUN, qrels=QRELS, measures="patient(p=1)")["patient(p=1)"] == (3 + 3) / 2
    found = evaluate(RUN, qrels=QRELS, measures=["AP", patient, lambda grades: grades.max(), lambda R: R])
    assert list(found.means)[1:] == ["patient", "lambda1", "lambda2"]
    assert found["lambda1"] == 2.5
    assert found["lambda2"] == 2


def test_a_function_or_a_measure_alone_is_a_list_of_one(mine):
    def found_share(hits):
        return hits.mean()

    assert evaluate(RUN, QRELS, found_share).means == evaluate(RUN, QRELS, [found_share]).means
    assert evaluate(RUN, QRELS, Measure.parse("P@2")).means == evaluate(RUN, QRELS, "P@2").means


def test_a_function_of_the_joined_run_and_its_terms(mine):
    @toysearch.measure
    def share(joined):
        return Terms(Piece("found", joined.hits().sum(axis=1)), Piece("relevant", joined.n_relevant()))

    @toysearch.measure
    def same(joined):
        return joined.hits().sum(axis=1) / joined.n_relevant()

    for values in evaluate(RUN, qrels=QRELS, measures="share same R@100").per_query.values():
        assert values["share"] == values["same"] == values["R@100"]


def test_a_function_of_the_joined_run_may_take_a_cutoff(mine):
    @toysearch.measure
    def found(joined, cutoff=None, *, rel=1):
        return joined.hits(rel, cutoff).sum(axis=1)

    @toysearch.measure
    def found_above(joined, cutoff: int):
        return Terms(Piece("found", joined.hits(cutoff=cutoff).sum(axis=1)))

    measures = "found NumRelRet found(rel=2)@1 NumRelRet(rel=2)@1 found_above@2 NumRelRet@2"
    values = [*evaluate(RUN, qrels=QRELS, measures=measures).per_query["1"].values()]
    assert values[::2] == values[1::2] == [2, 1, 1]
    with pytest.raises(ToysearchError, match="found_above needs a cutoff, such as found_above@10"):
        evaluate(RUN, qrels=QRELS, measures="found_above")


def test_a_decorator_says_what_the_signature_does_not(mine):
    share = Parameter("the share of the highest grade that is enough", high=1)

    @toysearch.measure("enough", source="a thesis", range=(0.0, 1.0), undefined="no grade is known", share=share)
    def reaches_a_share(grades, ideal, *, share=0.5):
        """Whether any grade is high enough."""
        return float(grades.max() >= share * ideal.max())

    assert evaluate(RUN, qrels=QRELS, measures="enough enough(share=1)@1").per_query["1"] == {
        "enough": 1,
        "enough(share=1)@1": 1,
    }
    definition = defined_measure("enough")
    assert (definition.source, definition.range, definition.better) == ("a thesis", (0.0, 1.0), "higher")
    assert definition.parameters == {"share": share._replace(default=0.5)}
    assert definition.formula == "enough(grades, ideal)"
    with pytest.raises(ToysearchError, match="share must be a number from 0 to 1"):
        evaluate(RUN, qrels=QRELS, measures="enough(share=2)")


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"family": "rank"}, "unknown family 'rank'; did you mean 'ranked'?"),
        (
            {"family": "ranked", "formula": "1", "weight": Parameter("")},
            "measure 'made' has no source; write @measure(source='…')",
        ),
        (
            {"family": "ranked", "formula": "1", "source": "me"},
            "measure 'made' does not describe weight; write @measure(weight=Parameter('…'))",
        ),
        ({"cutoff": "needed"}, "a measure has no fact 'cutoff'. Facts of a measure: description, family, formula, "),
        ({"sourze": "me"}, "a measure has no fact 'sourze'; did you mean 'source'?"),
        (
            {"wieght": Parameter("")},
            "made has no parameter 'wieght'; did you mean 'weight'? Parameters of made: weight",
        ),
    ],
)
def test_a_declaration_that_is_incomplete_says_what_to_write(facts, message):
    def made(joined, weight=1.0):
        "Something."
        return joined.hits().sum(axis=1)

    with pytest.raises(ToysearchError) as error:
        toysearch.measure(**facts)(made)
    assert str(error.value).startswith(message)


def test_a_measure_of_a_family_needs_a_description():
    with pytest.raises(ToysearchError) as error:
        toysearch.measure("made", family="ranked", formula="1", source="me")(lambda joined: joined.hits().sum(axis=1))
    assert str(error.value) == "measure 'made' has no description; write it as the first line of the docstring"


def test_what_each_rank_adds_explains_the_value(mine):
    run, qrels = Run.from_dict(RUN), Qrels.from_dict(QRELS)
    result = evaluate(run, qrels, "mine.py:dcg mine.py:useful")
    why = explain_measure(run, qrels, result, "mine.py:dcg", "2")
    assert why.arithmetic == "mine.py:dcg = 1.892789 = 1.892789" or why.arithmetic == "mine.py:dcg = 1.892789"
    assert [row.quantities.get("term") for row in why.ranking] == pytest.approx([0, 3 / np.log2(3)])
    assert explain_measure(run, qrels, result, "mine.py:useful", "1").value == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.py:useful", "none.py: there is no such file; a measure of your own is given as FILE.py:NAME"),
        ("mine.py:broken", "broken: {path}:22: ZeroDivisionError: division by zero"),
        (
            "mine.py:strange",
            "strange: a measure takes grades, hits, judged, ideal, R, k and joined, and parameters with a default, "
            "not 'title'",
        ),
        ("mine.py:useful(x=1)", "mine.py:useful takes no parameters; 'x' was given"),
    ],
)
def test_what_cannot_be_a_measure_is_refused(mine, name, message):
    with pytest.raises(ToysearchError) as error:
        evaluate(RUN, qrels=QRELS, measures=name)
    assert str(error.value) == message.format(path=mine / "mine.py")


NOT_NUMBERS = {
    "None": "returned None (is a return missing?)",
    "'many'": "returned a text",
    "'0.5'": "returned a text",
    "10**400": "returned a number beyond 64 bits",
    "1j": "returned a complex number",
    "{1}": "returned a set",
    "(0.5 for _ in range(2))": "returned a generator",
    "[None, 1]": "returned a list with None",
    "['a', 'b']": "returned texts",
    "[10**400, 1]": "returned a number beyond 64 bits",
    "[[1], [2, 3]]": "returned a list of lists",
}
"""What a function may return by mistake, and how it is named."""
OF_RANKS = {
    "[1, 2, 3, 4]": "returned 4 numbers for the 3 ranks of query '1'",
    "[]": "returned 0 numbers for the 3 ranks of query '1'",
    "[[1, 2], [3, 4]]": "returned an array of shape (2, 2) for the 3 ranks of query '1'",
    "float('inf')": "gives inf for query '1'",
    "[0, float('inf'), 0]": "gives inf for rank 2 of query '1'",
    "[0, 0, float('nan')]": "gives nan for rank 3 of query '1'",
    "float('nan')": "gives nan for every query",
}
OF_QUERIES = {
    "0.5": "returned one number for 2 queries",
    "[1, 2, 3]": "returned 3 numbers for 2 queries",
    "[[1, 2], [3, 4]]": "returned an array of shape (2, 2) for 2 queries",
    "[0, float('inf')]": "gives inf for query '2'",
    "[float('nan')] * 2": "gives nan for every query",
}
RETURNS = [
    *(("hits", returned, problem) for returned, problem in {**NOT_NUMBERS, **OF_RANKS}.items()),
    *(("joined", returned, problem) for returned, problem in {**NOT_NUMBERS, **OF_QUERIES}.items()),
]
ENDS = {
    "hits": ("one number, or one for each rank", "must be a finite number", "or NaN where it is not defined"),
    "joined": (
        "one number for each query, or Terms of toysearch.evaluation.measures.definition",
        "or NaN where it is not defined",
    ),
}


@pytest.mark.parametrize(("takes", "returned", "problem"), RETURNS)
def test_what_is_no_value_is_refused_in_python_and_in_a_shell(mine, takes, returned, problem):
    (mine / "odd.py").write_text(f"def odd({takes}):\n    return {returned}\n")
    with pytest.raises(ToysearchError) as error:
        evaluate(RUN, qrels=QRELS, measures=[eval(f"lambda {takes}: {returned}")])
    assert str(error.value).startswith(f"measure 'lambda1' {problem}; ")
    assert str(error.value).endswith(ENDS[takes])
    toysearch.write_run(Run.from_dict(RUN), "a.run")
    toysearch.write_qrels(Qrels.from_dict(QRELS), "q.txt")
    name = "odd.py:odd" if "every query" in problem else "odd"
    printed = refusal("eval", "a.run", "--qrels", "q.txt", "-m", "odd.py:odd")
    assert f"measure '{name}' {problem}; " in printed
    assert printed.endswith(ENDS[takes])


@pytest.mark.parametrize("returned", [returned for returned in NOT_NUMBERS if "for" not in returned])
def test_a_model_and_a_measure_name_it_alike(mine, returned):
    function = eval(f"lambda tf: {returned}")
    with pytest.raises(ToysearchError) as error:
        toysearch.Searcher("cat-dog-parrot", function).search("cat")
    listed = returned == "[[1], [2, 3]]"  # numpy refuses it inside the call
    assert ("inhomogeneous" if listed else NOT_NUMBERS[returned] + "; ") in str(error.value)


def test_queries_without_a_value_are_named(mine):
    found = evaluate(RUN, qrels=QRELS, measures=[lambda R: np.nan if R > 1 else 0.5])
    assert found.remarks == ["1 of 2 queries has no value of lambda1 and scores 0: 1"]
    assert found["lambda1"] == 0.25
    found = evaluate(RUN, qrels=QRELS, measures=[lambda R: np.nan], undefined="nan")
    assert found.remarks == ["2 of 2 queries have no value of lambda2 and are left out of its mean: 1, 2"]


@pytest.mark.parametrize("default", ["", "=None", "=7", "=(1, 2)"])
def test_what_a_measure_takes_keeps_its_meaning_with_a_default(mine, default):
    """In any place, and by keyword alone."""
    takes = {"grades": [2.0, 0.0], "hits": [True, False], "judged": [True, False], "ideal": [2.0, 2.0, 1.0], "R": 3}
    for key, expected in {**takes, "k": 2}.items():
        for head in [f"{key}{default}", f"*, {key}{default}", *[f"p=0.5, {key}{default}, q=None"] * bool(default)]:
            seen: list[object] = []
            declared(eval(f"lambda {head}: seen.append({key}) or 0.5", {"seen": seen}))
            evaluate({"1": RUN["1"]}, {"1": QRELS["1"]}, list(DECLARED)[-1] + "@2")
            assert [np.asarray(value).tolist() for value in seen] == [expected]


def test_without_a_cutoff_k_is_its_default(mine):
    found = evaluate(RUN, qrels=QRELS, measures=[lambda hits, k=10: hits.sum() / k, lambda k=None: float(k is None)])
    assert (found["lambda1"], found["lambda2"]) == (pytest.approx(0.15), 1)


@pytest.mark.parametrize(
    ("default", "given", "expected"),
    [
        *(("None", "", "None"), ("None", "(p=2)", "2.0"), ("'slow'", "", "slow"), ("'slow'", "(p=quick)", "quick")),
        *(("'slow'", "(p='so so')", "so so"), ("True", "(p=false)", "False"), ("3", "(p=4)", "4.0"), ("3", "", "3")),
        *(("(1, 2)", "", "(1, 2)"), ("print", "", str(print)), ("10**400", "", str(10**400))),
    ],
)
def test_a_parameter_may_have_any_default(mine, default, given, expected):
    (mine / "any.py").write_text(
        f"SEEN = []\ndef any(hits, p={default}):\n    assert str(p) == {expected!r}\n    return 1\n"
    )
    assert evaluate(RUN, qrels=QRELS, measures=f"any.py:any{given}").means == {f"any.py:any{written(given)}": 1}


def written(given):
    """The parameter in the text form of a measure."""
    return {"(p=quick)": "(p='quick')", "(p=false)": "(p=False)"}.get(given, given)


def test_a_default_that_cannot_be_written_cannot_be_given(mine):
    (mine / "any.py").write_text("def any(hits, p=(1, 2)):\n    return 1\n")
    assert refusal("eval", "cat-dog-parrot", "-m", "any.py:any(p=3)").endswith("takes no parameters; 'p' was given")


def test_functions_are_named_where_one_is_missing(mine):
    assert refusal("eval", "cat-dog-parrot", "-m", "mine.py:usefull").endswith(
        "Functions of mine.py: useful, dcg, noise, broken, strange"
    )


OWN = "mine.py:useful@2"
TWO = ["cat-dog-parrot", "--model", "bm25", "--model", "dice"]
LINES = {
    "eval": ["cat-dog-parrot"],
    "score": ["R R I", "--relevant", "3"],
    "eval --convention all": ["cat-dog-parrot"],
    "compare": TWO,
    "diff": TWO,
    "report": [*TWO, "-o", "r.html"],
    "report --chart": ["queries", *TWO, "-o", "p.svg"],
    "tune": ["cat-dog-parrot", "--grid", "k1=1:2:1", "--folds", "2"],
    "ablate": ["cat-dog-parrot"],
    "robustness": ["cat-dog-parrot", "--only", "spelling"],
    "compare --by": ["length", *TWO],
    "learn": ["cat-dog-parrot", "--learner", "logistic", "-o", "ranker"],
    "judge rejudge": [*TWO, "--by", "q.txt"],
}


@pytest.mark.system
def test_every_command_that_takes_measures_is_tried():
    taking = {name for name, command in every_command() if any("-m" in option.opts for option in command.params)}
    assert taking - {"serve"} == {name.partition(" --")[0] for name in LINES}  # a page is asked in test_page


@pytest.mark.system
@pytest.mark.parametrize("name", LINES)
def test_every_command_takes_it(mine, name):
    (mine / "rank.py").write_text("def rank(tf):\n    return tf\n")
    write_files()
    printed = done(*name.split(), *LINES[name], "-m", OWN).output
    if name == "report":
        printed = (mine / "r.html").read_text()
    elif name == "report --chart":
        printed = (mine / "p.svg").read_text()
    assert "useful" in printed


def write_files():
    pets = toysearch.load("cat-dog-parrot")
    toysearch.write_qrels(pets.qrels, "q.txt")
    toysearch.write_run(toysearch.Searcher(pets).run(pets.queries), "a.run")


@pytest.mark.system
def test_bounds_need_to_know_how_a_measure_changes_with_a_grade(mine):
    write_files()
    message = f"{OWN} has no bounds over the unjudged documents"
    assert message in refusal("eval", "a.run", "--qrels", "q.txt", "--bounds", "-m", OWN)


def test_a_gate_finds_it_beside_its_file(mine):
    (mine / "there").mkdir()
    (mine / "mine.py").rename(mine / "there" / "mine.py")
    lines = ['collection = "cat-dog-parrot"', "[[expect]]", f'measure = "{OWN}"', "at_least = 0"]
    (mine / "there" / "relevance.toml").write_text("\n".join(lines))
    place = os.path.join("there", "mine.py")
    assert f"{place}:useful@2 of bm25 on cat-dog-parrot is at least 0" in done("gate", "there/relevance.toml").output
