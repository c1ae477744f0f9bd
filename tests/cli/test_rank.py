"""``detectable rank``: the whole way from a file to a ranking."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result

from detectable.cli import Commands, main
from detectable.cli.rank import rank
from detectable.data.human.read_judgments import read_judgments
from detectable.data.human.write_judgments import write_judgments
from tests.data.sample_files import write
from tests.frozen.run import PLACES
from tests.helpers import reference_data
from tests.mixed.tables import table

SEGMENTS = ("data", "wmt", "wmt21_22_toen_segscores.parquet")
CAMPAIGNS = (
    *("wmt21.cs-en", "wmt21.de-en", "wmt21.is-en", "wmt21.ja-en", "wmt21.ru-en"),
    *("wmt22.cs-en", "wmt22.ja-en", "wmt22.zh-en"),
)


def run(*arguments: str | Path) -> Result:
    group = Commands("detectable", commands={"rank": rank})
    return CliRunner().invoke(group, ["rank", *map(str, arguments)])


def as_json(*arguments: str | Path) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture
def judgments(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    system, item, rater = (axis.ravel() for axis in np.indices((3, 30, 2)))
    score = np.array([50, 52, 70])[system] + 10 * rater + rng.normal(0, 6, system.size)
    path = tmp_path / "judgments.csv"
    pl.DataFrame(
        {
            "system": np.array(["old", "new", "human"])[system],
            "item": item,
            "document": item // 3,
            "rater": np.array(["ann", "bob"])[rater],
            "score": score.round(1),
        }
    ).write_csv(path)
    return path


@pytest.mark.golden
@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_official_clusters_through_the_command(campaign: str) -> None:
    gold = json.loads(reference_data("gold", "graham.json").read_text())
    expected = gold["wmt_clusters"][campaign]
    options = ("--campaign", campaign, "--preset", "wmt21")
    found = as_json("--segment-scores", reference_data(*SEGMENTS), *options)
    names = [row["system"] for row in expected["systems"]]
    wanted = [names[first - 1 : last] for first, last in expected["clusters"]]
    assert found["clusters"] == wanted
    for row, official in zip(found["systems"], expected["systems"], strict=True):
        assert (row["system"], row["n"], row["N"]) == (
            official["system"],
            official["n"],
            official["N"],
        )
        assert row["mean_raw"] == pytest.approx(official["raw"], abs=1e-10)
        assert row["mean_z"] == pytest.approx(official["z"], abs=1e-10)
    p = {f"{pair['better']}>{pair['worse']}": pair["p_value"] for pair in found["pairs"]}
    assert p == pytest.approx(expected["p_one_sided"], abs=1e-10)


@pytest.mark.golden
def test_the_view_of_wmt_is_that_of_its_preset() -> None:
    options = ("--segment-scores", reference_data(*SEGMENTS), "--campaign", "wmt21.de-en")
    official = as_json(*options, "--preset", "wmt21")
    assert [len(group) for group in official["clusters"]] == [4, 16]
    assert official["wmt"]["different"] == []
    ours = as_json(*options, "--seed", "1")
    assert ours["wmt"]["clusters"] == official["clusters"]
    assert ours["clusters"] == [[row["system"] for row in ours["systems"]]]


def test_verdicts_come_first_then_the_table(judgments: Path) -> None:
    result = run(judgments, "--seed", "1")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("human is on top: better than the other 2.\n")
    assert "Paired within raters" in run(judgments, "--seed", "1", "--all").stdout
    assert result.stdout.index("Ranking") < result.stdout.index("WMT's rule")
    assert all(len(line) <= 80 for line in result.stdout.splitlines())


def test_many_pairs_are_a_matrix_and_listed_on_demand(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    names = [f"system-with-a-long-name-{k:02d}" for k in range(24)]
    path = tmp_path / "many.csv"
    rows = [
        f"{name},{item},ann,{50 + k + rng.normal(0, 4):.1f}"
        for item in range(40)
        for k, name in enumerate(names)
    ]
    path.write_text("\n".join(["system,item,rater,score", *rows]) + "\n")
    options = ("--seed", "1", "--unit", "item", "--test", "signed-rank")
    short = run(path, *options).stdout.splitlines()
    assert len(short) < 40
    assert max(map(len, short)) <= 80
    assert sum(line.count("▲") for line in short) > 10
    assert "pairs (276 rows)" in " ".join(short)
    whole = run(path, *options, "--pairs").stdout.splitlines()
    assert len(whole) > len(short) + 270


def test_clusters_are_set_apart_by_a_rule(judgments: Path) -> None:
    table = run(judgments, "--seed", "1").stdout.split("Ranking")[1].splitlines()
    top = next(i for i, line in enumerate(table) if "human" in line)
    assert set(table[top + 1]) == {"╌"}


def test_notes_go_to_stderr(judgments: Path) -> None:
    result = run(judgments, "--seed", "1")
    assert "Note: The claims are about these 2 raters" in result.stderr
    by_ranks = run(judgments, "--seed", "1", "--test", "signed-rank")
    assert "10 documents only (below 20)" in by_ranks.stderr
    by_item = run(judgments, "--seed", "1", "--unit", "item")
    assert "Items of a document are treated as independent" in by_item.stderr
    assert "are treated as independent" not in result.stderr


def test_a_margin_makes_equivalence_possible(judgments: Path) -> None:
    found = as_json(judgments, "--margin", "40", "--seed", "1")
    assert {pair["verdict"] for pair in found["pairs"]} == {"equivalent"}
    assert found["margin"] == 40.0


def test_pairs_are_written_once(judgments: Path, tmp_path: Path) -> None:
    target = tmp_path / "pairs.csv"
    assert run(judgments, "--csv", f"pairs:{target}", "--seed", "1").exit_code == 0
    assert target.read_text().startswith("better,worse,difference")
    again = run(judgments, "--csv", target)
    assert again.exit_code == 1
    assert "exists already" in again.output
    latex = tmp_path / "table.tex"
    assert run(judgments, "--latex", latex, "--seed", "1").exit_code == 0
    assert r"\begin{tabular}" in latex.read_text()


def test_one_seed_one_answer(judgments: Path) -> None:
    assert as_json(judgments, "--seed", "3") == as_json(judgments, "--seed", "3")


def test_several_campaigns_are_listed() -> None:
    result = run("--segment-scores", reference_data(*SEGMENTS))
    assert result.exit_code == 1
    assert "8 campaigns: wmt21.cs-en, wmt21.de-en" in result.output
    assert "--campaign" in result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--test", "mixed"), "needs to know who judged"),
        (("--standardise", "mixed"), "segment scores have none"),
        (("--level", "judgment"), "segment scores are means of them"),
        (("--campaign", "wmt99"), "must be one of"),
    ],
)
def test_segment_scores_allow_no_test_of_raters(
    tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    path = tmp_path / "segments.csv"
    path.write_text(
        "system,sid,raw,z,N,campaign\na,1,10,0,1,w\na,2,20,1,1,w\nb,1,5,0,1,w\nb,2,9,1,2,w\n"
    )
    result = run("--segment-scores", path, *options)
    assert result.exit_code == 1
    assert message in result.output


def test_a_table_without_scores_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "segments.csv"
    path.write_text("system,sid\na,1\n")
    result = run("--segment-scores", path)
    assert result.exit_code == 1
    assert "raw or z not found among system, sid" in result.output


def test_a_bad_number_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "segments.csv"
    path.write_text("system,sid,raw\na,1,10\na,2,much\nb,1,5\nb,2,9\n")
    result = run("--segment-scores", path)
    assert result.exit_code == 1
    assert "line 3" in result.output
    assert "raw must be a number, found 'much'" in result.output


def test_reading_options_do_not_apply_to_segment_scores(tmp_path: Path) -> None:
    path = tmp_path / "segments.csv"
    path.write_text("system,sid,raw\na,1,10\n")
    result = run("--segment-scores", path, "--scale", "0:5")
    assert result.exit_code == 2
    assert "--scale has no effect here: --segment-scores reads a plain table" in result.output


def test_errors_of_the_source_on_the_command_line(tmp_path: Path) -> None:
    rows = ["system\tdoc\tseg_id\trater\tcategory\tseverity"]
    rows += [
        f"{system}\td{item % 9}\t{item}\tr\t{'Source error' if system == 'B' else 'No-error'}\t"
        f"{'Major' if system == 'B' else 'No-error'}"
        for item in range(20)
        for system in "AB"
    ]
    path = tmp_path / "mqm.tsv"
    path.write_text("\n".join(rows) + "\n")
    counted = as_json(path, "--seed", "1")
    assert [row["score"] for row in counted["systems"]] == [0.0, -5.0]
    ignored = as_json(path, "--seed", "1", "--source-errors", "ignore")
    assert [row["score"] for row in ignored["systems"]] == [0.0, 0.0]
    out = run(path, "--source-errors", "twice")
    assert out.exit_code == 2


def test_a_file_of_two_language_pairs_asks_for_one(tmp_path: Path) -> None:
    rows = [
        f"{system},{item},{40 + item + 9 * (system == 'A')},en,{target}"
        for target in ("cs", "de")
        for item in range(8)
        for system in "AB"
    ]
    path = tmp_path / "two.csv"
    path.write_text("\n".join(["system,item,score,source_lang,target_lang", *rows]))
    out = run(path)
    assert out.exit_code == 1
    assert "2 language pairs: en-cs, en-de" in " ".join(out.stderr.split())
    assert as_json(path, "--language", "en-de", "--seed", "1")["systems"][0]["n"] == 8


# --- ``detectable arena``: the whole way from files to ranks ---

BATTLES = Path(PLACES["data"]) / "battles.csv"


def run_of_arena(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["arena", *map(str, arguments)])


def as_json_of_arena(*arguments: object) -> dict[str, Any]:
    found = run_of_arena(*arguments, "--json")
    assert found.exit_code == 0, found.output
    read: dict[str, Any] = json.loads(found.stdout)
    return read


def test_a_cap_of_voters_reaches_the_library_and_needs_voters(tmp_path: Path) -> None:
    path = write(tmp_path, "battles.csv", "a,b,winner\nx,y,a\ny,z,a\nz,x,a\nx,y,b\n")
    refused = run_of_arena(path, "--cap-voter", 2)
    assert refused.exit_code == 1
    assert "there is no voter to weigh by" in refused.stderr
    assert "--column voter=NAME" in refused.stderr
    rows = "".join(
        f"{'xyz'[i % 3]},{'yzx'[i % 3]},{'ab'[i // 3 % 2]},v{i % 11 % 4}\n" for i in range(60)
    )
    path = write(tmp_path, "voted.csv", "a,b,winner,voter\n" + rows)
    assert as_json_of_arena(path, "--cap-voter", 2)["cap_voter"] == 2.0


@pytest.mark.golden
def test_keys_that_stay() -> None:
    found = as_json_of_arena(
        reference_data("data", "evals", "battles.csv"), "--seed", 1, "--cluster", "prompt"
    )
    assert found["systems"][0].keys() >= {
        *("system", "strength", "standard_error", "interval", "rank_low", "rank_high"),
    }
    ant = found["systems"][0]
    assert (ant["system"], ant["rank_low"], ant["rank_high"]) == ("ant", 1, 3)
    assert ant["strength"] == pytest.approx(0.442942, abs=1e-6)
    assert len(found["pairs"]) == 15
    assert found["pairs"][0]["verdict"] == "undecided"


def test_options_reach_the_library() -> None:
    found = as_json_of_arena(
        BATTLES, "--ties", "drop", "--cluster", "vote", "--covariate", "length", "--seed", 1
    )
    assert (found["ties"], found["cluster"]) == ("drop", "vote")
    assert [effect["name"] for effect in found["effects"]] == ["side", "length"]
    assert as_json_of_arena(BATTLES, "--side", "none", "--seed", 1)["effects"] == []
    found = as_json_of_arena(
        BATTLES, "--between", "cod, ant", "--weights", "pairs", "--effect", 40, "--seed", 1
    )
    assert found["next_pair"]["between"] == ["cod", "ant"]
    assert (found["weights"], found["effect"]) == ("pairs", 40.0)
    assert (
        "bootstrap:120"
        in as_json_of_arena(BATTLES, "--bootstrap", 120, "--seed", 1)["signature"]
    )
    assert (
        "penalty:firth"
        in as_json_of_arena(BATTLES, "--penalty", "firth", "--seed", 1)["signature"]
    )
    assert (
        as_json_of_arena(BATTLES, BATTLES, "--cluster", "vote", "--seed", 1)["n_votes"] == 1200
    )


def test_the_text_fits_a_terminal() -> None:
    found = run_of_arena(BATTLES, "--seed", 1, "--pairs")
    assert found.exit_code == 0
    assert "may be first" in found.stdout or "is on top" in found.stdout
    assert "Pairs\n" in found.stdout
    assert max(len(line) for line in found.stdout.splitlines()) <= 80


def test_every_form(tmp_path: Path) -> None:
    names = {
        "--html": "a.html",
        "--markdown": "a.md",
        "--latex": "a.tex",
        "--csv": "a.csv",
        "--out": "a.json",
    }
    words = [word for option, name in names.items() for word in (option, tmp_path / name)]
    found = run_of_arena(BATTLES, "--seed", 1, *words)
    assert found.exit_code == 0, found.output
    for name in names.values():
        assert "owl" in (tmp_path / name).read_text(encoding="utf-8"), name
    again = CliRunner().invoke(main, ["report", str(tmp_path / "a.json")])
    assert again.exit_code == 0, again.output
    assert again.stdout == run_of_arena(BATTLES, "--seed", 1).stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "model_a,model_b,winner\nA,A,tie\n",
            "line 2: a battle of 'A' with itself says nothing",
        ),
        ("model_a,model_b,winner\nA,B,left\n", "line 2, column 'winner': expected model_a"),
        ("model_a,model_b,winner\nA,B,tie\nC,D,tie\n", "every battle is a tie"),
        ("model_a,model_b,winner\nA,B,tie\nC,D,model_a\n", "parts that never met"),
        ("model_a,model_b\nA,B\n", "there is no column for winner"),
    ],
)
def test_bad_input_is_one_sentence(text: str, said: str, tmp_path: Path) -> None:
    found = run_of_arena(write(tmp_path, "b.csv", text))
    assert found.exit_code == 1
    assert said in found.stderr
    assert "Traceback" not in found.stderr


def test_what_is_typed_wrongly() -> None:
    found = run_of_arena(BATTLES, "--between", "owl")
    assert found.exit_code == 2
    assert "takes two systems, A,B; got 'owl'" in found.stderr
    found = run_of_arena(BATTLES, "--bootstrap", 7)
    assert found.exit_code == 1
    assert "--bootstrap must be 0 or at least 100 draws; got 7" in found.stderr
    assert run_of_arena().exit_code == 2


def test_one_language_is_chosen_recorded_and_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # names of files are kept as seen from where one is
    votes = [f"{a},{b},model_{w}" for a, b in ("AB", "BA") for w in "aaab"]
    text = "\n".join(f"{row},{tongue}" for tongue in ("de", "de", "fr") for row in votes)
    path = write(tmp_path, "b.csv", f"model_a,model_b,winner,tongue\n{text}\n")
    words = (path, "--column", "language=tongue", "--seed", 1)
    pooled = as_json_of_arena(*words)
    assert "pooled: de (16), fr (8). `language` keeps" in pooled["notes"][0]
    kept = as_json_of_arena(*words, "--language", "fr")
    assert (kept["n_votes"], pooled["n_votes"]) == (8, 24)
    assert "|language:fr|" in kept["signature"]
    unnamed = run_of_arena(path, "--language", "fr")
    assert unnamed.exit_code == 1
    assert "Say which column names it (--column language=NAME" in unnamed.stderr
    wrong = run_of_arena(*words, "--language", "en")
    assert wrong.exit_code == 1
    assert "there is no battle in the language 'en'. Found: de, fr." in wrong.stderr
    out = tmp_path / "fr.json"
    assert run_of_arena(*words, "--language", "fr", "--out", out).exit_code == 0
    again = CliRunner().invoke(main, ["verify", str(out), "--folder", str(tmp_path)])
    assert again.exit_code == 0, again.output
    assert "--language fr" in again.output


# --- ``detectable mixed`` ---


def write_table(path: Path, columns: dict[str, list[Any]]) -> Path:
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    return write_table(tmp_path / "ratings.csv", table(5, 12, documents=3))


def run_of_mixed(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["mixed", *map(str, arguments)])


def said(*arguments: object) -> dict[str, Any]:
    out = run_of_mixed(*arguments, "--json")
    assert out.exit_code == 0, out.output
    found: dict[str, Any] = json.loads(out.stdout)
    return found


@pytest.mark.golden
def test_the_command_of_the_issue() -> None:
    path = reference_data("data", "card", "sim_3x100_2.csv")
    columns = ["--column", "score=resp"]  # model and worker are usual names
    out = run_of_mixed(path, *columns, "--numeric-system", "--json")
    assert out.exit_code == 0, out.output
    found = json.loads(out.stdout)
    assert found["standard_error"] == pytest.approx(0.0547435, abs=1e-5)
    assert found["df"] == pytest.approx(2.304, abs=0.01)
    assert found["criterion"] == pytest.approx(212.471286, abs=1e-5)
    assert "with 3 raters" in out.stderr
    ml = said(path, *columns, "--numeric-system", "--ml")
    assert ml["criterion"] == pytest.approx(202.117089, abs=1e-5)


def test_people_see_sentences_and_tables(ratings: Path) -> None:
    out = run_of_mixed(ratings)
    assert out.exit_code == 0, out.output
    for heading in ("Differences", "Means", "Where the spread comes from"):
        assert heading in out.stdout
    assert "5 raters × 12 items × 3 documents" in out.stdout
    assert "(1 | document) + (1 | document:system)" in " ".join(out.stdout.split())
    assert "# mixed|criterion:reml|" in out.stderr


def test_options_reach_the_library_of_mixed(ratings: Path, tmp_path: Path) -> None:
    effects = tmp_path / "effects.csv"
    found = said(
        *(ratings, "--slopes", "rater", "--baseline", "s1"),
        *("--alpha", "0.1", "--effects", effects),
    )
    assert found["slopes"] == ["rater"]
    assert found["groups"] == {"rater": 5, "item": 12, "document": 3}
    assert found["contrasts"][0]["baseline"] == "s1"
    assert found["alpha"] == 0.1
    rows = list(csv.DictReader(effects.read_text().splitlines()))
    assert {row["factor"] for row in rows} == {"rater", "item", "document"}
    own = [row["system"] for row in rows if (row["factor"], row["level"]) == ("document", "d0")]
    assert own == ["", "s0", "s1"]
    again = run_of_mixed(ratings, "--effects", effects)
    assert (again.exit_code, "exists already" in again.stderr) == (1, True)
    assert said(ratings, "--unit", "item")["groups"] == {"rater": 5, "item": 12}


def test_unusual_columns_and_any_scale(ratings: Path, tmp_path: Path) -> None:
    columns = table(5, 12, documents=3)  # around zero: no scale of 0 to 100
    assert min(columns["score"]) < 0.0
    columns["stars"], columns["who"] = columns.pop("score"), columns.pop("rater")
    path = write_table(tmp_path / "named.csv", columns)
    assert said(path, "--column", "score=stars", "--column", "rater=who") == said(ratings)
    out = run_of_mixed(ratings, "--scale", "0:5")
    assert (out.exit_code, "lies outside the scale 0 to 5" in out.stderr) == (1, True)


def test_second_scores_are_refused_averaged_or_kept(tmp_path: Path) -> None:
    columns = {name: [*column, *column[:2]] for name, column in table(5, 6).items()}
    path = write_table(tmp_path / "twice.csv", columns)
    out = run_of_mixed(path)
    assert out.exit_code == 1
    assert "twice.csv, line 62: a second score by rater 'r0' for system 's0'" in out.stderr
    averaged = run_of_mixed(path, "--repeated", "mark", "--json")
    assert json.loads(averaged.stdout)["n_ratings"] == 60
    assert "2 second scores by one rater" in averaged.stderr
    assert "2 ratings repeat an earlier one" in averaged.stderr
    assert said(path, "--repeats", "keep")["n_ratings"] == 62


def test_one_of_several_campaigns_and_languages(tmp_path: Path) -> None:
    columns = table(5, 12)
    n = len(columns["score"])
    both = {name: column * 2 for name, column in columns.items()}
    both["score"][n:] = [score + 9.0 * (i % 2) for i, score in enumerate(both["score"][n:])]
    both |= {"language": ["cs-en"] * n + ["de-en"] * n, "campaign": ["c"] * (2 * n)}
    path = write_table(tmp_path / "both.csv", both)
    out = run_of_mixed(path)
    assert out.exit_code == 1
    assert "2 language pairs: cs-en, de-en. Scores of different ones are not" in out.stderr
    alone = write_table(tmp_path / "alone.csv", columns)
    found = said(path, "--language", "cs-en", "--campaign", "c")
    assert found == said(alone)
    assert said(path, "--language", "de-en")["estimate"] > found["estimate"] + 5.0


def with_controls(columns: dict[str, list[Any]], *, every: int) -> dict[str, list[Any]]:
    """Return the table with a degraded copy before every so many rows, and two references."""
    n = len(columns["score"])
    rows = [{name: column[i] for name, column in columns.items()} for i in range(n)]
    mixed: list[dict[str, Any]] = []
    for i, row in enumerate(rows):
        if i % every == 0:  # before the row: left out, it must not order the systems either
            mixed.append({**row, "system": rows[-1 - i]["system"], "score": -50, "kind": "BAD"})
        mixed.append({**row, "kind": "TGT"})
    mixed += [{**row, "system": "ref", "kind": "REF"} for row in rows[:2]]
    return {name: [row[name] for row in mixed] for name in (*columns, "kind")}


def test_controls_are_left_out_and_counted(ratings: Path, tmp_path: Path) -> None:
    controls = with_controls(table(5, 12, documents=3), every=3)
    path = write_table(tmp_path / "controls.csv", controls)
    out = run_of_mixed(path, "--json")
    assert out.exit_code == 0, out.output
    note = "42 judgments left out, not of systems' own output: 40 degraded, 2 reference."
    assert out.stderr.count(note) == 1
    found, wanted = json.loads(out.stdout), said(ratings)
    assert found.pop("notes") == [note, *wanted.pop("notes")]
    assert found == wanted


@pytest.mark.golden
def test_degraded_documents_of_a_real_campaign(tmp_path: Path) -> None:
    path = reference_data("data", "real", "appraise-esa", "esa_split_documents.csv")
    found = said(path, "--format", "appraise", "--baseline", "wmt23.refA")
    assert (
        found["notes"][0] == "119 judgments left out, not of systems' own output: 119 degraded."
    )
    assert found["n_ratings"] == 988
    read = read_judgments(path, format="appraise")
    write_judgments(read.take(~read.is_kind("degraded")), tmp_path / "ordinary.csv")
    wanted = said(tmp_path / "ordinary.csv", "--baseline", "wmt23.refA")
    assert found.pop("notes")[1:] == wanted.pop("notes")
    assert found == wanted
    online_g = next(row for row in found["contrasts"] if row["system"] == "wmt23.ONLINE-G")
    assert online_g["p_adjusted"] > 0.05


def whole(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return a table with whole scores that every format can hold."""
    score = np.asarray(columns["score"])
    return columns | {"score": np.round(6.0 + score - score.min()).astype(int).tolist()}


