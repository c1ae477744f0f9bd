"""Every command on every format that it reads; ``@name`` stands for a file of `seeds`."""

import shlex
from dataclasses import dataclass, replace

from tests.fuzz import harness_seeds
from tests.fuzz.seeds import JUDGMENTS, LM_EVAL

_DRAWS = "--resamples 199 --seed 1"
_TEXTS = "--refs @ref.txt --system new=@new.txt --system old=@old.txt"
_PLAN = "plan new {tmp}/ship.json --systems new,old --n-max 60 --unit item"
_STUDY = "--orders 100 --resamples 99 --seed 1"
_DIRECTION = "--language-pair de-en --seed 1"
_NO_COPIES = ("esa", "wmt25", "mqm", "pearmut", "label-studio")  # have no degraded copies


@dataclass(frozen=True, slots=True)
class Template:
    """A command line that works; what stands before it is run first and never changed."""

    name: str
    words: tuple[str, ...]
    before: tuple[tuple[str, ...], ...] = ()
    inside: tuple[str, ...] = ()  # files in a folder that the words name

    @property
    def files(self) -> list[str]:
        """The files that it reads."""
        return list(self.inside) or [
            part[1:]
            for word in self.words
            for part in word.replace("=", " ").replace(",", " ").split()
            if part.startswith("@")
        ]


def _template(name: str, line: str, *before: str) -> Template:
    return Template(
        name, tuple(shlex.split(line)), tuple(tuple(shlex.split(b)) for b in before)
    )


def _of_judgments() -> list[Template]:
    made = []
    for format, (file, _) in JUDGMENTS.items():
        lines = {
            "rank": f"rank @{file} {_DRAWS}",
            "rank-mixed": f"rank @{file} --test mixed --seed 1",
            "mixed": f"mixed @{file}",
            "variance": f"variance @{file}",
            "agreement": f"agreement @{file}",
            "import": f"import @{file} {{tmp}}/out.jsonl",
        }
        if format not in _NO_COPIES:
            lines["quality"] = f"quality @{file} --seed 1"
        made += [_template(f"{name} {format}", line) for name, line in lines.items()]
        scale = "" if format != "mqm" else " --scale -25:0"
        made.append(
            _template(f"look {format}", f"look {{tmp}}/ship.json @{file}", _PLAN + scale)
        )
    return made


def _of_scores() -> list[Template]:
    given = {
        "wide": "@wide.csv",
        "long": "@long.csv",
        "comet": "@comet.json",
        "seg-score": "@seg.score",
        "comet-text": "@comet.txt",
        "tasks": "@epochs.csv",
        "weights": "@epochs.csv --weights s=2,t=1 --task-correction none",
        "samples": "@epochs.csv --tasks pooled --metric pass^2 --metric accuracy",
        "mt-bench": "@mt_bench.jsonl",
    }
    lines = {name: f"--scores {file}" for name, file in given.items()}
    for name, ending in (
        ("lines", "scores"),
        ("sacrebleu", "sacrebleu"),
        ("inspect", "json"),
        ("inspect-zip", "eval"),
        ("metricx", "metricx.jsonl"),
    ):
        lines[name] = f"--scores new=@new.{ending} --scores old=@old.{ending}"
    lines["lm-eval"] = f"--scores new=@new/{LM_EVAL} --scores old=@old/{LM_EVAL}"
    made = [_template(f"compare {n}", f"compare {line} {_DRAWS}") for n, line in lines.items()]
    return [*made, *_of_gates()]


def _of_gates() -> list[Template]:
    baseline = "--baseline @baseline.json --margin .5 --inconclusive pass"
    tested = "--self-test --resamples 50 --seed 1"
    lines = {
        "gate scores": "gate @long.csv --baseline old --margin .5 --higher-is-better score "
        f"--inconclusive pass {tested}",
        "gate baseline": f"gate @new.json {baseline} --junit {{tmp}}/gate.xml",
        "gate old": "gate @new.json --baseline @old.json --margin .5 --inconclusive pass",
        "gate suite": "gate @new.json --baseline @old.json --margin 10% "
        "--errors zero --inconclusive pass",
        "score": "score @new.json --overall micro --errors zero",
        "gate accept": "gate @new.eval --baseline {tmp}/accepted.json --accept",
    }
    return [_template(name, line) for name, line in lines.items()]


