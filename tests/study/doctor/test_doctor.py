"""What is in a file, what it can answer, and that the commands it names work."""

import contextlib
import json
import math
import shlex
import zipfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import detectable as dt
from detectable.cli import main
from detectable.core.errors import DataError, InputError
from detectable.report.shown.doctor import could_see, headline
from detectable.study.doctor.examination import Examination, Question
from detectable.study.doctor.of_data import _of_gate, of_comparison, of_scores
from detectable.study.doctor.recognise import recognise

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
FROZEN = Path(__file__).parents[2] / "frozen" / "data"


def asked(found: Examination, question: str) -> Question:
    [one] = [one for one in found.questions if one.question.startswith(question)]
    return one


def facts(found: Examination) -> dict[str, str]:
    return {fact.what: fact.value for fact in found.facts}


def scores_csv(path: Path, n: int = 60, *, seed: int = 4, more: str = "") -> Path:
    rng = np.random.default_rng(seed)
    lines = ["item,new,old"]
    lines += [f"i{i},{rng.integers(0, 2)},{rng.integers(0, 2)}" for i in range(n)]
    path.write_text("\n".join(lines) + more + "\n")
    return path


@pytest.mark.parametrize(
    ("name", "kind", "format"),
    [
        ("scores_long.csv", "scores", "table"),
        ("scores_wide.csv", "scores", "table"),
        ("lines_A.txt", "lines", ""),
        ("sacrebleu_A.txt", "scores", "sacrebleu"),
        ("inspect.json", "scores", "inspect"),
        ("texts.tsv", "texts", ""),
        ("wmt.xml", "texts", ""),
        ("one.sgm", "lines", ""),
        ("mtme", "texts", ""),
        ("lm_eval", "scores", "lm-eval"),
        ("judgments/table.csv", "judgments", "table"),
        ("judgments/pearmut.jsonl", "judgments", "pearmut"),
        ("judgments/arena.csv", "preferences", "arena"),
        ("judgments/mqm_newstest2020_ende.tsv", "judgments", "mqm"),
        ("scores/metricx_A.jsonl", "scores", "metricx"),
    ],
)
def test_files_are_known_by_what_they_hold(name: str, kind: str, format: str) -> None:
    found = recognise(SAMPLES / name)
    if name == "lines_A.txt":  # numbers alone are scores
        assert (found.kind, found.format) in {("scores", "lines"), ("lines", "")}
        return
    assert (found.kind, found.format) == (kind, format)
    assert found.about


@pytest.mark.parametrize(
    ("member", "kind", "format"),
    [
        ("header.json", "scores", "inspect"),
        ("[Content_Types].xml", "judgments", "shipdata"),
    ],
)
def test_a_zip_is_a_log_unless_it_is_a_workbook(
    tmp_path: Path, member: str, kind: str, format: str
) -> None:
    with zipfile.ZipFile(tmp_path / "x", "w") as archive:
        archive.writestr(member, "{}")
    found = recognise(tmp_path / "x")
    assert (found.kind, found.format) == (kind, format)


def test_a_metric_of_the_whole_log_is_not_the_likely_one(tmp_path: Path) -> None:
    told = {"filter": "none", "resps": [], "metrics": ["bleu", "exact_match"]}
    rows = [
        {"doc_id": i, "bleu": ["a", "b"], "exact_match": float(i % 2), **told} for i in range(8)
    ]
    for name in ("new", "old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "samples_math_2026-01-01.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows)
        )
    found = dt.doctor([tmp_path])
    assert facts(found)["score"].startswith("exact_match")


def test_own_files_are_known(tmp_path: Path) -> None:
    dt.plan(tmp_path / "ship.json", systems=["new", "old"], n_max=100)
    dt.save(dt.design(looks=3), tmp_path / "kept.json")
    (tmp_path / "base.json").write_text('{"format": "detectable-baseline/1"}')
    found = dt.doctor([tmp_path / name for name in ("ship.json", "kept.json", "base.json")])
    assert [file.kind for file in found.files] == ["plan", "result", "baseline"]
    assert found.files[1].about == "Design, kept with --out"
    commands = [
        question.command.split()[1] for question in found.questions if question.possible
    ]
    assert commands == ["plan", "verify", "report", "verify"]
    assert not asked(found, "May the new system be merged?").possible


