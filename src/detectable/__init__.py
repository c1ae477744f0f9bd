"""Compare language systems, and know what the comparison could have detected.

>>> import detectable as dt
>>> result = dt.compare(dt.example_corpus(), "bleu", baseline="baseline", rng=1)
>>> result.pairs[0].verdict
'better'
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from detectable.core.version import VERSION as __version__

# What people call and what they build; results are documented where they are made. The types
# are in __init__.pyi, which scripts/make_stub.py writes.
WHERE = {
    "Baseline": "detectable.study.gate.baseline",
    "ComparisonArchive": "detectable.study.archive.comparison_archive",
    "ConfidenceSequence": "detectable.sequential.bands",
    "Corpus": "detectable.data.texts.corpus",
    "Costs": "detectable.planning.cheapest",
    "DataError": "detectable.core.errors",
    "DetectableError": "detectable.core.errors",
    "DetectableWarning": "detectable.core.errors",
    "EProcess": "detectable.sequential.e_process",
    "FlagLimits": "detectable.study.raters.rater_check",
    "Futility": "detectable.sequential.futility",
    "InputError": "detectable.core.errors",
    "Judgments": "detectable.data.human.judgments",
    "PreferenceProcess": "detectable.sequential.preference_process",
    "Procedure": "detectable.study.archive.procedures",
    "ScoreMetric": "detectable.metrics.base",
    "Scores": "detectable.data.scores.scores",
    "SegmentScores": "detectable.study.ranking.item_scores",
    "TextMetric": "detectable.metrics.base",
    "accept_baseline": "detectable.study.gate.baseline",
    "Battles": "detectable.data.battles.battles",
    "agreement": "detectable.study.precision.rater_agreement",
    "appraise_batches": "detectable.report.shown.appraise",
    "appraise_manifest": "detectable.report.shown.appraise",
    "arena": "detectable.study.arena.arena",
    "audit": "detectable.study.audit.audit",
    "betting_band": "detectable.sequential.bands",
    "campaign_pairs": "detectable.study.archive.campaign_pairs",
    "cheapest": "detectable.planning.cheapest",
    "checkpoint": "detectable.core.checkpoint",
    "compare": "detectable.study.comparison.compare",
    "component_test": "detectable.mixed.predictions",
    "conclude": "detectable.study.monitoring.conclude",
    "confidence_sequence": "detectable.sequential.bands",
    "control_variates": "detectable.study.precision.control_variates",
    "data_efficiency": "detectable.study.precision.control_variate_result",
    "design": "detectable.sequential.design",
    "doctor": "detectable.study.doctor.doctor",
    "e_bh": "detectable.sequential.many_pairs",
    "e_holm": "detectable.sequential.many_pairs",
    "e_process": "detectable.sequential.e_process",
    "example_campaign": "detectable.data.example.bundled",
    "example_corpus": "detectable.data.example.bundled",
    "fit_meaning": "detectable.study.archive.agreement_curve",
    "fit_mixed": "detectable.mixed.fit",
    "gate": "detectable.study.gate.gate",
    "score": "detectable.study.score.score",
    "judge_agreement": "detectable.study.precision.judge_agreement",
    "label_sheet": "detectable.report.shown.selection",
    "labels": "detectable.study.precision.label_plan",
    "load": "detectable.report.saved.load",
    "look": "detectable.study.monitoring.look",
    "make_tasks": "detectable.study.tasks.make_tasks",
    "margin_test": "detectable.inference.margin_test",
    "mde": "detectable.planning.ask",
    "meaning": "detectable.study.archive.meaning",
    "meta": "detectable.study.meta.meta",
    "metric": "detectable.metrics.registry",
    "observed_mde": "detectable.inference.observed_mde",
    "paired_permutation": "detectable.inference.sign_flips",
    "plan": "detectable.study.monitoring.plan",
    "plan_history": "detectable.study.monitoring.plan_history",
    "power": "detectable.planning.ask",
    "power_curve": "detectable.planning.ask",
    "power_curves": "detectable.planning.ask",
    "predict_effects": "detectable.mixed.predictions",
    "preference_process": "detectable.sequential.preference_process",
    "quality_control": "detectable.study.raters.quality_control",
    "rank_systems": "detectable.study.ranking.rank_systems",
    "read_baseline": "detectable.study.gate.baseline",
    "read_battles": "detectable.data.battles.read_battles",
    "read_corpus": "detectable.data.texts.read_corpus",
    "read_corpus_file": "detectable.data.texts.read_corpus_file",
    "read_judgments": "detectable.data.human.read_judgments",
    "keep_direction": "detectable.data.directions",
    "write_text_table": "detectable.data.texts.text_table",
    "read_original_languages": "detectable.data.texts.languages",
    "read_plan": "detectable.study.monitoring.plan",
    "read_score_histograms": "detectable.data.human.score_histograms",
    "read_scores": "detectable.data.scores.read_scores",
    "reliability": "detectable.study.reliability.reliability",
    "report": "detectable.report.several",
    "sample_size": "detectable.planning.ask",
    "sample_sizes": "detectable.planning.sample_sizes",
    "past_ratings": "detectable.planning.sample_sizes",
    "results": "detectable.results",
    "rogan_gladen": "detectable.study.precision.rogan_gladen",
    "save": "detectable.report.saved.save",
    "scheduler": "detectable.core.scheduler",
    "read_selection": "detectable.study.selection.selection",
    "select": "detectable.study.selection.select",
    "select_more": "detectable.study.selection.select",
    "write_selection": "detectable.study.selection.selection",
    "simulate": "detectable.mixed.simulate",
    "simulate_procedures": "detectable.study.archive.procedures",
    "size_limit": "detectable.data.files.size_limit",
    "blind_sheets": "detectable.report.shown.tasks",
    "tasks_csv": "detectable.report.shown.tasks",
    "translationese": "detectable.study.translationese.translationese",
    "translationese_battles": "detectable.study.translationese.campaigns",
    "translationese_campaigns": "detectable.study.translationese.campaigns",
    "translationese_means": "detectable.study.translationese.campaigns",
    "variance_components": "detectable.study.precision.variance_components",
    "verify": "detectable.cli.rerun",  # it types commands again
    "release": "detectable.cli.release",  # so does it
    "write_judgments": "detectable.data.human.write_judgments",
    "scan_judgments": "detectable.data.human.scanned_judgments",
    "scenarios": "detectable.planning.scenarios",
}
# Modules that documentation named and that stand in another now, until version 0.2.
MOVED = {
    "detectable.core.progress": "detectable.core.types",
    "detectable.data.human.judgment_reader": "detectable.data.reader",
    "detectable.data.human.judgment_rows": "detectable.data.human.judgment_table",
    "detectable.data.texts.read_sgm": "detectable.data.texts.wmt_test_sets",
    "detectable.sequential.e_process_pairs": "detectable.sequential.e_process",
    "detectable.sequential.repeated": "detectable.sequential.stagewise",
    "detectable.study.precision.data_efficiency": (
        "detectable.study.precision.control_variate_result"
    ),
    "detectable.study.precision.variance_advice": (
        "detectable.study.precision.variance_components"
    ),
}
MODULES = ("results", "scenarios")  # names that stand for a module, not for something in one
__all__ = ["__version__", *WHERE]


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that ``detectable --help`` stays fast."""
    if name not in WHERE:
        message = f"module 'detectable' has no attribute {name!r}"
        raise AttributeError(message)
    module = import_module(WHERE[name])
    return module if name in MODULES else getattr(module, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


class _Package(ModuleType):
    """Where ``report`` stays the function, as the layer of that name is imported."""

    @property
    def report(self) -> Any:
        return __getattr__("report")

    @report.setter
    def report(self, layer: ModuleType) -> None:
        pass


sys.modules[__name__].__class__ = _Package


class _Moved:
    """Finds the old names of modules that moved, forwards to the new ones and says so."""

    @staticmethod
    def find_spec(name: str, *_: object) -> ModuleSpec | None:
        return ModuleSpec(name, _Moved) if name in MOVED else None  # type: ignore[arg-type]

    @staticmethod
    def create_module(_: ModuleSpec) -> None:
        """Leave it to Python."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        import warnings

        new = MOVED[module.__name__]
        warnings.warn(
            f"{module.__name__} is now part of {new}; what plug-ins need is in detectable.plugins.",
            DeprecationWarning,
            stacklevel=2,
        )
        found = import_module(new)
        module.__dict__.update(
            {name: thing for name, thing in vars(found).items() if not name.startswith("__")}
        )


sys.meta_path.append(_Moved)  # type: ignore[arg-type]  # asked where all others found nothing