def _of_harnesses() -> list[Template]:
    made = []
    for format, (files, options) in harness_seeds.SCORES.items():
        given = (
            [f"--scores @{name}" for name in files]
            if len(files) == 1
            else [f"--scores {s}=@{name}" for s, name in zip("ab", files, strict=True)]
        )
        line = f"compare {' '.join(given)} {options} {_DRAWS}"
        made.append(_template(f"compare {format}", line))
    for format, (files, named, commands) in harness_seeds.HUMAN.items():
        for name in commands:
            more = {"import": "{tmp}/out.jsonl", "audit": "", "variance": ""}.get(name, _DRAWS)
            one = _template(f"{name} {format}", f"{name} {named} {more}")
            inside = () if f"@{next(iter(files))}" == named else tuple(files)
            made.append(replace(one, inside=inside))
    return made


def _of_processes() -> list[Template]:
    """Commands with as many draws as make several blocks, in two processes."""
    lines = {
        "compare": "compare --scores @wide.csv --resamples 20000 --seed 1",
        "compare texts": f"compare {_TEXTS} --resamples 20000 --seed 1 --metric ter",
        "rank": "rank @j.csv --unit item --resamples 20000 --seed 1",
        "power bleu": "power bleu --n 500 --effect 1 --simulate --trials 600 --seed 1",
        "reliability": f"reliability {_TEXTS} --documents @docs.txt --orders 4000 "
        "--resamples 99 --seed 1",
        "savings": "savings @archive.csv --unpaired --budgets 10,20 --step 2 --repeats 300 "
        "--looks 3 --seed 1",
    }
    return [_template(f"{name} jobs", f"{line} --jobs 2") for name, line in lines.items()]


def _of_texts() -> list[Template]:
    given = {
        "texts": _TEXTS,
        "documents": f"{_TEXTS} --documents @docs.txt --sources @src.txt",
        "text-table": "--corpus @texts.tsv",
        "xml": "--corpus @wmt.xml",
        "sgm": "--refs @ref.sgm --system new=@new.sgm --system old=@old.sgm",
    }
    made = [
        _template(f"compare {name}", f"compare {line} {_DRAWS} --metric {metric}")
        for name, line in given.items()
        for metric in ("bleu", "chrf", "ter")
    ]
    return [
        *made,
        *(
            _template(
                f"campaign {name}", f"campaign new ship --store {{tmp}} {line} --mode reference"
            )
            for name, line in given.items()
        ),
        *(
            _template(
                f"campaign from {name}",
                f"campaign new ship --store {{tmp}} --from @{name} --protocol esa "
                "--training @training.csv",
            )
            for name in ("pearmut-campaign.json", "batches.json", "tasks.csv")
        ),
        *(_template(f"tasks {name}", f"tasks {line} --seed 1") for name, line in given.items()),
    ]


