"""Every command on every format that it reads; ``@name`` stands for a file of `seeds`."""

import shlex
from dataclasses import dataclass

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

    @property
    def files(self) -> list[str]:
        """The files that it reads."""
        return [
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
            "variance": f"variance @{file} {_DRAWS}",
            "agreement": f"agreement @{file} {_DRAWS}",
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
    return [_template(f"compare {n}", f"compare {line} {_DRAWS}") for n, line in lines.items()]


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
        "stratify": "stratify @long.csv --n-items 8 --bins 2 --seed 1 --sheet {tmp}/sheet.csv",
        "control-variates judges": (
            "control-variates @j.csv --judge @long.csv --judge @long.csv --baseline old"
        ),
        "rogan-gladen": (
            "control-variates @labels.csv @zero_one.csv --method rogan-gladen --scale 0:1 "
            "--labelled-judge @labelled_judge.csv --seed 1"
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
        "audit judgments": "audit @archive.csv --by campaign",
        "audit comparisons": "audit @comparisons.csv --by team",
        "audit histograms": "audit @histograms.npz --by language-pair",
        "audit benchmark": "audit @benchmark.csv",
        "audit survey": "audit @studies.csv",
        "report one": "report @comparison.json",
        "report several": "report @ranking.json a=@savings.json b=@audit.json --title T",
    }
    made = [_template(name, line) for name, line in lines.items()]
    preferences = f"{_PLAN} --test preference".replace(" --unit item", "")
    made.append(
        _template("look preferences", "look {tmp}/ship.json @preferences.csv", preferences)
    )
    looked = "look {tmp}/ship.json @j.csv --final"
    made.append(_template("plan show", "plan show {tmp}/ship.json", _PLAN, looked))
    made.append(_template("conclude", "conclude {tmp}/ship.json", _PLAN, looked))
    return made


TEMPLATES: tuple[Template, ...] = (*_of_judgments(), *_of_scores(), *_of_texts(), *_others())