def as_appraise(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write the eleven columns of Appraise; an item is degraded now and then."""
    rows = zip(*columns.values(), strict=True)
    lines = [
        f"{rater},{system},{item[1:]},{kind},eng,deu,{99 if kind == 'BAD' else score},"
        f"{document},False,{n}.0,{n + 1}.0"
        for n, (score, system, rater, item, document) in enumerate(rows)
        for kind in (("TGT", "BAD") if n % 10 == 0 else ("TGT",))
    ]
    path.write_text("\n".join(lines) + "\n")


def as_mqm(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write a row per error: as many minor ones as the score says."""
    lines = ["system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"]
    for score, system, rater, item, document in zip(*columns.values(), strict=True):
        start = f"{system}\t{document}\t1\t{item[1:]}\t{rater}\tOne.\tEins."
        lines += [f"{start}\tStyle/Awkward\tMinor"] * int(score)
    path.write_text("\n".join(lines) + "\n")


def as_pearmut(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write one item of one rater per line."""
    cells: dict[tuple[str, str], dict[str, int]] = {}
    for score, system, rater, item, _ in zip(*columns.values(), strict=True):
        cells.setdefault((rater, item), {})[system] = score
    lines = [
        {
            "user_id": rater,
            "item_i": int(item[1:]),
            "item": [{"item_id": item, "tgt": dict.fromkeys(scores, "x")}],
            "annotation": [
                {system: {"score": s, "error_spans": []} for system, s in scores.items()}
            ],
            "actions": [],
        }
        for (rater, item), scores in cells.items()
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")


def as_esa(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write an item per line, as WMT published ESA; rater n gave the n-th judgment."""
    items: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for score, system, rater, item, document in zip(*columns.values(), strict=True):
        n = int(rater[1:]) + 1
        given = items.setdefault((document, item), {}).setdefault(system, {})
        given |= {f"human{n}": score, f"errors{n}": [], f"annotator{n}": rater}
    lines = [
        {
            "doc_id": f"en-cs_#_news_#_{document}",
            "src_text": item,
            "tgt_text": dict.fromkeys(scores, "x"),
            "scores": scores,
        }
        for (document, item), scores in items.items()
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")


@pytest.mark.parametrize(
    ("write", "name", "sign", "documents"),
    [
        (as_appraise, "a.csv", 1, True),
        (as_mqm, "mqm_x_ende.tsv", -1, True),
        (as_esa, "e.jsonl", 1, True),
        (as_pearmut, "p.jsonl", 1, False),
    ],
)
def test_formats_of_campaigns(
    write: Any, name: str, sign: int, documents: bool, tmp_path: Path
) -> None:
    columns = whole(table(2, 12, documents=3))
    write(tmp_path / name, columns)
    found = said(tmp_path / name, "--baseline", "s0")
    plain = write_table(tmp_path / "plain.csv", columns)
    wanted = said(plain, "--baseline", "s0", *(() if documents else ("--unit", "item")))
    assert (found["groups"], found["n_ratings"]) == (wanted["groups"], 48)
    assert found["estimate"] == pytest.approx(sign * wanted["estimate"], rel=1e-7)
    assert found["p_value"] == pytest.approx(wanted["p_value"], rel=1e-6)
    assert found["criterion"] == pytest.approx(wanted["criterion"], rel=1e-9)
    left_out = "5 judgments left out, not of systems' own output: 5 degraded."
    assert (left_out in found["notes"]) == (write is as_appraise)


def test_bad_input_is_one_line(ratings: Path) -> None:
    out = run_of_mixed(ratings, "--column", "item=text")
    assert out.exit_code == 1
    assert "there is no column for the item called 'text'. Found: score" in out.stderr
    out = run_of_mixed(ratings, "--alpha", "5")
    assert out.exit_code == 1
    assert "--alpha must lie strictly between 0 and 1" in out.stderr
    out = run_of_mixed(ratings, "--column", "response=score")
    assert (out.exit_code, "takes role=name" in out.stderr) == (2, True)
