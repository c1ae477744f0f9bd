"""Choices that are fetched when they are needed."""

import ast
import inspect
import json
import pathlib
from collections.abc import Callable, Iterator
from pathlib import Path as PathlibPath
from typing import Any, get_args

import click
import pytest
from click.testing import CliRunner

from detectable.cli import main
from detectable.cli import scenarios_of_answers as scenario_bleu
from detectable.cli import scenarios_of_ratings as scenario_ratings
from detectable.cli.options import SAME, LazyChoice
from detectable.cli.release import release
from detectable.cli.rerun import verify
from detectable.cli.scenario import Several
from detectable.core import choices
from detectable.core.choices import CompareTest, PlanTest, RankingTest, RatingTest, words
from detectable.core.options import Shared, declared
from detectable.data.human.read_judgments import read_judgments
from detectable.data.scores.suite import read_suite
from detectable.live.conclusion import conclude_logs
from detectable.live.logs import look_at_logs
from detectable.live.order import drawn
from detectable.live.plan import plan_live
from detectable.live.task_logs import task_logs
from detectable.mixed.fit import fit_mixed
from detectable.planning import ask
from detectable.planning.accuracy import Accuracy
from detectable.planning.arena import Arena
from detectable.planning.bleu import Bleu
from detectable.planning.cheapest import cheapest
from detectable.planning.likert import Likert
from detectable.planning.pilot import Pilot
from detectable.planning.rank_sum import Preference, RankSum
from detectable.planning.ratings import Ratings
from detectable.planning.samples import Samples
from detectable.report.several import Report, report
from detectable.sequential.design import design
from detectable.study.archive.agreement_curve import fit_meaning
from detectable.study.archive.meaning import meaning
from detectable.study.arena.arena import arena
from detectable.study.audit.audit import audit
from detectable.study.campaign.begin import begin_campaign
from detectable.study.campaign.close import conclude_campaign
from detectable.study.campaign.export import export_campaign
from detectable.study.campaign.looks import look_now
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.comparison.compare import compare
from detectable.study.gate.baseline import accept_baseline
from detectable.study.gate.gate import gate
from detectable.study.meta.meta import meta
from detectable.study.monitoring.conclude import conclude
from detectable.study.monitoring.look import look
from detectable.study.monitoring.plan import plan
from detectable.study.monitoring.plan_history import plan_history
from detectable.study.precision.control_variates import control_variates
from detectable.study.precision.label_plan import labels
from detectable.study.precision.rater_agreement import agreement
from detectable.study.precision.variance_components import variance_components
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.ranking.ranking import Ranking
from detectable.study.raters.quality_control import quality_control
from detectable.study.reliability.reliability import reliability
from detectable.study.score.score import score
from detectable.study.selection.select import select
from detectable.study.tasks.make_tasks import make_tasks
from detectable.study.translationese.translationese import translationese
from scripts.make_signatures import pairs


def test_nothing_is_fetched_before_it_is_needed() -> None:
    words, asked = ["red"], 0

    def fetch() -> list[str]:
        nonlocal asked
        asked += 1
        return words

    @click.command()
    @click.option("--colour", type=LazyChoice(fetch), help="Which.")
    @click.option("--size", type=int)
    def paint(colour: str | None, size: int | None) -> None:
        click.echo(f"{colour} {size}")

    assert CliRunner().invoke(paint, ["--size", "3"]).stdout == "None 3\n"
    assert asked == 0
    words.append("green")  # after the command was made
    assert CliRunner().invoke(paint, ["--colour", "green"]).stdout == "green None\n"
    assert asked > 0


def test_help_and_refusals_are_those_of_a_choice() -> None:
    def said(kind: "click.ParamType[str]") -> tuple[str, str]:
        @click.command()
        @click.option("--colour", type=kind, required=True, help="Which.")
        def paint(colour: str) -> None:
            click.echo(colour)

        shown = CliRunner().invoke(paint, ["--help"]).stdout
        wrong = CliRunner().invoke(paint, ["--colour", "blue"])
        none = CliRunner().invoke(paint, [])
        assert (wrong.exit_code, none.exit_code) == (2, 2)
        return shown, wrong.stderr + none.stderr

    words = ("red", "green")
    assert said(LazyChoice(lambda: words)) == said(click.Choice(words))


def test_a_shell_completes_the_words() -> None:
    option = click.Option(["--colour"], type=LazyChoice(lambda: ("red", "green")))
    context = click.Context(click.Command("paint"))
    assert [x.value for x in option.shell_complete(context, "g")] == ["green"]