def test_what_could_be_seen_is_that_of_the_very_test(tmp_path: Path) -> None:
    path = scores_csv(tmp_path / "s.csv")
    found = dt.doctor([path])
    [seen] = asked(found, "Is one system better").detects
    compared = dt.compare(dt.read_scores(path), rng=0)
    [pair] = compared.pairs
    assert seen.median == seen.smallest == seen.largest == pair.mde
    assert (seen.unit, seen.n_units, seen.test) == (
        "item",
        compared.n_units,
        compared.test,
    )
    assert (seen.alpha, seen.power, seen.n_pairs) == (0.05, 0.8, 1)
    assert could_see(seen) == (
        f"{pair.mde:.3g} or more in accuracy (mcnemar over 60 items, α = 0.05, 80% power)"
    )


def test_several_pairs_say_their_range_and_the_correction() -> None:
    rng = np.random.default_rng(1)
    table = {name: rng.normal(0, 1 + i, 50) for i, name in enumerate("abc")}
    compared = dt.compare(dt.Scores.build(table), rng=0)
    [seen] = of_comparison(compared)
    values = sorted(pair.mde for pair in compared.pairs)
    assert (seen.smallest, seen.median, seen.largest) == tuple(values)
    assert "by pair) or more" in could_see(seen)
    assert "corrected for 3 pairs" in could_see(seen)


def test_the_margin_that_it_names_is_the_one_that_a_gate_could_pass(tmp_path: Path) -> None:
    path = scores_csv(tmp_path / "s.csv", 200)
    found = asked(dt.doctor([path]), "May the new system replace")
    words = shlex.split(found.command)
    margin = float(words[words.index("--margin") + 1])
    scores = dt.read_scores(path)
    [row] = dt.gate(scores, scores, system="old", baseline_system="new", margin=margin).rows
    assert row.margin_passable <= margin < 1.1 * row.margin_passable
    assert f"Losses of {margin:g} could be ruled out 4 times in 5" in found.why
    done = CliRunner().invoke(main, words[1:])
    assert done.exit_code in (0, 3, 4), done.output


def test_a_gate_between_logs_names_both_files() -> None:
    found = dt.doctor({"a": SAMPLES / "sacrebleu_A.txt", "b": SAMPLES / "sacrebleu_B.txt"})
    words = ["--scores", "a=x", "--scores", "b=y", "--score-name", "m"]
    assert _of_gate(words, "a", "b") == ["b=y", "--baseline", "x", "--score-name", "m"]
    assert _of_gate(["--scores", "x"], "a", "b") == ["x", "--system", "b", "--baseline", "a"]
    assert found.files[0].kind == "scores"


def test_battles_say_what_their_votes_could_tell() -> None:
    found = dt.doctor([SAMPLES / "judgments" / "arena.csv"])
    assert found.files[0].kind == "preferences"
    assert facts(found)["battles"].isdecimal()
    battles = dt.read_battles(SAMPLES / "judgments" / "arena.csv")
    assert facts(found)["battles"] == str(battles.n)


