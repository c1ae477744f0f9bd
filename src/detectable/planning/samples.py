"""Several sampled answers to every question: how many questions, how many samples."""

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from detectable.core.choices import PilotUnit, SamplesMethod
from detectable.core.errors import InputError
from detectable.core.options import check_settings
from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.kernels.distributions import normal_quantile, t_quantile
from detectable.planning.closed_forms import beyond, error_factors, normal_power
from detectable.planning.options import SamplesOptions
from detectable.planning.scenario import INDEPENDENT, Closed, Scenario, Settings, Trials

if TYPE_CHECKING:
    from detectable.data.scores.scores import Scores
    from detectable.planning.documents import AssumedDocuments, DocumentSpread

_FEW = 30  # questions below which the normal formula promises too much


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples(SamplesOptions, Scenario):
    r"""Two systems answer the same questions, each several times, by the paired test of means.

    A question has a true difference with variance :math:`\omega^2` over questions, and every
    sampled answer noise of its own around it, so that the difference of the means of a question
    has [1]_

    .. math:: v = \omega^2 + \sigma_A^2 / K_A + \sigma_B^2 / K_B, \qquad
              n = \frac{(z_{1-\alpha/2} + z_\text{power})^2\, v}{\delta^2}.

    Samples lower the last two terms only: with n questions, effects below
    :math:`(z_{1-\alpha/2} + z_\text{power})\, \omega / \sqrt n` are not found with that power
    whatever K. Where a question costs :math:`c_q` and one sample of both systems :math:`c_s`, the
    costs of any power are lowest with

    .. math:: K^* = \sqrt{\frac{c_q}{c_s} \cdot \frac{\sigma_A^2 + \sigma_B^2}{\omega^2}}.

    Parameters
    ----------
    question_variance : float
        :math:`\omega^2`, of true differences between questions.
    sample_variance : float
        :math:`\sigma_A^2`, of the answers of the system to one question; for 0/1 scores at most ¼.
    baseline_sample_variance : float, optional
        Of the baseline; the same by default.
    n_samples : int
        Samples of every question.
    baseline_n_samples : int, optional
        Of the baseline; as many by default.
    question_cost, sample_cost : float, optional
        Of one more question, and of one more sample of both systems: gives the best number of
        samples.
    method : {'normal', 't'}
        Miller's formula, or the noncentral t, which knows that the variance is estimated.
    documents : DocumentSpread or AssumedDocuments, optional
        How documents differ: then `n_items` counts documents, and the test is t.

    References
    ----------
    .. [1] Miller (2024), "Adding error bars to evals", arXiv:2411.00640, section 5.

    Examples
    --------
    >>> from detectable.planning.ask import mde, sample_size
    >>> many = Samples(question_variance=1 / 9, sample_variance=0.0)
    >>> sample_size(many, effect=0.03).n_items
    969
    >>> few = Samples(question_variance=0.0193, sample_variance=0.1577, n_samples=4)
    >>> round(mde(few, n_items=130).effect, 3)
    0.077
    """

    documents: "DocumentSpread | AssumedDocuments | None" = field(default=None, repr=False)

    unit: ClassVar[str] = "question"
    scale: ClassVar[str] = "difference of the mean scores"

    def __post_init__(self) -> None:
        check_settings(self)
        for name in ("question_variance", "sample_variance", "baseline_sample_variance"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0.0):
                raise InputError(f"`{name}` must be a variance, 0 or more; got {value!r}.")
        if not self.variance > 0.0:
            raise InputError(
                "`question_variance` and `sample_variance` are both 0, so every evaluation would "
                "show any effect. Estimate them from a pilot (Samples.from_scores)."
            )
        if (self.question_cost is None) != (self.sample_cost is None):
            raise InputError("`question_cost` and `sample_cost` go together; got one of them.")
        if self.question_cost is not None and not self.question_cost >= 0.0:
            raise InputError(f"`question_cost` must be 0 or more; got {self.question_cost!r}.")

    @classmethod
    def from_scores(
        cls,
        scores: "Scores",
        system: str,
        baseline: str,
        *,
        n_samples: int | None = None,
        question_cost: float | None = None,
        sample_cost: float | None = None,
        method: SamplesMethod = "normal",
        unit: PilotUnit = "auto",
    ) -> "Samples":
        """Estimate the variances from a pilot with several samples of a question.

        Where documents are known, documents are planned.

        Parameters
        ----------
        scores : Scores
            With samples; questions that some system has no sample of are left out.
        system, baseline : str
            Whose difference is planned for.
        n_samples : int, optional
            Of every question in the evaluation that is planned; by default the mean of the pilot.
        question_cost, sample_cost, method
            As above.
        unit : {'auto', 'item', 'document'}
            What is planned; auto: documents where they are known.
        """
        from detectable.inference.sampled_answers import (
            sampled_answers,
            true_difference_variance,
        )
        from detectable.planning.documents import (
            DocumentSpread,
            chosen_documents,
            document_codes,
        )

        for name in (system, baseline):
            if name not in scores.systems:
                known = listing(list(scores.systems))
                raise InputError(f"there is no system {name!r} in the scores. Found: {known}.")
        if scores.repeats != "samples":
            raise InputError(
                "the scores hold one sample of every question, from which the noise of sampling "
                "cannot be told. For 0/1 scores it is at most p(1 − p): give it as "
                "`sample_variance`."
            )
        whole = scores.complete()
        ours, theirs = (sampled_answers(whole.systems[name]) for name in (system, baseline))
        means = whole.averaged().systems
        differences = (means[system] - means[baseline])[0]
        spread = true_difference_variance(differences, ours, theirs)
        noise = [one.variance_samples for one in (ours, theirs)]
        if any(math.isnan(one) for one in noise):
            raise InputError(
                f"no question has two samples of {system!r} and two of {baseline!r}, so the noise "
                "of sampling cannot be told. Sample some questions twice."
            )
        usual = round(ours.n_samples / ours.n_questions)
        made = cls(
            question_variance=max(spread, 0.0),
            sample_variance=noise[0],
            baseline_sample_variance=noise[1],
            n_samples=usual if n_samples is None else n_samples,
            question_cost=question_cost,
            sample_cost=sample_cost,
            method=method,
        )
        documents = chosen_documents(whole.documents, unit)
        if documents is None:
            return made
        codes = document_codes(documents, differences.size)
        seen = DocumentSpread.of_pilot(differences, codes)
        # The pilot's own noise, from its own numbers of samples.
        before = math.fsum(one.variance_samples * one.inverse_k for one in (ours, theirs))
        return replace(made, documents=seen.with_noise(before, made.noise))

    @property
    def noise(self) -> float:
        """The part of the variance that more samples lower."""
        k = self.n_samples
        other = self.sample_variance
        if self.baseline_sample_variance is not None:
            other = self.baseline_sample_variance
        return self.sample_variance / k + other / (self.baseline_n_samples or k)

    @property
    def variance(self) -> float:
        """Of the difference of the means of a question."""
        return self.question_variance + self.noise

    def item_variance(self, effect: float) -> float:  # noqa: ARG002 (the same for any)
        """Return the variance of the difference of the means of a question."""
        return self.variance

    def assumptions(self, effect: float) -> tuple[str, ...]:  # noqa: ARG002 (for any effect)
        """Return the variances, and that questions stand alone."""
        other = self.baseline_sample_variance
        noise = f"{self.sample_variance:.3g}"
        if other is not None and other != self.sample_variance:
            noise += f" and {other:.3g}"
        return (
            f"a variance of {self.question_variance:.3g} between questions",
            f"a variance of {noise} between samples",
            f"{INDEPENDENT}questions",
        )

    def best_samples(self) -> float:
        """Return the number of samples with the lowest costs; 1 where questions are free.

        Infinite where questions do not differ: then a sample is as good as a question.

        Examples
        --------
        >>> found = Samples(question_variance=0.02, sample_variance=0.16, question_cost=1, sample_cost=1)
        >>> found.best_samples()
        4.0
        """
        if self.question_cost is None or self.sample_cost is None:
            return math.nan
        other = self.baseline_sample_variance
        both = self.sample_variance + (self.sample_variance if other is None else other)
        if self.question_cost == 0.0 or both == 0.0:
            return 1.0
        if self.question_variance == 0.0:
            return math.inf
        ratio = self.question_cost / self.sample_cost * both / self.question_variance
        return max(1.0, math.sqrt(ratio))

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> FloatArray:
        """Return the difference of the means of every question: its own, and sampled noise."""
        true = rng.normal(effect, math.sqrt(self.question_variance), size=(trials, n_items))
        noise = rng.normal(0.0, math.sqrt(self.noise), size=(trials, n_items))
        return true + noise

    def analyse(self, data: FloatArray, *, alpha: float) -> Trials:  # noqa: ARG002 (serves any level)
        """Test every trial by paired t over questions."""
        from scipy.special import stdtr

        n = data.shape[1]
        means = data.mean(axis=1)
        t = means * math.sqrt(n) / data.std(axis=1, ddof=1)
        return Trials(means, 2.0 * stdtr(n - 1.0, -np.abs(t)))

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed:
        """Return Miller's formula, or the mean over estimated standard errors."""
        error = math.sqrt(self.variance / n_items)
        if self.method == "normal":
            return normal_power(abs(effect), error, normal_quantile(1.0 - alpha / 2.0) * error)
        factors, weights = error_factors(n_items - 1.0)
        critical = t_quantile(1.0 - alpha / 2.0, n_items - 1.0)
        return beyond(effect, error, critical * error * factors, weights)

    def typical_effect(self, n_items: int) -> float:
        """Return the effect that the formula finds with 80 % power."""
        return 2.8 * math.sqrt(self.variance / n_items)

    def first_n(self, effect: float) -> int:
        """Return the number of questions for 80 % power."""
        return max(self.smallest_n, math.ceil(7.85 * self.variance / effect**2))

    def largest_n(self) -> int:
        """Return a hundred million questions."""
        return 100_000_000

    def _floor(self) -> float:
        """Return the share of an effect that endless samples would find with the same power."""
        return math.sqrt(self.question_variance / self.variance)

    def details(self, n_items: int, effect: float, *, alpha: float) -> Settings:  # noqa: ARG002
        """Return all samples, the floor, and the best number of samples where costs are known."""
        answers = n_items * (self.n_samples + (self.baseline_n_samples or self.n_samples))
        known: dict[str, str | int | float] = {
            "total_samples": answers,
            "effect_with_endless_samples": abs(effect) * self._floor(),
            "questions_with_endless_samples": math.ceil(
                max(self.smallest_n, n_items * self._floor() ** 2)
            ),
        }
        best = self.best_samples()
        if math.isfinite(best):
            known["best_samples"] = best
        return known

    def notes(self, n_items: int, effect: float, *, alpha: float) -> tuple[str, ...]:  # noqa: ARG002
        """Say the floor, and what the costs say."""
        floor = abs(effect) * self._floor()
        said = [
            f"Endless samples of {count(n_items, 'question')} would show {floor:.3g} with the same "
            "power: beyond it only more questions help."
        ]
        if self.question_variance == 0.0:
            said = [
                "Questions do not differ in what is compared (variance 0), so a sample is worth as "
                "much as a question. A pilot seldom shows that for sure."
            ]
        best = self.best_samples()
        if math.isinf(best):
            said.append("Then no number of samples is too large for the costs given.")
        elif best == 1.0:
            said.append(
                "One sample of each question is best: more questions beat more samples."
            )
        elif not math.isnan(best):
            said.append(f"About {best:.1f} samples of each question are best for these costs.")
        if self.method == "normal" and n_items < _FEW:
            said.append(
                f"Below {_FEW} questions the normal formula promises too much: method='t' does not."
            )
        return tuple(said)
