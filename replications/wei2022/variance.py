"""Tables 2 and 3 and section 6.2: python -m replications.wei2022.variance SHIPDATA WMT.

SHIPDATA holds ``shipdata_judgments.parquet`` and, row by row beside it,
``shipdata_metrics4.parquet`` (COMET, BLEURT, chrF and sentence BLEU of each judged translation).
WMT holds judgments of WMT to-English campaigns that passed quality control,
``wmt21_csen_da.parquet`` and so on (worker, system_id, type, sid, hit, raw, z).
"""

import sys
import warnings
from pathlib import Path

import polars as pl

from detectable.core.errors import SuspiciousDataWarning
from detectable.data.formats.wmt_da import raw_scores
from detectable.data.human.cells import ordinary
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.study.precision.control_variate_result import (
    data_efficiency,
    observed_data_efficiency,
    within_system_correlation,
)
from detectable.study.precision.rater_agreement import agreement
from detectable.study.precision.variance_components import (
    VarianceComponents,
    variance_components,
)
from replications.listed import Compared, compared, exactly, told

PAIRS = ("cs", "is", "ja", "ru")  # of WMT21, as points; of zh-en no judgments are at hand
STANDARDISED = ("de", "ha")  # as z-scores, with the mean and spread of each rater
TABLE_2 = {"WMT21": 0.231, "pSQM zh-en": 0.098, "pSQM en-de": 0.534}  # reducible shares
LIST = Path(__file__).parent / "variance.toml"


def main(shipdata: Path, wmt: Path) -> list[str]:
    """Print every number beside what is expected and the paper's; return what is not so."""
    return told(compared_numbers(shipdata, wmt))


def compared_numbers(shipdata: Path, wmt: Path) -> list[Compared]:
    """Return every number beside the paper's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuspiciousDataWarning)  # the README says it all
        found = wmt_numbers(wmt) | table3() | shipdata_numbers(shipdata)
    return compared(LIST, exactly(found))


def wmt_judgments(folder: Path, campaigns: tuple[str, ...], *, score: str) -> Judgments:
    """Return judgments of to-English campaigns, one after the other."""
    parts = [
        pl.read_parquet(folder / f"{campaign}en_da.parquet").select(
            system=pl.col("system_id").cast(pl.String),
            item=pl.col("sid"),
            rater=pl.col("worker").cast(pl.String),
            kind=pl.col("type").cast(pl.String),
            task=pl.col("hit").cast(pl.String),
            score=pl.col(score).cast(pl.Float64),
            language=pl.lit(campaign),
        )
        for campaign in campaigns
    ]
    table = pl.concat(parts)
    columns = {name: table[name] for name in table.columns}
    return Judgments.build(columns, repeated="mark", scale=(-100.0, 100.0))


def wmt_numbers(folder: Path) -> dict[str, float]:
    """Return Table 2's reading of WMT: all scores pooled, repeats by one worker averaged."""
    found: dict[str, float] = {}
    year21 = tuple(f"wmt21_{pair}" for pair in PAIRS)
    for name, campaigns in (("WMT21, four pairs", year21), ("WMT22 ja-en", ("wmt22_ja",))):
        for score in ("raw", "z"):
            judgments = wmt_judgments(folder, campaigns, score=score)
            result = _decompose(judgments, pooled="all")
            found |= _numbers(f"{name}, {score}", result)
    six = six_pairs(folder)
    return (
        found
        | _numbers("WMT21, six pairs, raw", _decompose(six, pooled="all"))
        | totals(six, folder / "official" / "ad-seg-scores-zh-en.csv")
    )


def totals(six: Judgments, segments: Path) -> dict[str, float]:
    """Return the total of single judgments, of six pairs and with what is known of zh-en.

    Of zh-en its segment scores are at hand, means of N judgments: those of one judgment say how such
    judgments spread, and all N are counted. Nothing says how far its raters differ.
    """
    known = ordinary(six)[0].score
    zh = pl.read_csv(segments, separator=" ", truncate_ragged_lines=True)
    single = zh.filter(pl.col("N") == 1)["RAW.SCR"].to_numpy()
    n, more = known.size, int(zh["N"].sum())
    mean = (n * known.mean() + more * single.mean()) / (n + more)
    within = n * known.var() + more * single.var()
    between = n * (known.mean() - mean) ** 2 + more * (single.mean() - mean) ** 2
    return {
        "WMT21, six pairs, single judgments, total": float(known.var(ddof=1)),
        "WMT21, with the spread of zh-en's segment scores, total": float(
            (within + between) / (n + more)
        ),
    }


def six_pairs(folder: Path) -> Judgments:
    """Return all judgments of WMT21 that are at hand, as points."""
    files = [folder / f"wmt21_{pair}en_da.parquet" for pair in PAIRS]
    files += [folder / "official" / f"ad-{pair}en-good-stnd.csv.gz" for pair in STANDARDISED]
    return Judgments.join([raw_scores(read_judgments(path)) for path in files])


def table3() -> dict[str, float]:
    """Return the three columns, from the shares of quality in Table 2."""
    return {
        f"table 3, {column}, correlation {rho}": data_efficiency(
            rho, gamma=(1.0 - share) / share
        )
        for column, share in TABLE_2.items()
        for rho in (1.0, 0.5, 0.2)
    }


def shipdata_judgments(folder: Path) -> Judgments:
    """Return all judgments of ShipData, row by row as in its file."""
    table = pl.read_parquet(folder / "shipdata_judgments.parquet")
    columns = {
        "campaign": table["campaign"],
        "system": table["system"],
        "item": table["segment_id"],
        "rater": table["user"],
        "score": table["score"],
    }
    return Judgments.build(columns, repeated="mark")


def shipdata_numbers(folder: Path) -> dict[str, float]:
    """Return the decomposition that the paper thought impossible, and what metrics are worth."""
    judgments = shipdata_judgments(folder)
    first = _decompose(judgments, pooled="mean-of-systems", repeats="first")
    found = _numbers("ShipData, mean of systems", first)
    found |= _numbers("ShipData, within systems", _decompose(judgments, pooled="within-system"))
    metrics = pl.read_parquet(folder / "shipdata_metrics4.parquet")
    for metric in metrics.columns:
        rho, _ = within_system_correlation(judgments, metrics[metric].to_numpy())
        found[f"ShipData, {metric}, correlation"] = rho
        found[f"ShipData, {metric}, data efficiency"] = observed_data_efficiency(rho)
    alpha = agreement(judgments).krippendorff
    return found | {"ShipData, Krippendorff's alpha": alpha}


def _decompose(
    judgments: Judgments, *, pooled: str, repeats: str = "mean"
) -> VarianceComponents:
    return variance_components(
        judgments,
        pooled=pooled,  # type: ignore[arg-type]
        repeats=repeats,  # type: ignore[arg-type]
    )


def _numbers(name: str, found: VarianceComponents) -> dict[str, float]:
    values = {
        "total": found.total.value,
        "noise": found.noise.value,
        "quality, difference": found.by_difference.untruncated,
        "quality, covariance": found.by_covariance.untruncated,
        "translations by several raters": float(found.n_repeated),
        "judgments": float(found.n_judgments),
    }
    if found.intra is not None:
        values |= {
            "the same rater": found.intra.value,
            "the same rater, correlation": found.intra_correlation,
        }
    return {f"{name}, {part}": value for part, value in values.items()}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit("\n".join(main(Path(sys.argv[1]), Path(sys.argv[2]))) or 0)
