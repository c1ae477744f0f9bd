"""The words that options take: each list stands here once, for the library and the command line.

The first word of a list is the default, unless the option may be left out. Nothing is imported
but typing, so that ``--help`` costs nothing. Lists that other packages may lengthen (metrics,
formats of judgments) and those that belong to a table (families of boundaries) are not here.
"""

from typing import Literal, TypeAlias, get_args

# What is to be shown
Claim: TypeAlias = Literal["better", "non-inferior", "equivalent"]

# Comparing systems
CompareTest: TypeAlias = Literal["auto", "randomization", "t", "bootstrap"]
IntervalMethod: TypeAlias = Literal["test", "delta", "percentile", "basic", "bca"]
Runs: TypeAlias = Literal["auto", "random", "fixed"]
RunVariance: TypeAlias = Literal["own", "pooled"]
PairCorrection: TypeAlias = Literal["auto", "max-t", "holm", "none"]
CorrectionFamily: TypeAlias = Literal["systems", "systems-and-metrics"]
CompareUnit: TypeAlias = Literal["auto", "segment", "document"]
Compat: TypeAlias = Literal["multeval", "sacrebleu"]  # may be left out

# Scores of harness logs
Repeats: TypeAlias = Literal["runs", "samples"]
LogErrors: TypeAlias = Literal["missing", "zero"]
Tasks: TypeAlias = Literal["fixed", "random", "pooled"]
TaskWeights: TypeAlias = Literal["macro", "items"]
TaskCorrection: TypeAlias = Literal["holm", "benjamini-hochberg", "none"]

# Gates
GateRule: TypeAlias = Literal["non-inferiority", "superiority", "no-regression"]
Inconclusive: TypeAlias = Literal["pass", "fail"]  # may be left out
Overall: TypeAlias = Literal["macro", "micro"]  # may be left out
Decides: TypeAlias = Literal["tasks", "slices", "overall"]
StopScope: TypeAlias = Literal["all", "task"]
SubsampleFormat: TypeAlias = Literal["ids", "inspect", "lm-eval", "json"]

# How many documents
CurveMethod: TypeAlias = Literal["poisson", "exact", "delta"]
PowerFit: TypeAlias = Literal["log", "nls"]
MedianBy: TypeAlias = Literal["test", "dev"]  # the scores that choose the run to read
DocumentOrder: TypeAlias = Literal["given", "random"]
RaterWeights: TypeAlias = Literal["equal", "agreement"]

# Ranking systems from judgments
RankingPreset: TypeAlias = Literal["wmt21", "wmt24", "wmt25"]  # may be left out
RankingTest: TypeAlias = Literal[
    "auto",
    "rank-sum",
    "rank-sum-matched",
    "signed-rank",
    "permutation",
    "t",
    "stouffer",
    "stouffer-unsigned",
    "mixed",
]
Standardise: TypeAlias = Literal["auto", "z", "none", "mixed"]
Over: TypeAlias = Literal["all", "ordinary"]
RankingUnit: TypeAlias = Literal["auto", "item", "document"]
RankingLevel: TypeAlias = Literal["item", "judgment", "document"]
ClusterRule: TypeAlias = Literal["all-pairs", "wmt-last", "min-wins", "rank-ranges"]
Average: TypeAlias = Literal["auto", "items", "domains"]
RepeatKind: TypeAlias = Literal["both", "raters", "documents", "pool"]

# Forward against reverse test data
KeptDirection: TypeAlias = Literal["all", "forward", "reverse"]
CampaignsBy: TypeAlias = Literal["language-pair"]  # may be left out
HalvesStandardise: TypeAlias = Literal["auto", "z", "none"]

# Columns of tables: what each may be; none is a default
JudgmentRole: TypeAlias = Literal[
    "system",
    "item",
    "score",
    "rater",
    "document",
    "domain",
    "wave",
    "task",
    "language",
    "original_language",
    "campaign",
    "kind",
    "seconds",
    "sampling_weight",
]
ScoreRole: TypeAlias = Literal[
    "system",
    "item",
    "score",
    "document",
    "task",
    "run",
    "sample",
    "metric",
    "original_language",
    "slice",
]
AuditRole: TypeAlias = Literal[
    "difference",
    "n",
    "p",
    "standard_error",
    "task",
    "baseline",
    "accuracy",
    "improvement",
    "best",
    "system",
    "item",
    "score",
    "rater",
    "document",
    "domain",
    "wave",
    "language",
    "campaign",
    "kind",
    "seconds",
    "paper",
    "ratings_per_item",
    "raters",
    "first",
    "second",
    "disagreement",
    "test_disagreement",
]

F1Average: TypeAlias = Literal["positive", "macro"]

# Judgments and raters
RaterNames: TypeAlias = Literal["recode", "keep"]
Recode: TypeAlias = Literal["raters"]  # may be left out
SourceErrors: TypeAlias = Literal["count", "ignore"]  # may be left out
Repeated: TypeAlias = Literal["refuse", "mark"]  # may be left out
JudgmentUnit: TypeAlias = Literal["auto", "item", "document", "rater"]
CellRepeats: TypeAlias = Literal["mean", "first"]
Within: TypeAlias = Literal["rater", "item"]
UnitName: TypeAlias = Literal["item", "document", "rater"]
CheckTest: TypeAlias = Literal["paired-t", "signed-rank", "mann-whitney"]
CheckCorrection: TypeAlias = Literal["none", "holm", "benjamini-hochberg"]
CheckAgainst: TypeAlias = Literal["original", "neighbours"]
Pooled: TypeAlias = Literal["within-system", "all", "mean-of-systems"]
AgreementLevel: TypeAlias = Literal["interval", "ordinal", "nominal"]
Target: TypeAlias = Literal["domain", "test-set"]
JudgeMethod: TypeAlias = Literal["control-variate", "rogan-gladen"]
SelectBy: TypeAlias = Literal["auto", "metric", "random"]
SelectCost: TypeAlias = Literal["auto", "time", "items"]
PairTest: TypeAlias = Literal["paired", "rank-sum", "signed-rank"]