# --- A test may be called by the name that another command has for it ---


def said(*arguments: object) -> dict[str, Any]:
    found = CliRunner().invoke(main, [*map(str, arguments), "--json"])
    assert found.exit_code == 0, found.output
    answer: dict[str, Any] = json.loads(found.stdout)
    return answer


@pytest.fixture
def scores(tmp_path: PathlibPath) -> PathlibPath:
    path = tmp_path / "scores.csv"
    rows = [
        f"{s},{i},{(i * 7 + 3 * k) % 11 + k}" for k, s in enumerate("ab") for i in range(12)
    ]
    path.write_text("system,item,score\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["permutation", "sign-flip"])
def test_a_comparison_by_another_name_is_the_same(scores: PathlibPath, name: str) -> None:
    ask = ["compare", "--scores", scores, "--seed", 1, "--test"]
    assert said(*ask, name) == said(*ask, "randomization")
    assert said(*ask, "paired-mean") == said(*ask, "t")


@pytest.mark.parametrize("name", ["randomization", "sign-flip"])
def test_a_ranking_by_another_name_is_the_same(scores: PathlibPath, name: str) -> None:
    ask = ["rank", scores, "--seed", 1, "--test"]
    assert said(*ask, name) == said(*ask, "permutation")
    assert said(*ask, "paired-mean") == said(*ask, "t")


@pytest.mark.parametrize(
    ("name", "own"),
    [("randomization", "sign-flip"), ("permutation", "sign-flip"), ("t", "paired-mean")],
)
def test_a_plan_is_written_with_its_own_name(
    tmp_path: PathlibPath, name: str, own: str
) -> None:
    path = tmp_path / "plan.json"
    ask = ["plan", "new", path, "--systems", "a,b", "--n-max", 100]
    found = CliRunner().invoke(main, [*map(str, ask), "--test", name])
    assert found.exit_code == 0, found.output
    assert json.loads(path.read_text("utf-8"))["test"] == own


def test_planning_takes_the_names_of_doing() -> None:
    ask = ["power", "ratings", "--n", 200, "--mean", 80, "--sd", 20, "--correlation", 0.5]
    ask += ["--effect", 3, "--method", "closed-form", "--test"]
    assert said(*ask, "t") == said(*ask, "paired-mean")


def test_no_command_has_two_names_for_a_test() -> None:
    for of in (CompareTest, RankingTest, PlanTest, RatingTest):
        assert all(len(same & set(words(of))) <= 1 for same in SAME)


def test_other_words_are_refused_as_ever(scores: PathlibPath) -> None:
    for word in ("mixed", "signflip", "T"):
        ask = ["compare", "--scores", str(scores), "--test", word]
        found = CliRunner().invoke(main, ask)
        assert found.exit_code == 2
        assert (
            f"'{word}' is not one of 'auto', 'randomization', 't', 'bootstrap'" in found.stderr
        )


# --- Numbers are typed as everybody writes them ---


def _commands(group: click.Group, context: click.Context) -> Iterator[click.Command]:
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from _commands(found, context)
        else:
            yield found


def test_no_option_takes_numbers_that_only_python_reads() -> None:
    context, n = click.Context(main), 0
    for command in _commands(main, context):
        for option in command.params:
            if option.type.name not in ("integer", "float", "integer range"):
                continue
            n += 1
            # Of an option that takes several, each is read so.
            assert option.type.convert("1", option, context) in (1, (1,))
            for text in ("1_0", "١", "１"):
                with pytest.raises(click.BadParameter, match="the digits 0 to 9"):
                    option.type.convert(text, option, context)
    assert n > 400


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("power accuracy --n 1_000 --effect 0.02", "--n': '1_000' is not a valid integer"),
        ("design --alpha 0_5", "--alpha': '0_5' is not a valid float"),
        ("design --looks ٣", "--looks': '٣' is not a valid integer"),
        ("plan new p.json --systems a,b --n-max 9 --at .5,1_0", "--at': takes shares with"),
        ("rank j.csv --scale 0:1_00", "--scale': takes LOW:HIGH"),
        ("gate j.csv --baseline A --margin math=0_5", "--margin takes a number; got '0_5'"),
        ("gate j.csv --baseline A --scale math=0:1_0", "--scale': takes LOW:HIGH"),
        ("power-curve accuracy --n 100,2_00", "--n': takes numbers with commas between"),
        ("compare --scores j.csv --metric chrf:beta=２", "'２' must be a number"),
        ("meta j.csv --epsilon 0_5", "--epsilon': takes a number"),
    ],
)
def test_odd_digits_are_typed_wrongly(
    words: str, said: str, tmp_path: PathlibPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    PathlibPath("j.csv").write_text("system,item,score\nA,1,2\n")
    found = CliRunner().invoke(main, words.split())
    assert (found.exit_code, said in found.output) == (2, True), found.output


# --- The command line takes its words and its defaults from the library, so that they cannot drift ---

CLI = pathlib.Path(inspect.getfile(scenario_bleu)).parent
SHARED = ("--json", "--all", "--markdown", "--csv", "--latex", "--html", "--force")
Path = tuple[str, ...]

# What a command calls: what its options mean, and their defaults, is said there.
LIBRARY: dict[Path, tuple[Callable[..., Any], ...]] = {
    ("compare",): (compare,),
    ("gate",): (gate, accept_baseline),
    ("score",): (score, read_suite),
    ("arena",): (arena,),
    ("verify",): (verify, read_judgments),
    ("release",): (release,),
    ("reliability",): (reliability, read_judgments),
    ("tasks",): (make_tasks,),
    ("campaign", "new"): (begin_campaign, CampaignSettings),
    ("campaign", "export"): (export_campaign,),
    ("campaign", "conclude"): (conclude_campaign,),
    ("campaign", "look"): (look_now,),
    ("import",): (read_judgments,),
    ("quality",): (quality_control, read_judgments),
    ("rank",): (rank_systems, read_judgments, Ranking.repeat),
    ("mixed",): (fit_mixed,),
    ("variance",): (variance_components, read_judgments),
    ("agreement",): (agreement, read_judgments),
    ("labels",): (labels, read_judgments),
    ("meta",): (meta,),
    ("meaning",): (meaning, fit_meaning),
    ("select",): (select,),
    ("control-variates",): (control_variates, read_judgments),
    ("translationese",): (translationese, read_judgments),
    ("design",): (design,),
    ("plan", "new"): (plan, plan_live),
    ("plan", "show"): (plan_history,),
    ("look",): (look, read_judgments, look_at_logs),
    ("conclude",): (conclude, read_judgments, conclude_logs),
    ("subsample",): (drawn, task_logs),
    ("audit",): (audit, read_judgments),
    ("report",): (report, Report.write),
    ("cheapest", "likert"): (cheapest, Likert),
    ("cheapest", "ratings"): (cheapest, Ratings),
}
QUESTIONS: dict[str, Callable[..., Any]] = {
    "power": ask.power,
    "mde": ask.mde,
    "sample-size": ask.sample_size,
    "power-curve": ask.power_curve,
}
SCENARIOS: dict[str, Callable[..., Any]] = {
    "accuracy": Accuracy,
    "arena": Arena,
    "bleu": Bleu,
    "likert": Likert,
    "pilot": Pilot.judgments,
    "preference": Preference,
    "rank-sum": RankSum,
    "ratings": Ratings,
    "samples": Samples.from_scores,
}
LIBRARY |= {
    (question, name): (function, ask._evaluator, scenario)
    for question, function in QUESTIONS.items()
    for name, scenario in SCENARIOS.items()
}
# Commands without a function of the library that takes their options by the same names.
ALONE: set[Path] = {("demo",), ("doctor",), ("savings",), ("serve",), ("mcp",), ("skill",)}
ALONE |= {("stratify",)}  # `select --by random`, until the next release
ALONE |= {
    ("campaign", name)
    for name in (
        *("open", "pause", "stop", "close", "links", "status", "backup"),
        *("void", "erase", "verify", "report", "restore", "archive", "delete"),
    )
}


def leaves(
    command: click.Command = main, path: Path = ()
) -> Iterator[tuple[Path, click.Command]]:
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield from leaves(below, (*path, name))
    else:
        yield path, command


LEAVES = dict(leaves())
COMMANDS = pytest.mark.parametrize("path", LEAVES, ids=" ".join)


def options(path: Path) -> list[click.Option]:
    return [param for param in LEAVES[path].params if isinstance(param, click.Option)]


def test_every_command_is_compared_with_the_library() -> None:
    assert set(LIBRARY) | ALONE == set(LEAVES)


@COMMANDS
def test_every_command_has_the_shared_options(path: Path) -> None:
    if path in (("serve",), ("mcp",), ("skill",)):  # servers, and a page: they have no result
        return
    names = [option.opts[0] for option in options(path)]
    assert [name for name in names if name in SHARED] == list(SHARED)
    assert len(set(names)) == len(names)


@COMMANDS
def test_every_option_has_a_help_that_is_a_sentence(path: Path) -> None:
    for option in options(path):
        assert option.help, option.opts[0]
        assert option.help.rstrip(")")[-1] in ".!?…", option.opts[0]


@COMMANDS
def test_words_are_those_of_the_library(path: Path) -> None:
    known = {get_args(value) for value in vars(choices).values() if get_args(value)}
    for option in options(path):
        if type(option.type) is not click.Choice:  # a lazy choice asks the library itself
            continue
        assert tuple(option.type.choices) in known, option.opts[0]


@COMMANDS
def test_a_default_word_is_the_first_of_its_list(path: Path) -> None:
    for option in options(path):
        if type(option.type) is click.Choice and option.default in option.type.choices:
            assert option.default == option.type.choices[0], option.opts[0]


@pytest.mark.parametrize("path", LIBRARY, ids=" ".join)
def test_what_is_declared_is_what_help_says(path: Path) -> None:
    made = dict(pairs())
    typed = {option.name: option for option in options(path)}
    for settings in [made[function] for function in LIBRARY[path] if function in made]:
        for one in declared(settings):
            if one.name in typed:
                option = typed[one.name]
                assert (option.opts[0], option.help) == (one.flag, one.said.help)


def test_no_command_says_again_what_is_declared() -> None:
    kinds = [Shared, *(settings for _, settings in pairs())]
    helps = {one.said.help for settings in kinds for one in declared(settings)}
    said = {
        (path.name, part.value)
        for path in CLI.glob("*.py")
        for part in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(part, ast.Constant) and part.value in helps
    }
    assert said == set()


def _default(option: click.Option) -> Any:
    """Return what a command gets where the option is not typed."""
    context = click.Context(click.Command("toy", params=[option]))
    given = option.get_default(context)
    if option.multiple:
        return tuple(given) if isinstance(given, tuple | list) else None
    if option.is_flag:
        return given is True
    return given if isinstance(given, str | int | float) else None


def _defaults(functions: tuple[Callable[..., Any], ...]) -> dict[str, Any]:
    """Return the defaults of all parameters; the first function has the last word."""
    found: dict[str, Any] = {}
    for function in reversed(functions):
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.default is not inspect.Parameter.empty:
                found[name] = parameter.default
    return found


# Where «not given» means another thing on the command line than in the library, and why.
OTHERWISE = {
    ("bleu", "p0"): "only what is given is handed over: see below",
    ("bleu", "b0"): "likewise",
    ("select", "higher_is_better"): "a pair of flags, None where neither is typed",
    ("ratings", "test"): "the test follows from --margin and --correlation",
}


@pytest.mark.parametrize("path", LIBRARY, ids=" ".join)
def test_defaults_are_those_of_the_library(path: Path) -> None:
    library = _defaults(LIBRARY[path])
    for option in options(path):
        name = option.name or ""
        if name not in library or (path[-1], name) in OTHERWISE:
            continue
        typed, own = _default(option), library[name]
        if isinstance(option.type, Several) and typed:
            # It takes several as they are typed; by default one.
            [text] = typed
            typed = option.type.convert(text, option, None)[0]
        if typed == "":
            typed = None  # a list of nothing
        if typed is None:  # not given: the command hands over nothing, or None
            assert own in (None, (), ""), (option.opts[0], own)
        else:
            assert typed == own, (option.opts[0], typed, own)
            assert type(typed) is type(own), (option.opts[0], typed, own)


def test_what_is_not_given_is_left_to_the_library() -> None:
    texts: dict[str, Any] = {"references": (), "system_output": None, "baseline_output": None}
    assert scenario_bleu.BLEU.build(**texts, metric="bleu", p0=None, b0=None) == Bleu()
    given = scenario_bleu.BLEU.build(**texts, metric="bleu", p0=0.2, b0=None)
    assert given == Bleu(p0=0.2)
    settings: dict[str, Any] = {"mean": 70.0, "sd": 20.0, "second": "shift"}
    rest: dict[str, Any] = {"correlation": None, "margin": None, "claim": None, "test": None}
    made = scenario_ratings.RATINGS.build(
        **settings, **rest, continuous=False, method="simulated"
    )
    assert made == Ratings(**settings)


@pytest.mark.parametrize("path", LIBRARY, ids=" ".join)
def test_some_default_is_compared(path: Path) -> None:
    """The test above would pass if no name were shared."""
    names = {option.name for option in options(path)}
    if path not in {("plan", "show"), ("look",), ("conclude",), ("import",)}:
        assert names & set(_defaults(LIBRARY[path]))
