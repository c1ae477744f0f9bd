"""``detectable compare`` says what the library says."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from detectable.data.example.bundled import example_corpus
from detectable.data.scores.scores import Scores
from detectable.study.comparison.compare import compare
from tests.helpers import reference_data
from tests.kernels.engines import engine


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture
def texts(tmp_path: Path) -> dict[str, Path]:
    """Write the bundled example as a user would have it."""
    corpus = example_corpus()
    files = {"ref": tmp_path / "ref.txt", "docs": tmp_path / "docs.txt"}
    files["ref"].write_text("\n".join(str(line) for line in corpus.references[0]) + "\n")
    files["docs"].write_text("\n".join(corpus.documents or ()) + "\n")
    for name, runs in corpus.systems.items():
        for index, lines in enumerate(runs):
            files[f"{name}{index}"] = tmp_path / f"{name}.{index}.txt"
            files[f"{name}{index}"].write_text("\n".join(lines) + "\n")
    return files


def _options(texts: dict[str, Path]) -> list[object]:
    runs = {
        s: ",".join(str(texts[f"{s}{i}"]) for i in range(3)) for s in ("baseline", "contender")
    }
    options: list[object] = ["--refs", texts["ref"], "--documents", texts["docs"]]
    for name, files in runs.items():
        options += ["--system", f"{name}={files}"]
    return [*options, "--baseline", "baseline", "--resamples", 500, "--seed", 1]


def test_json_equals_the_library_result(texts: dict[str, Path]) -> None:
    out = run("compare", *_options(texts), "--metric", "bleu", "--metric", "ter", "--json")
    assert out.exit_code == 0, out.output
    expected = compare(
        example_corpus(), ("bleu", "ter"), baseline="baseline", rng=1, n_resamples=500
    )
    assert json.loads(out.stdout) == json.loads(json.dumps(expected.to_dict()))


def test_text_begins_with_the_verdict(texts: dict[str, Path]) -> None:
    out = run("compare", *_options(texts))
    assert out.exit_code == 0, out.output
    assert out.stdout.startswith(
        "contender is better than baseline: +2.85 BLEU.\n95% interval ["
    )
    assert "# compare|metrics:bleu[" in out.stderr


def test_tables_fit_a_terminal(texts: dict[str, Path]) -> None:
    out = run("compare", *_options(texts), "--examples", 0)
    wide = [line for line in out.stdout.splitlines()[3:] if len(line) > 80]
    assert wide == []


def test_settings_of_metrics(texts: dict[str, Path]) -> None:
    out = run(
        "compare",
        *_options(texts),
        *("--metric", "bleu:smooth=floor,smooth_value=0.2,effective_order=yes"),
        *("--metric", "gtm:exponent=2", "--tokenize", "none", "--lowercase", "--json"),
    )
    assert out.exit_code == 0, out.output
    signatures = {m["metric"]: m["signature"] for m in json.loads(out.stdout)["metrics"]}
    assert signatures["bleu"].startswith("case:lc|eff:yes|tok:none|smooth:floor[0.20]")
    assert "tok:none" in signatures["gtm"]


def test_a_table_of_scores_with_documents(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=60).round(3), rng.normal(0.3, 1.0, 60).round(3)
    table = tmp_path / "table.csv"
    rows = [f"{x},{y},d{i // 6}" for i, (x, y) in enumerate(zip(a, b, strict=True))]
    table.write_text("A,B,document\n" + "\n".join(rows) + "\n")
    out = run("compare", "--scores", table, "--baseline", "A", "--seed", 4, "--json")
    assert out.exit_code == 0, out.output
    scores = Scores.build({"A": a, "B": b}, documents=[f"d{i // 6}" for i in range(60)])
    expected = compare(scores, baseline="A", rng=4).to_dict()
    found = json.loads(out.stdout)
    assert found["unit"] == "document"
    assert found["pairs"] == json.loads(json.dumps(expected["pairs"]))


def test_files_are_written_whole_and_never_overwritten_unasked(
    texts: dict[str, Path], tmp_path: Path
) -> None:
    files = {kind: tmp_path / f"out.{kind}" for kind in ("csv", "latex", "html")}
    options = [part for kind, path in files.items() for part in (f"--{kind}", path)]
    assert run("compare", *_options(texts), *options).exit_code == 0
    assert files["csv"].read_text().startswith("metric,system,baseline,difference")
    assert files["html"].read_text().startswith("<!doctype html>")
    again = run("compare", *_options(texts), *options)
    assert again.exit_code == 1
    assert "out.latex exists already. Choose another name, or add --force." in again.stderr
    assert run("compare", *_options(texts), *options, "--force").exit_code == 0
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".out")]


def test_a_file_that_cannot_be_written_is_one_line(
    texts: dict[str, Path], tmp_path: Path
) -> None:
    out = run("compare", *_options(texts), "--csv", tmp_path / "no" / "out.csv")
    assert out.exit_code == 1
    assert "out.csv cannot be written: No such file or directory." in out.stderr


def test_a_copy_is_undecided_and_warned_about(texts: dict[str, Path]) -> None:
    out = run(
        *("compare", "--refs", texts["ref"], "--system", f"A={texts['baseline0']}"),
        *("--system", f"B={texts['baseline0']}", "--baseline", "A", "--json", "--seed", 1),
    )
    assert out.exit_code == 0, out.output
    pair = json.loads(out.stdout)["pairs"][0]
    assert (pair["p_value"], pair["verdict"]) == (1.0, "undecided")
    assert "Note: " in out.stderr
    assert "identical" in out.stderr


def test_margin_effect_and_dev_scores(texts: dict[str, Path]) -> None:
    out = run(
        *("compare", *_options(texts), "--metric", "bleu", "--metric", "chrf"),
        *("--margin", "bleu=30", "--effect", "chrf=0.5", "--runs", "fixed", "--json"),
        *("--dev-scores", "contender=1,2,3", "--dev-metric", "bleu"),
    )
    assert out.exit_code == 0, out.output
    found = json.loads(out.stdout)
    by_metric = {pair["metric"]: pair for pair in found["pairs"]}
    assert by_metric["bleu"]["verdict"] == "equivalent"
    assert by_metric["chrf"]["units_needed"] > 40
    known = {(row["system"], row["metric"]): row["s_dev"] for row in found["systems"]}
    assert known.pop(("contender", "bleu")) == 1.0  # the metric that was tuned, and no other
    assert set(known.values()) == {None}


def test_dev_scores_of_each_metric_in_files(texts: dict[str, Path], tmp_path: Path) -> None:
    dev = tmp_path / "dev.txt"
    dev.write_text("1.5\n2.5\n3.5\n", encoding="utf-8")
    out = run(
        *("compare", *_options(texts), "--metric", "bleu", "--metric", "chrf", "--json"),
        *("--dev-scores", f"bleu:contender={dev}", "--dev-scores", "chrf:contender=1,3,5"),
    )
    assert out.exit_code == 0, out.output
    known = {
        (row["system"], row["metric"]): row["s_dev"]
        for row in json.loads(out.stdout)["systems"]
    }
    assert (known.pop(("contender", "bleu")), known.pop(("contender", "chrf"))) == (1.0, 2.0)
    assert set(known.values()) == {None}
    dev.write_text("1.5\nhigh\n3.5\n", encoding="utf-8")
    asked = ("compare", *_options(texts), "--metric", "bleu", "--dev-scores")
    wrong = run(*asked, f"contender={dev}")
    assert (wrong.exit_code, "--dev-scores takes a number; got 'high'." in wrong.output) == (
        2,
        True,
    )
    twice = run(*asked, "contender=1,2,3", "--dev-scores", "contender=1,2,3")
    assert (twice.exit_code, "two --dev-scores are of 'contender'" in twice.output) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "give --refs and --system for text files, or --corpus, or --scores."),
        (("--refs", "r.txt"), 2, "give --refs and --system"),
        (
            ("--refs", "r.txt", "--system", "out.txt"),
            2,
            "--system takes name=value; got 'out.txt'",
        ),
        (("--scores", "s.csv", "--corpus", "c.tsv"), 2, "--scores beside texts takes name="),
        (("--scores", "s.csv", "--refs", "r"), 2, "--scores beside texts takes name="),
        (("--corpus", "c.tsv", "--sources", "s"), 2, "--sources has no effect on --corpus."),
        (
            ("--refs", "r", "--system", "a=b", "--column", "item=id"),
            2,
            "--column has no effect on texts. Drop it.",
        ),
        (("--corpus", "c.tsv", "--column", "item=id"), 2, "--column has no effect on texts."),
        (
            ("--scores", "s.csv", "--column", "rater=who"),
            2,
            "takes role=name, with role one of system, item, score, document, task, run, sample, metric, original_language, slice; got "
            "'rater=who'",
        ),
        (("--scores", "no.csv"), 1, "no.csv"),
        (("--corpus", "what.docx"), 1, "cannot tell the format of a corpus from its name"),
        (("--refs", "no.txt", "--system", "A=b.txt"), 1, "b.txt"),
        (("--scores", "s.csv", "--margin", "x"), 2, "--margin takes a number; got 'x'."),
        (("--scores", "s.csv", "--metric", "bleu:tok"), 2, "write settings as key=value"),
        (("--scores", "s.csv", "--metric", "bleu:lowercase=x"), 2, "'x' must be yes or no"),
        (("--scores", "s.csv", "--metric", "bleu:max_order=x"), 2, "'x' must be a number"),
        (
            ("--scores", "s.csv", "--metric", "mean", "--tokenize", "13a"),
            2,
            "--tokenize has no",
        ),
        (("--scores", "s.csv", "--metric", "blue"), 1, "Did you mean 'bleu'?"),
        (("--scores", "s.csv", "--metric", "bleu:colour=1"), 1, "has no setting 'colour'"),
    ],
    ids=lambda x: str(x)[:50],
)
def test_bad_input_is_one_clear_line(
    arguments: tuple[str, ...], code: int, message: str
) -> None:
    out = run("compare", *arguments)
    assert out.exit_code == code
    assert out.stdout == ""
    assert message in " ".join(out.stderr.split())
    assert "Traceback" not in out.stderr


@pytest.fixture(scope="module")
def gold() -> dict[str, Any]:
    """Return what MultEval prints on its own example (gold/multeval.json)."""
    content = json.loads(reference_data("gold", "multeval.json").read_text())
    example: dict[str, Any] = content["full_example_2489_segs_3runs"]
    return example


def multeval(*systems: str) -> list[object]:
    folder = reference_data("data", "multeval")
    given: list[object] = ["compare", "--refs", folder / "refs.test2010.lc.tok.en.0"]
    for name, stem in (("baseline", "baseline"), *((s, s) for s in systems)):
        stem = "baseline" if stem == "copy" else stem
        files = ",".join(f"{folder}/hyps.lc.tok.en.{stem}.opt{i}" for i in range(3))
        given += ["--system", f"{name}={files}"]
    given += ["--baseline", "baseline", "--tokenize", "none", "--seed", 1, "--json"]
    return [*given, "--metric", "bleu", "--metric", "ter", "--metric", "length"]


@pytest.mark.golden
def test_scores_and_spreads_equal_multevals(gold: dict[str, Any]) -> None:
    found = json.loads(run(*multeval("sys1")).stdout)
    names = {"baseline": "baseline", "sys1": "system 1"}
    metrics = {"bleu": "BLEU", "ter": "TER", "length": "Length"}
    # tercom and sacreBLEU's TER differ by at most 4 edits in a run; the reference has 62,774 words.
    edits = 4 * 100 / 62_774
    for row in found["systems"]:
        expected = gold[names[row["system"]]][metrics[row["metric"]]]
        exact = 1e-6 + (edits if row["metric"] == "ter" else 0.0)
        assert row["runs"] == pytest.approx(expected["per_run"], abs=exact)
        assert row["score"] == pytest.approx(expected["avg"], abs=exact)
        assert row["s_test"] == pytest.approx(expected["s_test"], abs=2 * exact)
        assert row["s_sel"] == pytest.approx(expected["s_sel"], rel=0.03)


@pytest.mark.golden
def test_the_default_p_is_that_of_swapping_all_runs_together() -> None:
    """That of these runs; the verdict is about new ones, which are not so sure to differ."""
    found = json.loads(run(*multeval("sys1")).stdout)
    assert found["runs"] == "random"
    p = {pair["metric"]: pair["these_runs"]["p_value"] for pair in found["pairs"]}
    fixed = json.loads(run(*multeval("sys1"), "--runs", "fixed").stdout)
    assert p == {pair["metric"]: pair["p_value"] for pair in fixed["pairs"]}
    # 600,000 swaps give .0104 for BLEU; four standard errors of 10,000 are allowed.
    assert p["bleu"] == pytest.approx(0.0104, abs=4 * (0.0104 / 10_000) ** 0.5)
    assert p["length"] == pytest.approx(0.279, abs=4 * (0.279 * 0.721 / 10_000) ** 0.5)


@pytest.mark.golden
def test_other_runs_of_the_systems_might_not_differ() -> None:
    """The point of clark2011, on their own data (small-samples.md, section 7)."""
    given = ["13a" if word == "none" else word for word in multeval("sys1")]
    found = json.loads(run(*given).stdout)
    [bleu] = [pair for pair in found["pairs"] if pair["metric"] == "bleu"]
    assert (bleu["verdict"], round(bleu["difference"], 2)) == ("undecided", 0.28)
    assert bleu["new_runs"]["p_value"] == bleu["p_value"] == pytest.approx(0.24, abs=0.005)
    assert bleu["interval"] == pytest.approx([-0.29, 0.85], abs=0.03)
    assert bleu["these_runs"]["interval"] == pytest.approx([0.06, 0.50], abs=0.02)
    text = run(*(word for word in given if word != "--json")).stdout
    assert "These 3 runs of sys1 are ahead, other runs might not be." in " ".join(text.split())


@pytest.mark.golden
def test_multevals_p_is_reproduced(gold: dict[str, Any]) -> None:
    found = json.loads(run(*multeval("sys1"), "--compat", "multeval").stdout)
    metrics = {"bleu": "BLEU", "ter": "TER", "length": "Length"}
    for pair in found["pairs"]:
        expected = gold["system 1"][metrics[pair["metric"]]]["p"]
        # Both sides draw 10,000 times; MultEval's faulty swaps move Length by .008 at most.
        error = 4 * (2 * max(expected, 1e-4) / 10_000) ** 0.5
        assert pair["p_value"] == pytest.approx(expected, abs=error + 0.008 * expected / 0.09)


def test_a_copy_of_the_baseline_is_undecided() -> None:
    out = run(*multeval("copy"))
    found = json.loads(out.stdout)
    assert {(p["p_value"], p["verdict"]) for p in found["pairs"]} == {(1.0, "undecided")}
    assert "identical" in out.stderr


def test_columns_of_a_table_of_scores_can_be_chosen(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    values = {name: rng.normal(size=30).tolist() for name in ("old", "new")}
    rows = [
        f"{n},{i % 15},d{i // 15},{v}" for n, of in values.items() for i, v in enumerate(of)
    ]
    path = tmp_path / "s.csv"
    path.write_text("\n".join(["engine,where,text,comet", *rows]))
    chosen = ("system=engine", "item=where", "document=text", "score=comet")
    columns = [word for pair in chosen for word in ("--column", pair)]
    draws = ("--seed", 1, "--resamples", 200)
    # The column says that these are scores of COMET, which `Scores.build` is not told.
    out = run("compare", "--scores", path, *columns, *draws, "--meaning", "none", "--json")
    assert out.exit_code == 0, out.output
    documents = ["d0"] * 15 + ["d1"] * 15
    expected = compare(Scores.build(values, documents=documents), rng=1, n_resamples=200)
    assert (
        json.loads(out.stdout)["pairs"] == json.loads(json.dumps(expected.to_dict()))["pairs"]
    )
    out = run("compare", "--scores", path, *columns[:-1], "score=bleu")
    assert (out.exit_code, "no column 'bleu' for the score" in out.stderr) == (1, True)
    lines = tmp_path / "a.txt"
    lines.write_text("1\n2\n")
    out = run("compare", "--scores", f"a={lines}", "--scores", f"b={lines}", *columns)
    assert (out.exit_code, "--column does not apply" in out.stderr) == (1, True)


def test_scores_where_lower_is_better(tmp_path: Path) -> None:
    rows = [f"{i},{i % 3 + 1},{i % 3 + 4 + i / 10}" for i in range(1, 13)]
    path = tmp_path / "s.csv"
    path.write_text("\n".join(["item,low,high", *rows]))
    arguments = ("--scores", path, "--baseline", "low", "--seed", "1", "--json")
    plain = json.loads(run("compare", *arguments).stdout)
    assert plain["pairs"][0]["verdict"] == "better"
    named = json.loads(run("compare", *arguments, "--score-name", "ter").stdout)
    assert named["pairs"][0]["verdict"] == "worse"
    assert "ter: lower is better." in named["notes"]
    asked = json.loads(run("compare", *arguments, "--lower-is-better", "score").stdout)
    assert asked["pairs"][0]["verdict"] == "worse"
    wrong = run("compare", *arguments, "--lower-is-better", "bleu")
    assert wrong.exit_code == 1
    assert "--lower-is-better must name the scores, 'score'; got 'bleu'" in wrong.stderr


def test_a_long_table_with_columns_of_other_names(tmp_path: Path) -> None:
    rows = [f"{mt},{i},{i % 5 + 2 * (mt == 'new')}" for i in range(12) for mt in ("old", "new")]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["mt,id,points", *rows]))
    columns = ("--column", "system=mt", "--column", "item=id", "--column", "score=points")
    out = run(
        "compare", "--scores", path, *columns, "--baseline", "old", "--seed", "1", "--json"
    )
    said = json.loads(out.stdout)
    assert said["pairs"][0]["difference"] == 2.0
    assert said["metrics"][0]["label"] == "points"


def test_given_scores_stand_beside_metrics_of_texts(tmp_path: Path) -> None:
    for name, ending in (("ref", "mat"), ("old", "hat"), ("new", "rug")):
        text = "".join(f"the cat number {i} sat on the {ending}\n" for i in range(8))
        (tmp_path / name).write_text(text)
    (tmp_path / "c.csv").write_text(
        "\n".join(["item,old,new", *(f"{i + 1},{i / 10},{i / 9 + 0.1}" for i in range(8))])
    )
    arguments = (
        *("--refs", tmp_path / "ref", "--system", f"old={tmp_path / 'old'}"),
        *("--system", f"new={tmp_path / 'new'}", "--scores", f"comet={tmp_path / 'c.csv'}"),
        *("--metric", "chrf", "--seed", "1", "--json"),
    )
    said = json.loads(run("compare", *arguments).stdout)
    assert [metric["metric"] for metric in said["metrics"]] == ["chrf", "comet"]


def test_why_one_waits_is_said_while_one_waits(tmp_path: Path) -> None:
    for name, text in (
        ("r", "a b c d\nx y\nw v\n"),
        ("s", "c d a b\nx y\nw\n"),
        ("t", "a\nx\nw\n"),
    ):
        (tmp_path / name).write_text(text)
    words = ["compare", "--refs", tmp_path / "r", "--metric", "ter", "--json", "--seed", 1]
    for name in "st":
        words += ["--system", f"{name}={tmp_path / name}"]
    with engine("numpy"):
        slow = run(*words)
    with engine("native"):
        fast = run(*words)
    assert "Note: TER is computed by sacreBLEU's own code" in slow.stderr
    assert "own code" not in fast.stderr
    assert slow.stdout == fast.stdout