def test_what_battles_could_tell_is_that_of_the_arena(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [
        f"q{i % 30},v{i % 7},x,y,{rng.choice(['model_a', 'model_b', 'tie'])}"
        for i in range(200)
    ]
    path = tmp_path / "battles.csv"
    path.write_text("question_id,judge,model_a,model_b,winner\n" + "\n".join(rows) + "\n")
    found = asked(dt.doctor([path]), "Which systems are preferred?")
    result = dt.arena(dt.read_battles(path), rng=0)
    [seen] = found.detects
    assert seen.median == result.pairs[0].mde_elo
    assert (seen.test, seen.metric) == (result.test, "points of Elo")
    kind, n = min(
        result.clusters.items(), key=lambda one: one[1], default=("vote", result.n_votes)
    )
    assert (seen.unit, seen.n_units, seen.correction) == (kind, n, "none")


def test_votes_without_names_of_prompts_count_each(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    names = ("x", "y", "z")
    rows = []
    for _ in range(150):
        a, b = rng.choice(3, 2, replace=False)
        rows.append(f"{names[a]},{names[b]},{rng.choice(['model_a', 'model_b'])}")
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\n" + "\n".join(rows) + "\n")
    found = asked(dt.doctor([path]), "Which systems are preferred?")
    [seen] = found.detects
    assert (seen.unit, seen.n_units, seen.correction) == ("vote", 150, "max-t")
    assert found.why == "Votes are taken as independent."
    assert shlex.split(found.command)[1:] == ["arena", str(path)]


def battles_csv(path: Path, systems: str, further: str = "") -> Path:
    """Write votes of all two of some systems, half of them for each."""
    rows = [
        f"{a},{b},{winner}" for a in systems for b in systems if a != b
        for winner in ("model_a", "model_b")
    ]  # fmt: skip
    name, _, value = further.partition("=")
    head, end = (f",{name}", f",{value}") if further else ("", "")
    path.write_text(
        f"model_a,model_b,winner{head}\n" + "".join(f"{row}{end}\n" for row in rows)
    )
    return path


def test_battles_of_several_files_are_joined_as_the_arena_joins_them(tmp_path: Path) -> None:
    one = battles_csv(tmp_path / "1.csv", "xy", "language=de")
    two = battles_csv(tmp_path / "2.csv", "yz", "language=fr")
    found = dt.doctor([one, two])
    assert facts(found)["systems"] == "3: x, y, z"
    assert facts(found)["battles"] == "8"
    assert facts(found)["languages"] == "2: de, fr"
    assert {fact.data for fact in found.facts} == {f"{one.name} and 1 more"}
    order = asked(found, "Which systems are preferred?")
    assert shlex.split(order.command)[1:] == ["arena", str(one), str(two)]
    assert CliRunner().invoke(main, shlex.split(order.command)[1:]).exit_code == 0
    assert found.suspicions == (
        "Votes in several languages are pooled: de (4), fr (4). `language` keeps one of them.",
    )


def test_battles_that_one_side_always_won_are_joined_all_the_same(tmp_path: Path) -> None:
    files = [tmp_path / "1.csv", tmp_path / "2.csv"]
    for path, pair in zip(files, ("x,y", "y,z"), strict=True):
        path.write_text(f"model_a,model_b,winner\n{pair},model_a\n{pair},model_a\n")
    found = dt.doctor(files)
    assert facts(found)["systems"] == "3: x, y, z"
    assert found.suspicions == ()
    assert "no finite estimate" in asked(found, "Which systems are preferred?").why


def test_battles_of_several_arenas_are_examined_apart(tmp_path: Path) -> None:
    files = [
        battles_csv(tmp_path / "1.csv", "xy"),
        battles_csv(tmp_path / "2.csv", "uv"),
        battles_csv(tmp_path / "3.csv", "yz"),
    ]
    found = dt.doctor(files)
    commands = [
        shlex.split(question.command)[2:]
        for question in found.questions
        if question.question == "Which systems are preferred?"
    ]
    assert commands == [[str(files[0]), str(files[2])], [str(files[1])]]
    assert found.suspicions[0].startswith(
        "These files do not fit together, so each is described on its own: 1.csv, 2.csv, 3.csv: the systems fall into "
        "2 parts that never met"
    )
    voters = battles_csv(tmp_path / "4.csv", "xy", "voter=v")
    two = dt.doctor([files[0], voters])
    assert two.suspicions[0].startswith(
        "These files do not fit together, so each is described on its own: "
    )
    assert "does not say the voter" in two.suspicions[0]
    assert [question.question for question in two.questions].count(
        "Which systems are preferred?"
    ) == 2


def test_a_table_of_metrics_asks_which_agrees_with_people(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    rows = [
        f"s{s},t{i},{rng.integers(-9, 1)},{rng.normal():.3f},{rng.normal():.3f}"
        for s in range(4)
        for i in range(25)
    ]
    path = tmp_path / "m.csv"
    path.write_text("system,segment,mqm,chrf,comet\n" + "\n".join(rows) + "\n")
    found = dt.doctor([path])
    assert found.files[0].kind == "metrics"
    assert facts(found) == {
        "scores": "3: mqm, chrf, comet",
        "systems": "4: s0, s1, s2, s3",
        "items": "25",
    }
    question = asked(found, "Which metric agrees")
    words = shlex.split(question.command)
    assert words[3:] == ["--human", "mqm", "--metric", "chrf", "--metric", "comet"]
    assert CliRunner().invoke(main, [*words[1:], "--json"]).exit_code == 0
    better = asked(found, "Is one system")
    assert better.why.endswith("By the others likewise: chrf, comet.")
    assert CliRunner().invoke(main, [*shlex.split(better.command)[1:], "--json"]).exit_code == 0
    path.write_text(path.read_text().replace(",mqm,", ",thing,", 1))
    assert "no" in asked(dt.doctor([path]), "Which metric agrees").why


def test_who_is_ahead_is_not_said(tmp_path: Path) -> None:
    rows = "\n".join(f"i{i},{i % 7 + 50},{i % 7}" for i in range(40))
    (tmp_path / "s.csv").write_text(f"item,new,old\n{rows}\n")
    found = dt.doctor([tmp_path / "s.csv"])
    text = " ".join(
        [headline(found), *found.suspicions, *(q.why for q in found.questions)]
        + [could_see(seen) for q in found.questions for seen in q.detects]
    )
    assert "50" not in text
    assert "+" not in text
    mirrored = scores_csv(tmp_path / "m.csv")
    same = dt.doctor([mirrored])
    mirrored.write_text(mirrored.read_text().replace("item,new,old", "item,old,new"))
    again = dt.doctor([mirrored])
    assert [q.detects for q in same.questions] == [q.detects for q in again.questions]


def test_a_share_cannot_differ_by_more_than_one(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("item,a,b\n1,1,0\n2,0,1\n3,1,1\n")
    found = dt.doctor([tmp_path / "s.csv"])
    [seen] = asked(found, "Is one system").detects
    assert math.isnan(seen.median)
    assert could_see(seen).startswith("no difference of any size in accuracy (")
    assert not asked(found, "May the new system replace").possible


def test_logs_of_several_systems_belong_together() -> None:
    found = dt.doctor({"a": SAMPLES / "sacrebleu_A.txt", "b": SAMPLES / "sacrebleu_B.txt"})
    assert facts(found)["systems"] == "2: a, b"
    assert "--scores a=" in found.next_command
    assert "--scores b=" in found.next_command


def test_plain_texts_are_told_apart_by_their_names() -> None:
    names = ("ref.txt", "src.txt", "A.txt", "B.txt")
    found = dt.doctor([SAMPLES / "text" / name for name in names])
    words = shlex.split(asked(found, "Is one system").command or found.next_command)
    assert facts(found)["systems"] == "2: A, B"
    assert facts(found)["references"] == "1"
    assert facts(found)["source"] == "there"
    assert words.count("--system") == 2
    alone = dt.doctor([SAMPLES / "text" / "A.txt", SAMPLES / "text" / "B.txt"])
    assert not asked(alone, "Is one system").possible
    assert "--refs REFERENCE" in asked(alone, "Is one system").why
    assert headline(alone) == "2 files of plain text: no question can be answered yet."


def test_a_log_with_several_scores_takes_the_likely_one_and_says_so() -> None:
    found = dt.doctor([SAMPLES / "scores" / "helm_per_instance_stats.json"])
    said = [text for text in found.suspicions if "in the logs" in text]
    assert len(said) == 1
    assert facts(found)["score"].startswith("exact_match")


def test_judgments_say_what_their_raters_allow() -> None:
    found = dt.doctor([FROZEN / "controls.csv"])
    assert asked(found, "How do the systems rank?").detects
    assert asked(found, "Can the raters be trusted?").possible
    kinds = {q.question: q.possible for q in found.questions}
    judgments = dt.read_judgments(FROZEN / "controls.csv")
    assert facts(found)["judgments"] == f"{judgments.n_judgments:,}"
    pairs: dict[tuple[str, str], set[str]] = {}
    rows = zip(
        judgments.system.labels(),
        judgments.item.labels(),
        judgments.rater.labels() if judgments.rater else [],
        judgments.is_kind("system").tolist(),
        strict=True,
    )
    for system, item, rater, ordinary in rows:
        if ordinary:
            pairs.setdefault((system, item), set()).add(rater)
    shared = sum(len(raters) > 1 for raters in pairs.values())
    assert facts(found)["outputs with two raters"] == f"{shared:,}"
    assert kinds["How much of the spread is noise between raters, and do they agree?"] == (
        shared > 0
    )


def test_judgments_without_raters_say_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    rows = [f"{s},i{i},{50 + i + (s == 'a')},system" for s in "ab" for i in range(20)]
    path.write_text("system,item,score,kind\n" + "\n".join(rows) + "\n")
    found = dt.doctor([path])
    assert asked(found, "Would other raters").why == "Raters are not named."
    assert asked(found, "Can the raters be trusted?").why == "Raters are not named."
    assert not asked(found, "Can the raters be trusted?").possible
    assert asked(found, "How do the systems rank?").possible


def test_judgments_and_scores_of_the_same_outputs_can_help_each_other(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [
        f"{s},i{i},r{i % 3},{rng.integers(40, 90)}" for s in ("new", "old") for i in range(30)
    ]
    (tmp_path / "j.csv").write_text("system,item,rater,score\n" + "\n".join(rows) + "\n")
    files = [tmp_path / "j.csv", scores_csv(tmp_path / "s.csv", 80)]
    found = asked(dt.doctor(files), "Would these scores save judgments?")
    assert found.possible
    assert found.why == "30 items and 2 systems are in both."
    assert shlex.split(found.command)[1:] == ["control-variates", str(files[0]), str(files[1])]
    agrees = asked(dt.doctor(files), "Which metric agrees with people?")
    assert shlex.split(agrees.command)[1:] == [
        *("meta", str(files[0]), "--metric", f"s={files[1]}")
    ]
    text = files[1].read_text()
    files[1].write_text(text.replace("item,new,old", "item,new,other"))
    one = dt.doctor(files)  # one system is in both: nothing to rank
    assert asked(one, "Would these scores save").why == "30 items and 1 system are in both."
    assert not [q for q in one.questions if q.question.startswith("Which metric agrees")]
    (tmp_path / "s.csv").write_text("item,x,y\nq1,1,2\nq2,2,3\n")
    found = asked(dt.doctor(files), "Would these scores save judgments?")
    assert (found.possible, found.why) == (False, "They share 0 items and 0 systems.")


def test_lost_samples_that_differ_between_systems_are_suspicious(tmp_path: Path) -> None:
    rows = [
        f"q{q},{s},{e},{(q * e) % 2}"
        for q in range(40)
        for s in ("a", "b")
        for e in range(1, 5)
        if not (s == "b" and e == 4 and q % 2)
    ]
    path = tmp_path / "epochs.csv"
    path.write_text("item,system,epoch,score\n" + "\n".join(rows) + "\n")
    found = dt.doctor([path])
    assert facts(found)["samples of an item"] == "3 to 4"
    assert any(
        text.startswith("systems lost different shares of their samples: a 0.0%, b 12.5%")
        for text in found.suspicions
    )
    assert "no runs" in asked(found, "Would other runs").why


def test_one_system_and_no_spread(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("item,only\n1,2\n2,3\n")
    found = dt.doctor([tmp_path / "one.csv"])
    assert asked(found, "Is one system").why == (
        "There is one system, only. Give the scores of another."
    )
    (tmp_path / "few.csv").write_text("item,a,b\n1,2,1\n2,3,9\n3,3,1\n")
    seen = asked(dt.doctor([tmp_path / "few.csv"]), "Is one system").detects[0]
    assert math.isnan(seen.median) or seen.median > 0
    assert "3 items" in could_see(seen)


def test_identical_systems_and_an_unknown_direction_are_suspicious(tmp_path: Path) -> None:
    rows = "\n".join(f"{i},{i % 4},{i % 4}" for i in range(20))
    (tmp_path / "s.csv").write_text(f"item,a,b\n{rows}\n")
    found = dt.doctor([tmp_path / "s.csv"])
    assert any("identical scores" in text for text in found.suspicions)
    assert any("--lower-is-better" in text for text in found.suspicions)


def test_a_source_that_comes_again_is_suspicious(tmp_path: Path) -> None:
    lines = "\n".join(f"s{i % 20}\tr {i}\ta {i}\tb {i}" for i in range(40))
    (tmp_path / "t.tsv").write_text(f"src\tref\thyp:a\thyp:b\n{lines}\n")
    found = dt.doctor([tmp_path / "t.tsv"])
    assert "20 sources of 40 come again: their outputs say little new." in found.suspicions


@pytest.mark.parametrize(
    "name",
    [
        "scores_wide.csv",
        "lm_eval",
        "texts.tsv",
        "wmt.xml",
        "judgments/table.csv",
        "judgments/arena.csv",
        "frozen/controls.csv",
        "frozen/ragged.csv",
        "frozen/epochs.csv",
        "frozen/battles.csv",
        "frozen/outputs.csv",
    ],
)
def test_the_commands_that_it_names_work(name: str, tmp_path: Path) -> None:
    path = (
        FROZEN / name.removeprefix("frozen/") if name.startswith("frozen") else SAMPLES / name
    )
    found = dt.doctor([path])
    ran = 0
    for question in found.questions:
        if not question.possible:
            assert question.command == ""
            continue
        program, *words = shlex.split(question.command)
        assert program == "detectable"
        with contextlib.chdir(tmp_path):
            done = CliRunner().invoke(main, [*words, "--json"])
        # Three rows may be too few for a study; the data must be what it reads.
        answers = (0, 1, 3, 4) if words[0] == "gate" else (0, 1)
        assert done.exit_code in answers, (question.command, done.output)
        if name.startswith("frozen"):
            assert done.exit_code != 1, (question.command, done.output)
        assert "no such" not in done.output
        ran += done.exit_code == 0
    assert ran > 0


def test_bad_input() -> None:
    with pytest.raises(InputError, match="at least one file"):
        dt.doctor([])
    with pytest.raises(DataError, match="no such file"):
        dt.doctor(["nowhere.csv"])
    run = CliRunner().invoke
    assert run(main, ["doctor"]).exit_code == 2
    assert run(main, ["doctor", "a=b", "c"]).exit_code == 2
    assert run(main, ["doctor", "a=b", "a=c"]).exit_code == 2
    assert run(main, ["doctor", "nowhere.csv"]).exit_code == 1


def test_a_file_that_nobody_knows_is_named_beside_those_that_are_known(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"a": "x"}')
    (tmp_path / "empty.csv").write_text("")
    path = scores_csv(tmp_path / "s.csv")
    found = dt.doctor([tmp_path / "x.json", path, tmp_path / "empty.csv"])
    assert [file.kind for file in found.files] == ["unknown", "scores", "unknown"]
    assert any("x.json" in text for text in found.suspicions)
    assert any("the file is empty" in text for text in found.suspicions)
    assert found.next_command.startswith("detectable compare")


def test_a_folder_of_no_known_kind_is_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "evals"
    (folder / "june").mkdir(parents=True)
    scores_csv(folder / "june" / "s.csv")
    (folder / "README.md").write_text("What this is.\n")
    (folder / ".hidden").write_text("x\n")
    battles = (SAMPLES / "judgments" / "arena.csv").read_text()
    (folder / "votes.csv").write_text(battles)
    found = dt.doctor([f"{folder}/"])
    assert [(Path(file.path).name, file.kind) for file in found.files] == [
        ("s.csv", "scores"),
        ("votes.csv", "preferences"),
    ]
    assert asked(found, "Is one system").possible
    assert asked(found, "Which systems are preferred").command == (
        f"detectable arena {folder / 'votes.csv'}"
    )


def test_folders_that_hold_nothing_for_it(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the folder is empty"):
        dt.doctor([tmp_path])
    (tmp_path / "x.json").write_text('{"a": "x"}')
    with pytest.raises(DataError, match=r"a folder of no known kind.* Name the files"):
        dt.doctor([tmp_path])
    scores_csv(tmp_path / "s.csv")
    assert dt.doctor([tmp_path]).files[0].kind == "scores"
    for i in range(38):
        (tmp_path / f"{i}.json").write_text('{"a": "x"}')
    assert dt.doctor([tmp_path]).files[0].kind == "scores"  # of forty
    (tmp_path / "38.json").write_text('{"a": "x"}')
    with pytest.raises(DataError, match="too many files for one evaluation"):
        dt.doctor([tmp_path])


def inspect_log(path: Path, model: str, scorer: str, items: range) -> Path:
    answers = [
        {"id": str(i), "epoch": 1, "scores": {scorer: {"value": "C" if i % 3 else "I"}}}
        for i in items
    ]
    log = {"status": "success", "eval": {"task": scorer, "model": model}, "samples": answers}
    path.write_text(json.dumps(log))
    return path


@pytest.mark.parametrize("as_folder", [True, False])
def test_logs_that_cannot_be_read_as_one_are_examined_in_groups(
    tmp_path: Path, as_folder: bool
) -> None:
    paths = [
        inspect_log(tmp_path / "a1.json", "a", "choice", range(12)),
        inspect_log(tmp_path / "a2.json", "a", "match", range(9)),
        inspect_log(tmp_path / "b1.json", "b", "choice", range(12)),
        inspect_log(tmp_path / "b2.json", "b", "match", range(9)),
    ]
    broken = inspect_log(tmp_path / "c.json", "c", "choice", range(12))
    broken.write_text(broken.read_text().replace('"value": "C"', '"value": "?"'))
    found = dt.doctor([tmp_path] if as_folder else [*paths, broken])
    compared = [one for one in found.questions if one.question.startswith("Is one system")]
    assert [(one.data, one.why) for one in compared if one.possible] == [
        ("a1.json and 1 more", "Paired on 12 items."),
        ("a2.json and 1 more", "Paired on 9 items."),
    ]
    assert f"a1={paths[0]}" in compared[0].command
    assert f"b1={paths[2]}" in compared[0].command
    assert found.suspicions[0].startswith(
        "These files do not fit together, so each is described on its own: "
    )
    assert any("c.json" in text for text in found.suspicions[1:])
    # In a message about a file of a folder, the two names are parted.
    assert not any(f"{tmp_path.name}a1" in text for text in found.suspicions)


def samples_csv(path: Path, *, lost: int = 0, tasks: int = 2, documents: int = 20) -> Path:
    """Write 40 questions with two samples each; the last samples of `new` may be lost."""
    rng = np.random.default_rng(9)
    lines = ["system,task,document,item,sample,score"]
    for system in ("old", "new"):
        rows = [
            f"{system},t{i % tasks},d{i % documents},q{i},{k},{rng.integers(0, 2)}"
            for k in (1, 2)
            for i in range(40)
        ]
        lines += rows[: len(rows) - lost] if system == "new" else rows
    path.write_text("\n".join(lines) + "\n")
    return path


def test_every_fact_of_a_log_with_samples(tmp_path: Path) -> None:
    found = dt.doctor([samples_csv(tmp_path / "s.csv", lost=3)])
    assert facts(found) == {
        "score": "score (right or wrong: higher is better)",
        "systems": "2: old, new",
        "items": "40",
        "samples of an item": "1 to 2",
        "tasks": "2: t0, t1",
        "documents": "20: d0, d1, d2, d3 and 16 more",
    }
    assert asked(found, "Is one system").why.startswith("Paired on 20 documents of 40 items.")
    assert asked(found, "Would other runs").why == (
        "Samples of an item are no runs: they share the system that gave them."
    )
    assert asked(found, "How many documents").why == "There are 2 tasks; it takes one alone."
    assert any("old 0.0%, new 3.7%" in one for one in found.suspicions)


@pytest.mark.parametrize(("documents", "why"), [(2, "It takes three documents or more; found: 2."), (3, "3 documents are named.")])  # fmt: skip
def test_three_documents_may_be_asked_about(tmp_path: Path, documents: int, why: str) -> None:
    path = samples_csv(tmp_path / "s.csv", tasks=1, documents=documents)
    question = asked(dt.doctor([path]), "How many documents")
    assert (question.why, question.possible) == (why, documents == 3)


@pytest.mark.parametrize(("lost", "told"), [(0, False), (1, False), (2, True)])
def test_lost_samples_are_told_from_two_points_on(
    tmp_path: Path, lost: int, told: bool
) -> None:
    """Of 80 samples one is 1.25 %, two are 2.5 %."""
    found = dt.doctor([samples_csv(tmp_path / "s.csv", lost=lost)])
    assert (
        any("lost different shares of their samples" in one for one in found.suspicions) == told
    )


def test_runs_and_gaps_are_counted(tmp_path: Path) -> None:
    rows = [
        f"{s},{r},i{i},{(i * 7 + r) % 5}"
        for s, runs in (("a", 1), ("b", 3))
        for r in range(1, runs + 1)
        for i in range(12)
    ]
    (tmp_path / "r.csv").write_text("\n".join(["system,run,item,comet", *rows[:-1]]) + "\n")
    loaded = dt.read_scores(tmp_path / "r.csv", columns={"score": "comet"})
    examined = of_scores("r.csv", loaded, ["--scores", "r.csv"], lambda *_: None)
    told = {fact.what: fact.value for fact in examined.facts}
    assert told["runs of a system"] == "1 to 3"
    assert told["items without a score of some system"] == "1"
    assert told["score"] == "comet (higher is better)"
    [runs] = [one for one in examined.questions if one.question.startswith("Would other runs")]
    assert runs.why == "There is one run of a."


def test_a_gate_on_scores_of_unknown_direction_says_one(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [f"{name},{i},{rng.gamma(4.0):.3f}" for name in ("old", "new") for i in range(60)]
    path = tmp_path / "s.csv"
    path.write_text("\n".join(["system,item,score", *rows]) + "\n")
    words = shlex.split(asked(dt.doctor([path]), "May the new system replace").command)
    assert words[words.index("--higher-is-better") + 1] == "score"
    done = CliRunner().invoke(main, words[1:])
    assert done.exit_code in (0, 3, 4), done.output


def test_numbered_files_are_runs_of_one_system(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    words = [" ".join(rng.choice(list("abcdefg"), 9)) for _ in range(40)]
    (tmp_path / "ref.txt").write_text("\n".join(words) + "\n")
    for name in ("old.opt0", "old.opt1", "new.opt0", "new.opt1"):
        own = [" ".join(rng.permutation(line.split())) for line in words]
        (tmp_path / f"hyps.{name}").write_text("\n".join(own) + "\n")
    found = dt.doctor(tmp_path)
    assert facts(found)["systems"] == "2: new, old"
    question = asked(found, "Would other runs")
    assert question.possible
    [_, *words] = shlex.split(question.command)
    made = CliRunner().invoke(main, words)
    assert made.exit_code == 0, made.output
    assert "SD (runs)" in made.output