# Metrics against people
MetaLevel: TypeAlias = Literal["system", "segment"]
MetaStatistic: TypeAlias = Literal[
    "spa",
    "pairwise-accuracy",
    "pearson",
    "spearman",
    "kendall",
    "kendall-c",
    "tau23",
    "acc23",
    "acc-eq",
]
PairStatistic: TypeAlias = Literal["kendall", "kendall-c", "tau23", "acc23"]
AverageBy: TypeAlias = Literal["item", "sys", "none"]
UndefinedGroups: TypeAlias = Literal["skip", "zero"]
MetaUnit: TypeAlias = Literal["auto", "segment", "document"]
PairP: TypeAlias = Literal["normal", "permutation"]

# Audits
PastBy: TypeAlias = Literal["language-pair", "campaign"]  # or none
AuditKind: TypeAlias = Literal["auto", "archive", "benchmark", "survey"]

# Tasks for raters
TaskKind: TypeAlias = Literal["segment", "document"]
Assignment: TypeAlias = Literal["paired", "random"]
CampaignProtocol: TypeAlias = Literal["da", "sqm", "esa", "pairwise", "likert", "mqm"]
PageLanguage: TypeAlias = Literal["en", "de", "es", "fr", "ja"]
Panel: TypeAlias = Literal["none", "prolific", "generic"]  # that sends raters to an open link
CodeFor: TypeAlias = Literal["finished", "admitted"]  # who is shown the completion code
Guide: TypeAlias = Literal["first", "instead"]  # our instructions, and those of the organiser
MqmPreset: TypeAlias = Literal["google", "wmt"]
CampaignFormat: TypeAlias = Literal["table", "pearmut", "appraise"]
CampaignMode: TypeAlias = Literal["source", "reference", "bilingual", "alone"]
Reveal: TypeAlias = Literal["decision", "full"]  # what organisers are told of a look
DegradeUnit: TypeAlias = Literal["auto", "word", "character"]

# Mixed models
SlopeWord: TypeAlias = Literal["auto", "none", "rater", "item", "both"]
MixedUnit: TypeAlias = Literal["auto", "item", "document"]
MixedRepeats: TypeAlias = Literal["mean", "keep"]

# Preferences and arenas
TieRule: TypeAlias = Literal["half", "davidson", "rao-kupper", "drop"]
VoteCluster: TypeAlias = Literal["auto", "prompt", "voter", "two-way", "vote"]
VoteWeights: TypeAlias = Literal["votes", "pairs"]
SideEffect: TypeAlias = Literal["auto", "fit", "none"]
AdjustedStrengths: TypeAlias = Literal["shown", "decides"]
Penalty: TypeAlias = Literal["none", "firth"]
BattleRole: TypeAlias = Literal[
    "a",
    "b",
    "winner",
    "prompt",
    "voter",
    "weight",
    "language",
    "document",
    "original_language",
]

# Looks
PlanTest: TypeAlias = Literal[
    "paired-mean",
    "signed-rank",
    "sign-flip",
    "rank-sum",
    "two-means",
    "proportions",
    "mixed",
    "preference",
    "e-process",
    "e-preference",
]
AdmissionRule: TypeAlias = Literal["degraded-paired-t", "symmetric"]  # may be left out
AdmissionFew: TypeAlias = Literal["refuse", "admit"]
FutilityRule: TypeAlias = Literal[
    "predictive-power",
    "conditional-power",
    "conditional-power-design",
    "beta-spending",
    "p>.5",
    "p-above-half",  # the same: a shell takes > for itself
    "none",
]
DesignPreset: TypeAlias = Literal["paper"]  # may be left out
Stopping: TypeAlias = Literal[
    "fixed", "pocock", "default", "uncorrected", "interim", "interim-futility"
]

# Planning
Prior: TypeAlias = Literal["glue", "squad", "lachenbruch"]  # may be left out
AccuracyMethod: TypeAlias = Literal["exact", "normal"]
MarginClaim: TypeAlias = Literal["non-inferior", "equivalent"]
RankAlternative: TypeAlias = Literal["two-sided", "observed-order"]
SecondRule: TypeAlias = Literal["same-variance", "same-shape", "same-scale", "shift"]
RatingTest: TypeAlias = Literal["two-means", "rank-sum", "paired-mean", "signed-rank"]
RatingMethod: TypeAlias = Literal["simulated", "closed-form"]
LikertTest: TypeAlias = Literal["satterthwaite", "card"]
LikertPreset: TypeAlias = Literal["card-high", "card-low"]  # may be left out
UnpairedTest: TypeAlias = Literal["two-means", "rank-sum"]
Plant: TypeAlias = Literal["shift", "tilt"]
ArenaPairing: TypeAlias = Literal["direct", "uniform"]
ArenaFamily: TypeAlias = Literal["pair", "all-pairs"]
PilotUnit: TypeAlias = Literal["auto", "item", "document"]
SamplesMethod: TypeAlias = Literal["normal", "t"]


def words(kind: object) -> tuple[str, ...]:
    """Return the words of a list, the default first.

    Examples
    --------
    >>> words(Runs)
    ('auto', 'random', 'fixed')
    """
    found: tuple[str, ...] = get_args(kind)
    return found
