"""Derivatives of scores: over any leading axes, by hand, and homogeneous of degree 0."""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import TextMetric
from detectable.metrics.registry import METRICS as METRICS_of_registry
from detectable.metrics.registry import metric
from tests.inference.test_standard_errors import METRICS, ruen


@pytest.mark.parametrize("name", ["bleu", "nist", "chrf", "mwer", "gtm", "mean"])
def test_many_vectors_give_the_same_bits_as_one(name: str) -> None:
    widths = {"bleu": 10, "nist": 11, "chrf": 18, "mwer": 2, "gtm": 3, "mean": 2}
    sums = np.random.default_rng(1).uniform(50, 90, (2, 3, widths[name]))
    sums[0, 1, 0] = 0.0
    one = metric(name)
    many = one.gradient(sums)
    assert many.shape == sums.shape
    for place in np.ndindex(2, 3):
        assert np.array_equal(many[place], one.gradient(sums[place]))
    assert many[0, 1, 0] == 0.0


def test_the_derivative_of_a_mean_by_hand() -> None:
    found = metric("mean").gradient(np.array([[6.0, 2.0], [9.0, 3.0]]))
    assert found == pytest.approx(np.array([[0.5, -1.5], [1 / 3, -1.0]]), rel=1e-8)


@pytest.mark.golden
@pytest.mark.parametrize("name", METRICS)
def test_influence_values_add_up_to_zero_by_themselves(name: str) -> None:
    """A score does not change when every segment is counted twice."""
    one = metric(METRICS[name])
    for table in ruen()[name].astype(np.float64):
        total = table.sum(axis=0)
        values = table @ one.gradient(total)
        assert abs(values.sum()) < 1e-7 * float(one.score(total))
        assert values == pytest.approx(one.influence(table), abs=1e-9)


# --- A metric of another package, exactly as docs/metrics-plugins.md tells its readers ---

PAGE = Path(__file__).parents[2] / "docs" / "metrics-plugins.md"
MODULE = "toy_metric"
CORPUS = Corpus.build(
    {"A": [["The cat sat", "a dog"], ["the cat", "a big dog"]], "B": ["cats sit", "a a a dog"]},
    ["the cat sat down", "a big dog"],
)


def block(language: str) -> str:
    """Return the first block of code in `language` on the page."""
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    if found is None:
        raise ValueError(f"{PAGE} holds no {language}")
    return found[1]


@pytest.fixture
def toy_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put the package of the page on the path, as an installer would."""
    (tmp_path / f"{MODULE}.py").write_text(block("python"))
    group = tomllib.loads(block("toml"))["project"]["entry-points"]["detectable.metrics"]
    points = "\n".join(f"{name} = {target}" for name, target in group.items())
    info = tmp_path / "toy-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[detectable.metrics]\n{points}\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop(MODULE, None)


@pytest.fixture
def toy(toy_package: None) -> TextMetric:
    found = metric("toy")
    if not isinstance(found, TextMetric):
        raise TypeError(f"{found} is no metric of texts")
    return found


def test_the_package_is_imported_only_when_its_metric_is_asked_for(toy_package: None) -> None:
    assert METRICS_of_registry.names()[-1] == "toy"
    assert MODULE not in sys.modules
    assert metric("toy").name == "toy"
    assert MODULE in sys.modules


def test_statistics_and_score_are_those_of_the_page(toy: TextMetric) -> None:
    steps: list[tuple[str, int, int | None]] = []
    statistics = toy.statistics(CORPUS, progress=lambda *step: steps.append(step))
    assert statistics.tolist() == [[[3, 4], [2, 3]], [[2, 4], [3, 3]], [[0, 4], [2, 3]]]
    assert toy.score(statistics.sum(axis=1)) == pytest.approx([500 / 7, 500 / 7, 200 / 7])
    assert steps[-1] == ("toy", 3, 3)


def test_many_sums_are_scored_as_each_of_them(toy: TextMetric) -> None:
    sums = np.random.default_rng(1).integers(0, 3, (4, 5, 2)).astype(float)
    each = [[toy.score(row) for row in rows] for rows in sums]
    assert toy.score(sums) == pytest.approx(np.array(each), nan_ok=True)
    assert np.isnan(toy.score(np.zeros(2)))


def test_influence_values_follow_the_slope_of_the_ratio(toy: TextMetric) -> None:
    statistics = toy.statistics(CORPUS)[0]
    found, wanted = statistics.sum(axis=0)
    slopes = 100 * (statistics[:, 0] - found / wanted * statistics[:, 1]) / wanted
    assert toy.influence(statistics) == pytest.approx(slopes, abs=1e-7)
    assert toy.influence(statistics).sum() == pytest.approx(0.0, abs=1e-9)


def test_settings_pass_and_are_checked(toy_package: None) -> None:
    assert metric("toy", lowercase=False).signature() == "case:mixed|refs:first"
    with pytest.raises(InputError, match=r"'toy' has no setting 'case'; it has lowercase\."):
        metric("toy", case=True)


def test_a_misspelt_name_is_answered_with_the_nearest_one(toy_package: None) -> None:
    with pytest.raises(InputError, match=r"no metric named 'toi'\. Did you mean 'toy'\?"):
        metric("toi")
    with pytest.raises(
        InputError, match=r"Did you mean 'bleu'\? Known: .*accuracy, pass@k, pass\^k, toy\."
    ):
        metric("bleuu")


def test_without_the_package_the_name_is_unknown() -> None:
    with pytest.raises(InputError, match=r"no metric named 'toy'\."):
        metric("toy")


def test_segments_weigh_by_the_words_of_their_reference(toy: TextMetric) -> None:
    assert toy.sizes(toy.statistics(CORPUS)).tolist() == [[4.0, 3.0]] * 3


def test_units_weigh_alike_where_a_metric_says_nothing_else(toy: TextMetric) -> None:
    assert TextMetric.sizes(toy, toy.statistics(CORPUS)).tolist() == [[1.0, 1.0]] * 3
