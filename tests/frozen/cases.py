"""Commands whose JSON is frozen: every command there is, on samples and on bundled data.

A case runs in an empty folder with links to tests/frozen/data, to tests/data/samples and to the
bundled test set, `example`. A case of several commands prints what the last one says.
"""

_EXAMPLE = (
    "--refs example/reference.txt --documents example/documents.txt "
    "--system baseline=example/baseline.run1.txt,example/baseline.run2.txt "
    "--system contender=example/contender.run1.txt,example/contender.run2.txt"
)
_ONE_RUN = (
    "--refs example/reference.txt --documents example/documents.txt "
    "--system a=example/baseline.run1.txt --system b=example/baseline.run2.txt "
    "--system c=example/contender.run1.txt"
)
_FEW = "--budgets 120,240 --step 20 --repeats 20 --looks 6 --seed 1"
_PLAN = "plan new ship.json --systems new,old"
_LIVE = "plan new live.json --against data/zero_one.csv --system old --margin 0.2 --seed 7"

CASES: dict[str, tuple[str, ...]] = {
    "demo": ("demo --output demo.html",),
    "doctor": (
        "import data/controls.csv j.csv",
        f"{_PLAN} --n-max 60 --unit item",
        "doctor j.csv ship.json",
    ),
    "compare-texts": (
        f"compare {_EXAMPLE} --baseline baseline --metric bleu --metric ter --seed 1",
    ),
    "compare-random-runs": (
        f"compare {_EXAMPLE} --metric chrf --runs random --effect 1 --seed 1 --resamples 3000",
    ),
    "compare-all-pairs": (
        f"compare {_ONE_RUN} --metric bleu --metric chrf --correction max-t --seed 2 --margin bleu=2 "
        "--family systems-and-metrics --resamples 3000",
    ),
    "compare-bootstrap": (
        f"compare {_ONE_RUN} --metric bleu --test bootstrap --interval bca --seed 2 "
        "--unit segment --resamples 2000 --baseline a",
    ),
    "compare-scores": (
        "compare --scores data/metric.csv --baseline old --margin .02 --seed 3",
    ),
    "compare-accuracy": ("compare --scores data/binary.csv --baseline old --seed 3",),
    "compare-answers": (
        "compare --scores data/binary.csv --baseline old --unit segment --seed 3",
    ),
    "compare-tasks": ("compare --scores data/epochs.csv --baseline old --seed 3",),
    "compare-samples": (
        "compare --scores data/epochs.csv --baseline old --tasks pooled --metric accuracy "
        "--metric pass@2 --metric pass^2 --seed 3",
    ),
    "gate": (
        "gate data/binary.csv --baseline old --margin .08 --inconclusive pass --self-test "
        "--resamples 500 --seed 4",
    ),
    "gate-superiority": (
        "gate data/metric.csv --baseline old --system new --rule superiority --inconclusive pass "
        "--higher-is-better score",
    ),
    "gate-suite": (
        "gate data/suite.csv --baseline old --margin match=.15 --margin includes=.15 --margin "
        "latency=5% --by lang --overall macro --inconclusive pass",
    ),
    "gate-mean": (
        "gate data/suite.csv --baseline old --margin match=.15 --margin includes=.15 --overall "
        "micro --decide overall --inconclusive pass",
    ),
    "gate-pass-at-two": (
        "gate data/epochs.csv --baseline old --task math --metric pass@2 --margin .3 "
        "--inconclusive pass",
    ),
    "score": (
        "score data/suite.csv --system new --score-name match --score-name includes --by lang "
        "--overall macro",
    ),
    "score-samples": ("score data/epochs.csv --system old --metric pass^2",),
    "gate-accepted": (
        "gate data/binary.csv --system old --baseline baseline.json --accept --commit 3f2c",
    ),
    "gate-file": (
        "gate data/binary.csv --system old --baseline baseline.json --accept",
        "gate data/binary.csv --system new --baseline baseline.json --rule no-regression "
        "--margin accuracy=.1 --inconclusive pass --count-attempts",
    ),
    "compare-sacrebleu": (
        f"compare {_ONE_RUN} --metric bleu --compat sacrebleu --baseline a --seed 12345 "
        "--resamples 1000",
    ),
    "compare-multeval": (
        f"compare {_EXAMPLE} --metric bleu --compat multeval --baseline baseline --seed 1 "
        "--resamples 1000",
    ),
    "compare-drawn-runs": (
        f"compare {_EXAMPLE} --baseline baseline --metric chrf --runs-drawn 1,2 --median-by dev "
        "--dev-scores baseline=50,50.1 --dev-scores contender=52.1,52 --seed 1 --resamples 1000",
    ),
    "compare-corpus": ("compare --corpus samples/texts.tsv --metric chrf --seed 1",),
    "reliability-texts": (
        f"reliability {_ONE_RUN} --metric bleu --metric ter --effect bleu=1 --method exact "
        "--orders 100 --resamples 200 --seed 1",
    ),
    "reliability-judgments": (
        "reliability --judgments data/ragged.csv --half-width 2 --orders 100 --resamples 200 "
        "--seed 2",
    ),
    "reliability-random-order": (
        f"reliability {_ONE_RUN} --metric bleu --metric ter --order random --chart-system c "
        "--chart-metric ter --close-to .01 --method delta --orders 100 --seed 1",
    ),
    "power-accuracy": ("power accuracy --n 500 --agreement .975 --effect .02",),
    "power-accuracy-margin": (
        "power accuracy --n 900 --agreement .95 --effect 0 --margin .02 --claim equivalent",
    ),
    "power-accuracy-unpaired": (
        "power accuracy --n 500 --unpaired --baseline-accuracy .8 --effect .05",
    ),
    "power-bleu": ("power bleu --n 2000 --effect 1 --trials 200 --seed 1",),
    "power-rank-sum": ("power rank-sum --n 1500 --effect .47",),
    "power-samples": (
        "power samples --n 130 --effect .05 --question-variance .02 --sample-variance .15 "
        "--samples 4 --question-cost 2 --sample-cost 1",
    ),
    "mde-samples-pilot": (
        "mde samples --n 100 --scores data/epochs.csv --system new --baseline old",
    ),
    "power-preference": ("power preference --n 200 --effect .1 --seed 1",),
    "power-arena": (
        "power arena --n 20000 --effect 15 --systems 8 --pairing uniform --ties .2 "
        "--design-effect 1.3 --family all-pairs",
    ),
    "sample-size-arena": ("sample-size arena --effect 10",),
    "power-ratings": ("power ratings --n 600 --mean 75 --sd 20 --effect 3 --seed 1",),
    "power-likert": (
        "power likert --raters 5 --items 20 --effect .2 --preset card-high --trials 50 --seed 1",
    ),
    "power-pilot": ("power pilot --example --n 30 --effect 2 --trials 300 --seed 1",),
    "power-pilot-ratings": (
        "power pilot --ratings data/complete.csv --system new --baseline old --n 20 "
        "--raters 4 --effect .3 --trials 40 --seed 1",
    ),
    "mde-accuracy": ("mde accuracy --n 1000 --agreement .95",),
    "mde-bleu": ("mde bleu --n 2000",),
    "sample-size-accuracy": ("sample-size accuracy --agreement .95 --effect .01",),
    "sample-size-ratings": (
        "sample-size ratings --mean 75 --sd 20 --effect 3 --power .8 --seed 1",
    ),
    "power-curves-accuracy": (
        "power-curve accuracy --n 100,250,500,1000,5000 --effect .0025,.005,.01,.02,.03,.04,.05 "
        "--agreement .7,.95",
    ),
    "sample-sizes": ("sample-size rank-sum --effect .45,.47",),
    "sample-sizes-archive": (
        "sample-size ratings --from data/archive.csv --by campaign --effect 2,4 --test rank-sum "
        "--method closed-form",
    ),
    "power-curve-rank-sum": ("power-curve rank-sum --n 500,1500 --effect .45,.47",),
    "cheapest-ratings": (
        "cheapest ratings --effect 3 --mean 75 --sd 20 --judgment-cost 1 --item-cost .5 --seed 1",
    ),
    "tasks": (f"tasks {_ONE_RUN} --seed 1",),
    "tasks-files": (
        f"tasks {_ONE_RUN} --n-items 6 --per-task 20 --output . --appraise deu-eng --seed 1",
    ),
    "tasks-blind": (
        f"tasks {_ONE_RUN} --n-items 2 --per-task 20 --raters 1 --kind document --blind --output . "
        "--appraise deu-eng --seed 1",
    ),
    "campaign-new": (f"campaign new ship --store . {_ONE_RUN} --mode reference --seed 1",),
    "campaign-status": (
        f"campaign new ship --store . {_ONE_RUN} --mode reference --seed 1",
        "campaign links ship --store . --raters 2 --output links.csv",
        "campaign open ship --store .",
        "campaign status ship --store .",
    ),
    "campaign-stop": (
        f"campaign new ship --store . {_ONE_RUN} --mode reference --seed 1",
        "campaign open ship --store .",
        "campaign pause ship --store .",
        "campaign stop ship --store .",
        "campaign backup copy.sqlite --store .",
        "campaign close ship --store .",
    ),
    "tasks-overlap": (f"tasks {_ONE_RUN} --n-items 100 --raters 3 --overlap .1 --seed 1",),
    "import-esa": ("import samples/judgments/appraise_11.csv judgments.csv",),
    "import-mqm": ("import samples/judgments/mqm_newstest2020_ende.tsv judgments.jsonl",),
    "quality": ("quality data/controls.csv --seed 1",),
    "quality-signed-rank": (
        "quality data/controls.csv --test signed-rank --correction holm --effect 20 --seed 1",
    ),
    "rank": ("rank data/ragged.csv --seed 1",),
    "rank-controls": ("rank data/controls.csv --seed 1 --unit item --margin 3",),
    "rank-wmt21": ("rank data/controls.csv --preset wmt21 --seed 1",),
    "rank-wmt25": ("rank data/ragged.csv --preset wmt25 --seed 1",),
    "rank-signed-rank": ("rank data/ragged.csv --test signed-rank --standardise z --seed 1",),
    "rank-stouffer": ("rank data/ragged.csv --test stouffer --unit item --seed 1",),
    "rank-mixed": ("rank data/complete.csv --test mixed --unit item --seed 1",),
    "rank-segments": ("rank --segment-scores data/segments.csv --seed 1",),
    "rank-repeat": ("rank data/ragged.csv --repeat both --seed 1",),
    "rank-repeat-raters": ("rank data/complete.csv --repeat raters --keep .95 --seed 1",),
    "rank-repeat-size": (
        "rank data/controls.csv --systems old,human --repeat documents --repeat-documents 60 "
        "--repeat-raters 2 --seed 1",
    ),
    "rank-appraise": (
        "rank samples/judgments/appraise_11.csv --test rank-sum --unit item --seed 1",
    ),
    "arena": ("arena data/battles.csv --seed 1 --covariate length",),
    "arena-davidson": (
        "arena data/battles.csv --ties davidson --cluster prompt --side none --between owl,cod "
        "--effect 30 --seed 2",
    ),
    "arena-bootstrap": (
        "arena data/battles.csv --bootstrap 200 --weights pairs --ties drop --seed 3 --alpha .1",
    ),
    "arena-capped": ("arena data/battles.csv --cap-voter 1.5 --seed 1",),
    "arena-hard": ("arena samples/judgments/arena_hard.jsonl --seed 1",),
    "mixed": ("mixed data/complete.csv --unit item",),
    "mixed-documents": ("mixed data/complete.csv --baseline old --alpha .1",),
    "variance": ("variance data/controls.csv",),
    "variance-several": (
        "variance data/controls.csv data/ragged.csv --pooled all --metric-correlation 1,.5",
    ),
    "variance-raters": (
        "variance data/ragged.csv --pooled all --unit rater --repeats first --alpha .1",
    ),
    "agreement": ("agreement data/controls.csv",),
    "control-variates": ("control-variates data/controls.csv data/metric.csv --baseline old",),
    "agreement-spans": ("agreement data/controls.csv --spans data/marks.jsonl",),
    "agreement-judge": ("agreement data/controls.csv --judge data/metric.csv",),
    "select": (
        "select data/metric.csv --n-items 12 --by metric --higher-is-better --sheet s.csv --record s.json",
    ),
    "select-take": (
        "select data/one_judge.csv --take 0=all --take 1=50% --sheet s.csv --record s.json",
    ),
    "control-variates-weighed": ("control-variates data/weighed.csv data/weighed_metric.csv",),
    "control-variates-review": (
        "control-variates data/review.csv --judge data/one_judge.csv --scale 0:1",
    ),
    "rank-weighed": ("rank data/weighed.csv --seed 1",),
    "select-random": ("select data/metric.csv --n-items 12",),
    "stratify": ("stratify data/metric.csv --n-items 12 --seed 1 --sheet s.csv",),
    "agreement-judge-faults": (
        "agreement data/controls.csv --judge data/metric.csv --by system --length item "
        "--earlier data/metric.csv",
    ),
    "rogan-gladen": (
        "control-variates data/labels.csv --judge data/zero_one.csv --method rogan-gladen "
        "--labelled-judge data/labelled_judge.csv --scale 0:1",
    ),
    "labels": ("labels --half-width .05 --sd .5 --correlation .7 --n-pool 2000",),
    "labels-quality": (
        "labels --half-width 1 --sd 29.4 --correlation .5 --quality-share .231",
    ),
    "labels-pilot": (
        "labels --mde 4 --pilot data/controls.csv --judge data/metric.csv --system new "
        "--baseline old --target test-set",
    ),
    "meaning": ("meaning bleu 1.0",),
    "meaning-ter": ("meaning ter 4",),
    "meaning-curve": ("meaning chrf",),
    "meaning-archive": (
        "meaning --archive data/meanings.csv --metric comet --resamples 60 --seed 1",
    ),
    "doctor-archive": ("doctor data/meanings.csv",),
    "meta": (
        "meta data/outputs.csv --human mqm --metric good --metric ter --seed 1 "
        "--statistic spa --statistic pearson --resamples 200",
    ),
    "meta-segments": (
        "meta data/outputs.csv --human mqm --metric good --metric ter --level segment --seed 1 "
        "--resamples 200 --draw-systems",
    ),
    "translationese": (
        "translationese --judgments data/controls.csv --original-languages data/origins.csv "
        "--language-pair zh-en --human human --margin 4 --seed 1 --resamples 200",
    ),
    "translationese-texts": (
        f"translationese {_ONE_RUN} --original-languages data/example_origins.txt --metric bleu "
        "--metric chrf --language de-en --seed 1 --resamples 200",
    ),
    "translationese-campaigns": (
        "translationese --judgments data/language_pairs.csv --by language-pair --seed 1 "
        "--resamples 200",
    ),
    "translationese-means": ("translationese --means data/half_means.csv",),
    "translationese-battles": (
        "translationese --battles data/origin_battles.csv --language zh-en --seed 1",
    ),
    "translationese-keep": (
        "translationese --judgments data/controls.csv --original-languages data/origins.csv "
        "--language zh-en --seed 1 --resamples 200 --keep forward.csv",
        "rank forward.csv --seed 1",
    ),
    "rank-forward": (
        "rank data/language_pairs.csv --language zh-en --direction forward --seed 1",
    ),
    "rank-reverse-share": ("rank data/language_pairs.csv --language zh-en --seed 1",),
    "rank-documents": (
        "rank data/language_pairs.csv --language zh-en --level document --seed 1",
    ),
    "design": ("design --looks 5 --n-max 1200",),
    "design-pocock": ("design --family pocock --looks 3 --futility none --drift 2.8,3.24",),
    "design-paper": ("design --preset paper",),
    "savings": (f"savings data/archive.csv --unpaired {_FEW}",),
    "savings-paired": (f"savings data/archive.csv {_FEW}",),
    "savings-controls": (f"savings data/controls.csv --unpaired {_FEW}",),
    "savings-paper": (
        "savings data/histograms.npz --procedure fixed,interim,interim-futility "
        "--planned 120,240,480 --step 20 --repeats 20 --large 1 --seed 1",
    ),
    "plan-preset": (f"{_PLAN} --n-max 60 --preset paper",),
    "plan-new": (f"{_PLAN} --n-max 60 --question Ship",),
    "look": (f"{_PLAN} --n-max 60 --unit item", "look ship.json data/controls.csv"),
    "look-documents": (
        f"{_PLAN} --n-max 30 --test sign-flip --seed 4",
        "look ship.json data/ragged.csv",
    ),
    "look-rank-sum": (
        f"{_PLAN} --n-max 60 --test rank-sum",
        "look ship.json data/ragged.csv",
    ),
    "look-e-process": (
        f"{_PLAN} --test e-process --seed 2",
        "look ship.json data/ragged.csv",
    ),
    "look-preference": (
        f"{_PLAN} --n-max 60 --test preference",
        "look ship.json data/preferences.csv",
    ),
    "look-battles": (
        "plan new ship.json --systems owl,ant --n-max 200 --test e-preference",
        "look ship.json data/battles.csv",
    ),
    "look-mixed": (
        f"{_PLAN} --n-max 24 --test mixed --unit item",
        "look ship.json data/complete.csv",
    ),
    "plan-show": (
        f"{_PLAN},human --n-max 60 --unit item",
        "look ship.json data/ragged.csv",
        "plan show ship.json",
    ),
    "conclude": (
        f"{_PLAN} --n-max 60 --unit item",
        "look ship.json data/ragged.csv --final",
        "conclude ship.json",
    ),
    "plan-live": (f"{_LIVE} --price 3,15 --max-tokens 90000",),
    "look-live": (_LIVE, "look live.json data/zero_one.csv --system new"),
    "plan-show-live": (
        _LIVE,
        "look live.json data/zero_one.csv --system new",
        "plan show live.json",
    ),
    "conclude-live": (
        _LIVE,
        "look live.json data/zero_one.csv --system new",
        "conclude live.json data/zero_one.csv --system new",
    ),
    "subsample": ("subsample data/zero_one.csv --system old --n 5 --seed 7 --block 1/2",),
    "audit-judgments": ("audit data/archive.csv --by campaign",),
    "audit-histograms": ("audit data/histograms.npz --by language-pair --alpha .01",),
    "audit-only": ("audit data/comparisons.csv --by team --only mt",),
    "audit-comparisons": (
        "audit data/comparisons.csv --by team --target-difference 1.5 --power .9",
    ),
    "audit-benchmark": ("audit data/benchmark.csv",),
    "audit-benchmark-agreement": ("audit data/benchmark.csv --prior lachenbruch",),
    "audit-leaderboard": (
        "audit data/leaderboard.csv --pairs data/leaderboard_pairs.csv --n 2000 --pairs-n 1500",
    ),
    "mde-accuracy-own-prior": (
        "audit data/leaderboard.csv --pairs data/leaderboard_pairs.csv --n 2000 --pairs-n 1500 "
        "--csv pairs:best.csv",
        "mde accuracy --n 1000 --baseline-accuracy .84 --prior best.csv",
    ),
    "compare-labels": (
        "compare --refs data/right_labels.txt --system old=data/old_labels.txt "
        "--system new=data/new_labels.txt --baseline old --metric f1 --metric mcc --seed 1",
    ),
    "audit-survey-likert": ("audit data/studies.csv",),
    "audit-survey": ("audit data/studies.csv --item-sd .5 --target-difference .05",),
    "report-one": (
        "rank data/controls.csv --seed 1 --out rank.json",
        "report rank.json",
    ),
    "verify-plan": (
        f"{_PLAN} --n-max 60 --unit item",
        "look ship.json data/ragged.csv --final",
        "verify ship.json data/ragged.csv",
    ),
    "report-bake": (
        "rank data/controls.csv --seed 1 --out rank.json",
        "report rank.json --bake rank.html",
    ),
    "report-several": (
        "rank data/controls.csv --seed 1 --out rank.json",
        "design --looks 3 --out design.json",
        "report rank.json looks=design.json --title Both -o both.html",
    ),
}
