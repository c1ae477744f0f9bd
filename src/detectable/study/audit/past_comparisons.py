"""Past comparisons: what was seen in each, with what error, and by what they can be grouped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from detectable.core.choices import JudgmentUnit, PairTest
from detectable.core.types import FloatArray, IntArray
from detectable.data.human.judgments import Judgments
from detectable.data.human.score_histograms import ScoreHistograms
from detectable.study.archive.campaign_pairs import campaign_pairs

UNPAIRED: PairTest = "rank-sum"
PAIRED: PairTest = "paired"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeenDifferences:
    """What one test said about every comparison; arrays have one entry each.

    Attributes
    ----------
    test : str
        ``rank-sum``, ``paired``, or ``reported`` where a table says what came out.
    difference : array
        Observed difference.
    p_value : array
        NaN where there was nothing to test.
    standard_error : array
        Of the difference; NaN where it is not known.
    df : array
        Its degrees of freedom; infinite where they are not known.
    n : array
        Judgments per system, or items, that the difference rests on.
    """

    test: str
    difference: FloatArray = field(repr=False)
    p_value: FloatArray = field(repr=False)
    standard_error: FloatArray = field(repr=False)
    df: FloatArray = field(repr=False)
    n: FloatArray = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PastComparisons:
    """All comparisons of an archive.

    Attributes
    ----------
    tested : SeenDifferences
        As published: all judgments of both systems as unrelated, or what a table reports.
    paired : SeenDifferences or None
        The same comparisons, with what the same rater gave the same item; None where the data do
        not say who judged what.
    labels : mapping of str to tuple of str
        What comparisons can be grouped by: the name of each comparison's campaign, language pair…
    n_judgments : int or None
        Behind all comparisons, where known.
    notes : tuple of str
        What was left out or changed.
    """

    tested: SeenDifferences
    paired: SeenDifferences | None
    labels: Mapping[str, tuple[str, ...]] = field(repr=False)
    n_judgments: int | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return int(self.tested.difference.size)

    def only(self, rows: IntArray) -> "PastComparisons":
        """Return some of the comparisons; how many judgments lie behind them is not known then."""
        return replace(
            self,
            tested=_some(self.tested, rows),
            paired=None if self.paired is None else _some(self.paired, rows),
            labels={
                name: tuple(column[row] for row in rows.tolist())
                for name, column in self.labels.items()
            },
            n_judgments=None,
        )

    @classmethod
    def from_judgments(
        cls, judgments: Judgments, *, unit: JudgmentUnit = "auto"
    ) -> "PastComparisons":
        """Compare all systems of each campaign, unpaired and paired (see `campaign_pairs`)."""
        pairs = campaign_pairs(judgments, tests=(UNPAIRED, PAIRED), unit=unit)
        columns = pairs.columns
        sizes = columns["judgments first"], columns["judgments second"]
        tested = SeenDifferences(
            test=UNPAIRED,
            difference=columns["difference of means"],
            p_value=columns["p rank-sum"],
            standard_error=columns["standard error of means"],
            df=np.maximum(sizes[0] + sizes[1] - 2.0, 1.0),
            n=0.5 * (sizes[0] + sizes[1]),
        )
        paired = SeenDifferences(
            test=PAIRED,
            difference=columns["paired difference"],
            p_value=columns["p paired"],
            standard_error=columns["standard error"],
            df=np.maximum(columns["df"].astype(np.float64), 1.0),
            n=columns["matched judgments"],
        )
        return cls(
            tested=tested,
            paired=None if np.isnan(paired.p_value).all() else paired,
            labels=pairs.named,
            n_judgments=pairs.n_judgments,
            notes=pairs.notes,
        )

    @classmethod
    def from_histograms(cls, histograms: ScoreHistograms) -> "PastComparisons":
        """Compare all systems of each campaign by Mann-Whitney's test of all judgments."""
        from scipy.special import ndtr

        from detectable.kernels.means import exact_histogram_means
        from detectable.kernels.pairing import moments, rank_sum_z

        first, second = histograms.pairs()
        counts, values = histograms.counts, histograms.values
        mean = exact_histogram_means(counts, values)
        n = counts.sum(axis=1).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):  # one judgment has no variance
            error = moments(counts, values)[1] / n
        error[n < 2.0] = np.nan
        z = rank_sum_z(counts[first], counts[second])
        labels = {"campaign": histograms.campaign, "language": histograms.language}
        return cls(
            tested=SeenDifferences(
                test=UNPAIRED,
                difference=mean[first] - mean[second],
                p_value=2.0 * ndtr(-np.abs(z)),
                standard_error=np.sqrt(error[first] + error[second]),
                df=np.maximum(n[first] + n[second] - 2.0, 1.0),
                n=0.5 * (n[first] + n[second]),
            ),
            paired=None,
            labels={
                name: tuple(column.levels[code] for code in column.codes[first].tolist())
                for name, column in labels.items()
                if column is not None
            },
            n_judgments=histograms.n_judgments,
        )

    @classmethod
    def join(cls, parts: Sequence["PastComparisons"]) -> "PastComparisons":
        """Return the comparisons of several files as one archive.

        Paired numbers and labels remain where all parts have them.
        """
        if len(parts) == 1:
            return parts[0]
        shared = [name for name in parts[0].labels if all(name in p.labels for p in parts)]
        paired = [part.paired for part in parts if part.paired is not None]
        known = [part.n_judgments for part in parts if part.n_judgments is not None]
        return cls(
            tested=_join([part.tested for part in parts]),
            paired=_join(paired) if len(paired) == len(parts) else None,
            labels={
                name: tuple(chain.from_iterable(part.labels[name] for part in parts))
                for name in shared
            },
            n_judgments=sum(known) if len(known) == len(parts) else None,
            notes=tuple(dict.fromkeys(chain.from_iterable(part.notes for part in parts))),
        )


def _some(seen: SeenDifferences, rows: IntArray) -> SeenDifferences:
    return SeenDifferences(
        test=seen.test,
        difference=seen.difference[rows],
        p_value=seen.p_value[rows],
        standard_error=seen.standard_error[rows],
        df=seen.df[rows],
        n=seen.n[rows],
    )


def _join(parts: Sequence[SeenDifferences]) -> SeenDifferences:
    return SeenDifferences(
        test=parts[0].test,
        difference=np.concatenate([part.difference for part in parts]),
        p_value=np.concatenate([part.p_value for part in parts]),
        standard_error=np.concatenate([part.standard_error for part in parts]),
        df=np.concatenate([part.df for part in parts]),
        n=np.concatenate([part.n for part in parts]),
    )