def _others() -> list[Template]:
    pilot = "--system new --baseline old --n 8 --effect .3 --trials 20 --seed 1"
    few = "--budgets 10,20 --step 2 --repeats 5 --looks 3 --seed 1"
    lines = {
        "design": "design --looks 5 --n-max 1200",
        "power accuracy": "power accuracy --n 500 --agreement .975 --effect .02",
        "power bleu": "power bleu --n 500 --effect 1 --trials 20 --seed 1",
        "power rank-sum": "power rank-sum --n 1500 --effect .47",
        "power samples": (
            "power samples --n 130 --effect .05 --question-variance .02 --sample-variance .15 "
            "--samples 4 --question-cost 2 --sample-cost 1"
        ),
        "mde samples": "mde samples --n 50 --scores @epochs.csv --system new --baseline old",
        "power preference": "power preference --n 200 --effect .1 --seed 1",
        "power ratings": "power ratings --n 600 --mean 75 --sd 20 --effect 3 --seed 1",
        "power likert": (
            "power likert --raters 5 --items 20 --effect .2 --preset card-high --trials 10 --seed 1"
        ),
        "power pilot": f"power pilot --ratings @complete.csv --raters 3 {pilot}",
        "mde accuracy": "mde accuracy --n 1000 --agreement .95",
        "sample-size accuracy": "sample-size accuracy --agreement .95 --effect .01",
        "power-curve rank-sum": "power-curve rank-sum --n 500,1500 --effect .45,.47",
        "cheapest ratings": (
            "cheapest ratings --effect 3 --mean 75 --sd 20 --judgment-cost 1 --item-cost .5 --seed 1"
        ),
        "arena": "arena @battles.csv --covariate length --seed 1",
        "arena two": "arena @pair.csv --seed 1",
        "arena davidson": "arena @battles.csv --ties davidson --seed 1",
        "arena firth": "arena @battles.csv --penalty firth --side none --seed 1",
        "arena bootstrap": "arena @battles.csv --bootstrap 100 --seed 1",
        "arena hard": "arena @hard.jsonl --seed 1",
        "arena mt-bench": "arena @mtb.jsonl --seed 1",
        "arena alpaca": "arena @alpaca.json --seed 1",
        "power arena": "power arena --n 5000 --effect 15 --systems 4 --pairing uniform",
        "labels": "labels --half-width .05 --sd .5 --correlation .7 --n-pool 2000",
        "labels pilot": (
            "labels --mde 4 --pilot @j.csv --judge @long.csv --system new --baseline old"
        ),
        "meta columns": f"meta @outputs.csv --human mqm --metric good --metric ter {_DRAWS}",
        "meta segments": (
            f"meta @outputs.csv --human mqm --metric good --metric ter --level segment {_DRAWS}"
        ),
        "meta files": f"meta @long.csv --metric comet=@long.csv {_DRAWS}",
        "meta judgments": f"meta @j.csv --judgments --metric comet=@long.csv {_DRAWS}",
        "agreement judge": "agreement @j.csv --judge @long.csv",
        "select": "select @long.csv --n-items 8 --by metric --higher-is-better --sheet {tmp}/s.csv",
        "stratify": "stratify @long.csv --n-items 8 --seed 1 --sheet {tmp}/sheet.csv",
        "control-variates judge": ("control-variates @j.csv --judge @long.csv --baseline old"),
        "rogan-gladen": (
            "control-variates @labels.csv @zero_one.csv --method rogan-gladen --scale 0:1 "
            "--labelled-judge @labelled_judge.csv"
        ),
        "control-variates": "control-variates @j.csv @long.csv --baseline old",
        "savings": f"savings @archive.csv --unpaired {few}",
        "rank segments": "rank --segment-scores @segments.csv --seed 1",
        "plan new": _PLAN,
        "reliability texts": f"reliability {_TEXTS} --documents @docs.txt {_STUDY}",
        "reliability scores": f"reliability --scores @wide.csv --documents @docs.txt {_STUDY}",
        "reliability judgments": f"reliability --judgments @j.csv --method delta {_STUDY}",
        "translationese texts": (
            f"translationese --corpus @texts.tsv --original-languages @origins.csv {_DIRECTION}"
        ),
        "translationese judgments": (
            f"translationese --judgments @j.csv --original-languages @origins.csv {_DIRECTION} "
            "--human old --margin 5"
        ),
        "meaning": "meaning --archive @meanings.csv --metric comet --resamples 60 --seed 1",
        "audit judgments": "audit @archive.csv --by campaign",
        "audit comparisons": "audit @comparisons.csv --by team",
        "audit histograms": "audit @histograms.npz --by language-pair",
        "audit benchmark": "audit @benchmark.csv",
        "audit survey": "audit @studies.csv",
        "report one": "report @comparison.json",
        "report bake": "report @comparison.json r=@ranking.json --bake {tmp}/page.html --force",
        "report several": "report @ranking.json a=@savings.json b=@audit.json --title T",
    }
    made = [_template(name, line) for name, line in lines.items()]
    preferences = f"{_PLAN} --test preference".replace(" --unit item", "")
    made.append(
        _template("look preferences", "look {tmp}/ship.json @preferences.csv", preferences)
    )
    kept = f"compare {_TEXTS} --metric chrf {_DRAWS} --out {{tmp}}/c.json"
    made.append(_template("report segments", "report {tmp}/c.json --bake {tmp}/c.html", kept))
    made.append(_template("look battles", "look {tmp}/ship.json @pair.csv", preferences))
    looked = "look {tmp}/ship.json @j.csv --final"
    made.append(_template("plan show", "plan show {tmp}/ship.json", _PLAN, looked))
    made.append(_template("conclude", "conclude {tmp}/ship.json", _PLAN, looked))
    made.append(_template("verify plan", "verify {tmp}/ship.json @j.csv", _PLAN, looked))
    made.append(_template("doctor judgments", "doctor @j.csv"))
    made.append(_template("doctor scores", "doctor @wide.csv @long.csv"))
    made.append(_template("doctor texts", "doctor @ref.txt @src.txt @new.txt @old.txt"))
    made.append(_template("doctor logs", "doctor new=@new.json old=@old.json"))
    made.append(_template("subsample", "subsample @new.json --n 3 --seed 1"))
    made.append(_template("release", "release {tmp}/c.json {tmp}/given --licence CC0", kept))
    made.append(_template("verify result", "verify @comparison.json"))
    return made


TEMPLATES: tuple[Template, ...] = (
    *_of_judgments(),
    *_of_scores(),
    *_of_harnesses(),
    *_of_texts(),
    *_of_processes(),
    *_others(),
)
